/** `page_screenshot` (tools.md 6.11). */
import * as z from 'zod/mini';
import * as permissions from '../browser/permissions';
import * as tabs from '../browser/tabs';
import { pause, until } from '../async';
import type { Command, Sessions } from '../cdp/sessions';
import { messageOf, ToolError } from '../errors';
import { webUrl } from '../gate/site';
import { theTab, type Context, type Operation, type Operations } from './context';
import { fetchTab, pageOrigin } from './target';
import { fit, type Encoder } from './image';

/** The browser takes two pictures a second. */
const QUOTA = /MAX_CAPTURE_VISIBLE_TAB_CALLS_PER_SECOND/;
const QUOTA_MS = 600;
const PREFIX = 'data:image/png;base64,';

const Captured = z.object({ data: z.string() });

const moved = (): ToolError =>
  new ToolError('EXECUTION_FAILED', 'The tab went to another site while its picture was taken, so it is not given out.');

/** The tab shows what was checked; asked on both sides of a picture that the browser takes. */
async function unmoved(context: Context): Promise<tabs.Tab> {
  const now = await fetchTab(theTab(context).id);
  if (pageOrigin(now) !== context.origin) throw moved();
  return now;
}

/**
 * Whether the window may have shown anything but the tab since: what is there before and after says
 * nothing of the time between.
 */
function watchSwaps(context: Context): { seen(): boolean; stop(): void } {
  const { id, windowId } = theTab(context);
  let seen = false;
  const unhear = [
    tabs.onActivated((tabId, of) => {
      seen ||= of === windowId && tabId !== id;
    }),
    tabs.onUpdated((tabId, change) => {
      seen ||= tabId === id && change.url !== undefined && webUrl(change.url)?.origin !== context.origin;
    }),
  ];
  return { seen: () => seen, stop: () => unhear.forEach((stop) => stop()) };
}

/** A picture of the window, by the browser's leave at the second attempt; null: it gives none. */
async function pictured(context: Context, windowId: number): Promise<string | null> {
  const taken = (): Promise<string | null | 'later'> =>
    tabs.captureVisible(windowId).catch((error: unknown) => (QUOTA.test(messageOf(error)) ? 'later' : null));
  let shot = await taken();
  if (shot === 'later') {
    await pause(context.tools.clock, QUOTA_MS, context.signal);
    const why = context.tools.cdp.closed();
    if (why !== null) throw why;
    shot = await taken();
  }
  // Pictures that follow each other closely: the quota may still be used up then.
  return shot === 'later' ? null : shot;
}

/** Way 2, or null where it does not apply. */
async function ofWindow(context: Context, swapped: () => boolean): Promise<string | null> {
  const { windowId } = theTab(context);
  const { active } = await unmoved(context);
  if (!active || !(await permissions.contains(permissions.ALL_URLS))) return null;
  const shot = await pictured(context, windowId);
  if (shot === null) return null;
  // The window was pictured, so its active tab has to have been this one throughout.
  const now = await unmoved(context);
  if (!now.active || now.windowId !== windowId || swapped()) return null;
  return shot.startsWith(PREFIX) ? shot.slice(PREFIX.length) : null;
}

const capture = (command: Command): Promise<unknown> => command('Page.captureScreenshot', { format: 'png' });

/** As small as it can be: nobody looks at it. */
const CAST = { format: 'jpeg', quality: 1, maxWidth: 16, maxHeight: 16 };

/**
 * A tab in the background draws nothing more once it was pictured, and the next picture would be waited
 * for without end. While it is cast it goes on drawing.
 */
async function whileDrawn(command: Command): Promise<unknown> {
  await command('Page.enable');
  await command('Page.startScreencast', CAST);
  try {
    return await capture(command);
  } finally {
    await command('Page.stopScreencast').catch(() => undefined);
  }
}

/** Ways 1 and 3: works on tabs in the background too, and needs no grant. */
async function byDebugger(context: Context, cdp: Sessions, signal: AbortSignal): Promise<string> {
  const { id } = theTab(context);
  return cdp.during(
    id,
    { signal, allowed: async () => void (await unmoved(context)), needsMode: false },
    async ({ command }) => {
      const { active } = await unmoved(context);
      const shot = Captured.safeParse(await (active ? capture(command) : whileDrawn(command)));
      await unmoved(context);
      if (!shot.success) throw new ToolError('EXECUTION_FAILED', 'The browser gave no picture.');
      return shot.data.data;
    },
  );
}

export function shotOperations(cdp: Sessions, decode: (png: string) => Promise<Encoder>) {
  const page_screenshot: Operation = {
    target: 'tab',
    address: 'page',
    async act(context) {
      const { budget, signal, tools } = context;
      const late = new AbortController();
      const disarm = tools.clock.after(budget.left, () =>
        late.abort(
          new ToolError('EXECUTION_FAILED', 'The browser took no picture in time. A dialog may be open in the page.'),
        ),
      );
      const stop = AbortSignal.any([signal, late.signal]);
      const swaps = watchSwaps(context);
      try {
        const ofTab = (): Promise<string> => until(stop, byDebugger(context, cdp, stop));
        // Way 1: a session that is there costs no banner.
        const png = cdp.has(theTab(context).id) ? await ofTab() : ((await until(stop, ofWindow(context, swaps.seen))) ?? (await ofTab()));
        return await fit(png, decode);
      } finally {
        // Here, since a picture may never come.
        swaps.stop();
        disarm();
      }
    },
  };
  return { page_screenshot } satisfies Operations;
}
