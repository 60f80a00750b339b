import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkCells, checkDoors, checkFrames, checkGlobals, checkLayers, checkScript, lint, ROOT } from '../../scripts/lint.mjs';
import { messagesOf } from '../../scripts/locales.mjs';
import { cell, resetCells } from '../../src/cell';

describe('the tree', () => {
  it('keeps the rules', () => {
    expect(lint()).toEqual([]);
  });
});

describe('the layer check', () => {
  let copy: string;
  beforeAll(() => {
    copy = mkdtempSync(path.join(tmpdir(), 'genkan-layers-'));
    cpSync(path.join(ROOT, 'src'), path.join(copy, 'src'), { recursive: true });
  });
  afterAll(() => rmSync(copy, { recursive: true }));

  it.each([
    ['src/gate/bad.ts', "import '../browser/tabs';", 'gate may not use browser (worker)'],
    ['src/mask/bad.ts', "export * from '../browser/storage';", 'mask may not use browser (shared)'],
    ['src/page/bad.ts', "const x = import('../browser/runtime');", 'page may not use browser (shared)'],
    ['src/ui/bad.tsx', "import { attach } from '../browser/debugger';", 'ui may not use browser (worker)'],
    ['src/entrypoints/popup/bad.ts', "import '../background';", 'popup entry may not use worker entry'],
    ['src/gate/bad.ts', "import { browser } from 'wxt/browser';", 'gate may not use wxt'],
    ['src/gate/bad.ts', "import x from 'lodash';", 'a foreign package'],
    ['src/nowhere/bad.ts', '', 'belongs to no layer'],
    ['src/gate/bad.ts', "import '../gone';", 'a missing file'],
  ])('refuses %s: %s', (file, text, problem) => {
    const at = path.join(copy, file);
    mkdirSync(path.dirname(at), { recursive: true });
    writeFileSync(at, text);
    try {
      expect(checkLayers(copy).join('\n')).toContain(problem);
    } finally {
      rmSync(at);
    }
  });

  it('refuses a declaration that no import needs', () => {
    expect(checkLayers(copy, { mask: ['base'] }).join('\n')).toContain('mask does not use base any more');
  });
});

describe('the schema check', () => {
  const file = 'src/gate/bad.ts';
  const door = [file, 'load', 'storage', 'readIt'];
  const check = (text: string, doors: string[][] = [door]) => checkDoors([{ file, text }], doors).join('\n');

  it('takes a record that goes through its reader', () => {
    expect(check("async function load() { return readIt((await store.read(['a'])).a); }")).toBe('');
    expect(check("const load = async () => readIt(await browser.storage.local.get('a'));")).toBe('');
    expect(check("const load = async () => ({ ...readIt(await store.read(['a'])) });")).toBe('');
  });

  it.each([
    ["async function load() { return (await store.read(['a'])).a; }", 'does not call readIt'],
    ["async function other() { return readIt((await store.read(['a'])).a); }", 'no schema is declared for'],
    ["import { read } from '../browser/storage'; const other = async () => read(['a']);", 'no schema is declared for'],
    ['async function other() { return await tabs.sendMessage(1, 0, {}); }', 'no schema is declared for'],
    ['async function load() { return readIt(await browser.runtime.sendMessage({})); }', 'takes in answer that no schema'],
    ['const x = 1;', 'takes in no storage any more'],
  ])('refuses %s', (text, problem) => {
    expect(check(text)).toContain(problem);
  });

  const scripted = [file, 'load', 'script', 'readIt'];
  const commanded = [file, 'load', 'DOM.getDocument', 'readIt'];

  it.each([
    ['async function load() { return readIt(await runInFrame(1, 0, f, [])); }', [scripted]],
    ["async function load() { return readIt(await tab.command('DOM.getDocument')); }", [commanded]],
    ["const load = () => command('DOM.getDocument'); const use = async () => readIt(await load());", [[...commanded, 'use']]],
    ["async function load() { await command('DOM.disable').catch(() => undefined); }", []],
    ["async function load() { await until(signal, within(clock, 5, runInPage(1, f, []).catch(() => null), () => null)); }", []],
    ["const load = () => browser.command(1, 'Page.enable').then(() => undefined);", []],
    ["async function load() { return readIt(await session.tab.command('DOM.getDocument')); }", [commanded]],
    ['async function load() { return runCommand(1) + command.length; }', []],
  ])('takes %s', (text, doors) => {
    expect(check(text, doors)).toBe('');
  });

  it.each([
    ['async function load() { return (await runInFrame(1, 0, f, [])).x; }', [scripted], 'does not call readIt'],
    ['async function load() { return await scripting.runInAllFrames(1, f); }', [], 'takes in script that no schema is declared for'],
    ['async function load() { return readIt((await runInPage(1, f, [])) as Row); }', [scripted], 'says what script is before a schema has seen it'],
    ["async function load() { return (await command('DOM.getDocument')).root; }", [commanded], 'does not call readIt'],
    ["async function load() { return readIt(await command('DOM.describeNode')); }", [commanded], 'takes in DOM.describeNode that no schema is declared for'],
    ["async function load() { return readIt((await command('DOM.getDocument')) as Root); }", [commanded], 'says what DOM.getDocument is'],
    ['async function load(name) { return readIt(await command(name)); }', [commanded], 'takes in a command of any name that no schema'],
    ["const load = () => command('DOM.getDocument'); const use = async () => (await load()).root;", [[...commanded, 'use']], 'hands DOM.getDocument on, and use does not call it and readIt'],
    ["const load = () => command('DOM.getDocument'); const use = () => readIt(1);", [[...commanded, 'use']], 'hands DOM.getDocument on, and use does not call it and readIt'],
    ["const load = async () => command('DOM.getDocument').then((raw) => raw.root);", [commanded], 'does not call readIt'],
    ["async function load() { return (await session.command('DOM.getDocument')).root; }", [], 'takes in DOM.getDocument that no schema'],
    ["async function load() { return (await this.tab.command('DOM.getDocument')).root; }", [], 'takes in DOM.getDocument that no schema'],
    ["async function load() { return (await command('DOM.getDocument')).root + store.readIt(1); }", [commanded], 'does not call readIt'],
    ["async function load() { return (await command('DOM.getDocument')).root + alreadIt(1) + readItAll(1); }", [commanded], 'does not call readIt'],
    ["const load = () => command('DOM.getDocument'); const use = async () => store.readIt(await load());", [[...commanded, 'use']], 'hands DOM.getDocument on, and use does not call it and readIt'],
  ])('refuses %s', (text, doors, problem) => {
    expect(check(text, doors)).toContain(problem);
  });

  it.each([
    ['src/ops/eval.ts', 'Answer.safeParse('],
    ['src/ops/shot.ts', 'Captured.safeParse('],
    ['src/ops/cdp-call.ts', 'Answered.safeParse('],
    ['src/ops/upload.ts', 'Described.safeParse('],
    ['src/ops/frames.ts', 'Facts.safeParse('],
    ['src/ops/precise.ts', 'read('],
  ])('finds that %s no longer calls %s', (name, parser) => {
    const text = readFileSync(path.join(ROOT, name), 'utf8').replaceAll(parser, 'believe(');
    expect(checkDoors([{ file: name, text }]).filter((p) => p.startsWith(`${name}: `)).join('\n')).toMatch(/does not call|hands .* on/);
  });

  it.each(['src/worker/router.ts', 'src/page-answer.ts', 'src/ops/parse.ts'])('finds that %s no longer parses', (name) => {
    const text = readFileSync(path.join(ROOT, name), 'utf8').replaceAll('safeParse(', 'believe(');
    expect(checkDoors([{ file: name, text }]).join('\n')).toContain(`${name}: `);
  });

  it('finds a control frame that is believed', () => {
    const trust = 'src/trust/bad.ts';
    expect(checkFrames(trust, 'const a = { onFrame(frame) { go(frame.x); } };')).toHaveLength(1);
    expect(checkFrames(trust, 'function go(frame) { use(frame.x); } const a = { onFrame: (frame) => go(frame) };')).toHaveLength(1);
    expect(checkFrames(trust, 'function go(frame) { X.safeParse(frame); } const a = { onFrame: (frame) => go(frame) };')).toEqual([]);
    expect(checkFrames(trust, 'const a = { onFrame: (frame) => exchange.offer(frame) };')).toEqual([]);
  });
});

describe('the cell check', () => {
  it.each(['let x = 1;', 'var x;', 'const m = new Map();', 'const s = new Set([1]);', 'const a = [];', 'export const o = {};', 'export let y: number;'])(
    'refuses %s',
    (text) => {
      expect(checkCells('x.ts', text)).toHaveLength(1);
    },
  );

  it.each(['const x = cell(() => 1);', 'const a = [1] as const;', 'const o = { a: 1 };', 'function f() { let x = 1; return x; }', 'const s: ReadonlySet<string> = new Set();'])(
    'takes %s',
    (text) => {
      expect(checkCells('x.ts', text)).toEqual([]);
    },
  );

  it('is about what tests can reset', () => {
    const counter = cell(() => ({ n: 0 }));
    counter.get().n = 5;
    counter.set({ n: 6 });
    resetCells();
    expect(counter.get()).toEqual({ n: 0 });
  });
});

describe('the other checks', () => {
  it('refuse the global of the browser outside its gateway', () => {
    expect(checkGlobals('src/gate/x.ts', 'chrome.tabs.query({});')).toHaveLength(1);
    expect(checkGlobals('src/browser/x.ts', 'chrome.tabs.query({});')).toEqual([]);
  });

  it('refuse CJK text outside the locale files', () => {
    const text = `const a = '${String.fromCodePoint(0x4e2d)}';`;
    expect(checkScript('src/ui/x.tsx', text)).toEqual(['src/ui/x.tsx:1: CJK text outside the locale files']);
    expect(checkScript('src/i18n/locales/zh_CN.json', text)).toEqual([]);
    expect(checkScript('src/ui/x.tsx', "const a = '\\u4e2d';")).toEqual([]);
  });
});

describe('the bundles of the browser', () => {
  it('have underscores for dots, and declare their placeholders', () => {
    expect(messagesOf({ 'a.b': 'plain', 'a.c': 'for $1 and $2, $1; 5$' })).toEqual({
      a_b: { message: 'plain' },
      a_c: {
        message: 'for $ARG1$ and $ARG2$, $ARG1$; 5$$',
        placeholders: { arg1: { content: '$1' }, arg2: { content: '$2' } },
      },
    });
  });

  it('refuse a name that the browser would refuse', () => {
    expect(() => messagesOf({ 'a-b': 'x' })).toThrow('no message key');
  });
});
