// make bench, browser rows: calls through the whole chain, next to the floor of the same moment.
//
//   node bench.mjs PROGRAMS
//
// PROGRAMS is the folder of echo_host and line_client. The chain: a client that writes and reads lines, genkan-server, the socket, genkan-host, Chromium, the
// shipped extension, a page. The floor: a message from an extension that does nothing to a host that
// does nothing, and one `scripting.executeScript`, in the same browser. One sample of each is taken in
// turn, so that both see the same weather. JSON lines on stdout; GENKAN_BENCH_N scales the samples.
//
// The extension is paired and has a policy that a user can set: `pageEvalEnabled` on, `presenceConfirm`
// and `confirmPageEval` off, so that page_eval asks nobody; everything else is as it comes. The buttons
// clicked on are no submit buttons, so no window is due for them either.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, sleep, within } from '../../e2e/cdp.mjs';
import { optionsPage, paired } from '../../e2e/persons.mjs';
import { answerSite, bindir, extension, id, inWorld, preparePermission, site, until } from '../../e2e/world.mjs';
import { pages } from './pages.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const FLOOR_HOST = 'com.vivswan.genkan.floor';
/** Calls of a model come seconds apart: everything on the way is asleep, and so it is before each sample. */
const REST_MS = 10;
const scale = Number(process.env.GENKAN_BENCH_N ?? 1);

const say = (row) => console.log(JSON.stringify(row));

if (chromium() === null) {
  say({ skipped: 'browser rows', why: 'no Chromium: install it, or name its binary in CHROMIUM' });
  process.exit(77);
}

/**
 * An MCP client and nothing else: one line out, one line in, in a program of its own that looks at the clock
 * where the lines pass. One call at a time.
 */
function lineClient(world, programs) {
  const env = { PATH: process.env.PATH, ...world.env };
  const client = spawn(path.join(programs, 'line_client'), [path.join(bindir, 'genkan-server')], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  world.later(() => client.stdin.end());
  let heard = () => {};
  let rest = '';
  let next = 1;
  client.stdout.setEncoding('utf8');
  client.stdout.on('data', (d) => {
    rest += d;
    if (!rest.endsWith('\n')) return;
    heard(rest);
    rest = '';
  });
  /** The answer, and how long it took in milliseconds. */
  async function ask(method, params) {
    const id = next++;
    const answered = new Promise((resolve) => {
      heard = resolve;
    });
    client.stdin.write(`?${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const line = await within(60_000, answered, method);
    const message = JSON.parse(line.slice(line.indexOf(' ')));
    if (message.id !== id) throw new Error(`${method}: the answer is not its own: ${line}`);
    return { ms: Number(line.slice(0, line.indexOf(' '))) / 1000, message };
  }
  const self = {
    async open() {
      await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '0' } });
      client.stdin.write(`!${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
      return self;
    },
    async timed(name, args = {}) {
      const { ms, message } = await ask('tools/call', { name, arguments: args });
      const { result, error } = message;
      if (error || result.isError) throw new Error(`${name}: ${error?.message ?? result.content[0].text}`);
      return { ms, text: result.content[0].text };
    },
    call: async (name, args) => (await self.timed(name, args)).text,
  };
  return self;
}

/** An unpacked extension without a key is named by its folder. */
const idOf = (folder) => [...createHash('sha256').update(folder).digest('hex').slice(0, 32)].map((c) => String.fromCharCode(97 + parseInt(c, 16))).join('');

/** Browser with both extensions; the floor's functions. */
async function start(world, programs) {
  const folder = path.join(realpathSync(world.folder), 'floor');
  cpSync(path.join(here, 'floor'), folder, { recursive: true });
  const hosts = path.join(world.folder, 'profile-chromium', 'NativeMessagingHosts');
  mkdirSync(hosts, { recursive: true });
  writeFileSync(
    path.join(hosts, `${FLOOR_HOST}.json`),
    JSON.stringify({ name: FLOOR_HOST, description: 'echo', path: path.join(programs, 'echo_host'), type: 'stdio', allowed_origins: [`chrome-extension://${idOf(folder)}/`] }),
  );
  const both = `${extension},${folder}`;
  const browser = await world.browser({ args: [`--disable-extensions-except=${both}`, `--load-extension=${both}`] });
  const worker = await browser.worker(idOf(folder));
  return { browser, worker, floor: { echo: () => worker.call('echo', [REST_MS, 'x'.repeat(100)]), script: (tabId) => worker.call('script', [REST_MS, tabId]) } };
}

function percentile(values, p) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(((sorted.length - 1) * p) / 100)];
}

const round = (ms) => Math.round(ms * 100) / 100;
const summary = (values) => ({ n: values.length, p50: round(percentile(values, 50)), p95: round(percentile(values, 95)) });

/**
 * One row: samples of `work` and of the floor in turn. `goal` is how often the floor's p50 fits into
 * that of the row at most; `script` says that the floor is echo and script together.
 */
async function row(name, { n, work, floor, tabId, goal, script = true }) {
  const count = Math.max(20, Math.round(n * scale));
  const own = [];
  const echoes = [];
  const scripts = [];
  for (let i = -5; i < count; i++) {
    const echo = await floor.echo();
    const ran = script ? await floor.script(tabId) : 0;
    await sleep(REST_MS);
    const { ms } = await work(i);
    if (i < 0) continue; // warming up
    own.push(ms);
    echoes.push(echo);
    scripts.push(ran);
  }
  const base = percentile(echoes, 50) + (script ? percentile(scripts, 50) : 0);
  const ratio = percentile(own, 50) / base;
  say({ bench: name, ...summary(own) });
  say({ bench: `${name}.echo_floor`, ...summary(echoes) });
  if (script) say({ bench: `${name}.script_floor`, ...summary(scripts) });
  say({ bench: `${name}.ratio`, p50: round(ratio), ...(goal === undefined ? {} : { goal, met: ratio <= goal }) });
}

/** In the page alone, by the same implementation as the extension's: what it takes there. */
async function inPage(name, tab, n, goals) {
  const source = readFileSync(path.join(extension, 'page-api.js'), 'utf8');
  const times = [];
  let text = '';
  for (let i = -2; i < Math.max(10, Math.round(n * scale)); i++) {
    const { ms, lines, head, total } = await tab.eval(`(async () => {
      globalThis.api ??= (${source})('data-genkan-ref', 'data-genkan-pref', (e) => e.shadowRoot);
      const question = { call: 1, expectOrigin: location.origin, args: { interactiveOnly: true, refPrefix: '', limit: 2000, hasFocus: true } };
      const from = performance.now();
      const { data } = await api.page_snapshot(question);
      return { ...data, ms: performance.now() - from };
    })()`);
    if (i >= 0) times.push(ms);
    text = `${lines.length} of ${total}`;
  }
  say({ bench: name, ...summary(times), lines: text, ...goals(percentile(times, 50)) });
}

/**
 * The worker is stopped, with it the port and the host; a call waits for a browser. From the message that
 * wakes the worker to the answer.
 */
async function coldWake(browser, client, n) {
  const times = [];
  for (let i = 0; i < Math.max(5, Math.round(n * scale)); i++) {
    const page = await browser.page(`chrome-extension://${id}/popup.html`);
    await page.send('ServiceWorker.enable');
    await page.send('ServiceWorker.stopAllWorkers');
    await until(async () => JSON.parse(await client.call('list_browsers')).count === 0, 'the host is gone');
    const answered = client.call('tab_list').then(() => process.hrtime.bigint());
    await sleep(50);
    const from = process.hrtime.bigint();
    void page.eval("chrome.runtime.sendMessage({ type: 'get_status' })").catch(() => {});
    times.push(Number((await answered) - from) / 1e6);
    await page.close();
  }
  const p50 = percentile(times, 50);
  say({ bench: 'cold_wake_ms', ...summary(times), goal: 400, met: p50 <= 400 });
}

async function main(programs) {
  await inWorld(async (world) => {
    const web = await site(pages);
    world.later(web.close);
    const client = await lineClient(world, programs).open();
    const { browser, floor, worker: floorWorker } = await start(world, programs);
    await until(async () => JSON.parse(await client.call('list_browsers')).browsers.some((b) => b.tabCount !== null), 'the browser is attached');
    const tab = await browser.page(`${web.origin}/act`);
    const tabId = JSON.parse(await client.call('tab_list')).find((x) => x.url === `${web.origin}/act`).id;
    await preparePermission(browser, web.origin);
    const reading = client.call('page_text', { tabId });
    await answerSite(browser);
    await reading;
    const options = await optionsPage(browser);
    await paired(world, options);
    for (const overlay of [{ pageEvalEnabled: true, presenceConfirm: false }, { confirmPageEval: false }]) {
      const { nonce } = await options.say({ type: 'grant_policy', overlay });
      await options.say({ type: 'webauthn_presence_confirm', nonce });
      const [field, value] = Object.entries(overlay).at(-1);
      await until(async () => (await options.say({ type: 'get_policy' })).effective?.[field] === value, field);
    }
    await tab.send('Page.bringToFront');
    await options.close();
    say({ bench: 'browser', load: loadavg().map(round), policy: { pageEvalEnabled: true, presenceConfirm: false, confirmPageEval: false } });

    const common = { floor, tabId };
    await row('tab_list_ms', { ...common, n: 200, goal: 2, script: false, work: () => client.timed('tab_list') });
    await row('click_ms', { ...common, n: 100, goal: 4, work: () => client.timed('page_click', { tabId, selector: '#go' }) });
    await row('fill_ms', { ...common, n: 100, goal: 2.5, work: (i) => client.timed('page_fill', { tabId, selector: '#q', value: `words ${i}` }) });
    await row('eval_ms', { ...common, n: 100, goal: 2.5, work: () => client.timed('page_eval', { tabId, code: 'return document.title' }) });
    await tab.goto(`${web.origin}/small`);
    await row('snapshot_small_ms', { ...common, n: 100, goal: 2.5, work: () => client.timed('page_snapshot', { tabId }) });
    await tab.goto(`${web.origin}/big`);
    await row('snapshot_big_ms', { ...common, n: 40, work: () => client.timed('page_snapshot', { tabId }) });
    await inPage('snapshot_big_page_ms', tab, 40, (p50) => ({ goal: 60, met: p50 <= 60 }));
    await tab.goto(`${web.origin}/controls`);
    await inPage('snapshot_controls_page_ms', tab, 40, (p50) => ({ goal: 60, met: p50 <= 60 }));
    const outline = await client.call('page_snapshot', { tabId });
    const bytes = Buffer.byteLength(outline);
    const marked = /\nnote: [0-9]+ of 5000 elements shown; pass selector to narrow$/.test(outline);
    say({ bench: 'snapshot_controls_bytes', value: bytes, marked, goal: 65_536, met: bytes <= 65_536 && marked });
    await floorWorker.detach();
    await coldWake(browser, client, 10);
  });
}

await main(path.resolve(process.argv[2]));
