// @vitest-environment jsdom
//
// What a simulated document can show of the page half: quoting, names and
// refs, keys, and that every reply is as agreed. Layout and real events: tests/e2e/page-*.e2e.mjs.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PAGE_DATA, PRECISE_ATTR, PageReply, REF_ATTR, SCRIPT_LIMIT, ToPage, type PageApi, type PageOp } from '@/page-channel';
import { quoted } from '@/text';
import { giveLayout } from './layout';
import { shade } from '../shade';

type Args<O extends PageOp> = Extract<ToPage, { op: O }> extends { args: infer A } ? A : never;

let api: PageApi;
let count = 0;

/** Sends a message that the channel would let through, and holds the reply against the channel. */
async function reply<O extends Exclude<PageOp, 'ping' | '_info_toast'>>(op: O, args: Args<O>, more: object = {}) {
  const guard = op === '_abort' ? {} : { call: ++count, expectOrigin: location.origin };
  const body = { ...guard, ...more, args };
  ToPage.parse({ v: 1, op, ...body });
  const method = api[op] as (message: unknown) => unknown;
  const answer = PageReply.parse(await method(body));
  if (answer.ok) PAGE_DATA[op].parse(answer.data);
  else expect(answer.error).toMatch(/^[^\n]+$/);
  return answer as { ok: true; data: never } | { ok: false; error: string; code: string };
}

async function outline(more: Partial<Args<'page_snapshot'>> = {}): Promise<string[]> {
  const answer = await reply('page_snapshot', { interactiveOnly: true, refPrefix: '', limit: 2000, hasFocus: true, ...more });
  if (!answer.ok) throw new Error(answer.error);
  const data = answer.data as { lines: Array<{ depth: number; text: string }> };
  return data.lines.map((line) => '  '.repeat(line.depth) + line.text);
}

/** As a document gets it: modules of its own, evaluated where the layout stands. */
async function fresh(): Promise<PageApi> {
  vi.resetModules();
  const { createPageApi } = await import('@/page/create-page-api');
  return createPageApi(REF_ATTR, PRECISE_ATTR, (e) => e.shadowRoot);
}

beforeEach(async () => {
  giveLayout();
  document.title = '';
  document.body.innerHTML = '';
  api = await fresh();
});

describe('the factory', () => {
  it('has a method for every op but those of the entrypoint', () => {
    const ops = Object.keys(PAGE_DATA).filter((op) => op !== 'ping' && op !== '_info_toast');
    expect(Object.keys(api).sort()).toEqual(ops.sort());
  });
});

describe('quoting', () => {
  const name = async (text: string) => {
    const button = document.createElement('button');
    button.setAttribute('aria-label', text);
    document.body.replaceChildren(button);
    return (await outline())[0]!.replace(/ \[ref=e\d+\]$/, '');
  };

  it.each([
    ['plain', 'plain', 'button "plain"'],
    ['white space of all kinds', ' a\t\n\u00a0\u2028\u3000b\u2003c ', 'button "a b c"'],
    ['next line, a control', 'a\u0085b', 'button "ab"'],
    ['quotes and backslashes', 'a"b\\c', 'button "a\\"b\\\\c"'],
    ['controls', 'a\u0000b\u0007c\u007fd\u009fe', 'button "abcde"'],
    ['invisible characters', 'a\u200bb\u200dc\u2060d\u2065e\u206af\u206fg\ufeffh', 'button "abcdefgh"'],
    ['bidi controls', '\u061c\u200e\u200f\u202a\u202e\u2066\u2069', 'button "\\u061c\\u200e\\u200f\\u202a\\u202e\\u2066\\u2069"'],
    ['lone surrogates', 'a\ud800b\udc00c', 'button "a\ufffdb\ufffdc"'],
    ['pairs', 'a\u{1f600}b', 'button "a\u{1f600}b"'],
    ['nothing but what is dropped', '\u200b \u200b', 'button'],
    ['a forged line', 'x" [ref=e9]\nbutton "y', 'button "x\\" [ref=e9] button \\"y"'],
  ])('treats %s', async (_what, text, line) => {
    expect(await name(text)).toBe(line);
  });

  it('cuts at the limit and never through a pair', async () => {
    expect(await name('x'.repeat(120))).toBe(`button "${'x'.repeat(120)}"`);
    expect(await name('x'.repeat(121))).toBe(`button "${'x'.repeat(120)}..."`);
    expect(await name(`${'x'.repeat(119)}\u{1f600}`)).toBe(`button "${'x'.repeat(119)}..."`);
    expect(await name(`${'x'.repeat(118)}\u{1f600}`)).toBe(`button "${'x'.repeat(118)}\u{1f600}"`);
  });

  it('cuts before it escapes, so that an escape stays whole', async () => {
    expect(await name(`${'x'.repeat(119)}"tail`)).toBe(`button "${'x'.repeat(119)}\\"..."`);
    expect(await name(`${'x'.repeat(119)}\u202etail`)).toBe(`button "${'x'.repeat(119)}\\u202e..."`);
  });

  it('gives title, value, option and structural names their own limits', async () => {
    document.title = 't'.repeat(201);
    document.body.innerHTML = `<input aria-label="i" value="${'v'.repeat(61)}"><select aria-label="s"><option>${'o'.repeat(41)}</option></select>
      <p>${'p'.repeat(201)}</p><a href="/${'h'.repeat(200)}">a</a>`;
    const answer = await reply('page_snapshot', { interactiveOnly: false, refPrefix: '', limit: 9, hasFocus: true });
    expect((answer as { data: { head: string[] } }).data.head[1]).toBe(`title: "${'t'.repeat(200)}..."`);
    expect(await outline({ interactiveOnly: false })).toEqual([
      `textbox "i" [ref=e1] value="${'v'.repeat(60)}..."`,
      `listbox "s" [ref=e2] value="${'o'.repeat(41)}" options=["${'o'.repeat(40)}..."]`,
      `text "${'p'.repeat(200)}..."`,
      `link "a" [ref=e3] href="/${'h'.repeat(199)}..."`,
    ]);
  });
});

describe('quoting here and in the worker', () => {
  // The factory cannot import what the worker composes with, so they are held against each other.
  it.each([
    'plain',
    ' a  b\tc\n',
    '\u00a0\ufeffa\u200b b',
    'a \u200b b',
    'a"\\b',
    '\u202ea\u2066b\u061c',
    '\ud800x\udc00\u{1f600}',
    'a\u0000\u0085\u009fb',
    `${'x'.repeat(119)}\u{1f600}y`,
    `${'y'.repeat(120)}"`,
  ])('agrees on %j', async (text) => {
    const button = document.createElement('button');
    button.setAttribute('aria-label', text);
    document.body.append(button);
    expect((await outline())[0]).toBe(`button ${quoted(text, 120)} [ref=e1]`);
  });
});

describe('values', () => {
  it.each(['current-password', 'new-password', 'one-time-code', 'cc-number', 'cc-csc', 'section-x shipping CC-EXP'])('hides autocomplete %s', async (token) => {
    document.body.innerHTML = `<input aria-label="f" autocomplete="${token}" value="secret">`;
    expect(await outline()).toEqual(['textbox "f" [ref=e1] value="••••••"']);
  });

  it.each([
    ['<textarea id="it" autocomplete="one-time-code">secret-765</textarea>'],
    ['<span id="it" hidden>Code <textarea autocomplete="one-time-code">secret-765</textarea></span>'],
    ['<span id="it" hidden>Code <span contenteditable="true" autocomplete="one-time-code">secret-765</span></span>'],
    ['<span id="it">Code <textarea autocomplete="one-time-code">secret-765</textarea></span>'],
    ['<span id="it">Code <span contenteditable="true" autocomplete="one-time-code">secret-765</span></span>'],
    ['<span id="it" contenteditable="true" autocomplete="one-time-code">secret-765</span>'],
    ['<span contenteditable="true" autocomplete="one-time-code"><b id="it">secret-765</b></span>'],
    ['<span contenteditable="true" autocomplete="one-time-code"><b hidden id="it">secret-765</b></span>'],
    ['<span contenteditable="true" autocomplete="one-time-code"><a id="it" href="/x">secret-765</a></span>'],
    ['<label id="it">Code <span contenteditable="true" role="textbox" autocomplete="one-time-code">secret-765</span></label>'],
    ['<label id="it">Code <input><span contenteditable="true" autocomplete="one-time-code">secret-765</span></label>'],
    ['<button id="it">Code <i aria-hidden="true">x</i><b contenteditable="true" autocomplete="cc-csc">secret-765</b></button>'],
    ['<h2 id="it">Code <b contenteditable="true" autocomplete="cc-csc">secret-765</b></h2>'],
    ['<p id="it">Code <b contenteditable="true" autocomplete="cc-csc">secret-765</b></p>'],
    ['<div id="it" contenteditable="true">Code <b autocomplete="cc-csc">secret-765</b></div>'],
  ])('keeps what it hides out of the names of others: %s', async (html) => {
    document.body.innerHTML = `${html}<button aria-labelledby="it">Go on</button>`;
    expect((await outline()).join('\n')).not.toContain('secret-765');
    expect((await outline({ interactiveOnly: false })).join('\n')).not.toContain('secret-765');
  });

  it('keeps the rest of such a name, and says that the field holds something', async () => {
    document.body.innerHTML = `<label>Code <span contenteditable="true" role="textbox" autocomplete="one-time-code">765432</span> here</label>`;
    expect((await outline()).map((line) => line.trim())).toEqual(['label "Code here" [ref=e1]', 'textbox "Code here" [ref=e2] value="••••••"']);
  });

  it('has no line with its text where only a part of it is looked at', async () => {
    document.body.innerHTML = '<div contenteditable="true" autocomplete="one-time-code"><p>secret-765 <a href="/x">a</a></p></div>';
    for (const selector of ['p', 'a']) expect((await outline({ selector, interactiveOnly: false })).join('\n')).not.toContain('secret-765');
  });

  const otp = '<p>Code <b contenteditable="true" autocomplete="one-time-code">765432</b>.</p><div contenteditable="true">note</div>';

  it('is no part of the text of a page', async () => {
    document.body.innerHTML = otp;
    expect(await reply('page_text', { limit: 99 })).toMatchObject({ ok: true, data: { parts: ['Code .\n\nnote'] } });
    for (const selector of ['b', 'b i']) {
      document.body.innerHTML = otp.replace('765432', '<i>765432</i>');
      expect(await reply('page_text', { selector, limit: 99 })).toMatchObject({ ok: true, data: { parts: [] } });
    }
  });

  it.each(['name', 'username', 'xcc-number', 'off', 'password'])('shows autocomplete %s', async (token) => {
    document.body.innerHTML = `<input aria-label="f" autocomplete="${token}" value="shown">`;
    expect(await outline()).toEqual(['textbox "f" [ref=e1] value="shown"']);
  });

  it('shows twenty options and counts the rest', async () => {
    document.body.innerHTML = `<select aria-label="s">${Array.from({ length: 22 }, (_, i) => `<option>${i}</option>`).join('')}</select>`;
    expect((await outline())[0]).toMatch(/,"19"\] \+2$/);
  });
});

describe('names', () => {
  const pass = 'hunter2-secret';
  const table: Array<[string, string, string]> = [
    ['without what is hidden from hearing', '<button><i aria-hidden="true">add</i> New item</button>', 'New item'],
    ['with that, where there is nothing else', '<button><i aria-hidden="true">\u2715</i></button>', '\u2715'],
    ['with what pictures in it say', '<button><img alt="Mail" src="data:,"> us</button>', 'Mail us'],
    ['with the title of a picture', '<button><img title="Bin" src="data:,"></button>', 'Bin'],
    ['with the labels of its parts', '<button>Rate <span aria-label="five stars">*****</span></button>', 'Rate five stars'],
    ['of an item without the branch below it', '<div role="treeitem">src<div role="group"><b>main.c</b></div></div>', 'src'],
    ['of a menu item without its menu', '<div role="menuitem">File<div role="menu"><b>Open</b></div></div>', 'File'],
    ['of all its labels', '<label for="x">one</label><label for="x">two</label><input id="x">', 'one two'],
    ['of a labelled reference', '<b id="a" aria-label="spoken">seen</b><button aria-labelledby="a">x</button>', 'spoken'],
    ['of a reference to itself and another', '<b id="a">report</b><button id="b" aria-label="Delete" aria-labelledby="b a">x</button>', 'Delete report'],
    ['of a reference to a field: what it holds', '<input id="a" value="held"><button aria-labelledby="a">x</button>', 'held'],
    ['of a reference to a picture', '<img id="a" alt="drawn" src="data:,"><button aria-labelledby="a">x</button>', 'drawn'],
    ['never of a password', `<input id="a" type="password" value="${pass}"><button aria-labelledby="a">x</button>`, 'x'],
    ['nor with one', `<button>key <input type="password" value="${pass}"></button>`, 'key'],
    ['with the choice of a drop-down', '<label>Size <input id="x"> in <select><option>cm</option><option>inch</option></select></label>', 'Size in cm'],
    ['of a placeholder by ARIA', '<div role="textbox" aria-placeholder="Write here"></div>', 'Write here'],
  ];
  it.each(table)('are made %s', async (_what, html, name) => {
    document.body.innerHTML = html;
    const text = (await outline()).join('\n');
    expect(text).toContain(`"${name}" [ref=`);
    expect(text).not.toContain(pass);
  });

  it('take a bounded walk', async () => {
    document.body.innerHTML = `<button>begin ${'<i aria-label="x">y</i>'.repeat(5000)}</button>`;
    const button = document.querySelector('button')!;
    let asked = 0;
    const real = window.getComputedStyle;
    const counting = vi.spyOn(window, 'getComputedStyle').mockImplementation((el, pseudo) => {
      asked++;
      return real.call(window, el, pseudo);
    });
    api = await fresh();
    expect((await outline())[0]).toMatch(/^button "begin x x x/);
    counting.mockRestore();
    expect(button.childNodes.length).toBe(5001);
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThan(1500);
  });
});

describe('refs', () => {
  it('are written into the page and found again by a fresh instance', async () => {
    document.body.innerHTML = '<button>a</button><a href="/">b</a>';
    await outline();
    expect([...document.querySelectorAll(`[${REF_ATTR}]`)].map((e) => e.getAttribute(REF_ATTR))).toEqual(['e1', 'e2']);
    api = await fresh();
    expect(await reply('page_hover', { ref: 'e2' })).toEqual({ ok: true, data: { role: 'link' } });
  });

  it.each(['e0', 'e01', 'E1', 'e', '1', 'f0e1', 'f1', 'e1e', 'p0', ' e1'])('%s is malformed', async (ref) => {
    expect(await reply('page_hover', { ref })).toMatchObject({ ok: false, code: 'INVALID_ARGUMENT' });
  });

  it('of another number are not found', async () => {
    expect(await reply('page_hover', { ref: 'f3e4' })).toEqual({ ok: false, code: 'EXECUTION_FAILED', error: 'ref f3e4 not found: take a new page_snapshot' });
  });

  it('win over a selector', async () => {
    document.body.innerHTML = '<button>a</button><a href="/">b</a>';
    await outline();
    expect(await reply('page_hover', { ref: 'e1', selector: 'a' })).toEqual({ ok: true, data: { role: 'button' } });
  });
});

describe('keys', () => {
  let heard: KeyboardEvent[];
  let hearing: AbortController;
  beforeEach(() => {
    heard = [];
    hearing = new AbortController();
    for (const type of ['keydown', 'keypress', 'keyup'])
      document.body.addEventListener(type, (e) => heard.push(e as KeyboardEvent), { signal: hearing.signal });
  });
  afterEach(() => hearing.abort());

  it.each([
    ['Enter', 'Enter', 'Enter', 2],
    [' Escape ', 'Escape', 'Escape', 2],
    ['a', 'a', 'KeyA', 3],
    ['Z', 'Z', 'KeyZ', 3],
    ['7', '7', 'Digit7', 3],
    ['Space', ' ', '', 3],
    ['F1', 'F1', 'F1', 2],
    ['F12', 'F12', 'F12', 2],
    ['F13', 'F13', '', 2],
    ['ArrowUp', 'ArrowUp', 'ArrowUp', 2],
    ['é', 'é', '', 3],
    ['😀', '😀', '', 3],
  ])('%s', async (keys, key, code, events) => {
    expect(await reply('page_press', { keys })).toEqual({ ok: true, data: { pressed: keys.trim() } });
    expect(heard.map((e) => e.type)).toEqual(events === 3 ? ['keydown', 'keypress', 'keyup'] : ['keydown', 'keyup']);
    expect([heard[0]!.key, heard[0]!.code]).toEqual([key, code]);
  });

  it.each(['control', 'Ctrl', 'SHIFT', 'alt', 'Option', 'meta', 'cmd', 'Command'])('takes the modifier %s', async (modifier) => {
    await reply('page_press', { keys: `${modifier}+x` });
    const { ctrlKey, shiftKey, altKey, metaKey } = heard[0]!;
    expect([ctrlKey, shiftKey, altKey, metaKey].filter(Boolean)).toHaveLength(1);
  });

  it.each(['+', 'Control+', '', '  ', 'Super+a', 'a+b', '++'])('refuses %j', async (keys) => {
    expect(await reply('page_press', { keys })).toMatchObject({ ok: false, code: 'INVALID_ARGUMENT' });
    expect(heard).toEqual([]);
  });

  it('sends no keypress after a keydown that was prevented', async () => {
    document.body.addEventListener('keydown', (e) => e.preventDefault(), { once: true });
    await reply('page_press', { keys: 'a' });
    expect(heard.map((e) => e.type)).toEqual(['keydown', 'keyup']);
  });
});

describe('the guard', () => {
  it.each(['https://elsewhere.example', 'null', location.origin + '/'])('refuses origin %s', async (expectOrigin) => {
    document.body.innerHTML = '<input id="i" value="old">';
    const answer = await reply('page_fill', { selector: '#i', value: 'new' }, { expectOrigin });
    expect(answer).toMatchObject({ ok: false, code: 'EXECUTION_FAILED' });
    expect((document.getElementById('i') as HTMLInputElement).value).toBe('old');
  });

  it('lets nothing thrown by the page out of a method', async () => {
    document.body.innerHTML = '<select id="s"><option>a</option></select>';
    vi.spyOn(Array, 'from').mockImplementationOnce(() => {
      throw Object.create(null);
    });
    expect(await reply('page_select', { selector: '#s', value: 'a' })).toMatchObject({ ok: false, code: 'EXECUTION_FAILED' });
  });

  it('stops an aborted call', async () => {
    const waiting = reply('page_wait_for', { selector: '#never', nav: false, timeoutMs: 5_000, totalMs: 5_000 }, { call: 4711 });
    await reply('_abort', { call: 4711 });
    expect(await waiting).toEqual({ ok: false, code: 'EXECUTION_FAILED', error: 'the call was cancelled' });
  });
});

describe('the script of a link', () => {
  const scriptFor = async (href: string) => {
    document.body.innerHTML = '<a id="l" data-in-front>Go</a>';
    document.getElementById('l')?.setAttribute('href', href);
    const probe = await reply('_probe', { selector: '#l', purpose: 'click' });
    if (!probe.ok) throw new Error(probe.error);
    const answer = await reply('page_click', { selector: '#l', button: 'left', count: 1, modifiers: [] }, { expect: probe.data });
    if (!answer.ok) throw new Error(answer.error);
    return (answer.data as { script?: string }).script;
  };

  it('is handed over up to its limit', async () => {
    const longest = 'javascript:0//'.padEnd(SCRIPT_LIMIT, 'x');
    expect(await scriptFor(longest)).toBe(longest);
    expect(await scriptFor(`${longest}x`)).toBeUndefined();
  });

  it('does not fit the channel beyond it', () => {
    expect(PAGE_DATA.page_click.safeParse({ role: 'link', script: 'x'.repeat(SCRIPT_LIMIT) }).success).toBe(true);
    expect(PAGE_DATA.page_click.safeParse({ role: 'link', script: 'x'.repeat(SCRIPT_LIMIT + 1) }).success).toBe(false);
  });
});

describe('probes', () => {
  it('answer with exactly five members, or a descriptor and whether to hide', async () => {
    document.body.innerHTML = '<form><button id="b">Send</button><input id="p" type="password"></form>';
    const click = await reply('_probe', { selector: '#b', purpose: 'click' });
    expect(click).toEqual({ ok: true, data: { tagName: 'button', role: 'button', type: 'submit', hasHref: false, name: 'Send' } });
    const fill = await reply('_probe', { selector: '#p', purpose: 'fill' });
    expect(fill).toEqual({ ok: true, data: { descriptor: { tagName: 'input', role: 'textbox', type: 'password', hasHref: false, name: '' }, hidden: true } });
  });

  it.each(['click', 'fill'] as const)('say nothing of a page at another origin: %s', async (purpose) => {
    document.body.innerHTML = '<button id="b">Send</button><input id="p">';
    const selector = purpose === 'click' ? '#b' : '#p';
    const answer = await reply('_probe', { selector, purpose }, { expectOrigin: 'https://elsewhere.example' });
    expect(answer).toMatchObject({ ok: false, code: 'EXECUTION_FAILED' });
  });
});

describe('what a page puts in the place of the members of its nodes', () => {
  const PAGE = `
    <base href="https://base.example/at/">
    <label>Mail <input id="text" name="type" value="a@b" required></label>
    <input id="date" type="date" aria-label="Day" value="2026-01-02">
    <input type="checkbox" aria-label="Terms" checked><input type="password" aria-label="Pin" value="1234">
    <textarea id="area" aria-label="Note" readonly>long</textarea>
    <select id="choice" aria-label="Size"><option value="s" label="Small"></option><option value="m">Middle</option></select>
    <button id="send" data-in-front>Send</button><input type="submit" value="Go">
    <details open><summary>More</summary><a href="/x">link</a></details><iframe src="other" title="Frame"></iframe>
    <ul><li>one</li></ul><div id="host"></div>`;
  let unshade = () => {};
  let clicked = 0;

  beforeEach(async () => {
    document.body.innerHTML = `<form id="form" onsubmit="return false">${PAGE}</form>`;
    clicked = 0;
    document.getElementById('send')!.addEventListener('click', (e) => (clicked++, e.preventDefault()));
    document.getElementById('host')!.attachShadow({ mode: 'open' }).innerHTML = '<button>In</button>';
    const rootOf = Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot')!.get!;
    vi.resetModules();
    const { createPageApi } = await import('@/page/create-page-api');
    api = createPageApi(REF_ATTR, PRECISE_ATTR, (e) => rootOf.call(e) as ShadowRoot | null);
  });
  afterEach(() => unshade());
  const hide = () => {
    const root = document.getElementById('host')!.shadowRoot!;
    unshade = shade(document, ...document.querySelectorAll('*'), root, ...root.querySelectorAll('*'));
  };
  const both = async <T,>(what: () => Promise<T>): Promise<[T, T]> => {
    const first = await what();
    hide();
    return [first, await what()];
  };

  it.each([true, false])('changes no outline: interactiveOnly %j', async (interactiveOnly) => {
    const [first, second] = await both(() => reply('page_snapshot', { interactiveOnly, refPrefix: '', limit: 2000, hasFocus: true }));
    expect(first).toMatchObject({ ok: true });
    expect(JSON.stringify(first)).toContain('Small');
    expect(JSON.stringify(first)).toContain('https://base.example');
    expect(second).toEqual(first);
  });

  it('changes no text', async () => {
    const [first, second] = await both(() => reply('page_text', { limit: 20_000 }));
    expect(first).toMatchObject({ ok: true });
    expect(second).toEqual(first);
  });

  it('changes no probe', async () => {
    const [first, second] = await both(() =>
      Promise.all([
        reply('_probe', { selector: '#send', purpose: 'click' }),
        reply('_probe', { selector: '#text', purpose: 'fill' }),
        reply('_focus', {}),
      ]),
    );
    expect(first[0]).toMatchObject({ data: { type: 'submit' } });
    expect(second).toEqual(first);
  });

  it('hinders no act', async () => {
    hide();
    expect(await reply('page_fill', { selector: '#text', value: 'new' })).toEqual({ ok: true, data: {} });
    expect(await reply('page_fill', { selector: '#date', value: '2026-02-03' })).toEqual({ ok: true, data: {} });
    expect(await reply('page_fill', { selector: '#date', value: '2026-02-31' })).toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(await reply('page_select', { selector: '#choice', value: 'Middle' })).toEqual({ ok: true, data: { selected: 'm', text: 'Middle' } });
    expect(await reply('page_press', { keys: 'Enter' })).toMatchObject({ ok: true });
    expect(await reply('page_hover', { selector: '#form' })).toMatchObject({ ok: true });
    expect(await reply('page_wait_for', { selector: '#send', nav: true, timeoutMs: 0, totalMs: 0 })).toMatchObject({ ok: true });
    const probe = await reply('_probe', { selector: '#send', purpose: 'click' });
    const expected = { expect: (probe as { data: unknown }).data };
    expect(await reply('page_click', { selector: '#send', button: 'left', count: 1, modifiers: [] }, expected)).toMatchObject({ ok: true });
    unshade();
    expect(clicked).toBe(1);
    const held = (id: string) => (document.getElementById(id) as HTMLInputElement).value;
    expect([held('text'), held('date'), held('choice')]).toEqual(['new', '2026-02-03', 'm']);
  });

  it('nor Enter, which submits by the button of the form', async () => {
    const submit = vi.spyOn(HTMLFormElement.prototype, 'requestSubmit').mockImplementation(() => {});
    api = await fresh();
    document.getElementById('text')!.focus();
    const [form, send] = [document.getElementById('form'), document.getElementById('send')];
    document.getElementById('host')!.remove();
    unshade = shade(document, ...document.querySelectorAll('form, form *:not(div)'));
    expect(await reply('page_press', { keys: 'Enter' })).toMatchObject({ ok: true });
    expect(submit.mock.contexts).toEqual([form]);
    expect(submit.mock.calls).toEqual([[send]]);
  });

  it('nor the script of a link, nor the end of the page', async () => {
    document.body.innerHTML = '<a id="l" data-in-front href="javascript:0">Go</a>';
    const scrolled = vi.spyOn(window, 'scrollTo').mockImplementation(() => {});
    unshade = shade(document, document.documentElement, document.body);
    expect(await reply('page_scroll', { direction: 'bottom' })).toMatchObject({ ok: true });
    expect(scrolled).toHaveBeenCalledWith({ top: 0, behavior: 'instant' });
    const probe = await reply('_probe', { selector: '#l', purpose: 'click' });
    const answer = await reply('page_click', { selector: '#l', button: 'left', count: 1, modifiers: [] }, { expect: (probe as { data: unknown }).data });
    expect(answer).toMatchObject({ ok: true, data: { script: 'javascript:0' } });
  });
});

describe('web storage', () => {
  beforeEach(() => {
    localStorage.clear();
    sessionStorage.clear();
  });

  it('gives one entry, or says that there is none', async () => {
    sessionStorage.setItem('k', 'v');
    expect(await reply('storage_get', { type: 'session', key: 'k' })).toEqual({ ok: true, data: { key: 'k', found: true, value: 'v' } });
    expect(await reply('storage_get', { type: 'local', key: 'k' })).toEqual({ ok: true, data: { key: 'k', found: false } });
  });

  it('gives all entries, whatever they are called', async () => {
    for (const key of ['a', 'getItem', '__proto__', 'length']) localStorage.setItem(key, `of ${key}`);
    const answer = await reply('storage_get', { type: 'local' });
    if (!answer.ok) throw new Error(answer.error);
    const { entries, ...rest } = answer.data as { entries: object };
    expect(Object.entries(entries).sort()).toEqual([['__proto__', 'of __proto__'], ['a', 'of a'], ['getItem', 'of getItem'], ['length', 'of length']]);
    expect(rest).toEqual({ type: 'local', count: 4, truncated: false, totalKeys: 4 });
  });

  it.each([499, 500, 501])('of %i entries gives 500 at most', async (many) => {
    for (let i = 0; i < many; i++) localStorage.setItem(`k${i}`, 'v');
    const answer = await reply('storage_get', { type: 'local' });
    expect(answer).toMatchObject({ ok: true, data: { count: Math.min(many, 500), truncated: many > 500, totalKeys: many } });
    if (answer.ok) expect(Object.keys((answer.data as { entries: object }).entries)).toHaveLength(Math.min(many, 500));
  });

  it('says so where the browser keeps none', async () => {
    const own = Object.getOwnPropertyDescriptor(window, 'localStorage')!;
    Object.defineProperty(window, 'localStorage', { configurable: true, get: () => { throw new Error('SecurityError'); } });
    try {
      expect(await reply('storage_get', { type: 'local' })).toMatchObject({ ok: false, code: 'EXECUTION_FAILED', error: expect.stringContaining('localStorage') });
    } finally {
      Object.defineProperty(window, 'localStorage', own);
    }
  });
});
