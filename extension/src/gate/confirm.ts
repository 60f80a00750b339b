/**
 * Confirmation windows (extension.md 10): one at a time, first in, first out.
 *
 * A window approves only while it is the active one, by the id it was opened with. Everything else
 * that can happen to it is a denial.
 */
import { deferred, type Deferred } from '../async';
import type { Clock } from '../clock';
import { messageOf, ToolError } from '../errors';
import type { ConfirmKind, ConfirmPayload } from '../messages';

export interface ConfirmRequest {
  kind: ConfirmKind;
  tool: string;
  origin: string;
  tabTitle: string;
  detail: string;
  /** The user's time, from the policy snapshot of the decision. */
  timeoutMs: number;
  /** Absent: an approval covers this call only. */
  grace?: { tabId: number; action: string; forMs: number };
}

/** Shows and closes windows. `open` rejects if the browser made none. */
export interface WindowProvider {
  open(id: string): Promise<number>;
  close(windowId: number): Promise<void>;
}

export type ConfirmAudit = 'confirm_shown' | 'confirm_allowed' | 'confirm_denied';

export interface ConfirmOptions {
  clock: Clock;
  provider: WindowProvider;
  /** Fresh and unguessable for each attempt. */
  cid(): string;
  /** For the audit ring; never throws. The window's id is the `cid`. */
  audit?(kind: ConfirmAudit, payload: ConfirmPayload): void;
  log(message: string): void;
}

export interface Confirmations {
  /** Resolves when approved, at once under grace; throws what the caller is told otherwise. */
  confirm(request: ConfirmRequest, signal: AbortSignal): Promise<void>;
  /** Whether an approval still covers this. */
  covered(request: ConfirmRequest): boolean;
  /** The payload of the active window once its clock runs, null for any other id. */
  ready(id: string): Promise<ConfirmPayload | null>;
  /** False if the id is not that of the active window. */
  resolve(id: string, approved: boolean): boolean;
  onWindowRemoved(windowId: number): void;
}

interface Item {
  request: ConfirmRequest;
  signal: AbortSignal;
  verdict: Deferred<void>;
}

type Outcome = 'approved' | ToolError | { aborted: unknown };

interface Active {
  payload: ConfirmPayload;
  windowId: number | null;
  /** Windows that went away while this one was still being made. */
  removedEarly: Set<number>;
  shown: Deferred<void>;
  settled: boolean;
  outcome: Deferred<Outcome>;
  settle(outcome: Outcome): void;
}

const denied = (why: string): ToolError => new ToolError('USER_DENIED', why);

const DENIED = 'The user denied this call. Do not repeat it unless they ask for it.';
const CLOSED = 'The confirmation window was closed, which counts as a denial.';

export function createConfirmations(options: ConfirmOptions): Confirmations {
  const { clock, provider, log } = options;
  const queue: Item[] = [];
  let active: Active | null = null;
  let busy = false;
  let grace: { key: string; until: number } | null = null;

  const keyOf = (request: ConfirmRequest): string | null =>
    request.grace === undefined ? null : `${request.grace.tabId}:${request.origin}:${request.grace.action}`;

  function covered(request: ConfirmRequest): boolean {
    const key = keyOf(request);
    return key !== null && grace !== null && grace.key === key && clock.now() < grace.until;
  }

  function remember(request: ConfirmRequest): void {
    const key = keyOf(request);
    if (key === null || request.grace === undefined || request.grace.forMs <= 0) return;
    grace = { key, until: clock.now() + request.grace.forMs };
  }

  /** The window's id; throws when there is none, or when the call ends before there is one. */
  async function show(mine: Active, timeoutMs: number): Promise<void> {
    const opening = provider.open(mine.payload.id);
    const late = deferred<never>();
    const disarm = clock.after(timeoutMs, () => late.reject(new Error('the browser shows no window')));
    try {
      const first = await Promise.race([opening, mine.outcome.promise.then(() => null), late.promise]);
      if (first === null) throw new Error('called off');
      mine.windowId = first;
    } catch (error) {
      // One that still comes is nobody's.
      opening.then((id) => provider.close(id)).catch(() => undefined);
      if (!mine.settled) log(`confirmation window: ${messageOf(error)}`);
      mine.settle(denied('The confirmation window could not be shown, so nothing was done.'));
      return;
    } finally {
      disarm();
    }
    mine.payload.deadline = clock.now() + timeoutMs;
    if (mine.removedEarly.has(mine.windowId)) mine.settle(denied(CLOSED));
  }

  /** One window from opening to verdict; throws the denial. */
  async function ask({ request, signal }: Item): Promise<void> {
    const { kind, tool, origin, tabTitle, detail, timeoutMs } = request;
    const mine: Active = {
      payload: { id: options.cid(), kind, tool, deadline: 0, origin, tabTitle, detail },
      windowId: null,
      removedEarly: new Set(),
      shown: deferred(),
      settled: false,
      outcome: deferred(),
      settle: (what) => {
        if (mine.settled) return;
        mine.settled = true;
        mine.outcome.resolve(what);
      },
    };
    const aborted = (): void => mine.settle({ aborted: signal.reason });
    signal.addEventListener('abort', aborted, { once: true });
    active = mine;
    let disarm = (): void => undefined;
    try {
      await show(mine, timeoutMs);
      mine.shown.resolve();
      if (!mine.settled) options.audit?.('confirm_shown', mine.payload);
      disarm = clock.after(timeoutMs, () =>
        mine.settle(
          new ToolError('CONFIRMATION_TIMEOUT', `The user did not answer within ${timeoutMs}ms. Ask them, then call again.`),
        ),
      );
      const verdict = await mine.outcome.promise;
      options.audit?.(verdict === 'approved' ? 'confirm_allowed' : 'confirm_denied', mine.payload);
      if (verdict instanceof ToolError) throw verdict;
      if (verdict !== 'approved') throw verdict.aborted;
    } finally {
      signal.removeEventListener('abort', aborted);
      disarm();
      active = null;
      if (mine.windowId !== null)
        await provider.close(mine.windowId).catch((error: unknown) => log(`close: ${messageOf(error)}`));
    }
  }

  async function work(): Promise<void> {
    if (busy) return;
    busy = true;
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      if (item.signal.aborted) {
        item.verdict.reject(item.signal.reason);
        continue;
      }
      // The window before it may have been for the same thing.
      if (covered(item.request)) {
        item.verdict.resolve();
        continue;
      }
      try {
        await ask(item);
        remember(item.request);
        item.verdict.resolve();
      } catch (error) {
        item.verdict.reject(error);
      }
    }
    busy = false;
  }

  return {
    covered,

    async confirm(request, signal) {
      if (covered(request)) return;
      const verdict = deferred<void>();
      const item: Item = { request, signal, verdict };
      queue.push(item);
      const leave = (): void => {
        const at = queue.indexOf(item);
        if (at < 0) return;
        queue.splice(at, 1);
        verdict.reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      void work();
      try {
        await verdict.promise;
      } finally {
        signal.removeEventListener('abort', leave);
      }
    },

    async ready(id) {
      const asked = active;
      if (asked === null || asked.settled || asked.payload.id !== id) return null;
      await asked.shown.promise;
      return asked.settled ? null : asked.payload;
    },

    resolve(id, approved) {
      if (active === null || active.settled || active.payload.id !== id) return false;
      active.settle(approved ? 'approved' : denied(DENIED));
      return true;
    },

    onWindowRemoved(windowId) {
      if (active === null) return;
      if (active.windowId === null) active.removedEarly.add(windowId);
      else if (active.windowId === windowId) active.settle(denied(CLOSED));
    },
  };
}
