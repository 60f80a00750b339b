// What a page may hold: five million characters of whatever is worst to look through, and characters that no text
// should have. Every tool that gives back text of a page gives well-formed text, in time, by both ways into the page.
import { createServer } from 'node:http';
import { checks, needChromium } from './cdp.mjs';
import { granted, optionsPage, paired } from './persons.mjs';
import { answer, call, inWorld, onSite, refused, text, until } from './world.mjs';

needChromium();
const t = checks();
const SIZE = 5_000_000;
/** Squared, the least of these would take hours. */
const LONG_MS = 20_000;

/** Lone halves of pairs, NUL, controls, overrides of direction, marks of the byte order, what is no character. */
const ODD = 'a\ud800b\udc00c\u0000d\u0001\u001b[31m\u0085\u2028\u202egro.knab\u202c\u2066\u2069\ufeff\ufffe\uffff\u{1f98a}z';
const BAD = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/;

/** In the page: everything that a tool could read carries it. */
function fill(odd) {
  document.title = odd;
  const add = (tag, members, more = {}) => document.body.append(Object.assign(document.createElement(tag), { textContent: odd, ...members }, more));
  document.body.textContent = '';
  add('p', {});
  add('button', { id: 'go' });
  add('button', { ariaLabel: odd, textContent: 'b' });
  add('a', { href: `/x?${odd}#${odd}` });
  add('input', { value: odd, id: 'in', ariaLabel: odd });
  add('input', { placeholder: odd });
  add('h1', {});
  add('iframe', { title: odd, srcdoc: '' });
  const select = document.createElement('select');
  select.id = 'plan';
  select.append(new Option('Small', 's'), new Option(odd, odd));
  document.body.append(select);
  localStorage.setItem(odd, odd);
  localStorage.setItem('plain', odd);
  document.cookie = `odd=${encodeURIComponent('x')}\u00e9\u2028${odd.replace(/[\u0000-\u001f;]/g, '')}`;
  history.replaceState(null, '', `/?${odd}`);
  console.log(odd);
  console.log({ [odd]: odd });
}

const site = () =>
  new Promise((resolve) => {
    const server = createServer((req, res) => {
      res.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
      res.end('<!doctype html><meta charset="utf-8"><title>Strings</title><body>');
    }).listen(0, '127.0.0.1', () => resolve({ origin: `http://127.0.0.1:${server.address().port}`, close: () => (server.closeAllConnections(), server.close()) }));
  });

/** All strings of a value, names of members too. */
const strings = (v) => (typeof v === 'string' ? [v] : v && typeof v === 'object' ? Object.entries(v).flat().flatMap(strings) : []);

await inWorld(async (world) => {
  const web = await site();
  const { client, browser, tab, tabId } = await onSite(world, web);
  const options = await optionsPage(browser);
  await paired(world, options);
  await granted(options, { pageEvalEnabled: true, handleDialogEnabled: true, presenceConfirm: false, confirmHighRiskClick: false, warnPreciseSnapshot: false });
  await granted(options, { confirmPageEval: false });
  await tab.send('Page.bringToFront');

  /** What a call says, if its text is such as may leave. */
  const wellFormed = (name, result) => {
    const said = text(result);
    const parts = name.startsWith('page_snapshot') ? [said] : strings(JSON.parse(said));
    const broken = [said, ...parts].filter((s) => !s.isWellFormed());
    t.equal(broken, [], `${name}: well-formed`);
    if (name.startsWith('page_snapshot')) t.ok(!BAD.test(said), `${name}: without controls, and nothing turns its direction`, JSON.stringify(said));
    return said;
  };
  const given = async (name, args = {}) => wellFormed(name, await call(client, name, { tabId, ...args }));
  const timed = async (what, work) => {
    const from = Date.now();
    const result = await work();
    const ms = Date.now() - from;
    t.ok(ms < LONG_MS, `${what} (${ms} ms)`);
    return result;
  };

  /** The tools that both ways carry. */
  async function both(mode) {
    await tab.goto(`${web.origin}/`);
    await tab.call(fill, [ODD]);
    t.match(await given('page_snapshot'), /button "a\ufffdb\ufffdc/, `${mode}: the outline shows what can be shown`);
    await given('page_snapshot', { interactiveOnly: false });
    const { text: prose } = JSON.parse(await given('page_text'));
    t.ok(prose.includes('gro.knab') && prose.includes('\u{1f98a}z'), `${mode}: the text is there, and its whole characters`, prose);
    await given('page_text', { selector: 'p' });
    await given('storage_get', { key: 'plain' });
    const all = JSON.parse(await given('storage_get'));
    t.equal([all.count, Object.keys(all.entries).some((k) => k.includes('\u0000'))], [2, false], `${mode}: names of stored values as well`);
    for (const code of [`return ${JSON.stringify(ODD)}`, `return { [${JSON.stringify(ODD)}]: [${JSON.stringify(ODD)}], set: new Set([document.title]) }`, `throw new Error(${JSON.stringify(ODD)})`, `const e = document.body; e.id = ${JSON.stringify(ODD)}; return e`]) await given('page_eval', { code });
    await given('page_click', { selector: '#go' });
    await given('page_wait_for', { text: 'gro.knab', timeoutMs: 2_000 });
    const choosing = given('page_select', { selector: '#plan', value: ODD.replace(/[\ud800\udc00](?![\udc00-\udfff])/g, '\ufffd') }).catch((e) => e.message);
    await answer(browser, 'allow');
    const chosen = await choosing;
    t.ok(chosen.isWellFormed(), `${mode}: a choice, or why there is none`, chosen);
    const [, why] = await refused(client, 'page_text', { tabId, selector: `#none-${'\u202e'}x` });
    t.ok(why.isWellFormed() && !BAD.test(why), `${mode}: what an error quotes, too`, why);
  }

  /** Much of the same, which is where a search that goes back shows. */
  async function much(mode, parts) {
    for (const [what, part] of parts) {
      await tab.goto(`${web.origin}/`);
      await tab.call((s, size) => void document.body.append(Object.assign(document.createElement('p'), { textContent: s.repeat(Math.ceil(size / s.length)) }), Object.assign(document.createElement('button'), { textContent: 'Go' })), [part, SIZE]);
      const { text: prose, truncated } = JSON.parse(await timed(`${mode}: page_text of 5 MB ${what}`, () => given('page_text')));
      t.ok(truncated && prose.length <= 20_003, `${mode}: is cut`, prose.length);
      await timed(`${mode}: page_snapshot, with its text`, () => given('page_snapshot', { interactiveOnly: false }));
      await timed(`${mode}: page_eval that returns all of it`, () => given('page_eval', { code: 'return document.body.textContent' }));
    }
  }

  await t.part('odd characters, by the content script', () => both('script'));
  await t.part('what the browser itself tells', async () => {
    const listed = JSON.parse(await given('tab_list', { tabId: undefined }));
    t.ok(listed.find((x) => x.id === tabId).title.includes('gro.knab'), 'tab_list: the title');
    await given('cookie_get');
  });
  await t.part('five megabytes, by the content script', () =>
    much('script', [['of digits in groups', '4111 '], ['of what begins like a secret', 'token=sk-'], ['of halves of characters', '\ud800\u202e']]));

  await granted(options, { cdpMode: true });
  await tab.send('Page.bringToFront');
  await t.part('odd characters, by the debugger', async () => {
    await both('cdp');
    await given('page_snapshot_precise');
    const { entries } = JSON.parse(await given('console_get'));
    t.ok(entries.some((e) => e.text.includes('gro.knab')), 'console_get: what was logged');
    await tab.eval(`void setTimeout(() => alert(${JSON.stringify(ODD)}))`);
    const [, shown] = await until(() => refused(client, 'page_text', { tabId }).catch(() => null), 'the dialog');
    t.ok(/alert dialog/.test(shown) && shown.isWellFormed() && !BAD.test(shown), 'a dialog that is quoted', shown);
    await given('page_handle_dialog', { action: 'accept' });
  });
  await t.part('five megabytes, by the debugger', async () => {
    await much('cdp', [['of what begins like a secret', 'token=sk-']]);
    await tab.eval(`void console.log('token=sk-'.repeat(${SIZE / 9}))`);
    await timed('console_get', () => given('console_get'));
  });
});
t.done();
