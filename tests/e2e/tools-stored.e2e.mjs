// cookie_get and storage_get through the whole chain: what they give, mask, ask and refuse.
import { checks, needChromium } from './cdp.mjs';
import { answer, answerSite, attached, call, confirmation, inWorld, json, preparePermission, press, refused, site } from './world.mjs';

needChromium();
const t = checks();

const page = '<!doctype html><title>Shop</title><p>Shop';
const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N';

await inWorld(async (world) => {
  const web = await site({ '/': page, '/deep/': page });
  world.later(web.close);
  const client = await world.client();
  const browser = await world.browser();
  await attached(client);
  const tab = await browser.page(`${web.origin}/`);
  const tabId = json(await call(client, 'tab_list')).find((x) => x.url === `${web.origin}/`).id;
  await preparePermission(browser, web.origin);
  await tab.eval(`
    document.cookie = 'theme=dark';
    document.cookie = 'jwt=${TOKEN}; SameSite=Strict; Max-Age=3600';
    document.cookie = 'deep=1; path=/deep';
    for (let i = 0; i < 510; i++) sessionStorage.setItem('n' + i, 'v' + i);
    localStorage.setItem('cart', 'two items');
    localStorage.setItem('auth_token', 'session_tokenvalue');
    localStorage.setItem('__proto__', '\\ud800 lone');
  `);
  const httpOnly = await tab.send('Network.setCookie', { url: `${web.origin}/`, name: 'sid', value: 'secret7', httpOnly: true });
  t.ok(httpOnly.success, 'a cookie that scripts do not see');

  await t.part('the first call on a new site', async () => {
    const reading = call(client, 'cookie_get', { tabId });
    await answerSite(browser);
    const window = await confirmation(browser);
    const shown = await window.eval('document.body.innerText');
    t.ok(shown.includes('cookies \u00b7 127.0.0.1') && shown.includes('cookie_get') && shown.includes(web.origin), 'is asked for as a site, then as an act, by store and host', shown);
    await press(browser, window, 'allow');
    const { cookies, count, hint } = json(await reading);
    const by = Object.fromEntries(cookies.map((c) => [c.name, c]));
    t.equal([Object.keys(by).sort(), count, hint], [['jwt', 'sid', 'theme'], 3, undefined], 'gives the cookies that the page would be sent, under a port');
    t.equal([by.sid.value, by.sid.httpOnly, by.sid.session, by.sid.domain], ['secret7', true, true, '127.0.0.1'], 'httpOnly ones among them');
    t.equal([by.jwt.value, by.jwt.sameSite, by.jwt.session, typeof by.jwt.expirationDate], ['\u2022\u2022\u2022\u2022[jwt]', 'strict', false, 'number'], 'with values masked');
    t.equal(Object.keys(by.theme), ['name', 'value', 'domain', 'path', 'httpOnly', 'secure', 'sameSite', 'session'], 'in the form of the catalogue');
  });

  await t.part('under the grace of that approval', async () => {
    t.equal(json(await call(client, 'cookie_get', { tabId, name: 'theme' })).cookies.map((c) => c.value), ['dark'], 'one cookie by name');
    const all = json(await call(client, 'storage_get', { tabId }));
    t.equal([all.type, all.count, all.truncated, all.totalKeys], ['local', 3, false, 3], 'storage_get reads localStorage');
    t.equal([all.entries.cart, all.entries.auth_token], ['two items', '\u2022\u2022\u2022\u2022[sensitive]'], 'masks values and no keys');
    t.equal(Object.getOwnPropertyDescriptor(all.entries, '__proto__')?.value, '\ufffd lone', 'gives a key whatever it is called, well formed');
    const session = json(await call(client, 'storage_get', { tabId, type: 'session' }));
    t.equal([session.count, session.truncated, session.totalKeys, Object.keys(session.entries).length], [500, true, 510, 500], 'of many the first 500');
    t.equal(json(await call(client, 'storage_get', { tabId, type: 'session', key: 'n509' })), { key: 'n509', found: true, value: 'v509' }, 'one by key');
    t.equal(json(await call(client, 'storage_get', { tabId, key: 'none' })), { key: 'none', found: false }, 'or that there is none');
  });

  await t.part('by url and by domain', async () => {
    const deep = call(client, 'cookie_get', { url: `${web.origin}/deep/`, name: 'deep' });
    await answer(browser, 'allow');
    t.equal(json(await deep).cookies.map((c) => [c.name, c.path]), [['deep', '/deep']], 'a url tells the path');
    t.equal(json(await call(client, 'cookie_get', { domain: ' .127.0.0.1' })).cookies.map((c) => c.name).sort(), ['deep', 'jwt', 'sid', 'theme'], 'a domain gives all of an approved host');
    t.equal(json(await call(client, 'cookie_get', { domain: '127.0.0.1', name: 'none' })).count, 0, 'or none');
    t.match(json(await call(client, 'cookie_get', { domain: '127.0.0.1', name: 'none' })).hint, /permission/, 'with a hint');
    for (const domain of ['localhost', '0.0.1', 'x.127.0.0.1']) t.equal((await refused(client, 'cookie_get', { domain }))[0], 'SITE_NOT_ALLOWED', `${domain} is refused without asking`);
    for (const domain of ['http://127.0.0.1', '127.0.0.1/', '*', '']) t.equal((await refused(client, 'cookie_get', { domain }))[0], 'INVALID_ARGUMENT', `${JSON.stringify(domain)} is no domain`);
    t.equal((await refused(client, 'cookie_get', { url: 'file:///etc/passwd' }))[0], 'INVALID_ARGUMENT', 'a file is no url for it');
  });

  await t.part('denied', async () => {
    const other = json(await call(client, 'tab_open', { url: `${web.origin}/deep/` })).opened;
    await call(client, 'page_wait_for', { tabId: other, nav: true });
    const reading = refused(client, 'storage_get', { tabId: other, key: 'cart' });
    const window = await confirmation(browser);
    t.match(await window.eval('document.body.innerText'), /localStorage \u00b7 127\.0\.0\.1:\d+ \u00b7 cart/, 'another tab is asked for anew, with store, host and key');
    await press(browser, window, 'deny');
    t.equal((await reading)[0], 'USER_DENIED', 'and a denial is one');
  });
  await tab.close();
});
t.done();
