import { describe, expect, it, vi } from 'vitest';
import { fakeBrowser } from 'wxt/testing/fake-browser';
import { deferred } from '../../src/async';
import { ready, scroll, scrolled } from './one-tab';
import { fire, OWN, pageHalf, world, type World } from './world';
import { settle } from '../util';

describe('the target', () => {
  it('is the tab that is named', async () => {
    const { w } = ready();
    const other = w.addTab({ url: 'https://a.example/two' });
    const page = pageHalf(scrolled);
    w.pages.set(other.id, page);
    expect(await w.call('page_scroll', { ...scroll, tabId: other.id })).toMatchObject({ ok: true });
    expect(page.heard.map((m) => m.op)).toEqual(['ping', 'page_scroll']);
  });

  it('is the active tab of the last-focused normal window otherwise', async () => {
    const { w, page } = ready();
    w.addTab({ windowId: 2, active: true });
    expect(await w.call('page_scroll', scroll)).toMatchObject({ ok: true });
    expect(page.heard).toHaveLength(2);
    expect((w as unknown as { windowTypes(): string }).windowTypes()).toBe('normal');
  });

  it.each([7, -1, 0x8000_0000, Number.MAX_SAFE_INTEGER])('%s is no tab', async (tabId) => {
    const { w } = ready();
    expect(await w.call('page_scroll', { ...scroll, tabId })).toMatchObject({ code: 'TAB_NOT_FOUND' });
  });

  it('is missing without a window', async () => {
    const { w } = ready();
    w.windows.normal = null;
    expect(await w.call('page_scroll', scroll)).toMatchObject({ code: 'TAB_NOT_FOUND' });
  });

  it('is kept, whatever the user does meanwhile', async () => {
    const { w, tab, page } = ready();
    const gate = deferred<unknown>();
    w.pages.set(tab.id, pageHalf({ page_scroll: () => gate.promise }));
    const first = w.request('page_scroll', scroll);
    const second = w.request('page_scroll', scroll);
    await settle();
    const other = w.addTab({ active: true, url: 'https://b.example/' });
    tab.active = false;
    w.pages.set(tab.id, page);
    gate.resolve({ ok: true, data: { scrollY: 5, scrollX: 0 } });
    await settle();
    expect(w.answerOf(first)).toMatchObject({ ok: true });
    expect(w.answerOf(second)).toMatchObject({ ok: true });
    expect(w.pages.has(other.id)).toBe(false);
  });

  it.each([
    'about:blank',
    'chrome://settings/',
    'file:///etc/passwd',
    'view-source:https://a.example/',
    'chrome-extension://other/page.html',
    'https://chromewebstore.google.com/',
    'data:text/html,x',
    '',
  ])('cannot be %s, and nobody is asked about it', async (url) => {
    const { w, tab } = ready();
    tab.url = url;
    expect(await w.call('page_scroll', scroll)).toMatchObject({ code: 'UNSUPPORTED_PAGE' });
    expect(w.store.data.pendingAllow).toBeUndefined();
  });

  it('is looked at anew after a wait in its queue', async () => {
    const { w, tab } = ready();
    const gate = deferred<unknown>();
    w.pages.set(tab.id, pageHalf({ page_scroll: () => gate.promise }));
    const first = w.request('page_scroll', scroll);
    const second = w.request('page_scroll', scroll);
    await settle();
    // The first call led it elsewhere, to a site that is approved too.
    w.allow('https://b.example');
    tab.url = 'https://b.example/next';
    const page = pageHalf(scrolled);
    w.pages.set(tab.id, page);
    gate.resolve({ ok: true, data: { scrollY: 5, scrollX: 0 } });
    await settle();
    expect(w.answerOf(first)).toMatchObject({ ok: true });
    expect(w.answerOf(second)).toMatchObject({ ok: true });
    expect(page.heard.at(-1)).toMatchObject({ op: 'page_scroll', expectOrigin: 'https://b.example' });
  });

  it('that goes elsewhere while the gates are read is looked at anew before it is probed or shown', async () => {
    const { w, tab } = ready();
    w.allow('https://b.example');
    const page = pageHalf({ _probe: { tagName: 'a', role: 'link', type: '', hasHref: true, name: 'Words of b' } });
    w.pages.set(tab.id, page);
    // The gates are read a second time once the tab was chosen.
    const hold = deferred<undefined>();
    const { read } = w.store;
    const get = fakeBrowser.tabs.get;
    let chosen = false;
    w.store.read = async (keys) => {
      const got = await read(keys);
      if (chosen) await hold.promise;
      return got;
    };
    fakeBrowser.tabs.get = (async (id: number) => {
      const seen = await get(id);
      chosen = true;
      w.store.data.changed = 1;
      return seen;
    }) as typeof get;
    const id = w.request('page_click', { tabId: tab.id, ref: 'e1' });
    await settle();
    expect(chosen).toBe(true);
    tab.url = 'https://b.example/';
    fire.updated(tab.id, { status: 'loading', url: tab.url });
    await settle();
    hold.resolve(undefined);
    expect(await w.payload()).toMatchObject({ origin: 'https://b.example', detail: 'navigate: Words of b' });
    w.cancel(id);
  });

  it('is looked at again after a window, even if the browser told of nothing meanwhile', async () => {
    const { w, tab } = ready();
    w.pages.set(tab.id, pageHalf({ _probe: { tagName: 'a', role: 'link', type: '', hasHref: true, name: 'On' } }));
    const id = w.request('page_click', { tabId: tab.id, ref: 'e1' });
    expect(await w.payload()).toMatchObject({ origin: 'https://a.example' });
    tab.url = 'https://b.example/';
    await w.decide(true);
    expect(w.answerOf(id)).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('went from https://a.example to another site') });
  });

  it('is looked at again where nobody was asked, even if the browser told of nothing meanwhile', async () => {
    const { w, tab } = ready();
    const page = pageHalf({ _probe: () => ((tab.url = 'https://b.example/'), { tagName: 'button', role: 'button', type: 'button', hasHref: false, name: 'Go' }), page_click: { role: 'button' } });
    w.pages.set(tab.id, page);
    expect(await w.call('page_click', { tabId: tab.id, ref: 'e1' })).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('went from https://a.example to another site') });
    expect(page.heard.some((m) => m.op === 'page_click')).toBe(false);
  });

  it('is listened to no longer than the call takes, however it ends', async () => {
    const { w, tab } = ready();
    const heard = vi.spyOn(fakeBrowser.tabs.onUpdated, 'addListener');
    const unheard = vi.spyOn(fakeBrowser.tabs.onUpdated, 'removeListener');
    await w.call('page_scroll', scroll);
    await w.call('page_scroll', { ...scroll, tabId: 77 });
    w.pages.set(tab.id, pageHalf({ page_scroll: () => new Promise(() => undefined) }));
    const [, queued] = [w.request('page_scroll', scroll), w.request('page_scroll', scroll)];
    await settle();
    w.cancel(queued);
    w.breakChannel(tab.id);
    await settle();
    expect(heard.mock.calls.length).toBeGreaterThan(2);
    expect(unheard.mock.calls).toHaveLength(heard.mock.calls.length);
  });

  it('is never one of our pages, for no tool', async () => {
    const { w, tab } = ready();
    for (const own of [{ url: `${OWN()}/confirm.html?id=1` }, { url: '', pendingUrl: `${OWN()}/options.html` }]) {
      Object.assign(tab, own);
      for (const [op, args] of [
        ['page_scroll', scroll],
        ['tab_focus', { tabId: tab.id }],
        ['tab_close', { tabId: tab.id }],
        ['page_navigate', { url: 'https://a.example/', tabId: tab.id }],
        ['page_reload', {}],
      ] as const)
        expect(await w.call(op, args)).toMatchObject({ code: 'UNSUPPORTED_PAGE' });
    }
    expect(w.calls).toEqual([]);
  });

  it('that still loads is waited for until it has committed', async () => {
    const { w, tab } = ready();
    Object.assign(tab, { url: '', pendingUrl: 'https://a.example/', status: 'loading' });
    const id = w.request('page_scroll', scroll);
    await w.clock.advance(3_000);
    expect(w.answerOf(id)).toBeUndefined();
    Object.assign(tab, { url: 'https://a.example/', pendingUrl: undefined });
    fire.updated(tab.id, { url: tab.url, status: 'loading' });
    await settle();
    expect(w.answerOf(id)).toMatchObject({ ok: true });
  });

  it('that never commits is given up after 10,000', async () => {
    const { w, tab } = ready();
    Object.assign(tab, { url: 'about:blank', pendingUrl: 'https://a.example/' });
    const id = w.request('page_scroll', scroll);
    await w.clock.advance(9_999);
    expect(w.answerOf(id)).toBeUndefined();
    await w.clock.advance(1);
    expect(w.answerOf(id)).toMatchObject({ code: 'UNSUPPORTED_PAGE' });
  });

  it('that is closed while it loads is gone', async () => {
    const { w, tab } = ready();
    Object.assign(tab, { url: '', pendingUrl: 'https://a.example/' });
    const id = w.request('page_scroll', scroll);
    await settle();
    w.tabs.delete(tab.id);
    fire.removed(tab.id);
    await settle();
    expect(w.answerOf(id)).toMatchObject({ code: 'TAB_NOT_FOUND' });
  });

  it('that is closed under the call is gone', async () => {
    const { w, tab } = ready();
    w.pages.set(tab.id, pageHalf({ page_scroll: () => new Promise(() => undefined) }));
    const id = w.request('page_scroll', scroll);
    await settle();
    w.tabs.delete(tab.id);
    w.breakChannel(tab.id);
    await settle();
    expect(w.answerOf(id)).toMatchObject({ code: 'TAB_NOT_FOUND' });
  });
});

describe('a tab that goes elsewhere after its site was checked', () => {
  const other = 'https://b.example/';
  /** It goes while the allowlist is read for the first time; whether the browser has told of it. */
  const going = (w: World, tab: { id: number; url: string }, told: boolean): void => {
    const { check } = w.allowlist;
    w.allowlist.check = async (...args) => {
      await check(...args);
      w.allowlist.check = check;
      tab.url = other;
      if (told) fire.updated(tab.id, { status: 'loading', url: other });
    };
  };
  const refused = { code: 'EXECUTION_FAILED', error: expect.stringContaining('went from https://a.example to another site') };
  const asked = (page: { heard: { op: string }[] }, op: string): boolean => page.heard.some((m) => m.op === op);

  it('is looked at again, even if the page would compare and nothing was heard', async () => {
    const { w, tab, page } = ready();
    going(w, tab, false);
    expect(await w.call('page_scroll', scroll)).toMatchObject(refused);
    expect(asked(page, 'page_scroll')).toBe(false);
  });

  it('is heard of', async () => {
    const { w, tab, page } = ready();
    going(w, tab, true);
    expect(await w.call('page_scroll', scroll)).toMatchObject(refused);
    expect(asked(page, 'page_scroll')).toBe(false);
  });

  it('is looked at again where the page compares nothing', async () => {
    const { w, tab } = ready();
    going(w, tab, false);
    expect(await w.call('page_back')).toMatchObject(refused);
    expect(w.calls).toEqual([]);
  });

  it('is looked at again where the act is in a frame, which does not know the site of the tab', async () => {
    const { w, tab } = ready();
    const page = pageHalf({ page_hover: { role: 'link' } });
    w.pages.set(tab.id, page);
    w.frames.push({ frameId: 5, origin: 'https://a.example', address: '', path: [0] });
    expect(await w.call('page_hover', { ref: 'f5e1' })).toMatchObject({ ok: true });
    page.heard.length = 0;
    going(w, tab, false);
    expect(await w.call('page_hover', { ref: 'f5e1' })).toMatchObject(refused);
    expect(asked(page, 'page_hover')).toBe(false);
  });

  it('is looked at again where the act is what was confirmed a while ago', async () => {
    const { w, tab } = ready();
    const field = { tagName: 'input', role: 'textbox', type: 'text', hasHref: false, name: 'Name' };
    const page = pageHalf({ _probe: { descriptor: field, hidden: false }, page_fill: {} });
    w.pages.set(tab.id, page);
    const fill = { ref: 'e1', value: 'x' };
    const first = w.request('page_fill', fill);
    await w.decide(true);
    expect(w.answerOf(first)).toMatchObject({ ok: true });
    page.heard.length = 0;
    going(w, tab, false);
    expect(await w.call('page_fill', fill)).toMatchObject(refused);
    expect(asked(page, 'page_fill')).toBe(false);
  });
});

describe('a tab whose site has just been approved', () => {
  const approved = async (meanwhile: (w: World, tab: { id: number; url: string }) => void) => {
    const w = world();
    const tab = w.addTab();
    const page = pageHalf(scrolled);
    w.pages.set(tab.id, page);
    const got = vi.spyOn(fakeBrowser.tabs, 'get');
    const id = w.request('page_scroll', scroll);
    await settle();
    w.held.add('https://a.example/*');
    got.mockClear();
    meanwhile(w, tab);
    await w.allowlist.resolve('allow_u', true);
    await settle();
    return { answer: w.answerOf(id), looks: got.mock.calls.length, page };
  };

  it('is looked at once more, and not twice', async () => {
    const { answer, looks } = await approved(() => undefined);
    expect(answer).toMatchObject({ ok: true });
    expect(looks).toBe(1);
  });

  it('is acted on no more where it went elsewhere meanwhile, told or not', async () => {
    for (const told of [true, false]) {
      const { answer, page } = await approved((w, tab) => {
        tab.url = 'https://b.example/';
        if (told) fire.updated(tab.id, { status: 'loading', url: tab.url });
      });
      expect(answer).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('went from https://a.example to another site') });
      expect(page.heard).toEqual([]);
    }
  });
});

describe('a page that nothing gets into', () => {
  /** The page half is gone, and the browser lets none in; `meanwhile` happens on the way. */
  const keptOut = async (meanwhile: (w: World) => unknown) => {
    const { w } = ready();
    await w.call('page_scroll', scroll);
    w.pages.clear();
    vi.mocked(fakeBrowser.scripting.executeScript).mockImplementation((async () => {
      meanwhile(w);
      throw new Error('Cannot access contents of the page. Extension manifest must request permission to access the respective host.');
    }) as never);
    return w.call('page_scroll', scroll);
  };

  it('has crashed if it is the one that was checked', async () => {
    expect(await keptOut(() => undefined)).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('page_reload') });
  });

  it('is another site if the tab went there', async () => {
    const answer = await keptOut((w) => Object.assign(w.tabs.get(1) ?? {}, { url: 'https://b.example/' }));
    expect(answer).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('went from https://a.example to another site') });
  });

  it('has no permission any more if that was taken back', async () => {
    expect(await keptOut((w) => w.held.clear())).toMatchObject({ code: 'HOST_PERMISSION_MISSING' });
  });
});

describe('a page that went away', () => {
  it('is told, and how to go on', async () => {
    const { w, tab } = ready();
    w.pages.set(tab.id, pageHalf({ page_scroll: () => new Promise(() => undefined) }));
    const id = w.request('page_scroll', scroll);
    await settle();
    w.breakChannel(tab.id);
    await settle();
    expect(w.answerOf(id)).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('page_wait_for') });
  });
});
