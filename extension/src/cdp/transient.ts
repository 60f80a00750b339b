/**
 * A debugger attach for the length of one piece of work (extension.md 11.2). Sessions that stay, as
 * CDP mode needs them, are not built; the table of attachments is where they will be.
 */
import { stopIfAborted, until } from '../async';
import { messageOf, ToolError } from '../errors';

export interface DebuggerBrowser {
  attach(tabId: number): Promise<void>;
  detach(tabId: number): Promise<void>;
  command(tabId: number, method: string, params?: Record<string, unknown>): Promise<unknown>;
}

export type Command = (method: string, params?: Record<string, unknown>) => Promise<unknown>;

export interface Debugger {
  /**
   * Attaches, works, detaches, whatever happens. `allowed` throws if the tab must not be attached
   * to; it is asked right before the attach and right after it, since the browser itself would let us
   * attach to our own pages. The signal ends the work and with it the attach.
   */
  during<T>(tabId: number, signal: AbortSignal, allowed: () => Promise<void>, work: (command: Command) => Promise<T>): Promise<T>;
}

export function createDebugger(browser: DebuggerBrowser): Debugger {
  /** Work on one tab follows the other: a second attach of ours would be refused by the browser. */
  const tabs = new Map<number, Promise<unknown>>();

  async function session<T>(
    tabId: number,
    signal: AbortSignal,
    allowed: () => Promise<void>,
    work: (command: Command) => Promise<T>,
  ): Promise<T> {
    await allowed();
    stopIfAborted(signal);
    try {
      await browser.attach(tabId);
    } catch (error) {
      throw new ToolError('UNSUPPORTED_PAGE', `The browser refuses to attach its debugger: ${messageOf(error)}`);
    }
    try {
      await allowed();
      // Called off, a command may never come back: the detach is not to wait for it.
      return await until(signal, work((method, params) => browser.command(tabId, method, params)));
    } finally {
      await browser.detach(tabId).catch(() => undefined);
    }
  }

  return {
    during(tabId, signal, allowed, work) {
      const before = tabs.get(tabId) ?? Promise.resolve();
      const done = before.then(() => session(tabId, signal, allowed, work));
      const settled = done.catch(() => undefined);
      tabs.set(tabId, settled);
      void settled.then(() => {
        if (tabs.get(tabId) === settled) tabs.delete(tabId);
      });
      return done;
    },
  };
}
