/** The toolbar button: badge and popup. */
import { browser } from 'wxt/browser';

export async function setBadge(text: string, color: string): Promise<void> {
  await browser.action.setBadgeText({ text });
  if (text !== '') await browser.action.setBadgeBackgroundColor({ color });
}

export const openPopup = (): Promise<void> => browser.action.openPopup();
