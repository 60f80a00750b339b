// The confirmation window: what it shows, each way it can end, and what a page can do about it.
import { checks, needChromium, sleep } from './cdp.mjs';
import { pages } from './fixtures.mjs';
import { answer, call, confirmation, inWorld, json, onSite, press, refused, site } from './world.mjs';

needChromium();
const t = checks();

await inWorld(async (world) => {
  const web = await site(pages);
  const { client, browser, tab, tabId } = await onSite(world, web);
  const submits = () => web.log.filter((r) => r.url.startsWith('/done?name')).length;

  await t.part('what it shows', async () => {
    const clicking = refused(client, 'page_click', { tabId, selector: '#send' });
    const page = await confirmation(browser);
    const shown = await page.eval('document.body.innerText');
    t.match(shown, /page_click/, 'the tool');
    t.match(shown, /submit: Send/, 'the action and the name of the button');
    t.ok(shown.includes(web.origin), 'the origin', shown);
    t.match(shown, /Form/, 'the title of the tab');
    t.ok(await page.eval(`document.querySelector('[data-act="deny"]') === document.activeElement`), 'Deny has the focus');
    await press(browser, page, 'deny');
    const [code] = await clicking;
    t.equal(code, 'USER_DENIED', 'Deny is USER_DENIED');
    t.equal(submits(), 0, 'and nothing was submitted');
  });

  await t.part('allow too early', async () => {
    const clicking = refused(client, 'page_click', { tabId, selector: '#send' });
    const { targetId } = await browser.target((x) => x.type === 'page' && x.url.includes('/confirm.html'));
    const page = await browser.attach(targetId);
    await page.until('document.querySelector(\'[data-act="allow"]\') !== null');
    t.ok(await page.eval('document.querySelector(\'[data-act="allow"]\').disabled'), 'Allow is not armed at first');
    await browser.send('Target.closeTarget', { targetId });
    t.equal((await clicking)[0], 'USER_DENIED', 'a closed window is a denial');
  });

  await t.part('no page can answer', async () => {
    const clicking = refused(client, 'page_click', { tabId, selector: '#send' });
    const page = await confirmation(browser);
    const url = await page.eval('location.href');
    const tried = await tab.eval(`Promise.allSettled([
      fetch(${JSON.stringify(url)}).then(() => 'fetched'),
      new Promise((r) => { const f = document.createElement('iframe'); f.onload = () => r(f.contentDocument ? 'readable' : 'opaque'); f.onerror = () => r('error'); f.src = ${JSON.stringify(url)}; document.body.append(f); setTimeout(() => r('nothing'), 1500); }),
      Promise.resolve(typeof chrome === 'object' && chrome.runtime ? 'runtime' : 'no runtime'),
    ]).then((all) => all.map((x) => x.value ?? 'rejected'))`);
    t.ok(tried[0] === 'rejected' && tried[1] !== 'readable' && tried[2] === 'no runtime', 'a page can neither fetch it, frame it, nor send to it', tried);
    const windows = json(await call(client, 'tab_list'));
    t.ok(windows.every((x) => !x.url.startsWith('chrome-extension:')), 'tab_list does not show it');
    await press(browser, page, 'deny');
    await clicking;
  });

  await t.part('allow', async () => {
    const clicking = call(client, 'page_click', { tabId, selector: '#send' });
    await answer(browser, 'allow');
    const clicked = json(await clicking);
    t.ok(clicked.navigated && clicked.url === `${web.origin}/done`, 'Allow goes through', clicked);
    t.equal(submits(), 1, 'and submits once');
    await call(client, 'page_navigate', { tabId, url: `${web.origin}/` });
    await call(client, 'page_wait_for', { tabId, selector: '#send' });
  });

  await t.part('grace', async () => {
    const began = Date.now();
    const clicked = json(await call(client, 'page_click', { tabId, selector: '#send' }));
    t.ok(clicked.navigated && Date.now() - began < 5_000, 'the same act on the same site within a minute is not asked for again', clicked);
    await call(client, 'page_navigate', { tabId, url: `${web.origin}/` });
    await call(client, 'page_wait_for', { tabId, selector: '#send' });
    const link = refused(client, 'page_click', { tabId, selector: '#next' });
    await answer(browser, 'deny');
    t.equal((await link)[0], 'USER_DENIED', 'another act is');
  });

  await t.part('the page changes meanwhile', async () => {
    const clicking = refused(client, 'page_click', { tabId, selector: '#next' });
    const page = await confirmation(browser);
    await tab.eval(`document.getElementById('next').textContent = 'Delete everything'`);
    await press(browser, page, 'allow');
    t.equal((await clicking)[0], 'EXECUTION_FAILED', 'a button that is not what was shown any more is not clicked');
  });

  await t.part('every-call tools', async () => {
    const pressing = call(client, 'page_press', { tabId, keys: 'Escape' });
    await answer(browser, 'allow');
    t.equal(json(await pressing), { pressed: 'Escape' }, 'page_press asks, then presses');
    const again = refused(client, 'page_press', { tabId, keys: 'Escape' });
    await answer(browser, 'deny');
    t.equal((await again)[0], 'USER_DENIED', 'and asks each time');
    const selecting = call(client, 'page_select', { tabId, selector: '#plan', value: 'Large' });
    await answer(browser, 'allow');
    t.equal(json(await selecting), { selected: 'l', text: 'Large' }, 'page_select asks, then selects');
    t.equal(await tab.eval('document.getElementById("plan").value'), 'l', 'the page has it');
  });

  await t.part('two at once', async () => {
    const other = await browser.page(`${web.origin}/hover`);
    const otherId = json(await call(client, 'tab_list')).find((x) => x.url === `${web.origin}/hover`).id;
    const one = call(client, 'page_press', { tabId, keys: 'Escape' });
    const two = refused(client, 'page_press', { tabId: otherId, keys: 'Tab' });
    const page = await confirmation(browser);
    await sleep(500);
    const open = (await browser.targets()).filter((x) => x.type === 'page' && x.url.includes('/confirm.html'));
    t.equal(open.length, 1, 'one window at a time');
    await press(browser, page, 'allow');
    await one;
    await answer(browser, 'deny');
    t.equal((await two)[0], 'USER_DENIED', 'the second is asked after the first');
    await other.close();
  });

  await t.part('deny and kill', async () => {
    const pressing = refused(client, 'page_press', { tabId, keys: 'Escape' });
    const page = await confirmation(browser);
    await press(browser, page, 'kill');
    t.equal((await pressing)[0], 'USER_DENIED', 'the red button denies the call that it was shown for');
    const [code] = await refused(client, 'tab_list');
    t.ok(code === 'TOOL_DISABLED' || code === 'BRIDGE_KILLED' || code === 'NOT_CONNECTED', 'and nothing is served behind it', code);
  });
});
t.done();
