import { describe, expect, it, vi } from 'vitest';
import { fakeBrowser } from 'wxt/testing/fake-browser';
import { deferred, type Deferred } from '../../src/async';
import * as tabs from '../../src/browser/tabs';
import type { Tab } from '../../src/browser/tabs';
import { createTabList, HELD_MS } from '../../src/ops/tab-list';
import { silentEvents, testClock } from '../util';
import { fire, world } from './world';

const tab = (id: number, change: Partial<Tab> = {}): Tab => ({
  id, windowId: 1, index: id, active: false, title: `Tab ${id}`, url: 'https://a.example/', pendingUrl: '', groupId: -1, loading: false, ...change,
});

function ready(there: Tab[] = [tab(1), tab(2)]) {
  const clock = testClock();
  const asked = { all: 0, windows: 0 };
  let gate: Deferred<void> | null = null;
  const list = createTabList({
    clock,
    all: async () => {
      asked.all += 1;
      const seen = [...there];
      await gate?.promise;
      return seen;
    },
    windows: async () => {
      asked.windows += 1;
      return [2, 1];
    },
  });
  const ids = async (): Promise<number[]> => (await list.read()).map((t) => t.id);
  return { clock, asked, there, list, ids, hold: () => (gate = deferred()) };
}

describe('the list of tabs', () => {
  it('is asked for once while nothing happens', async () => {
    const { asked, ids } = ready();
    expect(await ids()).toEqual([1, 2]);
    expect(await ids()).toEqual([1, 2]);
    expect(asked).toEqual({ all: 1, windows: 0 });
  });

  it('is asked for again after a change', async () => {
    const { there, list, ids } = ready();
    await ids();
    there.pop();
    list.changed();
    expect(await ids()).toEqual([1]);
  });

  it('is held up to its time and not a moment longer', async () => {
    const { clock, asked, ids } = ready();
    await ids();
    await clock.advance(HELD_MS - 1);
    await ids();
    expect(asked.all).toBe(1);
    await clock.advance(1);
    await ids();
    expect(asked.all).toBe(2);
  });

  it('is asked for again where the clock was set back', async () => {
    const { clock, asked, ids } = ready();
    await ids();
    await clock.advance(-1);
    await ids();
    expect(asked.all).toBe(2);
  });

  it('counts its time from when the browser was asked', async () => {
    const { clock, asked, ids, hold } = ready();
    const gate = hold();
    const reading = ids();
    await clock.advance(HELD_MS);
    gate.resolve();
    await reading;
    await ids();
    expect(asked.all).toBe(2);
  });

  it('that was read while something changed is not held', async () => {
    const { asked, list, ids, hold } = ready();
    const gate = hold();
    const reading = ids();
    list.changed();
    gate.resolve();
    expect(await reading).toEqual([1, 2]);
    await ids();
    expect(asked.all).toBe(2);
  });

  it('goes by the order of windows where there are several', async () => {
    const { asked, ids } = ready([tab(1), tab(2, { windowId: 2, index: 1 }), tab(3, { windowId: 2, index: 0 })]);
    expect(await ids()).toEqual([3, 2, 1]);
    expect(asked).toEqual({ all: 1, windows: 1 });
  });
});

describe('whatever changes it', () => {
  it('is heard of: every event of tabs and windows that the list shows anything of', () => {
    fakeBrowser.reset();
    silentEvents();
    let heard = 0;
    const names = { tabs: ['onCreated', 'onRemoved', 'onUpdated', 'onActivated', 'onMoved', 'onAttached', 'onDetached', 'onReplaced'], windows: ['onCreated', 'onRemoved'] };
    const listeners = new Map<string, (...told: unknown[]) => void>();
    for (const [api, events] of Object.entries(names))
      for (const name of events) {
        const event = (fakeBrowser as unknown as Record<string, Record<string, { addListener(l: never): void }>>)[api]?.[name];
        if (event === undefined) throw new Error(`no ${api}.${name}`);
        vi.spyOn(event, 'addListener').mockImplementation((l: never) => void listeners.set(`${api}.${name}`, l));
      }
    const also: unknown[] = [];
    tabs.watch({ changed: () => (heard += 1), moved: (id) => also.push(['moved', id]), windowRemoved: (id) => also.push(['window', id]) });
    for (const told of listeners.values()) told({}, {}, {});
    expect([listeners.size, heard]).toEqual([10, 10]);
    // The same listeners tell what some events are about.
    also.length = 0;
    listeners.get('tabs.onUpdated')?.(7, { status: 'loading' }, {});
    listeners.get('tabs.onUpdated')?.(7, { url: 'https://b.example/' }, {});
    listeners.get('windows.onRemoved')?.(3);
    expect([heard, also]).toEqual([13, [['moved', 7], ['window', 3]]]);
    vi.restoreAllMocks();
  });

  it('by an act of ours is shown by the very next list, whether the browser has told of it or not', async () => {
    const w = world();
    w.allow('https://a.example');
    w.addTab({ id: 1 });
    expect((await w.call('tab_list')).data).toMatchObject([{ id: 1 }]);
    const opened = (await w.call('tab_open', { url: 'https://a.example/x' })) as { data: { opened: number } };
    expect((await w.call('tab_list')).data).toMatchObject([{ id: 1 }, { id: opened.data.opened, url: 'https://a.example/x' }]);
    await w.call('tab_focus', { tabId: opened.data.opened });
    expect((await w.call('tab_list')).data).toMatchObject([{ active: false }, { active: true }]);
  });

  it('while an act of ours is under way is shown, too', async () => {
    const w = world();
    w.allow('https://a.example');
    const { id } = w.addTab({ id: 1, title: 'before' });
    const gate = deferred<void>();
    w.pages.set(id, async ({ op }) => (op === 'ping' ? { ok: true, data: { token: 't' } } : (await gate.promise, { ok: true, data: { scrollY: 0, scrollX: 0 } })));
    const scrolling = w.request('page_scroll', { tabId: id, direction: 'top' });
    expect((await w.call('tab_list')).data).toMatchObject([{ title: 'before' }]);
    w.tabs.get(id)!.title = 'after';
    gate.resolve();
    await w.call('page_scroll', { tabId: id, direction: 'top' });
    expect(w.answerOf(scrolling)).toMatchObject({ ok: true });
    expect((await w.call('tab_list')).data).toMatchObject([{ title: 'after' }]);
  });

  it('in the browser is shown once it was told', async () => {
    const w = world();
    w.addTab({ id: 1, title: 'old' });
    await w.call('tab_list');
    w.tabs.get(1)!.title = 'new';
    fire.updated(1, { title: 'new' } as never);
    expect((await w.call('tab_list')).data).toMatchObject([{ title: 'new' }]);
  });
});
