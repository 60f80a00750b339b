/**
 * Policy sync (extension.md 14): what a `policy_current` has to be before it changes anything.
 *
 * Everything runs inside the queue of all transitions, so that no pairing comes between the check of a
 * signature and the record written on its account. A refused push leaves the policy as it was.
 */
import { PolicyCurrent } from '@contract/frames';
import { DENY_BASELINE, type PolicyField, type PolicyFields } from '@contract/policy';
import type { Serial } from '../async';
import type { Clock } from '../clock';
import type { Compromise } from '../gate/compromise';
import { KEY, type TrustStore } from '../gate/keys';
import { changedFields, fold, looserFields, pick, setCommand } from '../gate/policy';
import { decodeBase64, readAccepted, readPin, readPolicyState, type Pin, type PolicyState, type Posture } from '../gate/serving';
import type { Connection, Frame } from '../link/port';
import type { PolicyView } from '../messages';
import type { Audit } from './audit';
import { parseDocument } from './document';
import { isSigned, policyMessage } from './verify';

export interface PolicySync {
  onFrame(frame: Frame, connection: Connection): Promise<void>;
  /** Whether a push was verified on this connection, under this pin. */
  verified(connection: Connection, posture: Posture): boolean;
  /** The push of this connection that was refused for what it does not name. */
  refused(): PolicyView['refused'];
  /** The same as a sentence for a closed gate. */
  healing(): string | null;
  /** The pin is another, or gone. */
  onPinChanged(): void;
  onDetach(): void;
}

export interface PolicyOptions {
  store: TrustStore;
  clock: Clock;
  transitions: Serial;
  compromise: Compromise;
  audit: Audit;
  /** After cutover the host said that it has no policy: is its key still there? */
  suspect(connection: Connection): void;
  /** The connection is verified from now on, or under another pin than before. */
  onVerified?(connection: Connection): void;
  /** A policy came into force. */
  onApplied?(policy: Readonly<PolicyFields>): void;
}

const KEYS = [KEY.pin, KEY.policyState, KEY.policyCutover] as const;

/** The push changes nothing; `fields` where a set that names them heals it. */
class Refused extends Error {
  constructor(
    message: string,
    readonly fields: readonly PolicyField[] = [],
    readonly effective: PolicyFields | null = null,
  ) {
    super(message);
  }
}

interface Known {
  raw: Record<string, unknown>;
  pin: Pin | null;
}

export function createPolicySync(options: PolicyOptions): PolicySync {
  const { store, clock, transitions, compromise, audit } = options;
  let mark: { connection: Connection; scope: string } | null = null;
  let refused: PolicyView['refused'] = null;
  /** The refusal that was noted last on this connection. */
  let noted: string | null = null;

  async function read(): Promise<Known> {
    const raw = await store.read(KEYS);
    return { raw, pin: raw[KEY.pin] === undefined ? null : await readPin(raw[KEY.pin]) };
  }

  /** What was accepted before; a record that does not hold blocks until another key is paired. */
  function stored({ raw, pin }: Known): PolicyState | null {
    const state = readAccepted(raw);
    if (state === 'damaged' || (state !== null && state.scope !== pin?.keyId)) throw new Refused('the stored policy is damaged');
    return state;
  }

  /** Steps 2 and 4 to 6. */
  async function verify(frame: Extract<PolicyCurrent, { ok: true }>, pin: Pin) {
    const bytes = decodeBase64(frame.baseline);
    if (bytes === null) throw new Refused('the document is not in canonical base64');
    if (frame.sig === undefined) throw new Refused('the signature is missing');
    if (!(await isSigned(pin.pubkeyB64, policyMessage(bytes), frame.sig))) {
      const known = compromise.now();
      // In memory before anything else is awaited.
      const latched = compromise.latch('the policy is not signed with the pinned key');
      if (!known) audit.record({ kind: 'policy_compromised', detail: pin.keyId });
      await latched;
      return null;
    }
    const document = parseDocument(bytes);
    if (document === null) throw new Refused('the document is not a policy');
    const { v: _v, revision, touched, ...baseline } = document;
    const effective = fold(baseline, frame.overlay ?? {});
    const relaxed = looserFields(baseline, effective);
    if (relaxed.length > 0) throw new Refused(`the overlay loosens ${relaxed.join(', ')}`);
    return { revision, touched, effective };
  }

  /** Steps 7 and 8. */
  function ratchet(
    next: { revision: number; touched: readonly PolicyField[]; effective: PolicyFields },
    baselineB64: string,
    before: PolicyState | null,
  ): void {
    if (before !== null && next.revision < before.revision)
      throw new Refused(`revision ${next.revision} is older than ${before.revision}`);
    if (before !== null && next.revision === before.revision && baselineB64 !== before.baselineB64)
      throw new Refused(`revision ${next.revision} has other bytes than before`);
    const looser = looserFields(before?.effective ?? DENY_BASELINE, next.effective);
    const unnamed = looser.filter((field) => !next.touched.includes(field));
    const old = before !== null && next.revision === before.revision;
    if (looser.length === 0 || (unnamed.length === 0 && !old)) return;
    // All of them: a set that names only some would leave the others unnamed in its own revision.
    throw new Refused(
      `revision ${next.revision} loosens ${(old ? looser : unnamed).join(', ')} without naming it as a change`,
      looser,
      next.effective,
    );
  }

  const same = (a: PolicyState, b: PolicyState): boolean =>
    a.scope === b.scope &&
    a.revision === b.revision &&
    a.baselineB64 === b.baselineB64 &&
    changedFields(a.effective, b.effective).length === 0;

  /** Step 9: arms the cutover and writes the record, or leaves storage as it was. */
  async function commit(next: PolicyState, before: PolicyState | null, connection: Connection): Promise<void> {
    const holds = async (): Promise<boolean> => connection.live() && (await read()).pin?.keyId === next.scope;
    if (!(await holds())) throw new Refused('the connection or the pin changed meanwhile');
    if (before !== null && same(before, next)) return;
    await store.write({ [KEY.policyCutover]: true, [KEY.policyState]: next });
    if (await holds()) return;
    const now = readPolicyState((await store.read([KEY.policyState]))[KEY.policyState]);
    if (now !== null && same(now, next) && now.at === next.at) await undo(before);
    throw new Refused('the connection or the pin changed meanwhile');
  }

  async function undo(before: PolicyState | null): Promise<void> {
    if (before === null) await store.remove([KEY.policyState, KEY.policyCutover]);
    else await store.write({ [KEY.policyCutover]: true, [KEY.policyState]: before });
  }

  async function accept(frame: Frame, connection: Connection): Promise<void> {
    const known = await read();
    const { pin, raw } = known;
    // Nothing could verify it.
    if (pin === null) return;
    const parsed = PolicyCurrent.safeParse(frame);
    if (!parsed.success) throw new Refused('the frame is malformed');
    if (!parsed.data.ok) {
      if (raw[KEY.policyCutover] !== undefined || raw[KEY.policyState] !== undefined) options.suspect(connection);
      return;
    }
    const verified = await verify(parsed.data, pin);
    if (verified === null) return;
    const before = stored(known);
    const { baseline: baselineB64 } = parsed.data;
    ratchet(verified, baselineB64, before);
    const { effective, revision } = verified;
    await commit({ scope: pin.keyId, effective, revision, baselineB64, at: clock.now() }, before, connection);
    if (connection.live() && (mark?.connection !== connection || mark.scope !== pin.keyId)) {
      mark = { connection, scope: pin.keyId };
      options.onVerified?.(connection);
    }
    refused = null;
    noted = null;
    options.onApplied?.(effective);
  }

  function refuse(error: Refused): void {
    // A host that says the same over and over is noted once.
    if (error.message !== noted) audit.record({ kind: 'policy_refused', detail: error.message });
    noted = error.message;
    const { effective, fields } = error;
    refused =
      effective === null ? null : { fields: [...fields], heal: pick(effective, fields), error: error.message };
  }

  return {
    onFrame: (frame, connection) =>
      transitions.run(async () => {
        if (!connection.live()) return;
        try {
          await accept(frame, connection);
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          refuse(error);
        }
      }),

    verified: (connection, posture) =>
      mark !== null && mark.connection === connection && connection.live() && posture.pin?.keyId === mark.scope,

    refused: () => (refused === null ? null : structuredClone(refused)),

    healing() {
      if (refused === null) return null;
      const { fields, heal } = refused;
      return `The newest policy of this machine was not taken, since it loosens ${fields.join(', ')} without naming that as a change. The user can heal it with \`${setCommand(fold(DENY_BASELINE, heal), fields)}\`.`;
    },

    onPinChanged() {
      mark = null;
      refused = null;
    },

    onDetach() {
      mark = null;
      refused = null;
      noted = null;
    },
  };
}
