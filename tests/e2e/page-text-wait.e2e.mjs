// The text of a page (tools.md 6.8) and waiting for it (6.9) in real Chromium.
import { checks, launch, needChromium, sleep } from './cdp.mjs';
import { factorySource, golden, instance, pageText, serve } from './pages/harness.mjs';

needChromium();
const t = checks();
const source = await factorySource();
let release = () => {};
const site = await serve({
  '/slow.html': (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.write('<!doctype html><title>Slow</title><p>first half</p>'.padEnd(2048));
    release = () => response.end('<p>second half</p>');
  },
});
const browser = await launch();
const page = await browser.page();

const open = async (name, options) => {
  await page.goto(`${site.origin}/${name}`);
  return instance(page, source, options);
};

await t.part('text', async () => {
  for (const world of ['isolated', 'main']) {
    let api = await open('prose.html', { world });
    golden(t, 'prose.text', await api.text(), `a page without shadow trees and frames, ${world} world`);
    const inner = await page.eval('document.body.innerText');
    const masked = inner.replace(/(?<!\d)\d{12,19}(?!\d)/g, '••••••').replaceAll('\udc00', '\ufffd');
    t.equal(await api.text(), masked.trim(), `is its innerText but for digits and broken characters, ${world} world`);
    api = await open('prose-flat.html', { world });
    golden(t, 'prose-flat.text', site.neutral(await api.text()), `shadow trees and frames in the order of the flat tree, ${world} world`);
  }
  const fields = await open('values.html');
  const held = await fields.text();
  t.match(held, /rich text\s+second/, 'an editor is read');
  t.match(held, /Code\s+here\s*Send\s+on/, 'but for one that hides what it holds');
  t.ok(!held.includes('765432'), 'which is nowhere', held);
  t.equal(await fields.text({ selector: '[autocomplete=one-time-code][role]' }), '', 'nor given where it is asked for');
  const api = await open('prose.html');
  t.equal(await api.text({ selector: 'ul' }), 'one\ntwo', 'one element');
  t.equal(await api.text({ selector: '[style*=none]' }), '', 'a hidden element gives nothing');
  t.equal(await api.text({ selector: 'input' }), '', 'an input gives nothing');
  t.equal(await api.text({ selector: 'textarea' }), '', 'a textarea gives nothing');
  t.equal(await api.text({ selector: 'script' }), '', 'a script gives nothing');
  t.match(await api.error('page_text', { selector: '#gone', limit: 10 }), /^EXECUTION_FAILED no element matches selector "#gone"/, 'no match is a failure');
  t.match(await api.error('page_text', { selector: '!', limit: 10 }), /^INVALID_ARGUMENT/, 'a selector that is none is an invalid argument');
  t.match(await api.error('page_text', { limit: 10 }, { expectOrigin: site.other }), /^EXECUTION_FAILED the page is now at another origin/, 'another origin is refused');
  const data = await api.data('page_text', { selector: '#emoji', limit: 20_000 });
  t.equal([data.parts, data.url, data.truncated], [['a😀b \ufffd lone'], `${site.origin}/prose.html`, false], 'text, address and whether it was cut');
  t.equal(await api.data('page_text', { selector: '#emoji', limit: 2 }), { parts: ['a'], url: data.url, truncated: true }, 'no cut splits a character');
  t.equal((await api.data('page_text', { selector: '#emoji', limit: 3 })).parts, ['a😀'], 'one that fits stays whole');

  await page.eval(`document.body.innerHTML = '<p>x</p>'.repeat(20000); 0`);
  const long = await api.data('page_text', { limit: 20_000 });
  t.equal([long.parts.length, long.parts[0].length, long.truncated], [1, 20_000, true], 'a long page is cut at the limit');
  const timed = `(async () => { const at = performance.now(); await api.page_text({call: 0, expectOrigin: location.origin, args: {limit: 20000}}); return performance.now() - at })()`;
  await page.eval(`document.body.innerHTML = ''; document.body.append(...Array.from({length: 500}, () => { const h = document.createElement('div'); h.attachShadow({mode: 'open'}).innerHTML = '<p>a</p>'.repeat(10); return h })); 0`);
  const small = await page.eval(timed, { context: api.context });
  await page.eval(`document.body.append(...Array.from({length: 3500}, () => { const h = document.createElement('div'); h.attachShadow({mode: 'open'}).innerHTML = '<p>a</p>'.repeat(10); return h })); 0`);
  const big = await page.eval(timed, { context: api.context });
  t.note(`500 shadow trees ${small.toFixed(0)} ms, 4,000 ${big.toFixed(0)} ms`);
  t.ok(big < 40 * Math.max(small, 5), 'eight times the shadow trees do not take forty times the time', [small, big]);
});

await t.part('frames out of reach', async () => {
  const api = await open('prose-flat.html');
  const { parts } = await api.data('page_text', { limit: 20_000 });
  const slots = parts.filter((p) => typeof p !== 'string');
  t.equal(
    slots.map((s) => [s.path, site.neutral(s.address), site.neutral(s.srcOrigin)]),
    [
      [[1], '{{other}}/inner.html', '{{other}}'],
      [[2], 'about:srcdoc', ''],
    ],
    'they interrupt the text where they stand',
  );
  t.ok(!pageText({ parts }).includes('sandboxed'), 'nothing of them is read');
});

const wait = (args) => ({ nav: false, timeoutMs: 2_000, totalMs: 2_000, ...args });

await t.part('waiting', async () => {
  let api = await open('empty.html');
  const later = (html, ms) => page.eval(`setTimeout(() => { document.body.innerHTML = ${JSON.stringify(html)} }, ${ms}); 0`);
  t.equal(await api.data('page_wait_for', wait({ selector: 'body' })), { matched: true, selector: 'body' }, 'a selector that matches already');
  await later('<p id=late>come</p>', 300);
  t.equal(await api.data('page_wait_for', wait({ selector: '#late' })), { matched: true, selector: '#late' }, 'a selector that comes to match');
  await later('<p>the <b>text</b> came</p>', 300);
  t.equal(await api.data('page_wait_for', wait({ text: 'the text came' })), { matched: true, text: 'the text came' }, 'a text that appears');
  await later('<p style="display:none">unseen words</p>', 0);
  const began = Date.now();
  t.equal(
    await api.error('page_wait_for', wait({ text: 'unseen words', timeoutMs: 400, totalMs: 1234 })),
    'EXECUTION_FAILED wait_for timed out after 1234ms',
    'a hidden text does not count, the failure names the whole time',
  );
  const took = Date.now() - began;
  t.ok(took >= 390 && took < 2_000, 'and comes when the time is over', took);
  t.equal(await api.data('page_wait_for', wait({ selector: '#no', text: 'no', nav: true })), { matched: true, nav: true, url: `${site.origin}/empty.html`, readyState: 'complete' }, 'conditions are joined by or');
  t.match(await api.error('page_wait_for', wait({ selector: '??' })), /^INVALID_ARGUMENT selector "\?\?"/, 'a selector that is none fails at once');
  t.match(await api.error('page_wait_for', wait({ selector: 'p' }), { expectOrigin: 'http://x' }), /^EXECUTION_FAILED the page is now/, 'another origin is refused');
  t.equal((await api.data('page_wait_for', wait({ selector: 'p', timeoutMs: 0 }))).matched, true, 'a condition that holds is found without any time left');

  await page.eval(`document.body.innerHTML = '<iframe srcdoc="<p>in a reached frame</p>"></iframe><iframe src="${site.other}/inner.html"></iframe>'; 0`);
  t.equal((await api.data('page_wait_for', wait({ text: 'in a reached frame' }))).matched, true, 'frames of the instance count');
  t.match(await api.error('page_wait_for', wait({ text: 'inner text', timeoutMs: 300 })), /timed out/, 'frames of an instance of their own do not');

  const aborted = api.reply('page_wait_for', wait({ selector: '#never', timeoutMs: 20_000 }), { call: 777 });
  await sleep(100);
  await api.reply('_abort', { call: 777 });
  const stopped = Date.now();
  const reply = await aborted;
  t.ok(reply.ok === false && Date.now() - stopped < 1_000, 'an aborted wait ends at its next step', reply);

  // A document that is still arriving.
  const arriving = page.send('Page.navigate', { url: `${site.origin}/slow.html` });
  await page.until('document.title === "Slow"');
  await arriving;
  api = await instance(page, source);
  t.equal((await api.data('page_wait_for', wait({ text: 'first half' }))).matched, true, 'waiting does not wait for the parser');
  t.match(await api.error('page_wait_for', wait({ nav: true, timeoutMs: 300 })), /timed out/, 'nav waits until the document has loaded');
  const text = api.text();
  await sleep(200);
  release();
  t.equal(await text, 'first half\n\nsecond half', 'reading waits until the document is parsed');
  t.equal((await api.data('page_wait_for', wait({ nav: true }))).readyState, 'complete', 'then nav is fulfilled');

  const stuck = page.send('Page.navigate', { url: `${site.origin}/slow.html` });
  await page.until('document.title === "Slow" && document.readyState === "loading"');
  await stuck;
  api = await instance(page, source);
  const from = Date.now();
  t.equal(await api.text(), 'first half', 'a document that never ends is read as far as it came');
  const waited = Date.now() - from;
  t.ok(waited >= 4_900 && waited < 8_000, 'after 5 s', waited);
  release();
});

await browser.close();

await t.part('a tab long in the background', async () => {
  const throttled = await launch({ args: ['--enable-features=IntensiveWakeUpThrottling:grace_period_seconds/2'] });
  const back = await throttled.page(`${site.origin}/empty.html`);
  const front = await throttled.page(`${site.origin}/empty.html`);
  await front.send('Page.bringToFront');
  await back.until('document.visibilityState === "hidden"');
  await sleep(3_000);
  const api = await instance(back, source);
  const began = Date.now();
  t.match(await api.error('page_wait_for', wait({ selector: '#never', timeoutMs: 12_000, totalMs: 12_000 })), /timed out after 12000ms/, 'a wait there ends');
  t.ok(Date.now() - began < 14_000, 'in time, though the browser holds back its timers', Date.now() - began);
  await throttled.close();
});

site.close();
t.done();
