import { LIMITS } from '@contract/host';
import { BridgeResponse } from '@contract/envelopes';
import { describe, expect, it } from 'vitest';
import { failure, success, TooLarge } from '../../src/link/outgoing';

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = [value];
  return value;
};

describe('a success', () => {
  it('is a frame of the contract', () => {
    expect(success(7, { a: [1, 'x', null, true] })).toEqual({ id: 7, ok: true, data: { a: [1, 'x', null, true] } });
    expect(BridgeResponse.safeParse(success(7, { a: 1 })).success).toBe(true);
    expect(success(8, undefined)).toEqual({ id: 8, ok: true });
  });

  it('has well-formed strings, clean names and finite numbers, whatever a page says', () => {
    const frame = success(1, { 'a\u0000b\ud800': 'x\udc00y', n: NaN, i: Infinity, list: [undefined, () => 1] });
    expect(frame.data).toEqual({ 'a\ufffdb\ufffd': 'x\ufffdy', n: null, i: null, list: [null, null] });
  });

  it('carries a member called __proto__ as a member', () => {
    const frame = success(1, JSON.parse('{"__proto__":{"x":1}}'));
    expect(JSON.stringify(frame.data)).toBe('{"__proto__":{"x":1}}');
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it('stays within the levels of the wire', () => {
    // The frame itself is level 1.
    expect(() => success(1, nested(LIMITS.JSON_DEPTH - 1))).not.toThrow();
    expect(() => success(1, nested(LIMITS.JSON_DEPTH))).toThrow(TooLarge);
  });

  it('stays within its size, counted in bytes of UTF-8', () => {
    const overhead = JSON.stringify({ id: 1, ok: true, data: '' }).length;
    const room = LIMITS.RESPONSE_MAX - overhead;
    expect(success(1, 'x'.repeat(room)).data).toHaveLength(room);
    expect(() => success(1, 'x'.repeat(room + 1))).toThrow(TooLarge);
    expect(() => success(1, '\u20ac'.repeat(Math.ceil(room / 3) + 1))).toThrow(TooLarge);
  });
});

describe('a failure', () => {
  it('is a frame of the contract and well-formed', () => {
    const frame = failure(3, 'TAB_NOT_FOUND', 'gone\ud800');
    expect(frame).toEqual({ id: 3, ok: false, error: 'gone\ufffd', code: 'TAB_NOT_FOUND' });
    expect(BridgeResponse.safeParse(frame).success).toBe(true);
  });

  it.each([
    ['whole at 2,000', 'x'.repeat(2_000), 'x'.repeat(2_000)],
    ['cut beyond', 'x'.repeat(2_001), `${'x'.repeat(1_997)}...`],
    ['cut between characters', `${'x'.repeat(1_996)}${'\u{1f600}'.repeat(10)}`, `${'x'.repeat(1_996)}...`],
    ['well-formed where it is cut at half a character', `${'x'.repeat(1_996)}\ud83d${'y'.repeat(10)}`, `${'x'.repeat(1_996)}\ufffd...`],
    ['cut however long it is', '\u20ac'.repeat(9_000_000), `${'\u20ac'.repeat(1_997)}...`],
  ])('has a text that is %s', (_name, error, text) => {
    const frame = failure(3, 'EXECUTION_FAILED', error);
    expect(frame.error).toBe(text);
    expect(text.isWellFormed()).toBe(true);
    expect(JSON.stringify(frame).length * 3).toBeLessThan(LIMITS.RESPONSE_MAX);
  });
});
