import { describe, expect, it, vi } from 'vitest';
import type { PolicyFields } from '@contract/policy';
import { deferred } from '../../src/async';
import { ToolError } from '../../src/errors';
import type { PagePresence } from '../../src/gate/confirm';
import { settle } from '../util';
import { active, paired, pageHalf, world, type World } from './world';

const DOTS = '\u2022'.repeat(4);
const SITE = 'https://a.example';
const CODE = 'return document.title\n// and <b>nothing</b> else';
/** The checks of a pin take turns of their own. */
const rest = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await settle();
};
const never = new Promise(() => undefined);

async function ready(policy: Partial<PolicyFields> = {}, data?: Record<string, unknown>): Promise<World> {
  const w = world(data ?? (await active({ pageEvalEnabled: true, presenceConfirm: false, ...policy })));
  w.allow(SITE);
  w.addTab({ url: `${SITE}/`, title: 'Shop' });
  w.pages.set(1, pageHalf({ _gone: () => never }));
  return w;
}

const unasked = { confirmPageEval: false };

/** The window of a call, once there is one. */
const shown = (w: World): Promise<Record<string, unknown>> =>
  vi.waitFor(async () => {
    const payload = await w.payload();
    if (payload === null) throw new Error('no window yet');
    return payload;
  }, 5_000);

const answered = (w: World, id: number): Promise<Record<string, unknown>> =>
  vi.waitFor(() => {
    const answer = w.answerOf(id);
    if (answer === undefined) throw new Error('no answer yet');
    return answer;
  }, 5_000);

const running = (w: World): Promise<void> => vi.waitFor(() => expect(w.main.ran).toHaveLength(1), 5_000);

describe('the grant', () => {
  it.each([
    ['unpaired', {}, 'genkan pair'],
    ['pinned without a policy', 'paired', 'genkan policy set'],
    ['under a policy that does not grant it', { pageEvalEnabled: false }, 'pageEvalEnabled'],
    ['under a policy that disables it', { disabledTools: ['page_eval'] }, 'disabled'],
  ])('is missing %s: refused before any window', async (_name, given, words) => {
    const w =
      given === 'paired' ? await ready({}, await paired()) : Object.keys(given).length === 0 ? await ready({}, {}) : await ready(given as never);
    expect(await w.call('page_eval', { code: CODE })).toMatchObject({ code: 'TOOL_DISABLED', error: expect.stringContaining(words) });
    expect(await w.payload()).toBeNull();
    expect(w.main.ran).toEqual([]);
  });
});

describe('the window', () => {
  it('shows the whole code as it is, under a clock of its own', async () => {
    const w = await ready({ evalToastTimeoutMs: 7_000 });
    const id = w.request('page_eval', { code: CODE });
    expect(await shown(w)).toMatchObject({
      kind: 'eval', tool: 'page_eval', origin: SITE, tabTitle: 'Shop', detail: CODE, deadline: w.clock.now() + 7_000,
    });
    await w.clock.advance(7_000);
    expect(await answered(w, id)).toMatchObject({ code: 'CONFIRMATION_TIMEOUT' });
    expect(w.main.ran).toEqual([]);
  });

  it('is not cut however long the code is', async () => {
    const w = await ready();
    const code = `/* ${'x'.repeat(60_000)} */`;
    w.request('page_eval', { code });
    expect((await shown(w))?.detail).toBe(code);
  });

  it('is asked for each call, without grace', async () => {
    const w = await ready({ confirmGraceMs: 0 });
    for (let i = 0; i < 2; i++) {
      const id = w.request('page_eval', { code: CODE });
      await shown(w);
      await w.decide(true);
      expect(await answered(w, id)).toMatchObject({ ok: true });
    }
    const id = w.request('page_eval', { code: CODE });
    await shown(w);
    await w.decide(false);
    expect(await answered(w, id)).toMatchObject({ code: 'USER_DENIED' });
    expect(w.main.ran).toHaveLength(2);
  });

  it('is not shown where neither it nor a proof is asked for', async () => {
    const w = await ready(unasked);
    expect(await w.call('page_eval', { code: CODE })).toMatchObject({ ok: true });
    expect(w.main.ran).toEqual([[SITE, CODE, 5_000]]);
  });

  it('goes nowhere when the tab went to another site meanwhile', async () => {
    const w = await ready();
    const id = w.request('page_eval', { code: CODE });
    await shown(w);
    w.tabs.get(1)!.url = 'https://other.example/';
    await w.decide(true);
    expect(await answered(w, id)).toMatchObject({ code: 'EXECUTION_FAILED' });
    expect(w.main.ran).toEqual([]);
  });

  it('is worth nothing once the grant is gone', async () => {
    const w = await ready();
    const id = w.request('page_eval', { code: CODE });
    await shown(w);
    const state = w.store.data.bridgePolicyState as { effective: PolicyFields };
    w.store.data.bridgePolicyState = { ...state, effective: { ...state.effective, pageEvalEnabled: false } };
    await w.decide(true);
    expect(await answered(w, id)).toMatchObject({ code: 'TOOL_DISABLED' });
    expect(w.main.ran).toEqual([]);
  });
});

describe('the proof', () => {
  const held = (answer: PagePresence['answer'] = async () => undefined): PagePresence & { dropped: number } => ({
    request: { nonce: 'n', challenge: 'c', allowedCredentialIds: ['id'] },
    answer,
    dropped: 0,
    drop() {
      this.dropped += 1;
    },
  });

  it.each([
    ['with the window on', { presenceConfirm: true }],
    ['with the window off', { presenceConfirm: true, confirmPageEval: false }],
  ])('is asked of the host in the window, %s', async (_name, policy) => {
    const w = await ready(policy);
    const asked: string[] = [];
    const mine = held();
    w.proof = async (action, origin) => {
      asked.push(`${action} ${origin}`);
      return mine;
    };
    const id = w.request('page_eval', { code: CODE });
    expect(await shown(w)).toMatchObject({ kind: 'eval', presence: mine.request });
    expect(asked).toEqual([`page_eval ${SITE}`]);
    expect(w.confirmations.resolve('c1', true)).toBe(false);
    await rest();
    expect(w.answerOf(id)).toBeUndefined();
    expect(await w.confirmations.prove('c1', 'n', null)).toBe(true);
    expect(await answered(w, id)).toMatchObject({ ok: true });
    expect(w.main.ran).toHaveLength(1);
    expect(mine.dropped).toBe(1);
  });

  it('that the host refuses to ask for denies with its words', async () => {
    const w = await ready({ presenceConfirm: true });
    w.proof = async () => {
      throw new ToolError('EXECUTION_FAILED', 'The host does not take this origin.');
    };
    const id = w.request('page_eval', { code: CODE });
    await vi.waitFor(async () => {
      expect(await w.payload()).toBeNull();
      expect(w.answerOf(id)).toBeDefined();
    }, 5_000);
    expect(await answered(w, id)).toMatchObject({ code: 'EXECUTION_FAILED', error: 'The host does not take this origin.' });
  });

  it('that is not accepted denies, and there is no second attempt', async () => {
    const w = await ready({ presenceConfirm: true });
    w.proof = async () =>
      held(async () => {
        throw new ToolError('USER_DENIED', 'The signature of the authenticator does not hold.');
      });
    const id = w.request('page_eval', { code: CODE });
    await shown(w);
    await expect(w.confirmations.prove('c1', 'n', null)).rejects.toThrow('does not hold');
    expect(await answered(w, id)).toMatchObject({ code: 'USER_DENIED', error: expect.stringContaining('does not hold') });
    expect(await w.confirmations.prove('c1', 'n', null)).toBe(false);
    expect(w.main.ran).toEqual([]);
  });

  it('for another request denies', async () => {
    const w = await ready({ presenceConfirm: true });
    let sent = 0;
    w.proof = async () => held(async () => void (sent += 1));
    const id = w.request('page_eval', { code: CODE });
    await shown(w);
    expect(await w.confirmations.prove('c1', 'other', null)).toBe(false);
    expect(await answered(w, id)).toMatchObject({ code: 'USER_DENIED' });
    expect(sent).toBe(0);
  });

  it('is sent once, however often the window sends it', async () => {
    const w = await ready({ presenceConfirm: true });
    const gate = deferred<void>();
    let sent = 0;
    w.proof = async () =>
      held(() => {
        sent += 1;
        return gate.promise;
      });
    w.request('page_eval', { code: CODE });
    await shown(w);
    const first = w.confirmations.prove('c1', 'n', null);
    expect(await w.confirmations.prove('c1', 'n', null)).toBe(false);
    gate.resolve();
    expect(await first).toBe(true);
    expect(sent).toBe(1);
  });

  it.each([
    ['before the window asked what it shows', false],
    ['of a window that is not there', true],
  ])('%s is nothing', async (_name, asked) => {
    const w = await ready({ presenceConfirm: true });
    w.proof = async () => held();
    w.request('page_eval', { code: CODE });
    if (asked) await shown(w);
    else await rest();
    expect(await w.confirmations.prove(asked ? 'c9' : 'c1', 'n', null)).toBe(false);
  });

  it('that comes after the time is over approves nothing', async () => {
    const w = await ready({ presenceConfirm: true });
    const gate = deferred<void>();
    const mine = held(() => gate.promise);
    w.proof = async () => mine;
    const id = w.request('page_eval', { code: CODE });
    await shown(w);
    const late = w.confirmations.prove('c1', 'n', null);
    await w.clock.advance(45_000);
    gate.resolve();
    expect(await late).toBe(false);
    expect(await answered(w, id)).toMatchObject({ code: 'CONFIRMATION_TIMEOUT' });
    expect(mine.dropped).toBe(1);
    expect(w.main.ran).toEqual([]);
  });

  it.each([
    ['the call is cancelled', (w: World, id: number) => w.cancel(id), undefined],
    ['the request is taken away', (w: World) => taken?.(new ToolError('USER_DENIED', 'The switch is being released.')) ?? w, 'USER_DENIED'],
    ['the switch is used', (w: World) => w.kill.engage(), 'TOOL_DISABLED'],
    ['the user denies', (w: World) => w.confirmations.resolve('c1', false), 'USER_DENIED'],
  ])('is dropped when %s', async (_name, end, code) => {
    const w = await ready({ presenceConfirm: true });
    const mine = held();
    w.proof = async (_action, _origin, onTaken) => {
      taken = onTaken;
      return mine;
    };
    const id = w.request('page_eval', { code: CODE });
    await shown(w);
    end(w, id);
    await vi.waitFor(() => {
      expect(mine.dropped).toBe(1);
      expect(w.answerOf(id)?.code).toBe(code);
    }, 5_000);
    expect(await w.confirmations.prove('c1', 'n', null)).toBe(false);
    expect(w.main.ran).toEqual([]);
  });
  let taken: ((why: ToolError) => void) | undefined;

  it('that the host gives when nobody waits any more is dropped', async () => {
    const w = await ready({ presenceConfirm: true });
    const gate = deferred<void>();
    const mine = held();
    const id = w.request('page_eval', { code: CODE });
    let begun = false;
    w.proof = () => {
      begun = true;
      return gate.promise.then(() => mine);
    };
    const asked: Promise<unknown>[] = [];
    await vi.waitFor(() => {
      asked.push(w.confirmations.ready('c1'));
      expect(begun).toBe(true);
    }, 5_000);
    w.cancel(id);
    gate.resolve();
    for (const payload of asked) expect(await payload).toBeNull();
    await vi.waitFor(() => expect(mine.dropped).toBe(1), 5_000);
  });
});

describe('the result', () => {
  it.each([
    ['a value', { state: 'value', value: { n: 1, list: ['x'] } }, { n: 1, list: ['x'] }],
    ['secrets, masked', { state: 'value', value: { password: 'session_tokenvalue', n: 123456789012 } }, { [`${DOTS}rd`]: `${DOTS}[sensitive]`, n: `${DOTS}[num]` }],
    ['what was thrown, masked', { state: 'value', value: { __evalError: true, name: 'Error', message: 'token=abcdefgh', stack: 'at x' } }, { __evalError: true, name: 'Error', message: `${DOTS}[redacted]`, stack: 'at x' }],
    ['what looks like a failure', { state: 'value', value: { ok: false, error: 'x', code: 'TOOL_DISABLED' } }, { ok: false, error: 'x', code: 'TOOL_DISABLED' }],
  ])('is %s', async (_name, answer, data) => {
    const w = await ready(unasked);
    w.main.answer = answer;
    expect(await w.call('page_eval', { code: CODE })).toMatchObject({ ok: true, data });
  });

  it('is no data for undefined', async () => {
    const w = await ready(unasked);
    expect(await w.call('page_eval', { code: CODE })).toEqual({ id: 1, ok: true });
  });

  it('is as it is where the policy says so', async () => {
    const w = await ready({ ...unasked, evalMask: false });
    w.main.answer = { state: 'value', value: { password: 'session_tokenvalue' } };
    expect(await w.call('page_eval', { code: CODE })).toMatchObject({ data: { password: 'session_tokenvalue' } });
  });

  it.each([
    ['nothing', null],
    ['a string', 'value'],
    ['another state', { state: 'fine' }],
    ['one member more', { state: 'value', value: 1, code: 'X' }],
  ])('is refused where the page answers %s', async (_name, answer) => {
    const w = await ready(unasked);
    w.main.answer = answer;
    expect(await w.call('page_eval', { code: CODE })).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('does not fit') });
  });

  it('is too large over the limit of a response', async () => {
    const w = await ready(unasked);
    w.main.answer = { state: 'value', value: Array(900).fill('ab '.repeat(3_300)) };
    expect(await w.call('page_eval', { code: CODE })).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });
});

describe('failures', () => {
  it.each([
    ['a policy that forbids code from strings', { state: 'refused' }, 'UNSUPPORTED_PAGE', 'CDP mode'],
    ['another document', { state: 'origin' }, 'EXECUTION_FAILED', 'another site'],
    ['a result without end', { state: 'large' }, 'PAYLOAD_TOO_LARGE', 'too large'],
    ['a browser that keeps us out', () => Promise.reject(new Error('The extensions gallery cannot be scripted.')), 'UNSUPPORTED_PAGE', 'gallery'],
    ['a page that has crashed', () => Promise.reject(new Error('Cannot access contents of the page.')), 'EXECUTION_FAILED', 'page_reload'],
    ['a document that went away', () => Promise.reject(new Error('Frame with ID 0 was removed.')), 'EXECUTION_FAILED', 'went away'],
  ])('%s', async (_name, answer, code, words) => {
    const w = await ready(unasked);
    w.main.answer = answer;
    expect(await w.call('page_eval', { code: CODE })).toMatchObject({ code, error: expect.stringContaining(words) });
  });

  it('a permission that is gone', async () => {
    const w = await ready(unasked);
    w.main.answer = () => {
      w.held.clear();
      return Promise.reject(new Error('Cannot access contents of the page.'));
    };
    expect(await w.call('page_eval', { code: CODE })).toMatchObject({ code: 'HOST_PERMISSION_MISSING', error: expect.stringContaining('permission') });
  });

  it('a tab that was closed', async () => {
    const w = await ready(unasked);
    w.main.answer = () => {
      w.tabs.delete(1);
      throw new Error('No tab with id: 1.');
    };
    expect(await w.call('page_eval', { code: CODE })).toMatchObject({ code: 'TAB_NOT_FOUND' });
  });

  it('a document that went into the cache, where the browser never answers', async () => {
    const w = await ready(unasked);
    w.main.answer = () => never;
    const id = w.request('page_eval', { code: CODE });
    await running(w);
    await rest();
    w.breakChannel(1);
    expect(await answered(w, id)).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('went away') });
  });

  it('code that never ends, after 110,000', async () => {
    const w = await ready(unasked);
    w.main.answer = () => never;
    const id = w.request('page_eval', { code: CODE });
    await running(w);
    await w.clock.advance(109_999);
    await rest();
    expect(w.answerOf(id)).toBeUndefined();
    await w.clock.advance(1);
    expect(await answered(w, id)).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('dialog') });
  });

  it('a cancel: nothing is answered, whatever still comes', async () => {
    const w = await ready(unasked);
    const gate = deferred<unknown>();
    w.main.answer = () => gate.promise;
    const id = w.request('page_eval', { code: CODE });
    await running(w);
    w.cancel(id);
    gate.resolve({ state: 'value', value: 1 });
    await rest();
    expect(w.answerOf(id)).toBeUndefined();
  });

  it.each(['   ', '\n\t'])('white space only: %j', async (code) => {
    const w = await ready(unasked);
    expect(await w.call('page_eval', { code })).toMatchObject({ code: 'INVALID_ARGUMENT', error: expect.stringContaining('code') });
  });
});

describe('CDP mode', () => {
  const cdp = { ...unasked, cdpMode: true };
  const said = (value: unknown) => ({ 'Runtime.evaluate': { result: { type: 'object', value } } });

  it('evaluates the whole of it, with the code as an argument', async () => {
    const w = await ready(cdp);
    let asked: Record<string, unknown> = {};
    w.debugger.answers['Runtime.evaluate'] = (params: Record<string, unknown>) => {
      asked = params;
      return { result: { value: { state: 'value', value: { n: 1, auth_x: 'session_tokenvalue' } } } };
    };
    expect(await w.call('page_eval', { code: CODE })).toMatchObject({ data: { n: 1, [`${DOTS}_x`]: `${DOTS}[sensitive]` } });
    expect(asked).toMatchObject({ awaitPromise: true, returnByValue: true, userGesture: true });
    expect(asked.expression).toContain(`(...${JSON.stringify([SITE, CODE, 5_000])})`);
    expect(w.main.ran).toEqual([]);
  });

  it('asks once more where a document that is being parsed refused', async () => {
    const w = await ready(cdp);
    let times = 0;
    w.debugger.answers['Runtime.evaluate'] = () => {
      times += 1;
      return { result: { value: times === 1 ? { state: 'refused' } : { state: 'value', value: 2 } } };
    };
    expect(await w.call('page_eval', { code: CODE })).toMatchObject({ data: 2 });
    expect(times).toBe(2);
  });

  it.each([
    ['another document', said({ state: 'origin' }), 'another site'],
    ['an answer that does not fit', said('x'), 'does not fit'],
    ['an exception', { 'Runtime.evaluate': { result: {}, exceptionDetails: { text: 'x' } } }, 'does not fit'],
    ['a context that is gone', { 'Runtime.evaluate': () => Promise.reject(new Error('Execution context was destroyed.')) }, 'went away'],
  ])('fails for %s', async (_name, answers, words) => {
    const w = await ready(cdp);
    Object.assign(w.debugger.answers, answers);
    expect(await w.call('page_eval', { code: CODE })).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining(words) });
  });

  it('is not used where the policy does not grant it', async () => {
    const w = await ready(unasked);
    await w.call('page_eval', { code: CODE });
    expect(w.debugger.log).toEqual([]);
  });
});
