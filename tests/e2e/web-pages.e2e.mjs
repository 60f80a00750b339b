// Whole pages that look like the real web, used as a model would, in both backends: long tables, widgets,
// components, frames, canvas, feeds.
import { checks, needChromium } from './cdp.mjs';
import { visit, web } from './web/visit.mjs';
import { call, inWorld, text, until } from './world.mjs';

needChromium();
const t = checks();

await inWorld(async (world) => {
  const site = await web();
  const v = await visit(world, site, '/table.html');
  await v.approve(site.other);

  await v.both(async (mode) => {
    const cdp = mode === 'CDP mode';
    const part = (name, body) => t.part(`${name}, ${mode}`, body);
    const ok = (is, wanted, sentence) => t.equal(is, wanted, `${sentence} (${mode})`);
    const page = (expression) => v.tab.eval(expression);

    await part('a table of 5,000 rows', async () => {
      await v.open('/table.html');
      ok((await v.outline()).split('\n').length, 2 + 1 + 3 + 50 + 3, 'a page of it has a line for each control');
      await v.click('button "Total"');
      await v.click('button "Total"');
      const whole = await v.outline({ interactiveOnly: false });
      t.match(whole, /columnheader\n +button "Total"[^\n]*\n(.*\n)*? +row\n +rowheader\n +link "#\d+"|columnheader\n +button "Total"/, `a header keeps its button (${mode})`);
      ok(whole.split('\n').find((l) => /^ +cell "\d/.test(l)).trim(), 'cell "' + (await page('Math.max(...rows.map((r) => r.total)).toFixed(2)')) + '"', 'sorted twice, the largest comes first');
      await v.click('button "Next"');
      ok((await v.act('page_text', { selector: '#at' })).text, 'Page 2 of 200', 'the next page');
      await v.fill('searchbox "Filter"', 'Customer 4999');
      const only = await page(`document.querySelector('tbody tr').dataset.id`);
      await v.click(`button "Delete order ${only}"`);
      ok(await v.status(/deleted/), `deleted ${only}`, 'a row is found by its filter and deleted by its own button');
      await v.fill('searchbox "Filter"', '');
      await v.select('listbox "Rows"', 'All');
      const all = await v.outline();
      ok([all.split('\n').at(-1), all.split('\n').length], ['note: 2000 of 10005 elements shown; pass selector to narrow', 2003], 'all rows at once are cut, and the note says how to go on');
      ok((await v.outline({ selector: 'tbody tr:nth-child(4000)' })).split('\n').length, 4, 'a selector reaches a late row');
      t.ok(Buffer.byteLength(all) < 131_072, `and the outline stays small (${mode})`, Buffer.byteLength(all));
    });

    await part('widgets', async () => {
      await v.open('/widgets.html');
      ok(await v.act('page_hover', { ref: await v.ref('menuitem "File"') }).then((x) => x.role), 'menuitem', 'a menu opens by hover');
      await v.click('menuitem "Open…"');
      ok(await v.status(/Open/), 'Open clicked', 'and its item is clicked');
      await v.click('tab "Metrics"');
      t.match(await v.line('tab "Metrics"'), /\[selected\]/, `a tab is chosen (${mode})`);
      ok((await v.click('button "Refresh"')).role, 'button', 'and what is behind it is there');
      ok((await v.refusal('page_click', { ref: await v.ref('tab "Billing"') }))[1].includes('is disabled'), true, 'a tab that ARIA calls disabled is refused');
      await v.click('treeitem "src"');
      t.match(await v.line('treeitem "src"'), /^treeitem "src" \[ref=e\d+\] \[expanded\]/, `a branch opens and keeps its name (${mode})`);
      await v.click('treeitem "main.c"');
      t.match(await v.line('treeitem "main.c"'), /\[selected\]/, `its leaf is chosen (${mode})`);
      await v.click('combobox "Region"');
      await v.click('option "Asia"');
      ok(await page(`document.getElementById('pick').textContent`), 'Asia', 'a drop-down of ARIA takes an option');
      await v.click('radio "Large"');
      t.match(await v.line('radio "Large"'), /\[checked\]/, `a radio of ARIA (${mode})`);
      await page(`document.getElementById('vol').focus()`);
      await v.press('ArrowRight');
      ok([await v.status(/volume/), await page(`document.getElementById('vol').ariaValueText`)], ['volume 45', '45 percent'], 'a slider is moved by its keys');
      await v.click('button "Like, 5 people do"');
      ok(await v.status(/liked/), 'liked', 'a button of a div');
      await v.click('div "A clickable div"');
      ok(await v.status(/plain/), 'plain div', 'a div with a handler');
      ok(await v.act('page_hover', { ref: await v.ref('span "Help"') }).then((x) => x.role), 'span', 'a tip is hovered');
      for (const name of ['button "New item"', 'button "Trash"', 'button "Search"', 'button "Settings"', 'button "Favourite"', 'button "Close panel"', 'link "Ada Lovelace"', 'switch "Dark mode"', 'checkbox "Take 1A"', 'checkbox "Select all"', 'slider "Volume"', 'spinbutton "Quantity"'])
        t.ok((await v.line(name)) !== '', `${name} is found (${mode})`);
    });

    await part('components', async () => {
      await v.open('/shadow.html');
      await v.fill('textbox "Search the shop"', 'kettle');
      await v.click('button "Go"');
      ok(await v.status(/searched/), 'searched kettle', 'a field and a slotted button in one tree');
      await v.click('button "One more"');
      await v.fill('spinbutton "Quantity"', '5');
      await v.click('button "One more"');
      await v.click('button "Add to cart"');
      ok(await v.status(/added/), 'added 6', 'three levels of trees');
      if (cdp) ok(await v.line('textbox "Coupon"'), '', 'script of the page sees no closed tree');
      else {
        await v.fill('textbox "Coupon"', 'X-7');
        await v.click('button "Redeem"');
        ok(await v.status(/redeemed/), 'redeemed X-7', 'a closed tree too');
      }
      if (cdp) {
        const precise = text(await call(v.client, 'page_snapshot_precise', { tabId: v.tabId }));
        t.match(precise, /\ntextbox "Coupon"\nbutton "Redeem"\n/, `the browser's own tree has it, to be read (${mode})`);
        const [, more] = /button "One more" \[ref=(p\d+)\]/.exec(precise);
        ok(await v.act('page_click', { ref: more }), { clicked: more, role: 'button' }, 'and has refs for what is open');
        ok(await page(`document.querySelector('x-card').shadowRoot.querySelector('x-stepper').shadowRoot.querySelector('input').value`), '7', 'that act on the same elements');
      }
      t.match((await v.act('page_text')).text, /Search the shop[\s\S]*in all departments[\s\S]*Blue kettle[\s\S]*Quantity/, `their text is read in the order of the page (${mode})`);
    });

    await part('frames', async () => {
      await v.open('/frames.html');
      await until(async () => (await v.outline()).includes('Level 3 button'), 'the innermost frame');
      const outline = await v.outline();
      const below = (title) => new RegExp(`iframe "${title}" \\[ref=e\\d+\\][^\\n]*\\n  textbox "Message" \\[ref=((?:f\\d+)?e\\d+)\\]\\n  button "Say it" \\[ref=([^\\]]+)\\]`).exec(outline);
      const same = below('Same site');
      const other = below('Payment');
      ok(/^e\d+$/.test(same?.[1] ?? ''), true, 'what is in a frame of the same origin has plain refs');
      ok(/^f\d+e1$/.test(other?.[1] ?? ''), true, 'an approved other origin has refs of its own');
      t.match(outline, new RegExp(`iframe "Payment" \\[ref=e\\d+\\] origin="${site.other}"`), `and is shown with its origin (${mode})`);
      t.match(outline, new RegExp(`iframe "Advert" \\[ref=e\\d+\\] \\[left-out\\] origin="${site.alias}"\\niframe "Sandboxed"`), `one that is not approved is left out (${mode})`);
      t.match(outline, /iframe "Sandboxed" \[ref=e\d+\] \[left-out\][^\n]*\niframe "Level one"/, `and so is a sandbox (${mode})`);
      t.match(outline, /iframe "Level one" \[ref=e\d+\]\n  button "Level 1 button" \[ref=e\d+\]\n  iframe "Level two" \[ref=e\d+\]\n    button "Level 2 button" \[ref=e\d+\]\n    iframe "Level three" \[ref=e\d+\]\n      button "Level 3 button" \[ref=e\d+\]/, `frames in frames are one level deeper each (${mode})`);
      ok(outline.includes('No area'), false, 'a frame without area has no line');
      for (const [where, refs] of [['same', same], ['other', other]]) {
        ok(await v.act('page_fill', { ref: refs[1], value: `to ${where}` }), { filled: refs[1] }, `a field in it is filled: ${where}`);
        ok(await v.act('page_click', { ref: refs[2] }), { clicked: refs[2], role: 'button' }, `a button in it is clicked: ${where}`);
        ok(await v.status(new RegExp(where)), `${where}: to ${where}`, `and works: ${where}`);
      }
      await v.click('button "Level 3 button"');
      ok(await v.status(/level/), 'level 3', 'three frames deep');
      t.match((await v.act('page_text')).text, new RegExp(`\\[frame left out: ${site.alias}\\]`), `the text says what is left out (${mode})`);
      const next = /button "Say it" \[ref=f\d+e2\]\n  link "Next step" \[ref=(f\d+e3)\]/.exec(outline)[1];
      const went = await v.act('page_click', { ref: next });
      ok([went.navigated, went.url], [true, `${site.other}/framed.html`], 'a link in a frame leads the frame on');
      ok((await v.refusal('page_click', { ref: other[2] }))[0], 'EXECUTION_FAILED', 'and the refs of its old document are gone');
    });

    await part('a canvas', async () => {
      await v.open('/canvas.html');
      ok((await v.outline()).split('\n').slice(2).map((l) => l.replace(/ \[ref=e\d+\]/, '')), ['img "Chart of sales"', 'canvas "Board"', 'button "Undo"'], 'a canvas is listed where it takes the focus');
      await v.click('canvas "Board"');
      ok(await v.status(/1 mark/), '1 marks, last at 150,75', 'and is clicked in its middle');
      await v.press('Backspace');
      ok(await v.status(/0 marks/), '0 marks', 'it has the focus then, and takes keys');
      ok((await call(v.client, 'page_screenshot', { tabId: v.tabId })).content[0].type, 'image', 'what it shows is seen in a picture');
    });

    await part('a feed without end', async () => {
      await v.open('/feed.html');
      for (let n = 20; n <= 60; n += 10) {
        await v.act('page_scroll', { direction: 'bottom' });
        ok((await v.act('page_wait_for', { selector: `#t${n}` })).matched, true, `scrolling brings post ${n}`);
      }
      ok(await v.act('page_wait_for', { text: 'No more posts' }), { matched: true, text: 'No more posts' }, 'until that is all');
      await v.click('button "Like post 60"');
      t.match(await v.line('button "Like post 60"'), /\[pressed\]/, `and what came last is clicked (${mode})`);
    });

    await part('a page of 200,000 px', async () => {
      await v.open('/long.html');
      for (const [name, y] of [['Last', 199_900], ['Middle', 100_000], ['First', 10]]) {
        await v.click(`button "${name}"`);
        const [, at] = /at (\d+)/.exec(await v.status(new RegExp(name)));
        const height = await page('innerHeight');
        t.ok(Math.abs(Number(at) - Math.min(Math.max(y - height / 2, 0), 200_000 - height)) < 40, `${name} is brought into view and clicked (${mode})`, at);
      }
      ok((await v.act('page_scroll', { pixels: 150_000 })).scrollY, 150_000, 'scrolling by pixels');
      ok((await v.click('link "Back to the start"')).navigated, undefined, 'a jump within it is no new document');
    });
  });
});
t.done();
