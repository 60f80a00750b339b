/** The debugger API, reduced to what a session needs. */
import { browser } from 'wxt/browser';

const VERSION = '1.3';

/** A page that has crashed answers nothing, but the browser tells it to whoever asked for `Inspector`. */
export async function attach(tabId: number): Promise<void> {
  await browser.debugger.attach({ tabId }, VERSION);
  browser.debugger.sendCommand({ tabId }, 'Inspector.enable').catch(() => undefined);
}

export const detach = (tabId: number): Promise<void> => browser.debugger.detach({ tabId });

export const command = async (tabId: number, method: string, params: Record<string, unknown> = {}): Promise<unknown> =>
  browser.debugger.sendCommand({ tabId }, method, params);

/** The browser ended a session of ours: never heard of for a detach that we asked for. */
export function onDetached(listener: (tabId: number) => void): void {
  browser.debugger.onDetach.addListener(({ tabId }) => {
    if (tabId !== undefined) listener(tabId);
  });
}

/** Events of the tab itself, not of targets below it. */
export function onEvent(listener: (tabId: number, method: string, params: Record<string, unknown>) => void): void {
  browser.debugger.onEvent.addListener((source, method, params) => {
    if (source.tabId !== undefined && (source as { sessionId?: string }).sessionId === undefined)
      listener(source.tabId, method, (params ?? {}) as Record<string, unknown>);
  });
}
