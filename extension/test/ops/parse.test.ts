import { CAPABILITIES, EXT_OPS, opRow, type ExtOp } from '@contract/ops';
import { describe, expect, it } from 'vitest';
import type { Sessions } from '../../src/cdp/sessions';
import type { Operations } from '../../src/ops/context';
import { createParser } from '../../src/ops/parse';
import { capabilitiesOf, createOperations } from '../../src/ops/table';

const never = async (): Promise<never> => {
  throw new Error('not used');
};
const operations = createOperations({} as Sessions);
const parse = createParser(operations);
const request = (op: string, args: unknown, rest: Record<string, unknown> = {}) =>
  parse({ id: 1, op, browser: 'chromium', args, ...rest });

/** The least that each tool takes. */
const MINIMAL: Record<ExtOp, Record<string, unknown>> = {
  tab_list: {},
  tab_focus: { tabId: 1 },
  tab_open: { url: 'https://a.example' },
  tab_close: { tabId: 1 },
  page_snapshot: {},
  page_click: { ref: 'e1' },
  page_fill: { selector: '#a', value: '' },
  page_text: {},
  page_screenshot: {},
  page_scroll: { pixels: 0 },
  page_wait_for: { nav: true },
  page_eval: { code: 'return 1' },
  page_snapshot_precise: {},
  cookie_get: {},
  storage_get: {},
  page_navigate: { url: 'http://a' },
  page_back: {},
  page_forward: {},
  page_reload: {},
  page_press: { keys: 'Enter' },
  page_hover: { ref: 'f3e12' },
  page_select: { ref: 'p2', value: 'x' },
  console_get: {},
  page_handle_dialog: { action: 'accept' },
  page_upload: { selector: 'input', path: '/x' },
};

describe('requests', () => {
  it.each([...EXT_OPS])('%s takes its least arguments and no unknown one', (op) => {
    expect(request(op, MINIMAL[op])).toMatchObject({ ok: true, op });
    const odd = request(op, { ...MINIMAL[op], nonsense: 1 });
    expect(odd).toMatchObject({ ok: false });
    expect(odd).toHaveProperty('error', expect.stringContaining('nonsense'));
    expect(request(op, null)).toMatchObject({ ok: false });
    expect(request(op, [])).toMatchObject({ ok: false });
  });

  it.each([...EXT_OPS])('%s misses each required argument, and names what is mistyped', (op) => {
    for (const name of Object.keys(MINIMAL[op])) {
      const { [name]: _gone, ...rest } = MINIMAL[op];
      expect(request(op, rest)).toMatchObject({ ok: false });
      expect(request(op, { ...MINIMAL[op], [name]: null })).toHaveProperty('error', expect.stringContaining(name));
    }
  });

  it('know no other op, no other member, and no list_browsers', () => {
    for (const op of ['nope', 'list_browsers', 'constructor', '__proto__']) expect(request(op, {})).toMatchObject({ ok: false });
    expect(request('tab_list', {}, { extra: 1 })).toMatchObject({ ok: false });
    expect(request('tab_list', {}, { browser: 7 })).toMatchObject({ ok: false });
    expect(parse({ id: 1, op: 'tab_list' })).toMatchObject({ ok: false });
    expect(parse({ id: 1, op: 'tab_list', args: {} })).toMatchObject({ ok: true });
  });
});

describe('rules that no schema states', () => {
  it.each([
    ['page_click', {}, 'ref or selector'],
    ['page_fill', { value: 'x' }, 'ref or selector'],
    ['page_hover', {}, 'ref or selector'],
    ['page_select', { value: 'x' }, 'ref or selector'],
    ['page_click', { ref: 'e0' }, 'ref e0'],
    ['page_click', { ref: 'e01' }, 'ref e01'],
    ['page_click', { ref: 'f0e1' }, 'ref f0e1'],
    ['page_click', { ref: 'f123456789e1' }, 'ref f123456789e1'],
    ['page_click', { ref: 'f1p1' }, 'ref f1p1'],
    ['page_click', { ref: '' }, 'ref'],
    ['page_click', { ref: 'E1' }, 'ref E1'],
    ['page_scroll', {}, 'direction or pixels'],
    ['page_wait_for', {}, 'selector, text or nav'],
    ['page_wait_for', { nav: false }, 'selector, text or nav'],
    ['page_press', { keys: '   ' }, 'keys'],
    ['tab_open', { url: 'a.example' }, 'absolute'],
    ['tab_open', { url: 'file:///x' }, 'absolute'],
    ['page_navigate', { url: 'javascript:1' }, 'absolute'],
    ['page_navigate', { url: 'chrome://settings' }, 'absolute'],
  ])('%s %j', (op, args, text) => {
    expect(request(op, args)).toMatchObject({ ok: false, error: expect.stringContaining(text) });
  });

  it('ref wins, so a bad one is refused beside a selector', () => {
    expect(request('page_click', { ref: 'x', selector: '#a' })).toMatchObject({ ok: false });
    expect(request('page_click', { ref: 'e1', selector: '#a' })).toMatchObject({ ok: true });
  });
});

describe('what is announced', () => {
  const some: Operations = { ...operations };
  const whole = Object.fromEntries(EXT_OPS.map((op) => [op, { target: 'none', address: 'any', act: never }])) as Operations;

  it('are all eleven once every tool is built', () => {
    expect(capabilitiesOf(whole, () => true).sort()).toEqual([...CAPABILITIES].sort());
    expect(CAPABILITIES).toHaveLength(11);
  });

  it('are those of the tools that are built', () => {
    const built = (Object.keys(operations) as ExtOp[]).map((op) => opRow(op).capability);
    expect(new Set(capabilitiesOf(operations, () => true))).toEqual(new Set(built));
  });

  it('needs the browser API behind each', () => {
    expect(capabilitiesOf(whole, (p) => p !== 'scripting' && p !== 'debugger')).toEqual(['tab_control', 'cookie_read']);
    expect(capabilitiesOf(whole, () => false)).toEqual([]);
  });

  it('leaves a capability out for one tool that is not built', () => {
    delete some.page_hover;
    expect(capabilitiesOf(some, () => true)).not.toContain('page_interact');
    expect(capabilitiesOf(operations, () => true)).toContain('page_interact');
  });
});
