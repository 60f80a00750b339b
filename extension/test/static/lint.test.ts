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
