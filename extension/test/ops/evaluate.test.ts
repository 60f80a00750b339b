// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { evaluateInPage, type Evaluated } from '../../src/ops/evaluate';
import { shade } from '../shade';

// Rebuilt from its text: nothing of the module is there where it runs.
const shipped = new Function(`return ${evaluateInPage.toString()}`)() as typeof evaluateInPage;
const run = (code: string): Promise<Evaluated> => shipped(location.origin, code, 50);
const valueOf = async (expression: string): Promise<unknown> => ((await run(`return ${expression}`)) as { value?: unknown }).value;

beforeEach(() => {
  document.body.innerHTML = '<main id="top"><p>text</p></main>';
});

describe('the code', () => {
  it.each([
    ['returns', 'return 1 + 1', 2],
    ['awaits', 'const x = await Promise.resolve(3); return x', 3],
    ['may end with a comment', 'return 4 // done', 4],
    ['sees the globals of the page', 'globalThis.mine = 5; return window.mine', 5],
    ['has its promise awaited', 'return Promise.resolve([6])', [6]],
    ['is strict', 'return this === undefined', true],
  ])('%s', async (_name, code, value) => {
    expect(await run(code)).toEqual({ state: 'value', value });
  });

  it('that returns nothing has no value', async () => {
    expect(await run('document.title = "x"')).toEqual({ state: 'value' });
    expect(document.title).toBe('x');
  });

  it('is not run where another document is', async () => {
    expect(await shipped('https://other.example', 'globalThis.ran = true', 50)).toEqual({ state: 'origin' });
    expect('ran' in globalThis).toBe(false);
  });

  it('is refused where the page forbids code from strings', async () => {
    const real = globalThis.Function;
    globalThis.Function = function () {
      throw new EvalError('Refused to evaluate a string as JavaScript');
    } as never;
    try {
      expect(await run('return 1')).toEqual({ state: 'refused' });
    } finally {
      globalThis.Function = real;
    }
  });
});

describe('what a page puts in the place of the members of its nodes', () => {
  it.each([
    ['form', '<form#f>'],
    ['document', '<#document>'],
  ])('a %s is told all the same', async (what, said) => {
    document.body.innerHTML = '<form id="f"><input name="nodeType"><input name="localName"><input name="id"></form>';
    const node = what === 'form' ? document.querySelector('form')! : document;
    (globalThis as { node?: Node }).node = node;
    const unshade = shade(node, document);
    try {
      expect(await valueOf('globalThis.node')).toBe(said);
    } finally {
      unshade();
      delete (globalThis as { node?: Node }).node;
    }
  });

  it('the end of the parsing is waited for', async () => {
    const state = vi.spyOn(Document.prototype, 'readyState', 'get').mockReturnValue('loading');
    const unshade = shade(document);
    const ran = shipped(location.origin, 'return 1', 60_000);
    unshade();
    state.mockReturnValue('interactive');
    document.dispatchEvent(new Event('readystatechange'));
    expect(await ran).toEqual({ state: 'value', value: 1 });
  });
});

describe('what it throws is data', () => {
  it.each([
    ['an error', 'throw new TypeError("no")', { name: 'TypeError', message: 'no' }],
    ['a rejection', 'await Promise.reject(new RangeError("far"))', { name: 'RangeError', message: 'far' }],
    ['a syntax error', 'return }{', { name: 'SyntaxError' }],
    ['an EvalError of its own', 'throw new EvalError("mine")', { name: 'EvalError', message: 'mine' }],
    ['a string', 'throw "plain"', { name: 'Error', message: 'plain', stack: '' }],
    ['nothing', 'throw undefined', { message: 'undefined' }],
    ['an error that throws when read', 'throw { get name() { throw 1 } }', { name: 'Error', message: '', stack: '' }],
    ['a getter while the result is made plain', 'return { get x() { throw new Error("got") } }', { message: 'got' }],
    ['a proxy', 'return new Proxy({}, { ownKeys() { throw new Error("keys") } })', { message: 'keys' }],
  ])('%s', async (_name, code, said) => {
    expect(await run(code)).toMatchObject({ state: 'value', value: { __evalError: true, ...said } });
  });

  it('with its stack cut at 2,000', async () => {
    const value = (await run('const e = new Error("m"); e.stack = "s".repeat(2001); throw e')) as { value: { stack: string } };
    expect(value.value.stack).toBe('s'.repeat(2_000));
  });
});

describe('values', () => {
  it.each([
    ['a string', '"a"', 'a'],
    ['a string of 10,000', '"x".repeat(10000)', 'x'.repeat(10_000)],
    ['a longer string, cut', '"x".repeat(10001)', 'x'.repeat(10_000)],
    ['a cut that would split a pair', '"x".repeat(9999) + "\\u{1f511}"', 'x'.repeat(9_999)],
    ['a number', '1.5', 1.5],
    ['NaN', 'NaN', null],
    ['infinity', '[Infinity, -Infinity]', [null, null]],
    ['a boolean', 'false', false],
    ['null', 'null', null],
    ['undefined in a list', '[undefined, 1]', [null, 1]],
    ['undefined in an object', '({ a: undefined, b: 1 })', { b: 1 }],
    ['a bigint', '12345678901234567890n', '[BigInt:12345678901234567890]'],
    ['a symbol', 'Symbol("s")', '[Symbol:s]'],
    ['a symbol without a name', 'Symbol()', '[Symbol:]'],
    ['a function', 'function f() {}', '[function:f]'],
    ['an arrow function', '[() => 1]', ['[function:]']],
    ['an error', 'new TypeError("bad")', { __error: true, name: 'TypeError', message: 'bad' }],
    ['an error of a class of its own', 'new (class Mine extends Error {})("m")', { __error: true, name: 'Error', message: 'm' }],
    ['a date', 'new Date(0)', { __Date: '1970-01-01T00:00:00.000Z' }],
    ['a date that is none', 'new Date(NaN)', { __Date: 'Invalid Date' }],
    ['a regular expression', '/a+/gi', { __RegExp: '/a+/gi' }],
    ['a map', 'new Map([["k", { d: new Date(0) }], [1, undefined]])', { __Map: [['k', { d: { __Date: '1970-01-01T00:00:00.000Z' } }], [1, null]] }],
    ['a set', 'new Set([1, "two", [3]])', { __Set: [1, 'two', [3]] }],
    ['an element', 'document.getElementById("top")', '<main#top>'],
    ['an element without an id', 'document.querySelector("p")', '<p>'],
    ['a text node', 'document.querySelector("p").firstChild', '<#text>'],
    ['the document', 'document', '<#document>'],
    ['elements in a list', '[...document.querySelectorAll("main, p")]', ['<main#top>', '<p>']],
    ['an object without a prototype', 'Object.assign(Object.create(null), { a: 1 })', { a: 1 }],
    ['members of its own alone', 'new (class { a = 1; get b() { return 2 } })()', { a: 1 }],
    ['what only looks like a map', '({ __proto__: Map.prototype, a: 1 })', { a: 1 }],
    ['what only claims to be a date', '({ [Symbol.toStringTag]: "Date", a: 1 })', { a: 1 }],
    ['an object twice, which is no cycle', '(() => { const o = { a: 1 }; return [o, o] })()', [{ a: 1 }, { a: 1 }]],
    ['a cycle', '(() => { const o = { a: {} }; o.a.o = o; return o })()', { a: { o: '[Circular]' } }],
    ['a cycle through a map', '(() => { const m = new Map(); m.set("m", m); return m })()', { __Map: [['m', '[Circular]']] }],
    ['a list of 1,000', 'Array(1000).fill(0)', Array(1000).fill(0)],
    ['a longer list', '[Array(1001).fill(0)]', ['[array of 1001]']],
  ])('%s', async (_name, expression, value) => {
    expect(await valueOf(expression)).toEqual(value);
  });

  it('the name __proto__ stays a member', async () => {
    const value = (await valueOf('JSON.parse(\'{"__proto__": 1}\')')) as object;
    expect(Object.entries(value)).toEqual([['__proto__', 1]]);
  });

  it.each([
    [1000, 1000, false],
    [1001, 1001, true],
  ])('an object of %i members', async (n, kept, truncated) => {
    const value = (await valueOf(`Object.fromEntries(Array.from({ length: ${n} }, (_, i) => ['k' + i, i]))`)) as Record<string, unknown>;
    expect(Object.keys(value)).toHaveLength(kept);
    expect('__truncated' in value).toBe(truncated);
  });

  it.each(['Set', 'Map'])('a %s of 1,001 entries keeps the first 1,000', async (kind) => {
    const items = kind === 'Set' ? '(_, i) => i' : '(_, i) => [i, i]';
    const value = (await valueOf(`new ${kind}(Array.from({ length: 1001 }, ${items}))`)) as Record<string, unknown[]>;
    expect(value[`__${kind}`]).toHaveLength(1000);
  });

  it('is 50 levels deep and no deeper', async () => {
    const depthOf = (v: unknown): number => (typeof v === 'object' && v !== null ? 1 + depthOf(Object.values(v)[0]) : 0);
    const nested = (n: number): string => `(() => { let o = "end"; for (let i = 0; i < ${n}; i++) o = { o }; return o })()`;
    expect(JSON.stringify(await valueOf(nested(51)))).toContain('"end"');
    const deep = await valueOf(nested(52));
    expect(JSON.stringify(deep)).toContain('"[depth limit]"');
    expect(depthOf(deep)).toBe(51);
  });
});

describe('a result without end', () => {
  it.each([
    ['lists that are held many times', 'let a = [1]; for (let i = 0; i < 40; i++) a = [a, a, a]; return a'],
    ['objects that are held many times', 'let a = { v: 1 }; for (let i = 0; i < 40; i++) a = { a, b: a }; return a'],
    ['a long text that is held many times', 'const s = "x".repeat(10000); return Array(1000).fill(Array(1000).fill(s))'],
    ['errors with long messages', 'const e = new Error("x".repeat(10000)); return Array(1000).fill(Array(1000).fill(e))'],
    ['long names of members', 'const o = { ["k".repeat(100000)]: 1 }; return Array(1000).fill(o)'],
    ['getters that make new objects', 'const make = () => ({ get a() { return make() }, get b() { return make() } }); return make()'],
  ])('is refused: %s', async (_name, code) => {
    const start = performance.now();
    expect(await run(code)).toEqual({ state: 'large' });
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  it('does not end what is large and still fits', async () => {
    const { state, value } = (await run('return Array(700).fill(Array(1000).fill("12345"))')) as { state: string; value: unknown[][] };
    expect([state, value.length, value[699]!.length]).toEqual(['value', 700, 1000]);
    expect(await run('throw { get name() { throw new Error("twice") } }')).toMatchObject({ state: 'value', value: { __evalError: true } });
  });
});

describe('a document that is not parsed yet', () => {
  it('is waited for, and not for ever', async () => {
    let state: DocumentReadyState = 'loading';
    Object.defineProperty(document, 'readyState', { configurable: true, get: () => state });
    try {
      const first = run('return 1');
      let done = false;
      void first.then(() => (done = true));
      await Promise.resolve();
      expect(done).toBe(false);
      state = 'interactive';
      document.dispatchEvent(new Event('readystatechange'));
      expect(await first).toEqual({ state: 'value', value: 1 });
      state = 'loading';
      expect(await run('return 2')).toEqual({ state: 'value', value: 2 });
    } finally {
      delete (document as { readyState?: unknown }).readyState;
    }
  });
});
