/** What tests share: a clock that stands still, a store in memory, connections on paper. */
import { fakeBrowser } from 'wxt/testing/fake-browser';
import type { Clock } from '../src/clock';
import type { Connection } from '../src/link/port';

/** Events of tabs that the fake browser has not: they can be listened to, and nobody tells of any. */
export function silentEvents(): void {
  for (const name of ['onMoved', 'onAttached', 'onDetached', 'onReplaced']) Object.assign(fakeBrowser.tabs, { [name]: { addListener: () => undefined } });
}

export interface TestClock extends Clock {
  /** Moves on, running what comes due, in order. */
  advance(ms: number): Promise<void>;
  /** How many timers are armed. */
  armed(): number;
}

/** Calls of WebCrypto that are out: they run on threads, so that turns alone do not wait for them. */
const crypts = { out: 0 };
const subtle = Object.getPrototypeOf(crypto.subtle) as Record<string, (...args: unknown[]) => Promise<unknown>>;
for (const name of ['digest', 'exportKey', 'generateKey', 'importKey', 'sign', 'verify']) {
  const call = subtle[name];
  if (call === undefined) throw new Error(`WebCrypto has no ${name}`);
  subtle[name] = function (...args) {
    crypts.out += 1;
    return call.apply(this, args).finally(() => (crypts.out -= 1));
  };
}

/** Lets everything that is only waiting for a turn, or for WebCrypto, run. */
export async function settle(): Promise<void> {
  for (let calm = 0; calm < 20; calm = crypts.out === 0 ? calm + 1 : 0)
    await new Promise<void>((resolve) => setImmediate(resolve));
}

export function testClock(start = 1_000_000): TestClock {
  let now = start;
  let next = 1;
  const timers = new Map<number, { at: number; fn: () => void }>();
  return {
    now: () => now,
    after: (ms, fn) => {
      const id = next++;
      timers.set(id, { at: now + ms, fn });
      return () => timers.delete(id);
    },
    armed: () => timers.size,
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (;;) {
        const due = [...timers].filter(([, t]) => t.at <= end).sort((a, b) => a[1].at - b[1].at || a[0] - b[0])[0];
        if (due === undefined) break;
        timers.delete(due[0]);
        now = Math.max(now, due[1].at);
        due[1].fn();
        await settle();
      }
      now = end;
      await settle();
    },
  };
}

export interface TestStore {
  data: Record<string, unknown>;
  /** Set: the next reads, or writes, fail. */
  failReads: boolean;
  failWrites: boolean;
  writes: Record<string, unknown>[];
  removals: string[][];
  read(keys: readonly string[]): Promise<Record<string, unknown>>;
  write(items: Record<string, unknown>): Promise<void>;
  remove(keys: readonly string[]): Promise<void>;
}

export function testStore(data: Record<string, unknown> = {}): TestStore {
  const store: TestStore = {
    data: structuredClone(data),
    failReads: false,
    failWrites: false,
    writes: [],
    removals: [],
    async read(keys) {
      if (store.failReads) throw new Error('storage cannot be read');
      return structuredClone(
        Object.fromEntries(keys.filter((k) => store.data[k] !== undefined).map((k) => [k, store.data[k]])),
      );
    },
    async write(items) {
      if (store.failWrites) throw new Error('storage cannot be written');
      store.writes.push(structuredClone(items));
      Object.assign(store.data, structuredClone(items));
    },
    async remove(keys) {
      if (store.failWrites) throw new Error('storage cannot be written');
      store.removals.push([...keys]);
      for (const key of keys) delete store.data[key];
    },
  };
  return store;
}

export interface TestConnection extends Connection {
  posted: Record<string, unknown>[];
  /** False: posting fails, as on a pipe that takes nothing. */
  takes: boolean;
  drop(): void;
}

export function testConnection(openedAt = 0, generation = 1): TestConnection {
  let live = true;
  const connection: TestConnection = {
    generation,
    openedAt,
    posted: [],
    takes: true,
    live: () => live,
    post(frame) {
      if (!live || !connection.takes) return false;
      connection.posted.push(structuredClone(frame) as Record<string, unknown>);
      return true;
    },
    drop() {
      live = false;
    },
  };
  return connection;
}

/** The outcome of a promise: its value, or what it was rejected with. */
export async function outcome<T>(promise: Promise<T>): Promise<{ value: T } | { error: unknown }> {
  try {
    return { value: await promise };
  } catch (error) {
    return { error };
  }
}

/** Code and text of a refusal; fails for anything else. */
export async function refusal(promise: Promise<unknown>): Promise<{ code: string; message: string }> {
  const got = await outcome(promise);
  if (!('error' in got)) throw new Error(`expected a refusal, got ${JSON.stringify(got.value)}`);
  const { code, message } = got.error as { code?: string; message: string };
  return { code: code ?? 'none', message };
}
