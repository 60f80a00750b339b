import { describe, expect, it } from 'vitest';
import { cut, plain, quoted, quotedText, spelled } from '../src/text';

describe('text', () => {
  it('cuts between characters, never inside a surrogate pair', () => {
    expect(cut('abcdef', 6)).toBe('abcdef');
    expect(cut('abcdefg', 6)).toBe('abcdef...');
    expect(cut('abc\u{1f600}d', 4)).toBe('abc...');
    expect(cut('ab\u{1f600}cd', 4)).toBe('ab\u{1f600}...');
  });

  it('makes one line of anything', () => {
    expect(plain('  a\n\t b\u00a0c  ', 40)).toBe('a b c');
    expect(plain('a\u0000b\u200bc\ufeffd\u0085e', 40)).toBe('abcde');
  });

  it('spells out what would reorder the line', () => {
    expect(plain('pay\u202eecila', 40)).toBe('pay\\u202eecila');
  });

  it('makes lone surrogates well-formed', () => {
    expect(plain('a\ud800b', 40)).toBe('a\ufffdb');
  });

  it('quotes as an outline does', () => {
    expect(quoted('say "hi" \\ there', 40)).toBe('"say \\"hi\\" \\\\ there"');
    expect(quoted('a\u2066b', 40)).toBe('"a\\u2066b"');
    expect(quotedText('x'.repeat(5), 3)).toBe('xxx...');
  });
});

describe('what a user decides by', () => {
  it('spells out what cannot be seen, and nothing else', () => {
    expect(spelled('/a  b/\u202egnp.exe\n#x\u00e9\ud800')).toBe('/a  b/\\u202egnp.exe\\u000a#x\u00e9\\ud800');
    expect(spelled('/a\t\r\n/\u3164\u2800\u{e0041}\u00a0')).toBe('/a\\u0009\\u000d\\u000a/\\u3164\\u2800\\u{e0041}\\u00a0');
    expect(spelled('C:\\users\\me\\my file.png')).toBe('C:\\users\\me\\my file.png');
    expect(spelled('  a ')).toBe('\\u0020\\u0020a\\u0020');
  });

  it.each(['\\', ' ', '\\ ', '\u200b'])('is not long over many of %j', (sign) => {
    const many = sign.repeat(500_000);
    expect(spelled(`x${many}x`)).toContain(sign === '\u200b' ? '\\u200b' : many);
  });

  it('spells no two texts alike', () => {
    const parts = ['\\', '\u200b', 'u200b', 'u', '{', 'e0041}', '\u{e0041}', ' ', '\n', 'u0020', 'u{e0041}', '200b'];
    const texts = parts.flatMap((a) => parts.flatMap((b) => parts.flatMap((c) => parts.map((d) => a + b + c + d))));
    const wanted = new Set(texts);
    expect(new Set([...wanted].map(spelled)).size).toBe(wanted.size);
  });
});
