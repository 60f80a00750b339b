import { describe, expect, it } from 'vitest';
import { pageHalf, paired, world, type PageHalf } from './world';
import { settle } from '../util';
import type { ToPage } from '../../src/page-channel';

const field = { tagName: 'input', role: 'textbox', type: 'text', hasHref: false, name: 'Card' };
function ready(answers: Parameters<typeof pageHalf>[0] = {}, data: Record<string, unknown> = {}) {
  const w = world(data);
  w.allow('https://a.example');
  const tab = w.addTab({ title: 'Shop' });
  const page = pageHalf(answers);
  w.pages.set(tab.id, page);
  return { w, tab, page };
}

describe('page_fill', () => {
  const probed = { _probe: { descriptor: field, hidden: false }, page_fill: {} };

  it('is confirmed while unpaired, with name and value, and acts on what was probed', async () => {
    const { w, page } = ready(probed);
    const id = w.request('page_fill', { ref: 'e1', value: 'x'.repeat(300) });
    expect(await w.payload()).toMatchObject({
      kind: 'fill',
      tool: 'page_fill',
      origin: 'https://a.example',
      tabTitle: 'Shop',
      detail: `Card: ${'x'.repeat(200)}...`,
    });
    await w.decide(true);
    expect(w.answerOf(id)).toMatchObject({ data: { filled: 'e1' } });
    expect(page.heard.at(-1)).toMatchObject({
      op: 'page_fill',
      expect: field,
      expectOrigin: 'https://a.example',
      args: { ref: 'e1', value: 'x'.repeat(300) },
    });
  });

  it('shows six bullets for a field whose value an outline hides', async () => {
    const { w } = ready({ ...probed, _probe: { descriptor: { ...field, type: 'password' }, hidden: true } });
    w.request('page_fill', { selector: '#pw', value: 'hunter2' });
    expect((await w.payload())?.detail).toBe(`Card: ${'\u2022'.repeat(6)}`);
  });

  it('shows what is filled in, sign by sign', async () => {
    const { w } = ready(probed);
    w.request('page_fill', { ref: 'e1', value: ' GB12\u200b  34\n' });
    expect((await w.payload())?.detail).toBe('Card: \\u0020GB12\\u200b  34\\u000a');
  });

  it('falls back to role and tag where there is no name, cut at 40', async () => {
    for (const [change, label] of [
      [{ name: '' }, 'textbox'],
      [{ name: '', role: '' }, 'input'],
      [{ name: 'n'.repeat(60) }, `${'n'.repeat(40)}...`],
    ] as const) {
      const { w } = ready({ ...probed, _probe: { descriptor: { ...field, ...change }, hidden: false } });
      w.request('page_fill', { ref: 'e1', value: 'v' });
      expect((await w.payload())?.detail).toBe(`${label}: v`);
    }
  });

  it('is not done when denied', async () => {
    const { w, page } = ready(probed);
    const id = w.request('page_fill', { ref: 'e1', value: 'v' });
    await w.decide(false);
    expect(w.answerOf(id)).toMatchObject({ code: 'USER_DENIED' });
    expect(page.heard.some((m) => m.op === 'page_fill')).toBe(false);
  });

  it('has grace for the same tab and origin', async () => {
    const { w } = ready(probed);
    w.request('page_fill', { ref: 'e1', value: 'v' });
    await w.decide(true);
    expect(await w.call('page_fill', { ref: 'e2', value: 'w' })).toMatchObject({ ok: true });
    await w.clock.advance(60_000);
    w.request('page_fill', { ref: 'e2', value: 'w' });
    expect(await w.payload()).not.toBeNull();
  });

  it('is not confirmed once paired, and not bound to a probe', async () => {
    const { w, page } = ready(probed, await paired());
    expect(await w.call('page_fill', { ref: 'e1', value: 'v' })).toMatchObject({ data: { filled: 'e1' } });
    expect(page.heard.map((m) => m.op)).toEqual(['ping', 'page_fill']);
    expect(page.heard.at(-1)).not.toHaveProperty('expect');
  });

  it('is refused where the probe does not fit', async () => {
    const { w } = ready({ _probe: field });
    expect(await w.call('page_fill', { ref: 'e1', value: 'v' })).toMatchObject({ code: 'EXECUTION_FAILED' });
    const more = ready({ _probe: { descriptor: field, hidden: false, more: 1 } });
    expect(await more.w.call('page_fill', { ref: 'e1', value: 'v' })).toMatchObject({ code: 'EXECUTION_FAILED' });
  });

  it('gives a refusal of the page as it is', async () => {
    const { w } = ready({ ...probed, page_fill: { ok: false, error: 'date must be YYYY-MM-DD', code: 'INVALID_ARGUMENT' } });
    const id = w.request('page_fill', { ref: 'e1', value: 'v' });
    await w.decide(true);
    expect(w.answerOf(id)).toMatchObject({ code: 'INVALID_ARGUMENT', error: 'date must be YYYY-MM-DD' });
  });
});

describe('page_select and page_press', () => {
  it('are confirmed each time, without grace', async () => {
    const { w, tab } = ready({ page_select: { selected: 'b', text: 'Bee' }, page_press: { pressed: 'Control+A' }, _focus: {} });
    for (let i = 0; i < 2; i++) {
      const id = w.request('page_select', { selector: '#s', value: 'Bee' });
      expect(await w.payload()).toMatchObject({ kind: 'select', detail: 'Bee' });
      await w.decide(true);
      expect(w.answerOf(id)).toMatchObject({ data: { selected: 'b', text: 'Bee' } });
    }
    for (let i = 0; i < 2; i++) {
      const id = w.request('page_press', { keys: ' Control+A ' });
      expect(await w.payload()).toMatchObject({ kind: 'press', detail: 'Control+A' });
      await w.decide(true);
      expect(w.answerOf(id)).toMatchObject({ data: { pressed: 'Control+A' } });
    }
    expect(tab.url).toBe('https://a.example/');
  });

  const detailOf = async (op: string, args: Record<string, unknown>): Promise<string> => {
    const { w } = ready({ _focus: {} });
    w.request(op, args);
    return String((await w.payload())?.detail);
  };
  const select = (value: string) => detailOf('page_select', { selector: '#s', value });

  it.each([
    ['what nobody sees', 'pay', 'pay\u200b', 'pay\\u200b'],
    ['what looks spelled', 'pay\u200b', 'pay\\u200b', 'pay\\\\u200b'],
    ['a space at the end', 'pay', 'pay ', 'pay\\u0020'],
    ['the number of spaces', 'pay 1', 'pay  1', 'pay  1'],
    ['the kind of a space', 'pay 1', 'pay\u00a01', 'pay\\u00a01'],
    ['a line', 'pay 1', 'pay\n1', 'pay\\u000a1'],
    ['what is not well-formed', 'pay\ufffd', 'pay\ud800', 'pay\\ud800'],
    ['what comes after 200', `${'x'.repeat(200)}1`, `${'x'.repeat(200)}2`, `${'x'.repeat(200)}2`],
  ])('no two values look alike: %s', async (_name, one, other, shown) => {
    expect(await select(other)).toBe(shown);
    expect(await select(one)).not.toBe(shown);
  });

  it('no two keys look alike', async () => {
    expect(await detailOf('page_press', { keys: 'Enter\u200b' })).toBe('Enter\\u200b');
    expect(await detailOf('page_press', { keys: '\t Enter\u00a0' })).toBe('Enter');
  });

  it('run out with the clock', async () => {
    const { w } = ready({ _focus: {} });
    const id = w.request('page_press', { keys: 'Enter' });
    await w.clock.advance(30_000);
    expect(w.answerOf(id)).toMatchObject({ code: 'CONFIRMATION_TIMEOUT' });
  });

  it('spend no in-page time on the user', async () => {
    const { w } = ready({ page_select: { selected: 'b', text: 'Bee' } });
    const id = w.request('page_select', { selector: '#s', value: 'b' });
    await w.clock.advance(29_000);
    await w.decide(true);
    expect(w.answerOf(id)).toMatchObject({ ok: true });
  });

  it('cancelled while the window is open: it closes, nothing is answered', async () => {
    const { w } = ready({ page_select: { selected: 'b', text: 'Bee' } });
    const id = w.request('page_select', { selector: '#s', value: 'b' });
    expect(await w.payload()).not.toBeNull();
    w.cancel(id);
    await settle();
    expect(await w.payload()).toBeNull();
    expect(w.answerOf(id)).toBeUndefined();
  });
});

describe('page_hover and page_scroll', () => {
  it('need no confirmation', async () => {
    const { w, page } = ready({ page_hover: { role: 'link' }, page_scroll: { scrollY: 10, scrollX: 0 } });
    expect(await w.call('page_hover', { ref: 'e3' })).toMatchObject({ data: { hovered: 'e3', role: 'link' } });
    expect(await w.call('page_scroll', { direction: 'down' })).toMatchObject({ data: { scrollY: 10, scrollX: 0 } });
    expect(page.heard.at(-1)).toMatchObject({ args: { direction: 'down' } });
    await w.call('page_scroll', { direction: 'up', pixels: -5 });
    expect(page.heard.at(-1)).toMatchObject({ args: { direction: 'up', pixels: -5 } });
  });
});

describe('a ref into a frame', () => {
  const inFrame = () => {
    const r = ready();
    const heard: [number, ToPage][] = [];
    const half: PageHalf = (message, frameId) => {
      if (message.op === 'ping') return { ok: true, data: { token: 't' } };
      heard.push([frameId, message]);
      return { ok: true, data: { role: 'button' } };
    };
    r.w.pages.set(r.tab.id, half);
    r.w.frames = [{ frameId: 12, origin: 'https://pay.example', address: 'https://pay.example/', path: [0] }];
    return { ...r, heard };
  };

  it('goes to that frame, with its origin as the expected one', async () => {
    const { w, heard } = inFrame();
    w.allow('https://pay.example');
    expect(await w.call('page_hover', { ref: 'f12e3' })).toMatchObject({ data: { hovered: 'f12e3', role: 'button' } });
    expect(heard).toEqual([[12, expect.objectContaining({ expectOrigin: 'https://pay.example', args: { ref: 'f12e3' } })]]);
  });

  it('is refused where the origin of the frame is not approved, or not permitted', async () => {
    const { w, heard } = inFrame();
    expect(await w.call('page_hover', { ref: 'f12e3' })).toMatchObject({
      code: 'SITE_NOT_ALLOWED',
      error: expect.stringContaining('https://pay.example'),
    });
    w.store.data.allowlist = ['https://a.example/*', 'https://pay.example/*'];
    expect(await w.call('page_hover', { ref: 'f12e3' })).toMatchObject({ code: 'HOST_PERMISSION_MISSING' });
    expect(heard).toEqual([]);
    expect(w.store.data.pendingAllow).toBeUndefined();
  });

  it('is not found where the frame is gone', async () => {
    const { w } = inFrame();
    expect(await w.call('page_hover', { ref: 'f13e1' })).toMatchObject({
      code: 'EXECUTION_FAILED',
      error: 'ref f13e1 not found: take a new page_snapshot',
    });
  });

  it('is refused in a frame without an origin', async () => {
    const { w } = inFrame();
    w.frames = [{ frameId: 12, origin: 'null', address: 'about:srcdoc', path: [0] }];
    expect(await w.call('page_hover', { ref: 'f12e3' })).toMatchObject({ code: 'SITE_NOT_ALLOWED' });
  });

  it('needs the approval of the top page first', async () => {
    const { w, tab } = inFrame();
    w.allow('https://pay.example');
    tab.url = 'https://top.example/';
    const id = w.request('page_hover', { ref: 'f12e3' });
    await settle();
    expect(w.store.data.pendingAllow).toMatchObject([{ glob: 'https://top.example/*' }]);
    w.cancel(id);
  });

  it('shows the origin of the frame in the window, and keeps its grace apart', async () => {
    const { w } = inFrame();
    w.allow('https://pay.example');
    const id = w.request('page_select', { ref: 'f12e3', value: 'x' });
    expect(await w.payload()).toMatchObject({ origin: 'https://pay.example' });
    w.cancel(id);
  });
});

describe('the focus of page_press', () => {
  const slot = { path: [0], address: 'https://pay.example/', srcOrigin: 'https://pay.example', focused: true };
  const nested = (top: unknown, inner: unknown) => {
    const r = ready();
    const heard: [number, string][] = [];
    r.w.pages.set(r.tab.id, (message, frameId) => {
      if (message.op === 'ping') return { ok: true, data: { token: 't' } };
      heard.push([frameId, message.op]);
      if (message.op === '_focus') return { ok: true, data: frameId === 0 ? top : inner };
      return { ok: true, data: { pressed: 'Enter' } };
    });
    r.w.frames = [{ frameId: 12, origin: 'https://pay.example', address: 'https://pay.example/', path: [0] }];
    return { ...r, heard };
  };

  it('follows into a covered frame, whose origin the window shows', async () => {
    const { w, heard } = nested({ frame: slot }, {});
    w.allow('https://pay.example');
    const id = w.request('page_press', { keys: 'Enter' });
    expect(await w.payload()).toMatchObject({ origin: 'https://pay.example' });
    await w.decide(true);
    expect(w.answerOf(id)).toMatchObject({ data: { pressed: 'Enter' } });
    expect(heard).toEqual([[0, '_focus'], [12, '_focus'], [12, 'page_press']]);
  });

  it('in a frame left out is refused, and no window opens', async () => {
    const { w, heard } = nested({ frame: slot }, {});
    expect(await w.call('page_press', { keys: 'Enter' })).toMatchObject({ code: 'EXECUTION_FAILED' });
    expect(heard).toEqual([[0, '_focus']]);
  });

  it('that a frame says lies in itself goes round in no circle', async () => {
    const { w } = nested({ frame: slot }, { frame: { ...slot, path: [] } });
    w.allow('https://pay.example');
    expect(await w.call('page_press', { keys: 'Enter' })).toMatchObject({ code: 'EXECUTION_FAILED' });
  });
});

describe('page_snapshot and page_text', () => {
  it('ask the top document and compose', async () => {
    const { w, page } = ready({
      page_snapshot: { head: ['url: u', 'title: "t"'], lines: [{ depth: 0, text: 'link [ref=e1]', ref: true }], total: 1, frames: [] },
      page_text: { parts: ['hello'], url: 'https://a.example/', truncated: false },
    });
    expect(await w.call('page_snapshot', { interactiveOnly: false, selector: 'main' })).toMatchObject({
      data: { text: 'url: u\ntitle: "t"\nlink [ref=e1]', refCount: 1, truncated: false },
    });
    expect(page.heard.at(-1)).toMatchObject({
      args: { selector: 'main', interactiveOnly: false, refPrefix: '', limit: 2000, hasFocus: true },
    });
    expect(await w.call('page_text')).toMatchObject({ data: { text: 'hello', url: 'https://a.example/', truncated: false } });
    await w.call('page_snapshot');
    expect(page.heard.at(-1)).toMatchObject({ args: { interactiveOnly: true } });
  });

  it('leave out a frame that answers later than 2,000, and go on', async () => {
    const r = ready();
    r.w.allow('https://pay.example');
    r.w.frames = [{ frameId: 12, origin: 'https://pay.example', address: 'x', path: [0] }];
    const slot = { path: [0], address: 'x', srcOrigin: 'https://pay.example', focused: false };
    r.w.pages.set(r.tab.id, (message, frameId) => {
      if (message.op === 'ping') return { ok: true, data: { token: 't' } };
      if (frameId === 12) return new Promise(() => undefined);
      return { ok: true, data: { parts: ['a', slot, 'b'], url: 'u', truncated: false } };
    });
    const id = r.w.request('page_text');
    await r.w.clock.advance(1_999);
    expect(r.w.answerOf(id)).toBeUndefined();
    await r.w.clock.advance(1);
    expect(r.w.answerOf(id)).toMatchObject({ data: { text: 'a\n[frame left out: https://pay.example]\nb' } });
  });
});
