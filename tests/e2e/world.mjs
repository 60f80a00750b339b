// The whole chain in a folder of its own: home and runtime directory, the native-messaging manifest
// in the browser's profile, Chromium with the shipped extension, and official MCP clients.
//
// GENKAN_BINDIR names the folder of the programs, GENKAN_EXTENSION the built extension.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, sleep, within } from './cdp.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '..', '..');
export const bindir = path.resolve(process.env.GENKAN_BINDIR ?? path.join(root, 'build'));
export const extension = path.resolve(process.env.GENKAN_EXTENSION ?? path.join(root, 'build/extension/.output/chrome-mv3'));
const HOST = 'com.vivswan.genkan.host';

/** The browser's rule: the first half of the key's digest, 0-f spelled a-p. */
function extensionId() {
  const { key } = JSON.parse(readFileSync(path.join(extension, 'manifest.json'), 'utf8'));
  const digest = createHash('sha256').update(Buffer.from(key, 'base64')).digest('hex');
  return [...digest.slice(0, 32)].map((c) => String.fromCharCode(97 + parseInt(c, 16))).join('');
}

export const id = extensionId();
const quoted = (s) => `'${s.replaceAll("'", "'\\''")}'`;

/** Everything that must be gone again lies below `folder`. */
export class World {
  folder;
  #ends = [];

  /** A folder of somebody else's has the two directories already. */
  constructor(folder) {
    this.folder = folder ?? mkdtempSync(path.join(tmpdir(), 'genkan-e2e-'));
    for (const d of ['home', 'run']) mkdirSync(path.join(this.folder, d), { mode: 0o700, recursive: true });
    this.env = { HOME: path.join(this.folder, 'home'), XDG_RUNTIME_DIR: path.join(this.folder, 'run') };
    // What Chromium and its libraries would put elsewhere.
    for (const name of ['XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME']) this.env[name] = path.join(this.folder, 'home', name.slice(4, -5).toLowerCase());
  }

  lock() {
    return JSON.parse(readFileSync(path.join(this.folder, 'run', 'genkan', 'run.lock'), 'utf8'));
  }

  /**
   * Chromium with the extension, speaking to our genkan-host under that label. A folder `profile`
   * below the world's keeps its state over several launches.
   */
  async browser({ label = 'chromium', headless = true, args = [], env = {}, name = label } = {}) {
    const profile = path.join(this.folder, `profile-${name}`);
    const hosts = path.join(profile, 'NativeMessagingHosts');
    const wrapper = path.join(this.folder, `host-${name}.sh`);
    mkdirSync(hosts, { recursive: true });
    const logged = quoted(path.join(this.folder, `host-${name}.log`));
    writeFileSync(wrapper, `#!/bin/sh\nexec ${quoted(path.join(bindir, 'genkan-host'))} --label ${quoted(label)} "$@" 2>>${logged}\n`);
    chmodSync(wrapper, 0o755);
    writeFileSync(
      path.join(hosts, `${HOST}.json`),
      JSON.stringify({ name: HOST, description: 'end-to-end test', path: wrapper, type: 'stdio', allowed_origins: [`chrome-extension://${id}/`] }),
    );
    const browser = await launch({ extension, profile, headless, args, env: { ...this.env, ...env } });
    this.#ends.push(() => browser.close());
    browser.hostLog = () => (existsSync(path.join(this.folder, `host-${name}.log`)) ? readFileSync(path.join(this.folder, `host-${name}.log`), 'utf8') : '');
    await browser.worker(id);
    return browser;
  }

  /**
   * An official client with a genkan-server of its own. Modes: `auto`, `pin` (2026-07-28) and
   * `legacy` of @modelcontextprotocol/client, `sdk1` for @modelcontextprotocol/sdk 1.x.
   */
  async client(mode = 'auto', { env = {}, ...options } = {}) {
    // Not before they are wanted: the benchmark has a client of its own, and needs no package.
    const old = mode === 'sdk1';
    const sdk = old ? '@modelcontextprotocol/sdk/client' : '@modelcontextprotocol/client';
    const [{ Client }, { StdioClientTransport }] = await Promise.all([import(old ? `${sdk}/index.js` : sdk), import(old ? `${sdk}/stdio.js` : `${sdk}/stdio`)]);
    const about = { name: `e2e-${mode}`, version: '1.0.0' };
    const server = { command: path.join(bindir, 'genkan-server'), args: [], env: { ...this.env, ...env }, stderr: 'pipe' };
    const transport = new StdioClientTransport(server);
    const versions = { auto: 'auto', pin: { pin: '2026-07-28' }, legacy: 'legacy' };
    const client = new Client(about, { ...(old ? {} : { versionNegotiation: { mode: versions[mode] } }), ...options });
    let log = '';
    transport.stderr?.on('data', (d) => {
      log += d;
    });
    await within(20_000, client.connect(transport), `connecting (${mode})`);
    this.#ends.push(() => client.close());
    return Object.assign(client, { old, pid: transport.pid, serverLog: () => log });
  }

  /** Runs `genkan` in this world, its input empty: status and everything it said. */
  genkan(args, options = {}) {
    return this.#run(path.join(bindir, 'genkan'), args, null, options);
  }

  /** The same on a terminal, where `typed` is typed at the first prompt. */
  terminal(args, typed = 'allow', options = {}) {
    const command = [path.join(bindir, 'genkan'), ...args].map(quoted).join(' ');
    return this.#run('script', ['-qefc', command, '/dev/null'], typed, options);
  }

  #run(program, args, typed, { env = {}, ms = 20_000 } = {}) {
    const child = spawn(program, args, { env: { ...process.env, ...this.env, ...env }, stdio: [typed === null ? 'ignore' : 'pipe', 'pipe', 'pipe'] });
    let out = '';
    let asked = false;
    const hear = (d) => {
      out += d;
      if (typed === null || asked || !/go on: $/.test(out)) return;
      asked = true;
      child.stdin.write(`${typed}\n`);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    const ended = new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, out, asked }));
    });
    return within(ms, ended, `genkan ${args.join(' ')}`).catch((e) => {
      child.kill('SIGKILL');
      throw new Error(`${e.message}\n${out}`);
    });
  }

  /** The processes of one of our programs in this world. */
  pids(program) {
    return readdirSync('/proc').filter((pid) => {
      if (!/^[0-9]+$/.test(pid)) return false;
      try {
        return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === program && readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${this.env.HOME}`);
      } catch {
        return false; // gone meanwhile, or not ours to look at
      }
    }).map(Number);
  }

  /** A file of the state directory. */
  state(name) {
    return path.join(this.env.HOME, '.local', 'state', 'genkan', name);
  }

  /** The trust record, or null if there is none. */
  trust() {
    const file = this.state('trust.json');
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
  }

  /** `fn` runs before the folder goes, latest first. */
  later(fn) {
    this.#ends.push(fn);
  }

  async close() {
    for (const end of this.#ends.reverse()) await within(15_000, Promise.resolve(end()), 'cleaning up').catch((e) => console.error(`# ${e.message}`));
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** Runs the body in a fresh world; logs of hosts are shown when it throws. */
export async function inWorld(body) {
  const world = new World();
  try {
    return await body(world);
  } catch (e) {
    for (const f of readdirSync(world.folder).filter((n) => n.endsWith('.log'))) console.error(`# ${f}:\n${readFileSync(path.join(world.folder, f), 'utf8').slice(-3000)}`);
    throw e;
  } finally {
    await world.close();
  }
}

/** `{path: html}` on a port of 127.0.0.1; `log` holds method, path and body of each request. */
export async function site(pages) {
  const log = [];
  const server = createServer((req, res) => {
    let body = '';
    req.on('data', (d) => {
      body += d;
    });
    req.on('end', () => {
      log.push({ method: req.method, url: req.url, body });
      const found = pages[new URL(req.url, 'http://x').pathname];
      const html = typeof found === 'function' ? found({ req, body }) : found;
      res.writeHead(html === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
      res.end(html ?? 'not found');
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    log,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The content block of a call, or its error text. */
export const text = (result) => result.content[0].text;
export const json = (result) => JSON.parse(text(result));

/** Calls a tool; a failure throws its text, so that a test reads like the happy path. */
export async function call(client, name, args = {}, options = {}) {
  const params = { name, arguments: args };
  const result = await (client.old ? client.callTool(params, undefined, options) : client.callTool(params, options));
  if (result.isError) throw Object.assign(new Error(text(result)), { result });
  return result;
}

/** The failure of a call as `[CODE, text]`; a success throws. */
export async function refused(client, name, args = {}, options = {}) {
  try {
    await call(client, name, args, options);
  } catch (e) {
    const m = /^Error \[([A-Z_]+)\]: (.*)$/s.exec(e.message);
    if (m) return [m[1], m[2]];
    throw e;
  }
  throw new Error(`${name} was not refused`);
}

/** Polls until `fn` gives something true. */
export async function until(fn, what, ms = 15_000) {
  for (const end = Date.now() + ms; ; await sleep(50)) {
    const value = await fn();
    if (value) return value;
    if (Date.now() > end) throw new Error(`${what}: not within ${ms} ms`);
  }
}

/** Waits until the extension in this browser has its port up and the server sees its label. */
export async function attached(client, label = 'chromium') {
  return until(async () => {
    const { browsers } = json(await call(client, 'list_browsers'));
    return browsers.find((b) => b.label === label && b.tabCount !== null);
  }, `${label} attached`);
}

/**
 * Lets the browser grant a host without its prompt, which headless has not: from now on a click on
 * Allow in the popup is enough. It grants nothing by itself.
 */
export async function preparePermission(browser, origin) {
  const page = await browser.page('chrome://extensions/');
  const { protocol, hostname } = new URL(origin);
  await page.eval(`chrome.developerPrivate.addHostPermission(${JSON.stringify(id)}, ${JSON.stringify(`${protocol}//${hostname}/*`)})`);
  await page.close();
}

/** An open popup that shows the button. One that was answered before may be closing, and shows nothing any more. */
async function popupWith(browser, url, button) {
  const shown = `document.querySelector(${JSON.stringify(button)}) !== null`;
  const known = new Map();
  for (const end = Date.now() + 4_000; Date.now() < end; await sleep(50)) {
    for (const { targetId } of (await browser.targets()).filter((t) => t.type === 'page' && t.url.startsWith(url))) {
      const popup = known.get(targetId) ?? (await within(1_000, browser.attach(targetId), 'attaching').catch(() => null));
      known.set(targetId, popup);
      if (popup && (await popup.eval(shown, { ms: 1_000 }).catch(() => false))) return popup;
    }
  }
  return browser.page(url);
}

/** Waits until a button can be clicked and stays where it is: what comes in above moves it under the pointer. */
export const clickable = (page, selector, ms) =>
  page.until(
    `(() => {
      const b = document.querySelector(${JSON.stringify(selector)});
      b?.scrollIntoView({ block: 'center' });
      const at = b === null || b.disabled ? '' : JSON.stringify(b.getBoundingClientRect());
      const stays = at !== '' && at === globalThis.lastPlace;
      globalThis.lastPlace = at;
      return stays;
    })()`,
    ms,
  );

/** Clicks Allow (or Deny) for the site that waits in the popup; opens the popup if it is not open. */
export async function answerSite(browser, allow = true) {
  const url = `chrome-extension://${id}/popup.html`;
  const button = `[data-act="${allow ? 'site-allow' : 'site-deny'}"]`;
  const popup = await popupWith(browser, url, button);
  await clickable(popup, button);
  await sleep(150);
  await popup.click(button);
  return popup;
}

/** The tab that shows an address, by the id that tools know it by. */
export const tabAt = async (client, url) => json(await call(client, 'tab_list')).find((x) => x.url === url)?.id;

/** How most files begin: a client, a browser, and a tab on a site that a person has just allowed. */
export async function onSite(world, web, { path: at = '/', ...launched } = {}) {
  world.later(web.close);
  const client = await world.client();
  const browser = await world.browser(launched);
  await attached(client);
  const tab = await browser.page(`${web.origin}${at}`);
  const tabId = await tabAt(client, `${web.origin}${at}`);
  await preparePermission(browser, web.origin);
  const reading = call(client, 'page_text', { tabId });
  await answerSite(browser);
  await reading;
  return { client, browser, tab, tabId };
}

/** The confirmation window that is shown, as a session, once it can be answered. */
export async function confirmation(browser, ms = 10_000) {
  const { targetId } = await browser.target((t) => t.type === 'page' && t.url.startsWith(`chrome-extension://${id}/confirm.html`), ms);
  const page = await within(10_000, browser.attach(targetId), 'attaching to the window');
  await page.until('document.querySelector(\'[data-act="allow"]\') !== null');
  return page;
}

/** Clicks in a confirmation window; returns once the window is gone, so that the next is not it. */
export async function press(browser, page, act) {
  // Before its first frame a window drops what is clicked in it, and nothing says for sure that it has one:
  // who sees nothing happen presses again.
  await page.until('performance.getEntriesByName("first-contentful-paint").length > 0', 3_000).catch(() => {});
  await clickable(page, `[data-act="${act}"]`);
  const gone = async () => !(await browser.targets()).some((t) => t.targetId === page.targetId);
  for (const end = Date.now() + 20_000; ; ) {
    // The click may close the window before it is acknowledged.
    void page.click(`[data-act="${act}"]`).catch(() => {});
    if (act === 'kill') return;
    if (await until(gone, 'the window closes', 4_000).catch(() => false)) return;
    if (Date.now() > end) throw new Error('the window closes: not within 20000 ms');
  }
}

/** Answers the next confirmation window: `allow`, `deny` or `kill`. */
export async function answer(browser, act, ms) {
  await press(browser, await confirmation(browser, ms), act);
}
