import { describe, expect, it } from 'vitest';
import {
  maskCookieValue,
  maskErrorMessage,
  maskKeyName,
  maskNumber,
  maskSensitive,
  maskString,
} from '../../src/mask';

const DOTS = '\u2022'.repeat(4);

describe('the golden table', () => {
  it('redacts a labelled value', () => {
    expect(maskString('token=supersecretvalue')).toBe(`${DOTS}[redacted]`);
    expect(maskString('please use token=secret12345 now')).toBe(`please use ${DOTS}[redacted] now`);
  });

  it('masks a mixed run and leaves letters alone', () => {
    expect(maskString('g1'.repeat(20))).toBe(`${DOTS}[token]`);
    expect(maskString('abcdefghij'.repeat(4))).toBe('abcdefghij'.repeat(4));
  });

  it('tells a sensitive word by itself only where it is no cookie', () => {
    expect(maskString('session_tokenvalue')).toBe(`${DOTS}[sensitive]`);
    expect(maskCookieValue('session_tokenvalue')).toBe('session_tokenvalue');
  });

  it('leaves 80,001 characters of a-a- unchanged, at once', () => {
    const text = 'a-'.repeat(40_000) + 'a';
    const from = performance.now();
    expect(maskString(text)).toBe(text);
    expect(performance.now() - from).toBeLessThan(500);
  });
});

describe('patterns', () => {
  const jwt = `ey${'A'.repeat(8)}.${'B'.repeat(8)}.${'C'.repeat(8)}`;

  it.each([
    ['a JWT', `x ${jwt} y`, `x ${DOTS}[jwt] y`],
    ['a JWT inside a longer run', `abc${jwt}.tail`, `abc${DOTS}[jwt].tail`],
    ['two JWTs in one run', `${jwt}.${jwt}`, `${DOTS}[jwt].${DOTS}[jwt]`],
    ['32 hex digits', `id ${'0123456789abcdef'.repeat(2)}.`, `id ${DOTS}[hex].`],
    ['12 digits', 'card 123456789012!', `card ${DOTS}[num]!`],
    ['a run with hyphens at its ends', `-${'g1'.repeat(16)}-`, `-${DOTS}[token]-`],
    ['an upper-case label', 'Bearer:abc', `${DOTS}[redacted]`],
    ['api-key', 'API_KEY=xyz tail', `${DOTS}[redacted] tail`],
  ])('masks %s', (_name, text, masked) => {
    expect(maskCookieValue(text)).toBe(masked);
  });

  it.each([
    ['one character short of a JWT part', `ey${'A'.repeat(7)}.${'B'.repeat(8)}.${'C'.repeat(8)}`],
    ['two JWT parts', `ey${'A'.repeat(8)}.${'B'.repeat(8)}`],
    ['31 hex digits', 'a'.repeat(15) + 'f'.repeat(16)],
    ['11 digits', '12345678901'],
    ['digits inside a word', 'x123456789012'],
    ['31 mixed characters', 'g1'.repeat(15) + 'a'],
    ['a label without a value', 'token: '],
  ])('leaves %s', (_name, text) => {
    expect(maskCookieValue(text)).toBe(text);
  });

  it.each([
    ['ey', 'ey'.repeat(50_000)],
    ['ey.', 'ey.'.repeat(40_000)],
    ['hyphens', '-'.repeat(100_000)],
    ['hex and a letter', 'f'.repeat(100_000) + 'g'],
    ['labels', 'token'.repeat(20_000)],
    ['labels with a colon', 'token:'.repeat(20_000)],
    ['digits', '1'.repeat(100_000) + 'x'],
    ['dots', 'aaaaaaaa.'.repeat(12_000)],
  ])('needs linear time for %s', (_name, text) => {
    const from = performance.now();
    maskString(text);
    expect(performance.now() - from).toBeLessThan(500);
  });
});

describe('functions', () => {
  it('leaves what is shorter than 8', () => {
    expect(maskString('secret1')).toBe('secret1');
    expect(maskString('secret12')).toBe(`${DOTS}[sensitive]`);
    expect(maskCookieValue('token=a')).toBe('token=a');
    expect(maskCookieValue('token=ab')).toBe(`${DOTS}[redacted]`);
  });

  it('keeps nothing of a sensitive word for the sake of its label', () => {
    expect(maskString('mysecretvalue.token=x')).toBe(`${DOTS}[redacted]`);
  });

  it('masks large integers only', () => {
    expect(maskNumber(1e11)).toBe(`${DOTS}[num]`);
    expect(maskNumber(-1e11)).toBe(`${DOTS}[num]`);
    expect(maskNumber(99_999_999_999)).toBe(99_999_999_999);
    expect(maskNumber(1e11 + 0.5)).toBe(1e11 + 0.5);
  });

  it('keeps two characters of a sensitive name', () => {
    expect(maskKeyName('accessToken')).toBe(`${DOTS}en`);
    expect(maskKeyName('colour')).toBe('colour');
  });

  it('goes through a whole value', () => {
    expect(maskSensitive({ password: 'hunter2hunter', list: [1e12, true, null, 'plain'], n: { a: 'auth_header' } })).toEqual({
      [`${DOTS}rd`]: 'hunter2hunter',
      list: [`${DOTS}[num]`, true, null, 'plain'],
      n: { a: `${DOTS}[sensitive]` },
    });
  });

  it('has a word for an error that has none', () => {
    expect(maskErrorMessage(undefined)).toBe('error');
    expect(maskErrorMessage('')).toBe('error');
    expect(maskErrorMessage('no such element: token=abcdef')).toBe(`no such element: ${DOTS}[redacted]`);
  });
});
