// Calls that meet: two clients on one tab, many at once, a tab and a connection that go away under them,
// and the kill switch while a window is shown and the debugger is attached.
import { checks, needChromium, sleep } from './cdp.mjs';
import { killed, granted, optionsPage, paired } from './persons.mjs';
import { attached, call, confirmation, id, inWorld, json, onSite, press, refused, site, tabAt, until } from './world.mjs';

needChromium();
const t = checks();
const page = `<!doctype html><title>Busy</title><button id="add" onclick="n++; order.push('click')">Add</button><input id="field" oninput="order.push(value)"><a id="go" href="#x">Go</a>
<script>var n = 0, keys = 0, order = []; addEventListener('keydown', () => keys++)</script>`;

await inWorld(async (world) => {
  const web = await site({ '/': page, '/b': page, '/c': page });
  const { client, browser, tab, tabId } = await onSite(world, web);
  const second = await world.client();
  await attached(second);
  const options = await optionsPage(browser);
  await paired(world, options);
  const windows = async () => (await browser.targets()).filter((x) => x.url.includes('/confirm.html')).length;
  const noWindow = () => until(async () => (await windows()) === 0, 'the window goes');
  const other = await browser.page(`${web.origin}/b`);
  const otherId = await tabAt(client, `${web.origin}/b`);

  await t.part('two clients on one tab', async () => {
    const clicks = [client, second].flatMap((c) => Array.from({ length: 8 }, () => call(c, 'page_click', { tabId, selector: '#add' })));
    const all = (await Promise.all(clicks)).map(json);
    t.ok(all.every((r) => r.clicked === '#add') && (await tab.eval('n')) === 16, 'sixteen clicks at once are sixteen answers and sixteen clicks');
    const pressing = call(client, 'page_press', { tabId, keys: 'Escape' });
    const window = await confirmation(browser);
    let ended = false;
    const behind = call(second, 'page_fill', { tabId, selector: '#field', value: 'second' }).then((r) => (ended = true, r));
    t.match(json(await call(second, 'page_text', { tabId: otherId })).text, /Add/, 'another tab is served while a person is asked about the first');
    await sleep(300);
    t.equal([ended, await tab.eval('field.value')], [false, ''], 'the call of the other client waits behind that window');
    await press(browser, window, 'allow');
    await Promise.all([pressing, behind]);
    t.equal(await tab.eval('[keys, field.value]'), [1, 'second'], 'and is carried out after it');
  });

  await t.part('order', async () => {
    await tab.eval('order.length = 0');
    const fills = Array.from({ length: 16 }, (_, i) => call(client, 'page_fill', { tabId, selector: '#field', value: `v${i}` }));
    await Promise.all(fills);
    t.equal(await tab.eval('order'), Array.from({ length: 16 }, (_, i) => `v${i}`), 'sixteen calls at once to one tab are carried out in their order');
    const mixed = ['page_text', 'page_snapshot', 'page_scroll', 'page_hover', 'page_wait_for', 'storage_get', 'cookie_get', 'page_screenshot'];
    const more = { page_scroll: { direction: 'top' }, page_hover: { selector: '#add' }, page_wait_for: { selector: '#add' } };
    const answers = await Promise.all([client, second].flatMap((c) => mixed.map((name) => call(c, name, { tabId, ...more[name] }))));
    t.ok(answers.every((r) => !r.isError), 'so are different ones of two clients');
  });

  await t.part('one call is cancelled', async () => {
    const stop = new AbortController();
    const first = client.callTool({ name: 'page_press', arguments: { tabId, keys: 'a' } }, { signal: stop.signal }).catch(() => 'cancelled');
    await confirmation(browser);
    const behind = call(second, 'page_click', { tabId, selector: '#add' });
    stop.abort();
    await Promise.all([first, behind]);
    await noWindow();
    t.equal(await tab.eval('[keys, n]'), [1, 17], 'its window goes, nothing is pressed, and the call behind it has its turn');
  });

  await t.part('a client that goes away', async () => {
    const third = await world.client();
    await attached(third);
    const lost = call(third, 'page_press', { tabId, keys: 'b' }).catch(() => 'lost');
    await confirmation(browser);
    process.kill(third.pid, 'SIGKILL');
    await lost;
    await noWindow();
    await call(client, 'page_click', { tabId, selector: '#add' });
    t.equal(await tab.eval('[keys, n]'), [1, 18], 'takes its window along; the others go on');
  });

  await t.part('the tab is closed', async () => {
    const gone = await browser.page(`${web.origin}/c`);
    const goneId = await tabAt(client, `${web.origin}/c`);
    const acting = refused(second, 'page_wait_for', { tabId: otherId, text: 'never', timeoutMs: 20_000 });
    const asked = refused(client, 'page_press', { tabId: goneId, keys: 'c' });
    const behind = refused(second, 'page_click', { tabId: goneId, selector: '#add' });
    await confirmation(browser);
    await gone.close();
    t.equal([(await asked)[0], (await behind)[0]], ['TAB_NOT_FOUND', 'TAB_NOT_FOUND'], 'under a window: that call and the one behind it');
    await noWindow();
    await other.close();
    t.equal((await acting)[0], 'TAB_NOT_FOUND', 'under an act');
  });

  await t.part('kill', async () => {
    await granted(options, { cdpMode: true, warnPreciseSnapshot: false });
    // Tabs that this test is not attached to itself.
    const open = async (at) => json(await call(client, 'tab_open', { url: `${web.origin}${at}` })).opened;
    const [one, two, three] = [await open('/b'), await open('/c'), await open('/?3')];
    for (const at of [one, two]) await call(client, 'page_wait_for', { tabId: at, selector: '#add' });
    const worker = await browser.worker(id);
    const attachedTabs = () => worker.eval(`chrome.debugger.getTargets().then((all) => [${one}, ${two}, ${three}].filter((tabId) => all.some((x) => x.tabId === tabId && x.attached)).length)`);
    t.equal(await attachedTabs(), 2, 'in CDP mode the debugger stays attached');
    const asked = refused(client, 'page_press', { tabId: one, keys: 'Escape' });
    const acting = refused(second, 'page_wait_for', { tabId: two, text: 'never', timeoutMs: 60_000 });
    const reading = refused(second, 'page_wait_for', { tabId: three, text: 'never', timeoutMs: 60_000 });
    await confirmation(browser);
    await until(async () => (await attachedTabs()) === 3, 'the third attach');
    await killed(world, options, async () => t.equal((await world.genkan(['kill'])).code, 0, 'genkan kill'));
    const codes = [(await asked)[0], (await acting)[0], (await reading)[0]];
    t.ok(codes.every((c) => ['CONNECTION_LOST', 'TOOL_DISABLED', 'BRIDGE_KILLED'].includes(c)), 'calls in flight end', codes);
    t.note(`in flight: ${codes.join(', ')}`);
    t.equal((await refused(second, 'tab_list'))[0], 'BRIDGE_KILLED', 'the next is told of the switch');
    await noWindow();
    t.equal(await windows(), 0, 'the window is gone');
    await until(async () => (await attachedTabs()) === 0, 'the debugger leaves every tab');
    t.equal(await attachedTabs(), 0, 'and so is the debugger, from every tab');
    t.equal((await world.terminal(['unkill'])).code, 0, 'released');
    await call(client, 'page_text', { tabId: one });
    t.equal(await attachedTabs(), 1, 'then the mode works again, on the tab that is used');
    await killed(world, options, () => options.say({ type: 'set_kill', on: true }));
    t.equal(await attachedTabs(), 0, 'and ends from the options page too');
  });
});
t.done();
