/**
 * Texts for people, in the language they chose here rather than the browser's: `chrome.i18n` can
 * only follow the browser, so the bundles are fetched, and it serves as the last resort.
 */
import type en from './locales/en.json';
import { isLanguage, languageOf, type Language } from './names';
import { browserLanguage, getMessage } from '../browser/i18n';
import { resource } from '../browser/runtime';
import { onChanged, read } from '../browser/storage';
import { cell } from '../cell';

export type MessageKey = keyof typeof en;
type Bundle = Record<string, { message: string; placeholders?: Record<string, { content: string }> }>;

interface Loaded {
  language: Language;
  chosen: Bundle;
  english: Bundle;
}

const loaded = cell<Loaded>(() => ({ language: 'en', chosen: {}, english: {} }));
/** Number of the newest load: a slow older one must not win. */
const sequence = cell(() => 0);
const listeners = cell(() => new Set<() => void>());

function fill(bundle: Bundle, name: string, subs: readonly string[]): string | null {
  const found = bundle[name];
  if (found === undefined) return null;
  // In one go: what was put in is never read again.
  return found.message.replace(/\$ARG([1-9])\$|\$\$/g, (_, n: string | undefined) => (n === undefined ? '$' : (subs[Number(n) - 1] ?? '')));
}

/** The text of a key; `$1` and so on are replaced by `subs`. */
export function t(key: MessageKey, subs: readonly string[] = []): string {
  const name = key.replaceAll('.', '_');
  const { chosen, english } = loaded.get();
  return fill(chosen, name, subs) ?? fill(english, name, subs) ?? (getMessage(name, [...subs]) || key);
}

export const currentLanguage = (): Language => loaded.get().language;

async function bundleOf(language: Language): Promise<Bundle> {
  const answer = await fetch(resource(`_locales/${language}/messages.json`));
  return (await answer.json()) as Bundle;
}

async function load(): Promise<void> {
  const mine = sequence.get() + 1;
  sequence.set(mine);
  // Without storage the page still has to say so, in the default language.
  const { uiLanguage } = await read(['uiLanguage']).catch(() => ({ uiLanguage: undefined }));
  const language = uiLanguage === 'auto' ? languageOf(browserLanguage()) : isLanguage(uiLanguage) ? uiLanguage : 'en';
  const english = await bundleOf('en').catch(() => ({}));
  const chosen = language === 'en' ? english : await bundleOf(language).catch(() => ({}));
  if (mine !== sequence.get()) return;
  loaded.set({ language, chosen, english });
  if (typeof document !== 'undefined') document.documentElement.lang = language.replace('_', '-');
  for (const listener of [...listeners.get()]) listener();
}

/** Loads the bundles and keeps following the setting; returns once there is something to show. */
export async function initLanguage(): Promise<void> {
  onChanged((keys) => {
    if (keys.includes('uiLanguage')) void load();
  });
  await load();
}

/** Called after each change of language. */
export function onLanguage(listener: () => void): () => void {
  listeners.get().add(listener);
  return () => listeners.get().delete(listener);
}
