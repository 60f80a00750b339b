/**
 * The compromise latch (extension.md 13): in memory at once, then stored. Nothing but an approved
 * pairing lifts it, and what could not be stored holds for the life of this worker all the same.
 */
import type { Clock } from '../clock';
import { messageOf } from '../errors';
import { KEY, type Store } from './keys';

export interface Compromise {
  /** Closes gate 4 before it returns; resolves once it is stored, or could not be. */
  latch(reason: string): Promise<void>;
  /** Stores what could not be stored before. */
  persist(): Promise<void>;
  now(): boolean;
  /** For the approval alone, once storage says so too. */
  lift(): void;
}

export interface CompromiseOptions {
  store: Store;
  clock: Clock;
  /** Gate 4 closed: whoever has not begun its act is refused. */
  onClosed(): void;
  log(message: string): void;
}

export function createCompromise({ store, clock, onClosed, log }: CompromiseOptions): Compromise {
  let mark: { reason: string; at: number } | null = null;
  let stored = false;

  async function persist(): Promise<void> {
    if (mark === null || stored) return;
    try {
      await store.write({ [KEY.compromised]: mark });
      stored = true;
    } catch (error) {
      log(`the compromise could not be stored: ${messageOf(error)}`);
    }
  }

  return {
    latch(reason) {
      mark ??= { reason, at: clock.now() };
      onClosed();
      return persist();
    },
    persist,
    now: () => mark !== null,
    lift: () => {
      mark = null;
      stored = false;
    },
  };
}
