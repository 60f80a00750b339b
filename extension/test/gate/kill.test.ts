import { describe, expect, it } from 'vitest';
import { createSerial, deferred } from '../../src/async';
import { createKillGate } from '../../src/gate/kill';
import { settle, testClock, testConnection, testStore } from '../util';

function setUp(mirror?: unknown, answered?: () => Promise<void>) {
  const store = testStore(mirror === undefined ? {} : { bridgeKillMirror: mirror });
  const connection = testConnection();
  let current: typeof connection | null = connection;
  let closings = 0;
  const clock = testClock(5_000);
  const kill = createKillGate({
    store,
    clock,
    transitions: createSerial(),
    connection: () => current,
    onClosed: () => (closings += 1),
    ...(answered === undefined ? {} : { answered }),
  });
  return { store, connection, kill, clock, closings: () => closings, use: (c: typeof connection | null) => (current = c) };
}

const alive = { ok: true, killed: false } as const;
const killed = { ok: true, killed: true } as const;
const unknown = { ok: false } as const;

describe('the mirror', () => {
  it.each([
    ['none', undefined, true],
    ['alive', { state: 'alive', at: 1 }, true],
    ['killed', { state: 'killed', at: 1 }, false],
    ['unknown', { state: 'unknown', at: 1 }, false],
    ['another state', { state: 'fine', at: 1 }, false],
    ['an extra member', { state: 'alive', at: 1, x: 1 }, false],
    ['a missing member', { state: 'alive' }, false],
    ['no time', { state: 'alive', at: 'now' }, false],
    ['a string', 'alive', false],
    ['null', null, false],
  ])('%s: open is %s', async (_name, mirror, open) => {
    const { kill } = setUp(mirror);
    expect((await kill.closed()) === null).toBe(open);
  });

  it('cannot be read: refuse', async () => {
    const { kill, store } = setUp({ state: 'alive', at: 1 });
    store.failReads = true;
    expect(await kill.closed()).toContain('not known');
    expect((await kill.view()).state).toBe('unknown');
  });

  it('is written in arrival order, and not rewritten unchanged', async () => {
    const { kill, store, clock } = setUp();
    expect(await kill.onReport(alive)).toBe(true);
    await clock.advance(10);
    expect(await kill.onReport(alive)).toBe(true);
    expect(store.writes).toEqual([{ bridgeKillMirror: { state: 'alive', at: 5_000 } }]);
    await Promise.all([kill.onReport(killed), kill.onReport(unknown), kill.onReport(alive)]);
    expect(store.writes.map((w) => (w.bridgeKillMirror as { state: string }).state)).toEqual([
      'alive',
      'killed',
      'unknown',
      'alive',
    ]);
  });

  it('shows the last of a flood, and makes no queue of it', async () => {
    for (const last of [alive, killed, unknown]) {
      const { kill, store } = setUp({ state: 'alive', at: 1 });
      const all = Array.from({ length: 1_000 }, (_, i) => kill.onReport(i % 2 === 0 ? killed : alive));
      const end = kill.onReport(last);
      expect(await Promise.all([...all, end])).toEqual(Array.from({ length: 1_001 }, () => true));
      expect((await kill.view()).state).toBe(last === alive ? 'alive' : last === killed ? 'killed' : 'unknown');
      expect(store.writes.length).toBeLessThanOrEqual(16);
      await kill.onReport(alive);
      expect((await kill.view()).state).toBe('alive');
    }
  });

  it('that cannot be written never opens what was heard to be closed', async () => {
    const { kill, store } = setUp({ state: 'alive', at: 1 });
    store.failWrites = true;
    expect(await kill.onReport(killed)).toBe(false);
    expect(await kill.closed()).toContain('engaged');
    expect((await kill.view()).state).toBe('killed');
  });

  it('that cannot be written stays closed although alive was heard', async () => {
    const { kill, store } = setUp({ state: 'killed', at: 1 });
    store.failWrites = true;
    expect(await kill.onReport(alive)).toBe(false);
    expect(await kill.closed()).toContain('engaged');
  });

  it('closes the moment it is heard, before it is written', () => {
    const { kill, closings } = setUp({ state: 'alive', at: 1 });
    void kill.onReport(killed);
    expect(kill.closedNow()).toContain('engaged');
    expect(closings()).toBe(1);
  });
});

describe('the panic latch', () => {
  it('closes before the frame is sent, and moves the epoch', async () => {
    const { kill, connection, closings } = setUp({ state: 'alive', at: 1 });
    const before = kill.epoch();
    kill.engage();
    expect(kill.closedNow()).not.toBeNull();
    expect(kill.epoch()).toBe(before + 1);
    expect(closings()).toBe(1);
    expect(connection.posted).toEqual([{ type: 'kill_engage' }]);
    expect(await kill.view()).toEqual({ state: 'alive', at: 1, latched: true, pending: true });
  });

  it('lifts on killed and then alive, in this order', async () => {
    const { kill } = setUp();
    kill.engage();
    await kill.onReport(alive);
    expect(kill.closedNow()).not.toBeNull();
    await kill.onReport(killed);
    expect(await kill.view()).toMatchObject({ state: 'killed', latched: true, pending: false });
    await kill.onReport(unknown);
    expect(kill.closedNow()).not.toBeNull();
    await kill.onReport(alive);
    expect(kill.closedNow()).toBeNull();
    expect(await kill.closed()).toBeNull();
    expect(await kill.view()).toMatchObject({ state: 'alive', latched: false });
  });

  it('is not lifted by the release of an older panic', async () => {
    const { kill } = setUp();
    kill.engage();
    await kill.onReport(killed);
    kill.engage();
    await kill.onReport(alive);
    expect(kill.closedNow()).not.toBeNull();
    await kill.onReport(killed);
    await kill.onReport(alive);
    expect(kill.closedNow()).toBeNull();
  });

  it('is not confirmed by the answer to an older panic', async () => {
    const { kill } = setUp();
    kill.engage();
    kill.engage();
    await kill.onReport(killed);
    expect(await kill.view()).toMatchObject({ latched: true, pending: true });
    await kill.onReport(alive);
    expect(kill.closedNow()).not.toBeNull();
    await kill.onReport(killed);
    expect(await kill.view()).toMatchObject({ latched: true, pending: false });
    await kill.onReport(alive);
    expect(kill.closedNow()).toBeNull();
  });

  it('is confirmed by the last of as many answers as there were panics', async () => {
    const { kill } = setUp();
    for (let i = 0; i < 3; i++) kill.engage();
    for (const pending of [true, true, false]) {
      await kill.onReport(killed);
      expect((await kill.view()).pending).toBe(pending);
    }
    await kill.onReport(killed);
    expect((await kill.view()).pending).toBe(false);
  });

  it('is posted behind the answers of what it refused, and closed before them', async () => {
    const turn = deferred<void>();
    const { kill, connection } = setUp({ state: 'alive', at: 1 }, () => turn.promise);
    kill.engage();
    expect([kill.closedNow() === null, connection.posted.length]).toEqual([false, 0]);
    // The release of an older panic does not lift it, though it is not on the pipe yet.
    await kill.onReport(killed);
    await kill.onReport(alive);
    expect(kill.closedNow()).toContain('kill switch');
    turn.resolve();
    await settle();
    expect(connection.posted).toEqual([{ type: 'kill_engage' }]);
  });

  it('of a port that went meanwhile is posted on the next one, once', async () => {
    const turn = deferred<void>();
    const { kill, connection, use } = setUp({ state: 'alive', at: 1 }, () => turn.promise);
    kill.engage();
    connection.drop();
    const next = testConnection(0, 2);
    use(next);
    kill.onAttach(next);
    turn.resolve();
    await settle();
    expect([connection.posted, next.posted]).toEqual([[], [{ type: 'kill_engage' }]]);
    await kill.onReport(killed);
    await kill.onReport(alive);
    expect(kill.closedNow()).toBeNull();
  });

  it('waits for no answer to an engage that failed, that was not taken, or that another port took', async () => {
    const { kill, connection, use } = setUp();
    kill.engage();
    kill.engage();
    await kill.onReport(unknown);
    expect((await kill.view()).pending).toBe(true);
    await kill.onReport(killed);
    expect((await kill.view()).pending).toBe(false);

    connection.takes = false;
    kill.engage();
    connection.takes = true;
    kill.engage();
    await kill.onReport(killed);
    expect((await kill.view()).pending).toBe(false);

    kill.engage();
    kill.engage();
    const second = testConnection(0, 2);
    use(second);
    kill.onAttach(second);
    expect(second.posted).toEqual([{ type: 'kill_engage' }]);
    await kill.onReport(killed);
    expect((await kill.view()).pending).toBe(false);
  });

  it('counts no answer that was never asked for', async () => {
    const { kill } = setUp();
    await kill.onReport(killed);
    await kill.onReport(killed);
    kill.engage();
    kill.engage();
    await kill.onReport(killed);
    expect((await kill.view()).pending).toBe(true);
  });

  it('is not lifted by time', async () => {
    const { kill, clock } = setUp();
    kill.engage();
    await clock.advance(10 * 60_000);
    expect(kill.closedNow()).not.toBeNull();
  });

  it('posts an engage that had no port, or no confirmation, on the next one', async () => {
    const { kill, use } = setUp();
    use(null);
    kill.engage();
    expect(await kill.view()).toMatchObject({ latched: true, pending: true });
    const second = testConnection(0, 2);
    kill.onAttach(second);
    expect(second.posted).toEqual([{ type: 'kill_engage' }]);
    const third = testConnection(0, 3);
    kill.onAttach(third);
    expect(third.posted).toEqual([{ type: 'kill_engage' }]);
    await kill.onReport(killed);
    const fourth = testConnection(0, 4);
    kill.onAttach(fourth);
    expect(fourth.posted).toEqual([]);
  });

  it('posts nothing on a port where nobody panicked', () => {
    const { kill, connection } = setUp();
    kill.onAttach(connection);
    expect(connection.posted).toEqual([]);
  });
});

describe('the audit of the switch', () => {
  it('notes each engage, and each change of the mirror once', async () => {
    const seen: string[] = [];
    const kill = createKillGate({
      store: testStore(), clock: testClock(), transitions: createSerial(), connection: () => null, onClosed: () => undefined,
      audit: (kind, detail) => seen.push([kind, detail].join(' ').trim()),
    });
    kill.engage();
    await kill.onReport({ ok: true, killed: true });
    await kill.onReport({ ok: true, killed: true });
    await kill.onReport({ ok: true, killed: false });
    expect(seen).toEqual(['kill_engaged', 'kill_status_changed killed', 'kill_status_changed alive']);
  });
});
