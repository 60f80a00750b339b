// The locale files themselves: the same keys, the same placeholders, and no text where it may not be.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { LANGUAGES, NATIVE_NAMES } from '../../src/i18n/names';
import { bundle } from '../ui/browser';

const ROOT = path.resolve(import.meta.dirname, '../..');
const english = bundle('en');
const others = LANGUAGES.filter((l) => l !== 'en');
const placeholders = (text: string | undefined): string[] => [...new Set(text?.match(/\$[1-9]/g))].sort();
const commands = (text: string | undefined): string[] => text?.match(/`[^`]*`/g) ?? [];

const files = (dir: string): string[] =>
  readdirSync(dir).flatMap((name) => {
    const at = path.join(dir, name);
    return statSync(at).isDirectory() ? files(at) : [at];
  });

describe('the bundles', () => {
  it('are those of the roster', () => {
    const found = readdirSync(path.join(ROOT, 'src/i18n/locales')).sort();
    expect(found).toEqual(LANGUAGES.map((l) => `${l}.json`));
    expect(Object.keys(NATIVE_NAMES)).toEqual([...LANGUAGES]);
  });

  it.each(others)('%s has the keys of en, in the same order', (language) => {
    expect(Object.keys(bundle(language))).toEqual(Object.keys(english));
  });

  it.each(others)('%s has the placeholders and commands of en', (language) => {
    const texts = bundle(language);
    for (const key of Object.keys(english)) {
      expect(placeholders(texts[key]), key).toEqual(placeholders(english[key]));
      expect(commands(texts[key]), key).toEqual(commands(english[key]));
    }
  });

  it.each(LANGUAGES)('%s has no empty text, and none with space around it', (language) => {
    for (const [key, text] of Object.entries(bundle(language))) expect(text, key).toMatch(/^\S(.*\S)?$/s);
  });

  it('number placeholders from 1 without a hole', () => {
    for (const [key, text] of Object.entries(english)) expect(placeholders(text), key).toEqual(placeholders(text).map((_, i) => `$${i + 1}`));
  });

  it('hold nothing that no source names', () => {
    const source = files(path.join(ROOT, 'src')).filter((f) => /\.tsx?$/.test(f)).map((f) => readFileSync(f, 'utf8')).join('\n') + readFileSync(path.join(ROOT, 'wxt.config.ts'), 'utf8');
    const families = [...source.matchAll(/`([a-z_.]+\.)\$\{/g)].map((m) => m[1] ?? '');
    const unused = Object.keys(english).filter(
      (key) => !source.includes(`'${key}'`) && !source.includes(`"${key}"`) && !source.includes(`__MSG_${key.replaceAll('.', '_')}__`) && !families.some((f) => key.startsWith(f)),
    );
    expect(unused).toEqual([]);
  });
});

describe('Chinese', () => {
  const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303f\uff00-\uffef]/u;
  const places = [path.join(ROOT, 'src/i18n/locales/zh_CN.json'), path.join(ROOT, 'src/i18n/locales/zh_TW.json'), path.join(ROOT, 'src/i18n/names.ts')];

  it('is where it belongs', () => {
    for (const place of places) expect(CJK.test(readFileSync(place, 'utf8')), place).toBe(true);
  });

  it('is nowhere else', () => {
    const all = ['src', 'scripts', 'test', 'public'].flatMap((d) => files(path.join(ROOT, d))).filter((f) => /\.(tsx?|mjs|mts|css|html|json|svg)$/.test(f));
    expect(all.length).toBeGreaterThan(50);
    expect(all.filter((f) => !places.includes(f) && CJK.test(readFileSync(f, 'utf8')))).toEqual([]);
  });
});
