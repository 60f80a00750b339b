// Rich text editors of each kind that tools.md 6.16 names: what page_fill makes of their models.
import { checks, launch, needChromium } from './cdp.mjs';
import { bundle, factorySource, instance, serve } from './pages/harness.mjs';

needChromium();
const t = checks();
const source = await factorySource();
const script = await bundle('editors.js');
const site = await serve({
  '/editors.js': (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' });
    response.end(script);
  },
});
const browser = await launch();
const page = await browser.page();

const KINDS = ['prosemirror', 'lexical', 'codemirror', 'quill', 'slate', 'draft'];
const VALUES = {
  'one line': 'A new line, "quoted" & <b>plain</b> 😀',
  'several lines': 'first line\nsecond, longer line\nthird',
  'an empty line within': 'above\n\nbelow',
  'a single letter': 'x',
  none: '',
};
// Blocks and line breaks differ by editor, so runs of them count as one.
const lines = (text) => text.replace(/\u00a0/g, ' ').split(/\n+/).filter((line) => line !== '');

for (const world of ['isolated', 'main']) {
  for (const kind of KINDS) {
    await t.part(`${kind}, ${world} world`, async () => {
      await page.goto(`${site.origin}/editors.html`);
      await page.until(`window.editors && editors.${kind} && document.querySelector('#${kind}[contenteditable], #${kind} [contenteditable=true]') && true`);
      const api = await instance(page, source, { world });
      const selector = `#${kind}[contenteditable], #${kind} [contenteditable=true]`;
      t.equal(lines(await page.eval(`editors.${kind}()`)), ['old text', 'second'], 'the editor begins with two lines');
      for (const [what, value] of Object.entries(VALUES)) {
        t.equal(await api.reply('page_fill', { selector, value }), { ok: true, data: {} }, `${what}: the fill succeeds`);
        t.equal(lines(await page.eval(`editors.${kind}()`)), lines(value), `${what}: the model holds the value`);
      }
    });
  }
}

await t.part('a focus that moves', async () => {
  // What is typed goes where the browser's focus is, so an editor that lost it gets nothing more, and nobody else does.
  for (const [how, move] of [['to a field', 'other.focus()'], ['to another editor', 'second.focus(); getSelection().selectAllChildren(second)'], ['to what is selected elsewhere', 'getSelection().selectAllChildren(second)']]) {
    await page.goto(`${site.origin}/empty.html`);
    await page.send('Page.bringToFront');
    await page.eval(`document.body.innerHTML = '<div id="first" contenteditable>old</div><div id="second" contenteditable>theirs</div><input id="other" value="theirs">'; first.addEventListener('beforeinput', () => { ${move} }); 0`);
    const api = await instance(page, source);
    t.match(await api.error('page_fill', { selector: '#first', value: 'private words' }), /^EXECUTION_FAILED the focus left the editor/, `${how}: the fill stops`);
    t.equal(await page.eval('[second.innerText, other.value]'), ['theirs', 'theirs'], `${how}: nothing is typed there`);
  }
});

await t.part('tab not in front', async () => {
  await page.goto(`${site.origin}/editors.html`);
  await page.until('window.editors && editors.prosemirror && true');
  const api = await instance(page, source);
  const other = await browser.page(`${site.origin}/empty.html`);
  await other.send('Page.bringToFront');
  await page.until('!document.hasFocus()');
  t.match(
    await api.error('page_fill', { selector: '#prosemirror [contenteditable=true]', value: 'x' }),
    /^EXECUTION_FAILED .* needs its tab in front: call tab_focus/,
    'an editor in a background tab is refused, naming tab_focus',
  );
  t.equal(await page.eval('editors.prosemirror()'), 'old text\nsecond', 'and left as it is');
  await page.send('Emulation.setFocusEmulationEnabled', { enabled: true });
  t.equal(await api.reply('page_fill', { selector: '#prosemirror [contenteditable=true]', value: 'emulated' }), { ok: true, data: {} }, 'with emulated focus it is filled');
  t.equal(await page.eval('editors.prosemirror()'), 'emulated', 'in the background');
});

await browser.close();
site.close();
t.done();
