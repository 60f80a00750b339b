/** `page_eval` in the page's own world, by `scripting` or in CDP mode by the debugger (tools.md 6.10). */
import { LIMITS } from '@contract/host';
import * as z from 'zod/mini';
import { until, within } from '../async';
import { runInPage } from '../browser/scripting';
import * as tabs from '../browser/tabs';
import type { Attached, Sessions } from '../cdp/sessions';
import { messageOf, ToolError } from '../errors';
import type { ConfirmRequest } from '../gate/confirm';
import { maskSensitive } from '../mask';
import { evaluateInPage } from './evaluate';
import { plain } from '../text';
import { limitsOf, TITLE_LIMIT } from './act';
import { byDebugger, DESTROYED, DialogOpened, orDialog, watchDocument } from './cdp-call';
import { theTab, type Context, type Operation, type Operations } from './context';
import { ChannelLost, noAnswer, notInjected } from './page-call';

/** What the page sends back, or chooses to. */
const Answer = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('value'), value: z.optional(z.unknown()) }),
  z.strictObject({ state: z.literal('origin') }),
  z.strictObject({ state: z.literal('refused') }),
  z.strictObject({ state: z.literal('large') }),
]);

const REFUSED =
  'The content security policy of this page forbids code from strings, so page_eval does not work on it. Use page_snapshot, page_text and page_click, or ask the user for CDP mode, which is not bound by it.';
const LARGE = 'The result of the code is too large. Return less of it.';
const MOVED = 'The tab went to another site before the code could run, so it was not run.';

const GONE = /No frame with id|was removed|frame is gone|No tab with id|tab was closed/i;

/** The window shows the code as it is, and the clock is its own; an approval covers this call alone. */
function confirmation(context: Context): ConfirmRequest | null {
  const { policy } = context.snapshot;
  if (!policy.confirmPageEval && !policy.presenceConfirm) return null;
  return {
    kind: 'eval',
    tool: context.call.op,
    origin: context.origin,
    tabTitle: plain(theTab(context).title, TITLE_LIMIT),
    detail: String(context.args.code),
    timeoutMs: policy.evalToastTimeoutMs,
    ...(policy.presenceConfirm ? { presence: 'page_eval' as const } : {}),
  };
}

/** Never settles but with the end of the document: a page in the cache never answers for the code. */
function leaving(context: Context, token: string): Promise<never> {
  const to = { tabId: theTab(context).id, frameId: 0 };
  return new Promise((_, reject) => {
    context.tools.page.gone(to, context.origin, token, undefined, context.signal, context.budget.left).then(
      (gone) => {
        if (gone) reject(new ChannelLost('another document took its place'));
      },
      () => undefined,
    );
  });
}

async function evaluate(context: Context): Promise<unknown> {
  const { signal, budget, tools, origin } = context;
  const tabId = theTab(context).id;
  const token = await tools.page.instance({ tabId, frameId: 0 }, limitsOf(context));
  const running = runInPage(tabId, evaluateInPage, [origin, String(context.args.code), LIMITS.PAGE_PARSE_MS]).catch(
    (error: unknown) => {
      throw GONE.test(messageOf(error)) ? new ChannelLost(messageOf(error)) : notInjected(error);
    },
  );
  return until(signal, within(tools.clock, budget.left, Promise.race([running, leaving(context, token)]), noAnswer));
}

/** What the caller gets of what the page sent. */
function dataOf(context: Context, raw: unknown): unknown {
  const answer = Answer.safeParse(raw);
  if (!answer.success) throw new ToolError('EXECUTION_FAILED', 'The page gave an answer that does not fit.');
  const { data } = answer;
  if (data.state === 'refused') throw new ToolError('UNSUPPORTED_PAGE', REFUSED);
  if (data.state === 'large') throw new ToolError('PAYLOAD_TOO_LARGE', LARGE);
  if (data.state === 'origin') throw new ToolError('EXECUTION_FAILED', MOVED);
  return context.snapshot.policy.evalMask ? maskSensitive(data.value) : data.value;
}

const Remote = z.object({ result: z.object({ value: z.optional(z.unknown()) }), exceptionDetails: z.optional(z.unknown()) });

/** The whole thing in one expression: the debugger lets it make code from strings whatever the page's policy says. */
async function evaluateRemote(context: Context, tab: Attached, opened: Promise<never>): Promise<unknown> {
  const args = [context.origin, String(context.args.code), LIMITS.PAGE_PARSE_MS];
  const expression = `(${evaluateInPage.toString()})(...${JSON.stringify(args)})`;
  const watched = watchDocument(tab);
  const gone = watched.gone.then(() => {
    throw new ChannelLost('another document took its place');
  });
  gone.catch(() => undefined);
  const command = { expression, awaitPromise: true, returnByValue: true, userGesture: true, silent: true };
  const once = async (): Promise<unknown> => {
    const raw = await Promise.race([tab.command('Runtime.evaluate', command), opened, gone]);
    const remote = Remote.safeParse(raw);
    return remote.success && remote.data.exceptionDetails === undefined ? remote.data.result.value : null;
  };
  try {
    const first = await once();
    // A document that was still being parsed: the leave of the debugger ended while it was waited for.
    return Answer.safeParse(first).data?.state === 'refused' ? await once() : first;
  } catch (error) {
    if (DESTROYED.test(messageOf(error))) throw new ChannelLost(messageOf(error));
    throw error;
  } finally {
    watched.stop();
  }
}

async function evaluateByDebugger(context: Context, sessions: Sessions): Promise<unknown> {
  const { signal, budget, tools } = context;
  const tabId = theTab(context).id;
  let unhear = (): void => undefined;
  const opened = new Promise<never>((_, reject) => {
    unhear = sessions.onDialog((id, dialog) => {
      if (id === tabId) reject(new DialogOpened(dialog));
    });
  });
  opened.catch(() => undefined);
  const late = new AbortController();
  const stop = AbortSignal.any([signal, late.signal]);
  try {
    const answered = sessions.keep(tabId, { signal: stop, allowed: async () => undefined }, (tab) =>
      evaluateRemote(context, tab, opened),
    );
    return await until(signal, within(tools.clock, budget.left, answered, noAnswer));
  } catch (error) {
    // A session that ended with its tab.
    if (!signal.aborted && !(error instanceof ChannelLost) && (await tabs.get(tabId)) === null)
      throw new ChannelLost(messageOf(error));
    throw error;
  } finally {
    unhear();
    late.abort(new Error('nobody waits any more'));
  }
}

const pageEval = (sessions: Sessions): Operation => ({
  target: 'tab',
  address: 'page',
  takesDialog: true,
  budget: () => LIMITS.EVAL_WORK_MS,
  check(args) {
    if (String(args.code).trim() === '') throw new ToolError('INVALID_ARGUMENT', 'code is white space only: there is nothing to run.');
  },
  prepare: (context) => Promise.resolve(confirmation(context)),
  act: (context) =>
    byDebugger(context)
      ? orDialog({}, async () => dataOf(context, await evaluateByDebugger(context, sessions)))
      : evaluate(context).then((raw) => dataOf(context, raw)),
});

export const evalOperations = (sessions: Sessions) => ({ page_eval: pageEval(sessions) }) satisfies Operations;
