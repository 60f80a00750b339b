/** Host permissions. Patterns never carry a port (extension.md 9.1). */
import { browser } from 'wxt/browser';

export const ALL_URLS = '<all_urls>';

export const contains = (pattern: string): Promise<boolean> => browser.permissions.contains({ origins: [pattern] });

/** In a click of one of our pages only; the popup that asks may be closed by the prompt. */
export const request = (pattern: string): Promise<boolean> => browser.permissions.request({ origins: [pattern] });

/** The same for several, in one question at most. */
export const requestAll = (patterns: string[]): Promise<boolean> => browser.permissions.request({ origins: patterns });

export const remove = (pattern: string): Promise<boolean> => browser.permissions.remove({ origins: [pattern] });

export function onAdded(listener: () => void): void {
  browser.permissions.onAdded.addListener(listener);
}

export function onRemoved(listener: () => void): void {
  browser.permissions.onRemoved.addListener(listener);
}
