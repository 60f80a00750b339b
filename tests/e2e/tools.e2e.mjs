// Every tool that this version serves, once, and what the others answer.
import { checks, needChromium } from './cdp.mjs';
import { pages } from './fixtures.mjs';
import { answer, answerSite, attached, call, id, inWorld, json, preparePermission, refused, site, text, until } from './world.mjs';

needChromium();
const t = checks();

await inWorld(async (world) => {
  const web = await site(pages);
  world.later(web.close);
  const client = await world.client();
  const browser = await world.browser();
  await attached(client);
  await preparePermission(browser, web.origin);

  await t.part('tabs', async () => {
    const opening = call(client, 'tab_open', { url: `${web.origin}/form` });
    await answerSite(browser);
    const opened = json(await opening);
    t.ok(Number.isInteger(opened.opened) && opened.url === `${web.origin}/form`, 'tab_open gives the tab', opened);
    t.ok(Number.isInteger(opened.groupId), 'which is in a group', opened);
    await call(client, 'page_wait_for', { tabId: opened.opened, nav: true });
    const first = json(await call(client, 'tab_list'))[0];
    t.equal(json(await call(client, 'tab_focus', { tabId: first.id })), { focused: first.id }, 'tab_focus');
    t.equal(json(await call(client, 'tab_list')).find((x) => x.id === first.id).active, true, 'makes it the active tab');
    await call(client, 'tab_focus', { tabId: opened.opened });
    const closing = call(client, 'tab_close', { tabId: opened.opened });
    await answer(browser, 'allow');
    t.equal(json(await closing), { closed: opened.opened }, 'tab_close asks, then closes');
    t.equal((await refused(client, 'page_text', { tabId: opened.opened }))[0], 'TAB_NOT_FOUND', 'and the tab is gone');
  });

  // The worker holds the list while nothing happens, for longer than any of these waits.
  await t.part('the list of tabs is never behind what was told', async () => {
    const worker = await browser.worker(id);
    const page = await browser.page(`${web.origin}/form`);
    const list = async () => json(await call(client, 'tab_list'));
    const own = (await until(async () => (await list()).find((x) => x.url === `${web.origin}/form` && x.title === 'Form'), 'the page is listed')).id;
    const other = (await list()).find((x) => x.id !== own).id;
    const shown = async (sentence, change, wanted) => {
      await list();
      await change();
      t.ok(await until(async () => wanted(await list()), sentence, 6_000).catch(() => false), sentence, await list());
    };
    const at = (tabs, of) => tabs.find((x) => x.id === of);
    await shown('a new title is shown', () => page.eval('document.title = "Renamed"'), (tabs) => at(tabs, own).title === 'Renamed');
    await shown('a new address in the same document', () => page.eval('history.pushState(null, "", "/form?step=2")'), (tabs) => at(tabs, own).url === `${web.origin}/form?step=2`);
    await shown('a new document', () => page.goto(`${web.origin}/long`), (tabs) => at(tabs, own).url === `${web.origin}/long`);
    await shown('another active tab', () => worker.eval(`chrome.tabs.update(${other}, { active: true })`), (tabs) => at(tabs, other).active && !at(tabs, own).active);
    await shown('another order', () => worker.eval(`chrome.tabs.move(${own}, { index: 0 })`), (tabs) => tabs[0].id === own);
    await shown('a group', () => worker.eval(`chrome.tabs.group({ tabIds: [${own}] })`), (tabs) => at(tabs, own).groupId >= 0);
    await shown('another window', () => worker.eval(`chrome.windows.create({ tabId: ${own} })`), (tabs) => at(tabs, own).windowId !== at(tabs, other).windowId);
    await shown('a tab that a page opened', () => page.eval('void open("/done?x=2")', { userGesture: true }), (tabs) => tabs.some((x) => x.url === `${web.origin}/done?x=2`));
    await shown('a tab that is gone', () => page.close(), (tabs) => at(tabs, own) === undefined);
    await call(client, 'page_navigate', { tabId: (await list()).find((x) => x.url === `${web.origin}/done?x=2`).id, url: `${web.origin}/hover` });
    const { opened } = json(await call(client, 'tab_open', { url: `${web.origin}/long` }));
    t.equal((await list()).find((x) => x.id === opened)?.url, `${web.origin}/long`, 'what a tool of ours opened is in the very next list');
    await worker.eval(`chrome.tabs.query({}).then((all) => chrome.tabs.remove(all.filter((x) => x.url?.startsWith(${JSON.stringify(web.origin)}) || x.pendingUrl?.startsWith(${JSON.stringify(web.origin)})).map((x) => x.id)))`);
    await worker.detach();
  });

  const tab = await browser.page(`${web.origin}/form`);
  const tabId = json(await call(client, 'tab_list')).find((x) => x.url === `${web.origin}/form`).id;

  await t.part('history', async () => {
    // The browser skips entries on which nobody ever acted.
    await tab.clickAt(600, 5);
    t.equal(json(await call(client, 'page_navigate', { tabId, url: `${web.origin}/done?x=1` })), { navigated: tabId, url: `${web.origin}/done?x=1` }, 'page_navigate');
    t.equal(json(await call(client, 'page_wait_for', { tabId, nav: true })).nav, true, 'page_wait_for nav');
    t.match(json(await call(client, 'page_text', { tabId })).text, /Received: \?x=1/, 'the new page is read');
    t.equal(json(await call(client, 'page_back', { tabId })), { back: tabId }, 'page_back');
    await call(client, 'page_wait_for', { tabId, selector: '#send' });
    t.equal(json(await call(client, 'page_forward', { tabId })), { forward: tabId }, 'page_forward');
    await call(client, 'page_wait_for', { tabId, text: 'Received' });
    t.equal((await refused(client, 'page_forward', { tabId }))[0], 'EXECUTION_FAILED', 'at its end the history ends');
    const before = web.log.length;
    t.equal(json(await call(client, 'page_reload', { tabId })), { reloaded: tabId }, 'page_reload');
    await call(client, 'page_wait_for', { tabId, nav: true });
    t.ok(web.log.length > before, 'asks the site again');
    await call(client, 'page_navigate', { tabId, url: `${web.origin}/form` });
    await call(client, 'page_wait_for', { tabId, selector: '#send' });
  });

  await t.part('reading', async () => {
    const outline = text(await call(client, 'page_snapshot', { tabId }));
    t.match(outline, /^url: http:\/\/127\.0\.0\.1:\d+\/form\ntitle: "Form"\n/, 'page_snapshot begins with address and title');
    t.match(outline, /combobox|listbox "Plan" \[ref=e\d+\] value="Small" options=\["Small","Large"\]/, 'lists a drop-down with its options');
    t.match(text(await call(client, 'page_snapshot', { tabId, interactiveOnly: false })), /heading "Sign up" \[level=1\]/, 'and headings on demand');
    t.match(text(await call(client, 'page_snapshot', { tabId, selector: '#next' })), /^url: .*\ntitle: .*\nlink "Next page" \[ref=e\d+\]$/s, 'or one part alone');
    const [code, sentence] = await refused(client, 'page_text', { tabId, selector: '#none' });
    t.equal(code, 'EXECUTION_FAILED', 'a selector without a match fails');
    t.match(sentence, /#none/, 'and is named');
    t.equal((await refused(client, 'page_text', { tabId, selector: '(((' }))[0], 'INVALID_ARGUMENT', 'one with a syntax error is an argument error');
    const shot = await call(client, 'page_screenshot', { tabId });
    t.equal([shot.content[0].type, shot.content[0].mimeType], ['image', 'image/png'], 'page_screenshot is an image block');
    const png = Buffer.from(shot.content[0].data, 'base64');
    t.ok(png.subarray(1, 4).toString() === 'PNG' && png.readUInt32BE(16) > 300, 'of a real picture');
  });

  await t.part('acting', async () => {
    const clicked = json(await call(client, 'page_click', { tabId, selector: '#count' }));
    t.equal([clicked.clicked, clicked.role], ['#count', 'button'], 'page_click of a plain button asks nobody');
    t.equal(await tab.eval('document.getElementById("count").textContent'), 'Counted 1', 'and clicks once');
    const filling = call(client, 'page_fill', { tabId, selector: '#name', value: 'Zoë 🦊' });
    await answer(browser, 'allow');
    t.equal(json(await filling), { filled: '#name' }, 'page_fill');
    t.equal(await tab.eval('document.getElementById("name").value'), 'Zoë 🦊', 'sets the value');
    const selecting = call(client, 'page_select', { tabId, selector: '#plan', value: 'Large' });
    await answer(browser, 'allow');
    t.equal(json(await selecting), { selected: 'l', text: 'Large' }, 'page_select');
    await call(client, 'page_navigate', { tabId, url: `${web.origin}/hover` });
    await call(client, 'page_wait_for', { tabId, selector: '#menu' });
    t.equal(json(await call(client, 'page_hover', { tabId, selector: '#menu' })), { hovered: '#menu', role: 'button' }, 'page_hover');
    t.equal(await tab.eval('document.getElementById("tip").hidden'), false, 'opens what hovering opens');
    await tab.eval('document.getElementById("key").focus()');
    const pressing = call(client, 'page_press', { tabId, keys: 'Control+k' });
    await answer(browser, 'allow');
    t.equal(json(await pressing), { pressed: 'Control+k' }, 'page_press');
    t.equal(await tab.eval('document.title'), 'key k ctrl', 'reaches the focused field');
    await call(client, 'page_click', { tabId, selector: '#later' });
    t.equal(json(await call(client, 'page_wait_for', { tabId, text: 'late text', timeoutMs: 5000 })), { matched: true, text: 'late text' }, 'page_wait_for text');
    const [code, sentence] = await refused(client, 'page_wait_for', { tabId, selector: '#never', timeoutMs: 300 });
    t.equal([code, sentence], ['EXECUTION_FAILED', 'wait_for timed out after 300ms'], 'and its time-out');
    await call(client, 'page_navigate', { tabId, url: `${web.origin}/long` });
    await call(client, 'page_wait_for', { tabId, selector: '#end' });
    t.ok(json(await call(client, 'page_scroll', { tabId, direction: 'bottom' })).scrollY > 3000, 'page_scroll');
    t.equal(json(await call(client, 'page_scroll', { tabId, direction: 'top' })).scrollY, 0, 'and back');
  });

  await t.part('what is not served', async () => {
    for (const [name, args] of [
      ['page_eval', { tabId, code: 'return 1' }],
      ['page_snapshot_precise', { tabId }],
      ['console_get', { tabId }],
      ['page_handle_dialog', { tabId, action: 'accept' }],
      ['page_upload', { tabId, selector: '#f', path: '/etc/hostname' }],
    ]) t.equal((await refused(client, name, args))[0], 'TOOL_DISABLED', `${name} is refused`);
  });

  await t.part('arguments', async () => {
    for (const [name, args, word] of [
      ['tab_focus', {}, 'tabId'],
      ['tab_focus', { tabId: '7' }, 'tabId'],
      ['tab_focus', { tabId: 7.5 }, 'tabId'],
      ['page_text', { selector: null }, 'selector'],
      ['page_text', { sel: '#a' }, 'sel'],
      ['page_click', { tabId, count: 3, selector: 'a' }, 'count'],
      ['page_click', { tabId }, 'ref'],
      ['tab_open', { url: 'file:///etc/passwd' }, 'http'],
      ['page_text', { browser: 7 }, 'browser'],
    ]) {
      const [code, sentence] = await refused(client, name, args);
      t.ok(code === 'INVALID_ARGUMENT' && sentence.includes(word), `${name} ${JSON.stringify(args)} names ${word}`, `${code}: ${sentence}`);
    }
  });
  await tab.close();
});
t.done();
