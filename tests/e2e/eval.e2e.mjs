// page_eval on real pages: what comes back, pages whose policy forbids it, documents that go away
// under it, frames, the window with its code, and the masking of what leaves.
import { createServer } from 'node:http';
import { checks, needChromium, sleep } from './cdp.mjs';
import { granted, optionsPage, paired } from './persons.mjs';
import { call, confirmation, inWorld, json, onSite, press, refused, text, until } from './world.mjs';

needChromium();
const t = checks();
const DOTS = '\u2022'.repeat(4);

/** Pages with headers of their own. */
async function strictSite() {
  const page = (title, body) => `<!doctype html><meta charset="utf-8"><title>${title}</title>${body}`;
  const pages = {
    '/': [page('Plain', '<main id="top"><p>text</p></main><script>window.fromPage = { n: 7 }; Array.prototype.toJSON = () => "x"</script>')],
    '/strict': [page('Strict', '<p>strict</p>'), { 'content-security-policy': "script-src 'self'" }],
    '/types': [page('Types', '<p>types</p>'), { 'content-security-policy': "require-trusted-types-for 'script'" }],
    '/frame': [page('Outer', '<iframe srcdoc="<title>Inner</title>"></iframe>')],
    '/next': [page('Next', '<p>next</p>')],
  };
  const server = createServer((req, res) => {
    const [html, headers = {}] = pages[new URL(req.url, 'http://x').pathname] ?? [''];
    res.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers });
    res.end(html);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${server.address().port}`, close: () => (server.closeAllConnections(), server.close()) };
}

await inWorld(async (world) => {
  const web = await strictSite();
  const { client, browser, tab, tabId } = await onSite(world, web);
  const options = await optionsPage(browser);
  await paired(world, options);
  const grant = (overlay) => granted(options, overlay);
  await grant({ pageEvalEnabled: true, presenceConfirm: false });
  await tab.send('Page.bringToFront');
  const run = async (code, more = {}) => json(await call(client, 'page_eval', { tabId, code, ...more }));

  await t.part('the window', async () => {
    const code = '// <b>not bold</b> & "quotes"\n' + `void '${'x'.repeat(3000)}';\n`.repeat(20) + 'return fromPage.n;';
    const running = run(code);
    const page = await confirmation(browser);
    t.equal(await page.eval('document.querySelector("pre.payload").textContent'), code, 'shows the code to its last character');
    t.equal(await page.eval('document.querySelector("pre.payload b")'), null, 'as text');
    t.ok(await page.eval(`(() => { const p = document.querySelector('pre.payload'); return p.scrollWidth > p.clientWidth && getComputedStyle(p).whiteSpaceCollapse === 'preserve' })()`), 'in its own lines, scrolling sideways');
    t.match(await page.eval('document.body.innerText'), /page_eval[\s\S]*Plain/, 'names the tool and the tab');
    t.equal(await page.eval('document.activeElement.dataset.act'), 'deny', 'Deny has the focus');
    await press(browser, page, 'allow');
    t.equal(await running, 7, 'and once it is allowed the code sees the globals of the page');
    const again = refused(client, 'page_eval', { tabId, code: 'return 1' });
    await press(browser, await confirmation(browser), 'deny');
    t.equal((await again)[0], 'USER_DENIED', 'the next call is asked for again');
    const stop = new AbortController();
    const cancelled = client.callTool({ name: 'page_eval', arguments: { tabId, code: 'window.late = true' } }, { signal: stop.signal }).catch(() => 'cancelled');
    await confirmation(browser);
    stop.abort();
    await cancelled;
    await until(async () => !(await browser.targets()).some((x) => x.url.includes('/confirm.html')), 'the window of a cancelled call closes');
    t.equal(await tab.eval('typeof window.late'), 'undefined', 'a cancelled call takes its window along, and runs nothing');
  });

  await grant({ confirmPageEval: false });

  await t.part('results', async () => {
    for (const [code, wanted, sentence] of [
      ['return await Promise.resolve("later")', 'later', 'a promise is awaited'],
      ['return [1, "two", null, undefined, NaN]', [1, 'two', null, null, null], 'a list, although the page bends JSON'],
      ['return { e: document.getElementById("top"), d: new Date(0), m: new Map([[1, { a: 2 }]]), s: new Set(["x"]), r: /a/g, b: 10n, f: function named() {} }',
        { e: '<main#top>', d: { __Date: '1970-01-01T00:00:00.000Z' }, m: { __Map: [[1, { a: 2 }]] }, s: { __Set: ['x'] }, r: { __RegExp: '/a/g' }, b: '[BigInt:10]', f: '[function:named]' }, 'what JSON has no form for'],
      ['return document.querySelectorAll("p")', { 0: '<p>' }, 'a list of nodes by its members'],
      ['const o = {}; o.o = o; return o', { o: '[Circular]' }, 'a cycle'],
      ['let o = 1; for (let i = 0; i < 49; i++) o = [o]; return JSON.stringify(o) === undefined ? 0 : o.length', 1, 'deep values'],
      ['return { cookie: "abcdefgh", n: 123456789012, bearer: "Bearer:abc.def" }', { [`${DOTS}ie`]: 'abcdefgh', n: `${DOTS}[num]`, bearer: `${DOTS}[redacted]` }, 'masked'],
    ]) t.equal(await run(code), wanted, `${sentence}`);
    t.equal((await run('throw new TypeError("token=abcdefgh")')).message, `${DOTS}[redacted]`, 'what is thrown is data, and masked too');
    t.equal((await run('return {{')).name, 'SyntaxError', 'so is a mistake in the code');
    const nothing = await call(client, 'page_eval', { tabId, code: 'document.title = "Changed"' });
    t.ok(!nothing.isError && (await tab.eval('document.title')) === 'Changed', 'code without a result succeeds', text(nothing));
    const [code] = await refused(client, 'page_eval', { tabId, code: 'return Array.from({ length: 1000 }, () => "ab ".repeat(3300))' });
    t.equal(code, 'PAYLOAD_TOO_LARGE', 'a result over the limit is refused');
    t.equal((await refused(client, 'page_eval', { tabId, code: ' \n ' }))[0], 'INVALID_ARGUMENT', 'nothing to run is an argument error');
    await grant({ evalMask: false });
    t.equal(await run('return { cookie: "session_tokenvalue" }'), { cookie: 'session_tokenvalue' }, 'unmasked where the policy says so');
  });

  await t.part('pages that forbid it', async () => {
    for (const path of ['/strict', '/types']) {
      await tab.goto(`${web.origin}${path}`);
      const [code, sentence] = await refused(client, 'page_eval', { tabId, code: 'return 1' });
      t.ok(code === 'UNSUPPORTED_PAGE' && /content security policy/.test(sentence) && /CDP mode/.test(sentence), `${path}: names the policy and the way round it`, [code, sentence]);
    }
  });

  await t.part('frames', async () => {
    await tab.goto(`${web.origin}/frame`);
    t.equal(await run('return document.title'), 'Outer', 'it is the top document that runs it');
  });

  await t.part('documents that go away', async () => {
    await tab.goto(`${web.origin}/`);
    const leaving = refused(client, 'page_eval', { tabId, code: 'await new Promise(() => {})' });
    await sleep(500);
    await tab.goto(`${web.origin}/next`);
    const began = Date.now();
    const [code, sentence] = await leaving;
    t.ok(code === 'EXECUTION_FAILED' && /went away/.test(sentence) && Date.now() - began < 2_000, 'navigation ends it at once', [code, sentence, Date.now() - began]);
    t.equal(await run('return document.title'), 'Next', 'the next call runs in the new document');
    const dialog = refused(client, 'page_eval', { tabId, code: 'return location.href = "/strict", new Promise(() => {})' });
    t.match((await dialog)[1], /went away/, 'so does code that navigates and waits');
    const other = await browser.page(`${web.origin}/next?2`);
    const otherId = json(await call(client, 'tab_list')).find((x) => x.url === `${web.origin}/next?2`).id;
    const closing = refused(client, 'page_eval', { tabId: otherId, code: 'await new Promise(() => {})' });
    await sleep(500);
    await other.close();
    t.equal((await closing)[0], 'TAB_NOT_FOUND', 'a tab that is closed ends it');
  });

  await t.part('CDP mode', async () => {
    await grant({ handleDialogEnabled: true, cdpMode: true });
    await tab.goto(`${web.origin}/`);
    t.equal(await run('return { n: fromPage.n, list: [1, undefined, new Date(0)] }'), { n: 7, list: [1, null, { __Date: '1970-01-01T00:00:00.000Z' }] }, 'the same results');
    t.equal((await run('throw new RangeError("far")')).name, 'RangeError', 'the same data for what is thrown');
    for (const path of ['/strict', '/types']) {
      await tab.goto(`${web.origin}${path}`);
      t.equal(await run('return location.pathname'), path, `${path}: its policy is no hindrance`);
    }
    const { dialog } = await run('alert("token=abcdefgh"); return 1');
    t.equal(dialog, { type: 'alert', message: `${DOTS}[redacted]` }, 'a dialog under it ends the call, its message masked');
    await call(client, 'page_handle_dialog', { tabId, action: 'accept' });
    t.equal(await run('return 1'), 1, 'answered, the page can be used again');
    const leaving = refused(client, 'page_eval', { tabId, code: 'location.href = "/next"; await new Promise(() => {})' });
    t.match((await leaving)[1], /went away/, 'navigation ends it');
  });
});
t.done();
