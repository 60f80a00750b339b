/** Which tab, which document in it (tools.md 1.3, 6.17). */
import { LIMITS } from '@contract/host';
import * as z from 'zod/mini';
import * as scripting from '../browser/scripting';
import { ownOrigin } from '../browser/runtime';
import * as tabs from '../browser/tabs';
import type { Tab } from '../browser/tabs';
import * as windows from '../browser/windows';
import { until, within } from '../async';
import type { Clock } from '../clock';
import { messageOf, ToolError } from '../errors';
import { classify } from '../gate/site';
import type { Args } from '../link/requests';
import type { Context } from './context';
import { FIND_MS } from './frames';

const REF = /^(?:(f[1-9][0-9]{0,7})?e[1-9][0-9]*|p[1-9][0-9]*)$/;

const gone = (tabId: number): ToolError =>
  new ToolError('TAB_NOT_FOUND', `There is no tab ${tabId}. Call tab_list to see what is open.`);

/** Our own pages are never a target, whatever the tool. */
export const isOwn = (tab: Tab): boolean => [tab.url, tab.pendingUrl].some((u) => u.startsWith(`${ownOrigin()}/`));

/** The tab of a call, chosen at its arrival and kept whatever the user does meanwhile. */
export async function chooseTab(args: Args): Promise<Tab> {
  const { tabId } = args;
  if (typeof tabId === 'number') {
    const given = await tabs.get(tabId);
    if (given === null) throw gone(tabId);
    return given;
  }
  const windowId = await windows.lastNormal();
  const tab = windowId === null ? null : await tabs.activeIn(windowId);
  if (tab === null || tab.id < 0) throw new ToolError('TAB_NOT_FOUND', 'No browser window is open. Open a tab with tab_open.');
  return tab;
}

/** The tab as it is now; TAB_NOT_FOUND if it is closed, UNSUPPORTED_PAGE if it shows one of our pages. */
export async function fetchTab(tabId: number): Promise<Tab> {
  const tab = await tabs.get(tabId);
  if (tab === null) throw gone(tabId);
  return notOwn(tab);
}

export function notOwn(tab: Tab): Tab {
  if (isOwn(tab)) throw new ToolError('UNSUPPORTED_PAGE', 'The pages of genkan itself are never a target.');
  return tab;
}

const isLoading = (tab: Tab): boolean =>
  (tab.url === '' || tab.url === 'about:blank') && classify(tab.pendingUrl).kind === 'web';

/** Waits until a tab that has nothing to show yet has committed what it loads. */
export async function committed(tab: Tab, clock: Clock, signal: AbortSignal): Promise<Tab> {
  if (!isLoading(tab)) return tab;
  let stop = (): void => undefined;
  const done = new Promise<Tab>((resolve, reject) => {
    const look = (): void =>
      void fetchTab(tab.id).then((now) => {
        if (!isLoading(now)) resolve(now);
      }, reject);
    const unhear = [
      tabs.onUpdated((id) => {
        if (id === tab.id) look();
      }),
      tabs.onRemoved((id) => {
        if (id === tab.id) reject(gone(id));
      }),
    ];
    stop = () => unhear.forEach((f) => f());
    look();
  });
  try {
    return await until(signal, within(clock, LIMITS.TAB_COMMIT_MS, done, () => tab));
  } finally {
    stop();
  }
}

/** The origin of a document that page tools may act on. */
export function pageOrigin(tab: Tab): string {
  const what = classify(tab.url);
  if (what.kind !== 'web') throw new ToolError('UNSUPPORTED_PAGE', `This tab cannot be acted on: ${what.why}.`);
  return what.origin;
}

/** Rules for `ref` and `selector` that no schema states. */
export function checkTarget(args: Args): void {
  const { ref, selector } = args;
  if (ref === undefined && selector === undefined)
    throw new ToolError('INVALID_ARGUMENT', 'Give ref or selector: nothing says which element is meant.');
  if (typeof ref === 'string' && !REF.test(ref))
    throw new ToolError('INVALID_ARGUMENT', `ref ${ref} is no ref: they look like e12, f3e12 or p12.`);
}

export const noSuchRef = (ref: string): ToolError =>
  new ToolError('EXECUTION_FAILED', `ref ${ref} not found: take a new page_snapshot`);

/** The frame that a ref names; 0 for the top document. */
export function frameOf(args: Args): number {
  const hit = typeof args.ref === 'string' ? /^f([0-9]+)e/.exec(args.ref) : null;
  return hit === null ? 0 : Number(hit[1]);
}

/** `ref` or `selector` as given, which is what results repeat. */
export const given = (args: Args): string => String(args.ref ?? args.selector);

/** `{ref}` or `{selector}`: ref wins. */
export const targetOf = (args: Args): { ref?: string; selector?: string } =>
  typeof args.ref === 'string' ? { ref: args.ref } : { selector: String(args.selector) };

const PERMISSION = /Cannot access contents of (?:the page|url "([^"]*)")/;

const Origin = z.string();

function frameOrigin(): string {
  return self.origin;
}

/**
 * Aims a call at the frame of its ref: its origin is read, checked without asking, and becomes that
 * of the call.
 */
export async function aimAtFrame(context: Context, frameId: number): Promise<void> {
  const { tools, args } = context;
  const tabId = context.tab?.id ?? -1;
  const ref = String(args.ref);
  let origin: string | null;
  try {
    const said = await until(
      context.signal,
      within(tools.clock, FIND_MS, scripting.runInFrame(tabId, frameId, frameOrigin, []), () => null),
    );
    origin = Origin.safeParse(said).data ?? null;
  } catch (error) {
    if (context.signal.aborted) throw error;
    // The browser keeps us out: it names the address, and with it the origin, if it may.
    const refused = PERMISSION.exec(messageOf(error));
    if (refused === null) throw noSuchRef(ref);
    const what = classify(refused[1] ?? '');
    origin = what.kind === 'web' ? what.origin : 'null';
  }
  if (origin === null) throw noSuchRef(ref);
  if (classify(`${origin}/`).kind !== 'web')
    throw new ToolError('SITE_NOT_ALLOWED', `The frame of ${ref} has no site that could be approved.`);
  await tools.allowlist.check(origin, context.signal, null);
  context.frameId = frameId;
  context.origin = origin;
}
