// The tools of a page in CDP mode, where the debugger carries them: the same outline and text as
// without, acts, a page that forbids code from strings, dialogs, downloads, history, and documents
// that go away under a call.
import { createServer } from 'node:http';
import { checks, needChromium } from './cdp.mjs';
import { attachedTo, granted, optionsPage, paired } from './persons.mjs';
import { answer, call, id, inWorld, json, onSite, refused, text, until } from './world.mjs';

needChromium();
const t = checks();

const form = `<!doctype html><meta charset="utf-8"><title>Form</title><h1>Heading</h1>
<button id="count" onclick="this.textContent = 'Counted ' + (window.n = (window.n ?? 0) + 1)">Count</button>
<a id="next" href="/next?q=1">Next</a><input id="name" aria-label="Name"><input type="password" aria-label="Password" value="hunter2">
<select id="plan" aria-label="Plan" onchange="confirm('Change to ' + value + '?')"><option value="s">Small</option><option value="l">Large</option></select>
<div id="editor" contenteditable>old words</div><a id="file" href="/file">Get it</a>
<button id="guard" onclick="onbeforeunload = (e) => { e.preventDefault(); e.returnValue = 'x'; }">Guard</button>
<iframe srcdoc="<button>In the frame</button>" title="Own"></iframe><div id="shadow"></div>
<script>document.getElementById('shadow').attachShadow({ mode: 'open' }).innerHTML = '<button>In the shadow</button>';
localStorage.setItem('cart', 'two items');</script>`;

async function strictSite() {
  const server = createServer((req, res) => {
    if (req.url === '/file') {
      res.writeHead(200, { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment; filename="a b.bin"' });
      return void res.end('x');
    }
    res.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': "script-src 'unsafe-inline'", 'cache-control': 'no-store' });
    res.end(req.url.startsWith('/next') ? '<!doctype html><title>Next</title><p>the next page' : form);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${server.address().port}`, close: () => (server.closeAllConnections(), server.close()) };
}

await inWorld(async (world) => {
  const web = await strictSite();
  const { client, browser, tab, tabId } = await onSite(world, web);
  const options = await optionsPage(browser);
  const worker = await browser.worker(id);
  const free = async () => !(await attachedTo(worker, tabId));
  const act = async (name, args = {}) => json(await call(client, name, { tabId, ...args }));
  await paired(world, options);
  const outline = async (args = {}) => text(await call(client, 'page_snapshot', { tabId, ...args }));
  const before = { outline: await outline(), whole: await outline({ interactiveOnly: false }), text: await act('page_text') };
  t.equal(await free(), true, 'without the mode nothing is attached');

  await granted(options, { cdpMode: true, handleDialogEnabled: true, confirmHighRiskClick: false });

  await t.part('reading', async () => {
    t.equal(await outline(), before.outline, 'the outline is the same, refs included');
    t.equal(await outline({ interactiveOnly: false }), before.whole, 'with headings and text too');
    t.equal(await act('page_text'), before.text, 'and so is the text');
    t.equal((await act('storage_get', { key: 'cart' })).value, 'two items', 'web storage is read');
    t.equal(await free(), false, 'by a session that stays');
    const shot = await call(client, 'page_screenshot', { tabId });
    t.equal(shot.content[0].mimeType, 'image/png', 'pictures are taken in it, in the background too');
    t.equal(await tab.eval('Object.keys(window).filter((k) => /genkan/i.test(k)).length'), 0, 'and the page has no new variable');
  });

  await t.part('acting', async () => {
    t.equal(await act('page_click', { selector: '#count' }), { clicked: '#count', role: 'button' }, 'page_click');
    t.equal(await tab.eval('document.getElementById("count").textContent'), 'Counted 1', 'clicks once');
    t.equal(await act('page_fill', { selector: '#name', value: 'Zo\u00eb' }), { filled: '#name' }, 'page_fill');
    t.equal(await act('page_fill', { selector: '#editor', value: 'new\nwords' }), { filled: '#editor' }, 'fills an editor whose tab is not in front');
    t.equal(await tab.eval('[document.getElementById("name").value, document.getElementById("editor").innerText.replace(/\\n+/g, "|")]'), ['Zo\u00eb', 'new|words'], 'with what was given');
    t.equal((await act('page_hover', { selector: '#count' })).role, 'button', 'page_hover');
    t.equal(typeof (await act('page_scroll', { direction: 'bottom' })).scrollY, 'number', 'page_scroll');
    t.equal(await act('page_wait_for', { selector: '#plan' }), { matched: true, selector: '#plan' }, 'page_wait_for');
    const pressing = act('page_press', { keys: 'Escape' });
    await answer(browser, 'allow');
    t.equal(await pressing, { pressed: 'Escape' }, 'page_press');
    t.equal((await refused(client, 'page_click', { tabId, ref: 'e999' }))[0], 'EXECUTION_FAILED', 'a stale ref is refused');
    t.equal((await refused(client, 'page_click', { tabId, selector: '(((' }))[0], 'INVALID_ARGUMENT', 'and a broken selector');
  });

  await t.part('a dialog', async () => {
    const selecting = act('page_select', { selector: '#plan', value: 'l' });
    await answer(browser, 'allow');
    t.equal(await selecting, { selected: 'l', dialog: { type: 'confirm', message: 'Change to l?' } }, 'under page_select ends it with what is known');
    t.match((await refused(client, 'page_snapshot', { tabId }))[1], /confirm dialog, "Change to l\?".*page_handle_dialog/, 'holds up every other call');
    t.equal(await act('page_handle_dialog', { action: 'accept' }), { handled: 'accept' }, 'until it is answered');
    t.equal(await tab.eval('document.getElementById("plan").value'), 'l', 'the choice stands');
  });

  await t.part('documents', async () => {
    t.equal(await act('page_click', { selector: '#file' }), { clicked: '#file', role: 'link', download: { host: new URL(web.origin).host, filename: 'a b.bin' } }, 'a download that only the browser tells of');
    await tab.send('Page.bringToFront');
    await tab.clickAt(700, 5);
    t.equal(await act('page_click', { selector: '#next' }), { clicked: '#next', role: 'link', navigated: true, url: `${web.origin}/next` }, 'a link, and where it led');
    t.match((await act('page_text')).text, /the next page/, 'the new document is read');
    t.equal(await act('page_back'), { back: tabId }, 'page_back');
    t.equal((await act('page_wait_for', { selector: '#guard' })).matched, true, 'back in the old one');
    await act('page_click', { selector: '#guard' });
    await tab.clickAt(700, 5);
    t.equal(await act('page_click', { selector: '#next' }), { clicked: '#next', role: 'link', dialog: { type: 'beforeunload', message: '' } }, 'a page that asks before it is left');
    t.equal(await act('page_handle_dialog', { action: 'accept' }), { handled: 'accept' }, 'and is left');
    await act('page_wait_for', { text: 'the next page' });
    const waiting = act('page_wait_for', { selector: '#guard', timeoutMs: 10_000 });
    await tab.eval(`location.href = ${JSON.stringify(`${web.origin}/`)}`).catch(() => undefined);
    t.equal(await waiting, { matched: true, selector: '#guard' }, 'a wait outlives the document');
  });

  await t.part('the end of the mode', async () => {
    await options.say({ type: 'restrict_policy', overlay: { cdpMode: false } });
    await until(free, 'the session ends');
    t.match(await outline(), /button "Count" \[ref=e1\]/, 'the content script goes on from there');
  });
  await tab.close();
});
t.done();
