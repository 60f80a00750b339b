/**
 * What this extension serves (extension.md 1), derived anew from storage for every request.
 *
 * A state that was true once is no evidence: what is remembered are consequences of records that have
 * not changed since. A record that cannot be read or fails its check is never taken for one that is
 * absent, except where the table of 8.2 says so.
 */
import { FIXTURE_KEY_ID } from '@contract/identity';
import { DENY_BASELINE, PolicyFields } from '@contract/policy';
import { cell } from '../cell';
import type { BlockedReason, ServingState } from '../messages';
import { hasExactly, isObject, isTime, KEY, type Store } from './keys';

export interface Pin {
  keyId: string;
  pubkeyB64: string;
  pinnedAt: number;
}

export interface Posture {
  /** `active` still says nothing about the connection: see `Serving`. */
  state: Exclude<ServingState, 'unverified'>;
  blocked: BlockedReason | null;
  pin: Pin | null;
  /** What the calls of this moment are judged by. */
  policy: Readonly<PolicyFields>;
  lastVerifiedAt: number | null;
  /** A pairing waits for approval; it changes nothing. */
  pending: { keyId: string; at: number } | null;
  /** Of the accepted baseline, null before the first. */
  revision: number | null;
}

/** The last accepted push. */
export interface PolicyState {
  scope: string;
  effective: PolicyFields;
  revision: number;
  baselineB64: string;
  at: number;
}

export const POSTURE_KEYS = [
  KEY.everPinned,
  KEY.pin,
  KEY.pendingPin,
  KEY.compromised,
  KEY.paused,
  KEY.policyState,
  KEY.policyCutover,
  KEY.lastVerifiedAt,
] as const;

export const isKeyId = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    const raw = atob(text);
    if (btoa(raw) !== text) return null;
    return Uint8Array.from(raw, (c) => c.charCodeAt(0));
  } catch {
    return null;
  }
}

const hex = (bytes: ArrayBuffer): string =>
  [...new Uint8Array(bytes)].map((b) => b.toString(16).padStart(2, '0')).join('');

/** The key id, or null for what is no P-256 point or is the fixture key that everybody knows. */
export async function keyIdOf(pubkeyB64: string): Promise<string | null> {
  const point = decodeBase64(pubkeyB64);
  if (point === null || point.length !== 65) return null;
  try {
    // The import refuses a point that is not on the curve.
    await crypto.subtle.importKey('raw', point, { name: 'ECDSA', namedCurve: 'P-256' }, true, ['verify']);
  } catch {
    return null;
  }
  const keyId = hex(await crypto.subtle.digest('SHA-256', point));
  return keyId === FIXTURE_KEY_ID ? null : keyId;
}

/** Malformed means absent. */
export async function readPin(value: unknown): Promise<Pin | null> {
  if (!hasExactly(value, ['keyId', 'pubkeyB64', 'pinnedAt'])) return null;
  const { keyId, pubkeyB64, pinnedAt } = value;
  if (typeof keyId !== 'string' || typeof pubkeyB64 !== 'string' || !isTime(pinnedAt)) return null;
  return (await keyIdOf(pubkeyB64)) === keyId ? { keyId, pubkeyB64, pinnedAt } : null;
}

function readPending(value: unknown): { keyId: string; at: number } | null {
  if (!hasExactly(value, ['keyId', 'pubkeyB64', 'at'])) return null;
  const { keyId, at } = value;
  return isKeyId(keyId) && isTime(at) ? { keyId, at } : null;
}

/** The effective policy of the last accepted push, or null for a record that fails its check. */
export function readPolicyState(value: unknown): PolicyState | null {
  if (!hasExactly(value, ['scope', 'effective', 'revision', 'baselineB64', 'at'])) return null;
  const { scope, revision, baselineB64, at } = value;
  const effective = PolicyFields.safeParse(value.effective);
  if (!isKeyId(scope) || !effective.success) return null;
  if (!isTime(revision) || revision < 1 || !isTime(at)) return null;
  if (typeof baselineB64 !== 'string' || decodeBase64(baselineB64) === null) return null;
  return { scope, effective: effective.data, revision, baselineB64, at };
}

/**
 * What was accepted last; null: nothing was. Record and cutover are written and removed in one go, so
 * that one without the other is damage as well.
 */
export function readAccepted(stored: Record<string, unknown>): PolicyState | null | 'damaged' {
  const cutover = stored[KEY.policyCutover];
  const record = stored[KEY.policyState];
  if (cutover === undefined && record === undefined) return null;
  const state = readPolicyState(record);
  return cutover === true && state !== null ? state : 'damaged';
}

/** `compromised`: found out in this worker's life, and maybe not yet stored. */
export async function derivePosture(stored: Record<string, unknown>, compromised = false): Promise<Posture> {
  const has = (key: string): boolean => stored[key] !== undefined;
  const pin = has(KEY.pin) ? await readPin(stored[KEY.pin]) : null;
  const last = stored[KEY.lastVerifiedAt];
  const base = {
    pin,
    policy: DENY_BASELINE,
    lastVerifiedAt: isTime(last) ? last : null,
    pending: readPending(stored[KEY.pendingPin]),
    revision: null,
  };
  const blocked = (reason: BlockedReason): Posture => ({ ...base, state: 'blocked', blocked: reason });

  if (compromised || has(KEY.compromised)) return blocked('compromised');
  if (has(KEY.paused)) {
    const by = stored[KEY.paused];
    return blocked(isObject(by) && by.by === 'revoked' ? 'revoked' : 'rejected');
  }
  if (pin === null && has(KEY.everPinned)) return blocked('pin_lost');

  const accepted = readAccepted(stored);
  if (accepted === 'damaged') return blocked('policy_corrupt');
  if (pin === null) return accepted !== null ? blocked('policy_corrupt') : { ...base, state: 'unpaired', blocked: null };
  if (accepted === null) return { ...base, state: 'preCutover', blocked: null };
  if (accepted.scope !== pin.keyId) return blocked('policy_corrupt');
  const { effective, revision } = accepted;
  return { ...base, state: 'active', blocked: null, policy: effective, revision };
}

/** What follows from an answer of the store. One that is held is the same object until anything changes. */
const derived = cell(() => new WeakMap<object, Posture>());

/** A read that fails counts as blocked. */
export async function readPosture(store: Store, compromised: () => boolean): Promise<Posture> {
  try {
    const stored = await store.read(POSTURE_KEYS);
    if (compromised()) return await derivePosture(stored, true);
    const known = derived.get().get(stored);
    if (known !== undefined) return known;
    const posture = await derivePosture(stored);
    // Found out while the key was looked at.
    if (compromised()) return await derivePosture(stored, true);
    if (posture.blocked === null && Object.isFrozen(stored)) derived.get().set(stored, posture);
    return posture;
  } catch {
    return {
      state: 'blocked',
      blocked: 'unreadable',
      pin: null,
      policy: DENY_BASELINE,
      lastVerifiedAt: null,
      pending: null,
      revision: null,
    };
  }
}
