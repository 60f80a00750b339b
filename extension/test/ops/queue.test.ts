import { describe, expect, it } from 'vitest';
import { Cancelled } from '../../src/errors';
import { createTabQueue } from '../../src/ops/queue';
import { outcome, refusal, settle } from '../util';

const live = () => new AbortController().signal;

describe('the queue of a tab', () => {
  it('lets one in and the others in arrival order', async () => {
    const queue = createTabQueue();
    const order: string[] = [];
    const first = await queue.enter(1, live());
    const rest = ['b', 'c'].map((name) => queue.enter(1, live()).then((leave) => (order.push(name), leave)));
    await settle();
    expect(order).toEqual([]);
    first();
    const b = await rest[0];
    await settle();
    expect(order).toEqual(['b']);
    b?.();
    await rest[1];
    expect(order).toEqual(['b', 'c']);
  });

  it('holds up no other tab', async () => {
    const queue = createTabQueue();
    await queue.enter(1, live());
    expect(await outcome(queue.enter(2, live()))).toHaveProperty('value');
  });

  it('lets a place be left once only', async () => {
    const queue = createTabQueue();
    const leave = await queue.enter(1, live());
    const second = queue.enter(1, live());
    void queue.enter(1, live());
    let third = false;
    leave();
    leave();
    const next = await second;
    await settle();
    expect(third).toBe(false);
    void queue.enter(1, live()).then(() => (third = true));
    next();
    await settle();
    expect(third).toBe(false);
  });

  it('takes 32 waiting for a tab, and refuses the 33rd', async () => {
    const queue = createTabQueue();
    const leave = await queue.enter(1, live());
    const waiting = Array.from({ length: 32 }, () => queue.enter(1, live()));
    expect(await refusal(queue.enter(1, live()))).toMatchObject({ code: 'EXECUTION_FAILED' });
    leave();
    await waiting[0];
    expect(await Promise.race([outcome(queue.enter(1, live())), settle().then(() => 'waits')])).toBe('waits');
  });

  it('takes 256 waiting in all, and refuses the 257th', async () => {
    const queue = createTabQueue();
    for (let tab = 0; tab < 9; tab++) await queue.enter(tab, live());
    for (let tab = 0; tab < 8; tab++) for (let i = 0; i < 32; i++) void queue.enter(tab, live());
    expect(await refusal(queue.enter(8, live()))).toMatchObject({ code: 'EXECUTION_FAILED' });
    // A tab that nobody holds takes a call all the same: it does not wait.
    expect(await outcome(queue.enter(9, live()))).toHaveProperty('value');
  });

  it('forgets who is cancelled while waiting, and frees the place', async () => {
    const queue = createTabQueue();
    const leave = await queue.enter(1, live());
    const stop = new AbortController();
    const gone = outcome(queue.enter(1, stop.signal));
    const next = queue.enter(1, live());
    stop.abort(new Cancelled());
    expect(await gone).toMatchObject({ error: expect.any(Cancelled) });
    leave();
    expect(await outcome(next)).toHaveProperty('value');
    expect(await outcome(queue.enter(1, stop.signal))).toMatchObject({ error: expect.any(Cancelled) });
  });
});
