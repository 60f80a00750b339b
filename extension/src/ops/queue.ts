/** Calls on one tab run one after the other in arrival order (tools.md 1.4). Pure. */
import { LIMITS } from '@contract/host';
import { ToolError } from '../errors';

export interface TabQueue {
  /**
   * Takes a place at once; the promise comes due with the turn, and the function it gives ends it.
   * Throws EXECUTION_FAILED if too many wait already.
   */
  enter(tabId: number, signal: AbortSignal): Promise<() => void>;
  /** Whether a turn would come at once. */
  free(tabId: number): boolean;
}

interface Place {
  start(): void;
}

export function createTabQueue(): TabQueue {
  /** A tab with an entry is taken; the entry holds who waits for it. */
  const tabs = new Map<number, Place[]>();
  let waiting = 0;

  function leave(tabId: number): void {
    const line = tabs.get(tabId);
    const next = line?.shift();
    if (next === undefined) tabs.delete(tabId);
    else {
      waiting -= 1;
      next.start();
    }
  }

  function turn(tabId: number): () => void {
    let over = false;
    return () => {
      if (over) return;
      over = true;
      leave(tabId);
    };
  }

  return {
    free: (tabId) => !tabs.has(tabId),

    enter(tabId, signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      const line = tabs.get(tabId);
      if (line === undefined) {
        tabs.set(tabId, []);
        return Promise.resolve(turn(tabId));
      }
      if (line.length >= LIMITS.TAB_QUEUE_MAX || waiting >= LIMITS.ALL_QUEUE_MAX)
        return Promise.reject(
          new ToolError('EXECUTION_FAILED', 'Too many calls wait already. Wait for their results before calling again.'),
        );
      return new Promise((resolve, reject) => {
        const giveUp = (): void => {
          const at = line.indexOf(place);
          if (at < 0) return;
          line.splice(at, 1);
          waiting -= 1;
          reject(signal.reason);
        };
        const place: Place = {
          start: () => {
            signal.removeEventListener('abort', giveUp);
            resolve(turn(tabId));
          },
        };
        signal.addEventListener('abort', giveUp, { once: true });
        line.push(place);
        waiting += 1;
      });
    },
  };
}
