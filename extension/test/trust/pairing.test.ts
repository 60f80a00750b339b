import { EnclaveChallenge } from '@contract/frames';
import { beforeAll, describe, expect, it } from 'vitest';
import { outcome, settle } from '../util';
import { newKey, NO_POLICY, testTrust, type Key } from './world';

let key: Key;
let other: Key;
beforeAll(async () => {
  key = await newKey();
  other = await newKey();
});

const error = (message: string) => ({ error: expect.objectContaining({ message: expect.stringContaining(message) }) });
const FIXTURE = {
  keyId: '4269889431e3131966fcaf6a457141943ed2c35b5b917ae62cb339546f523551',
  pubkeyB64: 'BFFcPW6545a5BNP+yn9U/c0MwemXvzddylFa0KbDtANfRTa+OlDzGPv5pUdZAqIhUCvvDVfgjFOyzApW8X2fk1Q=',
};

/** Paired by hand of the store: pinned, with a host that has spoken. */
async function pinned(data: Record<string, unknown> = {}) {
  const w = testTrust({ ...key.pin(), ...data });
  w.lanes.openControl(w.connection());
  return w;
}

async function answered(w: ReturnType<typeof testTrust>, act: Promise<void>, by: Key = key) {
  const done = outcome(act);
  await settle();
  const { nonce, context } = w.asked('enclave_challenge');
  await w.say(await by.proof(nonce, context));
  return done;
}

describe('the way to a pin', () => {
  it('begins as soon as the host has spoken, and changes nothing by itself', async () => {
    const w = testTrust();
    await w.say(NO_POLICY);
    const challenge = EnclaveChallenge.parse(w.asked('enclave_challenge'));
    expect(challenge.nonce).toMatch(/^[0-9a-f]{64}$/);
    expect(challenge.context).toBe('ext:fmkoengpgchbmogeaifdcdfpnnpgmcfl:pair');
    await w.say(await key.proof(challenge.nonce, challenge.context));
    expect(w.store.data.enclavePending).toEqual({ keyId: key.keyId, pubkeyB64: key.pubkeyB64, at: 1_000_000 });
    expect(w.store.data.enclaveEverPinned).toBeUndefined();
    expect(await w.serving()).toBe('unpaired');
    expect(await w.serves()).toBeNull();
  });

  it('ends with the approval of the fingerprint that was shown', async () => {
    const w = testTrust();
    await w.pairWith(key);
    expect(w.store.data).toMatchObject({
      enclaveEverPinned: true,
      enclavePin: { keyId: key.keyId, pubkeyB64: key.pubkeyB64, pinnedAt: 1_000_000 },
    });
    expect(w.store.data.enclavePending).toBeUndefined();
    expect(await w.serving()).toBe('preCutover');
    expect(w.kinds()).toContain('enroll_approved');
    expect(w.connection().posted.at(-1)).toEqual({ type: 'policy_get' });
    expect(w.posted('audit_event')).toEqual([{ type: 'audit_event', kind: 'enroll_approved', detail: key.keyId }]);
  });

  it('asks for the language too where its lane is open', async () => {
    const w = testTrust();
    await w.say(NO_POLICY);
    await w.say({ type: 'lang_current', value: 'en', seq: 0 });
    await w.pairWith(key);
    expect(w.posted('lang_get')).toHaveLength(1);
  });

  it('remembers that there was a pin before it writes the pin', async () => {
    const w = testTrust();
    await w.pairWith(key);
    const order = w.store.writes.flatMap((items) => Object.keys(items));
    expect(order.indexOf('enclaveEverPinned')).toBeGreaterThanOrEqual(0);
    expect(order.indexOf('enclaveEverPinned')).toBeLessThan(order.indexOf('enclavePin'));
    expect(w.store.removals.flat()).not.toContain('enclaveEverPinned');
  });

  it('refuses the approval of another fingerprint than the one that waits', async () => {
    const w = testTrust({ enclavePending: { keyId: key.keyId, pubkeyB64: key.pubkeyB64, at: 1 } });
    expect(await outcome(w.pairing.approve(other.keyId))).toEqual(error('Another fingerprint'));
    expect(w.store.writes).toEqual([]);
  });

  it.each([
    ['none', undefined],
    ['junk', 'junk'],
    ['a key id of another key', { keyId: 'a'.repeat(64), pubkeyB64: FIXTURE.pubkeyB64, at: 1 }],
    ['the fixture key', { ...FIXTURE, at: 1 }],
    ['an extra member', { ...FIXTURE, at: 1, x: 1 }],
  ])('refuses to approve %s', async (_name, enclavePending) => {
    const w = testTrust(enclavePending === undefined ? {} : { enclavePending });
    expect(await outcome(w.pairing.approve(FIXTURE.keyId))).toEqual(error('No fingerprint waits'));
    expect(w.store.data.enclaveEverPinned).toBeUndefined();
  });

  it('shows a fingerprint that did not change without a new time', async () => {
    const w = testTrust();
    await w.say(NO_POLICY);
    const first = w.asked('enclave_challenge');
    await w.say(await key.proof(first.nonce, first.context));
    await w.clock.advance(5);
    await answered(w, w.pairing.pair());
    expect(w.store.data.enclavePending).toMatchObject({ keyId: key.keyId, at: 1_000_000 });
    await answered(w, w.pairing.pair(), other);
    expect(w.store.data.enclavePending).toMatchObject({ keyId: other.keyId });
  });

  it('is not begun by itself while paused, compromised or paired', async () => {
    for (const data of [
      { enclavePairingPaused: { by: 'rejected' } },
      { enclavePairingPaused: 'junk' },
      { enclaveCompromised: 'junk' },
      key.pin(),
    ]) {
      const w = testTrust(data);
      await w.say(NO_POLICY);
      expect(w.posted('enclave_challenge')).toEqual([]);
    }
  });

  it('is begun by itself where the pin was lost', async () => {
    const w = testTrust({ enclaveEverPinned: true, enclavePin: 'junk' });
    await w.say(NO_POLICY);
    expect(w.posted('enclave_challenge')).toHaveLength(1);
  });

  it('is refused to who is paired already, and without a host that has spoken', async () => {
    const w = await pinned();
    expect(await outcome(w.pairing.pair())).toEqual(error('paired already'));
    const fresh = testTrust();
    expect(await outcome(fresh.pairing.pair())).toEqual(error('not-connected'));
    expect(fresh.connection().posted).toEqual([]);
  });
});

describe('a proof without a pin', () => {
  const bad: [string, (nonce: string, context: string) => Promise<Record<string, unknown>>][] = [
    ['for another nonce', async (_n, c) => key.proof('0'.repeat(64), c)],
    ['for another context', async (n) => key.proof(n, 'ext:other:pair')],
    ['for no context', async (n) => key.proof(n)],
    ['signed by another key', async (n, c) => ({ ...(await other.proof(n, c)), key_id: key.keyId, pubkey: key.pubkeyB64 })],
    ['that names another key id', async (n, c) => ({ ...(await key.proof(n, c)), key_id: other.keyId })],
    ['of the fixture key', async (n, c) => ({ ...(await key.proof(n, c)), key_id: FIXTURE.keyId, pubkey: FIXTURE.pubkeyB64 })],
    ['whose base64 is not canonical', async (n, c) => {
      const proof = await key.proof(n, c);
      return { ...proof, sig: String(proof.sig).replace(/=+$/, '') };
    }],
    ['with a member too many', async (n, c) => ({ ...(await key.proof(n, c)), ok: true })],
    ['off the curve', async (n, c) => {
      const point = Buffer.from(key.pubkeyB64, 'base64');
      point[64] = (point[64] ?? 0) ^ 1;
      const digest = await crypto.subtle.digest('SHA-256', point);
      return { ...(await key.proof(n, c)), pubkey: point.toString('base64'), key_id: Buffer.from(digest).toString('hex') };
    }],
  ];
  it.each(bad)('%s leads nowhere, and accuses nobody', async (_name, make) => {
    const w = testTrust();
    await w.say(NO_POLICY);
    const { nonce, context } = w.asked('enclave_challenge');
    await w.say(await make(String(nonce), String(context)));
    expect(w.store.data.enclavePending).toBeUndefined();
    expect(w.store.data.enclaveCompromised).toBeUndefined();
    expect(await w.serving()).toBe('unpaired');
    expect((await w.pairing.notes()).lastError?.reason).toContain('does not hold');
  });

  it('counts once, for the challenge that was asked last, and for 120,000', async () => {
    const w = testTrust();
    await w.say(NO_POLICY);
    const first = w.asked('enclave_challenge');
    await w.clock.advance(10_000);
    const second = outcome(w.pairing.pair());
    await settle();
    // The host answers in order: this one was replaced.
    await w.say(await key.proof(first.nonce, first.context));
    expect(w.store.data.enclavePending).toBeUndefined();
    const { nonce, context } = w.asked('enclave_challenge');
    expect(nonce).not.toBe(first.nonce);
    await w.say(await key.proof(nonce, context));
    expect(await second).toEqual({ value: undefined });
    delete w.store.data.enclavePending;
    await w.say(await key.proof(nonce, context));
    expect(w.store.data.enclavePending).toBeUndefined();
  });

  it.each([
    [119_999, true],
    [120_000, false],
  ])('after %i ms: taken is %s', async (ms, taken) => {
    const w = testTrust();
    await w.say(NO_POLICY);
    const { nonce, context } = w.asked('enclave_challenge');
    await w.clock.advance(ms);
    await w.say(await key.proof(nonce, context));
    expect(w.store.data.enclavePending !== undefined).toBe(taken);
  });

  it('of another connection is none', async () => {
    const w = testTrust();
    await w.say(NO_POLICY);
    const { nonce, context } = w.asked('enclave_challenge');
    await w.reconnect();
    await w.say(await key.proof(nonce, context));
    expect(w.store.data.enclavePending).toBeUndefined();
  });

  it('that comes after the person rejected is dropped, unless they asked for it', async () => {
    const w = testTrust();
    await w.say(NO_POLICY);
    const { nonce, context } = w.asked('enclave_challenge');
    w.store.data.enclavePairingPaused = { by: 'rejected' };
    await w.say(await key.proof(nonce, context));
    expect(w.store.data.enclavePending).toBeUndefined();
    expect(await answered(w, w.pairing.pair())).toEqual({ value: undefined });
    expect(w.store.data.enclavePending).toMatchObject({ keyId: key.keyId });
    expect(await w.blocked()).toBe('rejected');
  });
});

describe('an error without a pin', () => {
  it.each(['unsupported_platform', 'not_enrolled', 'key_invalid', 'keychain_error'])('%s is a note', async (reason) => {
    const w = testTrust();
    await w.say(NO_POLICY);
    await w.say({ type: 'enclave_error', reason });
    expect((await w.pairing.notes()).lastError).toEqual({ reason, at: 1_000_000 });
    expect(await w.serving()).toBe('unpaired');
  });

  it('is told to who asked', async () => {
    const w = testTrust();
    w.lanes.openControl(w.connection());
    const asked = outcome(w.pairing.pair());
    await settle();
    await w.say({ type: 'enclave_error', reason: 'not_enrolled' });
    expect(await asked).toEqual(error('not_enrolled'));
    const silent = outcome(w.pairing.pair());
    await w.clock.advance(10_000);
    expect(await silent).toEqual(error('timed-out'));
  });
});

describe('rejecting', () => {
  it('drops the fingerprint, blocks, and says so', async () => {
    const w = testTrust({ enclavePending: { keyId: key.keyId, pubkeyB64: key.pubkeyB64, at: 1 } });
    w.lanes.openControl(w.connection());
    await w.pairing.reject();
    await settle();
    expect(w.store.data.enclavePending).toBeUndefined();
    expect(await w.blocked()).toBe('rejected');
    expect(w.closed).toEqual(['rejected']);
    expect(w.posted('audit_event')).toEqual([{ type: 'audit_event', kind: 'enroll_rejected', detail: key.keyId }]);
    expect(await w.serves()).toContain('rejected the fingerprint');
  });

  it('of nothing blocks nothing', async () => {
    const w = testTrust();
    expect(await outcome(w.pairing.reject())).toEqual(error('No fingerprint waits'));
    expect(await w.serving()).toBe('unpaired');
  });

  it('is undone by an approval alone', async () => {
    const w = testTrust({ enclavePairingPaused: { by: 'rejected' } });
    for (let i = 0; i < 3; i++) {
      await w.reconnect();
      await w.say(NO_POLICY);
    }
    expect(await w.blocked()).toBe('rejected');
    await w.pairWith(key);
    expect(await w.serving()).toBe('preCutover');
  });
});

describe('unpairing', () => {
  it('clears the pin, remembers its id, blocks, and has the host give up its key', async () => {
    const w = await pinned({ enclaveLastVerifiedAt: 5 });
    await w.pairing.revoke();
    await settle();
    expect(w.store.data).toMatchObject({
      enclaveEverPinned: true, bridgePolicyPriorPin: key.keyId, enclavePairingPaused: { by: 'revoked' }, enclaveHostRevokePending: true,
    });
    for (const gone of ['enclavePin', 'enclavePending', 'enclaveLastVerifiedAt']) expect(w.store.data[gone]).toBeUndefined();
    expect(w.posted('enclave_revoke')).toHaveLength(1);
    expect(w.closed).toEqual(['revoked']);
    expect(w.kinds()).toContain('enroll_revoked');
    expect(await w.serves()).toContain('ended the pairing');
    expect((await w.pairing.notes()).revokePending).toBe(true);
  });

  it('waits for no lane', async () => {
    const w = testTrust(key.pin());
    await w.pairing.revoke();
    expect(w.connection().posted).toEqual([{ type: 'enclave_revoke' }]);
  });

  it('is asked again on every connection until it is acknowledged', async () => {
    const w = await pinned();
    await w.pairing.revoke();
    expect((await w.reconnect()).posted).toEqual([{ type: 'enclave_revoke' }]);
    await w.say({ type: 'enclave_error', reason: 'keychain_error' });
    expect((await w.pairing.notes()).lastError?.reason).toBe('keychain_error');
    expect((await w.reconnect()).posted).toEqual([{ type: 'enclave_revoke' }]);
    await w.say({ type: 'enclave_revoked' });
    expect((await w.pairing.notes()).revokePending).toBe(false);
    expect((await w.reconnect()).posted).toEqual([]);
    expect(await w.blocked()).toBe('revoked');
  });

  it('is overtaken by a new pin, which its late acknowledgement does not accuse', async () => {
    const w = await pinned();
    await w.pairing.revoke();
    w.store.data.enclavePending = { keyId: other.keyId, pubkeyB64: other.pubkeyB64, at: 1 };
    await w.pairing.approve(other.keyId);
    expect((await w.pairing.notes()).revokePending).toBe(false);
    await w.say({ type: 'enclave_revoked' });
    expect(w.store.data.enclaveCompromised).toBeUndefined();
    // The next one nobody asked for.
    await w.say({ type: 'enclave_revoked' });
    expect(await w.blocked()).toBe('compromised');
  });

  it('answers the challenge that follows it, not the one before', async () => {
    const w = await pinned();
    await w.pairing.revoke();
    const asked = outcome(w.pairing.pair());
    await settle();
    await w.say({ type: 'enclave_error', reason: 'keychain_error' });
    const { nonce, context } = w.asked('enclave_challenge');
    await w.say(await other.proof(nonce, context));
    expect(await asked).toEqual({ value: undefined });
  });

  it('of who is not paired is refused', async () => {
    for (const data of [{}, { enclaveEverPinned: true }, { enclaveEverPinned: true, enclavePin: 'junk' }]) {
      const w = testTrust(data);
      expect(await outcome(w.pairing.revoke())).toEqual(error('not paired'));
      expect(w.connection().posted).toEqual([]);
    }
  });

  it('that cannot be written is told, and posts nothing', async () => {
    const w = await pinned();
    w.store.failWrites = true;
    expect(await outcome(w.pairing.revoke())).toEqual(error('cannot be written'));
    expect(w.connection().posted).toEqual([]);
  });
});

describe('a verification', () => {
  it('stamps the time of a good proof', async () => {
    const w = await pinned({ enclaveLastError: { reason: 'keychain_error', at: 1 } });
    await w.clock.advance(7);
    expect(await answered(w, w.pairing.verify())).toEqual({ value: undefined });
    expect(w.store.data.enclaveLastVerifiedAt).toBe(1_000_007);
    expect((await w.pairing.notes()).lastError).toBeNull();
    expect(w.store.data.enclavePending).toBeUndefined();
  });

  it.each([
    ['another key', async (n: unknown, c: unknown) => other.proof(n, c)],
    ['the pinned key for another nonce', async (_n: unknown, c: unknown) => key.proof('1'.repeat(64), c)],
    ['another key under the name of the pinned one', async (n: unknown, c: unknown) => ({ ...(await other.proof(n, c)), key_id: key.keyId, pubkey: key.pubkeyB64 })],
    ['the pinned key under another name', async (n: unknown, c: unknown) => ({ ...(await key.proof(n, c)), key_id: other.keyId, pubkey: other.pubkeyB64 })],
    ['a frame that mixes proof and error', async (n: unknown, c: unknown) => ({ ...(await key.proof(n, c)), reason: 'not_enrolled' })],
  ])('by %s compromises', async (_name, make) => {
    const w = await pinned();
    const asked = outcome(w.pairing.verify());
    await settle();
    const { nonce, context } = w.asked('enclave_challenge');
    await w.say(await make(nonce, context));
    expect(await asked).toEqual(error('did not prove the key'));
    expect(w.store.data.enclaveCompromised).toMatchObject({ at: 1_000_000 });
    expect(w.closed).toEqual(['compromised']);
    expect(w.store.data.enclaveLastVerifiedAt).toBeUndefined();
    expect(await w.serves()).toContain('did not prove the key');
  });

  it.each([
    ['unsupported_platform', true],
    ['not_enrolled', true],
    ['key_invalid', true],
    ['invalid_challenge', false],
    ['keychain_error', false],
    ['signing_failed', false],
    ['something_new', false],
  ])('that fails by %s: compromised is %s', async (reason, compromised) => {
    const w = await pinned();
    const asked = outcome(w.pairing.verify());
    await settle();
    await w.say({ type: 'enclave_error', reason });
    expect('error' in (await asked)).toBe(true);
    expect(w.store.data.enclaveCompromised !== undefined).toBe(compromised);
    expect((await w.pairing.notes()).lastError?.reason).toBe(reason);
  });

  it('shows an unknown reason cut to 64 characters', async () => {
    const w = await pinned();
    const asked = outcome(w.pairing.verify());
    await settle();
    await w.say({ type: 'enclave_error', reason: 'x'.repeat(70) });
    await asked;
    expect((await w.pairing.notes()).lastError?.reason).toBe('x'.repeat(64));
  });

  it('is one exchange for all who wait for it', async () => {
    const w = await pinned();
    const both = Promise.all([w.pairing.proves(w.connection()), w.pairing.proves(w.connection())]);
    await settle();
    expect(w.posted('enclave_challenge')).toHaveLength(1);
    const { nonce, context } = w.asked('enclave_challenge');
    await w.say(await key.proof(nonce, context));
    expect(await both).toEqual([true, true]);
  });

  it('is no proof where the host is silent, gone, or storage takes no stamp', async () => {
    const w = await pinned();
    const silent = w.pairing.proves(w.connection());
    await w.clock.advance(10_000);
    expect(await silent).toBe(false);
    w.store.failWrites = true;
    const unwritten = w.pairing.proves(w.connection());
    await settle();
    const { nonce, context } = w.asked('enclave_challenge');
    // The one before was never answered, so the host answers that first.
    await w.say({ type: 'enclave_error', reason: 'keychain_error' });
    await outcome(w.say(await key.proof(nonce, context)));
    expect(await unwritten).toBe(false);
    await w.reconnect();
    expect(await w.pairing.proves(w.connection())).toBe(false);
    expect(w.store.data.enclaveCompromised).toBeUndefined();
  });

  it('leads to no pairing where the pin was compromised meanwhile, and is not begun where it is', async () => {
    const w = await pinned();
    const asked = w.pairing.proves(w.connection());
    await settle();
    const { nonce, context } = w.asked('enclave_challenge');
    await w.say({ type: 'enclave_revoked' });
    await w.say(await other.proof(nonce, context));
    expect(await asked).toBe(false);
    expect(w.store.data.enclavePending).toBeUndefined();
    expect(await w.pairing.proves(w.connection())).toBe(false);
    expect(w.posted('enclave_challenge')).toHaveLength(1);
  });

  it('is refused to who is not paired', async () => {
    expect(await outcome(testTrust().pairing.verify())).toEqual(error('not paired'));
    const w = await pinned({ enclaveCompromised: {} });
    expect(await outcome(w.pairing.verify())).toEqual(error('not paired'));
  });
});

describe('an answer that is lost or late', () => {
  /** A verification that the host leaves without an answer. */
  async function lost(w: Awaited<ReturnType<typeof pinned>>) {
    const silent = outcome(w.pairing.verify());
    await w.clock.advance(10_000);
    expect(await silent).toEqual(error('timed-out'));
    return w.asked('enclave_challenge');
  }
  const proves = (w: Awaited<ReturnType<typeof pinned>>) => answered(w, w.pairing.verify());

  it('closes the gate for that question, and for no later one', async () => {
    const w = await pinned();
    for (let i = 0; i < 20; i++) await lost(w);
    expect(await proves(w)).toEqual({ value: undefined });
    await lost(w);
    expect(await proves(w)).toEqual({ value: undefined });
    expect(w.store.data.enclaveCompromised).toBeUndefined();
  });

  it('is taken for no answer to another challenge, nor does it accuse', async () => {
    const w = await pinned();
    const before = await lost(w);
    const asked = outcome(w.pairing.verify());
    await settle();
    await w.say(await key.proof(before.nonce, before.context));
    expect(w.store.data.enclaveLastVerifiedAt).toBeUndefined();
    expect(w.store.data.enclaveCompromised).toBeUndefined();
    const { nonce, context } = w.asked('enclave_challenge');
    await w.say(await key.proof(nonce, context));
    expect(await asked).toEqual({ value: undefined });
    // Once more, when both are over and nobody waits.
    await w.say(await key.proof(before.nonce, before.context));
    await w.say(await key.proof(nonce, context));
    expect(w.store.data.enclaveCompromised).toBeUndefined();
  });

  it('does not hide a bad proof that comes after it', async () => {
    for (const bad of [(n: unknown, c: unknown) => other.proof(n, c), (_n: unknown, c: unknown) => key.proof('1'.repeat(64), c)]) {
      const w = await pinned();
      await lost(w);
      const asked = outcome(w.pairing.verify());
      await settle();
      const { nonce, context } = w.asked('enclave_challenge');
      await w.say(await bad(nonce, context));
      expect(await asked).toEqual(error('did not prove the key'));
      expect(await w.blocked()).toBe('compromised');
    }
  });

  it('does not hide an error that comes after it', async () => {
    for (const [reason, blocked] of [['keychain_error', null], ['not_enrolled', 'compromised']] as const) {
      const w = await pinned();
      await lost(w);
      await lost(w);
      const asked = outcome(w.pairing.verify());
      await settle();
      await w.say({ type: 'enclave_error', reason });
      expect('error' in (await asked)).toBe(true);
      expect((await w.pairing.notes()).lastError?.reason).toBe(reason);
      expect(await w.blocked()).toBe(blocked);
    }
  });

  it('is a bad proof where it comes twice while another is awaited', async () => {
    const w = await pinned();
    const before = await lost(w);
    const asked = outcome(w.pairing.verify());
    await settle();
    const proof = await key.proof(before.nonce, before.context);
    await w.say(proof);
    expect(await w.blocked()).toBeNull();
    await w.say(proof);
    expect(await asked).toEqual(error('did not prove the key'));
    expect(await w.blocked()).toBe('compromised');
  });

  it('of before an error is no bad proof of what was asked then', async () => {
    const w = await pinned();
    const before = await lost(w);
    const asked = outcome(w.pairing.verify());
    await settle();
    // The answer to the one before, late; then a proof of each.
    await w.say({ type: 'enclave_error', reason: 'signing_failed' });
    expect(await asked).toEqual(error('signing_failed'));
    const { nonce, context } = w.asked('enclave_challenge');
    await w.say(await key.proof(before.nonce, before.context));
    await w.say(await key.proof(nonce, context));
    expect(w.store.data.enclaveCompromised).toBeUndefined();
    expect(w.store.data.enclaveLastVerifiedAt).toBeUndefined();
    expect(await proves(w)).toEqual({ value: undefined });
  });

  it('still counts for 120,000 where nothing else was asked', async () => {
    const w = await pinned();
    const { nonce, context } = await lost(w);
    await w.clock.advance(50_000);
    await w.say(await key.proof(nonce, context));
    expect(w.store.data.enclaveLastVerifiedAt).toBe(1_060_000);
  });

  it('leaves the acknowledgement of a disposal what it is', async () => {
    const w = await pinned();
    await lost(w);
    await w.pairing.revoke();
    w.store.data.enclavePending = { keyId: other.keyId, pubkeyB64: other.pubkeyB64, at: 1 };
    await w.pairing.approve(other.keyId);
    await w.say({ type: 'enclave_revoked' });
    expect(w.store.data.enclaveCompromised).toBeUndefined();
  });
});

describe('a key that the host gives up', () => {
  it('compromises where nobody asked for it', async () => {
    const w = await pinned();
    await w.say({ type: 'enclave_revoked' });
    expect(await w.blocked()).toBe('compromised');
    expect(w.closed).toEqual(['compromised']);
  });

  it('is no acknowledgement where the note of a revocation is junk', async () => {
    const w = await pinned({ enclaveHostRevokePending: 'yes' });
    expect((await w.pairing.notes()).revokePending).toBe(false);
    expect((await w.reconnect()).posted).toEqual([]);
    await w.say({ type: 'enclave_revoked' });
    expect(await w.blocked()).toBe('compromised');
  });

  it('is no news without a pin, nor in a frame that is malformed', async () => {
    const w = testTrust();
    await w.say({ type: 'enclave_revoked' });
    expect(w.store.data).toEqual({});
    const p = await pinned();
    await p.say({ type: 'enclave_revoked', extra: 1 });
    expect(p.store.data.enclaveCompromised).toBeUndefined();
  });
});

describe('a compromise', () => {
  it('holds in memory where it cannot be stored, and is stored as soon as it can', async () => {
    const w = await pinned();
    w.store.failWrites = true;
    await w.say({ type: 'enclave_revoked' });
    expect(w.store.data.enclaveCompromised).toBeUndefined();
    expect(await w.blocked()).toBe('compromised');
    expect(await w.serves()).toContain('did not prove the key');
    w.store.failWrites = false;
    await w.reconnect();
    expect(w.store.data.enclaveCompromised).toMatchObject({ reason: 'the host gave up the key' });
  });

  it('is left by a pairing with an approval, and by nothing else', async () => {
    const w = await pinned();
    await w.say({ type: 'enclave_revoked' });
    await w.reconnect();
    await w.say(NO_POLICY);
    await w.say(await key.push());
    expect(await outcome(w.pairing.verify())).toEqual(error('not paired'));
    expect(await w.blocked()).toBe('compromised');
    expect(await answered(w, w.pairing.pair(), other)).toEqual({ value: undefined });
    expect(await w.blocked()).toBe('compromised');
    await w.pairing.approve(other.keyId);
    expect(await w.blocked()).toBeNull();
    expect(w.compromise.now()).toBe(false);
    expect(w.store.data.enclavePin).toMatchObject({ keyId: other.keyId });
  });

  it('survives the rejection of the key that came after it', async () => {
    const w = await pinned({ enclaveCompromised: { reason: 'x', at: 1 } });
    await answered(w, w.pairing.pair(), other);
    await w.pairing.reject();
    expect(await w.blocked()).toBe('compromised');
    expect(w.store.data.enclavePairingPaused).toEqual({ by: 'rejected' });
  });
});

describe('what was accepted under a key', () => {
  const accepted = (scope: string) => ({
    bridgePolicyCutover: true,
    bridgePolicyState: { scope, effective: { ...JSON.parse(JSON.stringify(EFFECTIVE)) }, revision: 9, baselineB64: 'e30=', at: 1 },
  });
  const EFFECTIVE = {
    cdpMode: false, fileUploadEnabled: false, handleDialogEnabled: false, pageEvalEnabled: false, confirmHighRiskClick: true,
    confirmPageEval: true, presenceConfirm: true, confirmTabClose: true, warnPreciseSnapshot: true, evalMask: true,
    hostReverifyMs: 0, confirmGraceMs: 60000, clickToastTimeoutMs: 30000, evalToastTimeoutMs: 45000, disabledTools: [],
  };
  const cases: [string, () => Record<string, unknown>, boolean][] = [
    ['the scope of the policy is the same', () => ({ ...accepted(other.keyId), bridgePolicyPriorPin: key.keyId }), true],
    ['the scope of the policy is another', () => ({ ...accepted(key.keyId), bridgePolicyPriorPin: other.keyId }), false],
    ['without a record, the replaced pin is the same', () => ({ enclavePin: { keyId: other.keyId, pubkeyB64: other.pubkeyB64, pinnedAt: 1 }, bridgePolicyCutover: true, bridgePolicyPriorPin: key.keyId }), true],
    ['without a record, the replaced pin is another', () => ({ ...key.pin(), bridgePolicyCutover: true, bridgePolicyPriorPin: other.keyId }), false],
    ['without both, the prior pin is the same', () => ({ bridgePolicyCutover: true, bridgePolicyPriorPin: other.keyId }), true],
    ['without both, the prior pin is another', () => ({ bridgePolicyCutover: true, bridgePolicyPriorPin: key.keyId }), false],
    ['the prior pin is unknown', () => ({ bridgePolicyCutover: true, bridgePolicyPriorPin: 'junk' }), true],
    ['there is nothing to compare with', () => ({ bridgePolicyCutover: true }), true],
    ['a damaged record is all there is', () => ({ bridgePolicyCutover: true, bridgePolicyState: 'junk' }), true],
    ['a damaged record stands beside another prior pin', () => ({ bridgePolicyCutover: true, bridgePolicyState: 'junk', bridgePolicyPriorPin: key.keyId }), false],
  ];
  it.each(cases)('%s', async (_name, data, kept) => {
    const w = testTrust({
      enclaveEverPinned: true, enclaveCompromised: { reason: 'x', at: 1 }, ...data(),
      enclavePending: { keyId: other.keyId, pubkeyB64: other.pubkeyB64, at: 1 },
    });
    const before = structuredClone(w.store.data);
    await w.pairing.approve(other.keyId);
    expect(w.store.data.bridgePolicyCutover !== undefined).toBe(kept);
    expect(w.store.data.bridgePolicyState).toEqual(kept ? before.bridgePolicyState : undefined);
    if (!kept) expect(await w.serving()).toBe('preCutover');
  });

  it('survives unpairing, and binds the same key when it comes back', async () => {
    const w = await pinned(accepted(key.keyId));
    await w.pairing.revoke();
    await w.pairWith(key);
    expect(w.store.data.bridgePolicyState).toMatchObject({ revision: 9 });
    expect(await w.serving()).toBe('unverified');
    await w.say(await key.push({ revision: 8 }));
    expect(await w.serving()).toBe('unverified');
  });

  it('goes with one removal, which comes after the new pin and is the last step', async () => {
    const w = testTrust({
      ...key.pin(), ...accepted(key.keyId), enclaveCompromised: { reason: 'x', at: 1 },
      enclavePending: { keyId: other.keyId, pubkeyB64: other.pubkeyB64, at: 1 },
    });
    await w.pairing.approve(other.keyId);
    expect(w.store.removals).toHaveLength(1);
    expect(w.store.removals[0]).toEqual(expect.arrayContaining(['bridgePolicyState', 'bridgePolicyCutover', 'enclaveCompromised']));
  });

  it('keeps everything closed where that last step fails', async () => {
    const w = testTrust({
      ...key.pin(), ...accepted(key.keyId), enclaveCompromised: { reason: 'x', at: 1 },
      enclavePending: { keyId: other.keyId, pubkeyB64: other.pubkeyB64, at: 1 },
    });
    w.store.remove = async () => {
      throw new Error('storage cannot be written');
    };
    expect(await outcome(w.pairing.approve(other.keyId))).toEqual(error('cannot be written'));
    expect(await w.blocked()).toBe('compromised');
  });
});
