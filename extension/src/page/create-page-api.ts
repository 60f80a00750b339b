/**
 * The one implementation of everything that genkan reads from a document and does to it.
 *
 * The files of this folder are bundled into one function that refers to nothing outside itself
 * (scripts/page-source.mjs), because its source text is shipped: the content script runs it in the
 * isolated world, the debugger backend evaluates `(<source>)(…).<method>(<JSON>)` in the page's own
 * world. So they import each other and `cell`, and nothing else but types.
 *
 * Three habits hold everywhere. Elements are told apart by namespace and local name, never by
 * `instanceof`, since nodes move between realms. What a form or a document offers is read through the
 * prototypes' accessors, since `<input name="parentNode">` shadows the property in every world. And
 * nothing recurses over the depth of the page, which the page chooses.
 *
 * `roles`, `names`, `values` and `prose` ask each other: a name may be the text of another element, that
 * text holds what controls hold, and the name of a section decides whether it has a role.
 */
import { cell } from '../cell';
import type { CreatePageApi, Descriptor, FillProbe, PageApi, PageFailure } from '../page-channel';
import { hover, scroll } from './acts';
import { click, clickable } from './click';
import { fill, fillable, select } from './fill';
import { documentIn, innermostActive, isFrame, slotFor } from './frames';
import { instance } from './instance';
import { press } from './keys';
import { bodyOf, later, listen, stateOf, unlisten } from './natives';
import { gone } from './navigation';
import { outline } from './outline';
import { pageText } from './page-text';
import { failure, refuse } from './refusals';
import { seen } from './seen';
import { survey } from './survey';
import { activationTarget, descriptorOf, matchOf, type Target } from './targets';
import { isSecret } from './values';
import { waitFor } from './wait';
import { readStorage } from './web-storage';

/** Calls at work, by number; an aborted one stops at its next step. */
const running = cell(() => new Map<number, { aborted: boolean }>());

function checkOrigin(expected: string): void {
  const own = window === window.top ? location.origin : window.origin;
  if (typeof expected !== 'string' || expected === '' || expected === 'null' || own !== expected)
    throw refuse('the page is now at another origin and nothing was done: look at tab_list, then take a new page_snapshot');
}

/** Reading and acting wait for the parser, but not for ever. */
async function parsed(): Promise<void> {
  if (stateOf(document) !== 'loading') return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      unlisten(document, 'readystatechange', done);
      resolve();
    };
    listen(document, 'readystatechange', done);
    void later(done, 5_000);
  });
}

/** Nothing of the page is held on to between calls. */
function forget(): void {
  if (running.get().size === 0) seen.reset();
}

type Guarded = { call: number; expectOrigin: string };
type Replied<D> = Promise<{ ok: true; data: D } | PageFailure>;

/** Origin and act in one evaluation: nothing is awaited between them. */
function guarded<M extends Guarded, D>(act: (message: M, alive: () => void) => D | Promise<D>, whenParsed = true): (message: M) => Replied<D> {
  return async (message) => {
    const state = { aborted: false };
    running.get().set(message.call, state);
    const alive = (): void => {
      if (state.aborted) throw refuse('the call was cancelled');
    };
    try {
      if (whenParsed) await parsed();
      alive();
      checkOrigin(message.expectOrigin);
      const data = await act(message, alive);
      return { ok: true, data };
    } catch (reason) {
      return failure(reason);
    } finally {
      if (running.get().get(message.call) === state) running.get().delete(message.call);
      forget();
    }
  };
}

function probeClick(target: Target): Descriptor {
  survey();
  return descriptorOf(activationTarget(clickable(target)));
}

function probeFill(target: Target): FillProbe {
  survey();
  const el = fillable(target);
  return { descriptor: descriptorOf(el), hidden: isSecret(el) };
}

const api: PageApi = {
  _probe: guarded(({ args }) => (args.purpose === 'fill' ? probeFill(args) : probeClick(args))),
  _abort: ({ args }) => {
    const state = running.get().get(args.call);
    if (state !== undefined) state.aborted = true;
    return { ok: true, data: {} };
  },
  _focus: guarded(() => {
    const active = innermostActive();
    return active !== null && isFrame(active) && documentIn(active) === null ? { frame: slotFor(active, true) } : {};
  }),
  _gone: guarded(({ args }, alive) => gone(args.frame, alive), false),
  page_snapshot: guarded(({ args }) =>
    outline({ ...args, root: args.selector === undefined ? null : matchOf(args.selector) }),
  ),
  page_text: guarded(({ args }) => pageText(args.selector === undefined ? bodyOf(document) : matchOf(args.selector), args.limit)),
  page_click: guarded((message) => click(message)),
  page_fill: guarded((message, alive) => fill(message, alive)),
  page_select: guarded(({ args }) => select(args)),
  page_press: guarded(({ args }) => press(args.keys)),
  page_hover: guarded(({ args }) => hover(args)),
  page_scroll: guarded(({ args }) => scroll(args)),
  page_wait_for: guarded(({ args }, alive) => waitFor(args, alive), false),
  storage_get: guarded(({ args }) => readStorage(args)),
};

export const createPageApi: CreatePageApi = (refAttr, preciseAttr, rootOf) => {
  instance.set({ refAttr, preciseAttr, rootOf });
  return api;
};
