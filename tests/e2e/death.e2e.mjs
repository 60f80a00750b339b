// run: alone
// Parts of the chain die under a call and come back: worker, host, broker.
import { checks, needChromium, sleep } from './cdp.mjs';
import { pages } from './fixtures.mjs';
import { answerSite, attached, call, confirmation, id, inWorld, json, preparePermission, refused, site, until } from './world.mjs';

needChromium();
const t = checks();

await inWorld(async (world) => {
  const web = await site(pages);
  world.later(web.close);
  const one = await world.client('auto');
  const two = await world.client('pin');
  const three = await world.client('legacy');
  const browser = await world.browser();
  await attached(one);
  const tab = await browser.page(`${web.origin}/`);
  const tabId = json(await call(one, 'tab_list')).find((x) => x.url === `${web.origin}/`).id;
  await preparePermission(browser, web.origin);
  const reading = call(one, 'page_text', { tabId });
  await answerSite(browser);
  await reading;
  const alive = (pid) => {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  };

  await t.part('the worker is stopped under a call', async () => {
    const waiting = refused(one, 'page_press', { tabId, keys: 'Escape' });
    await confirmation(browser);
    const page = await browser.page(`chrome-extension://${id}/popup.html`);
    await page.send('ServiceWorker.enable');
    await page.send('ServiceWorker.stopAllWorkers');
    const [code] = await waiting;
    t.equal(code, 'CONNECTION_LOST', 'the call ends as lost, not never');
    await page.eval('chrome.runtime.sendMessage({type: "get_status"})').catch(() => {});
    await attached(one);
    t.match(json(await call(one, 'page_text', { tabId })).text, /Sign up/, 'the next call works once it is back');
    await page.close();
    await until(async () => !(await browser.targets()).some((y) => y.url.includes('/confirm.html')), 'the window of the lost call');
    t.ok(true, 'the worker that comes back closes the window that nobody waits for');
  });

  await t.part('the broker is killed while two relays live', async () => {
    const { pid } = world.lock();
    const clients = [one, two, three];
    const relays = clients.filter((c) => c.pid !== pid);
    t.equal(relays.length, 2, 'one of the three is the broker');
    const [first, second] = relays;
    const waiting = refused(first, 'page_press', { tabId, keys: 'Escape' });
    await confirmation(browser);
    process.kill(pid, 'SIGKILL');
    const [code] = await waiting;
    t.equal(code, 'CONNECTION_LOST', 'a call under way ends as lost');
    const began = Date.now();
    const [a, b] = await Promise.all([call(first, 'tab_list'), call(second, 'tab_list')]);
    t.ok(json(a).length > 0 && json(b).length > 0, `both relays are served again (${Date.now() - began} ms)`);
    t.ok(Date.now() - began < 8_000, 'soon');
    const lock = world.lock();
    t.ok(lock.pid !== pid && clients.some((c) => c.pid === lock.pid), 'one of them is the broker now');
    t.match(json(await call(second, 'page_text', { tabId })).text, /Sign up/, 'pages can be read');
  });

  await t.part('the host is killed', async () => {
    const { stdout } = await import('node:child_process').then((c) => ({ stdout: c.execFileSync('pgrep', ['-f', `genkan-host --label chromium.*${id}`]).toString() }));
    const hosts = stdout.trim().split('\n').map(Number);
    t.equal(hosts.length, 1, 'there is one host');
    process.kill(hosts[0], 'SIGKILL');
    await until(() => !alive(hosts[0]), 'the host is gone');
    const live = [one, two, three].find((c) => c.pid !== null && alive(c.pid));
    const began = Date.now();
    t.ok(json(await call(live, 'tab_list')).length > 0, `the next call waits for the new host and works (${Date.now() - began} ms)`);
  });

  await t.part('the browser is closed', async () => {
    const live = [one, two, three].find((c) => c.pid !== null && alive(c.pid));
    await tab.close();
    await browser.close();
    await sleep(300);
    const { count } = json(await call(live, 'list_browsers'));
    t.equal(count, 0, 'no browser is listed any more');
    const began = Date.now();
    const [code] = await refused(live, 'tab_list');
    t.equal(code, 'NOT_CONNECTED', 'a call says that none is connected');
    t.ok(Date.now() - began > 11_000 && Date.now() - began < 14_000, 'after waiting 12 s for one');
  });
});
t.done();
