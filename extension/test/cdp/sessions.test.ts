import { describe, expect, it, vi } from 'vitest';
import { deferred, type Deferred } from '../../src/async';
import { Cancelled, ToolError } from '../../src/errors';
import { createSessions, nextEvent, type Attached, type Use } from '../../src/cdp/sessions';
import { outcome, refusal, settle, testClock } from '../util';

/** A browser in which a second attach of ours fails, and whose answers can be held back. */
function setUp() {
  const log: string[] = [];
  const attached = new Set<number>();
  const hold = { attach: null as Deferred<void> | null, detach: null as Deferred<void> | null };
  const state = {
    mode: true as boolean | Error,
    target: null as ToolError | null,
    closed: null as ToolError | null,
    answers: {} as Record<string, unknown>,
  };
  const clock = testClock();
  const sessions = createSessions({
    clock,
    browser: {
      attach: async (tab) => {
        log.push(`attach ${tab}`);
        if (hold.attach !== null) await hold.attach.promise;
        if (attached.has(tab)) throw new Error('Another debugger is already attached to the tab with id: 1.');
        attached.add(tab);
      },
      detach: async (tab) => {
        log.push(`detach ${tab}`);
        if (hold.detach !== null) await hold.detach.promise;
        if (!attached.delete(tab)) throw new Error('Debugger is not attached to the tab with id: 1.');
      },
      command: async (_tab, method, params) => {
        log.push(method);
        const answer = state.answers[method];
        return typeof answer === 'function' ? (answer as (p: unknown) => unknown)(params) : (answer ?? {});
      },
    },
    target: async () => {
      if (state.target !== null) throw state.target;
    },
    mode: async () => {
      if (state.mode instanceof Error) throw state.mode;
      return state.mode;
    },
    closed: () => state.closed,
    log: () => undefined,
  });
  const stop = new AbortController();
  const fine: Use = { signal: stop.signal, allowed: async () => undefined, needsMode: false };
  return { log, attached, hold, state, sessions, clock, stop, fine, moded: { ...fine, needsMode: true } };
}
const nothing = async (): Promise<void> => undefined;
const hang = (): Promise<never> => new Promise<never>(() => undefined);

describe('a transient attach', () => {
  it('does not attach once nothing is served, and takes back an attach that was under way', async () => {
    const w = setUp();
    const killed = new ToolError('TOOL_DISABLED', 'killed');
    w.state.closed = killed;
    expect(await outcome(w.sessions.during(1, w.fine, nothing))).toEqual({ error: killed });
    expect(w.log).toEqual([]);
    w.state.closed = null;
    w.hold.attach = deferred();
    const meanwhile = outcome(w.sessions.during(1, w.fine, nothing));
    await settle();
    w.state.closed = killed;
    w.hold.attach.resolve();
    expect(await meanwhile).toEqual({ error: killed });
    expect(w.log).toEqual(['attach 1', 'detach 1']);
    expect(w.attached.size).toBe(0);
  });

  it('attaches, works, detaches', async () => {
    const w = setUp();
    expect(await w.sessions.during(1, w.fine, async ({ command, fresh }) => (await command('Page.x'), fresh))).toBe(true);
    expect(w.log).toEqual(['attach 1', 'Page.x', 'detach 1']);
    expect(w.sessions.has(1)).toBe(false);
  });

  it('detaches after work that fails', async () => {
    const w = setUp();
    expect(await refusal(w.sessions.during(1, w.fine, async () => { throw new Error('broken'); }))).toMatchObject({ message: 'broken' });
    expect(w.attached.size).toBe(0);
  });

  it('is shared by calls that overlap, and ends with the last', async () => {
    const w = setUp();
    const first = deferred<void>();
    const second = deferred<void>();
    const fresh: boolean[] = [];
    const one = w.sessions.during(1, w.fine, (tab) => (fresh.push(tab.fresh), first.promise));
    await settle();
    const two = w.sessions.during(1, w.fine, (tab) => (fresh.push(tab.fresh), second.promise));
    await settle();
    first.resolve();
    await one;
    expect(w.log).toEqual(['attach 1']);
    second.resolve();
    await two;
    expect(w.log).toEqual(['attach 1', 'detach 1']);
    expect(fresh).toEqual([true, false]);
  });

  it('of calls that come at once is one attach, and of other tabs their own', async () => {
    const w = setUp();
    w.hold.attach = deferred<void>();
    const all = [1, 1, 2].map((tab) => w.sessions.during(tab, w.fine, async () => tab));
    await settle();
    expect(w.log).toEqual(['attach 1', 'attach 2']);
    w.hold.attach.resolve();
    expect(await Promise.all(all)).toEqual([1, 1, 2]);
    expect(w.attached.size).toBe(0);
  });

  it('that comes while the last one detaches waits for that', async () => {
    const w = setUp();
    w.hold.detach = deferred<void>();
    const one = w.sessions.during(1, w.fine, nothing);
    await settle();
    const two = w.sessions.during(1, w.fine, async () => 'second');
    await settle();
    expect(w.log).toEqual(['attach 1', 'detach 1']);
    w.hold.detach.resolve();
    await one;
    expect(await two).toBe('second');
    expect(w.log).toEqual(['attach 1', 'detach 1', 'attach 1', 'detach 1']);
  });

  it('that is refused keeps the text and detaches nothing', async () => {
    const w = setUp();
    w.attached.add(1);
    const all = await Promise.all([0, 1].map(() => refusal(w.sessions.during(1, w.fine, nothing))));
    for (const one of all) expect(one).toMatchObject({ code: 'UNSUPPORTED_PAGE', message: expect.stringContaining('Another debugger') });
    expect(w.log).toEqual(['attach 1']);
    w.attached.clear();
    expect(await outcome(w.sessions.during(1, w.fine, async () => 'again'))).toEqual({ value: 'again' });
  });
});

describe('what is attached to', () => {
  const ours = new ToolError('UNSUPPORTED_PAGE', 'ours');

  it('is looked at right before', async () => {
    const w = setUp();
    w.state.target = ours;
    expect(await refusal(w.sessions.during(1, w.fine, nothing))).toMatchObject({ code: 'UNSUPPORTED_PAGE', message: 'ours' });
    expect(w.log).toEqual([]);
  });

  it('and right after, and is left at once', async () => {
    const w = setUp();
    w.hold.attach = deferred<void>();
    const work = vi.fn(nothing);
    const one = refusal(w.sessions.during(1, w.fine, work));
    await settle();
    w.state.target = ours;
    w.hold.attach.resolve();
    expect(await one).toMatchObject({ message: 'ours' });
    expect(w.log).toEqual(['attach 1', 'detach 1']);
    expect(work).not.toHaveBeenCalled();
  });

  it('each call looks for itself too, one that shares the attach among them', async () => {
    const w = setUp();
    let looks = 0;
    const allowed = async (): Promise<void> => {
      looks += 1;
      if (looks === 2) throw new ToolError('EXECUTION_FAILED', 'moved');
    };
    const gate = deferred<void>();
    const other = w.sessions.during(1, w.fine, () => gate.promise);
    expect(await refusal(w.sessions.during(1, { ...w.fine, allowed }, nothing))).toMatchObject({ message: 'moved' });
    expect(w.attached.has(1)).toBe(true);
    gate.resolve();
    await other;
    looks = 1;
    expect(await refusal(w.sessions.during(1, { ...w.fine, allowed }, nothing))).toMatchObject({ message: 'moved' });
    expect(w.log).toEqual(['attach 1', 'detach 1']);
  });

  it('a tab that goes to one of our pages under a session is left', async () => {
    const w = setUp();
    await w.sessions.keep(1, w.fine, nothing);
    await w.sessions.moved(1);
    expect(w.sessions.has(1)).toBe(true);
    w.state.target = ours;
    await w.sessions.moved(1);
    expect(w.attached.size).toBe(0);
    expect(w.sessions.has(1)).toBe(false);
  });
});

describe('a cancel', () => {
  it('detaches at once, although a command never comes back', async () => {
    const w = setUp();
    w.state.answers['Page.x'] = hang();
    const one = outcome(w.sessions.during(1, w.fine, ({ command }) => command('Page.x')));
    await settle();
    w.stop.abort(new Cancelled());
    expect(await one).toMatchObject({ error: expect.any(Cancelled) });
    expect(w.log).toEqual(['attach 1', 'Page.x', 'detach 1']);
  });

  it('during the attach is answered at once, and detaches once it is won', async () => {
    const w = setUp();
    w.hold.attach = deferred<void>();
    const one = outcome(w.sessions.during(1, w.fine, async () => 'never'));
    await settle();
    w.stop.abort(new Cancelled());
    expect(await one).toMatchObject({ error: expect.any(Cancelled) });
    expect(w.log).toEqual(['attach 1']);
    w.hold.attach.resolve();
    await settle();
    expect(w.log).toEqual(['attach 1', 'detach 1']);
    expect(w.attached.size).toBe(0);
  });

  it('during the attach leaves the one who shares it alone', async () => {
    const w = setUp();
    w.hold.attach = deferred<void>();
    const one = outcome(w.sessions.during(1, w.fine, async () => 'never'));
    const two = w.sessions.during(1, { ...w.fine, signal: new AbortController().signal }, async () => 'two');
    await settle();
    w.stop.abort(new Cancelled());
    w.hold.attach.resolve();
    expect(await one).toMatchObject({ error: expect.any(Cancelled) });
    expect(await two).toBe('two');
    expect(w.log).toEqual(['attach 1', 'detach 1']);
  });

  it('before anything attaches nothing', async () => {
    const w = setUp();
    w.stop.abort(new Cancelled());
    expect(await outcome(w.sessions.during(1, w.fine, nothing))).toMatchObject({ error: expect.any(Cancelled) });
    expect(w.log).toEqual([]);
  });

  it('during the attach does not detach what a newer call has won since', async () => {
    const w = setUp();
    w.hold.attach = deferred<void>();
    const one = outcome(w.sessions.during(1, w.fine, async () => 'never'));
    await settle();
    w.stop.abort(new Cancelled());
    await one;
    const gate = deferred<void>();
    const two = w.sessions.during(1, { ...w.fine, signal: new AbortController().signal }, () => gate.promise);
    w.hold.attach.resolve();
    await settle();
    expect(w.log).toEqual(['attach 1', 'detach 1', 'attach 1']);
    expect(w.attached.has(1)).toBe(true);
    gate.resolve();
    await two;
    expect(w.attached.size).toBe(0);
  });
});

describe('a session that stays', () => {
  it('is attached once, sees dialogs, and outlives the call', async () => {
    const w = setUp();
    await w.sessions.keep(1, w.fine, ({ command }) => command('Runtime.evaluate'));
    await w.sessions.keep(1, w.fine, ({ command }) => command('Runtime.evaluate'));
    expect(w.log).toEqual(['attach 1', 'Page.enable', 'Runtime.evaluate', 'Runtime.evaluate']);
    expect(w.sessions.has(1)).toBe(true);
  });

  it('is ridden by transient work, which does not detach it', async () => {
    const w = setUp();
    await w.sessions.keep(1, w.fine, nothing);
    expect(await w.sessions.during(1, w.fine, async ({ fresh }) => fresh)).toBe(false);
    expect(w.attached.has(1)).toBe(true);
  });

  it('comes of a transient attach that is there already', async () => {
    const w = setUp();
    const gate = deferred<void>();
    const one = w.sessions.during(1, w.fine, () => gate.promise);
    await w.sessions.keep(1, w.fine, nothing);
    gate.resolve();
    await one;
    expect(w.log).toEqual(['attach 1', 'Page.enable']);
  });

  it('whose attach is under way is waited for by transient work', async () => {
    const w = setUp();
    w.hold.attach = deferred<void>();
    const one = w.sessions.keep(1, w.fine, nothing);
    const two = w.sessions.during(1, w.fine, async () => 'ridden');
    await settle();
    w.hold.attach.resolve();
    await one;
    expect(await two).toBe('ridden');
    expect(w.log).toEqual(['attach 1', 'Page.enable']);
  });

  it('a page that does not answer is given up and left', async () => {
    const w = setUp();
    w.state.answers['Page.enable'] = hang();
    const one = refusal(w.sessions.keep(1, w.fine, nothing));
    await w.clock.advance(5000);
    expect(await one).toMatchObject({ code: 'EXECUTION_FAILED', message: expect.stringContaining('dialog') });
    expect(w.attached.size).toBe(0);
  });

  it('hears events of its tab as long as it listens', async () => {
    const w = setUp();
    const heard: unknown[] = [];
    await w.sessions.keep(1, w.fine, async (tab) => {
      const off = tab.on((method, params) => heard.push([method, params]));
      const next = nextEvent(tab, 'Page.frameNavigated');
      w.sessions.onEvent(1, 'Page.x', { n: 1 });
      w.sessions.onEvent(2, 'Page.x', { n: 2 });
      w.sessions.onEvent(1, 'Page.frameNavigated', { n: 3 });
      expect(await next.heard).toEqual({ n: 3 });
      next.stop();
      off();
      w.sessions.onEvent(1, 'Page.x', { n: 4 });
    });
    expect(heard).toEqual([['Page.x', { n: 1 }], ['Page.frameNavigated', { n: 3 }]]);
  });
});

describe('the browser detaches', () => {
  it('a session: the call that runs is told, and the next one attaches anew', async () => {
    const w = setUp();
    w.state.answers['Page.x'] = hang();
    const one = refusal(w.sessions.keep(1, w.fine, ({ command }) => command('Page.x')));
    await settle();
    w.attached.delete(1);
    w.sessions.onDetached(1);
    expect(await one).toMatchObject({ code: 'EXECUTION_FAILED', message: expect.stringContaining('detached') });
    await w.sessions.keep(1, w.fine, nothing);
    expect(w.log).toEqual(['attach 1', 'Page.enable', 'Page.x', 'attach 1', 'Page.enable']);
  });

  it('during the attach: it is not revived, and what was won is given back', async () => {
    const w = setUp();
    w.hold.attach = deferred<void>();
    const work = vi.fn(nothing);
    const one = refusal(w.sessions.keep(1, w.fine, work));
    await settle();
    w.sessions.onDetached(1);
    expect(await one).toMatchObject({ code: 'EXECUTION_FAILED' });
    w.hold.attach.resolve();
    await settle();
    expect(work).not.toHaveBeenCalled();
    expect(w.log).toEqual(['attach 1', 'detach 1']);
    expect(w.sessions.has(1)).toBe(false);
  });

  it('during the attach, and a newer call follows: one attach each, one of them left', async () => {
    const w = setUp();
    w.hold.attach = deferred<void>();
    const one = refusal(w.sessions.keep(1, w.fine, nothing));
    await settle();
    w.sessions.onDetached(1);
    await one;
    const two = w.sessions.keep(1, w.fine, async () => 'two');
    w.hold.attach.resolve();
    expect(await two).toBe('two');
    expect(w.log).toEqual(['attach 1', 'detach 1', 'attach 1', 'Page.enable']);
    expect(w.attached.has(1)).toBe(true);
  });

  it('a tab without a session changes nothing', () => {
    const w = setUp();
    w.sessions.onDetached(7);
    w.sessions.onEvent(7, 'Page.javascriptDialogOpening', { type: 'alert', message: 'x' });
    expect(w.sessions.dialog(7)).toBe(null);
  });

  it('a command after the end is refused here', async () => {
    const w = setUp();
    let kept: Attached | null = null;
    await w.sessions.during(1, w.fine, async (tab) => void (kept = tab));
    expect(await refusal((kept as unknown as Attached).command('Page.x'))).toMatchObject({ code: 'EXECUTION_FAILED' });
    expect(w.log).toEqual(['attach 1', 'detach 1']);
  });
});

describe('a page that crashes', () => {
  it('ends the call under way, and the next one begins anew', async () => {
    const w = setUp();
    w.state.answers['Page.x'] = hang();
    const one = refusal(w.sessions.keep(1, w.fine, ({ command }) => command('Page.x')));
    await settle();
    w.sessions.onEvent(1, 'Inspector.targetCrashed', {});
    expect(await one).toMatchObject({ code: 'EXECUTION_FAILED', message: expect.stringContaining('page_reload') });
    await settle();
    expect([w.log, w.sessions.has(1)]).toEqual([['attach 1', 'Page.enable', 'Page.x', 'detach 1'], false]);
    expect(await w.sessions.keep(1, w.fine, async () => 'after the reload')).toBe('after the reload');
  });

  it('is told right after an attach to what crashed before', async () => {
    const w = setUp();
    w.state.answers['Page.enable'] = hang();
    const one = refusal(w.sessions.keep(1, w.fine, nothing));
    await settle();
    w.sessions.onEvent(1, 'Inspector.targetCrashed', {});
    expect(await one).toMatchObject({ code: 'EXECUTION_FAILED', message: expect.stringContaining('crashed') });
    expect(w.attached.size).toBe(0);
  });
});

describe('the policy', () => {
  it('is read again after the attach: without the mode the tab is left', async () => {
    const w = setUp();
    w.hold.attach = deferred<void>();
    const work = vi.fn(nothing);
    const one = refusal(w.sessions.during(1, w.moded, work));
    await settle();
    w.state.mode = false;
    w.hold.attach.resolve();
    expect(await one).toMatchObject({ code: 'TOOL_DISABLED' });
    expect(w.log).toEqual(['attach 1', 'detach 1']);
    expect(work).not.toHaveBeenCalled();
  });

  it('that cannot be read counts as one without', async () => {
    const w = setUp();
    w.state.mode = new Error('storage');
    expect(await refusal(w.sessions.keep(1, w.fine, nothing))).toMatchObject({ code: 'TOOL_DISABLED' });
    expect(w.attached.size).toBe(0);
  });

  it('is of no concern to a picture', async () => {
    const w = setUp();
    w.state.mode = false;
    expect(await w.sessions.during(1, w.fine, async () => 'picture')).toBe('picture');
  });

  it('a push that keeps the mode changes nothing', async () => {
    const w = setUp();
    await w.sessions.keep(1, w.fine, nothing);
    await w.sessions.policyChanged();
    expect(w.attached.has(1)).toBe(true);
  });

  it('a push without the mode ends every session, and what runs in it', async () => {
    const w = setUp();
    await w.sessions.keep(1, w.fine, nothing);
    const two = refusal(w.sessions.keep(2, w.fine, hang));
    const three = refusal(w.sessions.during(3, w.moded, hang));
    await settle();
    expect([...w.attached]).toEqual([1, 2, 3]);
    w.state.mode = false;
    await w.sessions.policyChanged();
    expect([await two, await three]).toMatchObject([{ code: 'TOOL_DISABLED' }, { code: 'TOOL_DISABLED' }]);
    await settle();
    expect(w.attached.size).toBe(0);
    expect(w.log.filter((l) => l.startsWith('detach')).sort()).toEqual(['detach 1', 'detach 2', 'detach 3']);
  });

  it('a push without the mode lets a picture that shares the session finish', async () => {
    const w = setUp();
    await w.sessions.keep(1, w.fine, nothing);
    const gate = deferred<string>();
    const picture = w.sessions.during(1, w.fine, () => gate.promise);
    await settle();
    w.state.mode = false;
    await w.sessions.policyChanged();
    expect(w.attached.has(1)).toBe(true);
    gate.resolve('picture');
    expect(await picture).toBe('picture');
    expect(w.attached.size).toBe(0);
  });

  it('a push without the mode during an attach: refused, and left once it is won', async () => {
    const w = setUp();
    w.hold.attach = deferred<void>();
    const one = refusal(w.sessions.keep(1, w.fine, nothing));
    await settle();
    w.state.mode = false;
    await w.sessions.policyChanged();
    expect(await one).toMatchObject({ code: 'TOOL_DISABLED' });
    w.hold.attach.resolve();
    await settle();
    expect(w.log).toEqual(['attach 1', 'detach 1']);
    expect(w.attached.size).toBe(0);
  });

  it('nothing is served any more: every session ends, a picture and an attach under way among them', async () => {
    const w = setUp();
    const why = new ToolError('TOOL_DISABLED', 'killed');
    await w.sessions.keep(1, w.fine, nothing);
    const acting = refusal(w.sessions.keep(2, w.fine, hang));
    const picture = refusal(w.sessions.during(3, w.fine, hang));
    await settle();
    w.hold.attach = deferred<void>();
    const attaching = refusal(w.sessions.during(4, w.fine, nothing));
    await settle();
    w.sessions.end(why);
    for (const one of [acting, picture, attaching]) expect(await one).toEqual({ code: 'TOOL_DISABLED', message: 'killed' });
    w.hold.attach.resolve();
    await settle();
    expect([...w.attached]).toEqual([]);
    expect([1, 2, 3, 4].map(w.sessions.has)).toEqual([false, false, false, false]);
  });

  it('a push that gives the mode back does not bring a session back', async () => {
    const w = setUp();
    await w.sessions.keep(1, w.fine, nothing);
    w.state.mode = false;
    await w.sessions.policyChanged();
    w.state.mode = true;
    await w.sessions.policyChanged();
    expect(w.attached.size).toBe(0);
  });
});

describe('a dialog', () => {
  const opening = { url: 'https://a/', type: 'prompt', message: 'Name?' };

  it('is known from opening to closing, and told of', async () => {
    const w = setUp();
    const told: unknown[] = [];
    const off = w.sessions.onDialog((tab, dialog) => told.push([tab, dialog]));
    await w.sessions.keep(1, w.fine, nothing);
    w.sessions.onEvent(1, 'Page.javascriptDialogOpening', opening);
    expect(w.sessions.dialog(1)).toEqual({ type: 'prompt', message: 'Name?' });
    expect(told).toEqual([[1, { type: 'prompt', message: 'Name?' }]]);
    w.sessions.onEvent(1, 'Page.javascriptDialogClosed', {});
    expect(w.sessions.dialog(1)).toBe(null);
    off();
    w.sessions.onEvent(1, 'Page.javascriptDialogOpening', opening);
    expect(told).toHaveLength(1);
    w.sessions.onDetached(1);
    expect(w.sessions.dialog(1)).toBe(null);
  });

  it('is answered in the session', async () => {
    const w = setUp();
    const asked: unknown[] = [];
    w.state.answers['Page.handleJavaScriptDialog'] = (p: unknown) => (asked.push(p), {});
    await w.sessions.keep(1, w.fine, nothing);
    expect(await w.sessions.answerDialog(1, true, 'x')).toBe(false);
    w.sessions.onEvent(1, 'Page.javascriptDialogOpening', opening);
    expect(await w.sessions.answerDialog(1, true, 'x')).toBe(true);
    expect(await w.sessions.answerDialog(1, true, 'x')).toBe(false);
    w.sessions.onEvent(1, 'Page.javascriptDialogOpening', opening);
    expect(await w.sessions.answerDialog(1, false, undefined)).toBe(true);
    expect(asked).toEqual([{ accept: true, promptText: 'x' }, { accept: false }]);
    expect(await w.sessions.answerDialog(2, true, undefined)).toBe(false);
  });

  it('that the user answered first is none any more', async () => {
    const w = setUp();
    w.state.answers['Page.handleJavaScriptDialog'] = () => Promise.reject(new Error('{"code":-32602,"message":"No dialog is showing"}'));
    await w.sessions.keep(1, w.fine, nothing);
    w.sessions.onEvent(1, 'Page.javascriptDialogOpening', opening);
    expect(await w.sessions.answerDialog(1, true, undefined)).toBe(false);
  });
});
