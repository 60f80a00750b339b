import { describe, expect, it } from 'vitest';
import { fakeBrowser } from 'wxt/testing/fake-browser';
import { deferred } from '../../src/async';
import { ready, scroll, scrolled } from './one-tab';
import { fire, pageHalf, type World } from './world';
import { settle } from '../util';

describe('order', () => {
  it('calls on one tab run one after the other, other tabs are not held up', async () => {
    const { w, tab } = ready();
    const gate = deferred<unknown>();
    const heard: string[] = [];
    w.pages.set(tab.id, pageHalf({
      page_scroll: (m: unknown) => {
        heard.push(String((m as { args: { pixels: number } }).args.pixels));
        return heard.length === 1 ? gate.promise : { scrollY: 0, scrollX: 0 };
      },
    }));
    const other = w.addTab();
    w.pages.set(other.id, pageHalf(scrolled));
    const ids = [1, 2, 3].map((pixels) => w.request('page_scroll', { pixels, tabId: tab.id }));
    const beside = w.request('page_scroll', { pixels: 9, tabId: other.id });
    await settle();
    expect(heard).toEqual(['1']);
    expect(w.answerOf(beside)).toMatchObject({ ok: true });
    gate.resolve({ ok: true, data: { scrollY: 0, scrollX: 0 } });
    await settle();
    expect(heard).toEqual(['1', '2', '3']);
    expect(ids.every((id) => w.answerOf(id)?.ok)).toBe(true);
  });

  it('a named tab does not overtake the active one that was asked for before', async () => {
    const { w, tab } = ready();
    const heard: number[] = [];
    w.pages.set(tab.id, pageHalf({
      page_scroll: (m: unknown) => {
        heard.push((m as { args: { pixels: number } }).args.pixels);
        return { scrollY: 0, scrollX: 0 };
      },
    }));
    w.request('page_scroll', { pixels: 1 });
    w.request('page_scroll', { pixels: 2, tabId: tab.id });
    w.request('page_scroll', { pixels: 3 });
    await settle();
    expect(heard).toEqual([1, 2, 3]);
  });

  it('a full queue refuses', async () => {
    const { w, tab } = ready();
    w.pages.set(tab.id, pageHalf({ page_scroll: () => new Promise(() => undefined) }));
    const ids = Array.from({ length: 34 }, () => w.request('page_scroll', scroll));
    await settle();
    expect(w.answerOf(ids[33] as number)).toMatchObject({ code: 'EXECUTION_FAILED' });
    expect(w.answerOf(ids[32] as number)).toBeUndefined();
  });
});

describe('the site', () => {
  it('that is unknown is asked for, and the wait is reported at once and every 10,000', async () => {
    const { w, tab, page } = ready();
    tab.url = 'https://new.example/x';
    const id = w.request('page_scroll', scroll);
    await settle();
    expect(w.connection.posted).toEqual([{ type: 'waiting', id }]);
    await w.clock.advance(10_000);
    await w.clock.advance(10_000);
    expect(w.connection.posted).toHaveLength(3);
    w.held.add('https://new.example/*');
    await w.allowlist.resolve('allow_u', true);
    await settle();
    expect(w.answerOf(id)).toMatchObject({ ok: true });
    await w.clock.advance(30_000);
    expect(w.connection.posted.filter((f) => f.type === 'waiting')).toHaveLength(3);
    expect(page.heard.at(-1)).toMatchObject({ op: 'page_scroll', expectOrigin: 'https://new.example' });
  });

  it('that is not approved is refused, and nothing reaches the page', async () => {
    const { w, tab, page } = ready();
    tab.url = 'https://new.example/';
    const id = w.request('page_scroll', scroll);
    await settle();
    await w.allowlist.resolve('allow_u', false);
    await settle();
    expect(w.answerOf(id)).toMatchObject({ code: 'SITE_NOT_ALLOWED' });
    expect(page.heard).toEqual([]);
  });

  it('that changes during the wait is not acted on', async () => {
    const { w, tab, page } = ready();
    tab.url = 'https://new.example/';
    const id = w.request('page_scroll', scroll);
    await settle();
    tab.url = 'https://evil.example/';
    w.held.add('https://new.example/*');
    await w.allowlist.resolve('allow_u', true);
    await settle();
    expect(w.answerOf(id)).toMatchObject({ code: 'EXECUTION_FAILED' });
    expect(page.heard).toEqual([]);
  });

  it.each([
    ['page_click', { selector: 'a' }],
    ['page_press', { keys: 'Escape' }],
    ['tab_close', { tabId: 1 }],
  ] as const)('that changes during the wait is neither probed nor asked about: %s', async (op, args) => {
    const { w, tab, page } = ready();
    tab.url = 'https://new.example/';
    const id = w.request(op, args);
    await settle();
    tab.url = 'https://evil.example/';
    w.held.add('https://new.example/*');
    await w.allowlist.resolve('allow_u', true);
    await settle();
    expect(w.answerOf(id)).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('another site') });
    expect([page.heard, w.calls]).toEqual([[], []]);
  });
});

describe('gates', () => {
  it.each(['page_eval', 'page_upload'] as const)('%s names genkan pair', async (op) => {
    const { w } = ready();
    const args = op === 'page_eval' ? { code: 'return 1' } : { selector: 'input', path: '/x' };
    expect(await w.call(op, args)).toMatchObject({ code: 'TOOL_DISABLED', error: expect.stringContaining('genkan pair') });
  });

  it('a kill refuses what waits for a site and closes its prompt', async () => {
    const { w, tab } = ready();
    tab.url = 'https://new.example/';
    const id = w.request('page_scroll', scroll);
    await settle();
    expect(w.store.data.pendingAllow).toHaveLength(1);
    w.kill.engage();
    await settle();
    expect(w.answerOf(id)).toMatchObject({ code: 'TOOL_DISABLED' });
    expect(w.store.data.pendingAllow).toEqual([]);
  });

  it('a kill refuses what is queued, and leaves the act that has begun', async () => {
    const { w, tab } = ready();
    const gate = deferred<unknown>();
    w.pages.set(tab.id, pageHalf({ page_scroll: () => gate.promise }));
    const acting = w.request('page_scroll', scroll);
    const queued = w.request('page_scroll', scroll);
    await settle();
    w.kill.engage();
    await settle();
    expect(w.answerOf(queued)).toMatchObject({ code: 'TOOL_DISABLED' });
    expect(w.answerOf(acting)).toBeUndefined();
    gate.resolve({ ok: true, data: { scrollY: 3, scrollX: 0 } });
    await settle();
    expect(w.answerOf(acting)).toMatchObject({ ok: true });
  });
});

describe('cancel', () => {
  it('while waiting for a site: prompt gone, nothing posted', async () => {
    const { w, tab } = ready();
    tab.url = 'https://new.example/';
    const id = w.request('page_scroll', scroll);
    await settle();
    w.cancel(id);
    await settle();
    expect(w.store.data.pendingAllow).toEqual([]);
    await w.clock.advance(60_000);
    expect(w.answerOf(id)).toBeUndefined();
    expect(w.connection.posted).toEqual([{ type: 'waiting', id }]);
  });

  it('while queued: the next one takes its turn', async () => {
    const { w, tab } = ready();
    const gate = deferred<unknown>();
    w.pages.set(tab.id, pageHalf({ page_scroll: () => gate.promise }));
    const [first, second, third] = [1, 2, 3].map(() => w.request('page_scroll', scroll));
    await settle();
    w.cancel(second as number);
    gate.resolve({ ok: true, data: { scrollY: 0, scrollX: 0 } });
    await settle();
    expect(w.answerOf(first as number)).toBeDefined();
    expect(w.answerOf(second as number)).toBeUndefined();
    expect(w.answerOf(third as number)).toBeDefined();
  });

  it('while the tab loads', async () => {
    const { w, tab } = ready();
    Object.assign(tab, { url: '', pendingUrl: 'https://a.example/' });
    const id = w.request('page_scroll', scroll);
    await settle();
    w.cancel(id);
    await w.clock.advance(20_000);
    expect(w.connection.posted).toEqual([]);
  });

  it('during the act: the page is told, the tab is free, the late answer is discarded', async () => {
    const { w, tab } = ready();
    const gate = deferred<unknown>();
    const page = pageHalf({ page_scroll: () => gate.promise });
    w.pages.set(tab.id, page);
    const id = w.request('page_scroll', scroll);
    await settle();
    w.cancel(id);
    await settle();
    expect(page.heard.at(-1)).toMatchObject({ op: '_abort' });
    gate.resolve({ ok: true, data: { scrollY: 0, scrollX: 0 } });
    w.pages.set(tab.id, pageHalf(scrolled));
    expect(await w.call('page_scroll', scroll)).toMatchObject({ ok: true });
    expect(w.answerOf(id)).toBeUndefined();
  });

  it('before admission', async () => {
    const { w } = ready();
    const id = w.request('page_scroll', scroll);
    w.cancel(id);
    await settle();
    expect(w.connection.posted).toEqual([]);
  });
});

describe('between the last gate and the act', () => {
  /** A close that was approved; `meanwhile` happens while its tab is fetched once more. */
  const closing = async (meanwhile: (w: World, id: number) => unknown) => {
    const { w, tab } = ready();
    const id = w.request('tab_close', { tabId: tab.id });
    expect(await w.payload()).toMatchObject({ kind: 'tab_close' });
    const get = fakeBrowser.tabs.get;
    fakeBrowser.tabs.get = (async (tabId: number) => {
      fakeBrowser.tabs.get = get;
      await meanwhile(w, id);
      return get(tabId);
    }) as typeof get;
    await w.decide(true);
    await settle();
    return { w, answer: w.answerOf(id), done: w.calls.includes(`remove ${tab.id}`) };
  };

  it('nothing happens: the act is carried out', async () => {
    const { answer, done } = await closing(() => undefined);
    expect(answer).toMatchObject({ ok: true });
    expect(done).toBe(true);
  });

  it('a cancel still counts', async () => {
    const { answer, done } = await closing((w, id) => w.cancel(id));
    expect(answer).toBeUndefined();
    expect(done).toBe(false);
  });

  it('a kill still counts', async () => {
    const { answer, done } = await closing((w) => w.kill.engage());
    expect(answer).toMatchObject({ code: 'TOOL_DISABLED' });
    expect(done).toBe(false);
  });

  it('a tab that is closed is gone', async () => {
    const { w, answer } = await closing((at) => {
      at.tabs.clear();
      fire.removed(1);
    });
    expect(answer).toMatchObject({ code: 'TAB_NOT_FOUND' });
    expect(w.calls).toEqual([]);
  });

  it('a site that is taken off the list is acted on no more', async () => {
    const { answer, done } = await closing((w) => w.allowlist.remove('https://a.example/*'));
    expect(answer).toMatchObject({ code: 'SITE_NOT_ALLOWED' });
    expect(done).toBe(false);
  });

  it('a permission that the browser takes back neither', async () => {
    const { answer, done } = await closing((w) => w.held.clear());
    expect(answer).toMatchObject({ code: 'HOST_PERMISSION_MISSING' });
    expect(done).toBe(false);
  });
});

describe('deny and kill', () => {
  it('answers the call that was asked about, and those behind it, before the host hears of it', async () => {
    const { w } = ready();
    const asked = w.request('tab_close', { tabId: 1 });
    const behind = w.request('page_scroll', scroll);
    expect(await w.payload()).toMatchObject({ kind: 'tab_close' });
    // As the worker does it for the red button.
    expect(w.confirmations.resolve('c1', false)).toBe(true);
    w.kill.engage();
    expect(w.kill.closedNow()).toContain('kill switch');
    await settle();
    const said = w.connection.posted.filter((f) => f.type !== 'waiting').map((f) => (f.type === undefined ? [f.id, f.code] : f.type));
    expect(said).toEqual([[behind, 'TOOL_DISABLED'], [asked, 'USER_DENIED'], 'kill_engage']);
  });
});
