/** The browser as our pages see it: an answer for each message, a storage, and a log of what was done. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { messagesOf } from '../../scripts/locales.mjs';
import type {
  AllowlistView,
  ConfirmPayload,
  DoctorView,
  EnrollmentView,
  KillView,
  PresenceView,
  RuntimeMessage,
  RuntimeReply,
  StatusView,
} from '../../src/messages';

type Answer = RuntimeReply | Promise<RuntimeReply> | ((message: RuntimeMessage) => RuntimeReply | Promise<RuntimeReply>);

export const fake = {
  /** Messages, prompts and writes in the order in which the page began them. */
  log: [] as unknown[],
  answers: {} as Record<string, Answer>,
  stored: {} as Record<string, unknown>,
  /** What the browser's prompt ends with; an error is what it throws. */
  prompt: true as boolean | Promise<boolean> | Error,
  language: 'en-GB',
  listeners: new Set<(keys: string[]) => void>(),

  reset() {
    fake.log.length = 0;
    fake.answers = { get_doctor: { ok: true, data: report() } as RuntimeReply };
    fake.stored = {};
    fake.prompt = true;
    fake.language = 'en-GB';
    fake.listeners.clear();
  },
  sent: (type: string) => fake.log.filter((m) => (m as { type?: string }).type === type),
  changed(...keys: string[]) {
    for (const listener of [...fake.listeners]) listener(keys);
  },
};

export const runtime = {
  resource: (file: string) => `chrome-extension://id/${file}`,
  ownId: () => 'fmkoengpgchbmogeaifdcdfpnnpgmcfl',
  openOptions: async () => void fake.log.push({ opened: 'options' }),
  async send(message: RuntimeMessage): Promise<RuntimeReply> {
    fake.log.push(message);
    const answer = fake.answers[message.type];
    if (answer === undefined) return { ok: false, error: `no answer to ${message.type}` };
    // A message is a copy, each time.
    return structuredClone(await (typeof answer === 'function' ? answer(message) : answer));
  },
};

export const storage = {
  read: async (keys: readonly string[]) => Object.fromEntries(keys.filter((k) => k in fake.stored).map((k) => [k, fake.stored[k]])),
  write: async (items: Record<string, unknown>) => {
    fake.log.push({ wrote: items });
    Object.assign(fake.stored, items);
    fake.changed(...Object.keys(items));
  },
  onChanged(listener: (keys: string[]) => void) {
    fake.listeners.add(listener);
    return () => fake.listeners.delete(listener);
  },
};

export const permissions = {
  ALL_URLS: '<all_urls>',
  async request(pattern: string) {
    fake.log.push({ asked: pattern });
    if (fake.prompt instanceof Error) throw fake.prompt;
    return fake.prompt;
  },
  async requestAll(patterns: string[]) {
    fake.log.push({ askedAll: patterns });
    return true;
  },
  async remove(pattern: string) {
    fake.log.push({ removed: pattern });
    return true;
  },
};

export const i18n = { browserLanguage: () => fake.language, getMessage: () => '' };

const LOCALES = path.resolve(import.meta.dirname, '../../src/i18n/locales');
export const bundle = (language: string): Record<string, string> =>
  JSON.parse(readFileSync(path.join(LOCALES, `${language}.json`), 'utf8')) as Record<string, string>;

/** `fetch` of the compiled bundles, as the built extension has them. */
export async function fetchBundle(url: unknown): Promise<Response> {
  const found = /_locales\/(\w+)\/messages\.json$/.exec(String(url));
  if (found === null) throw new TypeError('Failed to fetch');
  return new Response(JSON.stringify(messagesOf(bundle(found[1] ?? ''))));
}

// --------------------------------------------------------------------------------------------- //
// What the worker says, healthy unless told otherwise

export const ok = (data: unknown): RuntimeReply => ({ ok: true, data }) as RuntimeReply;
export const no = (error: string): RuntimeReply => ({ ok: false, error });

export const kill = (over: Partial<KillView> = {}): KillView => ({ state: 'alive', at: 1_000, latched: false, pending: false, ...over });

export const status = (over: Partial<StatusView> = {}): StatusView => ({
  port: { state: 'up', error: null, hostMissing: false, served: false },
  serving: 'unpaired',
  blocked: null,
  pairingPending: false,
  identityOk: true,
  storageOk: true,
  kill: kill(),
  versions: { extension: '0.1.0', protocol: 1 },
  ...over,
});

/** What the host says of itself and of the server, all of it healthy. */
export const report = (over: Partial<DoctorView> = {}): DoctorView => ({
  version: '0.1.0',
  platform: 'linux/x86_64',
  directories: { value: 'runtime /r', details: [] },
  lock_file: { value: '/r/run.lock', details: [] },
  mcp_server: { value: 'reachable', details: [] },
  kill_switch: { value: 'off', details: [] },
  policy_baseline: { value: 'none yet', details: [] },
  host_key: 'none',
  summary: 'the server runs and a browser is registered',
  healthy: true,
  ...over,
});

export const list = (over: Partial<AllowlistView> = {}): AllowlistView => ({ entries: [], pending: [], allowAllSites: false, allUrlsHeld: false, ...over });

export const pairing = (over: Partial<EnrollmentView> = {}): EnrollmentView => ({ serving: 'unpaired', blocked: null, pin: null, pending: null, lastVerifiedAt: null, lastError: null, revokePending: false, ...over });

export const request = (over: Partial<PresenceView> = {}): PresenceView => ({
  nonce: 'n1',
  action: 'release the kill switch',
  challenge: 'AAAA',
  allowedCredentialIds: [],
  expiresAt: Date.now() + 120_000,
  ...over,
});

export const payload = (over: Partial<ConfirmPayload> = {}): ConfirmPayload => ({
  id: '3f9a1c52-77aa-4e0b-9f3e-0f6f8d1c2b3a',
  kind: 'click',
  tool: 'page_click',
  deadline: Date.now() + 60_000,
  origin: 'https://shop.example',
  tabTitle: 'Basket',
  detail: 'submit: Order now',
  ...over,
});
