/** Languages, each named in itself. With the locale files, the only places of CJK text. */
export const LANGUAGES = ['en', 'zh_CN', 'zh_TW'] as const;
export type Language = (typeof LANGUAGES)[number];

export const NATIVE_NAMES: Record<Language, string> = { en: 'English', zh_CN: '简体中文', zh_TW: '繁體中文' };

export const isLanguage = (value: unknown): value is Language => LANGUAGES.some((l) => l === value);

/** What `auto` means in a browser of that language. */
export function languageOf(tag: string): Language {
  const parts = tag.toLowerCase().split(/[-_]/);
  if (parts[0] !== 'zh') return 'en';
  return parts.some((p) => ['hant', 'tw', 'hk', 'mo'].includes(p)) ? 'zh_TW' : 'zh_CN';
}
