import { describe, expect, it } from 'vitest';
import { cut, plain, quoted, quotedText } from '../src/text';

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
