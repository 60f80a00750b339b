/**
 * The one owner of the native port (extension.md 4.2).
 *
 * A connection is an object with a generation: whoever keeps one of a port that was replaced can
 * post into it without effect, and its frames are heard by nobody. Only the current port may take
 * the link down.
 */
import { LIMITS } from '@contract/host';
import type { RawPort } from '../browser/port';
import type { Clock } from '../clock';
import { messageOf } from '../errors';

export type Frame = Readonly<Record<string, unknown>>;

export interface Connection {
  readonly generation: number;
  /** When the port was opened, by the clock. */
  readonly openedAt: number;
  /** Whether the frame was handed to the pipe: false on a port that is gone or refuses it. */
  post(frame: unknown): boolean;
  live(): boolean;
}

/** A part that speaks control frames with the host. */
export interface Collaborator {
  readonly name: string;
  /** The control tags it takes; the sets of all collaborators share no tag. */
  readonly tags: readonly string[];
  onAttach(connection: Connection): void;
  onDetach(connection: Connection): void;
  /** One frame at a time, in arrival order; none of a connection that is gone. */
  onFrame(frame: Frame, connection: Connection): void | Promise<void>;
}

export interface LinkOptions {
  connect(): RawPort;
  clock: Clock;
  collaborators: readonly Collaborator[];
  /** The first frame on every port. */
  hello(): unknown;
  /** A frame with `op`, which no collaborator sees. */
  onRequest(frame: Frame, connection: Connection): void;
  onCancel(frame: Frame, connection: Connection): void;
  onLost(connection: Connection): void;
  log(message: string): void;
}

export interface Link {
  /** Tears down what there is, port or redial timer, and opens a new port. */
  connect(): void;
  /** Opens a port unless there is one or a redial is due. */
  wake(): void;
  current(): Connection | null;
  /** The browser's reason for the last loss, null while a port is up or none was ever lost. */
  lastError(): string | null;
  /** Whether a server has sent a request through the current port. */
  served(): boolean;
}

interface Lane {
  busy: boolean;
  frames: Frame[];
}

/** Frames that wait for a collaborator. A host of ours never has so many on their way. */
const LANE_MAX = 64;

export const isFrame = (value: unknown): value is Frame =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The collaborator that takes a frame. One with `op` is a bridge request, whatever its type says. */
export function claimant(collaborators: readonly Collaborator[], frame: Frame): Collaborator | null {
  const { type } = frame;
  if (Object.hasOwn(frame, 'op') || typeof type !== 'string') return null;
  return collaborators.find((c) => c.tags.includes(type)) ?? null;
}

export function createLink(options: LinkOptions): Link {
  const { clock, collaborators, log } = options;
  let generation = 0;
  let live: { connection: Connection; port: RawPort; lanes: Map<Collaborator, Lane> } | null = null;
  let redial: (() => void) | null = null;
  let error: string | null = null;
  let served = false;

  function each(what: string, call: (c: Collaborator) => void): void {
    for (const c of collaborators) {
      try {
        call(c);
      } catch (failure) {
        log(`${c.name}: ${what}: ${messageOf(failure)}`);
      }
    }
  }

  function tearDown(): void {
    redial?.();
    redial = null;
    if (live === null) return;
    const { connection, port } = live;
    live = null;
    try {
      port.disconnect();
    } catch (failure) {
      log(`disconnect: ${messageOf(failure)}`);
    }
    options.onLost(connection);
    each('detach', (c) => c.onDetach(connection));
  }

  function armRedial(): void {
    redial = clock.after(LIMITS.REDIAL_MS, () => {
      redial = null;
      connect();
    });
  }

  function lose(reason: string): void {
    error = reason;
    tearDown();
    armRedial();
  }

  function deliver(frame: unknown, connection: Connection): void {
    if (live?.connection !== connection) return;
    if (!isFrame(frame)) return;
    if (Object.hasOwn(frame, 'op')) {
      served = true;
      options.onRequest(frame, connection);
      return;
    }
    if (frame.type === 'cancel') {
      options.onCancel(frame, connection);
      return;
    }
    const taker = claimant(collaborators, frame);
    if (taker === null) return;
    const lane = live.lanes.get(taker) ?? { busy: false, frames: [] };
    live.lanes.set(taker, lane);
    if (lane.frames.length >= LANE_MAX) {
      // Each of them counts, so none can be left out; the next connection begins with how things stand.
      log(`${taker.name}: more frames than can be heeded`);
      lose('the native host sent more than can be heeded');
      return;
    }
    lane.frames.push(frame);
    if (!lane.busy) work(taker, lane, connection);
  }

  /**
   * Each collaborator has a lane of its own, so that a slow one holds up nobody else. A frame that
   * waits for nothing is handed over in the turn it came in: the browser may tell of the port's end
   * in the very same one, and what was said before it still counts.
   */
  function work(taker: Collaborator, lane: Lane, connection: Connection): void {
    const failed = (frame: Frame) => (failure: unknown) => log(`${taker.name}: ${String(frame.type)}: ${messageOf(failure)}`);
    for (let frame = lane.frames.shift(); frame !== undefined; frame = lane.frames.shift()) {
      if (live?.connection !== connection) return;
      try {
        const slow = taker.onFrame(frame, connection);
        if (slow === undefined) continue;
        lane.busy = true;
        void slow.catch(failed(frame)).then(() => {
          lane.busy = false;
          work(taker, lane, connection);
        });
        return;
      } catch (failure) {
        failed(frame)(failure);
      }
    }
  }

  function connect(): void {
    tearDown();
    const mine = ++generation;
    let port: RawPort;
    try {
      port = options.connect();
    } catch (failure) {
      error = messageOf(failure);
      armRedial();
      return;
    }
    const connection: Connection = {
      generation: mine,
      openedAt: clock.now(),
      live: () => live?.connection === connection,
      post: (frame) => {
        if (live?.connection !== connection) return false;
        try {
          port.post(frame);
          return true;
        } catch (failure) {
          log(`post: ${messageOf(failure)}`);
          return false;
        }
      },
    };
    live = { connection, port, lanes: new Map() };
    error = null;
    served = false;
    port.onFrame((frame) => deliver(frame, connection));
    port.onLost((reason) => {
      if (live?.connection === connection) lose(reason ?? 'the native host ended');
    });
    connection.post(options.hello());
    each('attach', (c) => c.onAttach(connection));
  }

  return {
    connect,
    wake: () => {
      if (live === null && redial === null) connect();
    },
    current: () => live?.connection ?? null,
    lastError: () => error,
    served: () => live !== null && served,
  };
}
