/** The debugger API, reduced to what a session needs. */
import { browser } from 'wxt/browser';

const VERSION = '1.3';

export const attach = (tabId: number): Promise<void> => browser.debugger.attach({ tabId }, VERSION);

export const detach = (tabId: number): Promise<void> => browser.debugger.detach({ tabId });

export const command = async (tabId: number, method: string, params: Record<string, unknown> = {}): Promise<unknown> =>
  browser.debugger.sendCommand({ tabId }, method, params);
