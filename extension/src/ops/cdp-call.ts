/**
 * The page half by the debugger (extension.md 11.1): the same implementation, in the page's own world,
 * asked with the same JSON and answering in the same envelope. Frames with an instance of their own are
 * left to the content script.
 *
 * The instance is made once in a document and kept by the session, never in a variable of the page.
 */
import * as z from 'zod/mini';
import { until, within } from '../async';
import * as tabs from '../browser/tabs';
import type { Attached, Command, Dialog, Sessions } from '../cdp/sessions';
import type { Clock } from '../clock';
import { messageOf, ToolError } from '../errors';
import { maskString } from '../mask';
import { PRECISE_ATTR, REF_ATTR, type PageData, type PageOp } from '../page-channel';
import type { Context } from './context';
import { ChannelLost, readReply, type Address, type Limits, type PageCaller, type Question } from './page-call';

const GROUP = 'genkan-page';

/** Gives the open shadow root of an element, whatever the element calls by that name. */
const ROOT_OF = "(g=>e=>Reflect.apply(g,e,[]))(Object.getOwnPropertyDescriptor(Element.prototype,'shadowRoot').get)";

/** Ops in which a dialog is a result: a page that asks something has taken the act. */
const TAKES_DIALOG: ReadonlySet<PageOp> = new Set<PageOp>(['page_click', 'page_fill', 'page_select', 'page_press']);

/** A dialog opened under the act, which has begun and does not come back. */
export class DialogOpened extends Error {
  constructor(readonly dialog: Dialog) {
    super('a dialog opened under the act');
    this.name = 'DialogOpened';
  }
}

/** What is known so far and the dialog, in place of the result. */
export async function orDialog<T>(known: object, act: () => Promise<T>): Promise<T | object> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof DialogOpened)) throw error;
    const { type, message } = error.dialog;
    return { ...known, dialog: { type, message: maskString(message) } };
  }
}

/** Whether calls of this context go by the debugger. */
export const byDebugger = ({ snapshot, frameId }: Pick<Context, 'snapshot' | 'frameId'>): boolean =>
  snapshot.policy.cdpMode && frameId === 0;

const STALE = /Cannot find context|Could not find object|Cannot find object/i;
export const DESTROYED = /context was destroyed|navigated or closed|Promise was collected|Cannot find default execution context|Target closed/i;

const Made = z.object({ result: z.object({ objectId: z.string() }), exceptionDetails: z.optional(z.never()) });
const Answered = z.object({ result: z.object({ value: z.optional(z.unknown()) }), exceptionDetails: z.optional(z.unknown()) });
const Navigated = z.object({ frame: z.object({ parentId: z.optional(z.string()) }) });

export interface CdpCallOptions {
  sessions: Sessions;
  clock: Clock;
  /** Text of the implementation. */
  source(): Promise<string>;
}

const noAnswer = (): never => {
  throw new ToolError('EXECUTION_FAILED', 'The page does not answer. It may be busy; ask the user to look at the tab.');
};

/** The document that the tab shows is replaced: heard even where the old one is kept in a cache. */
export function watchDocument(tab: Attached): { gone: Promise<void>; stop(): void } {
  let stop = (): void => undefined;
  const gone = new Promise<void>((resolve) => {
    stop = tab.on((method, params) => {
      if (method !== 'Page.frameNavigated') return;
      const navigated = Navigated.safeParse(params);
      if (navigated.success && navigated.data.frame.parentId === undefined) resolve();
    });
  });
  return { gone, stop };
}

export function createCdpCaller(options: CdpCallOptions, script: PageCaller): PageCaller {
  const { sessions, clock } = options;
  /** The instance of the document that a tab shows, by its handle in the session. */
  const instances = new Map<number, string>();
  let calls = 0;
  let text: Promise<string> | null = null;

  function source(): Promise<string> {
    text ??= options.source();
    text.catch(() => {
      text = null;
    });
    return text;
  }

  async function make(tabId: number, command: Command): Promise<string> {
    const expression = `(${await source()})(${JSON.stringify(REF_ATTR)},${JSON.stringify(PRECISE_ATTR)},${ROOT_OF})`;
    const made = Made.safeParse(await command('Runtime.evaluate', { expression, objectGroup: GROUP, silent: true }));
    if (!made.success) throw new ToolError('EXECUTION_FAILED', 'The page took in no code of genkan. Reload it and call again.');
    const { objectId } = made.data.result;
    instances.set(tabId, objectId);
    return objectId;
  }

  const invoke = (command: Command, objectId: string, op: PageOp, body: object): Promise<unknown> =>
    command('Runtime.callFunctionOn', {
      functionDeclaration: `function(m){return this.${op}(m)}`,
      objectId,
      arguments: [{ value: body }],
      awaitPromise: true,
      returnByValue: true,
      silent: true,
    });

  /** Asks the instance that is there, or a new one if its document is gone. */
  async function send(tabId: number, command: Command, op: PageOp, body: object, onToken?: (token: string) => void): Promise<unknown> {
    const known = instances.get(tabId);
    const objectId = known ?? (await make(tabId, command));
    onToken?.(objectId);
    try {
      return await invoke(command, objectId, op, body);
    } catch (error) {
      if (known === undefined || !STALE.test(messageOf(error))) throw error;
    }
    const fresh = await make(tabId, command);
    onToken?.(fresh);
    return invoke(command, fresh, op, body);
  }

  function valueOf(raw: unknown): unknown {
    const answered = Answered.safeParse(raw);
    if (!answered.success || answered.data.exceptionDetails !== undefined)
      throw new ToolError('EXECUTION_FAILED', 'The page gave an answer that does not fit.');
    return answered.data.result.value;
  }

  /** Rejects when a dialog opens that is part of the act. */
  function watchDialog(tabId: number, op: PageOp): { opened: Promise<never>; stop(): void } {
    let stop = (): void => undefined;
    const opened = new Promise<never>((_, reject) => {
      if (TAKES_DIALOG.has(op))
        stop = sessions.onDialog((id, dialog) => {
          if (id === tabId) reject(new DialogOpened(dialog));
        });
    });
    opened.catch(() => undefined);
    return { opened, stop };
  }

  /** Rich editors ignore what happens in a document that has no focus (tools.md 6.16). */
  async function focused<T>(command: Command, op: PageOp, work: () => Promise<T>): Promise<T> {
    if (op !== 'page_fill') return work();
    await command('Emulation.setFocusEmulationEnabled', { enabled: true });
    try {
      return await work();
    } finally {
      void command('Emulation.setFocusEmulationEnabled', { enabled: false }).catch(() => undefined);
    }
  }

  async function inTab(tabId: number, tab: Attached, op: PageOp, body: object, onToken?: (token: string) => void): Promise<unknown> {
    const dialog = watchDialog(tabId, op);
    const watched = watchDocument(tab);
    const gone = watched.gone.then(() => {
      throw new ChannelLost('another document took its place');
    });
    gone.catch(() => undefined);
    try {
      const sent = focused(tab.command, op, () => send(tabId, tab.command, op, body, onToken));
      return valueOf(await Promise.race([sent, dialog.opened, gone]));
    } catch (error) {
      if (DESTROYED.test(messageOf(error)) || STALE.test(messageOf(error))) throw new ChannelLost(messageOf(error));
      throw error;
    } finally {
      dialog.stop();
      watched.stop();
    }
  }

  /** Called off or too late: the page is to stop, whether it hears that or not. */
  function abort(tabId: number, call: number): void {
    const objectId = instances.get(tabId);
    if (objectId === undefined || !sessions.has(tabId)) return;
    const use = { signal: new AbortController().signal, allowed: async () => undefined, needsMode: true };
    void sessions
      .during(tabId, use, ({ command }) => invoke(command, objectId, '_abort', { args: { call } }))
      .catch(() => undefined);
  }

  async function ask<O extends PageOp>(to: Address, op: O, question: Question<O>, limits: Limits): Promise<PageData<O>> {
    const { signal, budget, onToken } = limits;
    const { tabId } = to;
    const call = ++calls;
    const guarded = 'expectOrigin' in question;
    const body = { ...question, ...(guarded ? { call } : {}) };
    const from = clock.now();
    const late = new AbortController();
    const disarm = clock.after(Math.max(budget.left, 0), () => {
      try {
        noAnswer();
      } catch (error) {
        late.abort(error);
      }
    });
    const stop = AbortSignal.any([signal, late.signal]);
    try {
      const answered = sessions.keep(tabId, { signal: stop, allowed: async () => undefined }, (tab) =>
        inTab(tabId, tab, op, body, onToken),
      );
      return readReply(op, await until(stop, answered));
    } catch (error) {
      if (guarded && stop.aborted) abort(tabId, call);
      // A session that ended with its tab: what a lost channel means is the caller's business.
      if (!signal.aborted && !(error instanceof ChannelLost) && (await tabs.get(tabId)) === null)
        throw new ChannelLost(messageOf(error));
      throw error;
    } finally {
      disarm();
      budget.left -= clock.now() - from;
    }
  }

  /** The instance answers once a frame's document is gone, and breaks off with its own. */
  async function gone(to: Address, expectOrigin: string, token: string, frame: number | undefined, signal: AbortSignal, ms: number): Promise<boolean> {
    if (!sessions.has(to.tabId) || instances.get(to.tabId) !== token) return true;
    const body = { call: ++calls, expectOrigin, args: frame === undefined ? {} : { frame } };
    const over = new AbortController();
    const told = sessions
      .keep(to.tabId, { signal: AbortSignal.any([signal, over.signal]), allowed: async () => undefined }, async (tab) => {
        const watched = watchDocument(tab);
        try {
          return await Promise.race([
            watched.gone.then(() => true),
            invoke(tab.command, token, '_gone', body).then(
              (raw) => Answered.safeParse(raw).data?.exceptionDetails === undefined || new Promise<boolean>(() => undefined),
              () => true,
            ),
          ]);
        } finally {
          watched.stop();
        }
      })
      .catch(() => true);
    try {
      return await until(signal, within(clock, ms, told, () => false));
    } finally {
      over.abort(new Error('nobody waits any more'));
    }
  }

  return {
    ...script,
    ask: (to, op, question, limits) =>
      to.cdp && op !== 'ping' && op !== '_info_toast' ? ask(to, op, question, limits) : script.ask(to, op, question, limits),
    gone: (to, ...rest) => (to.cdp ? gone(to, ...rest) : script.gone(to, ...rest)),
  };
}
