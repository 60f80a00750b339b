import { describe, expect, it } from 'vitest';
import { deferred, until } from '../../src/async';
import { Cancelled, ToolError } from '../../src/errors';
import { createRequests, type Call } from '../../src/link/requests';
import { outcome, settle, testConnection } from '../util';

function setUp(run: (call: Call) => Promise<unknown> = () => Promise.resolve('done')) {
  const calls: Call[] = [];
  const log: string[] = [];
  const requests = createRequests({
    parse: (frame) =>
      frame.op === 'bad' ? { ok: false, error: 'op: unknown' } : { ok: true, op: String(frame.op), args: {} },
    run: (call) => {
      calls.push(call);
      return run(call);
    },
    log: (m) => log.push(m),
  });
  return { requests, calls, log, connection: testConnection() };
}

describe('a request', () => {
  it('is answered once, on its connection', async () => {
    const { requests, connection } = setUp();
    requests.onRequest({ id: 1, op: 'tab_list' }, connection);
    await settle();
    expect(connection.posted).toEqual([{ id: 1, ok: true, data: 'done' }]);
    expect(requests.running(connection)).toEqual([]);
  });

  it('that does not fit is answered where its id is usable', async () => {
    const { requests, connection, calls } = setUp();
    requests.onRequest({ id: 2, op: 'bad' }, connection);
    requests.onRequest({ id: Number.MAX_SAFE_INTEGER, op: 'bad' }, connection);
    expect(connection.posted).toEqual([
      { id: 2, ok: false, error: 'op: unknown', code: 'INVALID_ARGUMENT' },
      { id: Number.MAX_SAFE_INTEGER, ok: false, error: 'op: unknown', code: 'INVALID_ARGUMENT' },
    ]);
    expect(calls).toEqual([]);
  });

  it.each([['a string', '1'], ['a fraction', 1.5], ['beyond 2^53 - 1', 2 ** 53], ['missing', undefined], ['null', null]])(
    'with an id that is %s is dropped',
    async (_name, id) => {
      const { requests, connection, calls } = setUp();
      requests.onRequest({ id, op: 'tab_list' }, connection);
      requests.onRequest({ id, op: 'bad' }, connection);
      await settle();
      expect(connection.posted).toEqual([]);
      expect(calls).toEqual([]);
    },
  );

  it('with an id that runs already is dropped and logged, fitting or not', async () => {
    const { requests, connection, calls, log } = setUp(() => new Promise(() => undefined));
    requests.onRequest({ id: 1, op: 'tab_list' }, connection);
    requests.onRequest({ id: 1, op: 'tab_list' }, connection);
    requests.onRequest({ id: 1, op: 'bad' }, connection);
    await settle();
    expect(calls).toHaveLength(1);
    expect(connection.posted).toEqual([]);
    expect(log).toHaveLength(2);
  });

  it('may have the id of a call on another connection', async () => {
    const { requests, calls } = setUp();
    const a = testConnection(0, 1);
    const b = testConnection(0, 2);
    requests.onRequest({ id: 1, op: 'x' }, a);
    requests.onRequest({ id: 1, op: 'x' }, b);
    await settle();
    expect(calls).toHaveLength(2);
    expect([a.posted.length, b.posted.length]).toEqual([1, 1]);
  });
});

describe('failures', () => {
  it.each([
    [new ToolError('TAB_NOT_FOUND', 'no tab'), { error: 'no tab', code: 'TAB_NOT_FOUND' }],
    [new Error('boom'), { error: 'boom', code: 'EXECUTION_FAILED' }],
    [new Error(''), { error: 'error', code: 'EXECUTION_FAILED' }],
    ['a string', { error: 'a string', code: 'EXECUTION_FAILED' }],
    [new Error('token=abcdefgh leaked'), { error: '\u2022\u2022\u2022\u2022[redacted] leaked', code: 'EXECUTION_FAILED' }],
  ])('%s', async (thrown, answer) => {
    const { requests, connection } = setUp(() => Promise.reject(thrown));
    requests.onRequest({ id: 1, op: 'x' }, connection);
    await settle();
    expect(connection.posted).toEqual([{ id: 1, ok: false, ...answer }]);
  });

  it.each([
    ['a refusal', (text: string) => new ToolError('EXECUTION_FAILED', text)],
    ['an exception', (text: string) => new Error(text)],
  ])('the text of %s is masked as a whole and cut after that', async (_name, thrown) => {
    const secret = `token=${'s3cr3t'.repeat(100)}`;
    const { requests, connection } = setUp(() => Promise.reject(thrown(`${'x '.repeat(990)}${secret} ${'y '.repeat(5_000_000)}`)));
    requests.onRequest({ id: 1, op: 'x' }, connection);
    await settle();
    const [answer] = connection.posted as { error: string }[];
    expect(answer).toMatchObject({ id: 1, ok: false, code: 'EXECUTION_FAILED' });
    expect(answer?.error).toHaveLength(2_000);
    expect(answer?.error).toBe(`${'x '.repeat(990)}\u2022\u2022\u2022\u2022[redacted] y ...`);
    expect(answer?.error).not.toContain('s3cr3t');
  });

  it('the text about a request that does not fit is cut too', () => {
    const connection = testConnection();
    const requests = createRequests({ parse: () => ({ ok: false, error: 'z '.repeat(1_500) }), run: () => Promise.resolve(), log: () => undefined });
    requests.onRequest({ id: 1, op: 'x' }, connection);
    expect(connection.posted).toMatchObject([{ code: 'INVALID_ARGUMENT', error: `${'z '.repeat(998)}z...` }]);
  });

  it('a result that is too large is refused by its code', async () => {
    const { requests, connection } = setUp(() => Promise.resolve('x'.repeat(9_000_000)));
    requests.onRequest({ id: 1, op: 'x' }, connection);
    await settle();
    expect(connection.posted).toMatchObject([{ id: 1, ok: false, code: 'PAYLOAD_TOO_LARGE' }]);
  });

  it('a gate that throws synchronously answers too', async () => {
    const { requests, connection } = setUp(() => {
      throw new ToolError('TOOL_DISABLED', 'closed');
    });
    requests.onRequest({ id: 1, op: 'x' }, connection);
    await settle();
    expect(connection.posted).toEqual([{ id: 1, ok: false, error: 'closed', code: 'TOOL_DISABLED' }]);
  });
});

describe('cancel', () => {
  it('aborts the call, and nothing is posted for its id, whatever comes late', async () => {
    const late = deferred<unknown>();
    const { requests, connection, calls } = setUp(() => late.promise);
    requests.onRequest({ id: 1, op: 'x' }, connection);
    requests.onCancel({ type: 'cancel', id: 1 }, connection);
    expect(calls[0]?.signal.reason).toBeInstanceOf(Cancelled);
    late.resolve('late');
    await settle();
    expect(connection.posted).toEqual([]);
    expect(requests.running(connection)).toEqual([]);
  });

  it('discards a late failure as well', async () => {
    const late = deferred<unknown>();
    const { requests, connection } = setUp(() => late.promise);
    requests.onRequest({ id: 1, op: 'x' }, connection);
    requests.onCancel({ type: 'cancel', id: 1 }, connection);
    late.reject(new Error('late'));
    await settle();
    expect(connection.posted).toEqual([]);
  });

  it.each([
    ['a string id', { type: 'cancel', id: '1' }],
    ['no id', { type: 'cancel' }],
    ['an extra member', { type: 'cancel', id: 1, why: 'x' }],
    ['another id', { type: 'cancel', id: 2 }],
  ])('with %s is ignored', async (_name, frame) => {
    const { requests, connection, calls } = setUp();
    requests.onRequest({ id: 1, op: 'x' }, connection);
    requests.onCancel(frame, connection);
    await settle();
    expect(calls[0]?.signal.aborted).toBe(false);
    expect(connection.posted).toHaveLength(1);
  });

  it('reaches only calls of its own connection', () => {
    const { requests, calls } = setUp(() => new Promise(() => undefined));
    const a = testConnection(0, 1);
    const b = testConnection(0, 2);
    requests.onRequest({ id: 1, op: 'x' }, a);
    requests.onCancel({ type: 'cancel', id: 1 }, b);
    expect(calls[0]?.signal.aborted).toBe(false);
  });

  it('takes an id that is free again', async () => {
    const never = new Promise(() => undefined);
    const { requests, connection, calls } = setUp(() => never);
    requests.onRequest({ id: 1, op: 'x' }, connection);
    requests.onCancel({ type: 'cancel', id: 1 }, connection);
    requests.onRequest({ id: 1, op: 'x' }, connection);
    expect(calls).toHaveLength(2);
    expect(calls[1]?.signal.aborted).toBe(false);
  });
});

describe('a lost port', () => {
  it('cancels all its operations and answers none', async () => {
    const late = deferred<unknown>();
    const { requests, connection, calls } = setUp(() => late.promise);
    requests.onRequest({ id: 1, op: 'x' }, connection);
    requests.onRequest({ id: 2, op: 'x' }, connection);
    requests.onLost(connection);
    expect(calls.map((c) => c.signal.reason instanceof Cancelled)).toEqual([true, true]);
    late.resolve('late');
    await settle();
    expect(connection.posted).toEqual([]);
  });
});

describe('a gate that closes', () => {
  it('refuses what has not begun and leaves what has', async () => {
    const late = deferred<unknown>();
    const { requests, connection } = setUp((call) => {
      if (call.id === 2) call.begin();
      return until(call.signal, late.promise);
    });
    requests.onRequest({ id: 1, op: 'x' }, connection);
    requests.onRequest({ id: 2, op: 'x' }, connection);
    requests.refuseWaiting(new ToolError('TOOL_DISABLED', 'killed'));
    await settle();
    expect(connection.posted).toEqual([{ id: 1, ok: false, error: 'killed', code: 'TOOL_DISABLED' }]);
    late.resolve('done');
    await settle();
    expect(connection.posted[1]).toEqual({ id: 2, ok: true, data: 'done' });
    expect(await outcome(Promise.resolve(requests.running(connection)))).toEqual({ value: [] });
  });
});

describe('a pipe that does not take the answer', () => {
  it('gets a smaller one in its place', async () => {
    const { requests, connection } = setUp();
    connection.takes = false;
    const post = connection.post.bind(connection);
    let tries = 0;
    connection.post = (frame) => {
      tries += 1;
      connection.takes = tries > 1;
      return post(frame);
    };
    requests.onRequest({ id: 1, op: 'x' }, connection);
    await settle();
    expect(connection.posted).toMatchObject([{ id: 1, ok: false, code: 'PAYLOAD_TOO_LARGE' }]);
  });
});
