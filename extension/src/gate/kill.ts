/**
 * The kill mirror and the panic latch (extension.md 16, 10.6).
 *
 * The mirror is written from the host's `kill_status_result` alone. The latch closes the gate before
 * the host has heard of it, and lifts only on proof that this very engage went through and was
 * released since.
 */
import { LIMITS } from '@contract/host';
import { within, type Serial } from '../async';
import type { Clock } from '../clock';
import type { Connection } from '../link/port';
import type { KillView } from '../messages';
import { hasExactly, isTime, KEY, type Store } from './keys';

export const KILL_ENGAGE = { type: 'kill_engage' } as const;

type MirrorState = 'alive' | 'killed' | 'unknown';

/** What a `kill_status_result` says; not ok, or ok without the member, is unknown. */
export interface KillReport {
  ok: boolean;
  killed?: boolean | undefined;
}

export interface KillGate {
  /** In arrival order; resolves once the mirror is written, false if that failed. */
  onReport(report: KillReport): Promise<boolean>;
  /** The latch, then the frame. Never waits. */
  engage(): void;
  /** Posts an engage that did not reach the pipe or has no confirmation. */
  onAttach(connection: Connection): void;
  /** Null: open; else why it is closed. */
  closed(): Promise<string | null>;
  /**
   * What closes the gate may be older than this connection: resolves once the host has said on it how
   * things stand, at once where the gate is open, and in the end without it.
   */
  settled(connection: Connection): Promise<void>;
  /** The same by what this worker has heard itself, at this very moment. */
  closedNow(): string | null;
  view(): Promise<KillView>;
  /** Moves with every engage: a decision begun under an older epoch cannot succeed. */
  epoch(): number;
}

export interface KillOptions {
  store: Store;
  clock: Clock;
  /** The queue of all transitions. */
  transitions: Serial;
  /** The current port, if any. */
  connection(): Connection | null;
  /** Gate 3 closed: whoever has not begun its act is refused. */
  onClosed(): void;
  /**
   * Comes due once the calls that were refused just now have their answers on the pipe: a host that hears of the
   * engage cuts it. At once where there is nothing to wait for; never a matter of anybody's answer.
   */
  answered?(): Promise<void>;
  /** For the audit ring; never throws. */
  audit?(kind: 'kill_engaged' | 'kill_status_changed', detail?: string): void;
}

/** Reports of one moment that are each written; in a flood of them it is the last that counts. */
const WRITES_MAX = 16;

interface Write {
  state: MirrorState;
  done: Promise<boolean>;
}

interface Latch {
  confirmed: boolean;
}

/** What one connection was asked to carry. */
interface Engages {
  /** Not posted yet: no report is the answer to one of these. */
  due: number;
  /** Taken, and its host has not answered. */
  unanswered: number;
}

const stateOf = (report: KillReport): MirrorState =>
  report.ok && report.killed !== undefined ? (report.killed ? 'killed' : 'alive') : 'unknown';

function readMirror(value: unknown): { state: MirrorState | 'none'; at: number | null } {
  if (value === undefined) return { state: 'none', at: null };
  if (!hasExactly(value, ['state', 'at']) || !isTime(value.at)) return { state: 'unknown', at: null };
  const { state, at } = value;
  return state === 'alive' || state === 'killed' ? { state, at } : { state: 'unknown', at };
}

export const KILL_HINT = 'Ask the user to release it on the options page of genkan or with `genkan unkill`.';

function sentence(state: MirrorState | 'none'): string | null {
  if (state === 'killed') return `The kill switch of genkan is engaged. ${KILL_HINT}`;
  if (state === 'unknown')
    return 'It is not known whether the kill switch of genkan is engaged, so nothing is done. Run `genkan doctor`.';
  return null;
}

export function createKillGate(options: KillOptions): KillGate {
  const { store, clock } = options;
  let latch: Latch | null = null;
  let panics = 0;
  const engages = new WeakMap<Connection, Engages>();
  /** Newest report of this worker life: a mirror that cannot be written must not speak for it. */
  let newest: MirrorState | null = null;
  /** What the mirror waits for, in order. */
  const writes: Write[] = [];
  /** The connection of the last report that the mirror shows, and who waits for one. */
  let heardOn: Connection | null = null;
  let waiters: (() => void)[] = [];

  function engagesOn(connection: Connection): Engages {
    const known = engages.get(connection) ?? { due: 0, unanswered: 0 };
    engages.set(connection, known);
    return known;
  }

  function post(connection: Connection): void {
    if (connection.post(KILL_ENGAGE)) engagesOn(connection).unanswered += 1;
  }

  function postAfter(turn: Promise<void>, connection: Connection): void {
    engagesOn(connection).due += 1;
    void turn.then(() => {
      engagesOn(connection).due -= 1;
      post(connection);
    });
  }

  /** An engage is answered by killed or by a failure, and before the one after it. */
  function moveLatch(state: MirrorState, on: Connection | null): void {
    const asked = on === null ? null : engagesOn(on);
    if (state !== 'alive' && asked !== null) asked.unanswered = Math.max(asked.unanswered - 1, 0);
    if (latch === null) return;
    // While one is left this may be the answer to an older panic, whose release could follow.
    if (state === 'killed' && (asked === null || asked.due + asked.unanswered === 0)) latch.confirmed = true;
    else if (state === 'alive' && latch.confirmed) latch = null;
  }

  async function persist(state: MirrorState): Promise<boolean> {
    try {
      const was = readMirror((await store.read([KEY.killMirror]))[KEY.killMirror]);
      // Unchanged is not rewritten: every write wakes whoever watches storage.
      if (was.state === state && was.at !== null) return true;
      await store.write({ [KEY.killMirror]: { state, at: clock.now() } });
      if (was.state !== state) options.audit?.('kill_status_changed', state);
      return true;
    } catch {
      return false;
    }
  }

  function write(state: MirrorState): Promise<boolean> {
    const last = writes.at(-1);
    if (last !== undefined && writes.length >= WRITES_MAX) {
      last.state = state;
      return last.done;
    }
    const done = options.transitions.run(() => persist((writes.shift() ?? mine).state));
    const mine: Write = { state, done };
    writes.push(mine);
    return done;
  }

  async function mirrored(): Promise<{ state: MirrorState | 'none'; at: number | null }> {
    try {
      return readMirror((await store.read([KEY.killMirror]))[KEY.killMirror]);
    } catch {
      return { state: 'unknown', at: null };
    }
  }

  /** A record that cannot be read is nothing that a report would put right. */
  async function mayBeStale(): Promise<boolean> {
    if (closedNow() !== null) return true;
    try {
      return sentence(readMirror((await store.read([KEY.killMirror]))[KEY.killMirror]).state) !== null;
    } catch {
      return false;
    }
  }

  async function closed(): Promise<string | null> {
    const { state } = await mirrored();
    return closedNow() ?? sentence(state);
  }

  function wake(): void {
    const woken = waiters;
    waiters = [];
    woken.forEach((again) => again());
  }

  const closedNow = (): string | null =>
    latch === null
      ? sentence(newest ?? 'none')
      : `The kill switch of genkan was used in this browser. ${KILL_HINT}`;

  return {
    onReport(report) {
      const state = stateOf(report);
      newest = state;
      const on = options.connection();
      moveLatch(state, on);
      if (state !== 'alive') options.onClosed();
      return write(state).then((written) => {
        heardOn = on;
        wake();
        return written;
      });
    },

    engage() {
      latch = { confirmed: false };
      panics += 1;
      options.onClosed();
      const on = options.connection();
      const turn = options.answered?.();
      if (on !== null && turn !== undefined) postAfter(turn, on);
      else if (on !== null) post(on);
      options.audit?.('kill_engaged');
    },

    onAttach(connection) {
      if (latch !== null && !latch.confirmed) post(connection);
    },

    closed,

    async settled(connection) {
      for (;;) {
        const left = connection.openedAt + LIMITS.VERIFY_WAIT_MS - clock.now();
        if (heardOn === connection || left <= 0 || !(await mayBeStale())) return;
        await within(clock, left, new Promise<void>((again) => waiters.push(again)), () => undefined);
      }
    },

    closedNow,

    async view() {
      const { state, at } = await mirrored();
      const shown = newest !== null && newest !== state && newest !== 'alive' ? newest : state;
      return { state: shown, at, latched: latch !== null, pending: latch !== null && !latch.confirmed };
    },

    epoch: () => panics,
  };
}
