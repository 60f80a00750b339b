import { describe, expect, it } from 'vitest';
import { createExchange } from '../../src/link/exchange';
import { testClock, testConnection } from '../util';

const ask = { frame: { type: 'kill_status' }, replies: ['kill_status_result'], read: (f: Readonly<Record<string, unknown>>) => f.killed };

describe('an exchange', () => {
  it('posts, and settles with the answer it asked for', async () => {
    const exchange = createExchange(testClock());
    const connection = testConnection();
    const done = exchange.ask(connection, ask);
    expect(connection.posted).toEqual([{ type: 'kill_status' }]);
    expect(exchange.offer({ type: 'policy_current' })).toBe(false);
    expect(exchange.offer({ type: 'kill_status_result', killed: false })).toBe(true);
    expect(await done).toEqual({ ok: true, value: false });
  });

  it('takes nothing that nobody asked for', () => {
    const exchange = createExchange(testClock());
    expect(exchange.offer({ type: 'kill_status_result' })).toBe(false);
    expect(exchange.claim({ type: 'kill_status_result' })).toBeNull();
  });

  it('refuses a second one while the first is open', async () => {
    const exchange = createExchange(testClock());
    const connection = testConnection();
    void exchange.ask(connection, ask);
    expect(await exchange.ask(connection, ask)).toEqual({ ok: false, refusal: 'busy', posted: false });
    expect(connection.posted).toHaveLength(1);
  });

  it('gives up after 10,000 and frees its slot', async () => {
    const clock = testClock();
    const exchange = createExchange(clock);
    const connection = testConnection();
    const done = exchange.ask(connection, ask);
    await clock.advance(9_999);
    expect(exchange.offer({ type: 'other' })).toBe(false);
    await clock.advance(1);
    expect(await done).toEqual({ ok: false, refusal: 'timed-out', posted: true });
    expect(exchange.offer({ type: 'kill_status_result' })).toBe(false);
    void exchange.ask(connection, ask);
    expect(connection.posted).toHaveLength(2);
  });

  it('says whether the request went out', async () => {
    const exchange = createExchange(testClock());
    expect(await exchange.ask(null, ask)).toEqual({ ok: false, refusal: 'not-connected', posted: false });
    const gone = testConnection();
    gone.drop();
    expect(await exchange.ask(gone, ask)).toEqual({ ok: false, refusal: 'not-connected', posted: false });
    const deaf = testConnection();
    deaf.takes = false;
    expect(await exchange.ask(deaf, ask)).toEqual({ ok: false, refusal: 'post-failed', posted: false });
    void exchange.ask(testConnection(), ask);
  });

  it.each(['onAttach', 'onDetach'] as const)('fails the open one as detached on %s', async (event) => {
    const clock = testClock();
    const exchange = createExchange(clock);
    const done = exchange.ask(testConnection(), ask);
    exchange[event]();
    expect(await done).toEqual({ ok: false, refusal: 'detached', posted: true });
    expect(clock.armed()).toBe(0);
  });

  it('settles as failed when the answer cannot be read', async () => {
    const exchange = createExchange(testClock());
    const done = exchange.ask(testConnection(), { ...ask, read: () => { throw new Error('no'); } });
    exchange.offer({ type: 'kill_status_result' });
    expect(await done).toEqual({ ok: false, refusal: 'failed', posted: true });
  });

  it('claims: the slot is free at once, the answer comes later', async () => {
    const clock = testClock();
    const exchange = createExchange(clock);
    const connection = testConnection();
    const first = exchange.ask(connection, ask);
    const claimed = exchange.claim({ type: 'kill_status_result' });
    const second = exchange.ask(connection, ask);
    expect(connection.posted).toHaveLength(2);
    claimed?.settle({ type: 'kill_status_result', killed: true });
    expect(await first).toEqual({ ok: true, value: true });
    exchange.claim({ type: 'kill_status_result' })?.fail();
    expect(await second).toEqual({ ok: false, refusal: 'failed', posted: true });
    expect(clock.armed()).toBe(0);
  });

  it('holds: opens the slot with nothing posted', async () => {
    const clock = testClock();
    const exchange = createExchange(clock);
    const connection = testConnection();
    const held = exchange.hold(connection, { replies: ['policy_current'], read: (f) => f.type });
    expect(connection.posted).toEqual([]);
    expect(await exchange.ask(connection, ask)).toMatchObject({ refusal: 'busy' });
    exchange.offer({ type: 'policy_current' });
    expect(await held).toEqual({ ok: true, value: 'policy_current' });
    const late = exchange.hold(connection, { replies: ['policy_current'], read: (f) => f.type });
    await clock.advance(10_000);
    expect(await late).toEqual({ ok: false, refusal: 'timed-out', posted: false });
  });
});
