/** Code in pages. `executeScript` can hang (bfcache, an open dialog): callers keep a deadline. */
import { browser } from 'wxt/browser';
import type { ScriptPublicPath } from 'wxt/utils/inject-script';

export async function injectFile(tabId: number, frameId: number, file: string): Promise<void> {
  await browser.scripting.executeScript({
    target: { tabId, frameIds: [frameId] },
    files: [file as ScriptPublicPath],
    injectImmediately: true,
  });
}

/** Runs `func` in the isolated world of one frame; null if it threw or there was no frame. */
export async function runInFrame<A extends unknown[]>(
  tabId: number,
  frameId: number,
  func: (...args: A) => unknown,
  args: A,
): Promise<unknown> {
  const [result] = await browser.scripting.executeScript({
    target: { tabId, frameIds: [frameId] },
    func,
    args,
    injectImmediately: true,
  });
  return result?.result ?? null;
}

/**
 * Runs `func` in the world of the page's own script and waits for its promise. What comes back is the
 * page's to choose; null if there was no document.
 */
export async function runInPage<A extends unknown[]>(
  tabId: number,
  func: (...args: A) => Promise<unknown>,
  args: A,
  frameId = 0,
): Promise<unknown> {
  const [result] = await browser.scripting.executeScript({
    target: { tabId, frameIds: [frameId] },
    world: 'MAIN',
    func,
    args,
    injectImmediately: true,
  });
  return result?.result ?? null;
}

/** Runs `func` in every frame that the browser lets us into. */
export async function runInAllFrames(tabId: number, func: () => unknown): Promise<{ frameId: number; result: unknown }[]> {
  const results = await browser.scripting.executeScript({
    target: { tabId, allFrames: true },
    func,
    injectImmediately: true,
  });
  return results.map(({ frameId, result }) => ({ frameId, result }));
}
