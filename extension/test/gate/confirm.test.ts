import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/async';
import { Cancelled, ToolError } from '../../src/errors';
import { createConfirmations, type ConfirmRequest } from '../../src/gate/confirm';
import { ConfirmPayload } from '../../src/messages';
import { outcome, settle, testClock } from '../util';

function setUp() {
  const clock = testClock();
  const windows = { opened: [] as string[], closed: [] as number[], fail: false, hold: null as Promise<void> | null, closing: null as Promise<void> | null };
  let next = 0;
  const confirmations = createConfirmations({
    clock,
    provider: {
      open: async (id) => {
        windows.opened.push(id);
        const mine = windows.opened.length;
        if (windows.hold !== null) await windows.hold;
        if (windows.fail) throw new Error('no window');
        return 100 + mine;
      },
      close: async (id) => {
        windows.closed.push(id);
        if (windows.closing !== null) await windows.closing;
      },
    },
    cid: () => `c${++next}`,
    log: () => undefined,
  });
  const stop = new AbortController();
  const ask = (change: Partial<ConfirmRequest> = {}, signal = stop.signal) =>
    outcome(confirmations.confirm({ ...request, ...change }, signal));
  return { clock, windows, confirmations, stop, ask };
}

const request: ConfirmRequest = {
  kind: 'click',
  tool: 'page_click',
  origin: 'https://a.example',
  tabTitle: 'A',
  detail: 'submit: Pay',
  timeoutMs: 30_000,
};
const grace = (action = 'submit', tabId = 1, forMs = 60_000) => ({ grace: { tabId, action, forMs } });
const ok = { value: undefined };
const denied = { error: { code: 'USER_DENIED' } };

describe('a window', () => {
  it('gets the payload of its request, and nothing else', async () => {
    const w = setUp();
    const asked = w.ask();
    await settle();
    const payload = await w.confirmations.ready('c1');
    expect(payload).toEqual({
      id: 'c1',
      kind: 'click',
      tool: 'page_click',
      deadline: w.clock.now() + 30_000,
      origin: 'https://a.example',
      tabTitle: 'A',
      detail: 'submit: Pay',
    });
    expect(ConfirmPayload.safeParse(payload).success).toBe(true);
    expect(w.confirmations.resolve('c1', true)).toBe(true);
    expect(await asked).toEqual(ok);
    expect(w.windows.closed).toEqual([101]);
  });

  it.each(['click', 'press', 'select', 'tab_close', 'fill'] as const)('of kind %s carries its kind', async (kind) => {
    const w = setUp();
    void w.ask({ kind });
    await settle();
    expect(await w.confirmations.ready('c1')).toMatchObject({ kind });
  });

  it('is denied by Deny, by being closed, by time, and by not being made', async () => {
    const w = setUp();
    let asked = w.ask();
    await settle();
    w.confirmations.resolve('c1', false);
    expect(await asked).toMatchObject(denied);

    asked = w.ask();
    await settle();
    w.confirmations.onWindowRemoved(999);
    w.confirmations.onWindowRemoved(102);
    expect(await asked).toMatchObject(denied);

    asked = w.ask();
    await w.clock.advance(29_999);
    expect(await w.confirmations.ready('c3')).not.toBeNull();
    await w.clock.advance(1);
    expect(await asked).toMatchObject({ error: { code: 'CONFIRMATION_TIMEOUT' } });
    expect(w.windows.closed).toContain(103);

    w.windows.fail = true;
    expect(await w.ask()).toMatchObject(denied);
    expect(w.clock.armed()).toBe(0);
  });

  it('starts its clock when it is shown', async () => {
    const w = setUp();
    const gate = deferred<void>();
    w.windows.hold = gate.promise;
    const asked = w.ask({ timeoutMs: 1_000 });
    await w.clock.advance(900);
    const early = w.confirmations.ready('c1');
    gate.resolve();
    await settle();
    expect((await early)?.deadline).toBe(w.clock.now() + 1_000);
    await w.clock.advance(999);
    expect(w.confirmations.resolve('c1', true)).toBe(true);
    expect(await asked).toEqual(ok);
  });

  it('that never comes is a denial, and one that comes too late is closed', async () => {
    const w = setUp();
    const gate = deferred<void>();
    w.windows.hold = gate.promise;
    const asked = w.ask({ timeoutMs: 1_000 });
    await w.clock.advance(1_000);
    expect(await asked).toMatchObject(denied);
    gate.resolve();
    await settle();
    expect(w.windows.closed).toEqual([101]);
  });

  it('closed while it is still being made is a denial', async () => {
    const w = setUp();
    const gate = deferred<void>();
    w.windows.hold = gate.promise;
    const asked = w.ask();
    await settle();
    w.confirmations.onWindowRemoved(101);
    gate.resolve();
    expect(await asked).toMatchObject(denied);
  });
});

describe('resolution', () => {
  it('is single use and checked against the id', async () => {
    const w = setUp();
    const asked = w.ask();
    await settle();
    expect(w.confirmations.resolve('c0', true)).toBe(false);
    expect(await w.confirmations.ready('c0')).toBeNull();
    expect(w.confirmations.resolve('c1', false)).toBe(true);
    expect(w.confirmations.resolve('c1', true)).toBe(false);
    expect(await w.confirmations.ready('c1')).toBeNull();
    expect(await asked).toMatchObject(denied);
  });

  it('of a stale id approves nothing', async () => {
    const w = setUp();
    const first = w.ask();
    await settle();
    w.confirmations.resolve('c1', false);
    await first;
    const second = w.ask();
    await settle();
    expect(w.confirmations.resolve('c1', true)).toBe(false);
    w.confirmations.resolve('c2', false);
    expect(await second).toMatchObject(denied);
  });
});

describe('a denial', () => {
  it('is told before its window is gone, and the next window waits for that', async () => {
    const w = setUp();
    const gone = deferred<void>();
    w.windows.closing = gone.promise;
    const first = w.ask();
    const second = w.ask();
    await settle();
    w.confirmations.resolve('c1', false);
    expect(await first).toMatchObject(denied);
    await settle();
    expect(w.windows.opened).toEqual(['c1']);
    gone.resolve();
    await settle();
    expect(w.windows.opened).toEqual(['c1', 'c2']);
    w.confirmations.resolve('c2', true);
    expect(await second).toEqual(ok);
  });
});

describe('the queue', () => {
  it('shows one window at a time, first in, first out', async () => {
    const w = setUp();
    const a = w.ask({ detail: 'a' });
    const b = w.ask({ detail: 'b' });
    await settle();
    expect(w.windows.opened).toEqual(['c1']);
    expect(await w.confirmations.ready('c2')).toBeNull();
    w.confirmations.resolve('c1', true);
    await a;
    await settle();
    expect(w.windows.opened).toEqual(['c1', 'c2']);
    expect(await w.confirmations.ready('c2')).toMatchObject({ detail: 'b' });
    w.confirmations.resolve('c2', true);
    expect(await b).toEqual(ok);
  });

  it('spends no time of anybody else', async () => {
    const w = setUp();
    void w.ask();
    const b = w.ask({ timeoutMs: 1_000 });
    await w.clock.advance(29_000);
    w.confirmations.resolve('c1', true);
    await settle();
    await w.clock.advance(999);
    w.confirmations.resolve('c2', true);
    expect(await b).toEqual(ok);
  });

  it('goes on after a failure', async () => {
    const w = setUp();
    w.windows.fail = true;
    const a = w.ask();
    const b = w.ask();
    expect(await a).toMatchObject(denied);
    expect(await b).toMatchObject(denied);
    w.windows.fail = false;
    const c = w.ask();
    await settle();
    w.confirmations.resolve('c3', true);
    expect(await c).toEqual(ok);
  });

  it('drops a call that is cancelled while queued, unseen', async () => {
    const w = setUp();
    void w.ask();
    const stop = new AbortController();
    const b = w.ask({}, stop.signal);
    await settle();
    stop.abort(new Cancelled());
    expect(await b).toMatchObject({ error: expect.any(Cancelled) });
    w.confirmations.resolve('c1', true);
    await settle();
    expect(w.windows.opened).toEqual(['c1']);
  });

  it('closes the window of a call that is cancelled or refused, and shows the next', async () => {
    const w = setUp();
    const stop = new AbortController();
    const a = w.ask({}, stop.signal);
    void w.ask();
    await settle();
    stop.abort(new ToolError('TOOL_DISABLED', 'killed'));
    expect(await a).toMatchObject({ error: { code: 'TOOL_DISABLED' } });
    await settle();
    expect(w.windows.closed).toEqual([101]);
    expect(w.windows.opened).toEqual(['c1', 'c2']);
  });

  it('closes a window that was still being made for a call that is cancelled', async () => {
    const w = setUp();
    const gate = deferred<void>();
    w.windows.hold = gate.promise;
    const a = w.ask();
    await settle();
    w.stop.abort(new Cancelled());
    expect(await a).toMatchObject({ error: expect.any(Cancelled) });
    gate.resolve();
    await settle();
    expect(w.windows.closed).toEqual([101]);
  });
});

describe('grace', () => {
  const approve = async (w: ReturnType<typeof setUp>, change: Partial<ConfirmRequest>) => {
    const asked = w.ask(change);
    await settle();
    w.confirmations.resolve(w.windows.opened.at(-1) as string, true);
    expect(await asked).toEqual(ok);
  };

  it('covers the same tab, origin and action until it is over', async () => {
    const w = setUp();
    await approve(w, grace());
    await w.clock.advance(59_999);
    expect(await w.ask(grace())).toEqual(ok);
    expect(w.windows.opened).toHaveLength(1);
    await w.clock.advance(1);
    void w.ask(grace());
    await settle();
    expect(w.windows.opened).toHaveLength(2);
  });

  it.each([
    ['another action', { ...grace('navigate') }],
    ['another tab', { ...grace('submit', 2) }],
    ['another origin', { ...grace(), origin: 'https://b.example' }],
    ['a kind without grace', { kind: 'press' as const }],
  ])('does not cover %s', async (_name, change) => {
    const w = setUp();
    await approve(w, grace());
    void w.ask(change);
    await settle();
    expect(w.windows.opened).toHaveLength(2);
  });

  it('is remembered for one key only: a new approval replaces it', async () => {
    const w = setUp();
    await approve(w, grace('submit'));
    await approve(w, grace('navigate'));
    expect(w.confirmations.covered({ ...request, ...grace('submit') })).toBe(false);
    expect(w.confirmations.covered({ ...request, ...grace('navigate') })).toBe(true);
  });

  it('is never given at 0, nor by a denial', async () => {
    const w = setUp();
    await approve(w, grace('submit', 1, 0));
    expect(w.confirmations.covered({ ...request, ...grace() })).toBe(false);
    void w.ask(grace());
    await settle();
    w.confirmations.resolve('c2', false);
    await settle();
    expect(w.confirmations.covered({ ...request, ...grace() })).toBe(false);
  });

  it.each([
    // remembered, present, age, covered
    [60_000, 10_000, 9_999, true],
    [60_000, 10_000, 10_000, false],
    [10_000, 60_000, 9_999, true],
    [10_000, 60_000, 10_000, false],
    [60_000, 0, 0, false],
    [0, 60_000, 0, false],
    [60_000, 60_000, 0, true],
  ])('given for %i ms, under a policy of %i ms, after %i ms: %s', async (given, present, age, covered) => {
    const w = setUp();
    await approve(w, grace('submit', 1, given));
    await w.clock.advance(age);
    expect(w.confirmations.covered({ ...request, ...grace('submit', 1, present) })).toBe(covered);
  });

  it('is replaced by an approval that gives none', async () => {
    const w = setUp();
    await approve(w, grace('submit'));
    await approve(w, grace('navigate', 1, 0));
    expect(w.confirmations.covered({ ...request, ...grace('submit') })).toBe(false);
  });

  it('is forgotten when it is told to, and given anew by the next approval', async () => {
    const w = setUp();
    await approve(w, grace());
    w.confirmations.forget();
    expect(w.confirmations.covered({ ...request, ...grace() })).toBe(false);
    await approve(w, grace());
    expect(w.windows.opened).toHaveLength(2);
    expect(w.confirmations.covered({ ...request, ...grace() })).toBe(true);
  });

  it('that is forgotten while the window closes does not come back', async () => {
    const w = setUp();
    const gone = deferred<void>();
    w.windows.closing = gone.promise;
    const asked = w.ask(grace());
    await settle();
    w.confirmations.resolve('c1', true);
    await settle();
    w.confirmations.forget();
    gone.resolve();
    expect(await asked).toEqual(ok);
    expect(w.confirmations.covered({ ...request, ...grace() })).toBe(false);
  });

  it('runs from the approval, not from the end of its window', async () => {
    const w = setUp();
    const gone = deferred<void>();
    w.windows.closing = gone.promise;
    const asked = w.ask(grace());
    await settle();
    w.confirmations.resolve('c1', true);
    await w.clock.advance(1_000);
    gone.resolve();
    await asked;
    await w.clock.advance(58_999);
    expect(w.confirmations.covered({ ...request, ...grace() })).toBe(true);
    await w.clock.advance(1);
    expect(w.confirmations.covered({ ...request, ...grace() })).toBe(false);
  });

  it('covers what was queued behind the window that gave it', async () => {
    const w = setUp();
    const a = w.ask(grace());
    const b = w.ask(grace());
    await settle();
    w.confirmations.resolve('c1', true);
    expect(await a).toEqual(ok);
    expect(await b).toEqual(ok);
    expect(w.windows.opened).toEqual(['c1']);
  });
});

describe('the audit of windows', () => {
  const request = { kind: 'click', tool: 'page_click', origin: 'https://a', tabTitle: '', detail: 'secret', timeoutMs: 1_000 } as const;

  function audited(open: () => Promise<number> = async () => 1) {
    const seen: string[] = [];
    const clock = testClock();
    const confirmations = createConfirmations({
      clock, provider: { open, close: async () => undefined }, cid: () => 'c', log: () => undefined,
      audit: (kind, payload) => seen.push(`${kind} ${payload.id}`),
    });
    const asked = outcome(confirmations.confirm(request, new AbortController().signal));
    return { seen, clock, confirmations, asked };
  }

  it.each([
    [true, 'confirm_allowed c'],
    [false, 'confirm_denied c'],
  ])('answered %s', async (approved, last) => {
    const { seen, confirmations, asked } = audited();
    await settle();
    expect(seen).toEqual(['confirm_shown c']);
    confirmations.resolve('c', approved);
    await asked;
    expect(seen).toEqual(['confirm_shown c', last]);
  });

  it('one that runs out is denied', async () => {
    const { seen, clock, asked } = audited();
    await clock.advance(1_000);
    await asked;
    expect(seen).toEqual(['confirm_shown c', 'confirm_denied c']);
  });

  it('one that never came is denied, not shown', async () => {
    const { seen, asked } = audited(() => Promise.reject(new Error('no')));
    await asked;
    expect(seen).toEqual(['confirm_denied c']);
  });
});
