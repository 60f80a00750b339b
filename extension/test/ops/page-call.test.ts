import { describe, expect, it } from 'vitest';
import { Cancelled } from '../../src/errors';
import { Budget } from '../../src/ops/context';
import { ChannelLost, createPageCaller } from '../../src/ops/page-call';
import { OTHER_INSTANCE } from '../../src/page-channel';
import { outcome, refusal, settle, testClock } from '../util';

type Message = { op: string; [k: string]: unknown };

function setUp(page: (m: Message) => unknown, opts: { injected?: boolean; injectFails?: string; deaf?: boolean; token?: () => string } = {}) {
  const clock = testClock();
  const sent: Message[] = [];
  let injected = opts.injected ?? true;
  let injections = 0;
  const caller = createPageCaller(
    {
      sendMessage: async (_tab, _frame, raw) => {
        const message = raw as Message;
        sent.push(message);
        if (!injected) throw new Error('Could not establish connection. Receiving end does not exist.');
        if (message.op === 'ping') return opts.deaf ? new Promise(() => undefined) : { ok: true, data: { token: opts.token?.() ?? 't' } };
        return page(message);
      },
      inject: async () => {
        injections += 1;
        if (opts.injectFails !== undefined) throw new Error(opts.injectFails);
        injected = true;
      },
    },
    clock,
  );
  const stop = new AbortController();
  const budget = new Budget(30_000);
  const scroll = (onToken: (token: string) => void = () => undefined) =>
    caller.ask({ tabId: 1, frameId: 0 }, 'page_scroll', { expectOrigin: 'https://a', args: { pixels: 1 } }, { signal: stop.signal, budget, onToken });
  const leave = () => {
    injected = false;
  };
  return { clock, sent, caller, stop, budget, scroll, leave, injections: () => injections };
}

const good = { ok: true, data: { scrollY: 1, scrollX: 0 } };

describe('a question to the page', () => {
  it('goes out once somebody answers the ping, injecting first where nobody does', async () => {
    const there = setUp(() => good);
    expect(await there.scroll()).toEqual({ scrollY: 1, scrollX: 0 });
    expect(there.injections()).toBe(0);
    const absent = setUp(() => good, { injected: false });
    expect(await absent.scroll()).toEqual({ scrollY: 1, scrollX: 0 });
    expect(absent.injections()).toBe(1);
    expect(absent.sent.map((m) => m.op)).toEqual(['ping', 'ping', 'page_scroll']);
  });

  it('carries version, call and expected origin', async () => {
    const w = setUp(() => good);
    await w.scroll();
    await w.scroll();
    expect(w.sent.filter((m) => m.op === 'page_scroll')).toEqual([
      { v: 1, op: 'page_scroll', expectOrigin: 'https://a', args: { pixels: 1 }, call: 1 },
      { v: 1, op: 'page_scroll', expectOrigin: 'https://a', args: { pixels: 1 }, call: 2, token: 't' },
    ]);
  });

  it('goes without a ping to an instance that is known', async () => {
    const w = setUp(() => good);
    for (let i = 0; i < 3; i++) await w.scroll();
    expect(w.sent.map((m) => m.op)).toEqual(['ping', 'page_scroll', 'page_scroll', 'page_scroll']);
  });

  it('is repeated for the instance that took the place of a known one, which has done nothing', async () => {
    const tokens: string[] = [];
    let there = 't';
    const w = setUp((m) => (m.token !== undefined && m.token !== there ? { ok: false, error: OTHER_INSTANCE, code: 'EXECUTION_FAILED' } : good), {
      token: () => there,
    });
    await w.scroll();
    there = 'u';
    expect(await w.scroll((t) => tokens.push(t))).toEqual({ scrollY: 1, scrollX: 0 });
    expect(w.sent.slice(2).map((m) => [m.op, m.token])).toEqual([['page_scroll', 't'], ['ping', undefined], ['page_scroll', undefined]]);
    expect(tokens).toEqual(['t', 'u']);
    await w.scroll();
    expect(w.sent.at(-1)).toMatchObject({ op: 'page_scroll', token: 'u' });
  });

  it('is put into the document that took the place of a known one, where nobody listens', async () => {
    const w = setUp(() => good);
    await w.scroll();
    w.leave();
    expect(await w.scroll()).toEqual({ scrollY: 1, scrollX: 0 });
    expect(w.injections()).toBe(1);
    expect(w.sent.slice(2).map((m) => m.op)).toEqual(['page_scroll', 'ping', 'ping', 'page_scroll']);
  });

  it('is lost, and not repeated, where a known instance went away under it', async () => {
    const w = setUp((m) => {
      if (m.call === 2) throw new Error('The message port closed before a response was received.');
      return good;
    });
    await w.scroll();
    expect(await outcome(w.scroll())).toMatchObject({ error: expect.any(ChannelLost) });
    expect(w.sent.map((m) => m.op)).toEqual(['ping', 'page_scroll', 'page_scroll']);
  });

  it('takes the words of another instance for those of the page where it named none', async () => {
    const w = setUp(() => ({ ok: false, error: OTHER_INSTANCE, code: 'EXECUTION_FAILED' }));
    expect(await refusal(w.scroll())).toEqual({ code: 'EXECUTION_FAILED', message: OTHER_INSTANCE });
    expect(w.sent).toHaveLength(2);
  });

  it.each([
    ['The extensions gallery cannot be scripted.', 'UNSUPPORTED_PAGE'],
    ['Frame with ID 0 is showing error page', 'UNSUPPORTED_PAGE'],
    ['No tab with id: 7', 'TAB_NOT_FOUND'],
    ['Frame with ID 12 was removed.', 'EXECUTION_FAILED'],
    ['No frame with id 12 in tab with id 7', 'EXECUTION_FAILED'],
    [
      'Cannot access contents of url "https://a/". Extension manifest must request permission to access this host.',
      'HOST_PERMISSION_MISSING',
    ],
  ])('is refused where nothing can be injected: %s', async (why, code) => {
    const w = setUp(() => good, { injected: false, injectFails: why });
    expect(await refusal(w.scroll())).toMatchObject({ code });
  });
});

describe('the reply', () => {
  it.each([
    ['a string', 'text'],
    ['nothing', undefined],
    ['null', null],
    ['an extra member', { ...good, extra: 1 }],
    ['data that does not fit', { ok: true, data: { scrollY: 'x', scrollX: 0 } }],
    ['data with an extra member', { ok: true, data: { scrollY: 1, scrollX: 0, more: 1 } }],
    ['a failure without a code', { ok: false, error: 'x' }],
    ['a failure without end', { ok: false, error: 'x'.repeat(20_001), code: 'EXECUTION_FAILED' }],
    ['a code that is not for the page to give', { ok: false, error: 'x', code: 'TOOL_DISABLED' }],
    ['both', { ok: true, data: good.data, error: 'x' }],
  ])('that is %s is refused', async (_name, reply) => {
    expect(await refusal(setUp(() => reply).scroll())).toEqual({
      code: 'EXECUTION_FAILED',
      message: 'The page gave an answer that does not fit.',
    });
  });

  it('that says no is the answer', async () => {
    const w = setUp(() => ({ ok: false, error: 'bad selector', code: 'INVALID_ARGUMENT' }));
    expect(await refusal(w.scroll())).toEqual({ code: 'INVALID_ARGUMENT', message: 'bad selector' });
  });

  it('that looks like an error inside data stays data', async () => {
    const w = setUp(() => ({ ok: true, data: { pressed: '{"ok":false,"error":"x"}' } }));
    const got = await w.caller.ask(
      { tabId: 1, frameId: 0 },
      'page_press',
      { expectOrigin: 'https://a', args: { keys: 'x' } },
      { signal: w.stop.signal, budget: w.budget },
    );
    expect(got).toEqual({ pressed: '{"ok":false,"error":"x"}' });
  });
});

describe('a page that goes away', () => {
  it('under the question is told from one that says no', async () => {
    const w = setUp(() => {
      throw new Error('The page keeping the extension port is moved into back/forward cache');
    });
    expect(await outcome(w.scroll())).toMatchObject({ error: expect.any(ChannelLost) });
  });
});

describe('time', () => {
  it('is bounded where nobody answers the question, and the page is told to stop', async () => {
    const w = setUp((m) => (m.op === '_abort' ? { ok: true, data: {} } : new Promise(() => undefined)));
    const asked = refusal(w.scroll());
    await w.clock.advance(29_999);
    expect(w.sent.some((m) => m.op === '_abort')).toBe(false);
    await w.clock.advance(1);
    expect(await asked).toMatchObject({ code: 'EXECUTION_FAILED', message: expect.stringContaining('dialog') });
    await settle();
    expect(w.sent.at(-1)).toEqual({ v: 1, op: '_abort', args: { call: 1 } });
    expect(w.budget.left).toBeLessThanOrEqual(0);
  });

  it('is bounded where nobody answers the ping', async () => {
    const w = setUp(() => good, { deaf: true });
    const asked = refusal(w.scroll());
    await w.clock.advance(30_000);
    expect(await asked).toMatchObject({ code: 'EXECUTION_FAILED' });
  });

  it('is one budget for all questions of a call', async () => {
    const w = setUp(async () => good);
    const slow = setUp(
      () =>
        new Promise((resolve) => {
          slow.clock.after(20_000, () => resolve(good));
        }),
    );
    await w.scroll();
    expect(w.budget.left).toBe(30_000);
    const first = slow.scroll();
    await slow.clock.advance(20_000);
    await first;
    expect(slow.budget.left).toBe(10_000);
    const second = refusal(slow.scroll());
    await slow.clock.advance(10_000);
    expect(await second).toMatchObject({ code: 'EXECUTION_FAILED' });
  });
});

describe('cancel', () => {
  it('ends the question at once and tells the page', async () => {
    const w = setUp((m) => (m.op === '_abort' ? { ok: true, data: {} } : new Promise(() => undefined)));
    const asked = outcome(w.scroll());
    await settle();
    w.stop.abort(new Cancelled());
    expect(await asked).toMatchObject({ error: expect.any(Cancelled) });
    await settle();
    expect(w.sent.at(-1)).toMatchObject({ op: '_abort', args: { call: 1 } });
  });

  it('before the question keeps it from going out', async () => {
    const w = setUp(() => good, { deaf: true });
    const asked = outcome(w.scroll());
    await settle();
    w.stop.abort(new Cancelled());
    expect(await asked).toMatchObject({ error: expect.any(Cancelled) });
    expect(w.sent.map((m) => m.op)).toEqual(['ping']);
  });
});
