// What goes into a page and out of it as bytes: files behind a tap, and pictures by each of their ways.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checks, needChromium, sleep } from './cdp.mjs';
import { Authenticator, attachedTo, granted, holds, optionsPage, paired } from './persons.mjs';
import { call, confirmation, id, inWorld, json, onSite, press, refused, site, tabAt, until } from './world.mjs';

needChromium();
const t = checks();

const page = `<!doctype html><title>Files</title><input type="file" id="file"><input type="file" id="many" multiple><input id="text"><div id="box"></div>
<script>var seen = []; for (const type of ['input', 'change']) document.addEventListener(type, (e) => seen.push(type + ' ' + e.target.id))</script>`;
/** More than a picture may weigh, whatever it is packed with. */
const noise = `<!doctype html><title>Noise</title><style>body { margin: 0 } canvas { display: block }</style><canvas></canvas><script>
const c = document.querySelector('canvas'); c.width = 3000; c.height = 2000;
const g = c.getContext('2d'), d = g.createImageData(3000, 2000);
for (let i = 0; i < d.data.length; i += 65536) crypto.getRandomValues(d.data.subarray(i, i + 65536));
for (let i = 3; i < d.data.length; i += 4) d.data[i] = 255;
g.putImageData(d, 0, 0);</script>`;
const colour = (c) => `<!doctype html><title>${c}</title><body style="margin:0;background:${c}"><input type="password" value="hunter2">`;

await inWorld(async (world) => {
  const web = await site({ '/': page, '/noise': noise, '/red': colour('rgb(255,0,0)'), '/blue': colour('rgb(0,0,255)') });
  const { client, browser, tab, tabId } = await onSite(world, web);
  const options = await optionsPage(browser);
  await paired(world, options);

  const file = path.join(world.folder, 'token=supersecret99.txt');
  writeFileSync(file, 'contents');
  const linked = path.join(world.folder, 'linked.txt');
  symlinkSync(file, linked);
  mkdirSync(path.join(world.folder, 'directory'));
  const files = (at = 'file') => tab.eval(`Promise.all([...document.getElementById('${at}').files].map(async (f) => [f.name, f.size, await f.text().catch(() => 'unreadable')]))`);
  const shot = async (at = tabId) => {
    const { content } = await call(client, 'page_screenshot', { tabId: at });
    return { type: content[0].mimeType, bytes: Buffer.from(content[0].data, 'base64') };
  };
  /** The colour of a point of a picture, as the browser decodes it. */
  const point = ({ type, bytes }, x = 300, y = 200) =>
    options.call(
      async (url, at) => {
        const image = await createImageBitmap(await new Promise((r) => { const i = new Image(); i.onload = () => r(i); i.src = url; }));
        const g = new OffscreenCanvas(image.width, image.height).getContext('2d');
        g.drawImage(image, 0, 0);
        return { width: image.width, height: image.height, at: [...g.getImageData(at[0], at[1], 1, 1).data.slice(0, 3)] };
      },
      [`data:${type};base64,${bytes.toString('base64')}`, [x, y]],
    );

  await t.part('pictures without CDP mode', async () => {
    const red = await browser.page(`${web.origin}/red`);
    const redId = await tabAt(client, `${web.origin}/red`);
    const blue = await browser.page(`${web.origin}/blue`);
    const blueId = await tabAt(client, `${web.origin}/blue`);
    const inFront = await shot(blueId);
    t.equal([inFront.type, (await point(inFront)).at], ['image/png', [0, 0, 255]], 'of the tab in front');
    t.equal((await point(await shot(redId))).at, [255, 0, 0], 'of one in the background it is that one');
    const worker = await browser.worker(id);
    const left = !(await attachedTo(worker, redId));
    t.equal(left, true, 'and the debugger has left it again');
    // All sites: the browser pictures the window itself, twice a second.
    const extensions = await browser.page('chrome://extensions/');
    await extensions.eval(`chrome.developerPrivate.addHostPermission(${JSON.stringify(id)}, '<all_urls>')`);
    await extensions.close();
    await options.send('Page.bringToFront');
    await options.press('all-sites');
    await until(() => worker.eval(`chrome.permissions.contains({ origins: ['<all_urls>'] })`), 'all sites');
    await blue.send('Page.bringToFront');
    const many = [];
    for (let i = 0; i < 4; i++) many.push(await shot(blueId));
    const colours = [];
    for (const one of many) colours.push((await point(one)).at);
    t.equal(colours, Array(4).fill([0, 0, 255]), 'with all sites four in a row, over the quota of the browser');
    t.equal((await point(await shot(redId))).at, [255, 0, 0], 'and of the background still that one');
    await options.send('Page.bringToFront');
    await options.press('all-sites');
    await until(async () => !(await worker.eval(`chrome.permissions.contains({ origins: ['<all_urls>'] })`)), 'all sites no more');
    t.match(json(await call(client, 'page_text', { tabId: redId }, { timeout: 10_000 })).url, /red/, 'the sites that were allowed before are not asked for again after that');
    await red.close();
    await blue.close();
  });

  await t.part('pictures that are too large', async () => {
    const big = await browser.page(`${web.origin}/noise`);
    // A window of that size, for a size that another debugger pretends is none for ours.
    const { windowId } = await big.send('Browser.getWindowForTarget');
    await big.send('Browser.setWindowBounds', { windowId, bounds: { width: 3000, height: 2000 } });
    await big.send('Page.bringToFront');
    await big.until('innerWidth > 2900 && innerHeight > 1700');
    await big.eval('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))))');
    const shown = await big.eval('[innerWidth, innerHeight]');
    const { type, bytes } = await shot(await tabAt(client, `${web.origin}/noise`));
    const { width, height } = await point({ type, bytes });
    t.ok(type === 'image/jpeg' && bytes.length <= 5_242_880, 'are packed as JPEG until they fit', [type, bytes.length]);
    t.ok([1, 2, 4].some((part) => Math.abs(width - shown[0] / part) <= 1 && Math.abs(height - shown[1] / part) <= 1), 'at half the size if need be', [width, height, ...shown]);
    await big.close();
  });

  await granted(options, { cdpMode: true, fileUploadEnabled: true });
  const key = new Authenticator();
  await key.plug(options);
  await options.press('webauthn-enroll');
  await until(() => world.trust()?.enrollments.length === 1, 'an authenticator');
  const args = { tabId, selector: '#file', path: file };
  /** A call, and what is done about its window. */
  const uploading = async (more, act) => {
    const out = call(client, 'page_upload', { ...args, ...more }).then(json, (e) => e.message);
    const window = await confirmation(browser);
    await act(window);
    return out;
  };
  const tap = async (window) => {
    await key.plug(window);
    await press(browser, window, 'allow');
  };

  await t.part('without a tap', async () => {
    t.match(await uploading({}, (w) => press(browser, w, 'deny')), /USER_DENIED/, 'Deny denies');
    t.match(await uploading({}, (w) => w.close()), /USER_DENIED/, 'so does closing the window');
    let approved;
    t.match(
      await uploading({}, async (w) => {
        approved = await w.eval(`chrome.runtime.sendMessage({ type: 'confirm_resolve', id: new URLSearchParams(location.search).get('id'), approved: true })`);
        await sleep(200);
        await press(browser, w, 'deny');
      }),
      /USER_DENIED/, 'a click that approves is none',
    );
    t.equal(approved.ok, false, 'and is refused', approved);
    await options.say({ type: 'restrict_policy', overlay: { clickToastTimeoutMs: 3000 } });
    await holds(options, { clickToastTimeoutMs: 3000 });
    const untouched = await uploading({}, async (w) => {
      await key.plug(w);
      await key.touches(false);
      await w.until('!document.querySelector(\'[data-act="allow"]\').disabled');
      void w.click('[data-act="allow"]').catch(() => {});
    });
    t.match(untouched, /CONFIRMATION_TIMEOUT|USER_DENIED/, 'a touch that never comes is none');
    t.equal([await files(), await tab.eval('seen')], [[], []], 'and no file has come into the page');
    await key.plug(options);
    const { nonce, ...request } = await options.say({ type: 'grant_policy', overlay: { clickToastTimeoutMs: 30_000 } });
    t.equal(request.action, 'set policy: clickToastTimeoutMs=30000', 'a longer clock takes a tap');
    await options.send('Page.reload');
    await options.answer('confirm');
    await holds(options, { clickToastTimeoutMs: 30_000 });
  });

  await t.part('with a tap', async () => {
    let shown;
    const done = await uploading({}, async (w) => {
      shown = await w.eval('document.querySelector("pre.payload").textContent');
      await tap(w);
    });
    t.equal(shown, `${file}\n#file`, 'the window shows path and selector as they are');
    t.equal(done, { uploaded: '#file', path: file }, 'the call says what it has put where');
    t.equal(await files(), [['token=supersecret99.txt', 8, 'contents']], 'the page has the file, with its name and its content');
    t.equal(await tab.eval('seen'), ['input file', 'change file'], 'and has heard of it as of a choice');
    await uploading({ path: linked }, tap);
    t.equal(await files(), [['linked.txt', 8, 'contents']], 'a link gives what it leads to, under its own name');
    await uploading({ selector: '#many' }, tap);
    t.equal(await files('many'), [['token=supersecret99.txt', 8, 'contents']], 'an input of several takes one');
  });

  await t.part('refused', async () => {
    for (const wrong of ['file.txt', './file.txt', '~/file.txt', `file://${file}`, 'C:file.txt', ''])
      t.equal((await refused(client, 'page_upload', { ...args, path: wrong }))[0], 'INVALID_ARGUMENT', `${JSON.stringify(wrong)} is not absolute, and nobody is asked`);
    await tab.eval('document.getElementById("file").value = ""; seen.length = 0');
    t.match(await uploading({ selector: '#text' }, tap), /EXECUTION_FAILED.*no file input/, 'another input takes no file');
    t.match(await uploading({ selector: '#none' }, tap), /EXECUTION_FAILED.*no element matches/, 'nor does nothing');
    t.match(await uploading({ selector: '(((' }, tap), /INVALID_ARGUMENT.*selector/, 'a broken selector is an argument error');
    const swapped = await uploading({ selector: '#box' }, async (w) => {
      await tab.eval('document.getElementById("box").outerHTML = \'<div id="box"><input type="file"></div>\'');
      await tap(w);
    });
    t.match(swapped, /no file input/, 'what holds an input is none');
    t.equal([await files(), await tab.eval('seen')], [[], []], 'nothing was put in');
    for (const missing of ['absent.txt', 'directory']) {
      await uploading({ path: path.join(world.folder, missing) }, tap);
      t.equal((await files()).map(([name, , content]) => [name, content]), [[missing, 'unreadable']], `${missing}: the browser takes a path that is no file, and the page can read nothing of it`);
    }
  });

  await t.part('files that the browser keeps from us', async () => {
    const extensions = await browser.page('chrome://extensions/');
    // Outside this mode an unpacked extension does not come back from a reload.
    await extensions.eval('chrome.developerPrivate.updateProfileConfiguration({ inDeveloperMode: true })');
    await extensions.eval(`chrome.developerPrivate.updateExtensionConfiguration({ extensionId: ${JSON.stringify(id)}, fileAccess: false })`);
    await extensions.close();
    const [code, sentence] = await until(async () => {
      const out = await refused(client, 'page_upload', args);
      return ['CONNECTION_LOST', 'NOT_CONNECTED'].includes(out[0]) ? null : out;
    }, 'the extension is back');
    t.ok(code === 'HOST_PERMISSION_MISSING' && /Allow access to file URLs/.test(sentence), 'the switch is named, and nobody is asked', [code, sentence]);
  });
});
t.done();
