/** `page_wait_for`, which outlives the documents it looks at (tools.md 6.9). */
import { LIMITS } from '@contract/host';
import { pause } from '../async';
import { ToolError } from '../errors';
import type { Args } from '../link/requests';
import { Budget, theTab, type Context, type Operation, type Operations } from './context';
import { addressOf } from './act';
import { ChannelLost } from './page-call';
import { committed, fetchTab, pageOrigin } from './target';

const DEFAULT_MS = 30_000;
/** Between two documents: a page that keeps going away is not chased at full speed. */
const REARM_MS = 50;
const SLICE_MS = 300;

const timeoutOf = (args: Args): number =>
  Math.min(Math.max(typeof args.timeoutMs === 'number' ? args.timeoutMs : DEFAULT_MS, 1), LIMITS.WAIT_FOR_MAX_MS);

const timedOut = (ms: number): ToolError => new ToolError('EXECUTION_FAILED', `wait_for timed out after ${ms}ms`);

/** The document that the tab shows by now: its address and its approval are looked at anew. */
async function rearm(context: Context): Promise<void> {
  const tab = await committed(await fetchTab(theTab(context).id), context.tools.clock, context.signal);
  const origin = pageOrigin(tab);
  await context.tools.allowlist.check(origin, context.signal, null);
  context.tab = tab;
  context.origin = origin;
}

/** A load has begun and not committed: the document that is still there is not the one to wait for. */
const isLeaving = async (context: Context): Promise<boolean> =>
  (await fetchTab(theTab(context).id)).pendingUrl !== '';

/** One question to the document that is there, for this long. */
function ask(context: Context, nav: boolean, timeoutMs: number, totalMs: number): Promise<unknown> {
  const { args, signal, tools } = context;
  return tools.page.ask(
    addressOf(context),
    'page_wait_for',
    {
      expectOrigin: context.origin,
      args: {
        ...(typeof args.selector === 'string' ? { selector: args.selector } : {}),
        ...(typeof args.text === 'string' ? { text: args.text } : {}),
        nav,
        timeoutMs,
        totalMs,
      },
    },
    { signal, budget: new Budget(timeoutMs + LIMITS.WAIT_FOR_EXTRA_MS) },
  );
}

async function act(context: Context): Promise<unknown> {
  const { args, signal, tools } = context;
  const totalMs = timeoutOf(args);
  const deadline = tools.clock.now() + totalMs;
  const nav = args.nav === true;
  const onlyNav = args.selector === undefined && args.text === undefined;
  for (;;) {
    const left = deadline - tools.clock.now();
    if (left <= 0) throw timedOut(totalMs);
    const leaving = nav && (await isLeaving(context));
    try {
      // Looked at in slices while a load is under way: one that ends as a download is told by nobody.
      if (!leaving) return await ask(context, nav, left, totalMs);
      if (!onlyNav) return await ask(context, false, Math.min(left, SLICE_MS), totalMs);
    } catch (error) {
      const sliced = leaving && error instanceof ToolError && error.message === timedOut(totalMs).message;
      if (!sliced && !(await movedOn(context, error))) throw error;
    }
    await pause(tools.clock, REARM_MS, signal);
    await rearm(context);
  }
}

/** Whether another document took the place of the one that was asked, rather than it saying no. */
async function movedOn(context: Context, error: unknown): Promise<boolean> {
  if (error instanceof ChannelLost) return true;
  if (!(error instanceof ToolError) || error.code !== 'EXECUTION_FAILED') return false;
  // The page compares origins itself: one that changed in between says so.
  const tab = await fetchTab(theTab(context).id);
  return pageOrigin(tab) !== context.origin;
}

export const waitOperations = {
  page_wait_for: {
    target: 'tab',
    address: 'page',
    check(args) {
      if (args.selector === undefined && args.text === undefined && args.nav !== true)
        throw new ToolError('INVALID_ARGUMENT', 'Give selector, text or nav: nothing says what to wait for.');
    },
    act,
  } satisfies Operation,
} satisfies Operations;
