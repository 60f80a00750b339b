/** The browser's own language, and its lookup as the last resort. */
import { browser } from 'wxt/browser';

export const browserLanguage = (): string => browser.i18n.getUILanguage();

/** Empty where the key is unknown. */
export const getMessage = (name: string, subs: string[]): string => (browser.i18n.getMessage as (n: string, s: string[]) => string)(name, subs);
