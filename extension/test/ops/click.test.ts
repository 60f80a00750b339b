import { describe, expect, it, vi } from 'vitest';
import { fakeBrowser } from 'wxt/testing/fake-browser';
import { clickDetail, riskOf } from '../../src/ops/click';
import type { Descriptor } from '../../src/page-channel';
import { active, fire, pageHalf, world } from './world';
import { settle } from '../util';

const plainButton: Descriptor = { tagName: 'button', role: 'button', type: 'button', hasHref: false, name: 'Open' };
const submit: Descriptor = { ...plainButton, type: 'submit', name: 'Pay now' };
const link: Descriptor = { tagName: 'a', role: 'link', type: '', hasHref: true, name: 'Terms' };

function ready(probe: unknown, answers: Parameters<typeof pageHalf>[0] = { page_click: { role: 'button' } }) {
  const w = world();
  w.allow('https://a.example');
  const tab = w.addTab();
  const page = pageHalf({ _probe: probe, ...answers });
  w.pages.set(tab.id, page);
  return { w, tab, page };
}

const announced = (change: Record<string, unknown> = {}) => ({
  page_click: { role: 'link', announced: { url: 'https://a.example/two?token=1', ...change } },
  _gone: () => new Promise(() => undefined),
});

describe('risk', () => {
  it.each([
    [link, 'navigate'],
    [{ ...plainButton, hasHref: true }, 'navigate'],
    [{ ...plainButton, role: 'link' }, 'navigate'],
    [submit, 'submit'],
    [{ ...plainButton, tagName: 'input', type: 'image' }, 'submit'],
    [plainButton, 'click'],
    [{ ...plainButton, type: '' }, 'click'],
  ])('%j is %s', (descriptor, risk) => {
    expect(riskOf(descriptor as Descriptor)).toBe(risk);
  });

  it('is shown with what is not the default', () => {
    expect(clickDetail('submit', submit, {})).toBe('submit: Pay now');
    expect(clickDetail('navigate', link, { button: 'right', count: 2, modifiers: ['Control', 'Shift', 'Control'] })).toBe(
      'navigate: Terms \u00b7 right \u00b7 \u00d7 2 \u00b7 Control+Shift',
    );
    expect(clickDetail('submit', { ...submit, name: 'x'.repeat(60) }, { button: 'left', count: 1, modifiers: [] })).toBe(
      `submit: ${'x'.repeat(40)}...`,
    );
  });
});

describe('a click', () => {
  it('that is harmless is not confirmed, and acts on what was probed', async () => {
    const { w, page } = ready(plainButton);
    expect(await w.call('page_click', { ref: 'e1' })).toMatchObject({ data: { clicked: 'e1', role: 'button' } });
    expect(page.heard.at(-2)).toMatchObject({ op: '_probe', expectOrigin: 'https://a.example' });
    expect(page.heard.at(-1)).toEqual({
      v: 1,
      op: 'page_click',
      call: expect.any(Number),
      token: 't',
      expectOrigin: 'https://a.example',
      expect: plainButton,
      args: { ref: 'e1', button: 'left', count: 1, modifiers: [] },
    });
  });

  it('folds repeated modifiers', async () => {
    const { w, page } = ready(plainButton);
    await w.call('page_click', { selector: '#x', button: 'middle', count: 2, modifiers: ['Alt', 'Alt', 'Meta'] });
    expect(page.heard.at(-1)).toMatchObject({ args: { selector: '#x', button: 'middle', count: 2, modifiers: ['Alt', 'Meta'] } });
  });

  it.each([
    [submit, 'submit: Pay now', 'submit'],
    [link, 'navigate: Terms', 'navigate'],
  ] as const)('that is risky is confirmed: %j', async (descriptor, detail, action) => {
    const { w, page, tab } = ready(descriptor);
    const id = w.request('page_click', { ref: 'e1' });
    expect(await w.payload()).toMatchObject({ kind: 'click', tool: 'page_click', detail, origin: 'https://a.example' });
    expect(page.heard.some((m) => m.op === 'page_click')).toBe(false);
    await w.decide(true);
    expect(w.answerOf(id)).toMatchObject({ ok: true });
    // Within grace the same action is not asked for again.
    expect(w.confirmations.covered({
      kind: 'click', tool: 'page_click', origin: 'https://a.example', tabTitle: '', detail: '', timeoutMs: 1,
      grace: { tabId: tab.id, action, forMs: 1 },
    })).toBe(true);
  });

  it.each([
    ['a field too many', { ...submit, extra: 1 }],
    ['a field too few', { tagName: 'a', role: 'link', type: '', hasHref: true }],
    ['another type', { ...submit, hasHref: 'no' }],
    ['a fill probe', { descriptor: submit, hidden: false }],
    ['nothing', {}],
  ])('is refused where the probe has %s', async (_name, probe) => {
    const { w, page } = ready(probe);
    expect(await w.call('page_click', { ref: 'e1' })).toMatchObject({ code: 'EXECUTION_FAILED' });
    expect(page.heard.some((m) => m.op === 'page_click')).toBe(false);
  });

  it('is refused where the origin changed during the window', async () => {
    const { w, tab, page } = ready(submit);
    const id = w.request('page_click', { ref: 'e1' });
    await settle();
    tab.url = 'https://evil.example/';
    await w.decide(true);
    expect(w.answerOf(id)).toMatchObject({ code: 'EXECUTION_FAILED' });
    expect(page.heard.some((m) => m.op === 'page_click')).toBe(false);
  });

  it('is refused by a kill during the window, and the window goes', async () => {
    const { w } = ready(submit);
    const id = w.request('page_click', { ref: 'e1' });
    await settle();
    w.kill.engage();
    await settle();
    expect(w.answerOf(id)).toMatchObject({ code: 'TOOL_DISABLED' });
    expect(await w.payload()).toBeNull();
  });
});

describe('a new document', () => {
  it('is waited for by event: navigated, with origin and path alone', async () => {
    const { w, tab } = ready(plainButton, announced());
    const id = w.request('page_click', { ref: 'e1' });
    await w.clock.advance(500);
    expect(w.answerOf(id)).toBeUndefined();
    // The channel may break before the browser has heard of the commit: the old address is not given.
    w.breakChannel(tab.id);
    await settle();
    expect(w.answerOf(id)).toBeUndefined();
    tab.url = 'https://a.example/landed?token=1#x';
    fire.updated(tab.id, { status: 'loading', url: tab.url });
    await settle();
    expect(w.answerOf(id)?.data).toEqual({
      clicked: 'e1',
      role: 'link',
      navigated: true,
      url: 'https://a.example/landed',
    });
  });

  it('may be told of by the browser before its channel breaks', async () => {
    const { w, tab } = ready(plainButton, announced());
    const id = w.request('page_click', { ref: 'e1' });
    await settle();
    tab.url = 'https://a.example/two';
    fire.updated(tab.id, { status: 'loading', url: tab.url });
    await settle();
    expect(w.answerOf(id)).toBeUndefined();
    w.breakChannel(tab.id);
    await settle();
    expect(w.answerOf(id)?.data).toMatchObject({ navigated: true, url: 'https://a.example/two' });
  });

  it('is not taken for a change of the history that came before it', async () => {
    const { w, tab } = ready(plainButton, announced());
    const id = w.request('page_click', { ref: 'e1' });
    await settle();
    fire.updated(tab.id, { status: 'loading', url: 'https://a.example/#pushed' });
    await w.clock.advance(1_000);
    expect(w.answerOf(id)).toBeUndefined();
    w.breakChannel(tab.id);
    await settle();
    expect(w.answerOf(id)).toBeUndefined();
    tab.url = 'https://a.example/two';
    fire.updated(tab.id, { status: 'loading', url: tab.url });
    await settle();
    expect(w.answerOf(id)?.data).toMatchObject({ navigated: true, url: 'https://a.example/two' });
  });

  it('is not looked for in a document that answers under another token', async () => {
    const { w, tab, page } = ready(plainButton, announced());
    const id = w.request('page_click', { ref: 'e1' });
    await settle();
    expect(page.heard.at(-1)).toMatchObject({ op: '_gone', args: { token: 't' } });
    expect(w.calls.filter((c) => c.startsWith('inject'))).toEqual([]);
    tab.url = 'https://a.example/two';
    fire.updated(tab.id, { status: 'loading' });
    w.cancel(id);
  });

  it('that has not come after 2,000 is navigating', async () => {
    const { w } = ready(plainButton, announced());
    const id = w.request('page_click', { ref: 'e1' });
    await w.clock.advance(1_999);
    expect(w.answerOf(id)).toBeUndefined();
    await w.clock.advance(1);
    expect(w.answerOf(id)?.data).toEqual({ clicked: 'e1', role: 'link', navigating: true });
  });

  it('that takes the page away under the click is reported, with the role that was probed', async () => {
    const { w, tab } = ready(plainButton, { page_click: () => new Promise(() => undefined) });
    const id = w.request('page_click', { ref: 'e1' });
    await settle();
    w.breakChannel(tab.id);
    await settle();
    tab.url = 'https://a.example/two';
    fire.updated(tab.id, { status: 'loading' });
    await settle();
    expect(w.answerOf(id)?.data).toEqual({
      clicked: 'e1',
      role: 'button',
      navigated: true,
      url: 'https://a.example/two',
    });
  });

  it('is not waited for where none was announced', async () => {
    const { w, tab } = ready(plainButton);
    const id = w.request('page_click', { ref: 'e1' });
    await settle();
    expect(w.answerOf(id)?.data).toEqual({ clicked: 'e1', role: 'button' });
    fire.updated(tab.id, { status: 'loading' });
  });

  it('in a frame of the instance is waited for there, and its announced address is given', async () => {
    const gone: unknown[] = [];
    const { w, tab } = ready(plainButton, {
      page_click: { role: 'link', announced: { url: 'https://a.example/in?x=1', frame: 3 } },
      _gone: (m: unknown) => {
        gone.push((m as { args: unknown }).args);
        return { ok: true, data: {} };
      },
    });
    const id = w.request('page_click', { ref: 'e1' });
    // What the top document does is not what was announced.
    fire.updated(tab.id, { status: 'loading' });
    await settle();
    expect(gone).toEqual([{ token: 't', frame: 3 }]);
    expect(w.answerOf(id)?.data).toEqual({ clicked: 'e1', role: 'link', navigated: true, url: 'https://a.example/in' });
  });

  it.each([
    ['data:text/html,<b>4111</b>', 'data:'],
    ['about:srcdoc#token', 'about:srcdoc'],
    ['about:blank', 'about:blank'],
    ['file:///home/a.html?key=1\n#x', 'file:///home/a.html'],
  ])('that is no page of the web is told without what follows: %s', async (url, told) => {
    const { w } = ready(plainButton, {
      page_click: { role: 'link', announced: { url, frame: 3 } },
      _gone: () => ({ ok: true, data: {} }),
    });
    expect(await w.call('page_click', { ref: 'e1' })).toMatchObject({ data: { navigated: true, url: told } });
  });

  it('of a closed tab is no result', async () => {
    const { w, tab } = ready(plainButton, { page_click: () => new Promise(() => undefined) });
    const id = w.request('page_click', { ref: 'e1' });
    await settle();
    w.tabs.delete(tab.id);
    w.breakChannel(tab.id);
    await settle();
    expect(w.answerOf(id)).toMatchObject({ code: 'TAB_NOT_FOUND' });
  });

  it('is not waited for by a call that is cancelled', async () => {
    const { w } = ready(plainButton, announced());
    const id = w.request('page_click', { ref: 'e1' });
    await settle();
    w.cancel(id);
    await w.clock.advance(5_000);
    expect(w.answerOf(id)).toBeUndefined();
  });
});

describe('a link of javascript:', () => {
  const script = { page_click: { role: 'link', script: 'javascript:go(1)' }, _gone: () => new Promise(() => undefined) };

  it('is run in the world of the page, since a click of ours starts no script', async () => {
    const { w } = ready(plainButton, script);
    expect(await w.call('page_click', { ref: 'e1' })).toMatchObject({ data: { clicked: 'e1', role: 'link' } });
    expect(w.main.ran.map(([origin, url]) => [origin, url])).toEqual([['https://a.example', 'javascript:go(1)']]);
  });

  it('that leads to a new document is told as any click that does', async () => {
    const { w, tab } = ready(plainButton, script);
    const id = w.request('page_click', { ref: 'e1' });
    await w.clock.advance(200);
    expect(w.answerOf(id)).toBeUndefined();
    w.breakChannel(tab.id);
    await settle();
    tab.url = 'https://a.example/next?token=1';
    fire.updated(tab.id, { status: 'loading', url: tab.url });
    await settle();
    expect(w.answerOf(id)?.data).toEqual({ clicked: 'e1', role: 'link', navigated: true, url: 'https://a.example/next' });
  });

  it.each([
    ['a pending address', { pendingUrl: 'https://a.example/slow' }],
    ['a tab that loads', { status: 'loading' }],
  ])('that has begun a load by the time is waited for as long as any: %s', async (_name, change) => {
    const { w, tab } = ready(plainButton, script);
    const id = w.request('page_click', { ref: 'e1' });
    await settle();
    Object.assign(tab, change);
    await w.clock.advance(1_999);
    expect(w.answerOf(id)).toBeUndefined();
    await w.clock.advance(1);
    expect(w.answerOf(id)?.data).toEqual({ clicked: 'e1', role: 'link', navigating: true });
  });

  it.each([{}, { status: 'loading' }])('that begins none is not waited for: %j', async (change) => {
    const { w, tab } = ready(plainButton, script);
    Object.assign(tab, change);
    const id = w.request('page_click', { ref: 'e1' });
    await w.clock.advance(249);
    expect(w.answerOf(id)).toBeUndefined();
    await w.clock.advance(1);
    expect(w.answerOf(id)?.data).toEqual({ clicked: 'e1', role: 'link' });
  });

  it('that cannot be run is a click all the same', async () => {
    const { w } = ready(plainButton, script);
    w.main.answer = () => Promise.reject(new Error('Frame with ID 0 was removed.'));
    expect(await w.call('page_click', { ref: 'e1' })).toMatchObject({ data: { clicked: 'e1' } });
  });

  it('runs nothing else', async () => {
    const { w } = ready(plainButton);
    await w.call('page_click', { ref: 'e1' });
    expect(w.main.ran).toEqual([]);
  });

  it('is not run where a handler of the page led elsewhere', async () => {
    const { w } = ready(plainButton, { page_click: { ...script.page_click, announced: { url: 'https://a.example/two' } } });
    expect(await w.call('page_click', { ref: 'e1' })).toMatchObject({ data: { navigated: true } });
    expect(w.main.ran).toEqual([]);
  });

  it('is not run by us where the debugger clicks, whose click starts it', async () => {
    const w = world(await active({ cdpMode: true }));
    w.allow('https://a.example');
    const tab = w.addTab();
    w.pages.set(tab.id, pageHalf({ _probe: plainButton, ...script }));
    expect(await w.call('page_click', { ref: 'e1' })).toMatchObject({ data: { clicked: 'e1' } });
    expect(w.main.ran).toEqual([]);
  });

  it('that the debugger started is waited for as one that we started', async () => {
    const w = world(await active({ cdpMode: true }));
    w.allow('https://a.example');
    const tab = w.addTab();
    w.pages.set(tab.id, pageHalf({ _probe: plainButton, ...script }));
    const id = w.request('page_click', { ref: 'e1' });
    await settle();
    Object.assign(tab, { pendingUrl: 'https://a.example/slow' });
    await w.clock.advance(1_000);
    expect(w.answerOf(id)).toBeUndefined();
    await w.clock.advance(1_000);
    expect(w.answerOf(id)?.data).toEqual({ clicked: 'e1', role: 'link', navigating: true });
  });

  describe('in the page', () => {
    /** Runs what was put into the page, in a document as given; where it went. */
    const runIn = async (page: { top: boolean; own: string; claims: string }) => {
      const { w } = ready(plainButton, script);
      await w.call('page_click', { ref: 'e1' });
      const [query] = vi.mocked(fakeBrowser.scripting.executeScript).mock.calls
        .map(([q]) => q as unknown as { world?: string; func: (...args: unknown[]) => unknown; args: unknown[] })
        .filter((q) => q.world === 'MAIN');
      const place = { origin: page.own, href: '' };
      const self = { origin: page.claims };
      vi.stubGlobal('location', place);
      vi.stubGlobal('self', self);
      vi.stubGlobal('window', page.top ? Object.assign(self, { top: self }) : { ...self, top: {} });
      try {
        await query?.func(...query.args);
      } finally {
        vi.unstubAllGlobals();
      }
      return place.href;
    };
    const a = 'https://a.example';
    const b = 'https://b.example';

    it.each([
      ['the page that was clicked in', { top: true, own: a, claims: a }, true],
      ['another page', { top: true, own: b, claims: b }, false],
      ['another page that says it was this one', { top: true, own: b, claims: a }, false],
      ['a frame that inherits its origin', { top: false, own: 'null', claims: a }, true],
      ['a frame of another site', { top: false, own: b, claims: b }, false],
    ])('%s', async (_name, page, runs) => {
      expect(await runIn(page)).toBe(runs ? 'javascript:go(1)' : '');
    });
  });
});

describe('a new tab', () => {
  const opening = (w: ReturnType<typeof world>, opener: number, change: Record<string, unknown> = {}) => {
    const tab = w.addTab({ url: '', pendingUrl: 'https://b.example/', openerTabId: opener, active: false, ...change });
    fire.created(tab);
    return tab;
  };

  it('that the target opened before the answer is reported, its address awaited by event', async () => {
    const r = ready(plainButton, {});
    let made: ReturnType<typeof opening> | null = null;
    const page = pageHalf({
      _probe: plainButton,
      page_click: () => {
        made = opening(r.w, r.tab.id);
        opening(r.w, r.tab.id);
        return { role: 'link' };
      },
    });
    r.w.pages.set(r.tab.id, page);
    const id = r.w.request('page_click', { ref: 'e1' });
    await r.w.clock.advance(300);
    expect(r.w.answerOf(id)).toBeUndefined();
    const tab = made as unknown as { id: number };
    fire.updated(tab.id, { url: 'https://b.example/' });
    await settle();
    expect(r.w.answerOf(id)?.data).toEqual({
      clicked: 'e1',
      role: 'link',
      newTab: { tabId: tab.id, url: 'https://b.example/' },
    });
  });

  it('without an address in time has an empty one', async () => {
    const r = ready(plainButton, {});
    r.w.pages.set(r.tab.id, pageHalf({ _probe: plainButton, page_click: () => (opening(r.w, r.tab.id), { role: 'link' }) }));
    const id = r.w.request('page_click', { ref: 'e1' });
    await r.w.clock.advance(2_000);
    expect(r.w.answerOf(id)?.data).toMatchObject({ newTab: { url: '' } });
  });

  it('of another opener, or after the answer, is not ours', async () => {
    const r = ready(plainButton, {});
    r.w.pages.set(r.tab.id, pageHalf({ _probe: plainButton, page_click: () => (opening(r.w, 99), { role: 'link' }) }));
    const got = await r.w.call('page_click', { ref: 'e1' });
    expect(got.data).toEqual({ clicked: 'e1', role: 'link' });
    opening(r.w, r.tab.id);
    await settle();
  });
});

describe('a download', () => {
  it('ends the wait, with host and a name that is cleaned and cut', async () => {
    const { w } = ready(plainButton, {
      page_click: {
        role: 'link',
        announced: { url: 'https://cdn.example:8443/f?sig=1' },
        download: { url: 'https://cdn.example:8443/f?sig=1', filename: `a\u202e"b\n${'x'.repeat(300)}` },
      },
    });
    const { data } = await w.call('page_click', { ref: 'e1' });
    const { download, ...rest } = data as { download: { host: string; filename: string } };
    expect(rest).toEqual({ clicked: 'e1', role: 'link' });
    expect(download.host).toBe('cdn.example:8443');
    expect(download.filename.startsWith('a\\u202e\\"b x')).toBe(true);
    expect(download.filename.endsWith('...')).toBe(true);
  });

  it('of which the browser tells nothing says only that it started', async () => {
    const { w } = ready(plainButton, { page_click: { role: 'link', download: { url: 'blob:x', filename: '' } } });
    expect((await w.call('page_click', { ref: 'e1' })).data).toEqual({ clicked: 'e1', role: 'link', download: {} });
  });
});
