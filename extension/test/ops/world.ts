/**
 * A browser on paper for the operations, and the whole worker half above it: real gates, allowlist,
 * confirmation, queue and channel. The page half is a function of the test.
 */
import { DENY_BASELINE, type PolicyFields } from '@contract/policy';
import { createHash } from 'node:crypto';
import { vi } from 'vitest';
import { fakeBrowser } from 'wxt/testing/fake-browser';
import { createSerial } from '../../src/async';
import * as browserPermissions from '../../src/browser/permissions';
import * as scripting from '../../src/browser/scripting';
import * as tabs from '../../src/browser/tabs';
import * as windows from '../../src/browser/windows';
import { createSessions, type Sessions } from '../../src/cdp/sessions';
import * as debug from '../../src/browser/debugger';
import { createAllowlist } from '../../src/gate/allowlist';
import { createConfirmations, type PageAction, type PagePresence } from '../../src/gate/confirm';
import { createGates } from '../../src/gate/gates';
import { createKillGate } from '../../src/gate/kill';
import { heldPermissions, heldStore } from '../../src/gate/memory';
import { createRequests } from '../../src/link/requests';
import { ToolError } from '../../src/errors';
import { createCdpCaller } from '../../src/ops/cdp-call';
import { createPageCaller } from '../../src/ops/page-call';
import { createParser } from '../../src/ops/parse';
import { createPipeline } from '../../src/ops/pipeline';
import { createTabQueue } from '../../src/ops/queue';
import { createOperations } from '../../src/ops/table';
import { createTabList } from '../../src/ops/tab-list';
import { fetchTab, pageOrigin } from '../../src/ops/target';
import type { ToPage } from '../../src/page-channel';
import { settle, silentEvents, testClock, testConnection, testStore, type TestConnection } from '../util';

export interface FakeTab {
  id: number;
  windowId: number;
  index: number;
  active: boolean;
  title: string;
  url: string;
  pendingUrl?: string;
  groupId: number;
  status: string;
  openerTabId?: number;
}

/** Stands for the text of the page half. */
export const SOURCE = 'SOURCE';

export type PageHalf = (message: ToPage, frameId: number) => unknown;

export const OWN = () => `chrome-extension://${fakeBrowser.runtime.id}`;

/** A page half that takes everything. `answers` says what, by op. */
export function pageHalf(answers: Partial<Record<ToPage['op'], unknown>> = {}): PageHalf & { heard: ToPage[] } {
  const heard: ToPage[] = [];
  const half: PageHalf = (message) => {
    heard.push(message);
    if (message.op === 'ping') return { ok: true, data: { token: 't' } };
    const answer = answers[message.op];
    const value = typeof answer === 'function' ? (answer as (m: ToPage) => unknown)(message) : answer;
    return value !== null && typeof value === 'object' && ('ok' in value || value instanceof Promise)
      ? value
      : { ok: true, data: value ?? {} };
  };
  return Object.assign(half, { heard });
}

export interface World {
  clock: ReturnType<typeof testClock>;
  store: ReturnType<typeof testStore>;
  connection: TestConnection;
  tabs: Map<number, FakeTab>;
  pages: Map<number, PageHalf>;
  frames: { frameId: number; origin: string; address: string; path: number[] }[];
  held: Set<string>;
  windows: { normal: number | null; opened: string[]; focused: number[] };
  calls: string[];
  /** What the world of the page's own script answers, and the code that it was given. */
  main: { answer: unknown; ran: unknown[][] };
  /** What the host makes of a proof that a window asks for. */
  proof: (action: PageAction, origin: string, onTaken: (why: ToolError) => void) => Promise<PagePresence>;
  kill: ReturnType<typeof createKillGate>;
  confirmations: ReturnType<typeof createConfirmations>;
  allowlist: ReturnType<typeof createAllowlist>;
  debugger: {
    attached: number[];
    log: string[];
    shot: string | (() => Promise<never>);
    failAttach: string | null;
    /** What commands answer, by method; the others answer `{}`. */
    answers: Record<string, unknown>;
    /** How many instances of the page half were made. */
    instances: number;
  };
  sessions: Sessions;
  capture: { data: string; fails: string[]; meanwhile?: () => unknown };
  /** What the browser gives for any filter, and the filters it was asked with. */
  cookies: { jar: Record<string, unknown>[]; asked: Record<string, unknown>[] };
  addTab(change?: Partial<FakeTab>): FakeTab;
  /** Approves a site, entry and permission. */
  allow(origin: string): void;
  /** Sends a request; its id. */
  request(op: string, args?: Record<string, unknown>): number;
  cancel(id: number): void;
  answerOf(id: number): Record<string, unknown> | undefined;
  /** Sends a request and waits for its answer, however long its clock takes. */
  call(op: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Answers the confirmation window that is open. */
  decide(approved: boolean): Promise<void>;
  payload(): Promise<Record<string, unknown> | null>;
  /** Ends the document of a frame: what hangs on its channel breaks. */
  breakChannel(tabId: number): void;
}

export function world(data: Record<string, unknown> = {}): World {
  fakeBrowser.reset();
  silentEvents();
  // The platform's own takes real time, while the clock here moves only when told: a pin is checked at once.
  vi.spyOn(crypto.subtle, 'importKey').mockResolvedValue({} as never);
  vi.spyOn(crypto.subtle, 'digest').mockImplementation(async (_name, data) => {
    const hash = createHash('sha256').update(new Uint8Array(data as ArrayBuffer)).digest();
    return new Uint8Array(hash).buffer;
  });
  const clock = testClock();
  const store = testStore({ bridgeKillMirror: { state: 'alive', at: 1 }, ...data });
  // As in the worker: what the gates read is held until the browser tells that it changed.
  const storage = heldStore({ read: (keys) => store.read(keys), write: (items) => store.write(items), remove: (keys) => store.remove(keys) });
  const permissions = heldPermissions(browserPermissions);
  const told = (changed: () => void) => ({
    set: (on: Record<string, unknown>, name: PropertyKey, value: unknown) => (changed(), Reflect.set(on, name, value)),
    deleteProperty: (on: Record<string, unknown>, name: PropertyKey) => (changed(), Reflect.deleteProperty(on, name)),
  });
  store.data = new Proxy(store.data, told(storage.changed));
  class Held extends Set<string> {
    override add(name: string): this {
      permissions.changed();
      return super.add(name);
    }
    override delete(name: string): boolean {
      permissions.changed();
      return super.delete(name);
    }
    override clear(): void {
      permissions.changed();
      super.clear();
    }
  }
  const connection = testConnection(clock.now());
  const broken = new Map<number, Set<(e: Error) => void>>();
  let nextTab = 1;
  let nextId = 0;
  let windowSeen = '';

  const w = {
    clock,
    store,
    connection,
    tabs: new Map<number, FakeTab>(),
    pages: new Map<number, PageHalf>(),
    frames: [] as World['frames'],
    held: new Held() as Set<string>,
    windows: { normal: 1 as number | null, opened: [] as string[], focused: [] as number[] },
    calls: [] as string[],
    debugger: { attached: [] as number[], log: [] as string[], shot: 'iVBORw==' as World['debugger']['shot'], failAttach: null as string | null, answers: {} as Record<string, unknown>, instances: 0 },
    capture: { data: 'data:image/png;base64,iVBORw==', fails: [] as string[] } as World['capture'],
    main: { answer: { state: 'value' } as unknown, ran: [] as unknown[][] },
    proof: (async () => {
      throw new ToolError('EXECUTION_FAILED', 'no host');
    }) as World['proof'],
    cookies: { jar: [] as Record<string, unknown>[], asked: [] as Record<string, unknown>[] },
  };

  const stub = (api: object, methods: Record<string, unknown>): void => void Object.assign(api, methods);
  const must = (id: number): FakeTab => {
    const tab = w.tabs.get(id);
    if (tab === undefined) throw new Error(`No tab with id: ${id}.`);
    return tab;
  };

  stub(fakeBrowser.tabs, {
    get: async (id: number) => ({ ...must(id) }),
    query: async (q: { windowId?: number; active?: boolean }) =>
      [...w.tabs.values()].filter(
        (t) => (q.windowId === undefined || t.windowId === q.windowId) && (q.active === undefined || t.active === q.active),
      ),
    create: async ({ windowId, url }: { windowId: number; url: string }) => {
      w.calls.push(`create ${url}`);
      return addTab({ windowId, url: '', pendingUrl: url, status: 'loading' });
    },
    update: async (id: number, change: { active?: boolean; url?: string }) => {
      const tab = must(id);
      w.calls.push(`update ${id} ${JSON.stringify(change)}`);
      if (change.active) for (const t of w.tabs.values()) if (t.windowId === tab.windowId) t.active = t === tab;
      if (change.url !== undefined) tab.pendingUrl = change.url;
      return tab;
    },
    remove: async (id: number) => {
      must(id);
      w.tabs.delete(id);
      w.calls.push(`remove ${id}`);
    },
    reload: async (id: number) => void w.calls.push(`reload ${must(id).id}`),
    goBack: async (id: number) => void w.calls.push(`back ${must(id).id}`),
    goForward: async (id: number) => void w.calls.push(`forward ${must(id).id}`),
    group: vi.fn(async () => 77),
    captureVisibleTab: async (windowId: number) => {
      w.calls.push(`capture ${windowId}`);
      await w.capture.meanwhile?.();
      const error = w.capture.fails.shift();
      if (error !== undefined) throw new Error(error);
      return w.capture.data;
    },
    sendMessage: (tabId: number, message: ToPage, { frameId }: { frameId: number }) => {
      const page = w.pages.get(tabId);
      if (page === undefined || !w.tabs.has(tabId))
        return Promise.reject(new Error('Could not establish connection. Receiving end does not exist.'));
      return new Promise((resolve, reject) => {
        const line = broken.get(tabId) ?? new Set();
        broken.set(tabId, line.add(reject));
        Promise.resolve()
          .then(() => page(message, frameId))
          .then(resolve, reject);
      });
    },
  });
  stub(fakeBrowser.windows, {
    getLastFocused: async (q: { windowTypes: string[] }) => {
      windowSeen = q.windowTypes.join();
      if (w.windows.normal === null) throw new Error('No last-focused window');
      return { id: w.windows.normal, type: 'normal' };
    },
    getAll: async () => [...new Set([...w.tabs.values()].map((t) => t.windowId))].sort().map((id) => ({ id })),
    update: async (id: number) => void w.windows.focused.push(id),
    create: async ({ url }: { url: string }) => {
      w.windows.opened.push(url);
      return { id: 9, tabs: [addTab({ windowId: 9, url: '', pendingUrl: url })] };
    },
  });
  (fakeBrowser as unknown as Record<string, unknown>).tabGroups = {
    query: vi.fn(async () => []),
    update: vi.fn(async () => undefined),
  };
  (fakeBrowser as unknown as Record<string, unknown>).permissions = {
    contains: async ({ origins }: { origins: string[] }) =>
      origins.every((o) => w.held.has(o) || (o !== '<all_urls>' && w.held.has('<all_urls>'))),
    remove: async () => true,
  };
  (fakeBrowser as unknown as Record<string, unknown>).scripting = {
    executeScript: vi.fn(
      async (q: { target: { tabId: number; frameIds?: number[]; allFrames?: boolean }; world?: string; files?: string[]; func?: (...a: unknown[]) => unknown; args?: unknown[] }) => {
        const tab = must(q.target.tabId);
        if (q.files !== undefined) {
          w.calls.push(`inject ${tab.id}/${q.target.frameIds?.[0]}`);
          if (!w.pages.has(tab.id)) w.pages.set(tab.id, pageHalf());
          return [{ frameId: 0 }];
        }
        if (q.world === 'MAIN') {
          w.main.ran.push(q.args ?? []);
          const { answer } = w.main;
          return [{ frameId: 0, result: await (typeof answer === 'function' ? (answer as () => unknown)() : answer) }];
        }
        if (q.target.allFrames) return w.frames.map(({ frameId, ...result }) => ({ frameId, result }));
        const frame = w.frames.find((f) => f.frameId === q.target.frameIds?.[0]);
        if (q.target.frameIds?.[0] !== 0 && frame === undefined) throw new Error('No frame with id 5 in tab.');
        return [{ frameId: q.target.frameIds?.[0], result: q.args?.length ? w.calls.push(`run ${q.args.join()}`) > 0 : frame?.origin }];
      },
    ),
  };
  (fakeBrowser as unknown as Record<string, unknown>).cookies = {
    getAll: async (filter: Record<string, unknown>) => {
      w.cookies.asked.push(filter);
      return w.cookies.jar;
    },
  };
  (fakeBrowser as unknown as Record<string, unknown>).debugger = {
    attach: async ({ tabId }: { tabId: number }) => {
      if (w.debugger.failAttach !== null) throw new Error(w.debugger.failAttach);
      if (w.debugger.attached.includes(tabId)) throw new Error('Another debugger is already attached');
      w.debugger.attached.push(tabId);
      w.debugger.log.push(`attach ${tabId}`);
    },
    detach: async ({ tabId }: { tabId: number }) => {
      w.debugger.attached = w.debugger.attached.filter((t) => t !== tabId);
      w.debugger.log.push(`detach ${tabId}`);
    },
    sendCommand: async ({ tabId }: { tabId: number }, method: string, params: Record<string, unknown>) => {
      // Part of every attach, and not waited for.
      if (method === 'Inspector.enable') return {};
      w.debugger.log.push(method);
      const answer = w.debugger.answers[method];
      if (answer !== undefined) return typeof answer === 'function' ? (answer as (p: Record<string, unknown>) => unknown)(params) : answer;
      if (method === 'Runtime.evaluate' && String(params.expression).startsWith(`(${SOURCE})`))
        return { result: { objectId: `i${++w.debugger.instances}` } };
      if (method === 'Runtime.callFunctionOn') return invoke(tabId, params);
      if (method !== 'Page.captureScreenshot') return {};
      return { data: typeof w.debugger.shot === 'string' ? w.debugger.shot : await w.debugger.shot() };
    },
  };

  /** The page half as an object of the page: the newest instance of the tab answers. */
  async function invoke(tabId: number, params: Record<string, unknown>): Promise<unknown> {
    if (params.objectId !== `i${w.debugger.instances}`) throw new Error('{"code":-32000,"message":"Could not find object with given id"}');
    const op = /this\.(\w+)\(/.exec(String(params.functionDeclaration))?.[1];
    const [argument] = params.arguments as { value: object }[];
    const page = w.pages.get(tabId) ?? pageHalf();
    return { result: { value: await page({ v: 1, op, ...argument?.value } as ToPage, 0) } };
  }

  function addTab(change: Partial<FakeTab> = {}): FakeTab {
    const id = change.id ?? nextTab++;
    nextTab = Math.max(nextTab, id + 1);
    const tab: FakeTab = {
      id,
      windowId: 1,
      index: w.tabs.size,
      active: w.tabs.size === 0,
      title: `Tab ${id}`,
      url: 'https://a.example/',
      groupId: -1,
      status: 'complete',
      ...change,
    };
    w.tabs.set(id, tab);
    return tab;
  }

  const transitions = createSerial();
  const kill = createKillGate({
    store: storage,
    clock,
    transitions,
    connection: () => connection,
    answered: () => new Promise((resolve) => setImmediate(resolve)),
    onClosed: () => {
      const refusal = new ToolError('TOOL_DISABLED', 'killed');
      confirmations.forget();
      requests.refuseWaiting(refusal);
      sessions.end(refusal);
    },
  });
  const gates = createGates({
    store: storage,
    clock,
    kill,
    transitions,
    confined: () => null,
    identityOk: () => true,
    compromised: () => false,
    healing: () => null,
    verified: () => true,
    reverify: async () => false,
  });
  const allowlist = createAllowlist({
    store: storage,
    clock,
    permissions,
    badge: async () => undefined,
    openPopup: async () => undefined,
    uuid: () => 'u',
    mayAllow: async () => true,
    log: () => undefined,
  });
  let cid = 0;
  const confirmations = createConfirmations({
    clock,
    provider: { open: async () => 500, close: async () => undefined },
    cid: () => `c${++cid}`,
    presence: (action, origin, onTaken) => w.proof(action, origin, onTaken),
    log: () => undefined,
  });
  const sessions = createSessions({
    browser: debug,
    clock,
    target: async (tabId) => void pageOrigin(await fetchTab(tabId)),
    mode: async () => {
      const { posture, serving } = await gates.posture(connection);
      return serving === 'active' && posture.policy.cdpMode && kill.closedNow() === null;
    },
    closed: () => (kill.closedNow() === null ? null : new ToolError('TOOL_DISABLED', 'killed')),
    log: () => undefined,
  });
  const operations = createOperations(sessions);
  const tabList = createTabList({ clock, all: tabs.all, windows: windows.order });
  tabs.watch({ changed: tabList.changed, moved: () => undefined, windowRemoved: () => undefined });
  const pipeline = createPipeline({
    operations,
    gates,
    queue: createTabQueue(),
    confirmations,
    clock,
    tools: {
      clock,
      allowlist,
      page: createCdpCaller(
        { sessions, clock, source: async () => SOURCE },
        createPageCaller({ sendMessage: tabs.sendMessage, inject: (t, f) => scripting.injectFile(t, f, '/page.js') }, clock),
      ),
      cdp: sessions,
      tabList,
      noticeWords: () => ({ text: 'The debugger comes', cancel: 'Cancel' }),
      groupTabs: async () => store.data.groupTabs !== false,
      log: () => undefined,
    },
  });
  const requests = createRequests({ parse: createParser(operations), run: pipeline.run, log: () => undefined });

  const answerOf = (id: number) => connection.posted.find((f) => f.id === id && f.ok !== undefined);

  return Object.assign(w, {
    kill,
    confirmations,
    allowlist,
    sessions,
    addTab,
    windowTypes: () => windowSeen,
    allow: (origin: string) => {
      const list = (store.data.allowlist as string[] | undefined) ?? [];
      store.data.allowlist = [...list, `${origin}/*`];
      const url = new URL(origin);
      w.held.add(`${url.protocol}//${url.hostname}/*`);
    },
    request: (op: string, args: Record<string, unknown> = {}) => {
      const id = ++nextId;
      requests.onRequest({ id, op, browser: 'chromium', args }, connection);
      return id;
    },
    cancel: (id: number) => requests.onCancel({ type: 'cancel', id }, connection),
    answerOf,
    call: async (op: string, args: Record<string, unknown> = {}) => {
      const id = ++nextId;
      requests.onRequest({ id, op, browser: 'chromium', args }, connection);
      for (let i = 0; i < 400 && answerOf(id) === undefined; i++) {
        await settle();
        if (answerOf(id) === undefined) await clock.advance(100);
      }
      const answer = answerOf(id);
      if (answer === undefined) throw new Error(`${op} was not answered`);
      return answer;
    },
    payload: async () => {
      await settle();
      return (await confirmations.ready(`c${cid}`)) as Record<string, unknown> | null;
    },
    decide: async (approved: boolean) => {
      await settle();
      if (!confirmations.resolve(`c${cid}`, approved)) throw new Error('no window is open');
      await settle();
    },
    breakChannel: (tabId: number) => {
      for (const reject of broken.get(tabId) ?? []) reject(new Error('A listener indicated an asynchronous response by returning true, but the message channel closed before a response was received'));
      broken.delete(tabId);
    },
  });
}

/** A pin, as storage holds it. */
export async function paired(): Promise<Record<string, unknown> & { enclavePin: { keyId: string; pubkeyB64: string } & Record<string, unknown> }> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const raw = await crypto.subtle.exportKey('raw', pair.publicKey);
  const keyId = Buffer.from(await crypto.subtle.digest('SHA-256', raw)).toString('hex');
  return { enclaveEverPinned: true, enclavePin: { keyId, pubkeyB64: Buffer.from(raw).toString('base64'), pinnedAt: 1 } };
}

/** A pin and an accepted policy that differs from the defaults in these fields. */
export async function active(policy: Partial<PolicyFields> = {}): Promise<Record<string, unknown>> {
  const pin = await paired();
  const effective = { ...DENY_BASELINE, hostReverifyMs: 0, ...policy };
  return {
    ...pin,
    bridgePolicyCutover: true,
    bridgePolicyState: { scope: pin.enclavePin.keyId, effective, revision: 1, baselineB64: 'AAAA', at: 1 },
  };
}

/** Fires an event of the browser. */
export const fire = {
  updated: (id: number, change: { url?: string; status?: string }) =>
    fakeBrowser.tabs.onUpdated.trigger(id, change as never, {} as never),
  created: (tab: FakeTab) => fakeBrowser.tabs.onCreated.trigger(tab as never),
  activated: (tabId: number, windowId: number) => fakeBrowser.tabs.onActivated.trigger({ tabId, windowId }),
  removed: (id: number) => fakeBrowser.tabs.onRemoved.trigger(id, {} as never),
};
