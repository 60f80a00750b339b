// Every state of our pages that a person may see, and how a test opens one.
//
// The page is the shipped one, in the shipped extension. Only its view of the worker is replaced:
// before its first script runs, `chrome.runtime.sendMessage` answers from a table and keeps what was
// sent in `globalThis.sent`. A view without a table speaks with the real worker.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
export const extension = path.resolve(process.env.GENKAN_EXTENSION ?? path.join(root, 'build/extension/.output/chrome-mv3'));

/** The browser's rule: the first half of the key's digest, 0-f spelled a-p. */
export function extensionId() {
  const { key } = JSON.parse(readFileSync(path.join(extension, 'manifest.json'), 'utf8'));
  const digest = createHash('sha256').update(Buffer.from(key, 'base64')).digest('hex');
  return [...digest.slice(0, 32)].map((c) => String.fromCharCode(97 + parseInt(c, 16))).join('');
}

export const LANGUAGES = ['en', 'zh_CN', 'zh_TW'];
export const THEMES = ['light', 'dark'];
export const SIZES = { popup: [360, 600], confirm: [460, 600], options: [900, 800] };

// --------------------------------------------------------------------------------------------- //
// What the worker says

/** Milliseconds from the moment the page asks. */
const from = (ms) => ({ $from: ms });
const KEY_ID = createHash('sha256').update('a key for pictures').digest('hex');

const alive = { state: 'alive', at: Date.UTC(2026, 0, 15, 9, 30), latched: false, pending: false };
const up = { state: 'up', error: null, hostMissing: false };

const status = (over = {}) => ({
  port: up,
  serving: 'unpaired',
  blocked: null,
  pairingPending: false,
  identityOk: true,
  storageOk: true,
  kill: alive,
  versions: { extension: '0.1.0', protocol: 1 },
  ...over,
});
const entry = (glob, held = true) => ({ glob, held });
const waiting = (glob, ms = 47_000) => ({ id: `allow_${glob}`, glob, expiresAt: from(ms), permission: glob.replace(/:\d+\/\*$/, '/*') });
const sites = (over = {}) => ({ entries: [], pending: [], allowAllSites: false, allUrlsHeld: false, ...over });
const pairing = (over = {}) => ({ serving: 'unpaired', blocked: null, pin: null, pending: null, lastVerifiedAt: null, lastError: null, revokePending: false, ...over });

const HASH = createHash('sha256').update('a program for pictures').digest('hex');
const SEEN = Date.UTC(2026, 0, 15, 9, 30);
const row = (browser, kind, { detected = true, detail, dir = browser } = {}) => ({
  browser,
  detected,
  state: { kind, ...(detail ? { detail } : {}) },
  location: `/home/ada/.config/${dir}/NativeMessagingHosts/com.vivswan.genkan.host.json`,
});
const registration = [
  row('chrome', 'stale', { detail: 'the wrapper starts /opt/old/bin/genkan-host, which is not there any more', dir: 'google-chrome' }),
  row('chromium', 'ok'),
  row('brave', 'missing', { dir: 'BraveSoftware/Brave-Browser' }),
  row('edge', 'foreign', { detail: 'the description is not of genkan', dir: 'microsoft-edge' }),
  row('vivaldi', 'unreadable', { detail: 'this is no JSON: line 1, column 4' }),
  row('opera', 'missing', { detected: false }),
];
const clients = {
  enrolled: true,
  clients: [
    { name: 'desk-agent', anchor: { kind: 'hash', value: HASH }, added_unix: SEEN / 1000 },
    { name: 'a-name-that-is-32-characters-lon', anchor: { kind: 'signer', value: 'Developer ID Application: Somebody With A Long Name And No Shame (ABCDE12345)' }, added_unix: SEEN / 1000 },
  ],
};
const ring = [
  { at: SEEN, kind: 'confirm_allowed', tool: 'page_click', detail: 'https://shop.example', cid: '3f9a1c52-77aa-4e0b-9f3e-0f6f8d1c2b3a' },
  { at: SEEN - 4_000, kind: 'confirm_shown', tool: 'page_click', detail: 'https://shop.example', cid: '3f9a1c52-77aa-4e0b-9f3e-0f6f8d1c2b3a' },
  { at: SEEN - 60_000, kind: 'kill_status_changed', detail: 'alive' },
  { at: SEEN - 61_000, kind: 'kill_released' },
  { at: SEEN - 90_000, kind: 'kill_engaged' },
];
const trail = {
  entries: [
    { entry: 'record', ts_ms: SEEN, kind: 'tool_call', fields: { surface: 'broker', outcome: 'ok', tool: 'page_click', name: 'chromium', req: 41, conn: 2, dur_ms: 187 } },
    { entry: 'record', ts_ms: SEEN - 500, kind: 'tool_call', fields: { surface: 'broker', outcome: 'error', tool: 'page_text', code: 'SITE_NOT_ALLOWED', name: 'chromium', req: 40, conn: 2, dur_ms: 60_004 } },
    { entry: 'record', ts_ms: SEEN - 9_000, kind: 'harness_admit', fields: { surface: 'broker', outcome: 'unenrolled', name: 'desk-agent', detail: `hash:${HASH}` } },
    { entry: 'unrecognized', text: `{"v":2,"ts_ms":1768469400000,"kind":"from_the_future","what":"${'\u202e'}txt${'x'.repeat(120)}"}` },
    { entry: 'record', ts_ms: SEEN - 20_000, kind: 'harness_refuse', fields: { surface: 'broker', outcome: 'refused', name: 'unknown', detail: 'not_trusted; unmeasured' } },
    { entry: 'record', ts_ms: SEEN - 40_000, kind: 'made_by_a_newer_host', fields: { surface: 'core', outcome: 'ok', detail: 'a kind that has no sentence here' } },
  ],
  older: 1_204,
  path: '/home/ada/.local/state/genkan/audit.log',
};
const DEFAULTS = {
  cdpMode: false, fileUploadEnabled: false, handleDialogEnabled: false, pageEvalEnabled: false,
  confirmHighRiskClick: true, confirmPageEval: true, presenceConfirm: true, confirmTabClose: true, warnPreciseSnapshot: true, evalMask: true,
  hostReverifyMs: 0, confirmGraceMs: 60_000, clickToastTimeoutMs: 30_000, evalToastTimeoutMs: 45_000, disabledTools: [],
};
const policy = (over = {}) => ({ serving: 'active', blocked: null, effective: { ...DEFAULTS, pageEvalEnabled: true, confirmGraceMs: 120_000, disabledTools: ['page_upload', 'a_tool_of_another_version'] }, revision: 7, refused: null, ...over });
const past = (i, over = {}) => ({ id: String(i).repeat(64), signed: true, overlay_active: false, superseded_unix: SEEN / 1000 - 86_400 * i, held: { revision: 7 - i, effective: DEFAULTS }, ...over });
const history = [
  { id: 'd'.repeat(64), signed: false, overlay_active: false, superseded_unix: SEEN / 1000 - 864_000 },
  past(3, { signed: false, held: { revision: 4, effective: { ...DEFAULTS, pageEvalEnabled: true, confirmGraceMs: 120_000, disabledTools: ['page_upload', 'a_tool_of_another_version'] } } }),
  past(2, { overlay_active: true, held: { revision: 5, effective: { ...DEFAULTS, cdpMode: true, evalMask: false } } }),
  past(1),
];
const REPORT = {
  version: '0.1.0', platform: 'linux x86_64',
  directories: { value: '/run/user/1000/genkan', details: ['state: /home/ada/.local/state/genkan', 'a detail that goes on for longer than the line is wide, since it names a folder with a very long name'] },
  lock_file: { value: 'present', details: ['endpoint /run/user/1000/genkan/bridge.sock, pid 4711'] },
  mcp_server: { value: 'reachable', details: [] }, kill_switch: { value: 'off', details: [] },
  policy_baseline: { value: 'revision 7, signed', details: [] },
  host_key: 'present, in the credential store', summary: 'one registration is out of date', healthy: false,
};
const release = { nonce: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8', action: 'release the kill switch', challenge: 'yn7WCf3CHUMjqIzCqcLLbZgCpkE1AVilg2Qm_YVu2iU', allowedCredentialIds: [], expiresAt: from(118_400) };

const ok = (data) => ({ ok: true, data });
const no = (error) => ({ ok: false, error });
const worker = ({ is = status(), list = sites(), pair = pairing({ serving: is.serving, blocked: is.blocked }), more = {} } = {}) => ({
  get_status: ok(is),
  get_allowlist: ok(list),
  get_enrollment: ok(pair),
  get_kill: ok(is.kill),
  get_policy: ok(
    is.serving === 'unpaired' || is.serving === 'blocked'
      ? { serving: is.serving, blocked: is.blocked, effective: is.serving === 'blocked' ? null : DEFAULTS, revision: null, refused: null }
      : policy({ serving: is.serving, ...(is.serving === 'preCutover' ? { effective: DEFAULTS, revision: null } : {}) }),
  ),
  get_policy_history: is.port.state === 'up' ? ok(history) : no('not-connected'),
  webauthn_enrollment: ok({ state: 'none' }),
  enroll_approve: ok(null),
  enroll_reject: ok(null),
  enroll_pair: no('not_enrolled'),
  set_kill: ok(is.kill),
  resolve_allow: ok(null),
  sweep_pending: ok(null),
  get_clients: is.port.state === 'up' ? ok(clients) : no('not-connected'),
  get_registration: is.port.state === 'up' ? ok(registration) : no('not-connected'),
  get_doctor: is.port.state === 'up' ? ok(REPORT) : no('not-connected'),
  get_audit: ok(ring),
  get_host_audit: is.port.state === 'up' ? ok(trail) : no('not-connected'),
  webauthn_presence_pending: ok(null),
  kill_release: ok({ state: 'presence', request: release }),
  ...more,
});

const LONG_HOST = `${'a-very-long-label-that-somebody-chose-to-hide-the-end-of-the-name'.slice(0, 60)}.login.accounts.example.com.${'x'.repeat(63)}.${'y'.repeat(40)}.attacker.example`;
const some = [entry('https://shop.example/*'), entry('https://intranet.example:8443/*'), entry('http://[::1]:8080/*', false)];
const many = Array.from({ length: 30 }, (_, i) => entry(`https://site-${i + 1}.example/*`));

const payload = (over) => ({
  id: '3f9a1c52-77aa-4e0b-9f3e-0f6f8d1c2b3a',
  kind: 'click',
  tool: 'page_click',
  deadline: from(58_400),
  origin: 'https://shop.example',
  tabTitle: 'Basket – The Shop',
  detail: 'submit: Order now',
  ...over,
});
const asks = (over, more = {}) => ({ confirm_ready: ok({ state: 'shown', payload: payload(over) }), confirm_resolve: ok(null), confirm_deny_kill: ok({ ...alive, latched: true, pending: true }), ...more });

/** Overrides, isolates, invisible and stacked characters, markup, and a word without an end. */
export const HOSTILE = [
  'submit: \u202eyned\u202c <img src=x onerror=alert(1)> </pre><button data-act="allow">Allow</button>',
  '\u2066\u2067\u200b\u200b\u200b\u{e0041}\u{e0042}hidden',
  'W'.repeat(2_000),
  `Z${'\u0300\u0301\u0489'.repeat(60)}algo`,
  '\u0627\u0644\u0633\u0644\u0627\u0645 \u05e9\u05dc\u05d5\u05dd',
  '\u0007\u0000\u001b[31m red',
].join('\n');

/** Longer and wider than the window. */
const CODE = ['const rows = [...document.querySelectorAll("table.orders > tbody > tr")].map((tr) => [...tr.cells].map((td) => td.innerText.trim()).join("; "));', ...Array.from({ length: 30 }, (_, i) => `console.log(${i + 1}, rows[${i}]);`), 'rows'].join('\n');

/** A view: page, name, and the worker's answers; `act` (or the input of `field`) is clicked once it is there and `seen` waited for, `hash` follows the address, `first` runs before the page does. */
export const VIEWS = [
  ['popup', 'offline-no-host', worker({ is: status({ port: { state: 'down', error: 'Specified native messaging host not found.', hostMissing: true }, kill: { ...alive, state: 'none', at: null } }) })],
  ['popup', 'offline', worker({ is: status({ port: { state: 'down', error: 'Native host has exited.', hostMissing: false } }), list: sites({ entries: some.slice(0, 1) }) })],
  ['popup', 'connected', worker({ list: sites({ entries: some }) })],
  ['popup', 'connected-no-site', worker()],
  ['popup', 'connected-many-sites', worker({ list: sites({ entries: many }) })],
  ['popup', 'connected-all-sites', worker({ list: sites({ entries: some.slice(0, 1), allowAllSites: true, allUrlsHeld: true }) })],
  ['popup', 'live', worker({ is: status({ serving: 'active' }), list: sites({ entries: some.slice(0, 2) }) })],
  ['popup', 'unverified', worker({ is: status({ serving: 'unverified' }), list: sites({ entries: some.slice(0, 2) }) })],
  ['popup', 'kill-unknown', worker({ is: status({ kill: { ...alive, state: 'unknown' } }), list: sites({ entries: some.slice(0, 1), pending: [waiting('https://shop.example/*')] }) })],
  ['popup', 'site', worker({ list: sites({ entries: some.slice(0, 1), pending: [waiting('https://new.example:8443/*')] }) })],
  ['popup', 'site-long', worker({ list: sites({ pending: [waiting(`https://${LONG_HOST}:65535/*`)] }) })],
  ['popup', 'sites', worker({ list: sites({ entries: some.slice(0, 1), pending: [waiting('https://one.example/*', 12_000), waiting('https://xn--bcher-kva.example/*'), waiting('http://127.0.0.1:3000/*', 59_000)] }) })],
  ['popup', 'pair', worker({ is: status({ pairingPending: true }), pair: pairing({ pending: { keyId: KEY_ID, at: 0 } }), list: sites({ entries: some.slice(0, 1) }) })],
  ['popup', 'killed', worker({ is: status({ kill: { ...alive, state: 'killed' } }) })],
  ['popup', 'killed-pending', worker({ is: status({ kill: { ...alive, latched: true, pending: true } }) })],
  ['popup', 'blocked', worker({ is: status({ serving: 'blocked', blocked: 'compromised' }) })],
  ['popup', 'blocked-pair', worker({ is: status({ serving: 'blocked', blocked: 'rejected', pairingPending: true }), pair: pairing({ serving: 'blocked', blocked: 'rejected', pending: { keyId: KEY_ID, at: 0 } }) })],
  ['popup', 'blocked-no-key', worker({ is: status({ serving: 'blocked', blocked: 'pin_lost' }) }), { act: 'pair' }],
  ['popup', 'blocked-policy', worker({ is: status({ serving: 'blocked', blocked: 'policy_corrupt' }), pair: pairing({ serving: 'blocked', blocked: 'policy_corrupt', pin: { keyId: KEY_ID, at: 0 } }) })],
  ['popup', 'blocked-build', worker({ is: status({ identityOk: false }) })],
  ['popup', 'no-answer', { $error: 'Could not establish connection. Receiving end does not exist.' }],

  ['confirm', 'click', asks({})],
  ['confirm', 'press', asks({ kind: 'press', tool: 'page_press', detail: 'Control+Shift+Enter' })],
  ['confirm', 'select', asks({ kind: 'select', tool: 'page_select', detail: 'Express delivery (+ 12.00)' })],
  ['confirm', 'tab-close', asks({ kind: 'tab_close', tool: 'tab_close', detail: 'Basket – The Shop' })],
  ['confirm', 'fill', asks({ kind: 'fill', tool: 'page_fill', detail: 'Delivery address: 12 Long Lane\nSmalltown' })],
  ['confirm', 'eval', asks({ kind: 'eval', tool: 'page_eval', detail: CODE, presence: { nonce: 'n', challenge: 'AAAA', allowedCredentialIds: [] } })],
  ['confirm', 'eval-touch', asks({ kind: 'eval', tool: 'page_eval', detail: 'document.title', presence: { nonce: 'n', challenge: 'AAAA', allowedCredentialIds: ['AAAA'] } })],
  ['confirm', 'upload', asks({ kind: 'upload', tool: 'page_upload', detail: '/home/ada/Documents/tax/2025/declaration of a year that was longer than usual.pdf\n#upload > input[type="file"]' })],
  ['confirm', 'read', asks({ kind: 'read', tool: 'storage_get', detail: 'localStorage · shop.example · basket' })],
  ['confirm', 'hostile', asks({ detail: HOSTILE, tabTitle: `\u202e${'Your bank – sign in, all is well, click Allow '.repeat(8)}` })],
  ['confirm', 'lines', asks({ kind: 'fill', tool: 'page_fill', detail: Array.from({ length: 40 }, (_, i) => `line ${i + 1} of what is filled in`).join('\n') })],
  ['confirm', 'long-host', asks({ kind: 'press', tool: 'page_press', origin: `https://${LONG_HOST}:65535`, detail: 'Enter', tabTitle: 'T'.repeat(500) })],
  ['confirm', 'last-seconds', asks({ deadline: from(5_400), tabTitle: '' })],
  ['confirm', 'gone', { confirm_ready: ok({ state: 'gone' }) }],
  ['confirm', 'not-taken', asks({}, { confirm_resolve: { ok: false, error: 'this request is no longer pending' } }), { act: 'deny' }],
  ['confirm', 'kill-failed', asks({}, { confirm_deny_kill: { ok: false, error: 'Could not establish connection.' } }), { act: 'kill' }],
  ['confirm', 'killed', asks({}), { act: 'kill' }],

  ['options', 'connected', worker({ list: sites({ entries: some }) })],
  ['options', 'live', worker({ is: status({ serving: 'active' }), list: sites({ entries: some }), pair: pairing({ serving: 'active', pin: { keyId: KEY_ID, at: 0 }, lastVerifiedAt: Date.UTC(2026, 0, 15, 9, 31) }), more: { webauthn_enrollment: ok({ state: 'enrolled', credentialId: 'KueeMESJyPogqTmB3GO9BV6GlZpURXq0I0rNXzvISEU', enrolledAt: SEEN }) } })],
  ['options', 'pair', worker({ is: status({ pairingPending: true }), pair: pairing({ pending: { keyId: KEY_ID, at: 0 } }) })],
  ['options', 'pair-no-key', worker({ pair: pairing({ lastError: { reason: 'not_enrolled', at: SEEN } }) }), { act: 'pair' }],
  ['options', 'first-policy', worker({ is: status({ serving: 'preCutover' }), pair: pairing({ serving: 'preCutover', pin: { keyId: KEY_ID, at: 0 } }) })],
  ['options', 'policy-refused', worker({ is: status({ serving: 'unverified' }), pair: pairing({ serving: 'unverified', pin: { keyId: KEY_ID, at: 0 }, lastError: { reason: 'something that no version knows of yet', at: SEEN } }), more: { get_policy: ok(policy({ serving: 'unverified', refused: { fields: ['cdpMode', 'disabledTools'], heal: { cdpMode: true, disabledTools: ['page_upload'] }, error: 'revision 9 loosens cdpMode, disabledTools without naming it as a change' } })), webauthn_enrollment: ok({ state: 'unreadable' }) } })],
  ['options', 'report', worker(), { act: 'doctor > summary', seen: '[data-act="doctor"][open] dl' }],
  ['options', 'unpair', worker({ is: status({ serving: 'active' }), pair: pairing({ serving: 'active', pin: { keyId: KEY_ID, at: 0 } }) }), { act: 'unpair', seen: '[data-act="unpair-now"]' }],
  ['options', 'history', worker({ is: status({ serving: 'active' }), pair: pairing({ serving: 'active', pin: { keyId: KEY_ID, at: 0 } }) }), { act: 'policy-history > summary', seen: '[data-act="policy-history"][open] li' }],
  ['options', 'tools', worker({ is: status({ serving: 'active' }), pair: pairing({ serving: 'active', pin: { keyId: KEY_ID, at: 0 } }) }), { act: 'policy-tools > summary', seen: '[data-act="policy-tools"][open] li' }],
  ['options', 'change', worker({ is: status({ serving: 'active' }), pair: pairing({ serving: 'active', pin: { keyId: KEY_ID, at: 0 } }) }), { field: 'cdpMode', seen: '[data-act="policy-grant"]:enabled' }],
  ['options', 'blocked-compromised', worker({ is: status({ serving: 'blocked', blocked: 'compromised' }), pair: pairing({ serving: 'blocked', blocked: 'compromised', pin: { keyId: KEY_ID, at: 0 }, revokePending: true }) })],
  ['options', 'offline', worker({ is: status({ port: { state: 'down', error: 'Specified native messaging host not found.', hostMissing: true } }) })],
  ['options', 'killed', worker({ is: status({ kill: { ...alive, state: 'killed' } }), list: sites({ entries: some }) })],
  ['options', 'kill-unknown', worker({ is: status({ kill: { ...alive, state: 'unknown' } }), list: sites({ entries: some.slice(0, 1) }) })],
  ['options', 'blocked', worker({ is: status({ serving: 'blocked', blocked: 'pin_lost' }) })],
  ['options', 'open', worker({ more: { get_clients: ok({ enrolled: false, clients: [] }), get_audit: ok([]), get_host_audit: ok({ entries: [], older: 0, path: trail.path }) } })],
  ['options', 'no-client', worker({ more: { get_clients: ok({ enrolled: true, clients: [] }) } })],
  ['options', 'severed', worker({ is: status({ port: { state: 'down', error: 'Native host has exited.', hostMissing: false }, kill: { ...alive, state: 'killed' } }) })],
  ['options', 'host-fails', worker({ more: { get_clients: no('the trust record /home/ada/.local/state/genkan/trust.json cannot be read: line 1 is no JSON. Look at the file; deleting it resets clients, enrollments and the kill switch.'), get_registration: no('timed-out'), get_host_audit: no('failed') } })],
  ['options', 'release', worker({ is: status({ kill: { ...alive, state: 'killed' } }), list: sites({ entries: some }) }), { act: 'kill-release' }],
  ['options', 'release-refused', worker({ is: status({ kill: { ...alive, state: 'killed' } }), more: { kill_release: no('store_error: trust.json cannot be read') } }), { act: 'kill-release' }],
  ['options', 'presence', worker({ more: { webauthn_presence_pending: ok({ ...release, action: `trust client desk-agent (hash ${HASH})` }) } })],
  ['options', 'site-waits', worker({ list: sites({ entries: many, pending: [waiting('https://new.example/*')] }) })],
].map(([page, name, answers, extra = {}]) => ({ page, name, answers, hash: '', ...extra }));

export const view = (page, name) => {
  const found = VIEWS.find((v) => v.page === page && v.name === name);
  if (!found) throw new Error(`no view ${page} ${name}`);
  return found;
};

// --------------------------------------------------------------------------------------------- //
// Opening

/** Runs in the page before anything of the page does. */
function stub(answers) {
  const fill = (value) => {
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== 'object' || value === null) return value;
    if ('$from' in value) return Date.now() + value.$from;
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, fill(v)]));
  };
  globalThis.sent = [];
  globalThis.answers = answers;
  const sendMessage = (message) => {
    globalThis.sent.push(message);
    if (answers.$error) return Promise.reject(new Error(answers.$error));
    return Promise.resolve(fill(answers[message.type]) ?? { ok: false, error: `no answer to ${message.type}` });
  };
  for (const api of [globalThis.chrome, globalThis.browser]) if (api?.runtime) api.runtime.sendMessage = sendMessage;
}

/** Opens pages of ours in a browser that has the extension. */
export function opener(browser, id = extensionId()) {
  const address = (page) => `chrome-extension://${id}/${page}.html`;
  return {
    id,

    /** The language that pages load in from now on. */
    async language(value) {
      const page = await browser.page(address('options'));
      await page.eval(`chrome.storage.local.set({ uiLanguage: ${JSON.stringify(value)} })`);
      await page.close();
    },

    /** A tab with a view of the right size, in a theme, once there is something to see. */
    async open({ page: name, answers, act, field, seen = 'main.over, .alert, dialog[open]', hash, first }, { theme = 'light', motion = 'no-preference', size = SIZES[name] } = {}) {
      const page = await browser.page();
      const [width, height] = size;
      await page.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
      await page.send('Emulation.setEmulatedMedia', {
        features: [
          { name: 'prefers-color-scheme', value: theme },
          { name: 'prefers-reduced-motion', value: motion },
        ],
      });
      if (answers) await page.send('Page.addScriptToEvaluateOnNewDocument', { source: `(${stub})(${JSON.stringify(answers)})` });
      if (first) await page.send('Page.addScriptToEvaluateOnNewDocument', { source: first });
      const query = name === 'confirm' && answers ? '?id=3f9a1c52-77aa-4e0b-9f3e-0f6f8d1c2b3a' : '';
      await page.goto(`${address(name)}${query}${hash}`);
      await page.until(`document.querySelector('#root main') !== null`);
      // `act > tag` is something within what carries the hook.
      const [hook, within = ''] = (act ?? '').split(/(?= > )/);
      const target = act ? `[data-act="${hook}"]${within}` : field ? `[data-field="${field}"]` : null;
      if (target) {
        await page.until(`document.querySelector('${target}:not(:disabled)') !== null`);
        await page.eval(`document.querySelector('${target}').click()`);
        await page.until(`document.querySelector('${seen}') !== null`);
      }
      // Two frames: the answers that are there are rendered, and so is what follows from them.
      await page.eval('new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))');
      return page;
    },
  };
}

/** Presses and releases a key as a person would. */
export async function press(page, key) {
  const codes = { Tab: 9, Enter: 13, Escape: 27 };
  const text = key === 'Enter' ? '\r' : undefined;
  const event = { key, code: key, windowsVirtualKeyCode: codes[key] };
  await page.send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', text, ...event });
  await page.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
}
