/** `page_click` and what it causes: a new document, a new tab, a download (tools.md 6.6, 6.16). */
import * as tabs from '../browser/tabs';
import { until, within } from '../async';
import { ToolError } from '../errors';
import type { ConfirmRequest } from '../gate/confirm';
import { webUrl } from '../gate/site';
import type { Args } from '../link/requests';
import { Descriptor, type ClickData } from '../page-channel';
import { quotedText } from '../text';
import { addressOf, aim, confirmBase, labelOf, limitsOf } from './act';
import { Budget, theTab, type Context, type Operation, type Operations } from './context';
import { ChannelLost, type Question } from './page-call';
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

async function prepare(context: Context): Promise<ConfirmRequest | null> {
  await aim(context);
  const probe = await context.tools.page.ask(
    addressOf(context),
    '_probe', { args: { ...targetOf(context.args), purpose: 'click' } },
    limitsOf(context),
  );
  const descriptor = Descriptor.safeParse(probe);
  if (!descriptor.success)
    throw new ToolError('EXECUTION_FAILED', 'The page described the element in a form that does not fit.');
  context.expect = descriptor.data;
  const risk = riskOf(descriptor.data);
  const { policy } = context.snapshot;
  if (risk === 'click' || !policy.confirmHighRiskClick) return null;
  return {
    ...confirmBase(context),
    kind: 'click',
    detail: clickDetail(risk, descriptor.data, context.args),
    grace: { tabId: theTab(context).id, action: risk, forMs: policy.confirmGraceMs },
  };
}

/** Origin and path: what follows may hold secrets, and nobody asked for it. */
function addressPart(url: string): string {
  const parsed = webUrl(url);
  return parsed === null ? url : parsed.origin + parsed.pathname;
}

/** Collects the tabs that the target opens, until it is told to stop. */
function watchNewTabs(openerId: number): { first(): tabs.Tab | null; close(): void } {
  let first: tabs.Tab | null = null;
  const unhear = tabs.onCreated((tab, opener) => {
    if (opener === openerId) first ??= tab;
  });
  return { first: () => first, close: unhear };
}

/** Comes true with the commit of another document in the tab. */
function watchCommit(tabId: number): { committed: Promise<true>; close(): void } {
  let unhear = (): void => undefined;
  const committed = new Promise<true>((resolve) => {
    unhear = tabs.onUpdated((id, change) => {
      if (id === tabId && change.status === 'loading') resolve(true);
    });
  });
  return { committed, close: () => unhear() };
}

/** Comes true once the document that was announced to go is gone: its channel breaks. */
async function oldDocumentGone(context: Context, frame: number | undefined): Promise<true> {
  try {
    await context.tools.page.ask(
      addressOf(context),
      '_gone', { expectOrigin: context.origin, args: frame === undefined ? {} : { frame } },
      { signal: context.signal, budget: new Budget(AFTER_MS) },
    );
    return true;
  } catch (error) {
    if (error instanceof ChannelLost) return true;
    // No answer within the time, or a page that refuses to tell: the caller's deadline decides.
    return new Promise<true>(() => undefined);
  }
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

async function newDocument(context: Context, left: () => number, reply: ClickData | null): Promise<Consequence> {
  const { clock } = context.tools;
  const tabId = theTab(context).id;
  const announced = reply?.announced;
  if (reply !== null && announced === undefined) return {};
  const inFrame = context.frameId !== 0 || announced?.frame !== undefined;
  const watch = watchCommit(tabId);
  try {
    // Without a reply the old document is gone already.
    const over =
      reply === null
        ? Promise.resolve(true as const)
        : Promise.race([
            oldDocumentGone(context, announced?.frame),
            ...(inFrame ? [] : [watch.committed]),
          ]);
    const done = await until(context.signal, within(clock, left(), over, () => false));
    if (!done) return { navigating: true };
    if (!inFrame) return { navigated: true, ...(await whereNow(context)) };
    return { navigated: true, ...(announced === undefined ? {} : { url: addressPart(announced.url) }) };
  } finally {
    watch.close();
  }
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

async function act(context: Context): Promise<unknown> {
  const { expect, args, origin, tools } = context;
  if (expect === null) throw new Error('a click without a descriptor');
  const tabId = theTab(context).id;
  const question: Question<'page_click'> = {
    expectOrigin: origin,
    expect,
    args: { ...targetOf(args), ...pressed(args) },
  };
  const opened = watchNewTabs(tabId);
  let reply: ClickData | null = null;
  try {
    try {
      reply = await tools.page.ask(addressOf(context), 'page_click', question, limitsOf(context));
    } catch (error) {
      if (!(error instanceof ChannelLost)) throw error;
      // Gone under the click. If the whole tab is, that is the caller's answer.
      if ((await tabs.get(tabId)) === null) throw error;
    }
    const until = tools.clock.now() + AFTER_MS;
    const left = (): number => Math.max(until - tools.clock.now(), 0);
    // One round trip, so that a tab made before the answer is heard of.
    await tabs.get(tabId);
    const created = opened.first();
    opened.close();
    const done = { clicked: given(args), role: reply?.role ?? expect.role };
    if (reply?.download !== undefined) return { ...done, download: downloadOf(reply.download) };
    const [consequence, url] = await Promise.all([
      newDocument(context, left, reply),
      created === null ? '' : addressOfNew(context, created, left),
    ]);
    return { ...done, ...consequence, ...(created === null ? {} : { newTab: { tabId: created.id, url } }) };
  } finally {
    opened.close();
  }
}

export const clickOperations = {
  page_click: { target: 'tab', address: 'page', check: checkTarget, prepare, act } satisfies Operation,
} satisfies Operations;

