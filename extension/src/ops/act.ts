/** Acting on a page, `page_click` apart (tools.md 6.7, 6.17). */
import { ToolError } from '../errors';
import type { ConfirmRequest } from '../gate/confirm';
import type { Descriptor, FillProbe, PageData } from '../page-channel';
import { cut, plain, spelled } from '../text';
import { byDebugger, orDialog } from './cdp-call';
import { theTab, type Context, type Operation, type Operations } from './context';
import { framesOf } from './frames';
import type { Address } from './page-call';
import { aimAtFrame, checkTarget, frameOf, given, targetOf } from './target';

export const TITLE_LIMIT = 200;
export const NAME_LIMIT = 40;
/** Of the window of a fill (extension.md 10.1). The others show the whole of what they ask for. */
const VALUE_LIMIT = 200;
const HIDDEN = '\u2022'.repeat(6);

export const addressOf = (context: Context): Address => ({
  tabId: theTab(context).id,
  frameId: context.frameId,
  cdp: byDebugger(context),
});

export const limitsOf = ({ signal, budget }: Context): { signal: AbortSignal; budget: Context['budget'] } => ({
  signal,
  budget,
});

/** Name, role or tag: the first that there is. */
export const labelOf = (d: Descriptor): string => plain(d.name || d.role || d.tagName, NAME_LIMIT);

/** What all windows of a page act have in common. */
export function confirmBase(context: Context): Pick<ConfirmRequest, 'tool' | 'origin' | 'tabTitle' | 'timeoutMs'> {
  return {
    tool: context.call.op,
    origin: context.origin,
    tabTitle: plain(theTab(context).title, TITLE_LIMIT),
    timeoutMs: context.snapshot.policy.clickToastTimeoutMs,
  };
}

/** Aims at the document that the target lies in. */
export async function aim(context: Context): Promise<void> {
  const frameId = frameOf(context.args);
  if (frameId !== 0) await aimAtFrame(context, frameId);
}

const fill: Operation = {
  target: 'tab',
  takesDialog: true,
  address: 'page',
  check: checkTarget,
  async prepare(context) {
    await aim(context);
    if (context.snapshot.serving !== 'unpaired') return null;
    const probe = (await context.tools.page.ask(
      addressOf(context),
      '_probe', { expectOrigin: context.origin, args: { ...targetOf(context.args), purpose: 'fill' } },
      limitsOf(context),
    )) as FillProbe | Descriptor;
    if (!('descriptor' in probe)) throw new ToolError('EXECUTION_FAILED', 'The page gave an answer that does not fit.');
    context.expect = probe.descriptor;
    const value = probe.hidden ? HIDDEN : cut(spelled(String(context.args.value)), VALUE_LIMIT);
    return {
      ...confirmBase(context),
      kind: 'fill',
      detail: `${labelOf(probe.descriptor)}: ${value}`,
      grace: { tabId: theTab(context).id, action: 'fill', forMs: context.snapshot.policy.confirmGraceMs },
    };
  },
  async act(context) {
    const { expect } = context;
    const done = { filled: given(context.args) };
    return orDialog(done, async () => {
      await context.tools.page.ask(
        addressOf(context),
        'page_fill',
        {
          expectOrigin: context.origin,
          args: { ...targetOf(context.args), value: String(context.args.value) },
          ...(expect === null ? {} : { expect }),
        },
        limitsOf(context),
      );
      return done;
    });
  },
};

const select: Operation = {
  target: 'tab',
  takesDialog: true,
  address: 'page',
  check: checkTarget,
  async prepare(context) {
    await aim(context);
    return { ...confirmBase(context), kind: 'select', detail: spelled(String(context.args.value)) };
  },
  act: (context) =>
    orDialog({ selected: String(context.args.value) }, () =>
      context.tools.page.ask(
        addressOf(context),
        'page_select',
        {
          expectOrigin: context.origin,
          args: { ...targetOf(context.args), value: String(context.args.value) },
        },
        limitsOf(context),
      ),
    ),
};

const hover: Operation = {
  target: 'tab',
  address: 'page',
  check: checkTarget,
  prepare: async (context) => {
    await aim(context);
    return null;
  },
  async act(context) {
    const { role } = await context.tools.page.ask(
      addressOf(context),
      'page_hover', { expectOrigin: context.origin, args: targetOf(context.args) },
      limitsOf(context),
    );
    return { hovered: given(context.args), role };
  },
};

const LEFT_OUT =
  'The focus is in a frame of a site that is not approved, so no key is pressed. Ask the user to add the site on the options page of genkan.';

/** Follows the focus through covered frames, as if a ref had named them (tools.md 6.17). */
async function aimAtFocus(context: Context): Promise<void> {
  const { tools } = context;
  const tabId = theTab(context).id;
  const finder = framesOf(tabId, tools);
  let base: number[] = [];
  for (;;) {
    const { frame }: PageData<'_focus'> = await tools.page.ask(
      addressOf(context),
      '_focus', { expectOrigin: context.origin, args: {} },
      limitsOf(context),
    );
    if (frame === undefined) return;
    const found = await finder.cover(frame, base, [frame]);
    if (found === null || found.path.length <= base.length) throw new ToolError('EXECUTION_FAILED', LEFT_OUT);
    context.frameId = found.frameId;
    context.origin = found.origin;
    base = found.path;
  }
}

const press: Operation = {
  target: 'tab',
  takesDialog: true,
  address: 'page',
  check(args) {
    if (String(args.keys).trim() === '')
      throw new ToolError('INVALID_ARGUMENT', 'keys names no key. A space is called Space.');
  },
  async prepare(context) {
    await aimAtFocus(context);
    return { ...confirmBase(context), kind: 'press', detail: spelled(String(context.args.keys).trim()) };
  },
  act: (context) =>
    orDialog({ pressed: String(context.args.keys).trim() }, () =>
      context.tools.page.ask(
        addressOf(context),
        'page_press', { expectOrigin: context.origin, args: { keys: String(context.args.keys).trim() } },
        limitsOf(context),
      ),
    ),
};

const scroll: Operation = {
  target: 'tab',
  address: 'page',
  check(args) {
    if (args.direction === undefined && args.pixels === undefined)
      throw new ToolError('INVALID_ARGUMENT', 'Give direction or pixels: nothing says where to scroll.');
  },
  act: (context) =>
    context.tools.page.ask(
      addressOf(context),
      'page_scroll',
      {
        expectOrigin: context.origin,
        args: {
          ...(context.args.direction === undefined ? {} : { direction: context.args.direction as 'up' }),
          ...(typeof context.args.pixels === 'number' ? { pixels: context.args.pixels } : {}),
        },
      },
      limitsOf(context),
    ),
};

export const actOperations = {
  page_fill: fill,
  page_select: select,
  page_press: press,
  page_hover: hover,
  page_scroll: scroll,
} satisfies Operations;

