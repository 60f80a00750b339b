/**
 * Confirmation windows (extension.md 10): one at a time, first in, first out.
 *
 * A window approves only while it is the active one, by the id it was opened with. Everything else
 * that can happen to it is a denial.
 */
import { deferred, type Deferred } from '../async';
import type { Clock } from '../clock';
import { messageOf, ToolError } from '../errors';
import type { Assertion, ConfirmKind, ConfirmPayload, ConfirmPresence } from '../messages';

/** Acts that take a proof that a person is there, in the window itself (10.5). */
export type PageAction = 'page_eval' | 'page_upload';

/** The host's request behind one window. */
export interface PagePresence {
  readonly request: ConfirmPresence;
  /** One attempt; null is the software confirmation. Throws the denial. */
  answer(assertion: Assertion | null): Promise<void>;
  drop(): void;
}

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
  /** Then only a proof approves. */
  presence?: PageAction;
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
  /** Asks the host for the proof of an act; throws the denial. `onTaken`: the request is gone since. */
  presence?(action: PageAction, origin: string, onTaken: (why: ToolError) => void): Promise<PagePresence>;
  log(message: string): void;
}

export interface Confirmations {
  /** Resolves when approved, at once under grace; throws what the caller is told otherwise. */
  confirm(request: ConfirmRequest, signal: AbortSignal): Promise<void>;
  /** Whether an approval still covers this. */
  covered(request: ConfirmRequest): boolean;
  /** No approval covers anything any more. */
  forget(): void;
  /** The payload of the active window once its clock runs, null for any other id. */
  ready(id: string): Promise<ConfirmPayload | null>;
  /** False if the id is not that of the active window, or it would approve what takes a proof. */
  resolve(id: string, approved: boolean): boolean;
  /** The proof, once per window; false if there is nothing that it could answer. Throws the refusal. */
  prove(id: string, nonce: string, assertion: Assertion | null): Promise<boolean>;
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
  action: PageAction | null;
  windowId: number | null;
  /** Windows that went away while this one was still being made. */
  removedEarly: Set<number>;
  shown: Deferred<void>;
  /** What the host asks for, from the moment the window asks what it shows. */
  presence: Promise<PagePresence | null> | null;
  proving: boolean;
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
  let grace: { key: string; at: number; forMs: number } | null = null;

  const keyOf = (request: ConfirmRequest): string | null =>
    request.grace === undefined ? null : `${request.grace.tabId}:${request.origin}:${request.grace.action}`;

  function covered(request: ConfirmRequest): boolean {
    if (request.grace === undefined || grace === null || grace.key !== keyOf(request)) return false;
    const age = clock.now() - grace.at;
    // The policy may have become tighter since; one that became looser prolongs nothing.
    return age >= 0 && age < Math.min(grace.forMs, request.grace.forMs);
  }

  function remember(request: ConfirmRequest): void {
    const key = keyOf(request);
    if (key === null || request.grace === undefined) return;
    grace = { key, at: clock.now(), forMs: request.grace.forMs };
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
  async function ask({ request, signal, verdict: told }: Item): Promise<void> {
    const { kind, tool, origin, tabTitle, detail, timeoutMs } = request;
    const mine: Active = {
      payload: { id: options.cid(), kind, tool, deadline: 0, origin, tabTitle, detail },
      action: request.presence ?? null,
      windowId: null,
      removedEarly: new Set(),
      shown: deferred(),
      presence: null,
      proving: false,
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
      if (verdict === 'approved') {
        // Not once the window is gone: what makes it forget may come before that.
        remember(request);
        return;
      }
      const why = verdict instanceof ToolError ? verdict : verdict.aborted;
      // Told before the window is gone: after deny and kill the connection has not long to live.
      told.reject(why);
      throw why;
    } finally {
      signal.removeEventListener('abort', aborted);
      disarm();
      active = null;
      void mine.presence?.then((held) => held?.drop());
      if (mine.windowId !== null)
        await provider.close(mine.windowId).catch((error: unknown) => log(`close: ${messageOf(error)}`));
    }
  }

  /** Asks once per window; a refusal denies the act with the refusal's own words. */
  function proofOf(mine: Active): Promise<PagePresence | null> {
    const { action, payload } = mine;
    if (action === null) return Promise.resolve(null);
    const asking = async (): Promise<PagePresence> => {
      if (options.presence === undefined) throw new ToolError('EXECUTION_FAILED', 'Nobody can prove that the user is there.');
      return options.presence(action, payload.origin, mine.settle);
    };
    mine.presence ??= asking().catch((error: unknown) => {
      mine.settle(error instanceof ToolError ? error : new ToolError('EXECUTION_FAILED', messageOf(error)));
      return null;
    });
    return mine.presence;
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
        item.verdict.resolve();
      } catch (error) {
        item.verdict.reject(error);
      }
    }
    busy = false;
  }

  return {
    covered,
    forget() {
      grace = null;
    },

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
      if (asked.settled) return null;
      const held = await proofOf(asked);
      if (asked.settled) return null;
      return held === null ? asked.payload : ({ ...asked.payload, presence: held.request } as ConfirmPayload);
    },

    resolve(id, approved) {
      if (active === null || active.settled || active.payload.id !== id) return false;
      if (approved && active.action !== null) return false;
      active.settle(approved ? 'approved' : denied(DENIED));
      return true;
    },

    async prove(id, nonce, assertion) {
      const mine = active;
      if (mine === null || mine.settled || mine.payload.id !== id || mine.presence === null || mine.proving) return false;
      mine.proving = true;
      const held = await mine.presence;
      if (held === null || mine.settled) return false;
      if (held.request.nonce !== nonce) {
        mine.settle(denied('The answer was for another request, so this call was denied.'));
        return false;
      }
      try {
        await held.answer(assertion);
      } catch (error) {
        mine.settle(error instanceof ToolError ? error : denied(messageOf(error)));
        throw error;
      }
      const inTime = !mine.settled;
      mine.settle('approved');
      return inTime;
    },

    onWindowRemoved(windowId) {
      if (active === null) return;
      if (active.windowId === null) active.removedEarly.add(windowId);
      else if (active.windowId === windowId) active.settle(denied(CLOSED));
    },
  };
}
