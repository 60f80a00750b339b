import { EnclaveChallenge } from '@contract/frames';
import { beforeAll, describe, expect, it } from 'vitest';
import { outcome, settle } from '../util';
import { answeredBy, FIXTURE, failing, newKey, NO_POLICY, pinnedBy, testTrust, type Key, type Trust } from './world';

let key: Key;
let other: Key;
beforeAll(async () => {
  key = await newKey();
  other = await newKey();
});
const pinned = (data: Record<string, unknown> = {}) => pinnedBy(key, data);
const answered = (w: Trust, act: Promise<void>, by = key) => answeredBy(by, w, act);

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
    expect(await outcome(w.pairing.approve(other.keyId))).toEqual(failing('Another fingerprint'));
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
    expect(await outcome(w.pairing.approve(FIXTURE.keyId))).toEqual(failing('No fingerprint waits'));
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
    expect(await outcome(w.pairing.pair())).toEqual(failing('paired already'));
    const fresh = testTrust();
    expect(await outcome(fresh.pairing.pair())).toEqual(failing('not-connected'));
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
    expect(await asked).toEqual(failing('not_enrolled'));
    const silent = outcome(w.pairing.pair());
    await w.clock.advance(10_000);
    expect(await silent).toEqual(failing('timed-out'));
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
    expect(await outcome(w.pairing.reject())).toEqual(failing('No fingerprint waits'));
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
