import { browser } from 'wxt/browser';
import { tabOf, type Tab } from './tabs';

/** The last-focused window of type normal; null if there is none. */
export async function lastNormal(): Promise<number | null> {
  try {
    const window = await browser.windows.getLastFocused({ windowTypes: ['normal'] });
    return window.type === 'normal' ? (window.id ?? null) : null;
  } catch {
    return null;
  }
}

export async function focus(windowId: number): Promise<void> {
  await browser.windows.update(windowId, { focused: true });
}

/** Ids of all windows in the browser's order. */
export async function order(): Promise<number[]> {
  return (await browser.windows.getAll()).flatMap((w) => (w.id === undefined ? [] : [w.id]));
}

export async function openPopupWindow(url: string, width: number, height: number): Promise<number> {
  const window = await browser.windows.create({ type: 'popup', focused: true, url, width, height });
  if (window?.id === undefined) throw new Error('the browser opened no window');
  return window.id;
}

export const close = (windowId: number): Promise<void> => browser.windows.remove(windowId);

/** A new normal window with one tab; the tab's id and the window's. */
export async function openNormal(url: string): Promise<Tab> {
  const window = await browser.windows.create({ type: 'normal', focused: true, url });
  const tab = window?.tabs?.[0];
  if (tab === undefined) throw new Error('the browser opened no tab');
  return tabOf(tab);
}
