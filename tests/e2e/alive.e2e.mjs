// Whatever says that things are connected tells the truth while a part of the way is broken: the popup,
// the options page, `genkan doctor` and list_browsers, within the time that each of them states.
import { checks, needChromium, sleep } from './cdp.mjs';
import { granted, optionsPage, paired } from './persons.mjs';
import { attached, call, id, inWorld, json, refused, until } from './world.mjs';

needChromium();
const t = checks();
/** What a page states: five seconds for the host, and what a busy machine adds. */
const PAGE_MS = 7_000;
/** A second for the probe of the server. */
const DOCTOR_MS = 4_000;

await inWorld(async (world) => {
  const stopped = new Set();
  const stop = (pid) => (stopped.add(pid), process.kill(pid, 'SIGSTOP'));
  const cont = (pid) => (stopped.delete(pid), process.kill(pid, 'SIGCONT'));
  world.later(() => [...stopped].forEach((pid) => process.kill(pid, 'SIGCONT')));

  const browser = await world.browser();
  const popup = async () => browser.page(`chrome-extension://${id}/popup.html`);
  /** What a page of ours has come to: its pill, its dots, and all that it says. */
  const shown = async (page) => page.eval(`[document.querySelector('.pill').innerText, ...[...document.querySelectorAll('.hop span')].map((e) => e.innerText), document.body.innerText]`);
  /** Waits until the pill says it, and gives what is said with it. */
  const says = async (page, pill, ms = PAGE_MS) => {
    const began = Date.now();
    await page.until(`document.querySelector('.pill')?.innerText === ${JSON.stringify(pill)}`, ms).catch(() => {});
    return [...(await shown(page)), Date.now() - began];
  };
  const doctor = async () => {
    const began = Date.now();
    const { code, out } = await world.genkan(['doctor', '--json'], { ms: 10_000 });
    return { code, ...JSON.parse(out), ms: Date.now() - began };
  };
  /** A popup that is opened now, and what it comes to say; never the wrong thing on the way there. */
  async function popupSays(pill, sentence, states, what) {
    const page = await popup();
    const seen = new Set();
    for (const end = Date.now() + PAGE_MS; Date.now() < end; await sleep(50)) {
      const [now, all] = await page.eval(`[document.querySelector('.pill')?.innerText ?? '', document.body.innerText]`);
      seen.add(now);
      if (now === pill && (sentence === null || sentence.test(all))) break;
    }
    const [is, client, host, tab, all] = await shown(page);
    t.equal(is, pill, `popup: ${what}`);
    t.ok([...seen].every((s) => ['', 'Checking', pill].includes(s)), 'popup: and never said anything else', [...seen]);
    t.equal([client, host, tab], states, 'popup: the dots name the part');
    if (sentence !== null) t.match(all, sentence, 'popup: in words too');
    await page.close();
  }

  const options = await browser.page(`chrome-extension://${id}/options.html`);

  await t.part('no server', async () => {
    await popupSays('Offline', /No server runs/, ['no server', 'connected', 'not connected'], 'a host without a server is not connected to anything');
    const [pill, , , , all] = await says(options, 'Offline');
    t.ok(pill === 'Offline' && /No server runs/.test(all), 'options: the same', all.slice(0, 300));
    const d = await doctor();
    t.equal([d.code, d.healthy, d.lock.state], [1, false, 'absent'], 'doctor: no server runs');
    t.match(d.summary, /no server runs/, 'doctor: in words');
  });

  const client = await world.client();
  await attached(client);

  await t.part('all is well', async () => {
    await popupSays('Connected', null, ['not known here', 'connected', 'connected'], 'connected, once the server has answered');
    const began = Date.now();
    const [pill] = await says(options, 'Connected', 20_000);
    t.ok(pill === 'Connected', `options: a page that is open sees it come (${Date.now() - began} ms)`);
    t.match(await options.eval('document.querySelector("#kill").innerText'), /Off/, 'options: the switch is off');
    const d = await doctor();
    t.equal(d.lock.reachable, true, 'doctor: the server answers');
    t.equal(json(await call(client, 'list_browsers')).browsers.map((b) => [b.label, typeof b.tabCount, b.error]), [['chromium', 'number', undefined]], 'list_browsers: the browser answered');
  });

  await t.part('the broker is stopped', async () => {
    const { pid } = world.lock();
    stop(pid);
    await popupSays('Unverified', /The server does not answer/, ['server does not answer', 'connected', 'not connected'], 'a server that does not answer is not connected');
    await options.send('Page.bringToFront');
    const [pill, , , , all, ms] = await says(options, 'Unverified', 20_000);
    t.ok(pill === 'Unverified' && /does not answer/.test(all), `options: a page that is open notices within 20 s (${ms} ms)`, all.slice(0, 300));
    const d = await doctor();
    t.equal([d.code, d.healthy, d.lock.reachable], [1, false, false], 'doctor: not reachable');
    t.ok(/does not answer/.test(d.summary) && d.ms < DOCTOR_MS, `doctor: in words, in time (${d.ms} ms)`, d.summary);
    cont(pid);
    await popupSays('Connected', null, ['not known here', 'connected', 'connected'], 'connected again once it goes on');
  });

  await t.part('the host is stopped', async () => {
    const [pid] = world.pids('genkan-host');
    stop(pid);
    const began = Date.now();
    const listing = call(client, 'list_browsers');
    await popupSays('Unverified', /The host does not answer/, ['not known here', 'does not answer', 'not connected'], 'a host that does not answer is not connected');
    const { browsers, count } = json(await listing);
    t.equal([count, browsers[0]?.label, browsers[0]?.tabCount], [1, 'chromium', null], 'list_browsers: attached, and no answer from it');
    t.ok(typeof browsers[0]?.error === 'string' && browsers[0].error.length > 0 && Date.now() - began < PAGE_MS + 3_000, 'list_browsers: says why, in time', browsers[0]);
    t.equal((await doctor()).lock.reachable, true, 'doctor: the server answers, and of a browser nothing is claimed');
    cont(pid);
    await popupSays('Connected', null, ['not known here', 'connected', 'connected'], 'connected again once it goes on');
  });

  await t.part('the host is killed', async () => {
    const page = await popup();
    await says(page, 'Connected');
    const [pid] = world.pids('genkan-host');
    process.kill(pid, 'SIGKILL');
    const began = Date.now();
    await page.until(`document.querySelector('.pill').innerText === 'Offline'`, 1_500).catch(() => {});
    t.equal((await shown(page))[0], 'Offline', `popup: one that is open sees it go (${Date.now() - began} ms)`);
    t.match((await shown(page))[4], /The browser says/, 'popup: and why');
    t.equal(json(await call(client, 'list_browsers')).count, 0, 'list_browsers: no browser');
    await page.until(`document.querySelector('.pill').innerText === 'Connected'`, 6_000);
    t.ok(true, `popup: and come back (${Date.now() - began} ms)`);
    await page.close();
    await attached(client);
  });

  await t.part('the worker is stopped', async () => {
    const page = await popup();
    await page.send('ServiceWorker.enable');
    await page.send('ServiceWorker.stopAllWorkers');
    await page.close();
    t.ok([0, 1].includes(json(await call(client, 'list_browsers')).count), 'list_browsers: what is there');
    await popupSays('Connected', null, ['not known here', 'connected', 'connected'], 'opening it wakes the worker, and says connected once that is true');
    await attached(client);
  });

  await t.part('the browser is stopped', async () => {
    stop(browser.pid);
    const began = Date.now();
    const { browsers, count } = json(await call(client, 'list_browsers'));
    t.equal([count, browsers[0]?.label, browsers[0]?.tabCount], [1, 'chromium', null], 'list_browsers: attached, and no answer from it');
    t.ok(typeof browsers[0]?.error === 'string' && browsers[0].error.length > 0 && Date.now() - began < PAGE_MS + 3_000, 'list_browsers: says why, in time', browsers[0]);
    t.equal((await doctor()).lock.reachable, true, 'doctor: the server answers, and of a browser nothing is claimed');
    cont(browser.pid);
    await attached(client);
    await popupSays('Connected', null, ['not known here', 'connected', 'connected'], 'connected again once it goes on');
  });

  await t.part('the kill switch', async () => {
    t.equal((await world.genkan(['kill'])).code, 0, 'engaged at a terminal');
    const page = await popup();
    const [pill, , , tab] = await says(page, 'Killed');
    t.equal([pill, tab], ['Killed', 'stopped'], 'popup: killed');
    await page.close();
    t.match((await doctor()).summary, /kill switch is engaged/, 'doctor: engaged');
    t.equal((await refused(client, 'list_browsers'))[0], 'BRIDGE_KILLED', 'list_browsers: refused for it');
    t.equal((await world.terminal(['unkill'])).code, 0, 'released');
    await attached(client);
    await popupSays('Connected', null, ['not known here', 'connected', 'connected'], 'connected again');
  });

  await t.part('paired', async () => {
    const page = await optionsPage(browser);
    await paired(world, page);
    await page.close();
    await popupSays('Connected', null, ['not known here', 'connected', 'connected'], 'a key without a policy is connected, and not live');
  });

  await t.part('a policy of that key', async () => {
    const page = await optionsPage(browser);
    await granted(page, { clickToastTimeoutMs: 20_000 });
    await page.close();
    const live = ['not known here', 'connected', 'connected'];
    await popupSays('Live', null, live, 'verified, asked and answered all the way');
    t.equal((await says(options, 'Live', 20_000))[0], 'Live', 'options: the same');
    const hops = async (pid, pill, sentence, states, what) => {
      stop(pid);
      await popupSays(pill, sentence, states, what);
      cont(pid);
      await popupSays('Live', null, live, 'live again once it goes on');
    };
    await hops(world.lock().pid, 'Unverified', /The server does not answer/, ['server does not answer', 'connected', 'not connected'], 'not live without the server');
    await hops(world.pids('genkan-host')[0], 'Unverified', /The host does not answer/, ['not known here', 'does not answer', 'not connected'], 'nor without the host');
    const green = await popup();
    await says(green, 'Live');
    process.kill(world.pids('genkan-host')[0], 'SIGKILL');
    await green.until(`document.querySelector('.pill').innerText !== 'Live'`, 1_500).catch(() => {});
    t.ok((await shown(green))[0] !== 'Live', 'popup: one that is open is not green a moment longer than the port is up', await shown(green));
    await green.until(`document.querySelector('.pill').innerText === 'Live'`, 15_000).catch(() => {});
    t.equal((await shown(green))[0], 'Live', 'popup: and is green again once the next connection is verified');
    await green.close();
    await attached(client);
  });

  await t.part('a client that is not on the list', async () => {
    // The server of a stranger ends before it says a word, and nobody takes it for a connection.
    t.equal((await world.terminal(['pair-client', '--name', 'other', '--hash', 'ab'.repeat(32)])).code, 0, 'a list without this client');
    const stranger = await world.client().then(() => 'connected', (e) => e.message || 'ended');
    t.ok(stranger !== 'connected', 'a new client gets no server', stranger);
    void call(client, 'list_browsers').catch(() => null);
    await until(() => world.pids('genkan-server').length === 0, 'the one that serves this client ends at its next line');
    await popupSays('Offline', /No server runs/, ['no server', 'connected', 'not connected'], 'no server is there for this browser');
    t.match((await doctor()).summary, /no server runs/, 'doctor: the same');
  });

  await t.part('the extension is disabled', async () => {
    const page = await browser.page('chrome://extensions/');
    await page.eval(`chrome.developerPrivate.updateExtensionConfiguration ? new Promise((r) => chrome.management.setEnabled(${JSON.stringify(id)}, false, r)) : 0`);
    await until(() => world.pids('genkan-host').length === 0, 'its host ends with it');
    const runs = async () => (await browser.targets()).some((x) => x.type === 'service_worker' && x.url.includes(id));
    await until(async () => !(await runs()), 'its worker ends too');
    t.ok(!(await runs()), 'nothing of it runs');
    await page.eval(`new Promise((r) => chrome.management.setEnabled(${JSON.stringify(id)}, true, r))`);
    await until(() => world.pids('genkan-host').length === 1, 'enabled again, it comes back by itself');
    t.ok(true, 'the host is back');
    await page.close();
  });
});
t.done();
