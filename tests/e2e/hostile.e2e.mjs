// A hostile page against the extension itself: it cannot tell that we are there before a person has
// let us in, cannot read, frame or open a page of ours, cannot speak to the worker, cannot reach the
// confirmation window, and cannot make it say something else than what is asked.
import { checks, needChromium, sleep } from './cdp.mjs';
import { attachedTo, cdpMode } from './persons.mjs';
import { answerSite, attached, call, confirmation, id, inWorld, json, preparePermission, press, refused, site, until } from './world.mjs';

needChromium();
const t = checks();
/** hostile-cdp.e2e.mjs is this file with the other backend, as far as that has a part in it. */
const cdp = process.env.GENKAN_E2E_BACKEND === 'cdp';
const ours = (path) => `chrome-extension://${id}/${path}`;
const NOBODY = ours('x').replace(id, 'abcdefghijklmnopabcdefghijklmnop');
const CONFIRM = ours('confirm.html');

/** Looked at before and after: whatever a page could find of us. */
const FOOTPRINT = `(() => {
  const look = (o) => Reflect.ownKeys(o).map(String).sort().join();
  const own = [window, document, navigator, Element.prototype, Node.prototype, EventTarget.prototype, Array.prototype, Object.prototype, Function.prototype, Promise.prototype, HTMLInputElement.prototype, History.prototype, Storage.prototype, Event.prototype].map(look);
  const native = ['addEventListener', 'dispatchEvent'].map((k) => EventTarget.prototype[k]).concat(history.pushState, document.querySelector, Element.prototype.attachShadow, fetch, setTimeout, JSON.stringify, Promise.prototype.then).every((f) => /\\[native code\\]/.test(Function.prototype.toString.call(f)));
  return JSON.stringify({ own, native, html: document.documentElement.outerHTML, chrome: typeof chrome === 'object' ? Object.keys(chrome).sort().join() : '', frames: frames.length, sheets: document.styleSheets.length, adopted: document.adoptedStyleSheets.length });
})()`;

await inWorld(async (world) => {
  const web = await site({
    '/': '<!doctype html><meta charset="utf-8"><title>Evil</title><form action="/done"><button id="send">Send</button></form><input id="in" autofocus>',
    '/stranger': '<!doctype html><title>Stranger</title><p>nobody approved this</p>',
    '/done': '<title>Done</title>done',
  });
  world.later(web.close);
  const client = await world.client();
  const browser = await world.browser({ args: ['--host-resolver-rules=MAP *.example 127.0.0.1'] });
  await attached(client);
  const worker = await browser.worker(id);
  let tab;
  let tabId;
  const openEvil = async () => {
    tab = await browser.page(`${web.origin}/`);
    tabId = json(await call(client, 'tab_list')).find((x) => x.url === `${web.origin}/`).id;
  };
  await openEvil();
  const stranger = await browser.page(`${web.origin.replace('127.0.0.1', 'stranger.example')}/stranger`);
  await stranger.eval(`window.seen = 0; new MutationObserver((all) => { seen += all.length }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true }); for (const e of ['message', 'focus', 'blur', 'visibilitychange', 'keydown', 'mousemove']) addEventListener(e, (x) => { if (e === 'message') seen++ }, true)`);
  const before = await stranger.eval(FOOTPRINT);
  await preparePermission(browser, web.origin);
  const reading = call(client, 'page_text', { tabId });
  await answerSite(browser);
  await reading;
  if (cdp) {
    await cdpMode(world, browser);
    await call(client, 'page_snapshot', { tabId });
    t.ok(await attachedTo(worker, tabId), 'the debugger is the way into the page');
  }
  const pressing = () => refused(client, 'page_press', { tabId, keys: 'Enter' });
  const ourPages = async () => (await browser.targets()).filter((x) => x.type === 'page' && x.url.startsWith('chrome-extension:'));
  const gone = () => until(async () => !(await ourPages()).some((x) => x.url.startsWith(CONFIRM)), 'the window closes');

  await t.part('a page that nobody approved cannot tell that we are there', async () => {
    await call(client, 'tab_list');
    await call(client, 'page_snapshot', { tabId });
    t.equal(await stranger.eval(FOOTPRINT), before, 'globals, prototypes, document and frames are what they were');
    t.equal(await stranger.eval('seen'), 0, 'it sees no change and no message');
    const files = ['manifest.json', 'confirm.html', 'options.html', 'popup.html', 'background.js', 'page.js', 'page-api.js', 'icon/48.png', '_locales/en/messages.json'];
    const told = await stranger.call(
      async (all) => {
        const by = (tag, attr, url) =>
          new Promise((resolve) => {
            const e = document.createElement(tag);
            e.onload = () => resolve('loaded');
            e.onerror = () => resolve('error');
            if (tag === 'link') e.rel = 'stylesheet';
            e[attr] = url;
            document.head.append(e);
          });
        const out = [];
        for (const url of all)
          out.push(
            await Promise.all([
              fetch(url).then(() => 'fetched', (e) => `${e.name}: ${e.message}`),
              fetch(url, { mode: 'no-cors' }).then(() => 'fetched', (e) => `${e.name}: ${e.message}`),
              by('img', 'src', url),
              by('script', 'src', url),
              by('link', 'href', url),
              import(url).then(() => 'imported', (e) => e.name),
            ]).then((r) => r.join()),
          );
        return out;
      },
      [[...files.map(ours), NOBODY]],
    );
    t.equal([...new Set(told)].length, 1, 'no file of ours answers in another way than an extension that is not there', told);
    t.ok(!/fetched|loaded|imported/.test(told[0]), 'and that is not at all', told[0]);
    t.equal(await stranger.eval('typeof chrome === "object" && ("runtime" in chrome)'), false, 'there is no way to send to an extension');
  });

  await t.part('pages of ours are neither framed nor opened', async () => {
    await tab.send('Page.bringToFront'); // timers of a tab behind another are slow
    const tried = await tab.call(
      async (urls) => {
        const out = [];
        for (const url of urls) {
          for (const tag of ['iframe', 'object', 'embed']) {
            const e = document.createElement(tag);
            e[tag === 'object' ? 'data' : 'src'] = url;
            document.body.append(e);
            await new Promise((r) => setTimeout(r, 120));
            let inside = 'nothing';
            try {
              inside = e.contentDocument?.body?.innerHTML ?? e.contentWindow?.location.href ?? 'opaque';
            } catch (error) {
              inside = error.name;
            }
            out.push(inside);
            e.remove();
          }
        }
        return out;
      },
      [['confirm.html?id=1', 'options.html', 'popup.html'].map(ours)],
    );
    t.ok(tried.every((x) => ['SecurityError', 'opaque', 'nothing', ''].includes(x)), 'a frame shows the page nothing', tried);
    t.ok(!(await browser.targets()).some((x) => x.url.startsWith('chrome-extension:') && x.type === 'iframe'), 'and holds no page of ours');
    const opened = await tab.eval(
      `(() => { const w = ${JSON.stringify(['confirm.html?id=1', 'options.html', 'popup.html'].map(ours))}.map((u) => window.open(u, '_blank')); return new Promise((r) => setTimeout(() => r(w.map((x) => { try { return x === null ? 'none' : x.location.href } catch (e) { return e.name } })), 500)); })()`,
      { userGesture: true },
    );
    t.ok(opened.every((x) => x === 'none' || x === 'about:blank' || x === 'SecurityError'), 'nor does a window that it opens', opened);
    for (const x of await ourPages()) {
      // The browser shows an error of its own in the place of what was asked for.
      const there = await browser.attach(x.targetId);
      t.equal(await there.eval('location.href'), 'chrome-error://chromewebdata/', 'what it opens is a page of ours by name alone');
      await browser.send('Target.closeTarget', { targetId: x.targetId }).catch(() => {});
    }
    for (const x of (await browser.targets()).filter((y) => y.type === 'page' && y.openerId === tab.targetId)) await browser.send('Target.closeTarget', { targetId: x.targetId }).catch(() => {});
    await tab.eval(`location.href = ${JSON.stringify(ours('options.html'))}`);
    await sleep(300);
    t.ok(!(await tab.eval('location.href')).includes(id), 'nor goes the page itself there');
    await tab.goto(`${web.origin}/`);
  });

  if (!cdp) await t.part('a content script that turned', async () => {
    await call(client, 'page_snapshot', { tabId });
    const contexts = [];
    const off = tab.on('Runtime.executionContextCreated', ({ context }) => contexts.push(context));
    await tab.send('Runtime.enable');
    const mine = contexts.find((c) => c.origin === `chrome-extension://${id}`);
    off();
    t.ok(mine !== undefined, 'our own code runs in the page, in a world of its own', contexts);
    const within = (expression) => tab.eval(expression, { context: mine.id, ms: 8_000 });
    const clicking = pressing();
    const page = await confirmation(browser);
    const cid = await page.eval('new URLSearchParams(location.search).get("id")');
    const said = (message) => within(`chrome.runtime.sendMessage(${JSON.stringify(message)}).then((r) => JSON.stringify(r), (e) => 'error ' + e.message)`);
    const messages = [{ type: 'get_status' }, { type: 'get_allowlist' }, { type: 'add_allow', glob: 'https://bank.example/' }, { type: 'remove_allow', glob: `${web.origin}/*` }, { type: 'set_kill', on: true }, { type: 'kill_release' }, { type: 'enroll_pair' }, { type: 'grant_policy', overlay: { pageEvalEnabled: true } }, { type: 'restrict_policy', overlay: {} }, { type: 'get_audit' }, { type: 'confirm_ready', id: cid }, { type: 'confirm_resolve', id: cid, approved: true }, { type: 'confirm_presence', id: cid, nonce: 'n' }, { type: 'confirm_deny_kill', id: cid }];
    for (const message of messages) {
      const answer = await said(message);
      t.ok(!/"ok":true/.test(answer), `${message.type} is refused`, answer);
    }
    t.equal(await within(`new Promise((r) => { const p = chrome.runtime.connect({ name: 'x' }); p.onDisconnect.addListener(() => r('disconnected')); p.onMessage.addListener(() => r('message')); setTimeout(() => r('open'), 1000); })`), 'disconnected', 'a port is taken by nobody');
    const stores = await within(`Promise.all(['local', 'session', 'sync'].map((a) => chrome.storage?.[a] === undefined ? 'none' : chrome.storage[a].get(null).then((x) => JSON.stringify(x), (e) => 'error')))`);
    t.ok(stores.slice(0, 2).every((x) => x === 'error' || x === 'none'), 'it reads no storage of ours', stores);
    const writes = await within(`Promise.all(['local', 'session'].map((a) => chrome.storage?.[a] === undefined ? 'none' : chrome.storage[a].set({ allowlist: ['https://bank.example/*'] }).then(() => 'written', () => 'error')))`);
    t.ok(writes.every((x) => x !== 'written'), 'and writes none', writes);
    t.equal(await within(`['tabs', 'windows', 'debugger', 'cookies', 'permissions', 'action'].filter((n) => n in chrome).concat('executeScript' in (chrome.scripting ?? {}) ? 'scripting' : [])`), [], 'and has no other way into the browser');
    t.equal(await worker.eval('chrome.storage.local.get("allowlist")'), { allowlist: [`${web.origin}/*`] }, 'nothing was changed');
    t.ok((await ourPages()).some((x) => x.url.includes(cid)), 'the window still waits');
    await press(browser, page, 'deny');
    t.equal((await clicking)[0], 'USER_DENIED', 'for the person');
  });

  await t.part('the window is out of reach', async () => {
    await tab.eval(`window.heard = []; addEventListener('message', (e) => heard.push(String(e.origin)))`);
    const clicking = pressing();
    const page = await confirmation(browser);
    const url = await page.eval('location.href');
    await tab.send('Page.bringToFront');
    const tried = await tab.eval(
      `(async () => {
        const out = {};
        out.fetched = await fetch(${JSON.stringify(url)}).then(() => true, () => false);
        const w = window.open(${JSON.stringify(url)}, 'grab');
        await new Promise((r) => setTimeout(r, 300));
        try { out.grabbed = w === null ? 'none' : w.location.href; } catch (e) { out.grabbed = e.name; }
        w?.postMessage({ type: 'confirm_resolve', approved: true }, '*');
        w?.close();
        for (const name of ['', 'confirm', 'genkan', 'genkan asks', '_parent', '_top']) { const n = window.open('', name || 'x'); if (n !== null && n !== window) { n.postMessage({ approved: true }, '*'); n.close(); } }
        new BroadcastChannel('confirm').postMessage({ approved: true });
        try { window.moveTo(0, 0); window.resizeTo(2000, 2000); window.focus(); } catch {}
        await document.documentElement.requestFullscreen().then(() => document.exitFullscreen(), () => {});
        await Promise.resolve(document.body.requestPointerLock?.()).catch(() => {});
        document.exitPointerLock();
        out.opener = String(window.opener);
        return out;
      })()`,
      { userGesture: true, ms: 15_000 },
    );
    t.equal(tried.fetched, false, 'it cannot be fetched');
    t.ok(['none', 'about:blank', 'SecurityError'].includes(tried.grabbed), 'nor got hold of by its address or a name', tried);
    t.equal(await page.eval('[window.opener === null, window.parent === window, window.name, frames.length, navigator.userActivation.hasBeenActive]'), [true, true, '', 0, false], 'it has no opener, no parent, no name, no frames, and felt no hand');
    t.equal(await page.eval('location.href'), url, 'it is where it was');
    t.ok((await ourPages()).filter((x) => x.url.startsWith(CONFIRM)).length === 1, 'and nobody made another');
    t.equal(await tab.eval('heard'), [], 'it says nothing to the page');
    t.match(await page.eval('document.body.innerText'), /page_press/, 'and shows what it showed');
    // What shares a process can be read by who breaks out of a page: they do not share one.
    void tab.send('Page.crash').catch(() => {});
    await sleep(500);
    t.match(await page.eval('document.body.innerText', { ms: 3_000 }), /page_press/, 'the page ends, and the window does not');
    await press(browser, page, 'deny');
    t.equal((await clicking)[0], 'USER_DENIED', 'a person can answer it');
    // A crashed tab answers nobody; it goes, and another takes its place.
    await browser.send('Target.closeTarget', { targetId: tab.targetId });
    await openEvil();
  });

  if (!cdp) await t.part('keys that were on their way', async () => {
    const clicking = pressing();
    const { targetId } = await browser.target((x) => x.type === 'page' && x.url.startsWith(CONFIRM));
    const page = await browser.attach(targetId);
    await page.until('document.querySelector(\'[data-act="allow"]\') !== null');
    const strike = async (key, code, more = {}) => {
      for (const type of ['keyDown', 'keyUp']) await page.send('Input.dispatchKeyEvent', { type, key, code: key === ' ' ? 'Space' : key, windowsVirtualKeyCode: code, ...(key === 'Tab' ? {} : { text: key === 'Enter' ? '\r' : key }), ...more });
    };
    const early = await page.eval('document.querySelector(\'[data-act="allow"]\').disabled');
    for (const [key, code] of [['Enter', 13], [' ', 32], ['Tab', 9], ['Enter', 13], ['Tab', 9], [' ', 32]]) await strike(key, code);
    const stillEarly = await page.eval('document.querySelector(\'[data-act="allow"]\')?.disabled');
    t.ok(!early || !stillEarly || (await ourPages()).some((x) => x.targetId === targetId), 'what is typed at the moment when it appears answers nothing', [early, stillEarly]);
    t.equal(world.trust()?.killed ?? false, false, 'and stops nothing');
    await page.until('!document.querySelector(\'[data-act="allow"]\').disabled');
    t.equal(await page.eval('document.activeElement.dataset.act'), 'deny', 'Deny still has the focus');
    await page.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r', autoRepeat: true });
    await sleep(100);
    t.ok((await ourPages()).some((x) => x.targetId === targetId), 'nor does a key that is held down');
    void strike('Enter', 13).catch(() => {});
    t.equal((await clicking)[0], 'USER_DENIED', 'Enter, once it is meant, denies');
    await gone();
  });

  if (!cdp) await t.part('a press that began too early', async () => {
    const clicking = pressing();
    const page = await confirmation(browser);
    const mouse = (type, x, y) => page.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', buttons: type === 'mousePressed' ? 1 : 0, clickCount: 1 });
    // However late it is here, the window has just come to the front.
    const [x, y, early] = await page.eval(`(() => { window.clicks = 0; addEventListener('click', () => clicks++, true); dispatchEvent(new Event('focus')); return new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(() => { const b = document.querySelector('[data-act="allow"]'); const r = b.getBoundingClientRect(); next([r.x + r.width / 2, r.y + r.height / 2, b.disabled]); }))); })()`);
    await mouse('mousePressed', x, y);
    const held = await page.eval('document.querySelector(\'[data-act="allow"]\').disabled');
    await page.until('!document.querySelector(\'[data-act="allow"]\').disabled');
    await mouse('mouseReleased', x, y);
    await page.until('clicks > 0');
    await sleep(200);
    t.ok(!early || !held || (await ourPages()).some((p) => p.targetId === page.targetId), 'and ends on an Allow that is armed by then approves nothing', [early, held]);
    await press(browser, page, 'deny');
    t.equal((await clicking)[0], 'USER_DENIED', 'the window can still be answered');
  });

  await t.part('a link in a closed shadow tree', async () => {
    await tab.eval(`(() => { const host = document.body.appendChild(document.createElement('div')); host.innerHTML = '<span id="slotted">Read on</span>'; host.attachShadow({ mode: 'closed' }).innerHTML = '<a href="/done?closed"><slot></slot></a>'; })()`);
    const clicking = refused(client, 'page_click', { tabId, selector: '#slotted' });
    const page = await confirmation(browser);
    t.match(await page.eval('document.body.innerText'), /navigate: Read on/, 'is asked for, whichever world looks');
    await press(browser, page, 'deny');
    t.equal((await clicking)[0], 'USER_DENIED', 'Deny is an answer');
    t.equal(web.log.filter((r) => r.url === '/done?closed').length, 0, 'and it was not followed');
    const again = call(client, 'page_click', { tabId, selector: '#slotted' });
    await press(browser, await confirmation(browser), 'allow');
    t.equal(json(await again).url, `${web.origin}/done`, 'Allow follows it');
    await tab.eval('void history.back()');
    await until(async () => (await worker.eval(`chrome.tabs.get(${tabId}).then((x) => x.url)`)) === `${web.origin}/`, 'the page is back');
  });

  if (!cdp) await t.part('covered, and uncovered under the hand', async () => {
    const clicking = pressing();
    const page = await confirmation(browser);
    await page.until('!document.querySelector(\'[data-act="allow"]\').disabled');
    const place = await page.eval('[screenX, screenY, outerWidth, outerHeight]');
    // The page lays a window of its own over it, and takes it away at the first of two clicks.
    await tab.send('Page.bringToFront');
    const covered = await tab.eval(`(() => { window.cover = window.open('about:blank', 'cover', 'popup,left=${place[0]},top=${place[1]},width=${place[2]},height=${place[3]}'); return cover !== null; })()`, { userGesture: true });
    t.ok(covered, 'a page may open a window at that place');
    await sleep(300);
    await tab.eval('void window.cover.close()');
    // Without a screen no window ever loses the focus, so what the browser tells then is told here.
    await page.eval(`void dispatchEvent(new Event('focus'))`);
    await page.until('document.querySelector(\'[data-act="allow"]\').disabled', 500);
    const allow = await page.eval(`(() => { const b = document.querySelector('[data-act="allow"]'); const r = b.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2, b.disabled]; })()`);
    await page.clickAt(allow[0], allow[1]);
    await sleep(200);
    t.ok(allow[2] && (await ourPages()).some((x) => x.targetId === page.targetId), 'the second click falls on an Allow that is not armed', allow);
    await page.until('!document.querySelector(\'[data-act="allow"]\').disabled', 3_000);
    await press(browser, page, 'deny');
    t.equal((await clicking)[0], 'USER_DENIED', 'after a moment it can be answered');
  });

  await t.part('dialogs and storms', async () => {
    const noisy = await browser.page(`${web.origin}/stranger`);
    const storm = noisy.eval(`(() => { for (let i = 0; i < 5; i++) { window.open('about:blank', 'w' + i, 'popup,width=200,height=200'); } alert('storm'); return 1; })()`, { userGesture: true }).catch(() => 0);
    await noisy.event('Page.javascriptDialogOpening').catch(() => {});
    const clicking = pressing();
    const page = await confirmation(browser);
    t.match(await page.eval('document.body.innerText'), /page_press/, 'a page that shows dialogs and opens windows holds up no window of ours');
    await press(browser, page, 'deny');
    t.equal((await clicking)[0], 'USER_DENIED', 'which can be answered');
    await noisy.send('Page.handleJavaScriptDialog', { accept: true });
    await storm;
    for (const x of (await browser.targets()).filter((y) => y.type === 'page' && y.openerId === noisy.targetId)) await browser.send('Target.closeTarget', { targetId: x.targetId }).catch(() => {});
    await noisy.close();
  });

  if (!cdp) await t.part('old answers', async () => {
    const first = pressing();
    const page = await confirmation(browser);
    const url = await page.eval('location.href');
    await press(browser, page, 'deny');
    await first;
    const second = pressing();
    const live = await confirmation(browser);
    const replay = await browser.page(url);
    await replay.until('document.body.innerText.includes("no longer pending")');
    t.equal(await replay.eval('document.querySelector(\'[data-act="allow"]\')'), null, 'the address of an old window shows that its request is gone');
    const old = new URL(url).searchParams.get('id');
    for (const message of [{ type: 'confirm_resolve', id: old, approved: true }, { type: 'confirm_resolve', id: 'x', approved: true }, { type: 'confirm_resolve', id: old, approved: true, also: 1 }])
      t.equal((await replay.eval(`chrome.runtime.sendMessage(${JSON.stringify(message)})`)).ok, false, 'its answer answers nothing');
    await replay.close();
    t.ok((await ourPages()).some((x) => x.targetId === live.targetId), 'least of all the one that waits');
    await press(browser, live, 'deny');
    await second;
  });

  await t.part('what the window says cannot be bent', async () => {
    const rtl = '\u202e';
    await tab.eval(`document.title = ${JSON.stringify(`${rtl}elgoog\u202c <b>bold</b> ${'Allow is safe. '.repeat(400)}`)}; document.getElementById('send').textContent = ${JSON.stringify(`${rtl}lecnac\u2066 ${'x '.repeat(300)}<img src=x onerror=alert(1)>`)}`);
    await until(async () => (await worker.eval(`chrome.tabs.get(${tabId}).then((x) => x.title)`)).includes('elgoog'), 'the title has arrived');
    const clicking = refused(client, 'page_click', { tabId, selector: '#send' });
    const page = await confirmation(browser);
    const shown = await page.eval(`(() => {
      const box = (e) => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };
      const inside = (b) => b[0] >= 0 && b[1] >= 0 && b[2] <= innerWidth && b[3] <= innerHeight;
      return {
        seen: ['deny', 'allow', 'kill'].map((a) => inside(box(document.querySelector('[data-act="' + a + '"]')))),
        top: ['deny', 'allow'].map((a) => { const b = document.querySelector('[data-act="' + a + '"]'); const [l, t, r, m] = box(b); return document.elementFromPoint((l + r) / 2, (t + m) / 2) === b || b.disabled; }),
        origin: inside(box(document.querySelector('#origin'))) && document.querySelector('#origin').textContent,
        markup: document.querySelectorAll('.said b, .said img, .said script, .said a, .said iframe').length,
        text: document.querySelector('.said').innerText,
        titleLines: box(document.querySelector('.title'))[3] - box(document.querySelector('.title'))[1],
        dir: getComputedStyle(document.querySelector('#origin')).direction,
      };
    })()`);
    t.equal(shown.seen, [true, true, true], 'whatever the page calls itself, the buttons are in view');
    t.equal(shown.top, [true, true], 'with nothing over them');
    t.equal(shown.origin, web.origin, 'so is the origin, whole');
    t.equal([shown.markup, shown.dir], [0, 'ltr'], 'what the page wrote is text');
    t.ok(!/[\u202a-\u202e\u2066-\u2069]/.test(shown.text), 'no control of direction is at work', shown.text);
    t.ok(shown.text.includes('\\u202e') && shown.titleLines < 60, 'it is shown, and a title takes two lines', shown);
    await press(browser, page, 'deny');
    await clicking;
  });

  if (!cdp) await t.part('hosts that look like others', async () => {
    const { port } = new URL(web.origin);
    const long = `${'a'.repeat(60)}.${'b'.repeat(60)}.www-google-com.account-login.example`;
    for (const [url, glob] of [
      [`http://\u0430pple.example:${port}/done`, `http://xn--pple-43d.example:${port}/*`],
      [`http://www.google.com@evil.example:${port}/done`, `http://evil.example:${port}/*`],
      [`http://www.google.com%2f@evil.example:${port}/done#https://www.google.com/`, `http://evil.example:${port}/*`],
      [`http://${long}:${port}/done`, `http://${long}:${port}/*`],
      [`http:\\\\evil.example:${port}\\@www.google.com/`, `http://evil.example:${port}/*`],
      [`http://EVIL.\u3000example:${port}/`, `http://evil.%20example:${port}/*`],
      [`http://evil\u3002example:${port}/done`, `http://evil.example:${port}/*`],
      [`http://0x7f.1:${port}/done`, null],
    ]) {
      const opening = refused(client, 'tab_open', { url }).catch((e) => e);
      const card = await until(async () => {
        const { pendingAllow } = await worker.eval('chrome.storage.local.get("pendingAllow")');
        return pendingAllow?.[0]?.glob ?? (await Promise.race([opening.then((x) => x), sleep(60).then(() => null)]));
      }, 'a card or an answer');
      if (glob === null) {
        // No address, or one that is a site that was approved already: no card may claim another.
        if (typeof card === 'string') t.equal(card, `http://127.0.0.1:${port}/*`, `${JSON.stringify(url)} is asked for as what it is`);
        else t.ok(Array.isArray(card) ? card[0] === 'INVALID_ARGUMENT' : /not refused/.test(card.message), `${JSON.stringify(url)} is no site, or one that is approved`, card);
        continue;
      }
      t.equal(card, glob, `${url.slice(0, 50)} is asked for as what it is`);
      const popup = await browser.page(ours('popup.html'));
      await popup.until('document.querySelector(\'[data-act="site-allow"]\') !== null');
      const button = await popup.eval('document.querySelector(\'[data-act="site-allow"]\').innerText');
      const entry = await popup.eval('document.querySelector(".entry").innerText');
      t.equal(entry, glob, 'the card shows the whole entry');
      t.ok(glob.slice('http://'.length, -'/*'.length).endsWith(button.replace(/^.*[\s…\u2060]/u, '')), 'and the button the end of the host', button);
      await popup.click('[data-act="site-deny"]');
      t.equal((await opening)[0], 'SITE_NOT_ALLOWED', 'Deny is no');
      await popup.close();
    }
  });
});
t.done();
