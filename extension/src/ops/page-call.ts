/**
 * One question to the page half (extension.md 11.1): ping, inject if nobody answers, ask, check the
 * reply. `sendMessage` hangs where a listener never answers, so every step has a deadline of ours.
 */
import { until, within } from '../async';
import type { Clock } from '../clock';
import { messageOf, ToolError } from '../errors';
import {
  CHANNEL_VERSION,
  OTHER_INSTANCE,
  PAGE_DATA,
  PageReply,
  PingData,
  type PageData,
  type PageOp,
  type ToPage,
} from '../page-channel';
import type { Budget } from './context';

/** The document that was spoken to is gone: it navigated, went into a cache, or its tab closed. */
export class ChannelLost extends Error {
  constructor(readonly why: string) {
    super(`the page went away: ${why}`);
    this.name = 'ChannelLost';
  }
}

export interface PageBrowser {
  sendMessage(tabId: number, frameId: number, message: unknown): Promise<unknown>;
  inject(tabId: number, frameId: number): Promise<void>;
}

/** A message without what the caller of the channel fills in. */
export type Question<O extends PageOp> = Omit<Extract<ToPage, { op: O }>, 'v' | 'op' | 'call' | 'token'>;

export interface Address {
  tabId: number;
  frameId: number;
  /** By the debugger, in the page's own world (extension.md 11.1). */
  cdp?: boolean;
}

export interface Limits {
  signal: AbortSignal;
  budget: Budget;
  /** Told the token of the instance that is asked; once more if it turns out to be another. */
  onToken?: (token: string) => void;
}

export interface PageCaller {
  /**
   * Data of a success. Throws the page's own refusal, `ChannelLost` once the question was on its
   * way, and EXECUTION_FAILED for a page that does not answer in time.
   */
  ask<O extends PageOp>(
    to: Address,
    op: O,
    question: Question<O>,
    limits: Limits,
  ): Promise<PageData<O>>;
  /** The token of the instance in this document, which is put there if it is not there yet. */
  instance(to: Address, limits: Omit<Limits, 'onToken'>): Promise<string>;
  /**
   * True once the document with this token is gone, or that of a frame which it announced to go;
   * false if it is still there after `ms`. Injects nothing: what is there now may be its successor.
   */
  gone(to: Address, origin: string, token: string, frame: number | undefined, signal: AbortSignal, ms: number): Promise<boolean>;
}

const NO_ANSWER =
  'The page does not answer. A dialog may be open in it, or it is busy; ask the user to look at the tab.';

export const noAnswer = (): never => {
  throw new ToolError('EXECUTION_FAILED', NO_ANSWER);
};

/**
 * The browser says the same of a permission that is gone and of a page that has crashed; whoever knows the
 * site can tell which.
 */
export class KeptOut extends ToolError {}

/** Why nothing could be injected, by what the browser says of it. */
export function notInjected(error: unknown): ToolError {
  const why = messageOf(error);
  if (/No tab with id/i.test(why)) return new ToolError('TAB_NOT_FOUND', 'The tab was closed while the call ran.');
  if (/No frame with id|was removed|frame is gone/i.test(why))
    return new ToolError('EXECUTION_FAILED', 'The frame is gone: take a new page_snapshot');
  if (/request permission to access|Cannot access contents of the page/i.test(why))
    return new KeptOut('HOST_PERMISSION_MISSING', `The browser's permission for this site is gone: ${why}`);
  return new ToolError('UNSUPPORTED_PAGE', `The browser does not let this page be acted on: ${why}`);
}

/** More frames than anybody has open; the others are pinged again. */
const INSTANCES_MAX = 1000;

/** What the browser says when there is no page half in a frame that it knows. */
const NO_LISTENER = /Receiving end does not exist|Could not establish connection/i;

/** Nothing was done: the instance that was meant is not there. */
class NotThere extends Error {}

/** The data of a reply, whoever carried it. */
export function readReply<O extends PageOp>(op: O, raw: unknown): PageData<O> {
  const reply = PageReply.safeParse(raw);
  if (!reply.success) throw new ToolError('EXECUTION_FAILED', 'The page gave an answer that does not fit.');
  if (!reply.data.ok) throw new ToolError(reply.data.code, reply.data.error);
  const data = PAGE_DATA[op].safeParse(reply.data.data);
  if (!data.success) throw new ToolError('EXECUTION_FAILED', 'The page gave an answer that does not fit.');
  return data.data as PageData<O>;
}

export function createPageCaller(browser: PageBrowser, clock: Clock): PageCaller {
  let calls = 0;
  /**
   * Who answered the last ping in a frame. It is asked by its token without another ping: where it is gone,
   * nobody or somebody else answers, and nothing was done.
   */
  const instances = new Map<string, string>();
  const nameOf = ({ tabId, frameId }: Address): string => `${tabId} ${frameId}`;

  function remember(to: Address, token: string): string {
    if (instances.size >= INSTANCES_MAX) instances.clear();
    instances.set(nameOf(to), token);
    return token;
  }

  /** Runs a step within the in-page time that is left, and takes what it used off it. */
  async function spend<T>(budget: Budget, signal: AbortSignal, step: Promise<T>): Promise<T> {
    const from = clock.now();
    try {
      return await until(signal, within(clock, Math.max(budget.left, 0), step, noAnswer));
    } finally {
      budget.left -= clock.now() - from;
    }
  }

  /** The token of the page half, or null where nobody answers as one. */
  async function ping({ tabId, frameId }: Address): Promise<string | null> {
    try {
      const reply = PageReply.safeParse(await browser.sendMessage(tabId, frameId, { v: CHANNEL_VERSION, op: 'ping' }));
      const data = reply.success && reply.data.ok ? PingData.safeParse(reply.data.data) : null;
      return data?.success ? data.data.token : null;
    } catch {
      return null;
    }
  }

  async function ensure(to: Address): Promise<string> {
    const there = await ping(to);
    if (there !== null) return remember(to, there);
    try {
      await browser.inject(to.tabId, to.frameId);
    } catch (error) {
      throw notInjected(error);
    }
    const injected = await ping(to);
    if (injected === null)
      throw new ToolError('EXECUTION_FAILED', 'The page took in no code of genkan. Reload it and call again.');
    return remember(to, injected);
  }

  async function send<O extends PageOp>(
    to: Address,
    op: O,
    question: Question<O> & { token?: string },
    { signal, budget }: Limits,
  ): Promise<PageData<O>> {
    const call = ++calls;
    const guarded = 'expectOrigin' in question;
    const message = { v: CHANNEL_VERSION, op, ...question, ...(guarded ? { call } : {}) };
    const sent = browser.sendMessage(to.tabId, to.frameId, message).catch((error: unknown) => {
      throw NO_LISTENER.test(messageOf(error)) ? new NotThere() : new ChannelLost(messageOf(error));
    });
    try {
      return readReply(op, await spend(budget, signal, sent));
    } catch (error) {
      if (question.token !== undefined && error instanceof ToolError && error.message === OTHER_INSTANCE) throw new NotThere();
      // Called off or too late: the page is to stop, whether it hears that or not.
      const unheard = error instanceof ChannelLost || error instanceof NotThere;
      if (guarded && !unheard && (signal.aborted || budget.left <= 0))
        browser
          .sendMessage(to.tabId, to.frameId, { v: CHANNEL_VERSION, op: '_abort', args: { call } })
          .catch(() => undefined);
      throw error;
    }
  }

  return {
    instance: (to, { signal, budget }) => spend(budget, signal, ensure(to)),

    async ask(to, op, question, { signal, budget, onToken }) {
      const limits = { signal, budget };
      const known = instances.get(nameOf(to));
      if (known !== undefined && 'expectOrigin' in question) {
        onToken?.(known);
        try {
          return await send(to, op, { ...question, token: known }, limits);
        } catch (error) {
          if (!(error instanceof NotThere)) throw error;
          instances.delete(nameOf(to));
        }
      }
      const token = await spend(budget, signal, ensure(to));
      onToken?.(token);
      return send(to, op, question, limits).catch((error: unknown) => {
        throw error instanceof NotThere ? new ChannelLost(OTHER_INSTANCE) : error;
      });
    },

    async gone(to, expectOrigin, token, frame, signal, ms) {
      const message = {
        v: CHANNEL_VERSION,
        op: '_gone',
        call: ++calls,
        expectOrigin,
        args: { token, ...(frame === undefined ? {} : { frame }) },
      };
      const told = browser.sendMessage(to.tabId, to.frameId, message).then(
        // A page that does not want to tell is no evidence.
        (reply) => PageReply.safeParse(reply).data?.ok === true || new Promise<boolean>(() => undefined),
        () => true,
      );
      return until(signal, within(clock, ms, told, () => false));
    },
  };
}
