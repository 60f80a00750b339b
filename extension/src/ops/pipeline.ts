/**
 * The way of a call (extension.md 5.1): gates, target, the queue of its tab, gates, site,
 * confirmation, gates, act. Whatever stops it throws; `link/requests` answers.
 */
import type { ExtOp } from '@contract/ops';
import { LIMITS } from '@contract/host';
import { stopIfAborted, until } from '../async';
import { CRASHED, type Dialog } from '../cdp/sessions';
import type { Clock } from '../clock';
import { ToolError } from '../errors';
import type { Confirmations } from '../gate/confirm';
import type { Gates, Snapshot } from '../gate/gates';
import type { Args, Call } from '../link/requests';
import { maskString } from '../mask';
import { quoted } from '../text';
import { Budget, type Context, type Operation, type Operations, type Tools } from './context';
import { ChannelLost, KeptOut } from './page-call';
import type { TabQueue } from './queue';
import { chooseTab, committed, fetchTab, notOwn, pageOrigin } from './target';
import * as tabs from '../browser/tabs';
import type { Tab } from '../browser/tabs';

export interface PipelineOptions {
  operations: Operations;
  gates: Gates;
  queue: TabQueue;
  confirmations: Confirmations;
  tools: Tools;
  clock: Clock;
}

export interface Pipeline {
  run(call: Call): Promise<unknown>;
}

const NO_TAB = -1;

/** A call on its way: `act` once its act begins, `over` at its end. */
interface Watch {
  signal: AbortSignal;
  act(): void;
  over(): void;
}

/** A call that has its place: which tab, and how it looked if there was no wait since. */
interface Arrival {
  tabId: number;
  seen: Tab | null;
  /** Nothing was heard of the tab since before it was looked at. */
  still(): boolean;
  leave(): void;
}

/** Which tabs change, heard from before one of them is looked at. */
function watchChanges(): { still(tabId: number): boolean; over(): void } {
  const changed = new Set<number>();
  const over = tabs.onUpdated((id) => {
    changed.add(id);
  });
  return { still: (tabId) => !changed.has(tabId), over };
}

const QUOTED_DIALOG = 200;

const blockedBy = ({ type, message }: Dialog): ToolError =>
  new ToolError(
    'EXECUTION_FAILED',
    `The page shows ${type === 'beforeunload' || type === 'confirm' || type === 'prompt' ? `a ${type}` : `an ${type}`} dialog, ${quoted(maskString(message), QUOTED_DIALOG)}, and does nothing until it is answered: call page_handle_dialog.`,
  );

const targetOf = ({ target }: Operation, args: Args): 'tab' | 'none' =>
  typeof target === 'function' ? target(args) : target;

export function createPipeline(options: PipelineOptions): Pipeline {
  const { operations, gates, queue, confirmations, tools, clock } = options;
  /** Targets are chosen one call after the other, so that queues fill in arrival order. */
  let arrivals: Promise<unknown> = Promise.resolve();

  /** An open dialog answers nothing but what answers it (tools.md 6.13). */
  function noDialog(tabId: number): void {
    const dialog = tools.cdp.dialog(tabId);
    if (dialog !== null) throw blockedBy(dialog);
  }

  /** Brackets a wait for the user with `waiting` frames. */
  async function waiting<T>(call: Call, wait: () => Promise<T>): Promise<T> {
    let disarm = (): void => undefined;
    const tell = (): void => {
      call.connection.post({ type: 'waiting', id: call.id });
      disarm = clock.after(LIMITS.WAITING_MS, tell);
    };
    tell();
    try {
      return await wait();
    } finally {
      disarm();
    }
  }

  /** Whatever an act does to tabs, a list that is asked for after its answer shows it. */
  async function changing<T>(act: () => Promise<T>): Promise<T> {
    tools.tabList.changed();
    try {
      return await act();
    } finally {
      tools.tabList.changed();
    }
  }

  /** Steps 3 and 4: admission, then a place in the queue of the tab. */
  async function arrive(call: Call, operation: Operation | undefined): Promise<Arrival> {
    const op = call.op as ExtOp;
    const admitted = gates.admit(op, call.connection, call.signal);
    admitted.catch(() => undefined);
    let changes: ReturnType<typeof watchChanges> | null = null;
    const place = arrivals.then(async () => {
      await until(call.signal, admitted);
      if (operation === undefined)
        throw new ToolError('TOOL_DISABLED', `${op} is not carried out by this version of the genkan extension.`);
      if (targetOf(operation, call.args) === 'none') return { tabId: NO_TAB, seen: null, turn: Promise.resolve(() => undefined) };
      changes = watchChanges();
      const tab = await until(call.signal, chooseTab(call.args));
      const { id } = tab;
      if (operation.unqueued) return { tabId: id, seen: tab, turn: Promise.resolve(() => undefined) };
      noDialog(id);
      // What was seen before a wait says nothing about the tab after it.
      const seen = queue.free(id) ? tab : null;
      const turn = queue.enter(id, call.signal);
      turn.catch(() => undefined);
      return { tabId: id, seen, turn };
    });
    arrivals = place.catch(() => undefined);
    const over = (): void => changes?.over();
    try {
      const { tabId, seen, turn } = await place;
      const leave = await turn;
      return {
        tabId,
        seen,
        still: () => changes?.still(tabId) ?? true,
        leave: () => {
          over();
          leave();
        },
      };
    } catch (error) {
      over();
      throw error;
    }
  }

  async function locate(context: Context, operation: Operation, { tabId, seen, still }: Arrival): Promise<void> {
    if (tabId === NO_TAB) return;
    // The gates were waited for since, and the tab may have gone elsewhere.
    const tab = seen === null || !still() ? await fetchTab(tabId) : notOwn(seen);
    context.tab = operation.address === 'page' ? await committed(tab, clock, context.signal) : tab;
    if (operation.address === 'page') context.origin = pageOrigin(context.tab);
  }

  /** The tab again, which must still show the site that was checked. */
  async function refetch(context: Context, operation: Operation): Promise<void> {
    if (context.tab === null) return;
    const now = await fetchTab(context.tab.id);
    if (operation.address === 'page' && pageOrigin(now) !== pageOrigin(context.tab))
      throw new ToolError(
        'EXECUTION_FAILED',
        `The tab went from ${pageOrigin(context.tab)} to another site while this call waited, so it was not carried out.`,
      );
    context.tab = now;
  }

  /** Step 8: what was checked must still be what is there, and still be approved. */
  async function recheck(context: Context, operation: Operation, site: string | null): Promise<void> {
    await refetch(context, operation);
    // The user may have taken the site, or that of the frame, off the list while a window was open.
    const sites = new Set([site, context.origin].filter((s) => s !== null && s !== ''));
    for (const s of sites) await tools.allowlist.check(s as string, context.signal, null);
  }

  /**
   * Aborts with TAB_NOT_FOUND when the tab is closed, so that no window stays open for it, and with
   * what the dialog says when one opens that is not the act's own.
   */
  function whileOpen(tabId: number, operation: Operation, signal: AbortSignal): Watch {
    const closed = new AbortController();
    const begun = tabs.onRemoved((id) => {
      if (id === tabId) closed.abort(new ToolError('TAB_NOT_FOUND', `The tab ${tabId} was closed while the call waited.`));
    });
    let acting = false;
    const unhear = operation.unqueued
      ? (): void => undefined
      : tools.cdp.onDialog((id, dialog) => {
          if (id === tabId && !(acting && operation.takesDialog)) closed.abort(blockedBy(dialog));
        });
    return {
      signal: AbortSignal.any([signal, closed.signal]),
      act: () => {
        acting = true;
        begun();
      },
      over: () => {
        begun();
        unhear();
      },
    };
  }

  /** Steps 6 to 9, started inside the transition queue. */
  async function decide(call: Call, operation: Operation, arrival: Arrival, snapshot: Snapshot): Promise<unknown> {
    const waits = whileOpen(arrival.tabId, operation, call.signal);
    try {
      return await carryOut(call, operation, arrival, snapshot, waits);
    } finally {
      waits.over();
    }
  }

  async function carryOut(
    call: Call,
    operation: Operation,
    arrival: Arrival,
    snapshot: Snapshot,
    waits: Watch,
  ): Promise<unknown> {
    const { signal } = waits;
    const { args } = call;
    const context: Context = {
      call,
      args,
      signal,
      tools,
      snapshot,
      budget: new Budget(operation.budget?.(args) ?? LIMITS.PAGE_WORK_MS),
      tab: null,
      origin: '',
      frameId: 0,
      expect: null,
    };
    return inside(context, operation, arrival, waits).catch((error: unknown) => orCrashed(error, context, operation));
  }

  async function inside(context: Context, operation: Operation, arrival: Arrival, waits: Watch): Promise<unknown> {
    const { call, args, signal, snapshot } = context;
    if (!operation.unqueued) noDialog(arrival.tabId);
    await until(signal, locate(context, operation, arrival));
    const site = operation.site ? operation.site(args, context.tab) : context.origin === '' ? null : context.origin;
    let waited = false;
    const wait = <T>(work: () => Promise<T>): Promise<T> => {
      waited = true;
      return waiting(call, work);
    };
    if (site !== null) await tools.allowlist.check(site, signal, wait);
    // Nobody is to be asked about a page that went away meanwhile, and none that came is to be looked at.
    if (waited && (operation.prepare ?? operation.notice) !== undefined) await until(signal, refetch(context, operation));
    const request = (await operation.prepare?.(context)) ?? null;
    if (request !== null && !confirmations.covered(request))
      await wait(() => confirmations.confirm(request, signal));
    const notice = operation.notice?.(context) ?? null;
    if (notice !== null) await wait(() => until(signal, notice()));
    return gates.start(call.op as ExtOp, call.connection, snapshot, () => {
      stopIfAborted(signal);
      const begin = (): Promise<unknown> => {
        // Heard of while the tab was fetched: nothing has been done yet.
        stopIfAborted(signal);
        // From here on the act itself knows what a closed tab means: it may be what it is for.
        waits.act();
        call.begin();
        return operation.looksOnly ? operation.act(context) : changing(() => operation.act(context));
      };
      return until(signal, recheck(context, operation, site).then(begin));
    });
  }

  /** A page that nothing gets into though its site is approved and the browser's permission is there. */
  async function orCrashed(error: unknown, context: Context, operation: Operation): Promise<never> {
    const { origin, signal } = context;
    if (!(error instanceof KeptOut) || origin === '') throw error;
    // It may be another site by now, whose permission is none of this call's.
    await until(signal, refetch(context, operation));
    await tools.allowlist.check(origin, signal, null);
    throw new ToolError('EXECUTION_FAILED', CRASHED);
  }

  /** A page that went away under a call: closed, or navigated. */
  async function explain(error: unknown, tabId: number): Promise<never> {
    if (!(error instanceof ChannelLost)) throw error;
    if (tabId !== NO_TAB && (await tabs.get(tabId)) === null)
      throw new ToolError('TAB_NOT_FOUND', `The tab ${tabId} was closed while the call ran.`);
    throw new ToolError(
      'EXECUTION_FAILED',
      'The page went away while the call ran. Wait for the new one with page_wait_for nav, then take a new page_snapshot.',
    );
  }

  return {
    async run(call) {
      const operation = operations[call.op as ExtOp];
      const arrival = await arrive(call, operation);
      try {
        if (operation === undefined) throw new Error('unreachable: arrive refuses what is not built');
        return await gates.start(call.op as ExtOp, call.connection, null, (snapshot) =>
          decide(call, operation, arrival, snapshot),
        );
      } catch (error) {
        return await explain(error, arrival.tabId);
      } finally {
        arrival.leave();
      }
    },
  };
}
