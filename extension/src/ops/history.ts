/** Loading, reloading and the tab's history (tools.md 6.9). */
import * as z from 'zod/mini';
import { runInFrame } from '../browser/scripting';
import * as tabs from '../browser/tabs';
import { deferred, until, within } from '../async';
import { Cancelled, ToolError } from '../errors';
import { unmoved } from './attached';
import { byDebugger } from './cdp-call';
import { theTab, type Context, type Operation, type Operations } from './context';
import { checkUrl, destination } from './tabs';

/** A step that changes nothing for this long has met the end of the history. */
const STEP_MS = 1000;

const navigate: Operation = {
  target: 'tab',
  address: 'any',
  check: checkUrl,
  site: (args) => destination(args).origin,
  async act(context) {
    const tab = theTab(context);
    const url = destination(context.args).href;
    await tabs.navigate(tab.id, url);
    return { navigated: tab.id, url };
  },
};

const reload: Operation = {
  target: 'tab',
  address: 'page',
  async act(context) {
    const tab = theTab(context);
    await tabs.reload(tab.id);
    return { reloaded: tab.id };
  },
};

type Direction = 'back' | 'forward';

/** In the page, in one evaluation: compare, then step. */
function stepInPage(direction: Direction, expectOrigin: string): boolean {
  if (location.origin !== expectOrigin) return false;
  if (direction === 'back') history.back();
  else history.forward();
  return true;
}

const looksLike = (tab: tabs.Tab | null): string => JSON.stringify([tab?.url, tab?.pendingUrl, tab?.loading]);

/**
 * Whether the tab changes within its time. The commit is waited for, so that the next call meets the
 * new page if that comes soon; a load that has begun by the end counts too, however slow the site is.
 */
async function watchChange(context: Context): Promise<{ changed(): Promise<boolean>; stop(): void }> {
  const { id } = theTab(context);
  const { clock } = context.tools;
  const committed = deferred<boolean>();
  const unhear = tabs.onUpdated((tabId, change) => {
    if (tabId === id && (change.status !== undefined || change.url !== undefined)) committed.resolve(true);
  });
  const before = looksLike(await tabs.get(id));
  return {
    stop: unhear,
    async changed() {
      if (await until(context.signal, within(clock, STEP_MS, committed.promise, () => false))) return true;
      return looksLike(await tabs.get(id)) !== before;
    },
  };
}

/** False: another site, and nothing was done. */
const Stepped = z.boolean();

const end = (direction: Direction): ToolError =>
  new ToolError('EXECUTION_FAILED', `The history of this tab ends here: there is nothing to go ${direction} to.`);

const Entries = z.object({ currentIndex: z.int(), entries: z.array(z.object({ id: z.int() })) });

/** CDP mode: the browser goes to the entry itself, whoever made it. */
async function stepByDebugger(context: Context, direction: Direction): Promise<void> {
  await context.tools.cdp.keep(
    theTab(context).id,
    { signal: context.signal, allowed: async () => void (await unmoved(context, 'its history was read')) },
    async ({ command }) => {
      const history = Entries.safeParse(await command('Page.getNavigationHistory'));
      const at = history.success ? history.data.currentIndex + (direction === 'back' ? -1 : 1) : -1;
      const entry = history.data?.entries[at];
      if (entry === undefined) throw end(direction);
      await command('Page.navigateToHistoryEntry', { entryId: entry.id });
    },
  );
}

async function step(context: Context, direction: Direction): Promise<void> {
  const { id } = theTab(context);
  const watch = await watchChange(context);
  try {
    try {
      await (direction === 'back' ? tabs.goBack(id) : tabs.goForward(id));
      // The browser has a page to go to, however long it takes; the wait only spares the next call
      // from meeting the old one.
      await watch.changed();
      return;
    } catch (error) {
      if (error instanceof Cancelled || context.signal.aborted) throw error;
    }
    // Entries made without user activation are skipped by the browser, not by the page.
    if (byDebugger(context)) {
      await stepByDebugger(context, direction);
      await watch.changed();
      return;
    }
    const ran = await until(
      context.signal,
      within(context.tools.clock, STEP_MS, runInFrame(id, 0, stepInPage, [direction, context.origin]), () => null),
    );
    if (Stepped.safeParse(ran).data === false) throw new ToolError('EXECUTION_FAILED', 'The tab went to another site, so nothing was done.');
    if (!(await watch.changed()))
      throw end(direction);
  } finally {
    watch.stop();
  }
}

export const historyOperations = {
  page_navigate: navigate,
  page_reload: reload,
  page_back: {
    target: 'tab',
    address: 'page',
    async act(context: Context) {
      await step(context, 'back');
      return { back: theTab(context).id };
    },
  },
  page_forward: {
    target: 'tab',
    address: 'page',
    async act(context: Context) {
      await step(context, 'forward');
      return { forward: theTab(context).id };
    },
  },
} satisfies Operations;
