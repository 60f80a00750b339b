// Rich text editors as they come from npm, and scripts that are written otherwise than English, used as a
// model would, in both backends.
import { checks, needChromium } from './cdp.mjs';
import { visit, web } from './web/visit.mjs';
import { inWorld } from './world.mjs';

needChromium();
const t = checks();

const EDITORS = { prosemirror: '#prosemirror [contenteditable]', lexical: '#lexical', codemirror: '#codemirror .cm-content', quill: '#quill .ql-editor', slate: '#slate-host', draft: '#draft [contenteditable]' };
// Blocks and line breaks differ by editor, so runs of them count as one.
const lines = (text) => text.replace(/\u00a0/g, ' ').split(/\n+/).filter((line) => line !== '');

await inWorld(async (world) => {
  const site = await web({ '/editors.js': 'editors.js' });
  const v = await visit(world, site, '/rtl.html');

  await v.both(async (mode) => {
    const ok = (is, wanted, sentence) => t.equal(is, wanted, `${sentence} (${mode})`);
    const held = (kind) => v.tab.eval(`editors.${kind}()`);

    await t.part(`editors, ${mode}`, async () => {
      await v.open('/editors.html');
      await v.tab.until('window.editors && editors.slate && editors.draft && true');
      await v.tab.call((all) => {
        for (const [kind, css] of Object.entries(all)) document.querySelector(css).setAttribute('aria-label', kind);
      }, [EDITORS]);
      for (const kind of Object.keys(EDITORS)) {
        t.match(await v.line(`textbox "${kind}"`), /^textbox "\w+" \[ref=e\d+\] value="old text second"$/, `${kind}: its line has its text (${mode})`);
        const ref = await v.ref(`textbox "${kind}"`);
        for (const value of ['A new line, "quoted" & <b>plain</b> \u{1f600}', 'first line\nsecond, longer\n\nlast']) {
          ok(await v.act('page_fill', { ref, value }), { filled: ref }, `${kind}: ${JSON.stringify(value).slice(0, 12)}… is filled`);
          ok(lines(await held(kind)), lines(value), `${kind}: and is what its model holds`);
        }
        ok(await v.line(`textbox "${kind}"`).then((l) => l.replace(/ \[focused\]/, '').replace(/ +/g, ' ')), `textbox "${kind}" [ref=${ref}] value="first line second, longer last"`, `${kind}: its line shows it`);
      }
    });

    await t.part(`keys in editors, ${mode}`, async () => {
      for (const kind of ['prosemirror', 'lexical', 'quill']) {
        await v.fill(`textbox "${kind}"`, 'above');
        await v.press('Enter');
        ok((await held(kind)).split('\n').length >= 2, true, `${kind}: Enter begins a paragraph`);
      }
      await v.fill('textbox "codemirror"', 'typed');
      await v.press('Control+z');
      ok((await held('codemirror')).includes('typed'), false, 'codemirror: Control+z takes a fill back');
      await v.fill('textbox "draft"', '');
      ok(await held('draft'), '', 'draft: nothing is left by an empty value');
    });

    await t.part(`Hebrew, Arabic, Chinese, Japanese, Korean, ${mode}`, async () => {
      await v.open('/rtl.html');
      const outline = await v.outline();
      ok(outline.split('\n')[1], 'title: "\u05d7\u05e0\u05d5\u05ea \u05d4\u05e1\u05e4\u05e8\u05d9\u05dd"', 'the title is written as it is');
      ok(await v.line('textbox "\u05d3\u05d5\u05d0\u05f4\u05dc"'), 'textbox "\u05d3\u05d5\u05d0\u05f4\u05dc" [ref=e4] value="a@example.org"', 'a Hebrew label, a Latin value');
      t.match(outline, /button "\\u200f\u0625\u0631\u0633\u0627\u0644\\u200f ABC" /, `marks of direction are shown as what they are (${mode})`);
      t.match(outline, /button "pay \\u202e001\$ 1\$\\u202c" /, `and nothing is turned round (${mode})`);
      t.match(outline, /button "invisible" /, `characters that nobody sees are dropped (${mode})`);
      t.match(outline, /button "\u30ad\u30e3\u30f3\u30bb\u30eb" /, `wide spaces are spaces (${mode})`);
      t.match(outline, /button "Save \u05e9\u05de\u05d5\u05e8 123" /, `both directions in one name (${mode})`);
      for (const [what, css, value] of [
        ['textbox "\u05e9\u05dd \u05de\u05dc\u05d0"', '#name', '\u05d9\u05b0\u05e8\u05d5\u05bc\u05e9\u05b8\u05c1\u05dc\u05b7\u05d9\u05b4\u05dd 3000'],
        ['textbox "\u304a\u540d\u524d"', '#ja', '\u5c71\u7530\u3000\u592a\u90ce'],
        ['textbox "\u3075\u308a\u304c\u306a"', '#kana', '\u3084\u307e\u3060\n\u305f\u308d\u3046'],
        ['searchbox "\uac80\uc0c9"', '#ko', '\ud55c\uae00 \u{1f1f0}\u{1f1f7}'],
      ]) {
        await v.fill(what, value);
        ok(await v.tab.eval(`document.querySelector('${css}').value`), value, `${what} takes its script`);
      }
      ok(await v.tab.eval('seen'), ['\u5c71\u7530\u3000\u592a\u90ce'], 'a field for an input method takes it as one input');
      await v.click('button "\u78ba\u8a8d\u3059\u308b"');
      ok(await v.status(/\u69d8/), '\u5c71\u7530\u3000\u592a\u90ce \u69d8', 'and the page works with it');
      ok(await v.fill('textbox "\u7b80\u4ecb"', '\u4f60\u597d\n\u4e16\u754c').then((x) => Object.keys(x)), ['filled'], 'a plain editing host too');
      t.match(await v.tab.eval(`document.getElementById('zh').innerText`), /^\u4f60\u597d\n+\u4e16\u754c$/, `in two lines (${mode})`);
      ok(await v.select('listbox "\u0627\u0644\u0645\u062f\u064a\u0646\u0629"', '\u062f\u0628\u064a'), { selected: 'dxb', text: '\u062f\u0628\u064a' }, 'an option by its Arabic label');
      await v.click('button "\u05e9\u05dc\u05d7"');
      t.match(await v.status(/\u05e9\u05dc\u05d5\u05dd/), /^\u05e9\u05dc\u05d5\u05dd \u05d9\u05b0/, `a form from right to left is sent (${mode})`);
      ok((await v.outline()).isWellFormed(), true, 'all of it is well-formed');
    });
  });
});
t.done();
