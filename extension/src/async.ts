/** Small tools for waits that can be called off. */
import type { Clock } from './clock';

/** Throws what the signal was aborted with. */
export function stopIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw signal.reason;
}

/**
 * The promise, or the signal's reason if that comes first. The promise goes on, and its outcome is
 * looked at by nobody.
 */
export function until<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) {
      promise.catch(() => undefined);
      stop();
      return;
    }
    signal.addEventListener('abort', stop, { once: true });
    const over = (): void => signal.removeEventListener('abort', stop);
    promise.then(
      (value) => {
        over();
        resolve(value);
      },
      (error: unknown) => {
        over();
        reject(error);
      },
    );
  });
}

/** The promise, or what `late` makes after `ms`. */
export function within<T>(clock: Clock, ms: number, promise: Promise<T>, late: () => T): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const disarm = clock.after(ms, () => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    });
    promise.then(
      (value) => {
        disarm();
        resolve(value);
      },
      (error: unknown) => {
        disarm();
        reject(error);
      },
    );
  });
}

export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = (): void => {
      disarm();
      reject(signal.reason);
    };
    const disarm = clock.after(ms, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}

export interface Deferred<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

export function deferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** Work in order, one at a time; a failure never stops the chain. */
export interface Serial {
  run<T>(work: () => T | Promise<T>): Promise<T>;
}

export function createSerial(): Serial {
  let tail: Promise<unknown> = Promise.resolve();
  return {
    run(work) {
      const done = tail.then(work);
      tail = done.catch(() => undefined);
      return done;
    },
  };
}
