import { beforeAll, describe, expect, it } from 'vitest';
import { outcome, settle } from '../util';
import { answeredBy, failing, newKey, NO_POLICY, pinnedBy, testTrust, type Key, type Trust } from './world';

let key: Key;
let other: Key;
beforeAll(async () => {
  key = await newKey();
  other = await newKey();
});
const pinned = (data: Record<string, unknown> = {}) => pinnedBy(key, data);
const answered = (w: Trust, act: Promise<void>, by = key) => answeredBy(by, w, act);

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
    expect(await asked).toEqual(failing('did not prove the key'));
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
    expect(await outcome(testTrust().pairing.verify())).toEqual(failing('not paired'));
    const w = await pinned({ enclaveCompromised: {} });
    expect(await outcome(w.pairing.verify())).toEqual(failing('not paired'));
  });
});

describe('an answer that is lost or late', () => {
  /** A verification that the host leaves without an answer. */
  async function lost(w: Awaited<ReturnType<typeof pinned>>) {
    const silent = outcome(w.pairing.verify());
    await w.clock.advance(10_000);
    expect(await silent).toEqual(failing('timed-out'));
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
      expect(await asked).toEqual(failing('did not prove the key'));
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
    expect(await asked).toEqual(failing('did not prove the key'));
    expect(await w.blocked()).toBe('compromised');
  });

  it('of before an error is no bad proof of what was asked then', async () => {
    const w = await pinned();
    const before = await lost(w);
    const asked = outcome(w.pairing.verify());
    await settle();
    // The answer to the one before, late; then a proof of each.
    await w.say({ type: 'enclave_error', reason: 'signing_failed' });
    expect(await asked).toEqual(failing('signing_failed'));
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
    expect(await outcome(w.pairing.verify())).toEqual(failing('not paired'));
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
