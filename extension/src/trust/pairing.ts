/**
 * Pairing with the host key (extension.md 13; control.md 13).
 *
 * A proof is checked against its own key only on the way to the screen where the person compares the
 * fingerprint. Once there is a pin it is checked against that alone, and one that does not hold
 * compromises. What is derived from storage is read anew inside the queue of all transitions.
 */
import { EnclaveError, EnclaveProof, EnclaveRevoked } from '@contract/frames';
import { LIMITS } from '@contract/host';
import { EXTENSION_ID } from '@contract/identity';
import type { Serial } from '../async';
import type { Clock } from '../clock';
import type { Compromise } from '../gate/compromise';
import { hasExactly, isTime, KEY, type TrustStore } from '../gate/keys';
import { isKeyId, keyIdOf, POSTURE_KEYS, readPin, readPolicyState, type Pin } from '../gate/serving';
import { createExchange } from '../link/exchange';
import type { Connection, Frame } from '../link/port';
import type { BlockedReason, EnrollmentView } from '../messages';
import { plain } from '../text';
import type { Audit } from './audit';
import type { Lanes } from './lanes';
import { challengeMessage, isSigned } from './verify';

export const CONTEXT = `ext:${EXTENSION_ID}:pair`;
const REASON_MAX = 64;
/** Questions of one connection that are remembered: longer than a challenge lives, at one in each deadline. */
const ASKED_MAX = 16;
/** With a pin, these say that its key is gone. */
const LATCHING = ['unsupported_platform', 'not_enrolled', 'key_invalid'];

const PAIRED = 'This browser is paired already. Unpair it first.';
const NOT_PAIRED = 'This browser is not paired.';
const MISMATCH = 'The host did not prove the key that this browser has pinned.';
const BAD_PROOF = 'The proof of the host does not hold.';

export interface Pairing {
  /** Asks for a proof that leads to the pairing screen. */
  pair(): Promise<void>;
  verify(): Promise<void>;
  approve(keyId: string): Promise<void>;
  reject(): Promise<void>;
  revoke(): Promise<void>;
  notes(): Promise<Pick<EnrollmentView, 'lastError' | 'revokePending'>>;
  /** One verify exchange, shared by whoever asks meanwhile; only a good proof is true. */
  proves(connection: Connection): Promise<boolean>;
  /** The host has spoken: where nothing is pinned and nothing paused, it is asked for its key. */
  onLane(connection: Connection): Promise<void>;
  onAttach(connection: Connection): void;
  onDetach(): void;
  onFrame(frame: Frame, connection: Connection): Promise<void>;
}

export interface PairingOptions {
  store: TrustStore;
  clock: Clock;
  transitions: Serial;
  lanes: Lanes;
  /** The current port, if any. */
  connection(): Connection | null;
  compromise: Compromise;
  audit: Audit;
  /** Gate 4 closed: whoever has not begun its act is refused. */
  onClosed(reason: BlockedReason): void;
  /** The pin is another, or gone: what was verified under it is not. */
  onPinChanged(): void;
  log(message: string): void;
}

interface Asked {
  kind: 'challenge' | 'revoke';
  /** `late`: nobody waits for it any more; its answer may be lost, or still come. */
  state: 'open' | 'late' | 'answered';
  /** Its proof came; the same again is a replay. */
  proven: boolean;
  nonce: string;
  at: number;
  /** Not to lead to a pairing while paused or compromised: nobody asked for that. */
  unasked: boolean;
}

type Verdict = { ok: true } | { ok: false; error: string };

interface Stored {
  pin: Pin | null;
  compromised: boolean;
  raw: Record<string, unknown>;
}

interface PendingKey {
  keyId: string;
  pubkeyB64: string;
  at: number;
}

const failed = (error: string): Verdict => ({ ok: false, error });

function freshNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return [...bytes].map((b) => b.toString(16).padStart(2, '0')).join('');
}

async function readPendingKey(value: unknown): Promise<PendingKey | null> {
  if (!hasExactly(value, ['keyId', 'pubkeyB64', 'at']) || !isTime(value.at)) return null;
  const { keyId, pubkeyB64, at } = value;
  if (!isKeyId(keyId) || typeof pubkeyB64 !== 'string' || (await keyIdOf(pubkeyB64)) !== keyId) return null;
  return { keyId, pubkeyB64, at };
}

function readNote(value: unknown): { reason: string; at: number } | null {
  if (!hasExactly(value, ['reason', 'at'])) return null;
  const { reason, at } = value;
  return typeof reason === 'string' && isTime(at) ? { reason, at } : null;
}

export function createPairing(options: PairingOptions): Pairing {
  const { store, clock, transitions, lanes, compromise, audit, log } = options;
  const exchange = createExchange(clock);
  /**
   * Posted on this connection, in the order in which the host answers. A proof says by itself which
   * challenge it is for, so an answer that is lost or late is not taken for that of another.
   */
  let asked: Asked[] = [];
  const verdicts = new WeakMap<Frame, Verdict>();
  let proving: { connection: Connection; verdict: Promise<Verdict> } | null = null;

  async function read(): Promise<Stored> {
    const raw = await store.read([...POSTURE_KEYS, KEY.priorPin, KEY.revokePending, KEY.lastError]);
    const pin = raw[KEY.pin] === undefined ? null : await readPin(raw[KEY.pin]);
    return { raw, pin, compromised: compromise.now() || raw[KEY.compromised] !== undefined };
  }

  /** A note for the page; that it could not be written changes nothing. */
  async function note(reason: string): Promise<void> {
    await store
      .write({ [KEY.lastError]: { reason: plain(reason, REASON_MAX).slice(0, REASON_MAX), at: clock.now() } })
      .catch(() => log('a note of pairing could not be written'));
  }

  // ------------------------------------------------------------------------------------------- //
  // Asking

  function remember(mine: Asked): void {
    asked = [...asked, mine].slice(-ASKED_MAX);
  }

  async function challenge(connection: Connection | null, unasked: boolean): Promise<Verdict> {
    if (connection === null || !lanes.control(connection)) return failed('not-connected');
    const mine: Asked = { kind: 'challenge', state: 'open', proven: false, nonce: freshNonce(), at: clock.now(), unasked };
    remember(mine);
    const result = await exchange.ask(connection, {
      frame: { type: 'enclave_challenge', nonce: mine.nonce, context: CONTEXT },
      replies: ['enclave_proof', 'enclave_error'],
      read: (frame) => verdicts.get(frame) ?? failed('failed'),
    });
    if (result.ok) return result.value;
    if (!result.posted) asked = asked.filter((a) => a !== mine);
    else if (mine.state === 'open') mine.state = 'late';
    return failed(result.refusal);
  }

  function postRevoke(connection: Connection | null): void {
    if (connection === null) return;
    const mine: Asked = { kind: 'revoke', state: 'open', proven: false, nonce: '', at: clock.now(), unasked: false };
    if (connection.post({ type: 'enclave_revoke' })) remember(mine);
  }

  // ------------------------------------------------------------------------------------------- //
  // Judging, inside the queue

  async function accuse(reason: string): Promise<Verdict> {
    await compromise.latch(reason);
    return failed(MISMATCH);
  }

  async function judgeProof(frame: Frame, mine: Asked): Promise<Verdict> {
    const { pin, compromised, raw } = await read();
    const parsed = EnclaveProof.safeParse(frame);
    const message = challengeMessage(mine.nonce, CONTEXT);
    if (pin !== null && !compromised) {
      const holds =
        parsed.success &&
        parsed.data.key_id === pin.keyId &&
        parsed.data.pubkey === pin.pubkeyB64 &&
        (await isSigned(pin.pubkeyB64, message, parsed.data.sig));
      if (!holds) return accuse('the proof does not match the pin');
      await store.write({ [KEY.lastVerifiedAt]: clock.now() });
      if (raw[KEY.lastError] !== undefined) await store.remove([KEY.lastError]);
      return { ok: true };
    }
    if (mine.unasked && (compromised || raw[KEY.paused] !== undefined)) return failed('failed');
    const good =
      parsed.success &&
      (await keyIdOf(parsed.data.pubkey)) === parsed.data.key_id &&
      (await isSigned(parsed.data.pubkey, message, parsed.data.sig));
    if (!good) {
      await note(BAD_PROOF);
      return failed(BAD_PROOF);
    }
    const { key_id: keyId, pubkey: pubkeyB64 } = parsed.data;
    const waiting = await readPendingKey(raw[KEY.pendingPin]);
    // Unchanged is not rewritten: the page would flicker under the eyes of who compares.
    if (waiting?.keyId !== keyId) await store.write({ [KEY.pendingPin]: { keyId, pubkeyB64, at: clock.now() } });
    if (raw[KEY.lastError] !== undefined) await store.remove([KEY.lastError]);
    return { ok: true };
  }

  async function judgeError(frame: Frame, mine: Asked): Promise<Verdict> {
    const parsed = EnclaveError.safeParse(frame);
    const reason = parsed.success ? parsed.data.reason : typeof frame.reason === 'string' ? frame.reason : 'failed';
    const shown = plain(reason, REASON_MAX).slice(0, REASON_MAX);
    const { pin, compromised } = await read();
    if (mine.kind === 'challenge' && parsed.success && pin !== null && !compromised && LATCHING.includes(reason)) {
      await note(shown);
      return accuse(reason);
    }
    await note(shown);
    return failed(shown);
  }

  /** The challenge that a proof signs, by the key that it names itself; null: none that waits for one. */
  async function signedBy(frame: Frame): Promise<Asked | null> {
    const parsed = EnclaveProof.safeParse(frame);
    if (!parsed.success) return null;
    const { pubkey, sig } = parsed.data;
    for (const a of asked.toReversed()) {
      if (a.kind !== 'challenge' || a.proven || !(await isSigned(pubkey, challengeMessage(a.nonce, CONTEXT), sig))) continue;
      a.proven = true;
      return a;
    }
    return null;
  }

  /** What a frame answers that does not say so: whoever still waits, else the first without an answer. */
  function nextOf(...kinds: Asked['kind'][]): Asked | null {
    const waiting = asked.filter((a) => kinds.includes(a.kind) && a.state !== 'answered');
    return waiting.find((a) => a.state === 'open') ?? waiting[0] ?? null;
  }

  /** The host answers in order: what was asked before has no answer to come. */
  function close(mine: Asked): void {
    for (const a of asked.slice(0, asked.indexOf(mine) + 1)) a.state = 'answered';
  }

  /** Whether a challenge still counts when its answer comes; one that was replaced accuses nobody. */
  const counts = (mine: Asked): boolean =>
    mine.state !== 'answered' &&
    clock.now() - mine.at < LIMITS.ENCLAVE_CHALLENGE_MS &&
    asked.findLast((a) => a.kind === 'challenge') === mine;

  async function onAnswer(frame: Frame): Promise<void> {
    // A proof answers no disposal, even of a host that left that unanswered.
    const head = frame.type === 'enclave_proof' ? ((await signedBy(frame)) ?? nextOf('challenge')) : nextOf('challenge', 'revoke');
    if (head === null) {
      log(`pairing: ${String(frame.type)} that nobody asked for`);
      return;
    }
    const taken = head.kind === 'revoke' || counts(head);
    if (head.state !== 'answered') close(head);
    if (!taken) {
      log(`pairing: ${String(frame.type)} came too late`);
      return;
    }
    if (head.kind === 'revoke') {
      await transitions.run(() => judgeError(frame, head));
      return;
    }
    // The slot is free from here on; whoever asked hears the verdict once it is stored.
    const slot = exchange.claim(frame);
    try {
      const judge = frame.type === 'enclave_proof' ? judgeProof : judgeError;
      verdicts.set(frame, await transitions.run(() => judge(frame, head)));
    } finally {
      slot?.settle(frame);
    }
  }

  async function onRevoked(frame: Frame): Promise<void> {
    if (!EnclaveRevoked.safeParse(frame).success) {
      log('pairing: a malformed enclave_revoked');
      return;
    }
    const head = nextOf('revoke');
    if (head !== null) close(head);
    const mine = head !== null;
    await transitions.run(async () => {
      const { pin, compromised, raw } = await read();
      if (raw[KEY.revokePending] === true) await store.remove([KEY.revokePending]);
      else if (pin !== null && !compromised && !mine) await accuse('the host gave up the key');
    });
  }

  // ------------------------------------------------------------------------------------------- //
  // Decisions of the person, inside the queue

  /** Whether what was accepted under another key has to go. */
  function isAnotherKey({ raw, pin }: Stored, keyId: string): boolean {
    const state = raw[KEY.policyState] === undefined ? null : readPolicyState(raw[KEY.policyState]);
    const prior = raw[KEY.priorPin];
    const before = state?.scope ?? pin?.keyId ?? (isKeyId(prior) ? prior : null);
    return before !== null && before !== keyId;
  }

  async function pin(keyId: string): Promise<void> {
    const stored = await read();
    const waiting = await readPendingKey(stored.raw[KEY.pendingPin]);
    if (waiting === null) throw new Error('No fingerprint waits to be approved.');
    if (waiting.keyId !== keyId) throw new Error('Another fingerprint waits by now. Compare that one.');
    if (stored.pin !== null && !stored.compromised && stored.raw[KEY.paused] === undefined) throw new Error(PAIRED);
    if (stored.raw[KEY.everPinned] !== true) await store.write({ [KEY.everPinned]: true });
    // Storage cannot set and remove in one write. In this order every state in between is closed: by
    // the pause or the compromise, or by a policy that is not of this pin.
    await store.write({ [KEY.pin]: { keyId, pubkeyB64: waiting.pubkeyB64, pinnedAt: clock.now() } });
    await store.remove([
      ...(isAnotherKey(stored, keyId) ? [KEY.policyState, KEY.policyCutover] : []),
      KEY.lastVerifiedAt,
      KEY.lastError,
      KEY.revokePending,
      KEY.pendingPin,
      KEY.paused,
      KEY.compromised,
    ]);
    compromise.lift();
    options.onPinChanged();
    audit.record({ kind: 'enroll_approved', detail: keyId });
  }

  async function turnDown(): Promise<void> {
    const { raw } = await read();
    if (raw[KEY.pendingPin] === undefined) throw new Error('No fingerprint waits to be rejected.');
    await store.write({ [KEY.paused]: { by: 'rejected' } });
    options.onClosed('rejected');
    await store.remove([KEY.pendingPin]);
    const waiting = await readPendingKey(raw[KEY.pendingPin]);
    audit.record({ kind: 'enroll_rejected', ...(waiting === null ? {} : { detail: waiting.keyId }) });
  }

  async function unpair(): Promise<void> {
    const { pin: was } = await read();
    if (was === null) throw new Error(NOT_PAIRED);
    await store.write({ [KEY.paused]: { by: 'revoked' }, [KEY.priorPin]: was.keyId, [KEY.revokePending]: true });
    options.onClosed('revoked');
    // Taking power away waits for no lane.
    postRevoke(options.connection());
    options.onPinChanged();
    audit.record({ kind: 'enroll_revoked', detail: was.keyId });
    await store.remove([KEY.pin, KEY.pendingPin, KEY.lastVerifiedAt, KEY.lastError]);
  }

  function lane(): Connection | null {
    const connection = options.connection();
    return connection !== null && lanes.control(connection) ? connection : null;
  }

  function done(verdict: Verdict): void {
    if (!verdict.ok) throw new Error(verdict.error);
  }

  function prove(connection: Connection): Promise<Verdict> {
    if (proving?.connection === connection) return proving.verdict;
    // Should the pin go meanwhile, its answer leads to no pairing that nobody asked for.
    const mine = { connection, verdict: challenge(connection, true) };
    proving = mine;
    const over = (): void => {
      if (proving === mine) proving = null;
    };
    mine.verdict.then(over, over);
    return mine.verdict;
  }

  return {
    async pair() {
      const { pin: there, compromised } = await read();
      if (there !== null && !compromised) throw new Error(PAIRED);
      done(await challenge(lane(), false));
    },

    async verify() {
      const { pin: there, compromised } = await read();
      if (there === null || compromised) throw new Error(NOT_PAIRED);
      const connection = lane();
      if (connection === null) throw new Error('not-connected');
      done(await prove(connection));
    },

    async approve(keyId) {
      await transitions.run(() => pin(keyId));
      // No push need follow a pairing: what waits on the host is asked for.
      const connection = lane();
      connection?.post({ type: 'policy_get' });
      if (connection !== null && lanes.language(connection)) connection.post({ type: 'lang_get' });
    },

    reject: () => transitions.run(turnDown),
    revoke: () => transitions.run(unpair),

    async notes() {
      const raw = await store.read([KEY.lastError, KEY.revokePending]);
      return {
        lastError: readNote(raw[KEY.lastError]),
        revokePending: raw[KEY.revokePending] === true,
      };
    },

    async proves(connection) {
      try {
        const { pin: there, compromised } = await read();
        return there !== null && !compromised && (await prove(connection)).ok;
      } catch {
        return false;
      }
    },

    async onLane(connection) {
      const { pin: there, compromised, raw } = await read();
      if (there !== null || compromised || raw[KEY.paused] !== undefined) return;
      await challenge(connection, true);
    },

    onAttach(connection) {
      asked = [];
      exchange.onAttach();
      void transitions
        .run(async () => {
          await compromise.persist();
          const { raw } = await read();
          if (raw[KEY.revokePending] === true && connection.live()) postRevoke(connection);
        })
        .catch(() => log('pairing: the state could not be read'));
    },

    onDetach() {
      asked = [];
      exchange.onDetach();
    },

    async onFrame(frame, connection) {
      if (!connection.live()) return;
      if (frame.type === 'enclave_revoked') await onRevoked(frame);
      else if (frame.type === 'enclave_proof' || frame.type === 'enclave_error') await onAnswer(frame);
      else log(`pairing: ${String(frame.type)} dropped`);
    },
  };
}
