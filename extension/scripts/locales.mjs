// src/i18n/locales/<language>.json -> _locales/<language>/messages.json.
//
// A bundle is one flat object of dotted keys; the browser's form has underscores and wants every
// `$n` declared as a placeholder.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

export function messagesOf(bundle) {
  const out = {};
  for (const [key, text] of Object.entries(bundle)) {
    // The browser refuses the whole extension for one bad name.
    if (!/^[A-Za-z0-9_.]+$/.test(key)) throw new Error(`"${key}" is no message key: letters, digits, dots and underscores`);
    const numbers = [...new Set([...text.matchAll(/\$([1-9])/g)].map((m) => m[1]))].sort();
    const message = text.replace(/\$(?![1-9])/g, '$$$$').replace(/\$([1-9])/g, '$$ARG$1$$');
    out[key.replaceAll('.', '_')] =
      numbers.length === 0
        ? { message }
        : { message, placeholders: Object.fromEntries(numbers.map((n) => [`arg${n}`, { content: `$${n}` }])) };
  }
  return out;
}

/** In the form of WXT's `build:publicAssets` hook. */
export function compileLocales(srcDir) {
  const dir = path.join(srcDir, 'i18n', 'locales');
  return readdirSync(dir)
    .filter((f) => f.endsWith('.json'))
    .map((f) => ({
      relativeDest: `_locales/${path.basename(f, '.json')}/messages.json`,
      contents: JSON.stringify(messagesOf(JSON.parse(readFileSync(path.join(dir, f), 'utf8')))),
    }));
}
