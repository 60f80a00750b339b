/**
 * Debugger sessions by tab (extension.md 11.2): detached, attaching, attached.
 *
 * There is at most one attach of ours on a tab. Calls that overlap share it: those that need it for a
 * moment (`during`) and those of CDP mode, which keep it (`keep`). What the browser is told for one
 * tab goes out in order, each step waiting for the one before, so that an attach never meets a detach
 * that is still under way.
 */
import { deferred, stopIfAborted, until, within } from '../async';
import type { Clock } from '../clock';
import { messageOf, ToolError } from '../errors';

export interface DebuggerBrowser {
  attach(tabId: number): Promise<void>;
  detach(tabId: number): Promise<void>;
  command(tabId: number, method: string, params?: Record<string, unknown>): Promise<unknown>;
}

export type Params = Readonly<Record<string, unknown>>;
export type Command = (method: string, params?: Record<string, unknown>) => Promise<unknown>;

/** What work on an attached tab is given. */
export interface Attached {
  command: Command;
  /** Events of this tab's session, until the returned function is called. */
  on(listener: (method: string, params: Params) => void): () => void;
  /** The attach was made for this work; what it enabled ends with it. */
  fresh: boolean;
}

export interface Use {
  signal: AbortSignal;
  /**
   * Throws if this call must not touch the tab as it is now; asked right before the attach and right
   * after it.
   */
  allowed(): Promise<void>;
  /** The work needs `cdpMode`: it is looked up again after the attach, and its loss ends the work. */
  needsMode: boolean;
}

export interface Dialog {
  type: string;
  /** As the page wrote it. */
  message: string;
}

export interface Sessions {
  /** Attaches unless a session is there, works, and detaches what nobody uses any more. */
  during<T>(tabId: number, use: Use, work: (tab: Attached) => Promise<T>): Promise<T>;
  /** The same with a session that stays, and that sees dialogs. Needs the mode. */
  keep<T>(tabId: number, use: Omit<Use, 'needsMode'>, work: (tab: Attached) => Promise<T>): Promise<T>;
  /** A session is there, or about to be. */
  has(tabId: number): boolean;
  /** The dialog that is open in the tab, as far as a session was there to see it. */
  dialog(tabId: number): Dialog | null;
  /** Told of every dialog that opens in a tab with a session that stays. */
  onDialog(listener: (tabId: number, dialog: Dialog) => void): () => void;
  /** Told of every event of every session. */
  listen(listener: (tabId: number, method: string, params: Params) => void): () => void;
  /** Answers the open dialog; false if there is none. */
  answerDialog(tabId: number, accept: boolean, promptText: string | undefined): Promise<boolean>;
  /** The policy may be another one: without `cdpMode` all sessions end. */
  policyChanged(): Promise<void>;
  /** Why nothing is served at this moment; null if it is. */
  closed(): ToolError | null;
  /** Nothing is served any more: every session ends, whatever it is for, and what runs in it is told why. */
  end(why: ToolError): void;
  /** The tab shows another address: a session leaves what must not be attached to. */
  moved(tabId: number): Promise<void>;
  /** The browser ended a session, or the tab is gone. */
  onDetached(tabId: number): void;
  onEvent(tabId: number, method: string, params: Params): void;
}

export interface SessionsOptions {
  browser: DebuggerBrowser;
  clock: Clock;
  /**
   * Throws unless the tab shows an http or https page of somebody else. The browser would attach to
   * our own pages too, and a tool could click its own approval.
   */
  target(tabId: number): Promise<void>;
  /** Whether the policy of this moment grants CDP mode. One that cannot be read does not. */
  mode(): Promise<boolean>;
  /** Why nothing is served at this very moment: an act that has begun may still come to its attach. */
  closed(): ToolError | null;
  log(message: string): void;
}

/** `Page.enable` is answered by the page, and a page that shows a dialog answers nothing. */
const ENABLE_MS = 5000;

const NO_MODE = 'CDP mode is not granted any more, so the debugger was detached. Ask the user, or use the tools that need no debugger.';
const LOST = 'The browser detached the debugger: the tab was closed, or the user cancelled it in the banner.';
export const CRASHED = 'The page in this tab has crashed, or was unloaded to save memory. Call page_reload, then page_wait_for nav.';
const SILENT = 'The page does not answer the debugger. A dialog that was open before may block it: ask the user to look at the tab.';

const NO_DIALOG = /No dialog is showing/i;

interface User {
  needsMode: boolean;
  end: AbortController;
}

interface Session {
  readonly tabId: number;
  state: 'attaching' | 'attached' | 'over';
  /** The browser has said yes, and has not been told to detach. */
  won: boolean;
  /** Stays without users. */
  kept: boolean;
  readonly users: Set<User>;
  ready: Promise<void>;
  enabled: Promise<void> | null;
  dialog: Dialog | null;
  readonly listeners: Set<(method: string, params: Params) => void>;
}

const isOver = (session: Session): boolean => session.state === 'over';

const lost = (): ToolError => new ToolError('EXECUTION_FAILED', LOST);
const noMode = (): ToolError => new ToolError('TOOL_DISABLED', NO_MODE);

export function createSessions(options: SessionsOptions): Sessions {
  const { browser, clock, log } = options;
  const table = new Map<number, Session>();
  /** What was last asked of the browser, by tab. */
  const lines = new Map<number, Promise<unknown>>();
  const hearers = new Set<(tabId: number, dialog: Dialog) => void>();
  const everyone = new Set<(tabId: number, method: string, params: Params) => void>();

  /** Runs a step for the tab after all that were asked for before. */
  function inLine<T>(tabId: number, step: () => Promise<T>): Promise<T> {
    const done = (lines.get(tabId) ?? Promise.resolve()).then(step);
    const settled = done.catch(() => undefined);
    lines.set(tabId, settled);
    void settled.then(() => {
      if (lines.get(tabId) === settled) lines.delete(tabId);
    });
    return done;
  }

  async function mode(): Promise<boolean> {
    try {
      return await options.mode();
    } catch (error) {
      log(`policy: ${messageOf(error)}`);
      return false;
    }
  }

  /** Detaches once, and never what a newer session of the tab has won since. */
  async function detach(session: Session): Promise<void> {
    if (!session.won) return;
    session.won = false;
    const owner = table.get(session.tabId);
    if (owner !== undefined && owner !== session && owner.won) return;
    await browser.detach(session.tabId).catch(() => undefined);
  }

  /** Takes the session out of the table; whoever still uses it is told why. */
  function leaveTable(session: Session, why: unknown): void {
    session.state = 'over';
    session.kept = false;
    session.dialog = null;
    if (table.get(session.tabId) === session) table.delete(session.tabId);
    for (const user of [...session.users]) user.end.abort(why);
  }

  /** Ends it and tells the browser: after the attach, if that is still under way. */
  function close(session: Session, why: ToolError): Promise<void> {
    leaveTable(session, why);
    return inLine(session.tabId, () => detach(session));
  }

  function stopIfClosed(): void {
    const why = options.closed();
    if (why !== null) throw why;
  }

  async function attach(session: Session): Promise<void> {
    const { tabId } = session;
    if (isOver(session)) throw lost();
    await options.target(tabId);
    stopIfClosed();
    try {
      await browser.attach(tabId);
    } catch (error) {
      throw new ToolError('UNSUPPORTED_PAGE', `The browser refuses to attach its debugger: ${messageOf(error)}`);
    }
    session.won = true;
    try {
      // Ended meanwhile, by the browser or by the last user: it is not brought back.
      if (isOver(session)) throw lost();
      await options.target(tabId);
      stopIfClosed();
      if (isOver(session)) throw lost();
    } catch (error) {
      await detach(session);
      throw error;
    }
    session.state = 'attached';
  }

  function open(tabId: number): Session {
    const session: Session = {
      tabId,
      state: 'attaching',
      won: false,
      kept: false,
      users: new Set(),
      ready: Promise.resolve(),
      enabled: null,
      dialog: null,
      listeners: new Set(),
    };
    table.set(tabId, session);
    session.ready = inLine(tabId, () => attach(session));
    session.ready.catch((error: unknown) => leaveTable(session, error));
    return session;
  }

  /** Nobody is left: a session that does not stay ends. Its detach is waited for if it can come soon. */
  async function leave(session: Session, user: User): Promise<void> {
    session.users.delete(user);
    if (session.users.size > 0 || session.kept || session.state === 'over') return;
    const attaching = session.state === 'attaching';
    const closed = close(session, lost());
    if (!attaching) await closed;
  }

  const attachedTo = (session: Session, fresh: boolean): Attached => ({
    command: (method, params) =>
      session.state === 'attached' ? browser.command(session.tabId, method, params) : Promise.reject(lost()),
    on(listener) {
      session.listeners.add(listener);
      return () => session.listeners.delete(listener);
    },
    fresh,
  });

  /** Once for a session that stays. */
  function enable(session: Session): Promise<void> {
    session.enabled ??= within(
      clock,
      ENABLE_MS,
      browser.command(session.tabId, 'Page.enable').then(() => undefined),
      () => {
        throw new ToolError('EXECUTION_FAILED', SILENT);
      },
    );
    session.enabled.catch(() => {
      session.enabled = null;
    });
    return session.enabled;
  }

  async function use<T>(
    tabId: number,
    { signal, allowed, needsMode }: Use,
    stays: boolean,
    work: (tab: Attached) => Promise<T>,
  ): Promise<T> {
    await allowed();
    stopIfAborted(signal);
    const there = table.get(tabId);
    const session = there ?? open(tabId);
    const user: User = { needsMode, end: new AbortController() };
    session.users.add(user);
    const stop = AbortSignal.any([signal, user.end.signal]);
    try {
      await until(stop, session.ready);
      await until(stop, allowed());
      if (needsMode && !(await until(stop, mode()))) throw noMode();
      if (stays) {
        await until(stop, enable(session));
        session.kept = true;
      }
      // Called off, a command may never come back: the detach is not to wait for it.
      return await until(stop, work(attachedTo(session, there === undefined)));
    } finally {
      await leave(session, user);
    }
  }

  function heard(session: Session, method: string, params: Params): void {
    if (method === 'Page.javascriptDialogOpening') {
      session.dialog = { type: String(params.type), message: String(params.message) };
      for (const hearer of [...hearers]) hearer(session.tabId, session.dialog);
    } else if (method === 'Page.javascriptDialogClosed') session.dialog = null;
    else if (method === 'Inspector.targetCrashed') void close(session, new ToolError('EXECUTION_FAILED', CRASHED));
  }

  return {
    during: (tabId, how, work) => use(tabId, how, false, work),
    keep: (tabId, how, work) => use(tabId, { ...how, needsMode: true }, true, work),
    has: (tabId) => table.has(tabId),
    dialog: (tabId) => table.get(tabId)?.dialog ?? null,

    onDialog(listener) {
      hearers.add(listener);
      return () => hearers.delete(listener);
    },

    listen(listener) {
      everyone.add(listener);
      return () => everyone.delete(listener);
    },

    async answerDialog(tabId, accept, promptText) {
      const session = table.get(tabId);
      if (session === undefined || session.dialog === null) return false;
      try {
        await browser.command(tabId, 'Page.handleJavaScriptDialog', {
          accept,
          ...(promptText === undefined ? {} : { promptText }),
        });
        return true;
      } catch (error) {
        // The user was faster.
        if (NO_DIALOG.test(messageOf(error))) return false;
        throw error;
      } finally {
        session.dialog = null;
      }
    },

    async policyChanged() {
      if (table.size === 0 || (await mode())) return;
      for (const session of [...table.values()]) {
        session.kept = false;
        for (const user of [...session.users]) if (user.needsMode) user.end.abort(noMode());
        // A picture is taken without the grant: it ends the session itself.
        if ([...session.users].every((user) => user.needsMode)) void close(session, noMode());
      }
    },

    closed: options.closed,

    end(why) {
      for (const session of [...table.values()]) void close(session, why);
    },

    async moved(tabId) {
      const session = table.get(tabId);
      if (session === undefined) return;
      try {
        await options.target(tabId);
      } catch (error) {
        if (table.get(tabId) === session)
          await close(session, error instanceof ToolError ? error : lost());
      }
    },

    onDetached(tabId) {
      const session = table.get(tabId);
      if (session === undefined) return;
      // An attach that is still under way may yet be won, and is given back then.
      if (session.state === 'attached') session.won = false;
      leaveTable(session, lost());
    },

    onEvent(tabId, method, params) {
      const session = table.get(tabId);
      if (session === undefined) return;
      heard(session, method, params);
      for (const listener of [...session.listeners]) listener(method, params);
      for (const listener of [...everyone]) listener(tabId, method, params);
    },
  };
}

/** For callers that wait for one event, with what it says. */
export function nextEvent(tab: Attached, method: string): { heard: Promise<Params>; stop(): void } {
  const { promise, resolve } = deferred<Params>();
  const stop = tab.on((name, params) => {
    if (name === method) resolve(params);
  });
  return { heard: promise, stop };
}
