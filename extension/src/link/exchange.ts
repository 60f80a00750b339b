/**
 * One implementation for every round trip with the host (extension.md 6).
 *
 * The collaborator that owns a reply family owns one exchange and offers it each frame first; what
 * the exchange does not take is a push.
 */
import { LIMITS } from '@contract/host';
import type { Clock } from '../clock';
import type { Connection, Frame } from './port';

export type ExchangeRefusal = 'not-connected' | 'busy' | 'post-failed' | 'timed-out' | 'detached' | 'failed';

export type ExchangeResult<T> = { ok: true; value: T } | { ok: false; refusal: ExchangeRefusal; posted: boolean };

export interface Ask<T> {
  /** Absent: nothing is posted, the answer begins with a push. */
  frame?: Frame;
  /** Tags that answer. Any other frame is unsolicited. */
  replies: readonly string[];
  /** Throwing settles the exchange as failed. */
  read(frame: Frame): T;
}

export interface Exchange {
  ask<T>(connection: Connection | null, ask: Ask<T> & { frame: Frame }): Promise<ExchangeResult<T>>;
  /** Opens the slot with nothing posted. */
  hold<T>(connection: Connection | null, ask: Omit<Ask<T>, 'frame'>): Promise<ExchangeResult<T>>;
  /** Offers a frame; true if it answered the open exchange. */
  offer(frame: Frame): boolean;
  /**
   * Frees the slot now and hands over the way to settle it later; null if nothing is open or the
   * frame is no answer to it.
   */
  claim(frame: Frame): { settle(frame: Frame): void; fail(): void } | null;
  onAttach(): void;
  onDetach(): void;
}

interface Open {
  replies: readonly string[];
  posted: boolean;
  disarm(): void;
  read(frame: Frame): void;
  refuse(refusal: ExchangeRefusal): void;
}

export function createExchange(clock: Clock, deadline: number = LIMITS.EXCHANGE_MS): Exchange {
  let open: Open | null = null;

  function drop(): Open | null {
    const was = open;
    open = null;
    was?.disarm();
    return was;
  }

  function begin<T>(connection: Connection | null, ask: Ask<T>): Promise<ExchangeResult<T>> {
    if (connection === null || !connection.live())
      return Promise.resolve({ ok: false, refusal: 'not-connected', posted: false });
    if (open !== null) return Promise.resolve({ ok: false, refusal: 'busy', posted: false });
    return new Promise((resolve) => {
      const mine: Open = {
        replies: ask.replies,
        posted: false,
        disarm: clock.after(deadline, () => {
          if (open === mine) open = null;
          mine.refuse('timed-out');
        }),
        read: (frame) => {
          try {
            resolve({ ok: true, value: ask.read(frame) });
          } catch {
            mine.refuse('failed');
          }
        },
        refuse: (refusal) => resolve({ ok: false, refusal, posted: mine.posted }),
      };
      open = mine;
      if (ask.frame === undefined) return;
      mine.posted = connection.post(ask.frame);
      if (mine.posted) return;
      if (open === mine) drop();
      mine.refuse('post-failed');
    });
  }

  const answers = (frame: Frame): boolean =>
    open !== null && typeof frame.type === 'string' && open.replies.includes(frame.type);

  return {
    ask: begin,
    hold: begin,
    offer(frame) {
      if (!answers(frame)) return false;
      drop()?.read(frame);
      return true;
    },
    claim(frame) {
      if (!answers(frame)) return null;
      const was = drop();
      return was === null ? null : { settle: was.read, fail: () => was.refuse('failed') };
    },
    onAttach: () => drop()?.refuse('detached'),
    onDetach: () => drop()?.refuse('detached'),
  };
}
