/** Hosts that lie to an extension which is paired: none of them is given anything. */
import { EXT_OPS } from '@contract/ops';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { outcome, settle } from '../util';
import { documentOf, newKey, NO_POLICY, testTrust, type Key, type Trust } from './world';

let key: Key;
let other: Key;
beforeAll(async () => {
  key = await newKey();
  other = await newKey();
});

/** Revision 5: page_eval is granted by the baseline and taken back by the overlay. */
const POLICY = { revision: 5, touched: ['pageEvalEnabled'] as const, fields: { pageEvalEnabled: true, disabledTools: ['page_upload'] } };
const OVERLAY = { pageEvalEnabled: false, disabledTools: ['page_upload', 'cookie_get'] };

let w: Trust;
let policyBefore: unknown;
beforeEach(async () => {
  w = testTrust(key.pin());
  await w.say(await key.push({ ...POLICY, overlay: OVERLAY }));
  expect(await w.serves()).toBeNull();
  expect(await w.serves('page_eval')).toContain('does not grant');
  policyBefore = structuredClone(w.store.data.bridgePolicyState);
  await w.reconnect();
});

/** Not one of the tools, and the policy is what it was. */
async function givesNothing(): Promise<void> {
  for (const op of EXT_OPS) expect(await w.serves(op), op).not.toBeNull();
  expect(w.store.data.bridgePolicyState).toEqual(policyBefore);
  expect(w.store.data.enclavePin).toMatchObject({ keyId: key.keyId });
  expect(w.store.data.enclavePending).toBeUndefined();
}

/** Even once the true host is back, what the lie did to it is at most a block. */
const trueHost = async () => w.say(await key.push({ ...POLICY, overlay: OVERLAY }));

describe('a host that', () => {
  it('signs with another key compromises', async () => {
    await w.say(await other.push({ ...POLICY, revision: 6 }));
    await givesNothing();
    expect(await w.blocked()).toBe('compromised');
    await trueHost();
    await givesNothing();
  });

  it('signs with another key and offers it for pairing compromises', async () => {
    await w.say(await other.push({ ...POLICY, revision: 6 }));
    await w.say(await other.proof('0'.repeat(64), 'ext:x:pair'));
    await givesNothing();
  });

  it('replays an old baseline gives nothing', async () => {
    await w.say(await key.push({ revision: 4, touched: ['pageEvalEnabled'], fields: { pageEvalEnabled: true } }));
    await givesNothing();
    await trueHost();
    expect(await w.serves()).toBeNull();
    expect(await w.serves('page_eval')).not.toBeNull();
  });

  it('relaxes through the overlay gives nothing', async () => {
    for (const overlay of [{ ...OVERLAY, confirmGraceMs: 3_600_000 }, { ...OVERLAY, confirmPageEval: false }, { cdpMode: true }, { disabledTools: [] }])
      await w.say(await key.push({ ...POLICY, overlay }));
    await givesNothing();
  });

  it('reuses a revision with other bytes gives nothing', async () => {
    await w.say(await key.push({ ...POLICY, fields: { ...POLICY.fields, confirmTabClose: false }, touched: ['pageEvalEnabled', 'confirmTabClose'] }));
    await w.say(await key.push({ bytes: new TextEncoder().encode(` ${documentOf(POLICY)}`) }));
    await givesNothing();
  });

  it('strips the overlay gives nothing', async () => {
    await w.say(await key.push(POLICY));
    await givesNothing();
    expect(w.policy.refused()?.fields).toEqual(['pageEvalEnabled', 'disabledTools']);
  });

  it('strips the overlay on a connection that is verified gives no more than before', async () => {
    await trueHost();
    await w.say(await key.push(POLICY));
    expect(await w.serves('page_eval')).toContain('genkan policy set');
    expect(await w.serves('cookie_get')).toContain('disabled');
    expect(w.store.data.bridgePolicyState).toEqual(policyBefore);
  });

  it('omits touched gives nothing', async () => {
    await w.say(await key.push({ ...POLICY, revision: 6, touched: [] }));
    await w.say(await key.push({ ...POLICY, revision: 6, touched: ['pageEvalEnabled'] }));
    await givesNothing();
  });

  it('mixes frames gives nothing', async () => {
    const good = await key.push({ ...POLICY, overlay: OVERLAY });
    const { sig: _sig, ...unsigned } = good;
    for (const frame of [
      { ...good, ok: false, error: 'x' },
      { ...good, ok: false },
      { ...good, error: 'x' },
      { ...good, pubkey: key.pubkeyB64 },
      { ...good, key_id: key.keyId },
      { ...good, ok: 'true' },
      { ...good, overlay: null },
      { ...good, overlay: { ...OVERLAY, revision: 9 } },
      unsigned,
      { type: 'policy_current', ok: true, baseline: good.baseline },
    ])
      await w.say(frame);
    await givesNothing();
  });

  it('puts a good signature over other bytes compromises', async () => {
    const good = await key.push({ ...POLICY, revision: 6, overlay: OVERLAY });
    await w.say({ ...good, baseline: (await key.push({ ...POLICY, revision: 7, overlay: OVERLAY })).baseline });
    await givesNothing();
    expect(await w.blocked()).toBe('compromised');
    await w.say(good);
    for (const op of EXT_OPS) expect(await w.serves(op), op).not.toBeNull();
  });

  it('says unasked that the key is gone compromises', async () => {
    await w.say({ type: 'enclave_revoked' });
    await givesNothing();
    expect(await w.blocked()).toBe('compromised');
    await trueHost();
    await givesNothing();
  });

  it('says that there is no policy has to prove its key, and gives nothing either way', async () => {
    await w.say(NO_POLICY);
    const { nonce, context } = w.asked('enclave_challenge');
    await w.say(await other.proof(nonce, context));
    await givesNothing();
    expect(await w.blocked()).toBe('compromised');
  });

  it('proves a key that nobody asked for gives nothing', async () => {
    await w.say(await key.proof('0'.repeat(64), 'ext:fmkoengpgchbmogeaifdcdfpnnpgmcfl:pair'));
    await w.say(await other.proof('0'.repeat(64), 'ext:fmkoengpgchbmogeaifdcdfpnnpgmcfl:pair'));
    await givesNothing();
    expect(w.store.data.enclaveLastVerifiedAt).toBeUndefined();
    expect(await w.blocked()).toBeNull();
  });

  it('says nothing at all gives nothing', async () => {
    await givesNothing();
  });

  it('speaks on the port of another gives nothing', async () => {
    const old = w.connection();
    await w.reconnect();
    await w.say(await key.push({ ...POLICY, overlay: OVERLAY }), old);
    await givesNothing();
  });

  it('answers the proof of re-verification with an old one gives nothing', async () => {
    await w.say(await key.push({ ...POLICY, revision: 6, fields: { ...POLICY.fields, hostReverifyMs: 1_000 }, overlay: OVERLAY }));
    policyBefore = structuredClone(w.store.data.bridgePolicyState);
    const first = outcome(w.pairing.verify());
    await settle();
    const old = w.asked('enclave_challenge');
    const proof = await key.proof(old.nonce, old.context);
    await w.say(proof);
    await first;
    expect(await w.serves()).toBeNull();
    await w.clock.advance(1_001);
    const asked = outcome(w.gates.admit('tab_list', w.connection(), new AbortController().signal));
    await settle();
    await w.say(proof);
    expect(await asked).toMatchObject({ error: { code: 'TOOL_DISABLED' } });
    expect(await w.blocked()).toBe('compromised');
    await givesNothing();
  });
});
