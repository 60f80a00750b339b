/** What the tools that attach the debugger have in common (extension.md 11.2). */
import { stopIfAborted } from '../async';
import type { Attached, Sessions } from '../cdp/sessions';
import { ToolError } from '../errors';
import { theTab, type Context, type Operation } from './context';
import { showNotice } from './notice';
import { fetchTab, pageOrigin } from './target';
import type { Tab } from '../browser/tabs';

/** The tab still shows the origin that was checked. */
export async function unmoved(context: Context, what: string): Promise<Tab> {
  const now = await fetchTab(theTab(context).id);
  if (pageOrigin(now) !== context.origin)
    throw new ToolError('EXECUTION_FAILED', `The tab went to another site while ${what}, so nothing is given out.`);
  return now;
}

/** Runs work within the in-page time that is left; `late` is what the caller is told then. */
export async function inTime<T>(context: Context, late: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { budget, signal, tools } = context;
  const out = new AbortController();
  const from = tools.clock.now();
  const disarm = tools.clock.after(Math.max(budget.left, 0), () => out.abort(new ToolError('EXECUTION_FAILED', late)));
  try {
    stopIfAborted(signal);
    return await work(AbortSignal.any([signal, out.signal]));
  } finally {
    disarm();
    budget.left -= tools.clock.now() - from;
  }
}

const SILENT = 'The page does not answer the debugger. A dialog may be open in it, or it is busy; ask the user to look at the tab.';

/** Work of a tool that needs CDP mode; the tab has to show the checked origin before and after it. */
export const whileAttached = <T>(context: Context, cdp: Sessions, work: (tab: Attached) => Promise<T>): Promise<T> =>
  inTime(context, SILENT, (signal) =>
    cdp.during(
      theTab(context).id,
      { signal, allowed: async () => void (await unmoved(context, 'the debugger was attached')), needsMode: true },
      async (tab) => {
        const result = await work(tab);
        await unmoved(context, 'it was read');
        return result;
      },
    ),
  );

/** Due unless a session is there already, or the policy waives it. */
export const noticeBefore =
  (cdp: Sessions): NonNullable<Operation['notice']> =>
  (context) =>
    !context.snapshot.policy.warnPreciseSnapshot || cdp.has(theTab(context).id) ? null : () => showNotice(context);
