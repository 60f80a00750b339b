// A site is off limits until a person allows it: the popup's card, its answers, and taking it back.
import { checks, needChromium, sleep } from './cdp.mjs';
import { pages } from './fixtures.mjs';
import { answerSite, attached, call, id, inWorld, json, preparePermission, refused, site, until } from './world.mjs';

needChromium();
const t = checks();

await inWorld(async (world) => {
  const web = await site(pages);
  world.later(web.close);
  const client = await world.client();
  const browser = await world.browser();
  await attached(client);
  const tab = await browser.page(`${web.origin}/`);
  const tabId = json(await call(client, 'tab_list')).find((x) => x.url === `${web.origin}/`).id;
  const stored = async () => (await (await browser.worker(id)).eval('chrome.storage.local.get("allowlist")')).allowlist ?? [];

  await t.part('deny', async () => {
    const asked = refused(client, 'page_text', { tabId });
    await answerSite(browser, false);
    const [code, sentence] = await asked;
    t.equal(code, 'SITE_NOT_ALLOWED', 'Deny in the popup refuses the call');
    t.match(sentence, /127\.0\.0\.1/, 'and the sentence names the site');
    t.equal(await stored(), [], 'nothing was stored');
  });

  await t.part('allow', async () => {
    await preparePermission(browser, web.origin);
    const asked = Promise.all([call(client, 'page_text', { tabId }), call(client, 'page_snapshot', { tabId })]);
    await answerSite(browser, true);
    const [read] = await asked;
    t.match(json(read).text, /Sign up/, 'Allow lets the waiting call go on, and the one behind it');
    t.equal(await stored(), [`${web.origin}/*`], 'the entry carries the port');
    const before = Date.now();
    await call(client, 'page_text', { tabId });
    t.ok(Date.now() - before < 2_000, 'the next call is not asked for');
  });

  await t.part('another port is another site', async () => {
    const other = await site({ '/': '<title>Other</title>other' });
    world.later(other.close);
    const asked = refused(client, 'tab_open', { url: `${other.origin}/` });
    await answerSite(browser, false);
    t.equal((await asked)[0], 'SITE_NOT_ALLOWED', 'the same host on another port is asked for, although the permission is held');
  });

  await t.part('cancelled while it waits', async () => {
    const third = await site({ '/': '<title>Third</title>third' });
    world.later(third.close);
    const stop = new AbortController();
    const asked = client.callTool({ name: 'tab_open', arguments: { url: `${third.origin}/` } }, { signal: stop.signal }).catch((e) => e);
    const worker = await browser.worker(id);
    await until(async () => (await worker.eval('chrome.storage.local.get("pendingAllow")')).pendingAllow?.length === 1, 'the card');
    stop.abort();
    await asked;
    await until(async () => ((await worker.eval('chrome.storage.local.get("pendingAllow")')).pendingAllow ?? []).length === 0, 'the card is gone');
    t.ok(true, 'a cancelled call takes its card away');
    t.equal(await worker.eval('chrome.action.getBadgeText({})'), '', 'and the badge');
  });

  await t.part('removal', async () => {
    const popup = await browser.page(`chrome-extension://${id}/popup.html`);
    await popup.until('document.querySelector(\'[data-act="site-remove"]\') !== null');
    await popup.click('[data-act="site-remove"]');
    await until(async () => (await stored()).length === 0, 'the entry is gone');
    await popup.close();
    const asked = refused(client, 'page_text', { tabId });
    await answerSite(browser, false);
    t.equal((await asked)[0], 'SITE_NOT_ALLOWED', 'a removed site is asked for again');
  });

  await t.part('pages the tools may not touch', async () => {
    for (const url of ['chrome://version/', `chrome-extension://${id}/popup.html`, 'about:blank', 'data:text/html,hello']) {
      const { targetId } = await browser.send('Target.createTarget', { url });
      await sleep(300);
      // Own pages are left out of tab_list, so their id is asked of the browser.
      const worker = await browser.worker(id);
      const [{ id: there }] = await worker.eval('chrome.tabs.query({active: true, lastFocusedWindow: true})');
      const [code] = await refused(client, 'page_text', { tabId: there });
      t.equal(code, 'UNSUPPORTED_PAGE', `${url.slice(0, 24)} is refused before anybody is asked`);
      await browser.send('Target.closeTarget', { targetId });
    }
  });
  await tab.close();
});
t.done();
