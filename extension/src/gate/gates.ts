/**
 * The gates of a bridge request, in their order (extension.md 5.2). The first that is closed answers.
 *
 * All transitions of kill, pairing and policy and all later passes run through one queue, so that
 * what a pass saw is still so when the operation starts.
 */
import { LIMITS } from '@contract/host';
import { OP_NEEDS, type ExtOp } from '@contract/ops';
import type { PolicyFields } from '@contract/policy';
import { pause, until, type Serial } from '../async';
import type { Clock } from '../clock';
import { ToolError } from '../errors';
import type { Connection } from '../link/port';
import type { BlockedReason, ServingState } from '../messages';
import type { Store } from './keys';
import type { KillGate } from './kill';
import { readPosture, type Posture } from './serving';

/** What a decision is made under, taken once and handed down. */
export interface Snapshot {
  serving: ServingState;
  policy: Readonly<PolicyFields>;
  epoch: number;
}

export interface GatesOptions {
  store: Store;
  clock: Clock;
  kill: KillGate;
  /** The queue of all transitions. */
  transitions: Serial;
  /** Null once storage is confined; a sentence while it is not. */
  confined(): string | null;
  /** Whether our own id is the pinned one. */
  identityOk(): boolean;
  /** The compromise latch of this worker, which may be ahead of storage. */
  compromised(): boolean;
  /** Whether a push was verified on this connection under this pin (14.2). */
  verified(connection: Connection, posture: Posture): boolean;
  /** One verify exchange with the host (13.3); only a good proof is true. */
  reverify(connection: Connection): Promise<boolean>;
  /** What heals a push that was refused because it loosens fields it does not name; null without one. */
  healing(): string | null;
}

export interface Gates {
  /** First pass: may wait for a verification. */
  admit(op: ExtOp, connection: Connection, signal: AbortSignal): Promise<Snapshot>;
  /**
   * A later pass, which also holds the epoch against that of `snapshot`; `start` is called inside the transition queue, synchronously after the last gate,
   * and what it returns is not waited for there.
   */
  start<T>(
    op: ExtOp,
    connection: Connection,
    snapshot: Snapshot | null,
    start: (s: Snapshot) => Promise<T>,
  ): Promise<T>;
  posture(connection: Connection | null): Promise<{ posture: Posture; serving: ServingState }>;
}

const off = (text: string): ToolError => new ToolError('TOOL_DISABLED', text);

const BLOCKED: Record<BlockedReason, string> = {
  pin_lost: 'The key of the native host that this browser had pinned is gone',
  compromised: 'The native host did not prove the key that this browser has pinned',
  rejected: 'The user rejected the fingerprint of the native host',
  revoked: 'The user ended the pairing with the native host',
  policy_corrupt: 'The stored policy of genkan is damaged',
  unreadable: 'The trust state of genkan cannot be read',
};

export function blockedText(reason: BlockedReason): string {
  return `${BLOCKED[reason]}, so no tool is served. Ask the user to open the options page of genkan and pair again.`;
}

/** Gate 7. Grants are the policy's; what unlocks them depends on how far pairing has come. */
export function toolClosed(op: ExtOp, posture: Pick<Posture, 'state' | 'policy'>): string | null {
  const { state, policy } = posture;
  if (policy.disabledTools.includes(op)) return `${op} is disabled by the user's policy.`;
  const missing = OP_NEEDS[op].grants.filter((grant) => policy[grant] !== true);
  if (missing.length === 0) return null;
  if (state === 'unpaired')
    return `${op} is not served before pairing. Ask the user to run \`genkan pair\` and to compare the fingerprint on the options page of genkan.`;
  const names = missing.join(' and ');
  return `${op} needs ${names}, which the user's policy does not grant. They can with \`genkan policy set\` or on the options page of genkan.`;
}

export function createGates(options: GatesOptions): Gates {
  const { store, clock, kill, transitions } = options;

  const servingOf = (posture: Posture, connection: Connection | null): ServingState =>
    posture.state === 'active' && (connection === null || !options.verified(connection, posture))
      ? 'unverified'
      : posture.state;

  /** Gates 1 to 4: what holds whatever the tool. */
  async function standing(): Promise<Posture> {
    const unconfined = options.confined();
    if (unconfined !== null) throw off(unconfined);
    if (!options.identityOk())
      throw off('This build of the genkan extension carries the wrong key, so it serves nothing. Reinstall it.');
    const killed = await kill.closed();
    if (killed !== null) throw off(killed);
    const posture = await readPosture(store, options.compromised);
    if (posture.blocked !== null) throw off(blockedText(posture.blocked));
    return posture;
  }

  const healed = (text: string): string => [text, options.healing()].filter((s) => s !== null).join(' ');

  function gate5(posture: Posture, connection: Connection): void {
    if (servingOf(posture, connection) === 'unverified')
      throw off(
        healed(
          'The policy of this machine has not been verified on this connection, so no tool is served. Call again in a moment; if this stays, ask the user to run `genkan doctor`.',
        ),
      );
  }

  function gate7(op: ExtOp, posture: Posture): void {
    const closed = toolClosed(op, posture);
    if (closed !== null) throw off(healed(closed));
  }

  function snapshotOf(posture: Posture, connection: Connection, epoch: number): Snapshot {
    return { serving: servingOf(posture, connection), policy: posture.policy, epoch };
  }

  async function awaitVerified(connection: Connection, signal: AbortSignal): Promise<Posture> {
    for (;;) {
      const posture = await until(signal, standing());
      const left = connection.openedAt + LIMITS.VERIFY_WAIT_MS - clock.now();
      if (servingOf(posture, connection) !== 'unverified' || left <= 0) return posture;
      await pause(clock, Math.min(left, 100), signal);
    }
  }

  function proofIsOld(posture: Posture): boolean {
    const { hostReverifyMs } = posture.policy;
    if (posture.pin === null || hostReverifyMs === 0) return false;
    const last = posture.lastVerifiedAt;
    // A stamp from the future proves nothing: the clock was set back since.
    return last === null || last > clock.now() || clock.now() - last > hostReverifyMs;
  }

  return {
    async admit(op, connection, signal) {
      const epoch = kill.epoch();
      // A mirror that is older than this connection: the host says first how things stand by now.
      if (options.confined() === null && options.identityOk()) await until(signal, kill.settled(connection));
      const posture = await awaitVerified(connection, signal);
      gate5(posture, connection);
      if (proofIsOld(posture) && !(await until(signal, options.reverify(connection))))
        throw off(
          'The native host has to prove its key again and did not. Ask the user to press Verify on the options page of genkan.',
        );
      gate7(op, posture);
      return snapshotOf(posture, connection, epoch);
    },

    async start<T>(op: ExtOp, connection: Connection, snapshot: Snapshot | null, start: (s: Snapshot) => Promise<T>) {
      const { started } = await transitions.run(async () => {
        const posture = await standing();
        gate5(posture, connection);
        gate7(op, posture);
        // Heard of while storage was read.
        const killed = kill.closedNow();
        if (killed !== null) throw off(killed);
        if (options.compromised()) throw off(blockedText('compromised'));
        const epoch = kill.epoch();
        if (snapshot !== null && snapshot.epoch !== epoch)
          throw off('The kill switch of genkan was used while this call waited, so it was not carried out.');
        // Wrapped: a promise returned from here would be waited for inside the queue.
        return { started: start(snapshotOf(posture, connection, epoch)) };
      });
      return await started;
    },

    async posture(connection) {
      const posture = await readPosture(store, options.compromised);
      return { posture, serving: servingOf(posture, connection) };
    },
  };
}
