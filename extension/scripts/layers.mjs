// Which part of src/ imports which. Checked in both directions: an import that is not declared
// fails, and so does a declaration that no import needs any more.
//
// What the map says in one sentence: page, mask and gate know neither the browser nor a page of ours;
// only the worker reaches port, debugger, scripting and tabs; entrypoints never know each other.

/** Longest prefix wins. */
export const PLACES = [
  ['src/entrypoints/background.ts', 'worker entry'],
  ['src/entrypoints/page.content.ts', 'page entry'],
  ['src/entrypoints/confirm/', 'confirm entry'],
  ['src/entrypoints/options/', 'options entry'],
  ['src/entrypoints/popup/', 'popup entry'],
  ['src/browser/', 'browser (worker)'],
  ['src/browser/i18n.ts', 'browser (shared)'],
  ['src/browser/page.ts', 'browser (page)'],
  ['src/browser/permissions.ts', 'browser (shared)'],
  ['src/browser/runtime.ts', 'browser (shared)'],
  ['src/browser/storage.ts', 'browser (shared)'],
  ['src/link/', 'link'],
  ['src/gate/', 'gate'],
  ['src/ops/', 'ops'],
  ['src/cdp/', 'cdp'],
  ['src/mask/', 'mask'],
  ['src/trust/', 'trust'],
  ['src/worker/', 'worker'],
  ['src/page/', 'page'],
  ['src/ui/', 'ui'],
  ['src/i18n/', 'i18n'],
  ['src/page-answer.ts', 'page answer'],
  ['src/page-channel.ts', 'page channel'],
  ['src/messages.ts', 'messages'],
  ['src/cell.ts', 'base'],
  ['src/async.ts', 'base'],
  ['src/clock.ts', 'base'],
  ['src/errors.ts', 'base'],
  ['src/text.ts', 'base'],
];

export const MAY_USE = {
  'worker entry': ['base', 'browser (shared)', 'browser (worker)', 'cdp', 'contract', 'gate', 'i18n', 'link', 'ops', 'trust', 'worker', 'wxt'],
  'page entry': ['browser (page)', 'page', 'page answer', 'page channel', 'wxt'],
  'confirm entry': ['ui'],
  'options entry': ['ui'],
  'popup entry': ['ui'],
  'browser (worker)': ['wxt'],
  'browser (shared)': ['messages', 'wxt'],
  'browser (page)': ['wxt'],
  link: ['base', 'browser (worker)', 'contract', 'mask'],
  gate: ['base', 'contract', 'link', 'messages'],
  ops: ['base', 'browser (shared)', 'browser (worker)', 'cdp', 'contract', 'gate', 'link', 'mask', 'page channel', 'zod'],
  cdp: ['base'],
  mask: [],
  trust: ['base', 'contract', 'gate', 'link', 'messages'],
  worker: ['base', 'browser (shared)', 'contract', 'gate', 'link', 'messages', 'trust'],
  page: ['base', 'page channel'],
  'page answer': ['page channel'],
  'page channel': ['zod'],
  messages: ['contract', 'zod'],
  ui: ['base', 'browser (shared)', 'contract', 'gate', 'i18n', 'messages', 'react'],
  i18n: ['base', 'browser (shared)', 'contract'],
  base: ['contract'],
};

/** What is not ours, by the first part of its name. */
export const FOREIGN = { wxt: 'wxt', zod: 'zod', react: 'react', 'react-dom': 'react', '@contract': 'contract' };
