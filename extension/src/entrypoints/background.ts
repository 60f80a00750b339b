/** The worker: wiring only. Listeners are registered before the first await. */
import { PROTOCOL } from '@contract/host';
import { EXTENSION_ID, HOST_ID } from '@contract/identity';
import { defineBackground } from 'wxt/utils/define-background';
import { createSerial } from '../async';
import * as action from '../browser/action';
import * as alarms from '../browser/alarms';
import * as debug from '../browser/debugger';
import { withLock } from '../browser/locks';
import * as browserPermissions from '../browser/permissions';
import { connectNative } from '../browser/port';
import * as runtime from '../browser/runtime';
import * as scripting from '../browser/scripting';
import * as browserStorage from '../browser/storage';
import * as tabs from '../browser/tabs';
import * as windows from '../browser/windows';
import { createSessions } from '../cdp/sessions';
import { systemClock as clock } from '../clock';
import { messageOf, ToolError } from '../errors';
import { createAllowlist } from '../gate/allowlist';
import { createCompromise } from '../gate/compromise';
import { confineStorage } from '../gate/confine';
import { createConfirmations } from '../gate/confirm';
import { blockedText, createGates } from '../gate/gates';
import { createKillGate } from '../gate/kill';
import { heldPermissions, heldStore } from '../gate/memory';
import { POSTURE_KEYS } from '../gate/serving';
import { initLanguage, t } from '../i18n';
import { createExchange } from '../link/exchange';
import { createPortNews } from '../link/news';
import { createLink, type Link } from '../link/port';
import { createRequests } from '../link/requests';
import { createCdpCaller } from '../ops/cdp-call';
import { createPageCaller } from '../ops/page-call';
import { createParser } from '../ops/parse';
import { createPipeline } from '../ops/pipeline';
import { createTabQueue } from '../ops/queue';
import { createTabList } from '../ops/tab-list';
import { capabilitiesOf, createOperations } from '../ops/table';
import { fetchTab, pageOrigin } from '../ops/target';
import { createActs } from '../trust/acts';
import { createAdmin } from '../trust/admin';
import { createAudit } from '../trust/audit';
import { createFamilies } from '../trust/families';
import { createLanguageSync } from '../trust/language';
import { createLanes } from '../trust/lanes';
import { createPairing } from '../trust/pairing';
import { createPolicySync } from '../trust/policy';
import { createPresence } from '../trust/presence';
import { createWebAuthn } from '../trust/webauthn';
import { createHandlers } from '../worker/handlers';
import { createRouter } from '../worker/router';
import { migrate, readSettings } from '../worker/settings';

const RECONNECT = 'reconnect';
const RECONNECT_MINUTES = 0.5;
const PAGE_SCRIPT = '/page.js';
const PAGE_SOURCE = 'page-api.js';
const CONFIRM_PAGE = 'confirm.html';
const CONFIRM_WINDOW = { width: 460, height: 600 };
const WAITS = '#f5b942';

const log = (message: string): void => console.debug(`genkan: ${message}`);

const KILLED = 'The kill switch of genkan was used, so this call was not carried out.';

function start(): void {
  const storage = heldStore(browserStorage);
  const permissions = heldPermissions(browserPermissions);
  const confinement = confineStorage(browserStorage.confine);
  const identityOk = (): boolean => runtime.ownId() === EXTENSION_ID;
  const transitions = createSerial();
  let link: Link | null = null;
  const news = createPortNews(browserStorage.tell, clock, log);
  const lanes = createLanes(news.spoken);
  /** The host speaks first: until then there is nobody to ask. */
  const lane = () => {
    const connection = link?.current() ?? null;
    return connection !== null && lanes.control(connection) ? connection : null;
  };
  const audit = createAudit({ store: storage, clock, lane, log });

  const kill = createKillGate({
    store: storage,
    clock,
    transitions,
    connection: () => link?.current() ?? null,
    // Refusals take turns of promises alone, and all of those come before the next task.
    answered: () => new Promise((resolve) => clock.after(0, resolve)),
    audit: (kind, detail) => audit.record({ kind, ...(detail === undefined ? {} : { detail }) }),
    onClosed: () => shut(kill.closedNow() ?? KILLED),
  });
  /**
   * Gate 3 or 4 closed: whoever has not begun its act is refused, its windows close, no approval outlives
   * that, and no debugger stays attached.
   */
  const shut = (why: string): void => {
    const refusal = new ToolError('TOOL_DISABLED', why);
    confirmations.forget();
    requests.refuseWaiting(refusal);
    sessions.end(refusal);
  };
  const stop = (reason: Parameters<typeof blockedText>[0]): void => shut(blockedText(reason));
  const compromise = createCompromise({ store: storage, clock, onClosed: () => stop('compromised'), log });
  const policy = createPolicySync({
    store: storage,
    clock,
    transitions,
    compromise,
    audit,
    suspect: (connection) => void pairing.proves(connection),
    onVerified: news.verified,
  });
  const pairing = createPairing({
    store: storage,
    clock,
    transitions,
    lanes,
    connection: () => link?.current() ?? null,
    compromise,
    audit,
    onClosed: stop,
    onPinChanged: () => {
      policy.onPinChanged();
      confirmations.forget();
    },
    log,
  });
  const gates = createGates({
    store: storage,
    clock,
    kill,
    transitions,
    confined: confinement.problem,
    identityOk,
    compromised: compromise.now,
    verified: policy.verified,
    reverify: pairing.proves,
    healing: policy.healing,
  });
  const allowlist = createAllowlist({
    store: storage,
    clock,
    permissions,
    badge: (waits) => action.setBadge(waits ? '!' : '', WAITS),
    openPopup: action.openPopup,
    uuid: () => crypto.randomUUID(),
    mayAllow: async () => (await kill.view()).state === 'alive' && kill.closedNow() === null,
    log,
  });
  const confirmations = createConfirmations({
    clock,
    provider: {
      open: (id) =>
        windows.openPopupWindow(runtime.resource(`${CONFIRM_PAGE}?id=${id}`), CONFIRM_WINDOW.width, CONFIRM_WINDOW.height),
      close: windows.close,
    },
    cid: () => crypto.randomUUID(),
    audit: (kind, { id, tool, origin }) => audit.record({ kind, tool, detail: origin, cid: id }),
    presence: (action, origin, onTaken) => presence.page(action, origin, onTaken),
    log,
  });

  const sessions = createSessions({
    browser: debug,
    clock,
    target: async (tabId) => void pageOrigin(await fetchTab(tabId)),
    mode: async () => {
      const { posture, serving } = await gates.posture(link?.current() ?? null);
      return serving === 'active' && posture.policy.cdpMode && kill.closedNow() === null;
    },
    closed: () => {
      const why = kill.closedNow() ?? (compromise.now() ? blockedText('compromised') : null);
      return why === null ? null : new ToolError('TOOL_DISABLED', why);
    },
    log,
  });
  const tabList = createTabList({ clock, all: tabs.all, windows: windows.order });
  const operations = createOperations(sessions);
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
        { sessions, clock, source: () => runtime.textOf(PAGE_SOURCE) },
        createPageCaller(
          {
            sendMessage: tabs.sendMessage,
            inject: (tabId, frameId) => scripting.injectFile(tabId, frameId, PAGE_SCRIPT),
          },
          clock,
        ),
      ),
      cdp: sessions,
      tabList,
      noticeWords: () => ({ text: t('notice.debugger'), cancel: t('notice.cancel') }),
      groupTabs: async () => (await readSettings(storage)).groupTabs,
      log,
    },
  });
  const requests = createRequests({ parse: createParser(operations), run: pipeline.run, log });

  const killExchange = createExchange(clock);
  const admin = createAdmin({ clock, lane, audit });
  const presence = createPresence({ clock, lane, openOptions: runtime.openOptions, log });
  const posture = () => gates.posture(link?.current() ?? null);
  const acts = createActs({
    clock,
    lane,
    presence,
    killExchange,
    pairExchange: admin.pairing,
    serving: async () => (await posture()).serving,
    audit,
  });
  const webauthn = createWebAuthn({ store: storage, clock, lane, presence, log });
  const language = createLanguageSync({
    store: storage,
    lanes,
    connection: () => link?.current() ?? null,
    paired: async () => {
      const { posture: now } = await posture();
      return now.pin !== null && now.blocked === null;
    },
  });

  link = createLink({
    connect: () => connectNative(HOST_ID),
    clock,
    collaborators: [
      ...createFamilies({ kill, killExchange, lanes, admin, acts, pairing, policy, language, presence, webauthn, log }),
      { name: 'pages', tags: [], onAttach: () => undefined, onDetach: news.detached, onFrame: () => undefined },
    ],
    hello: () => ({
      type: 'hello',
      protocol: PROTOCOL,
      capabilities: capabilitiesOf(operations, runtime.hasApi),
    }),
    onRequest: requests.onRequest,
    onCancel: requests.onCancel,
    onLost: requests.onLost,
    log,
  });
  const dial = link;

  const route = createRouter(
    runtime.ownId(),
    createHandlers({
      link: dial,
      gates,
      kill,
      allowlist,
      confirmations,
      admin,
      acts,
      pairing,
      policy,
      language,
      presence,
      webauthn,
      audit,
      confined: confinement.problem,
      identityOk,
      version: runtime.version,
    }),
  );
  // Nothing reads trust state before pages are kept out of it, or are known not to be.
  runtime.onMessage((message, sender) => confinement.settled.then(() => route(message, sender)));
  tabs.watch({
    changed: tabList.changed,
    moved: (tabId) => void sessions.moved(tabId),
    windowRemoved: confirmations.onWindowRemoved,
  });
  browserPermissions.onAdded(() => {
    permissions.changed();
    allowlist.onPermissionAdded();
  });
  browserPermissions.onRemoved(permissions.changed);
  debug.onDetached(sessions.onDetached);
  debug.onEvent(sessions.onEvent);
  browserStorage.onChanged((keys) => {
    storage.changed();
    if (POSTURE_KEYS.some((key) => keys.includes(key))) void sessions.policyChanged();
  });
  alarms.onAlarm(RECONNECT, () => ready.then(dial.wake));
  runtime.onStart(() => void ready.then(dial.wake));

  /** Each step may fail alone: the gates, not the order here, keep a broken one from serving. */
  const step = (name: string, work: () => Promise<void>): Promise<void> =>
    work().catch((error: unknown) => log(`${name}: ${messageOf(error)}`));

  const ready = (async () => {
    await confinement.settled;
    // Texts that the worker hands to pages; what waits for a connection does not wait for them.
    void step('language', initLanguage);
    await step('settings', () => withLock('settings', () => migrate(storage)));
    // Whoever they were for went with the worker that opened them.
    await step('windows', () => tabs.closeOwn(runtime.resource(CONFIRM_PAGE)));
    await step('pending approvals', allowlist.sweep);
    await step('alarm', () => alarms.ensureAlarm(RECONNECT, RECONNECT_MINUTES));
  })();
  void ready.then(dial.connect);
}

export default defineBackground(start);
