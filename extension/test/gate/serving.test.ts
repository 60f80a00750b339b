import { VECTOR_KEY } from '@contract/identity';
import { EXT_OPS, opRow, type ExtOp } from '@contract/ops';
import { DENY_BASELINE } from '@contract/policy';
import { beforeAll, describe, expect, it } from 'vitest';
import { toolClosed } from '../../src/gate/gates';
import { derivePosture, keyIdOf, readPosture } from '../../src/gate/serving';
import { testStore } from '../util';

const base64 = (bytes: ArrayBuffer): string => btoa(String.fromCharCode(...new Uint8Array(bytes)));

async function newKey(): Promise<{ keyId: string; pubkeyB64: string }> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const raw = await crypto.subtle.exportKey('raw', pair.publicKey);
  const digest = await crypto.subtle.digest('SHA-256', raw);
  return { keyId: Buffer.from(digest).toString('hex'), pubkeyB64: base64(raw) };
}

let key: { keyId: string; pubkeyB64: string };
let other: { keyId: string; pubkeyB64: string };
let pin: Record<string, unknown>;
beforeAll(async () => {
  key = await newKey();
  other = await newKey();
  pin = { ...key, pinnedAt: 1 };
});

const policyState = (change: Record<string, unknown> = {}): Record<string, unknown> => ({
  scope: key.keyId,
  effective: { ...DENY_BASELINE, disabledTools: [] },
  revision: 1,
  baselineB64: 'e30=',
  at: 1,
  ...change,
});

describe('keys', () => {
  it('are known by the digest of a point on the curve', async () => {
    expect(await keyIdOf(key.pubkeyB64)).toBe(key.keyId);
  });

  it('are none off the curve, of another length, or in another spelling', async () => {
    const bytes = Buffer.from(key.pubkeyB64, 'base64');
    bytes[64] = (bytes[64] ?? 0) ^ 1;
    expect(await keyIdOf(bytes.toString('base64'))).toBeNull();
    expect(await keyIdOf(Buffer.from(key.pubkeyB64, 'base64').subarray(0, 64).toString('base64'))).toBeNull();
    expect(await keyIdOf(key.pubkeyB64.replace(/=+$/, ''))).toBeNull();
    expect(await keyIdOf('not base64')).toBeNull();
  });

  it('never are the fixture key', async () => {
    const point = Buffer.from(VECTOR_KEY, 'base64').subarray(-65);
    expect(await keyIdOf(point.toString('base64'))).toBeNull();
  });
});

describe('the state', () => {
  const state = async (stored: Record<string, unknown>) => {
    const { state, blocked } = await derivePosture(stored);
    return blocked ?? state;
  };

  it('is unpaired where nothing was ever pinned, a waiting pairing included', async () => {
    expect(await state({})).toBe('unpaired');
    expect(await state({ enclavePending: { ...key, at: 1 } })).toBe('unpaired');
    expect(await state({ enclavePending: 'junk', enclaveLastError: 7 })).toBe('unpaired');
    expect(await state({ allowlist: ['https://a/*'], bridgeKillMirror: 'junk' })).toBe('unpaired');
  });

  it('takes a malformed pin for an absent one, as the table says', async () => {
    expect(await state({ enclavePin: { ...pin, extra: 1 } })).toBe('unpaired');
  });

  it('is preCutover with a pin and no baseline', async () => {
    expect(await state({ enclaveEverPinned: true, enclavePin: pin })).toBe('preCutover');
    expect(await state({ enclavePin: pin })).toBe('preCutover');
  });

  it('is active once a baseline was accepted', async () => {
    const paired = { enclaveEverPinned: true, enclavePin: pin };
    expect(await state({ ...paired, bridgePolicyCutover: true, bridgePolicyState: policyState() })).toBe('active');
  });

  it('is blocked by half of what is accepted: the cutover without its record, the record without its cutover', async () => {
    const paired = { enclaveEverPinned: true, enclavePin: pin };
    expect(await state({ ...paired, bridgePolicyCutover: true })).toBe('policy_corrupt');
    expect(await state({ ...paired, bridgePolicyState: policyState() })).toBe('policy_corrupt');
  });

  it.each([true, false, 0, '', 'yes', null])('is blocked without a pin where enclaveEverPinned is %s', async (ever) => {
    expect(await state({ enclaveEverPinned: ever })).toBe('pin_lost');
  });

  it('is blocked where the pin does not hold', async () => {
    for (const bad of [
      { ...pin, keyId: other.keyId },
      { ...pin, pubkeyB64: other.pubkeyB64 },
      { ...pin, pinnedAt: 'x' },
      { keyId: key.keyId, pubkeyB64: key.pubkeyB64 },
      'junk',
      null,
      [],
    ])
      expect(await state({ enclaveEverPinned: true, enclavePin: bad })).toBe('pin_lost');
  });

  it.each([{ reason: 'x', at: 1 }, 'junk', false, null])('is blocked by any mark of compromise: %j', async (mark) => {
    expect(await state({ enclaveCompromised: mark })).toBe('compromised');
    expect(await state({ enclaveEverPinned: true, enclavePin: pin, enclaveCompromised: mark })).toBe('compromised');
  });

  it.each([
    [{ by: 'rejected' }, 'rejected'],
    [{ by: 'revoked' }, 'revoked'],
    [{ by: 'nobody' }, 'rejected'],
    ['junk', 'rejected'],
    [null, 'rejected'],
  ])('is blocked while pairing is paused by %j', async (mark, why) => {
    expect(await state({ enclavePairingPaused: mark })).toBe(why);
    expect(await state({ enclaveEverPinned: true, enclavePin: pin, enclavePairingPaused: mark })).toBe(why);
  });

  it.each([false, 1, 'true', null, {}])('is blocked where the cutover is %j', async (cutover) => {
    expect(await state({ enclaveEverPinned: true, enclavePin: pin, bridgePolicyCutover: cutover })).toBe('policy_corrupt');
  });

  it('is blocked by each malformed policy record', async () => {
    const paired = { enclaveEverPinned: true, enclavePin: pin, bridgePolicyCutover: true };
    for (const bad of [
      policyState({ scope: 'short' }),
      policyState({ scope: other.keyId }),
      policyState({ effective: { ...DENY_BASELINE, cdpMode: 'yes' } }),
      policyState({ effective: { cdpMode: true } }),
      policyState({ revision: 0 }),
      policyState({ revision: 1.5 }),
      policyState({ baselineB64: '!' }),
      policyState({ at: -1 }),
      policyState({ extra: 1 }),
      'junk',
      null,
    ])
      expect(await state({ ...paired, bridgePolicyState: bad })).toBe('policy_corrupt');
  });

  it('is blocked by a policy that no pin ever stood for', async () => {
    expect(await state({ bridgePolicyCutover: true })).toBe('policy_corrupt');
    expect(await state({ bridgePolicyState: policyState() })).toBe('policy_corrupt');
  });

  it('is blocked where storage cannot be read', async () => {
    const store = testStore();
    store.failReads = true;
    expect(await readPosture(store, () => false)).toMatchObject({ state: 'blocked', blocked: 'unreadable' });
  });

  it('carries the defaults until a baseline was accepted, then the effective policy', async () => {
    const paired = { enclaveEverPinned: true, enclavePin: pin };
    expect((await derivePosture({})).policy).toEqual(DENY_BASELINE);
    expect((await derivePosture(paired)).policy).toEqual(DENY_BASELINE);
    const effective = { ...DENY_BASELINE, confirmGraceMs: 5, disabledTools: ['page_click'] };
    const { policy } = await derivePosture({ ...paired, bridgePolicyCutover: true, bridgePolicyState: policyState({ effective }) });
    expect(policy).toEqual(effective);
  });

  it('shows a waiting fingerprint, and only a whole one', async () => {
    expect((await derivePosture({ enclavePending: { ...key, at: 7 } })).pending).toEqual({ keyId: key.keyId, at: 7 });
    expect((await derivePosture({ enclavePending: { ...key } })).pending).toBeNull();
  });
});

describe('tools by state', () => {
  const granted: readonly ExtOp[] = ['page_eval', 'page_snapshot_precise', 'console_get', 'page_handle_dialog', 'page_upload'];

  it.each([...EXT_OPS])('%s while unpaired and before cutover', (op) => {
    const closed = granted.includes(op);
    for (const state of ['unpaired', 'preCutover'] as const) {
      const text = toolClosed(op, { state, policy: DENY_BASELINE });
      expect(text === null).toBe(!closed);
      if (text !== null) expect(text).toContain(state === 'unpaired' ? 'genkan pair' : 'genkan policy set');
    }
  });

  it('leaves 20 of the 25 that a bridge request may name', () => {
    const open = EXT_OPS.filter((op) => toolClosed(op, { state: 'unpaired', policy: DENY_BASELINE }) === null);
    // The 21st is list_browsers, which the server answers.
    expect(open).toHaveLength(20);
  });

  it('needs every grant of the row', () => {
    for (const op of granted) {
      const grants = Object.fromEntries(opRow(op).grants.map((g) => [g, true]));
      expect(toolClosed(op, { state: 'active', policy: { ...DENY_BASELINE, ...grants } })).toBeNull();
      for (const one of Object.keys(grants))
        expect(toolClosed(op, { state: 'active', policy: { ...DENY_BASELINE, ...grants, [one]: false } })).toContain(one);
    }
  });

  it('refuses what is in disabledTools, whatever is granted', () => {
    const policy = { ...DENY_BASELINE, disabledTools: ['tab_list'] };
    expect(toolClosed('tab_list', { state: 'active', policy })).toContain('disabled');
    expect(toolClosed('tab_focus', { state: 'active', policy })).toBeNull();
  });
});
