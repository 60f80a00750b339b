/** `page_click` and what it causes: a new document, a new tab, a download (tools.md 6.6, 6.16). */
import * as z from 'zod/mini';
import { runInPage } from '../browser/scripting';
import * as tabs from '../browser/tabs';
import { deferred, until, within } from '../async';
import type { Clock } from '../clock';
import { ToolError } from '../errors';
import type { ConfirmRequest } from '../gate/confirm';
import { webUrl } from '../gate/site';
import type { Args } from '../link/requests';
import { Descriptor, type ClickData } from '../page-channel';
import { quotedText } from '../text';
import { byDebugger, orDialog } from './cdp-call';
import { addressOf, aim, confirmBase, labelOf, limitsOf } from './act';
import { theTab, type Context, type Operation, type Operations } from './context';
import { ChannelLost, type Address, type Question } from './page-call';
import { checkTarget, given, targetOf } from './target';

/** How long after the click a consequence is waited for. */
const AFTER_MS = 2000;
const DOWNLOAD_LIMIT = 200;

type Risk = 'navigate' | 'submit' | 'click';

export function riskOf(d: Descriptor): Risk {
  if (d.hasHref || d.role === 'link') return 'navigate';
  return d.type === 'submit' || d.type === 'image' ? 'submit' : 'click';
}

interface Pressed {
  button: 'left' | 'right' | 'middle';
  count: number;
  modifiers: ('Alt' | 'Control' | 'Meta' | 'Shift')[];
}

const pressed = (args: Args): Pressed => ({
  button: (args.button as Pressed['button'] | undefined) ?? 'left',
  count: (args.count as number | undefined) ?? 1,
  modifiers: [...new Set((args.modifiers as Pressed['modifiers'] | undefined) ?? [])],
});

/** `<risk>: <label>`, then what is not the default, in no language. */
export function clickDetail(risk: Risk, d: Descriptor, args: Args): string {
  const { button, count, modifiers } = pressed(args);
  return [
    `${risk}: ${labelOf(d)}`,
    ...(button === 'left' ? [] : [button]),
    ...(count === 1 ? [] : ['\u00d7 2']),
    ...(modifiers.length === 0 ? [] : [modifiers.join('+')]),
  ].join(' \u00b7 ');
}

async function probed(context: Context, to: Address): Promise<Descriptor> {
  const probe = await context.tools.page.ask(
    to,
    '_probe', { expectOrigin: context.origin, args: { ...targetOf(context.args), purpose: 'click' } },
    limitsOf(context),
  );
  const descriptor = Descriptor.safeParse(probe);
  if (!descriptor.success)
    throw new ToolError('EXECUTION_FAILED', 'The page described the element in a form that does not fit.');
  return descriptor.data;
}

/**
 * What the user is asked by. What is slotted into a closed tree may activate a link or a button there, which
 * the page's own world does not see; the content script does, and is asked where all else is harmless.
 */
async function judged(context: Context): Promise<Descriptor> {
  const first = context.expect as Descriptor;
  if (riskOf(first) !== 'click' || !byDebugger(context)) return first;
  try {
    return await probed(context, { ...addressOf(context), cdp: false });
  } catch {
    // One that does not find it has nothing to add, and whether the call still goes on is seen to behind this.
    return first;
  }
}

async function prepare(context: Context): Promise<ConfirmRequest | null> {
  await aim(context);
  context.expect = await probed(context, addressOf(context));
  const { policy } = context.snapshot;
  if (!policy.confirmHighRiskClick) return null;
  const descriptor = await judged(context);
  const risk = riskOf(descriptor);
  if (risk === 'click') return null;
  return {
    ...confirmBase(context),
    kind: 'click',
    detail: clickDetail(risk, descriptor, context.args),
    grace: { tabId: theTab(context).id, action: risk, forMs: policy.confirmGraceMs },
  };
}

/** Origin and path: what follows may hold secrets, and nobody asked for it. */
function addressPart(url: string): string {
  const parsed = webUrl(url);
  if (parsed !== null) return parsed.origin + parsed.pathname;
  // All of such an address is the document.
  return /^data:/i.test(url) ? 'data:' : url.replace(/[?#].*$/s, '');
}

/** Collects the tabs that the target opens, until it is told to stop. */
function watchNewTabs(openerId: number): { first(): tabs.Tab | null; close(): void } {
  let first: tabs.Tab | null = null;
  const unhear = tabs.onCreated((tab, opener) => {
    if (opener === openerId) first ??= tab;
  });
  return { first: () => first, close: unhear };
}

/** The browser tells of a commit by `loading`, of one in the same document too. */
function watchCommits(tabId: number, clock: Clock): { since(at: number): boolean; next(): Promise<true>; close(): void } {
  let last = -Infinity;
  let heard = deferred<true>();
  const unhear = tabs.onUpdated((id, change) => {
    if (id !== tabId || change.status !== 'loading') return;
    last = clock.now();
    heard.resolve(true);
    heard = deferred();
  });
  return { since: (at) => last >= at, next: () => heard.promise, close: unhear };
}

const Download = z.object({ url: z.string(), suggestedFilename: z.string() });

/** What the browser tells of downloads, which it does in CDP mode alone. */
function watchDownloads(context: Context): { first(): ClickData['download'] | null; heard: Promise<true>; close(): void } {
  const { id } = theTab(context);
  let first: NonNullable<ClickData['download']> | null = null;
  const heard = deferred<true>();
  const close = context.tools.cdp.listen((tabId, method, params) => {
    if (tabId !== id || method !== 'Page.downloadWillBegin' || first !== null) return;
    const begun = Download.safeParse(params);
    first = begun.success ? { url: begun.data.url, filename: begun.data.suggestedFilename } : {};
    heard.resolve(true);
  });
  return { first: () => first, heard: heard.promise, close };
}

interface Consequence {
  navigated?: true;
  navigating?: true;
  url?: string;
}

/** Where the tab is now; nothing if it is gone. */
async function whereNow(context: Context): Promise<{ url?: string }> {
  const tab = await tabs.get(theTab(context).id);
  return tab === null ? {} : { url: addressPart(tab.url) };
}

/** How far apart the browser tells that a document is gone and that its successor has committed. */
const COMMIT_SLACK_MS = 250;

/** How long the script of a link is given to begin a load, which it announces to nobody. */
const SCRIPT_MS = 250;

/** A load has begun since the tab was checked. */
async function loads(context: Context): Promise<boolean> {
  const before = theTab(context);
  const now = await tabs.get(before.id);
  return now !== null && (now.pendingUrl !== '' || (now.loading && !before.loading));
}

async function newDocument(
  context: Context,
  watch: ReturnType<typeof watchCommits>,
  token: string,
  left: () => number,
  reply: ClickData | null,
  ran: boolean,
): Promise<Consequence> {
  const { clock, page } = context.tools;
  const announced = reply?.announced;
  const leaves = (ms: number): Promise<boolean> =>
    page.gone(addressOf(context), context.origin, token, announced?.frame, context.signal, ms);
  // Without a reply the old document is gone already.
  let gone = reply === null;
  if (!gone && announced === undefined) {
    if (!ran) return {};
    gone = await leaves(Math.min(left(), SCRIPT_MS));
    if (!gone && !(await loads(context))) return {};
  }
  if (!gone && !(await leaves(left()))) return { navigating: true };
  if (context.frameId !== 0 || announced?.frame !== undefined)
    return { navigated: true, ...(announced === undefined ? {} : { url: addressPart(announced.url) }) };
  // The channel may break before the browser itself has heard of the commit, whose address is wanted.
  if (!watch.since(clock.now() - COMMIT_SLACK_MS))
    await until(context.signal, within(clock, Math.max(left(), COMMIT_SLACK_MS), watch.next(), () => true as const));
  return { navigated: true, ...(await whereNow(context)) };
}

/** The new tab's address by event, within the time; "" if it never has one. */
async function addressOfNew(context: Context, tab: tabs.Tab, left: () => number): Promise<string> {
  if (tab.url !== '') return tab.url;
  let unhear = (): void => undefined;
  const heard = new Promise<string>((resolve) => {
    unhear = tabs.onUpdated((id, change) => {
      if (id === tab.id && change.url !== undefined) resolve(change.url);
    });
    void tabs.get(tab.id).then((now) => {
      if (now !== null && now.url !== '') resolve(now.url);
    });
  });
  try {
    return await until(context.signal, within(context.tools.clock, left(), heard, () => ''));
  } finally {
    unhear();
  }
}

function downloadOf(download: NonNullable<ClickData['download']>): { host?: string; filename?: string } {
  const host = webUrl(download.url ?? '')?.host;
  return {
    ...(host === undefined ? {} : { host }),
    ...(download.filename === undefined || download.filename === ''
      ? {}
      : { filename: quotedText(download.filename, DOWNLOAD_LIMIT) }),
  };
}

/** In the page: what the link that was clicked would have run. */
async function startScript(origin: string, url: string): Promise<void> {
  // A page can put anything in the place of `self.origin`, which is for frames that inherit theirs.
  if ((window === window.top ? location.origin : self.origin) === origin) location.href = url;
}

async function click(context: Context): Promise<unknown> {
  const { expect, args, origin, tools } = context;
  if (expect === null) throw new Error('a click without a descriptor');
  const tabId = theTab(context).id;
  const question: Question<'page_click'> = {
    expectOrigin: origin,
    expect,
    args: { ...targetOf(args), ...pressed(args) },
  };
  const opened = watchNewTabs(tabId);
  const commits = watchCommits(tabId, tools.clock);
  const downloads = watchDownloads(context);
  let reply: ClickData | null = null;
  let token = '';
  try {
    try {
      reply = await tools.page.ask(addressOf(context), 'page_click', question, {
        ...limitsOf(context),
        onToken: (t) => {
          token = t;
        },
      });
    } catch (error) {
      if (!(error instanceof ChannelLost)) throw error;
      // Gone under the click. If the whole tab is, that is the caller's answer.
      if ((await tabs.get(tabId)) === null) throw error;
    }
    // Where a handler of the page led elsewhere, that is what the click did.
    const script = reply?.announced === undefined ? reply?.script : undefined;
    // A click of the page's own world has started it already.
    if (script !== undefined && !byDebugger(context))
      await until(context.signal, within(tools.clock, AFTER_MS, runInPage(tabId, startScript, [origin, script], context.frameId).catch(() => null), () => null));
    const deadline = tools.clock.now() + AFTER_MS;
    const left = (): number => Math.max(deadline - tools.clock.now(), 0);
    // One round trip, so that a tab made before the answer is heard of.
    await tabs.get(tabId);
    const created = opened.first();
    opened.close();
    const done = { clicked: given(args), role: reply?.role ?? expect.role };
    if (reply?.download !== undefined) return { ...done, download: downloadOf(reply.download) };
    const [consequence, url] = await Promise.all([
      Promise.race([newDocument(context, commits, token, left, reply, script !== undefined), downloads.heard.then(() => ({}))]),
      created === null ? '' : addressOfNew(context, created, left),
    ]);
    const download = downloads.first();
    if (download) return { ...done, download: downloadOf(download) };
    return { ...done, ...consequence, ...(created === null ? {} : { newTab: { tabId: created.id, url } }) };
  } finally {
    opened.close();
    commits.close();
    downloads.close();
  }
}

const act = (context: Context): Promise<unknown> =>
  orDialog({ clicked: given(context.args), role: context.expect?.role ?? '' }, () => click(context));

export const clickOperations = {
  page_click: { target: 'tab', takesDialog: true, address: 'page', check: checkTarget, prepare, act } satisfies Operation,
} satisfies Operations;

