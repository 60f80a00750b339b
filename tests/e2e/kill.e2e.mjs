// run: alone
// The kill switch: from every surface to every layer, through restarts, and back by a person alone.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { checks, needChromium, sleep } from './cdp.mjs';
import { pages } from './fixtures.mjs';
import { answerSite, attached, call, confirmation, id, inWorld, json, preparePermission, press, refused, site, until } from './world.mjs';

needChromium();
const t = checks();
/** A second for whoever looks once a second, and what a look takes. */
const SOON = 1_200;

await inWorld(async (world) => {
  const web = await site(pages);
  world.later(web.close);
  let client = await world.client();
  let browser = await world.browser();
  await attached(client);
  await preparePermission(browser, web.origin);
  const openTab = async () => {
    const tab = await browser.page(`${web.origin}/`);
    const tabId = json(await call(client, 'tab_list')).find((x) => x.url === `${web.origin}/`).id;
    return { tab, tabId };
  };
  let { tabId } = await openTab();
  const reading = call(client, 'page_text', { tabId });
  await answerSite(browser);
  await reading;

  const mirror = async () => (await (await browser.worker(id)).eval('chrome.storage.local.get("bridgeKillMirror")')).bridgeKillMirror?.state;
  const ourPage = (name) => browser.page(`chrome-extension://${id}/${name}.html`);
  /** Milliseconds from now until `fn` holds, looked at all the time. */
  const after = async (began, fn, what) => {
    for (;;) {
      if (await fn()) return Date.now() - began;
      if (Date.now() - began > 10_000) throw new Error(`${what}: not within 10 s`);
      await sleep(10);
    }
  };
  /** A page half that waits for something that never comes, well inside its act. */
  const longCall = async () => {
    const waiting = refused(client, 'page_wait_for', { tabId, text: 'never there', timeoutMs: 60_000 });
    await sleep(400);
    return waiting.then((why) => ({ why, at: Date.now() }));
  };

  /** What every layer makes of an engage, from the moment `engage` is carried out. */
  async function reaches(surface, engage) {
    const worker = await browser.worker(id);
    const [host] = world.pids('genkan-host');
    const running = longCall();
    await sleep(600);
    await worker.eval(`void (globalThis.mirrored = new Promise((r) => chrome.storage.onChanged.addListener((c) => c.bridgeKillMirror?.newValue?.state === 'killed' && r(Date.now()))))`);
    const began = Date.now();
    await engage();
    const [ended, record, told, mirrored, severed] = await Promise.all([
      running,
      after(began, () => world.trust()?.killed === true, 'the record'),
      after(began, async () => (await refused(client, 'tab_list').catch(() => ['']))[0] === 'BRIDGE_KILLED', 'a new call'),
      worker.eval('mirrored', { ms: 10_000 }),
      after(began, () => !world.pids('genkan-host').includes(host), 'the host of that connection'),
    ]);
    const times = { record, call: ended.at - began, 'next call': told, mirror: mirrored - began, host: severed };
    t.note(`${surface}: ${Object.entries(times).map(([k, v]) => `${k} ${v} ms`).join(', ')}`);
    t.equal(ended.why[0], 'CONNECTION_LOST', `${surface}: a call whose act was under way ends`);
    for (const [layer, ms] of Object.entries(times)) t.ok(ms <= SOON, `${surface}: ${layer} within ${SOON} ms`, ms);
  }

  /** A person at a terminal lets go; calls work again, and nobody restarted anything. */
  async function release(surface) {
    const before = Date.now();
    const { code, out } = await world.terminal(['unkill']);
    t.equal(code, 0, `${surface}: genkan unkill on a terminal releases`);
    t.match(out, /Type "allow"/, 'after it has asked');
    const began = Date.now();
    t.match(json(await call(client, 'page_text', { tabId })).text, /Sign up/, `${surface}: pages are read again, in the same browser`);
    t.note(`${surface}: served again ${Date.now() - began} ms after the release (${began - before} ms)`);
    t.equal(await mirror(), 'alive', `${surface}: the mirror says so`);
  }

  await t.part('popup', async () => {
    const popup = await ourPage('popup');
    await popup.until('document.querySelector(\'[data-act="kill"]\') !== null');
    await reaches('popup', () => popup.click('[data-act="kill"]'));
    await popup.until('document.querySelector(\'[data-act="kill"]\') === null');
    const shown = await popup.eval('document.querySelector("[role=status]").innerText');
    t.match(shown, /Killed/i, 'popup: it says killed');
    t.equal(await popup.eval('[...document.querySelectorAll("button")].map((b) => b.dataset.act)'), ['settings'], 'popup: and offers nothing that releases');
    await popup.close();
  });

  await t.part('release', async () => {
    const piped = await world.genkan(['unkill']);
    t.ok(piped.code === 1 && /not a terminal/.test(piped.out), 'without a terminal nothing is released', piped);
    const wrong = await world.terminal(['unkill'], 'yes');
    t.equal([wrong.code, wrong.asked, world.trust().killed], [1, true, true], 'another word than allow releases nothing');
    t.equal((await refused(client, 'page_text', { tabId }))[0], 'BRIDGE_KILLED', 'and calls are told so');
    await release('popup');
  });

  await t.part('options page', async () => {
    const options = await ourPage('options');
    await options.until('document.querySelector(\'[data-act="kill"]\') !== null');
    await reaches('options', () => options.click('[data-act="kill"]'));
    await options.close();
    await release('options');
  });

  await t.part('terminal', async () => {
    await reaches('terminal', async () => t.equal((await world.genkan(['kill'])).code, 0, 'genkan kill'));
    await release('terminal');
  });

  await t.part('confirmation window', async () => {
    const other = await browser.page(`${web.origin}/hover`);
    const otherId = json(await call(client, 'tab_list')).find((x) => x.url === `${web.origin}/hover`).id;
    const shown = refused(client, 'page_press', { tabId, keys: 'Escape' });
    const behind = refused(client, 'page_press', { tabId: otherId, keys: 'Tab' });
    const page = await confirmation(browser);
    const worker = await browser.worker(id);
    const hosts = world.pids('genkan-host');
    const began = Date.now();
    await press(browser, page, 'kill');
    const [code] = await shown;
    t.equal(code, 'USER_DENIED', 'the red button denies the call that it was shown for');
    const denied = Date.now() - began;
    const [second] = await behind;
    t.ok(second === 'TOOL_DISABLED' || second === 'CONNECTION_LOST', 'the one behind it is refused', second);
    const told = await after(began, async () => (await refused(client, 'tab_list').catch(() => ['']))[0] === 'BRIDGE_KILLED', 'a new call');
    const mirrored = await after(began, async () => (await worker.eval('chrome.storage.local.get("bridgeKillMirror")')).bridgeKillMirror.state === 'killed', 'the mirror');
    t.note(`window: denied ${denied} ms, record and next call ${told} ms, mirror ${mirrored} ms`);
    t.ok(denied <= SOON && told <= SOON && mirrored <= SOON, 'all of it in time', [denied, told, mirrored]);
    await sleep(700);
    const windows = (await browser.targets()).filter((x) => x.type === 'page' && x.url.includes('/confirm.html') && x.targetId !== page.targetId);
    t.equal(windows.length, 0, 'and no window is opened for it');
    await other.close();
    // A release that comes before the broker severed the leg reaches the extension with the host's next look.
    await until(() => !world.pids('genkan-host').some((pid) => hosts.includes(pid)), 'the host of that connection ends');
    await release('window');
    const pressing = refused(client, 'page_press', { tabId, keys: 'Escape' });
    await press(browser, await confirmation(browser), 'deny');
    t.equal((await pressing)[0], 'USER_DENIED', 'windows are shown again');
  });

  await t.part('what waits for the user', async () => {
    const third = await site({ '/': '<title>Third</title>third' });
    world.later(third.close);
    const waiting = refused(client, 'tab_open', { url: `${third.origin}/` });
    const worker = await browser.worker(id);
    await until(async () => (await worker.eval('chrome.storage.local.get("pendingAllow")')).pendingAllow?.length === 1, 'the card');
    const popup = await ourPage('popup');
    await popup.until('document.querySelector(\'[data-act="kill"]\') !== null');
    await sleep(300); // a card that comes in moves the button
    await popup.click('[data-act="kill"]');
    const [code, sentence] = await waiting;
    t.ok(code === 'TOOL_DISABLED' && /kill switch/.test(sentence), 'a call that waits for a site is refused by the switch', [code, sentence]);
    await until(async () => ((await worker.eval('chrome.storage.local.get("pendingAllow")')).pendingAllow ?? []).length === 0, 'its card goes');
    await popup.close();
  });

  await t.part('restarts', async () => {
    await client.close();
    client = await world.client();
    t.equal((await refused(client, 'tab_list'))[0], 'BRIDGE_KILLED', 'killed after a restart of the server');
    const [host] = await until(() => world.pids('genkan-host').length === 1 && world.pids('genkan-host'), 'the host that holds the latch');
    process.kill(host, 'SIGKILL');
    await until(() => world.pids('genkan-host').some((pid) => pid !== host), 'another host');
    t.equal([(await refused(client, 'tab_list'))[0], await mirror()], ['BRIDGE_KILLED', 'killed'], 'killed after a restart of the host');
    await client.close();
    await browser.close();
    // What a reboot leaves: the state directory alone.
    rmSync(path.join(world.folder, 'run', 'genkan'), { recursive: true, force: true });
    browser = await world.browser();
    client = await world.client();
    t.equal((await refused(client, 'tab_list'))[0], 'BRIDGE_KILLED', 'killed after a restart of all, the runtime directory gone');
    t.equal(await mirror(), 'killed', 'the new browser knows');
    const popup = await ourPage('popup');
    await popup.until('/Killed/i.test(document.querySelector("[role=status]").innerText)');
    t.ok(true, 'and its popup says so');
    await popup.close();
    t.equal((await world.terminal(['unkill'])).code, 0, 'a person releases it');
    ({ tabId } = await openTab());
    t.match(json(await call(client, 'page_text', { tabId })).text, /Sign up/, 'then it works, with the site still approved');
  });

  await t.part('the trail', async () => {
    const lines = readFileSync(world.state('audit.log'), 'utf8').trim().split('\n').map((l) => JSON.parse(l));
    const of = (kind) => lines.filter((l) => l.kind === kind).map((l) => `${l.surface} ${l.outcome}`);
    t.equal(of('kill_engage'), ['extension ok', 'extension ok', 'cli ok', 'extension ok', 'extension ok'], 'each engage is in the trail, with its surface');
    t.equal(of('kill_release').filter((l) => l === 'cli ok').length, 5, 'and each release');
    t.equal(of('kill_release').filter((l) => l === 'cli refused').length, 2, 'and each release that was refused');
  });
});
t.done();
