import { describe, expect, it, vi } from 'vitest';
import { fakeBrowser } from 'wxt/testing/fake-browser';
import { fire, OWN, world } from './world';
import { settle } from '../util';

describe('tab_list', () => {
  it('lists all windows in order, without our pages, group only where there is one', async () => {
    const w = world();
    w.addTab({ id: 1, windowId: 2, index: 1, title: 'B', url: 'https://b/' });
    w.addTab({ id: 2, windowId: 2, index: 0, active: true, groupId: 5 });
    w.addTab({ id: 3, windowId: 1, index: 0, url: '', pendingUrl: 'https://loading/' });
    w.addTab({ id: 4, windowId: 1, index: 1, url: `${OWN()}/options.html` });
    expect((await w.call('tab_list')).data).toEqual([
      { id: 3, title: 'Tab 3', url: 'https://loading/', active: false, windowId: 1 },
      { id: 2, title: 'Tab 2', url: 'https://a.example/', active: true, windowId: 2, groupId: 5 },
      { id: 1, title: 'B', url: 'https://b/', active: true, windowId: 2 },
    ]);
  });

  it('needs no site and no window', async () => {
    const w = world();
    w.windows.normal = null;
    expect(await w.call('tab_list')).toMatchObject({ ok: true, data: [] });
  });
});

describe('tab_focus', () => {
  it('activates the tab, then focuses its window, whatever it shows', async () => {
    const w = world();
    w.addTab({ windowId: 1 });
    const tab = w.addTab({ windowId: 3, url: 'chrome://settings/', active: false });
    expect(await w.call('tab_focus', { tabId: tab.id })).toMatchObject({ data: { focused: tab.id } });
    expect(w.calls).toEqual([`update ${tab.id} {"active":true}`]);
    expect(w.windows.focused).toEqual([3]);
  });
});

describe('tab_open', () => {
  it('opens in the last-focused window and groups', async () => {
    const w = world();
    w.allow('https://a.example');
    expect(await w.call('tab_open', { url: 'https://A.example/x' })).toMatchObject({
      data: { opened: 1, url: 'https://a.example/x', groupId: 77 },
    });
    expect(w.calls).toEqual(['create https://a.example/x']);
    expect(fakeBrowser.tabGroups.update).toHaveBeenCalledWith(77, { title: 'genkan' });
  });

  it('joins the group of that title in the window', async () => {
    const w = world();
    w.allow('https://a.example');
    (fakeBrowser.tabGroups.query as unknown as ReturnType<typeof vi.fn>).mockResolvedValue([
      { id: 4, title: 'genkan two' },
      { id: 5, title: 'genkan' },
    ]);
    await w.call('tab_open', { url: 'https://a.example/' });
    expect(fakeBrowser.tabs.group).toHaveBeenCalledWith({ tabIds: [1], groupId: 5 });
  });

  it('never fails for the group, and groups nothing where that is off', async () => {
    const w = world();
    w.allow('https://a.example');
    (fakeBrowser.tabs.group as unknown as ReturnType<typeof vi.fn>).mockRejectedValue(new Error('no'));
    const got = await w.call('tab_open', { url: 'https://a.example/' });
    expect(got.data).toEqual({ opened: 1, url: 'https://a.example/' });
    w.store.data.groupTabs = false;
    (fakeBrowser.tabs.group as unknown as ReturnType<typeof vi.fn>).mockClear();
    await w.call('tab_open', { url: 'https://a.example/' });
    expect(fakeBrowser.tabs.group).not.toHaveBeenCalled();
  });

  it('opens a window where there is none', async () => {
    const w = world();
    w.allow('https://a.example');
    w.windows.normal = null;
    expect(await w.call('tab_open', { url: 'https://a.example/' })).toMatchObject({ ok: true });
    expect(w.windows.opened).toEqual(['https://a.example/']);
  });

  it('asks for the site of the destination', async () => {
    const w = world();
    const id = w.request('tab_open', { url: 'https://new.example/x' });
    await settle();
    expect(w.store.data.pendingAllow).toMatchObject([{ glob: 'https://new.example/*' }]);
    await w.allowlist.resolve('allow_u', false);
    await settle();
    expect(w.answerOf(id)).toMatchObject({ code: 'SITE_NOT_ALLOWED' });
    expect(w.calls).toEqual([]);
  });
});

describe('tab_close', () => {
  const ready = () => {
    const w = world();
    w.allow('https://a.example');
    return { w, tab: w.addTab({ title: 'Shop\u202e\n of things' }) };
  };

  it.each(['', '\u200b\u2060'])('is confirmed with the address where the title shows nothing: %j', async (title) => {
    const { w, tab } = ready();
    tab.title = title;
    w.request('tab_close', { tabId: tab.id });
    expect((await w.payload())?.detail).toBe('https://a.example/');
  });

  it('is confirmed with title and origin', async () => {
    const { w, tab } = ready();
    const id = w.request('tab_close', { tabId: tab.id });
    expect(await w.payload()).toMatchObject({
      kind: 'tab_close',
      tool: 'tab_close',
      origin: 'https://a.example',
      detail: 'Shop\\u202e of things',
    });
    expect(w.connection.posted).toEqual([{ type: 'waiting', id }]);
    const remove = fakeBrowser.tabs.remove.bind(fakeBrowser.tabs) as (id: number) => Promise<void>;
    // The browser tells of the removal before the call that asked for it returns.
    (fakeBrowser.tabs as unknown as Record<string, unknown>).remove = async (removed: number) => {
      await remove(removed);
      fire.removed(removed);
    };
    await w.decide(true);
    expect(w.answerOf(id)).toMatchObject({ data: { closed: tab.id } });
    expect(w.calls).toEqual([`remove ${tab.id}`]);
  });

  it('is denied, or times out, and nothing is closed', async () => {
    const { w, tab } = ready();
    let id = w.request('tab_close', { tabId: tab.id });
    await w.decide(false);
    expect(w.answerOf(id)).toMatchObject({ code: 'USER_DENIED' });
    id = w.request('tab_close', { tabId: tab.id });
    await w.clock.advance(30_000);
    expect(w.answerOf(id)).toMatchObject({ code: 'CONFIRMATION_TIMEOUT' });
    expect(w.calls).toEqual([]);
  });

  it('checks address and site before the window, and the origin after it', async () => {
    const { w, tab } = ready();
    tab.url = 'chrome://settings/';
    expect(await w.call('tab_close', { tabId: tab.id })).toMatchObject({ code: 'UNSUPPORTED_PAGE' });
    tab.url = 'https://a.example/';
    const id = w.request('tab_close', { tabId: tab.id });
    await settle();
    tab.url = 'https://bank.example/';
    await w.decide(true);
    expect(w.answerOf(id)).toMatchObject({ code: 'EXECUTION_FAILED' });
    expect(w.calls).toEqual([]);
  });

  it('of a tab that is closed by the user during the window is told', async () => {
    const { w, tab } = ready();
    const id = w.request('tab_close', { tabId: tab.id });
    expect(await w.payload()).not.toBeNull();
    w.tabs.delete(tab.id);
    fire.removed(tab.id);
    await settle();
    expect(w.answerOf(id)).toMatchObject({ code: 'TAB_NOT_FOUND' });
    expect(await w.payload()).toBeNull();
  });

  it('asks anew each time: no grace', async () => {
    const { w, tab } = ready();
    const other = w.addTab();
    const id = w.request('tab_close', { tabId: tab.id });
    await w.decide(true);
    expect(w.answerOf(id)).toMatchObject({ ok: true });
    w.request('tab_close', { tabId: other.id });
    expect(await w.payload()).not.toBeNull();
  });
});

describe('page_navigate', () => {
  it('goes from any page but ours, with the site of the destination', async () => {
    const w = world();
    w.allow('https://a.example');
    const tab = w.addTab({ url: 'chrome://newtab/' });
    expect(await w.call('page_navigate', { url: 'https://a.example/y' })).toMatchObject({
      data: { navigated: tab.id, url: 'https://a.example/y' },
    });
    expect(w.calls).toEqual([`update ${tab.id} {"url":"https://a.example/y"}`]);
  });
});

describe('page_reload', () => {
  it('reloads an approved page', async () => {
    const w = world();
    w.allow('https://a.example');
    const tab = w.addTab();
    expect(await w.call('page_reload')).toMatchObject({ data: { reloaded: tab.id } });
    expect(w.calls).toEqual([`reload ${tab.id}`]);
  });
});

describe('history', () => {
  const ready = () => {
    const w = world();
    w.allow('https://a.example');
    return { w, tab: w.addTab() };
  };

  it('goes back and forward where the browser has a page, and waits a moment for it', async () => {
    const { w, tab } = ready();
    const id = w.request('page_back');
    await settle();
    expect(w.answerOf(id)).toBeUndefined();
    fire.updated(tab.id, { status: 'loading' });
    await w.clock.advance(100);
    expect(w.answerOf(id)).toMatchObject({ data: { back: tab.id } });
    expect(await w.call('page_forward')).toMatchObject({ data: { forward: tab.id } });
  });

  it('steps in the page where the browser skips entries', async () => {
    const { w, tab } = ready();
    (fakeBrowser.tabs as unknown as Record<string, unknown>).goBack = async () => {
      throw new Error('Cannot find a next page in history.');
    };
    const id = w.request('page_back');
    await settle();
    expect(w.calls).toEqual(['run back,https://a.example']);
    fire.updated(tab.id, { url: 'https://a.example/before' });
    await w.clock.advance(100);
    expect(w.answerOf(id)).toMatchObject({ data: { back: tab.id } });
  });

  it('takes a page that begins to load for a change, however slow its site is', async () => {
    const { w, tab } = ready();
    (fakeBrowser.tabs as unknown as Record<string, unknown>).goBack = async () => {
      throw new Error('Cannot find a next page in history.');
    };
    const id = w.request('page_back');
    await w.clock.advance(300);
    Object.assign(tab, { pendingUrl: 'https://a.example/before', status: 'loading' });
    await w.clock.advance(699);
    expect(w.answerOf(id)).toBeUndefined();
    await w.clock.advance(1);
    expect(w.answerOf(id)).toMatchObject({ data: { back: tab.id } });
  });

  it('steps in no page of another origin', async () => {
    const { w } = ready();
    (fakeBrowser.tabs as unknown as Record<string, unknown>).goBack = async () => {
      throw new Error('Cannot find a next page in history.');
    };
    (fakeBrowser.scripting as unknown as Record<string, unknown>).executeScript = async () => [{ frameId: 0, result: false }];
    expect(await w.call('page_back')).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('another site') });
  });

  it('says that it ends here where nothing changes within 1,000', async () => {
    const { w } = ready();
    (fakeBrowser.tabs as unknown as Record<string, unknown>).goForward = async () => {
      throw new Error('Cannot find a next page in history.');
    };
    const id = w.request('page_forward');
    await w.clock.advance(999);
    expect(w.answerOf(id)).toBeUndefined();
    await w.clock.advance(1);
    expect(w.answerOf(id)).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('ends here') });
  });
});
