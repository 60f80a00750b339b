/** What an extension serves (extension.md 1): every state, every tool. */
import { EXT_OPS, opRow, type ExtOp } from '@contract/ops';
import { DENY_BASELINE } from '@contract/policy';
import { beforeAll, describe, expect, it } from 'vitest';
import { outcome } from '../util';
import { newKey, NO_POLICY, testTrust, type Key } from '../trust/world';

let key: Key;
beforeAll(async () => {
  key = await newKey();
});

const FIVE: readonly ExtOp[] = ['page_eval', 'page_snapshot_precise', 'console_get', 'page_handle_dialog', 'page_upload'];
const ALL_GRANTS = { cdpMode: true, fileUploadEnabled: true, handleDialogEnabled: true, pageEvalEnabled: true };
const TOUCHED = ['cdpMode', 'fileUploadEnabled', 'handleDialogEnabled', 'pageEvalEnabled'] as const;

async function served(w: ReturnType<typeof testTrust>): Promise<{ open: ExtOp[]; texts: Record<string, string> }> {
  const open: ExtOp[] = [];
  const texts: Record<string, string> = {};
  for (const op of EXT_OPS) {
    const text = await w.serves(op);
    if (text === null) open.push(op);
    else texts[op] = text;
  }
  return { open, texts };
}
const but = (ops: readonly ExtOp[]): ExtOp[] => EXT_OPS.filter((op) => !ops.includes(op));

describe('unpaired', () => {
  it.each([
    ['a fresh browser', {}],
    ['a pairing that waits', { enclavePending: 'x' }],
    ['notes of pairing that are junk', { enclaveLastError: 7, enclaveLastVerifiedAt: 'x', bridgePolicyPriorPin: 3, enclaveHostRevokePending: 'x' }],
  ])('serves all but the five that need a grant: %s', async (_name, data) => {
    const w = testTrust(data);
    expect(await w.serving()).toBe('unpaired');
    const { open, texts } = await served(w);
    expect(open).toEqual(but(FIVE));
    for (const op of FIVE) expect(texts[op]).toContain('genkan pair');
  });

  it('says so to what is confirmed only here', async () => {
    const w = testTrust();
    const snapshot = await w.gates.admit('page_fill', w.connection(), new AbortController().signal);
    expect(snapshot).toMatchObject({ serving: 'unpaired', policy: DENY_BASELINE });
  });

  it('is not changed by a policy, which nothing could verify', async () => {
    const w = testTrust();
    await w.say(await key.push({ touched: [...TOUCHED], fields: ALL_GRANTS }));
    expect((await served(w)).open).toEqual(but(FIVE));
    expect(w.store.data).toEqual({});
  });
});

describe('preCutover', () => {
  it('serves the same, and names what would grant the others', async () => {
    const w = testTrust(key.pin());
    await w.say(NO_POLICY);
    expect(await w.serving()).toBe('preCutover');
    const { open, texts } = await served(w);
    expect(open).toEqual(but(FIVE));
    for (const op of FIVE) expect(texts[op]).toContain('genkan policy set');
  });
});

describe('active', () => {
  it('serves what the effective policy grants', async () => {
    const w = testTrust(key.pin());
    await w.say(await key.push({ touched: [...TOUCHED], fields: ALL_GRANTS }));
    expect(await w.serving()).toBe('active');
    expect((await served(w)).open).toEqual([...EXT_OPS]);
  });

  it.each([...TOUCHED])('does not serve what needs %s without it', async (grant) => {
    const w = testTrust(key.pin());
    await w.say(await key.push({ touched: [...TOUCHED], fields: ALL_GRANTS, overlay: { [grant]: false } }));
    const needing = EXT_OPS.filter((op) => (opRow(op).grants as readonly string[]).includes(grant));
    expect(needing.length).toBeGreaterThan(0);
    expect((await served(w)).open).toEqual(but(needing));
  });

  it.each([...EXT_OPS])('does not serve %s where it is disabled', async (op) => {
    const w = testTrust(key.pin());
    await w.say(await key.push({ touched: [...TOUCHED], fields: ALL_GRANTS, overlay: { disabledTools: [op] } }));
    expect(await w.serves(op)).toContain('disabled');
  });
});

describe('unverified', () => {
  it('serves nothing once the wait is over, and the policy as soon as it is verified', async () => {
    const w = testTrust(key.pin());
    await w.say(await key.push());
    await w.reconnect();
    expect(await w.serving()).toBe('unverified');
    expect((await served(w)).open).toEqual([]);
    await w.say(await key.push());
    expect((await served(w)).open).toEqual(but(FIVE));
  });
});

describe('blocked', () => {
  const states: [string, () => Record<string, unknown>, string][] = [
    ['unpaired by the user', () => ({ enclaveEverPinned: true, enclavePairingPaused: { by: 'revoked' } }), 'revoked'],
    ['the pin erased', () => ({ enclaveEverPinned: true }), 'pin_lost'],
    ['the pin malformed', () => ({ enclaveEverPinned: true, enclavePin: 'x' }), 'pin_lost'],
    ['the memory of the pin malformed', () => ({ enclaveEverPinned: 0 }), 'pin_lost'],
    ['compromised', () => ({ ...key.pin(), enclaveCompromised: { reason: 'x', at: 1 } }), 'compromised'],
    ['a mark of compromise that is junk', () => ({ ...key.pin(), enclaveCompromised: false }), 'compromised'],
    ['compromised and never pinned', () => ({ enclaveCompromised: 'x' }), 'compromised'],
    ['the fingerprint rejected', () => ({ enclavePairingPaused: { by: 'rejected' } }), 'rejected'],
    ['a pause that is junk', () => ({ enclavePairingPaused: 1 }), 'rejected'],
    ['the policy damaged', () => ({ ...key.pin(), bridgePolicyState: {} }), 'policy_corrupt'],
    ['the cutover damaged', () => ({ ...key.pin(), bridgePolicyCutover: false }), 'policy_corrupt'],
  ];
  it.each(states)('serves nothing: %s', async (_name, data, reason) => {
    const w = testTrust(data());
    expect(await w.blocked()).toBe(reason);
    const { open, texts } = await served(w);
    expect(open).toEqual([]);
    for (const op of EXT_OPS) expect(texts[op]).toContain('pair again');
  });

  it('serves nothing where storage cannot be read, a pin or not', async () => {
    for (const data of [{}, key.pin()]) {
      const w = testTrust(data);
      w.store.failReads = true;
      expect((await served(w)).open).toEqual([]);
      expect(await w.blocked()).toBe('unreadable');
    }
  });

  it.each(states)('is left by no frame, no port and no message but an approval: %s', async (_name, data, reason) => {
    const w = testTrust(data());
    await w.reconnect();
    await w.say(NO_POLICY);
    await w.say(await key.push({ touched: [...TOUCHED], fields: ALL_GRANTS }));
    await w.say({ type: 'kill_status_result', ok: true, killed: false });
    await w.say({ type: 'lang_current', value: 'en', seq: 3 });
    await w.say({ type: 'enclave_revoked' });
    for (const act of [w.pairing.verify, w.pairing.reject, w.pairing.pair]) {
      const over = outcome(act());
      await w.say({ type: 'enclave_error', reason: 'keychain_error' });
      await w.clock.advance(10_000);
      await over;
    }
    expect(await w.blocked()).not.toBeNull();
    if (reason === 'compromised') expect(await w.blocked()).toBe('compromised');
    expect((await served(w)).open).toEqual([]);
  });

  it('never leads back to unpaired: nothing removes the memory of the pin', async () => {
    const w = testTrust();
    await w.pairWith(key);
    await w.pairing.revoke();
    await w.pairWith(key);
    await w.say({ type: 'enclave_revoked' });
    await w.say({ type: 'enclave_revoked' });
    await w.pairing.revoke();
    delete w.store.data.enclavePairingPaused;
    delete w.store.data.enclaveCompromised;
    expect(w.store.removals.flat()).not.toContain('enclaveEverPinned');
    expect(w.store.data.enclaveEverPinned).toBe(true);
    expect(await w.serving()).toBe('blocked');
  });
});

describe('above all states', () => {
  it('stands the kill mirror', async () => {
    for (const data of [{}, key.pin()])
      for (const state of ['killed', 'unknown', 'junk']) {
        const w = testTrust({ ...data, bridgeKillMirror: state === 'junk' ? state : { state, at: 1 } });
        expect((await served(w)).open, state).toEqual([]);
      }
  });
});
