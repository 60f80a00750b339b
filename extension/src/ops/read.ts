/** Reading a page: outline and text, frames included (tools.md 6.3, 6.8, 6.17). */
import { SNAPSHOT_BYTES, SNAPSHOT_LINES, TEXT_LIMIT } from '../page-channel';
import { addressOf } from './act';
import { composeOutline, composeText, type Cover } from './compose';
import { Budget, theTab, type Context, type Operation, type Operations } from './context';
import { framesOf, READ_MS } from './frames';

const coverOf = (context: Context): Cover => framesOf(theTab(context).id, context.tools).cover;

/** A frame is worth its own time at most, and no failure of it is the call's. */
async function orLeftOut<T>(context: Context, work: (budget: Budget) => Promise<T>): Promise<T | null> {
  const own = new Budget(Math.min(READ_MS, context.budget.left));
  const before = own.left;
  try {
    return await work(own);
  } catch (error) {
    if (context.signal.aborted) throw error;
    return null;
  } finally {
    context.budget.left -= before - own.left;
  }
}

const snapshot: Operation = {
  target: 'tab',
  address: 'page',
  async act(context) {
    const { args, origin, signal, budget, tools } = context;
    const tabId = theTab(context).id;
    const interactiveOnly = args.interactiveOnly !== false;
    const top = await tools.page.ask(
      addressOf(context),
      'page_snapshot',
      {
        expectOrigin: origin,
        args: {
          ...(typeof args.selector === 'string' ? { selector: args.selector } : {}),
          interactiveOnly,
          refPrefix: '',
          limit: SNAPSHOT_LINES,
          hasFocus: true,
        },
      },
      { signal, budget },
    );
    return composeOutline(
      top,
      coverOf(context),
      (frame, limit, hasFocus) =>
        orLeftOut(context, (own) =>
          tools.page.ask(
            { tabId, frameId: frame.frameId },
            'page_snapshot',
            {
              expectOrigin: frame.origin,
              args: { interactiveOnly, refPrefix: `f${frame.frameId}`, limit, hasFocus },
            },
            { signal, budget: own },
          ),
        ),
      interactiveOnly ? SNAPSHOT_BYTES : Infinity,
    );
  },
};

const text: Operation = {
  target: 'tab',
  address: 'page',
  async act(context) {
    const { args, origin, signal, budget, tools } = context;
    const tabId = theTab(context).id;
    const top = await tools.page.ask(
      addressOf(context),
      'page_text',
      {
        expectOrigin: origin,
        args: { ...(typeof args.selector === 'string' ? { selector: args.selector } : {}), limit: TEXT_LIMIT },
      },
      { signal, budget },
    );
    return composeText(top, coverOf(context), (frame, limit) =>
      orLeftOut(context, (own) =>
        tools.page.ask(
          { tabId, frameId: frame.frameId },
          'page_text', { expectOrigin: frame.origin, args: { limit } },
          { signal, budget: own },
        ),
      ),
    );
  },
};

export const readOperations = { page_snapshot: snapshot, page_text: text } satisfies Operations;
