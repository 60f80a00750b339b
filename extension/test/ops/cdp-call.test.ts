// Page operations in CDP mode: the same page half, asked by the debugger.
import { describe, expect, it } from 'vitest';
import { active, fire, pageHalf, SOURCE, world, type World } from './world';
import { deferred } from '../../src/async';
import { settle } from '../util';

const field = { tagName: 'input', role: 'textbox', type: 'text', hasHref: false, name: 'Card' };
const button = { tagName: 'button', role: 'button', type: 'button', hasHref: false, name: 'Go' };

async function ready(answers: Parameters<typeof pageHalf>[0] = {}, policy: object = {}) {
  const w = world(await active({ cdpMode: true, handleDialogEnabled: true, ...policy }));
  w.allow('https://a.example');
  const tab = w.addTab({ url: 'https://a.example/', title: 'Shop' });
  const page = pageHalf(answers);
  w.pages.set(tab.id, page);
  return { w, tab, page };
}
const dialog = (w: World, message = 'sure?') => w.sessions.onEvent(1, 'Page.javascriptDialogOpening', { type: 'confirm', message, url: '' });
const scrolled = { scrollY: 3, scrollX: 0 };

describe('in CDP mode', () => {
  it('a page op attaches once, and the session stays for the next', async () => {
    const { w, page } = await ready({ page_scroll: scrolled });
    expect(await w.call('page_scroll', { direction: 'down' })).toMatchObject({ data: scrolled });
    expect(await w.call('page_scroll', { direction: 'down' })).toMatchObject({ data: scrolled });
    expect(w.debugger.log).toEqual(['attach 1', 'Page.enable', 'Runtime.evaluate', 'Runtime.callFunctionOn', 'Runtime.callFunctionOn']);
    expect(page.heard).toMatchObject([{ op: 'page_scroll', expectOrigin: 'https://a.example', args: { direction: 'down' } }, {}]);
    expect(w.calls).toEqual([]);
  });

  it('the shadow root of an element is what the browser has, whatever the element says', async () => {
    const { w } = await ready({ page_scroll: scrolled });
    let expression = '';
    w.debugger.answers['Runtime.evaluate'] = (p: { expression: string }) => ((expression = p.expression), { result: { objectId: 'i0' } });
    await w.call('page_scroll', { direction: 'down' });
    class Element {
      get shadowRoot(): string {
        return 'root';
      }
    }
    class Liar extends Element {
      override get shadowRoot(): string {
        throw new Error('the page was asked');
      }
    }
    expect(expression.startsWith(`(${SOURCE})(`)).toBe(true);
    const made = new Function('Element', `return ${expression.replace(SOURCE, '(a,b,c)=>c')}`) as (e: unknown) => (el: Element) => unknown;
    expect(made(Element)(new Liar())).toBe('root');
  });

  it('is not entered without the grant', async () => {
    const { w } = await ready({ page_scroll: scrolled }, { cdpMode: false });
    await w.call('page_scroll', { direction: 'down' });
    expect(w.debugger.log).toEqual([]);
  });

  it('a new document gets an instance of its own', async () => {
    const { w } = await ready({ page_scroll: scrolled });
    await w.call('page_scroll', { direction: 'down' });
    w.debugger.instances = 7;
    expect(await w.call('page_scroll', { direction: 'down' })).toMatchObject({ ok: true });
    expect(w.debugger.instances).toBe(8);
  });

  it('frames with an instance of their own are left to the content script', async () => {
    const { w, page } = await ready({ page_hover: { role: 'button' } });
    w.frames = [{ frameId: 5, origin: 'https://b.example', address: 'https://b.example/', path: [0] }];
    w.allow('https://b.example');
    expect(await w.call('page_hover', { ref: 'f5e1' })).toMatchObject({ data: { hovered: 'f5e1' } });
    expect(w.debugger.log).toEqual([]);
    expect(page.heard.at(-1)).toMatchObject({ expectOrigin: 'https://b.example' });
  });

  describe('a click that the page\'s own world finds harmless', () => {
    const link = { tagName: 'a', role: 'link', type: '', hasHref: true, name: 'In a closed tree' };
    /** The debugger probes first. */
    const half = (script: unknown) => {
      let probes = 0;
      return { _probe: () => (probes++ === 0 ? { ...button } : script), page_click: { role: 'button' } };
    };
    const of = (op: string, page: { heard: { op: string }[] }) => page.heard.filter((m) => m.op === op);
    const clicks = (page: { heard: { op: string }[] }) => of('page_click', page);

    it('is confirmed where the content script sees a link in a closed tree, and acts on what was probed', async () => {
      const { w, page } = await ready(half(link));
      const id = w.request('page_click', { selector: '#s' });
      expect(await w.payload()).toMatchObject({ kind: 'click', detail: 'navigate: In a closed tree' });
      expect(clicks(page)).toEqual([]);
      await w.decide(true);
      await settle();
      await w.clock.advance(3_000);
      expect(w.answerOf(id)).toMatchObject({ data: { clicked: '#s' } });
      expect(clicks(page)).toMatchObject([{ expect: button }]);
    });

    it.each([
      ['it does too', { ...button }],
      ['it does not find the element', { ok: false, error: 'no', code: 'EXECUTION_FAILED' }],
      ['its answer does not fit', { name: 7 }],
    ])('is not confirmed where %s', async (_, script) => {
      const { w, page } = await ready(half(script));
      expect(await w.call('page_click', { selector: '#s' })).toMatchObject({ data: { clicked: '#s' } });
      expect([of('_probe', page).length, clicks(page).length]).toEqual([2, 1]);
    });

    it('is looked at once where nobody would be asked', async () => {
      const { w, page } = await ready(half(link), { confirmHighRiskClick: false });
      expect(await w.call('page_click', { selector: '#s' })).toMatchObject({ data: { clicked: '#s' } });
      expect([of('_probe', page).length, of('ping', page).length]).toEqual([1, 0]);
    });
  });

  it('a reply outside the envelope is refused, and an error of the page is its own', async () => {
    const { w } = await ready({ page_scroll: 'x' });
    w.debugger.answers['Runtime.callFunctionOn'] = { result: { value: { done: true } } };
    expect(await w.call('page_scroll', { direction: 'up' })).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('does not fit') });
    w.debugger.answers['Runtime.callFunctionOn'] = { result: {}, exceptionDetails: { text: 'Uncaught' } };
    expect(await w.call('page_scroll', { direction: 'up' })).toMatchObject({ code: 'EXECUTION_FAILED' });
    w.debugger.answers['Runtime.callFunctionOn'] = { result: { value: { ok: false, error: 'no', code: 'INVALID_ARGUMENT' } } };
    expect(await w.call('page_scroll', { direction: 'up' })).toMatchObject({ code: 'INVALID_ARGUMENT', error: 'no' });
  });

  it('a document that goes away under the call is told as such', async () => {
    const { w } = await ready({ page_scroll: () => new Promise(() => undefined) });
    const id = w.request('page_scroll', { direction: 'up' });
    await settle();
    w.sessions.onEvent(1, 'Page.frameNavigated', { frame: { id: 'F', parentId: 'TOP' } });
    await settle();
    expect(w.answerOf(id)).toBeUndefined();
    w.sessions.onEvent(1, 'Page.frameNavigated', { frame: { id: 'TOP' } });
    await settle();
    expect(w.answerOf(id)).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('went away') });
  });

  it('so is a context that was destroyed, and a tab that was closed', async () => {
    const { w } = await ready();
    w.debugger.answers['Runtime.callFunctionOn'] = () => Promise.reject(new Error('{"code":-32000,"message":"Execution context was destroyed."}'));
    expect(await w.call('page_scroll', { direction: 'up' })).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('went away') });
    w.debugger.answers['Runtime.callFunctionOn'] = () => new Promise(() => undefined);
    const id = w.request('page_scroll', { direction: 'up' });
    await settle();
    w.tabs.delete(1);
    w.sessions.onDetached(1);
    await settle();
    expect(w.answerOf(id)).toMatchObject({ code: 'TAB_NOT_FOUND' });
  });

  it('a page that never answers is given up after its time, and told to stop', async () => {
    const { w, page } = await ready({ page_text: () => new Promise(() => undefined) });
    const id = w.request('page_text');
    await w.clock.advance(30_000);
    expect(w.answerOf(id)).toMatchObject({ code: 'EXECUTION_FAILED' });
    await settle();
    expect(page.heard.at(-1)).toMatchObject({ op: '_abort' });
  });

  it('a cancel reaches the page, and nothing is answered', async () => {
    const { w, page } = await ready({ page_text: () => new Promise(() => undefined) });
    const id = w.request('page_text');
    await settle();
    w.cancel(id);
    await settle();
    expect(w.answerOf(id)).toBeUndefined();
    expect(page.heard.at(-1)).toMatchObject({ op: '_abort' });
    expect(w.debugger.attached).toEqual([1]);
  });

  it('an editor is filled under an emulated focus, for the call alone', async () => {
    const { w } = await ready({ page_fill: {} });
    expect(await w.call('page_fill', { selector: '#e', value: 'x' })).toMatchObject({ data: { filled: '#e' } });
    expect(w.debugger.log.slice(2)).toEqual(['Emulation.setFocusEmulationEnabled', 'Runtime.evaluate', 'Runtime.callFunctionOn', 'Emulation.setFocusEmulationEnabled']);
  });

  it('a picture is taken in the session, without another attach', async () => {
    const { w } = await ready({ page_scroll: scrolled });
    w.held.add('<all_urls>');
    await w.call('page_scroll', { direction: 'up' });
    expect(await w.call('page_screenshot')).toMatchObject({ ok: true });
    expect(w.debugger.log.filter((l) => l.startsWith('attach'))).toHaveLength(1);
    expect(w.calls).toEqual([]);
  });

  it('no call attaches to what is no page of a site', async () => {
    const { w, tab } = await ready({ page_scroll: scrolled });
    tab.url = 'about:blank';
    expect(await w.call('page_scroll', { direction: 'up' })).toMatchObject({ code: 'UNSUPPORTED_PAGE' });
    expect(w.debugger.log).toEqual([]);
  });

  it('a push without the mode ends the call that runs', async () => {
    const { w } = await ready({ page_text: () => new Promise(() => undefined) });
    const id = w.request('page_text');
    await settle();
    w.store.data.bridgePolicyState = (await active()).bridgePolicyState;
    await w.sessions.policyChanged();
    await settle();
    expect(w.debugger.attached).toEqual([]);
    expect(w.answerOf(id)).toMatchObject({ ok: false });
  });
});

describe('a dialog under an act', () => {
  const hangs = () => new Promise(() => undefined);

  it.each([
    ['page_fill', { selector: '#a', value: 'v' }, { filled: '#a' }],
    ['page_click', { selector: '#a' }, { clicked: '#a', role: 'button' }],
  ])('ends %s at once with what is known, the message masked', async (op, args, known) => {
    const { w } = await ready({ [op]: hangs, _probe: op === 'page_click' ? button : { descriptor: field, hidden: false } });
    const id = w.request(op, args);
    await settle();
    dialog(w, 'token=supersecret99');
    await settle();
    expect(w.answerOf(id)).toMatchObject({ ok: true, data: { ...known, dialog: { type: 'confirm', message: '\u2022\u2022\u2022\u2022[redacted]' } } });
  });

  it.each([
    ['page_select', { selector: '#a', value: 'v' }, { selected: 'v' }],
    ['page_press', { keys: ' Enter ' }, { pressed: 'Enter' }],
  ])('ends %s, which was confirmed before', async (op, args, known) => {
    const { w } = await ready({ [op]: hangs, _focus: {} });
    const id = w.request(op, args);
    await w.payload();
    await w.decide(true);
    await settle();
    dialog(w);
    await settle();
    expect(w.answerOf(id)).toMatchObject({ ok: true, data: { ...known, dialog: { type: 'confirm', message: 'sure?' } } });
  });

  it('is the failure of an op that does nothing to the page', async () => {
    const { w } = await ready({ page_hover: hangs });
    const id = w.request('page_hover', { selector: '#a' });
    await settle();
    dialog(w);
    await settle();
    expect(w.answerOf(id)).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('page_handle_dialog') });
  });

  it('before the act has begun is a failure too', async () => {
    const { w } = await ready({ _probe: hangs });
    const id = w.request('page_click', { selector: '#a' });
    await settle();
    dialog(w);
    await settle();
    expect(w.answerOf(id)).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('page_handle_dialog') });
  });
});

describe('what a click causes', () => {
  const announced = { role: 'link', announced: { url: 'https://a.example/x?y=1' } };

  it('a download that only the debugger tells of ends the wait', async () => {
    const { w, page } = await ready({ _probe: button, page_click: announced, _gone: () => new Promise(() => undefined) });
    const id = w.request('page_click', { selector: '#a' });
    await settle();
    expect(page.heard.at(-1)).toMatchObject({ op: '_gone' });
    w.sessions.onEvent(1, 'Page.downloadWillBegin', { url: 'https://files.example/a?b', suggestedFilename: 'a "b".bin', guid: 'g', frameId: 'TOP' });
    await settle();
    expect(w.answerOf(id)).toMatchObject({ data: { clicked: '#a', download: { host: 'files.example', filename: 'a \\"b\\".bin' } } });
  });

  it('a new document is told by the browser, its address by the tab', async () => {
    const { w, tab } = await ready({ _probe: button, page_click: announced, _gone: () => new Promise(() => undefined) });
    const id = w.request('page_click', { selector: '#a' });
    await settle();
    tab.url = 'https://a.example/x?y=1';
    w.sessions.onEvent(1, 'Page.frameNavigated', { frame: { id: 'TOP' } });
    fire.updated(1, { status: 'loading', url: tab.url });
    await w.clock.advance(300);
    expect(w.answerOf(id)).toMatchObject({ data: { clicked: '#a', navigated: true, url: 'https://a.example/x' } });
  });

  it('one that never comes is told after 2,000', async () => {
    const { w } = await ready({ _probe: button, page_click: announced, _gone: () => new Promise(() => undefined) });
    const id = w.request('page_click', { selector: '#a' });
    await w.clock.advance(1999);
    expect(w.answerOf(id)).toBeUndefined();
    await w.clock.advance(1);
    expect(w.answerOf(id)).toMatchObject({ data: { navigating: true } });
  });
});

describe('the history', () => {
  const entries = (currentIndex: number) => ({ currentIndex, entries: [{ id: 11 }, { id: 12 }] });

  async function stuck(currentIndex: number) {
    const { w } = await ready();
    const sent: unknown[] = [];
    const { fakeBrowser } = await import('wxt/testing/fake-browser');
    const none = async () => Promise.reject(new Error('Cannot find a next page in history.'));
    Object.assign(fakeBrowser.tabs, { goBack: none, goForward: none });
    w.debugger.answers['Page.getNavigationHistory'] = entries(currentIndex);
    w.debugger.answers['Page.navigateToHistoryEntry'] = (p: unknown) => (sent.push(p), {});
    return { w, sent, gate: deferred<void>() };
  }

  it('goes to the entry that the browser itself skips', async () => {
    const { w, sent } = await stuck(1);
    expect(await w.call('page_back')).toMatchObject({ data: { back: 1 } });
    expect(sent).toEqual([{ entryId: 11 }]);
  });

  it('ends where there is none', async () => {
    const { w, sent } = await stuck(1);
    expect(await w.call('page_forward')).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('ends here') });
    expect(sent).toEqual([]);
  });
});
