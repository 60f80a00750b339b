import { describe, expect, it, vi } from 'vitest';
import { fakeBrowser } from 'wxt/testing/fake-browser';
import { fit, IMAGE_LIMIT, decodedBytes, toBase64, type Encoder } from '../../src/ops/image';
import { fire, world } from './world';
import { outcome, refusal, settle } from '../util';

const ready = (all = true) => {
  const w = world();
  w.allow('https://a.example');
  if (all) w.held.add('<all_urls>');
  return { w, tab: w.addTab() };
};

describe('page_screenshot', () => {
  it('pictures the window where all sites are held and the tab is in front', async () => {
    const { w } = ready();
    expect(await w.call('page_screenshot')).toMatchObject({ data: { image: 'iVBORw==', mimeType: 'image/png' } });
    expect(w.calls).toEqual(['capture 1']);
    expect(w.debugger.log).toEqual([]);
  });

  it('waits once where the browser has a quota', async () => {
    const { w } = ready();
    w.capture.fails = ['This request exceeds the MAX_CAPTURE_VISIBLE_TAB_CALLS_PER_SECOND quota.'];
    const id = w.request('page_screenshot');
    await w.clock.advance(599);
    expect(w.answerOf(id)).toBeUndefined();
    await w.clock.advance(1);
    expect(w.answerOf(id)).toMatchObject({ ok: true });
    expect(w.debugger.log).toEqual([]);
  });

  it('attaches where the quota is still used up after that', async () => {
    const { w, tab } = ready();
    w.capture.fails = Array(2).fill('MAX_CAPTURE_VISIBLE_TAB_CALLS_PER_SECOND');
    const id = w.request('page_screenshot');
    await w.clock.advance(600);
    await settle();
    expect(w.answerOf(id)).toMatchObject({ data: { image: 'iVBORw==' } });
    expect(w.debugger.log).toEqual([`attach ${tab.id}`, 'Page.captureScreenshot', `detach ${tab.id}`]);
  });

  it('neither attaches nor pictures again where the kill switch came while it waited', async () => {
    const { w } = ready();
    w.capture.fails = Array(2).fill('MAX_CAPTURE_VISIBLE_TAB_CALLS_PER_SECOND');
    const id = w.request('page_screenshot');
    await w.clock.advance(300);
    w.kill.engage();
    await w.clock.advance(300);
    expect(w.answerOf(id)).toMatchObject({ code: 'TOOL_DISABLED' });
    expect([w.calls, w.debugger.log]).toEqual([['capture 1'], []]);
  });

  it.each([
    ['all sites are not held', false, {}],
    ['the tab is in the background', true, { active: false }],
  ])('attaches for a moment where %s', async (_name, all, change) => {
    const { w, tab } = ready(all);
    Object.assign(tab, change);
    expect(await w.call('page_screenshot', { tabId: tab.id })).toMatchObject({ data: { image: 'iVBORw==' } });
    const drawn = tab.active ? ['Page.captureScreenshot'] : ['Page.enable', 'Page.startScreencast', 'Page.captureScreenshot', 'Page.stopScreencast'];
    expect(w.debugger.log).toEqual([`attach ${tab.id}`, ...drawn, `detach ${tab.id}`]);
  });

  it('attaches where the window cannot be pictured', async () => {
    const { w } = ready();
    w.capture.fails = ['image readback failed'];
    expect(await w.call('page_screenshot')).toMatchObject({ ok: true });
    expect(w.debugger.log).toContain('Page.captureScreenshot');
  });

  it('keeps the words of a browser that refuses to attach', async () => {
    const { w } = ready(false);
    w.debugger.failAttach = 'Cannot access a chrome:// URL';
    expect(await w.call('page_screenshot')).toMatchObject({ code: 'UNSUPPORTED_PAGE', error: expect.stringContaining('chrome://') });
    expect(w.debugger.log).toEqual([]);
  });

  it('gives nothing out of a tab that moved on meanwhile, and detaches', async () => {
    const { w, tab } = ready(false);
    w.debugger.shot = (async () => {
      tab.url = 'https://evil.example/';
      return 'iVBORw==';
    }) as never;
    expect(await w.call('page_screenshot')).toMatchObject({ code: 'EXECUTION_FAILED' });
    expect(w.debugger.attached).toEqual([]);
  });

  it.each([
    ['another tab of it was in front', (windowId: number, _id: number) => fire.activated(999, windowId)],
    ['the tab came to another page', (_windowId: number, id: number) => fire.updated(id, { url: 'https://other.example/' })],
  ])('gives out no picture of a window while which %s for a moment', async (_name, meanwhile) => {
    const { w, tab } = ready();
    w.capture.meanwhile = () => meanwhile(tab.windowId, tab.id);
    expect(await w.call('page_screenshot')).toMatchObject({ ok: true });
    expect(w.debugger.log).toEqual([`attach ${tab.id}`, 'Page.captureScreenshot', `detach ${tab.id}`]);
  });

  it.each([
    ['gives up', (w: ReturnType<typeof ready>['w'], _id: number) => w.clock.advance(30_000)],
    ['is cancelled', async (w: ReturnType<typeof ready>['w'], id: number) => {
      w.cancel(id);
      await settle();
    }],
  ])('hears no more of tabs once it %s, although the browser never gives the picture of the window', async (_name, end) => {
    const { w } = ready();
    const events = [fakeBrowser.tabs.onActivated, fakeBrowser.tabs.onUpdated];
    const heard = events.map((event) => vi.spyOn(event, 'addListener'));
    w.capture.meanwhile = () => new Promise<never>(() => undefined);
    const id = w.request('page_screenshot');
    await settle();
    const listening = () => heard.flatMap((spy, at) => spy.mock.calls.map(([listener]) => events[at]!.hasListener(listener as never)));
    expect(listening()).toContain(true);
    await end(w, id);
    expect(listening().filter((on) => on)).toEqual([]);
    heard.forEach((spy) => spy.mockRestore());
  });

  it('keeps the picture where nothing else can have been in it', async () => {
    const { w, tab } = ready();
    w.capture.meanwhile = () => {
      fire.activated(999, tab.windowId + 1);
      fire.updated(tab.id + 1, { url: 'https://other.example/' });
      fire.updated(tab.id, { status: 'complete' });
      fire.updated(tab.id, { url: 'https://a.example/other' });
      fire.activated(tab.id, tab.windowId);
    };
    expect(await w.call('page_screenshot')).toMatchObject({ ok: true });
    expect(w.debugger.log).toEqual([]);
  });

  it('never attaches to a tab that shows a page of ours by then', async () => {
    const { w, tab } = ready(false);
    w.pages.clear();
    const id = w.request('page_screenshot');
    tab.pendingUrl = `chrome-extension://test-extension-id/confirm.html`;
    await settle();
    expect(w.answerOf(id)).toMatchObject({ code: 'UNSUPPORTED_PAGE' });
    expect(w.debugger.log).toEqual([]);
  });

  it('detaches at once when cancelled, although the browser never answers', async () => {
    const { w } = ready(false);
    w.debugger.shot = () => new Promise<never>(() => undefined);
    const id = w.request('page_screenshot');
    await settle();
    expect(w.debugger.attached).toHaveLength(1);
    w.cancel(id);
    await settle();
    expect(w.debugger.attached).toEqual([]);
    w.debugger.shot = 'iVBORw==';
    expect(await w.call('page_screenshot')).toMatchObject({ ok: true });
  });

  it('gives up after its time, and detaches', async () => {
    const { w } = ready(false);
    w.debugger.shot = () => new Promise<never>(() => undefined);
    const id = w.request('page_screenshot');
    await w.clock.advance(30_000);
    expect(w.answerOf(id)).toMatchObject({ code: 'EXECUTION_FAILED' });
    expect(w.debugger.attached).toEqual([]);
  });
});

describe('the size of a picture', () => {
  const png = (bytes: number) => 'A'.repeat(Math.floor(bytes / 3) * 4) + ['', 'AA==', 'AAA='][bytes % 3];
  const encoder = (sizes: number[]) => {
    const asked: number[] = [];
    const made: Encoder & { asked: number[]; closed: number } = {
      asked,
      closed: 0,
      jpeg: async (shrink) => {
        asked.push(shrink);
        return new Uint8Array(sizes[shrink] ?? 0);
      },
      close: () => (made.closed += 1),
    };
    return made;
  };

  it('is counted in decoded bytes', () => {
    expect(decodedBytes('')).toBe(0);
    expect(decodedBytes(btoa('a'))).toBe(1);
    expect(decodedBytes(btoa('ab'))).toBe(2);
    expect(decodedBytes(btoa('abc'))).toBe(3);
    expect(toBase64(new Uint8Array(100_000))).toBe(btoa('\0'.repeat(100_000)));
  });

  it('decides at 5,242,880', async () => {
    const decode = vi.fn(async () => encoder([10]));
    for (const size of [IMAGE_LIMIT - 1, IMAGE_LIMIT]) {
      expect(decodedBytes(png(size))).toBe(size);
      expect(await fit(png(size), decode)).toMatchObject({ mimeType: 'image/png' });
    }
    expect(decode).not.toHaveBeenCalled();
    expect(await fit(png(IMAGE_LIMIT + 1), decode)).toEqual({ image: btoa('\0'.repeat(10)), mimeType: 'image/jpeg' });
  });

  it('halves width and height at most three times, then refuses', async () => {
    const third = encoder([IMAGE_LIMIT + 1, IMAGE_LIMIT + 1, IMAGE_LIMIT + 1, IMAGE_LIMIT]);
    expect(await fit(png(IMAGE_LIMIT + 1), async () => third)).toMatchObject({ mimeType: 'image/jpeg' });
    expect(third.asked).toEqual([0, 1, 2, 3]);
    const never = encoder(Array(9).fill(IMAGE_LIMIT + 1) as number[]);
    expect(await refusal(fit(png(IMAGE_LIMIT + 1), async () => never))).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    expect(never.asked).toHaveLength(4);
    expect(never.closed).toBe(1);
    expect(await outcome(Promise.resolve(third.closed))).toEqual({ value: 1 });
  });
});
