/** The trust half of a worker, put together as background.ts does, and hosts with real keys. */
import { expect } from 'vitest';
import { DOMAIN_CHALLENGE, DOMAIN_POLICY } from '@contract/identity';
import type { ExtOp } from '@contract/ops';
import { DENY_BASELINE, POLICY_FIELDS, type Overlay, type PolicyField, type PolicyFields } from '@contract/policy';
import { createSerial } from '../../src/async';
import { createCompromise } from '../../src/gate/compromise';
import { createGates } from '../../src/gate/gates';
import { createKillGate } from '../../src/gate/kill';
import { createExchange } from '../../src/link/exchange';
import { claimant, type Connection } from '../../src/link/port';
import type { RingEntry } from '../../src/messages';
import { createActs } from '../../src/trust/acts';
import { createAdmin } from '../../src/trust/admin';
import { createAudit } from '../../src/trust/audit';
import { createFamilies } from '../../src/trust/families';
import { createLanguageSync } from '../../src/trust/language';
import { createLanes } from '../../src/trust/lanes';
import { createPairing } from '../../src/trust/pairing';
import { createPolicySync } from '../../src/trust/policy';
import { createPresence } from '../../src/trust/presence';
import { createWebAuthn } from '../../src/trust/webauthn';
import { outcome, settle, testClock, testConnection, testStore, type TestConnection } from '../util';

type Bytes = Uint8Array<ArrayBuffer>;
const base64 = (bytes: ArrayBuffer | Uint8Array): string => Buffer.from(bytes as Uint8Array).toString('base64');
const text = (s: string): Bytes => new TextEncoder().encode(s);
const joined = (...parts: Uint8Array[]): Bytes => Uint8Array.from(Buffer.concat(parts));
const NUL = Uint8Array.of(0);

/** A host key, and what a host signs with it. Written apart from the code under test. */
export interface Key {
  keyId: string;
  pubkeyB64: string;
  sign(message: Bytes): Promise<string>;
  proof(nonce: unknown, context?: unknown): Promise<Record<string, unknown>>;
  push(change?: DocumentChange): Promise<Record<string, unknown>>;
  pin(): Record<string, unknown>;
}

export interface DocumentChange {
  revision?: number;
  touched?: readonly PolicyField[];
  fields?: Partial<PolicyFields>;
  overlay?: Overlay;
  /** Instead of all of the above. */
  bytes?: Uint8Array;
}

/** The exact bytes of control.md 4.3. */
export function documentOf({ revision = 1, touched = [], fields = {} }: DocumentChange = {}): string {
  const members: Record<string, unknown> = { v: 1, revision, touched };
  for (const { name } of POLICY_FIELDS) members[name] = fields[name] ?? DENY_BASELINE[name];
  return JSON.stringify(members);
}

export async function newKey(): Promise<Key> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const raw = await crypto.subtle.exportKey('raw', pair.publicKey);
  const keyId = Buffer.from(await crypto.subtle.digest('SHA-256', raw)).toString('hex');
  const pubkeyB64 = base64(raw);
  const sign = async (message: Bytes): Promise<string> =>
    base64(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, pair.privateKey, message));
  return {
    keyId,
    pubkeyB64,
    sign,
    async proof(nonce, context = '') {
      const message = joined(text(DOMAIN_CHALLENGE), NUL, text(String(nonce)), NUL, text(String(context)));
      return { type: 'enclave_proof', sig: await sign(message), key_id: keyId, pubkey: pubkeyB64 };
    },
    async push(change = {}) {
      const bytes = change.bytes ?? text(documentOf(change));
      return {
        type: 'policy_current',
        ok: true,
        baseline: base64(bytes),
        sig: await sign(joined(text(DOMAIN_POLICY), NUL, bytes)),
        ...(change.overlay === undefined ? {} : { overlay: change.overlay }),
      };
    },
    pin: () => ({ enclaveEverPinned: true, enclavePin: { keyId, pubkeyB64, pinnedAt: 1 } }),
  };
}

export const NO_POLICY = { type: 'policy_current', ok: false, error: 'no policy' } as const;

export function testTrust(data: Record<string, unknown> = {}, onKilled: () => void = () => undefined) {
  const clock = testClock();
  const store = testStore(data);
  const transitions = createSerial();
  const lanes = createLanes();
  const log: string[] = [];
  const note = (m: string): void => void log.push(m);
  const closed: string[] = [];
  const counts = { opened: 0, suspected: 0, verified: [] as Connection[], applied: [] as PolicyFields[] };
  let connection = testConnection(clock.now());
  const current = (): TestConnection | null => (connection.live() ? connection : null);
  const lane = (): Connection | null => {
    const c = current();
    return c !== null && lanes.control(c) ? c : null;
  };

  const audit = createAudit({ store, clock, lane, log: note });
  const kill = createKillGate({
    store, clock, transitions, connection: current,
    onClosed: () => {
      closed.push('killed');
      onKilled();
    },
  });
  const killExchange = createExchange(clock);
  const compromise = createCompromise({ store, clock, onClosed: () => closed.push('compromised'), log: note });
  const policy = createPolicySync({
    store, clock, transitions, compromise, audit,
    suspect: (c) => {
      counts.suspected += 1;
      void pairing.proves(c);
    },
    onVerified: (c) => counts.verified.push(c),
    onApplied: (p) => counts.applied.push(structuredClone(p) as PolicyFields),
  });
  const pairing = createPairing({
    store, clock, transitions, lanes, connection: current, compromise, audit,
    onClosed: (reason) => closed.push(reason), onPinChanged: policy.onPinChanged, log: note,
  });
  const gates = createGates({
    store, clock, kill, transitions, confined: () => null, identityOk: () => true,
    compromised: compromise.now, verified: policy.verified, reverify: pairing.proves, healing: policy.healing,
  });
  const admin = createAdmin({ clock, lane, audit });
  const presence = createPresence({ clock, lane, openOptions: async () => void (counts.opened += 1), log: note });
  const posture = () => gates.posture(current());
  const acts = createActs({
    clock, lane, presence, killExchange, pairExchange: admin.pairing, audit,
    serving: async () => (await posture()).serving,
  });
  const webauthn = createWebAuthn({ store, clock, lane, presence, log: note });
  const language = createLanguageSync({
    store, lanes, connection: current,
    paired: async () => {
      const { posture: p } = await posture();
      return p.pin !== null && p.blocked === null;
    },
  });
  const families = createFamilies({
    kill, killExchange, lanes, admin, acts, pairing, policy, language, presence, webauthn, log: note,
  });

  /** One frame of the host, and everything that follows from it. */
  async function say(frame: Record<string, unknown>, on: Connection = connection): Promise<void> {
    await claimant(families, frame)?.onFrame(frame, on);
    await settle();
  }

  /** A new port in place of the old one. */
  async function reconnect(): Promise<TestConnection> {
    const was = connection;
    was.drop();
    families.forEach((f) => f.onDetach(was));
    connection = testConnection(clock.now(), was.generation + 1);
    families.forEach((f) => f.onAttach(connection));
    await settle();
    return connection;
  }

  const posted = (type: string) => connection.posted.filter((f) => f.type === type);

  return {
    clock, store, transitions, lanes, log, closed, counts, audit, kill, compromise, policy, pairing, gates, admin,
    presence, acts, webauthn, language, families, killExchange, say, reconnect, posted, posture,
    connection: () => connection,
    lane,
    /** What the extension asked last for, of a type. */
    asked: (type: string) => posted(type).at(-1) ?? {},
    serving: async () => (await posture()).serving,
    blocked: async () => (await posture()).posture.blocked,
    kinds: () => ((store.data.auditRing ?? []) as RingEntry[]).map((e) => e.kind),
    /** Null: served; else the text of the refusal. */
    async serves(op: ExtOp = 'tab_list'): Promise<string | null> {
      const asked = outcome(
        gates.admit(op, connection, new AbortController().signal).then((s) => gates.start(op, connection, s, async () => 1)),
      );
      await clock.advance(3_000);
      const got = await asked;
      return 'error' in got ? (got.error as Error).message : null;
    },
    /** From a fresh browser to a pin, as a person does it. */
    async pairWith(key: Key): Promise<void> {
      await say(NO_POLICY);
      const waits = pairing.pair().catch(() => undefined);
      await settle();
      const { nonce, context } = posted('enclave_challenge').at(-1) ?? {};
      await say(await key.proof(nonce, context));
      await waits;
      await pairing.approve(key.keyId);
      await settle();
    },
  };
}

export type Trust = ReturnType<typeof testTrust>;

/** The public key of the fixtures, which nobody may be pinned to. */
export const FIXTURE = {
  keyId: '4269889431e3131966fcaf6a457141943ed2c35b5b917ae62cb339546f523551',
  pubkeyB64: 'BFFcPW6545a5BNP+yn9U/c0MwemXvzddylFa0KbDtANfRTa+OlDzGPv5pUdZAqIhUCvvDVfgjFOyzApW8X2fk1Q=',
};

export const failing = (message: string) => ({ error: expect.objectContaining({ message: expect.stringContaining(message) }) });

/** Paired by hand of the store: pinned, with a host that has spoken. */
export async function pinnedBy(key: Key, data: Record<string, unknown> = {}): Promise<Trust> {
  const w = testTrust({ ...key.pin(), ...data });
  w.lanes.openControl(w.connection());
  return w;
}

/** What becomes of an act that asks for a proof, and is given one by this key. */
export async function answeredBy(by: Key, w: Trust, act: Promise<void>) {
  const done = outcome(act);
  await settle();
  const { nonce, context } = w.asked('enclave_challenge');
  await w.say(await by.proof(nonce, context));
  return done;
}
