import { beforeAll, describe, expect, it } from 'vitest';
import { outcome, settle } from '../util';
import { failing, newKey, pinnedBy, testTrust, type Key } from './world';

let key: Key;
let other: Key;
beforeAll(async () => {
  key = await newKey();
  other = await newKey();
});
const pinned = (data: Record<string, unknown> = {}) => pinnedBy(key, data);

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
      expect(await outcome(w.pairing.revoke())).toEqual(failing('not paired'));
      expect(w.connection().posted).toEqual([]);
    }
  });

  it('that cannot be written is told, and posts nothing', async () => {
    const w = await pinned();
    w.store.failWrites = true;
    expect(await outcome(w.pairing.revoke())).toEqual(failing('cannot be written'));
    expect(w.connection().posted).toEqual([]);
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
    expect(await outcome(w.pairing.approve(other.keyId))).toEqual(failing('cannot be written'));
    expect(await w.blocked()).toBe('compromised');
  });
});
