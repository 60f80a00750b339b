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
    ['a label that ends a longer word', 'mytoken=abc', `my${DOTS}[redacted]`],
    ['each spelling of api key', 'apikey=a api_key:b Api-Key=c api.key=d', `${DOTS}[redacted] ${DOTS}[redacted] ${DOTS}[redacted] api.key=d`],
    ['a labelled value up to any white space', 'secret:a\u3000b token=c\u00a0d', `${DOTS}[redacted]\u3000b ${DOTS}[redacted]\u00a0d`],
    ['a value that is masked already', `token=${'g1'.repeat(16)}`, `${DOTS}[redacted]`],
    ['a second label behind an empty one', 'token: password=x', `token: ${DOTS}[redacted]`],
    ['a label whose value is a colon', 'a token::', `a ${DOTS}[redacted]`],
    ['hex and digits in one run', `${'ab'.repeat(16)}-${'1'.repeat(12)}-x`, `${DOTS}[hex]-${DOTS}[num]-x`],
    ['what is left of a run, by itself', `${'ab'.repeat(16)}-${'g1'.repeat(16)}`, `${DOTS}[hex]-${DOTS}[token]`],
    ['hex in front of a JWT', `${'ab'.repeat(16)}${jwt}`, `${DOTS}[hex]${DOTS}[jwt]`],
    ['the later of two that might begin a JWT', `ey-ey${'A'.repeat(8)}.${'B'.repeat(8)}.${'C'.repeat(8)}`, `${DOTS}[jwt]`],
    ['digits between underscores not at all', '_123456789012_', '_123456789012_'],
    ['digits between letters of other scripts', '\u00e9123456789012\u00e9', `\u00e9${DOTS}[num]\u00e9`],
  ])('takes %s', (_name, text, masked) => {
    expect(maskCookieValue(text)).toBe(masked);
  });

  it('finds what the patterns of the specification find', () => {
    // The five patterns as they are written down; too slow for long texts, right for short ones.
    const plain = (text: string): string =>
      text
        .replace(/ey[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g, `${DOTS}[jwt]`)
        .replace(/\b[0-9a-fA-F]{32,}\b/g, `${DOTS}[hex]`)
        .replace(/\b[0-9]{12,}\b/g, `${DOTS}[num]`)
        .replace(/\b[A-Za-z0-9_-]{32,}\b/g, (m) => (/[A-Za-z]/.test(m) && /[0-9]/.test(m) ? `${DOTS}[token]` : m))
        .replace(/(?:bearer|token|password|secret|api[_-]?key)[:=]\S+/gi, `${DOTS}[redacted]`);
    const atoms = ['a', '0', 'f', '-', '_', '.', ' ', 'ey', 'eyAAAAAAAA', 'BBBBBBBB', '12345678', '0123456789abcdef', 'TOKEN', 'api-key', '=', ':', '\u2022', 'é', 'g1g1g1g1'];
    let seed = 12345;
    const next = (n: number): number => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % n;
    for (let i = 0; i < 20_000; i++) {
      const text = Array.from({ length: 1 + next(14) }, () => atoms[next(atoms.length)]).join('');
      if (text.length >= 8) expect(maskCookieValue(text), JSON.stringify(text)).toBe(plain(text));
    }
  });

  it.each([
    ['ey', 'ey'],
    ['a-', 'a-'],
    ['short words', 'a '],
    ['almost JWTs', `ey${'a'.repeat(8)}.`],
    ['labelled values', 'token=x '],
    ['words and equals signs', 'n='],
    ['cards', `${'1'.repeat(12)} `],
    ['what is not ASCII', '\u2022'],
  ])('takes 5 MB of %s in its stride', (_name, unit) => {
    const text = unit.repeat(Math.ceil(5_000_000 / unit.length));
    const from = process.cpuUsage();
    maskString(text);
    const { user } = process.cpuUsage(from);
    // Tens of milliseconds on an idle machine; what is not linear takes minutes.
    expect(user / 1000).toBeLessThan(1_000);
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
    expect(maskKeyName('auth_\u{1f511}')).toBe(`${DOTS}_\u{1f511}`);
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
