// The tools that attach the debugger, with real grants: page_snapshot_precise, console_get,
// page_handle_dialog and page_upload; the notice, the windows, and a policy that takes the mode away.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { checks, needChromium, sleep } from './cdp.mjs';
import { attachedTo, granted, optionsPage, paired } from './persons.mjs';
import { answer, call, confirmation, id, inWorld, json, onSite, press, refused, site, text, until } from './world.mjs';

needChromium();
const t = checks();
const DOTS = '\u2022'.repeat(6);

const form = `<!doctype html><title>Form "A"</title>
<button id="pay">Pay</button><input type="password" value="hunter2" aria-label="Password"><input aria-label="Card" autocomplete="cc-number" value="4111111111111111">
<select aria-label="Plan"><option>S</option><option selected>L</option></select><details><summary>More</summary>x</details>
<label><input type="checkbox"> Keep <input autocomplete="one-time-code" value="918273"></label>
<label><input type="checkbox"> Until <input type="month" autocomplete="cc-exp" value="2041-05"></label><label><input type="checkbox"> On <input type="date" autocomplete="cc-exp" value="2041-05-09"></label>
<label><input type="checkbox"> At <input type="time" autocomplete="one-time-code" value="13:47"></label><label><input type="checkbox"> Of <select autocomplete="cc-exp-year"><option>2040</option><option selected>2041</option></select></label>
<label><input type="checkbox"> By <span contenteditable role="textbox" autocomplete="one-time-code">5566<br>7788</span></label>
<p id="valid">Valid <input type="month" autocomplete="cc-exp" value="2043-05"></p><button aria-labelledby="valid">x</button>
<input type="date" aria-label="When"><label><input type="checkbox" checked> News</label>
<div id="open"></div><div id="closed"></div><iframe src="/inner" title="Inner"></iframe>
<input type="file" id="file"><input id="text">
<button id="ask" onclick="document.title = 'got ' + prompt('Your name? token=supersecret99')">Ask</button>
<script>
  document.getElementById('open').attachShadow({ mode: 'open' }).innerHTML = '<button>In the open</button>';
  document.getElementById('closed').attachShadow({ mode: 'closed' }).innerHTML = '<button>In the closed</button>';
  document.getElementById('pay').onclick = () => { document.title = 'paid'; };
  console.log('hello', 7); console.warn('token=supersecret99');
  setTimeout(() => { throw new TypeError('boom\\nsecond line'); });
</script>`;

/** Fields that do not show, and what is named by them. */
const UNSEEN = `<!doctype html><title>Unseen</title><input id="later" type="password" value="toggled-secret"><button aria-labelledby="later">a</button>
<input id="pw" type="password" value="hunter2" hidden><button aria-labelledby="pw">b</button> <button><span aria-labelledby="pw" role="img"></span></button>
<input id="exp" type="month" autocomplete="cc-exp" value="2027-05" hidden><button aria-labelledby="exp">d</button> <button id="byprop">e</button>
<div id="wrap" hidden>of <b><input type="month" autocomplete="cc-exp" value="2027-05"></b></div><button aria-labelledby="wrap">f</button>
<input id="at" type="time" autocomplete="one-time-code" value="06:06" hidden><button aria-labelledby="at">g</button>
<div id="ed" contenteditable autocomplete="one-time-code" hidden>4<p>711</p></div><button aria-labelledby="ed">h</button>
<label for="lab">Card <span aria-labelledby="pw"></span></label><button id="lab">i</button>
<div id="away" hidden></div><button aria-labelledby="away">j</button> <div id="shut"></div>
<button>Keep Pay<input type="password" value="hunter2" hidden></button> <label for="pw" id="own">Keep this</label><button aria-labelledby="own">l</button>
<div role="button" tabindex="0">Show <span contenteditable autocomplete="one-time-code">4<p>711</p></span></div>
<script>byprop.ariaLabelledByElements = [exp];
away.attachShadow({ mode: 'closed' }).innerHTML = '<input autocomplete="cc-number" value="4711">';
shut.attachShadow({ mode: 'closed' }).innerHTML = '<input id="x" hidden autocomplete="cc-number" value="4711"><button aria-labelledby="x">k</button>';</script>`;

await inWorld(async (world) => {
  const web = await site({ '/': form, '/unseen': UNSEEN, '/inner': '<button>Inside</button><script>console.log("from inside")</script>' });
  const { client, browser, tab, tabId } = await onSite(world, web);
  const options = await optionsPage(browser);
  const worker = await browser.worker(id);
  /** Whether the extension could attach: it cannot where it is attached already. */
  const free = async () => !(await attachedTo(worker, tabId));

  await t.part('before the grants', async () => {
    t.match((await refused(client, 'console_get', { tabId }))[1], /genkan pair/, 'unpaired, the text names genkan pair');
    await paired(world, options);
    t.match((await refused(client, 'page_snapshot_precise', { tabId }))[1], /genkan policy set/, 'paired, it names genkan policy set');
  });

  const grant = (overlay) => granted(options, overlay);
  await grant({ cdpMode: true });
  await tab.send('Page.bringToFront');

  await t.part('the notice', async () => {
    const cancelled = refused(client, 'console_get', { tabId });
    await sleep(1_200);
    // It hangs in a closed shadow tree in the corner; the button is its right part.
    const { width } = await tab.eval('({ width: document.documentElement.clientWidth })');
    const clicking = async () => { for (let x = width - 40; x > width - 100; x -= 20) await tab.clickAt(x, 56); };
    await clicking();
    t.equal((await cancelled)[0], 'USER_DENIED', 'Cancel is a denial');
    t.equal(await free(), true, 'and nothing is attached');
    const from = Date.now();
    await call(client, 'console_get', { tabId });
    t.ok(Date.now() - from >= 8_000, 'uncancelled it goes ahead by itself after 8 s', Date.now() - from);
  });

  await grant({ warnPreciseSnapshot: false });

  await t.part('console_get', async () => {
    const { count, entries, truncated, url } = json(await call(client, 'console_get', { tabId }));
    const said = entries.map((e) => e.text);
    t.ok(said.includes('hello 7') && said.includes('from inside'), 'replays what was said, in a frame of the site too', said);
    t.ok(said.includes('Uncaught TypeError: boom'), 'and what was thrown, by its first line', said);
    t.ok(said.includes('\u2022\u2022\u2022\u2022[redacted]') && !JSON.stringify(entries).includes('supersecret99'), 'masked', said);
    t.equal([count, truncated, url], [entries.length, false, `${web.origin}/`], 'with its address');
    await tab.eval(`console.debug('d'); console.info('i'); console.error(new Error('bad one')); console.log({ a: 1 }, [1], null, undefined, 1n, Symbol('s')); console.log('two\\nlines \\ud800'); void Promise.reject(new RangeError('nobody caught it')); console.log('eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N')`);
    const levels = json(await call(client, 'console_get', { tabId })).entries.slice(-7);
    t.equal(levels.map((e) => e.level), ['debug', 'info', 'error', 'log', 'log', 'log', 'error'], 'levels as the browser calls them, in the order of time');
    t.ok(levels[2].text.startsWith('Error: bad one') && levels[3].text === 'Object Array(1) null undefined 1n Symbol(s)' && levels[4].text === 'two\nlines \ufffd', 'what is no text by its description, well formed', levels);
    t.equal([levels[5].text, levels[6].text], ['\u2022\u2022\u2022\u2022[jwt]', 'Uncaught (in promise) RangeError: nobody caught it'], 'masked, promises among it');
    t.equal(levels.map((e) => e.source), [...Array(6).fill('console-api'), 'exception'], 'and where each comes from');
    const one = json(await call(client, 'console_get', { tabId, limit: 1 }));
    t.equal([one.count, one.truncated], [1, true], 'the newest alone if asked so');
    await tab.eval('for (let i = 0; i < 1100; i++) console.log("line " + i)');
    const sizes = [];
    for (const limit of [1000, 5000, 0, -7, undefined, 2]) {
      const { count, entries: got, truncated: cut } = json(await call(client, 'console_get', { tabId, ...(limit === undefined ? {} : { limit }) }));
      sizes.push([count, got.length, cut, got.at(-1).text]);
    }
    t.equal(sizes.map(([n, same, cut]) => [n, n === same, cut]), [1000, 1000, 100, 100, 100, 2].map((n) => [n, true, true]), 'of many the newest, at most 1,000; what is no limit is 100');
    t.ok(sizes.every(([, , , last]) => last === 'line 1099'), 'the newest comes last');
    t.equal(await free(), true, 'and the debugger is detached again');
  });

  await t.part('console_get among frames of others', async () => {
    // Another port is another site, and the browser has both in one process.
    const other = await site({ '/': '<title>Bank</title><script>console.log("of the bank")</script><img src="/account-4711.png">' });
    world.later(other.close);
    const texts = async () => json(await call(client, 'console_get', { tabId, limit: 1000 })).entries.map((e) => `${e.text} ${e.url ?? ''}`);
    const at = async (path) => {
      await tab.goto(`${web.origin}${path}`);
      await tab.eval(`new Promise((loaded) => { const e = document.createElement('img'); e.onerror = loaded; e.src = '/own-missing.png'; document.body.append(e); }).then(() => 1)`);
    };
    await at('/');
    await until(async () => (await texts()).some((e) => e.includes('/own-missing.png')), 'what the browser says of the page itself');
    await tab.eval(`new Promise((loaded) => { const e = document.createElement('iframe'); e.onload = loaded; e.src = ${JSON.stringify(`${other.origin}/`)}; document.body.append(e); }).then(() => 1)`);
    await until(() => other.log.some((r) => r.url === '/account-4711.png'), 'the bank has asked for its picture');
    const among = await texts();
    t.ok(!among.some((e) => /4711|of the bank/.test(e)), 'nothing of a site that nobody approved, neither what it said nor what it asked for', among);
    t.ok(among.some((e) => e.includes('/own-missing.png')), 'and of the page itself as ever', among);
    await tab.eval(`document.querySelector('iframe[src^=${JSON.stringify(other.origin)}]').remove()`);
    const after = await texts();
    t.ok(!after.some((e) => /4711|of the bank/.test(e)), 'nor once its frame is gone', after);
    t.ok(after.some((e) => e.includes('/own-missing.png')), 'where the page itself is still heard', after);
    await tab.goto(`${web.origin}/`);
  });

  await t.part('page_snapshot_precise', async () => {
    const outline = text(await call(client, 'page_snapshot_precise', { tabId }));
    t.match(outline, /^url: http.*\/\ntitle: "Form \\"A\\""\n/, 'has the head of every outline');
    const line = (name) => outline.split('\n').find((l) => l.includes(`"${name}"`)) ?? '';
    t.match(line('Pay'), /^button "Pay" \[ref=p1\]/, 'numbers elements');
    t.match(line('Password'), new RegExp(`^textbox "Password" \\[ref=p\\d+\\] value="${DOTS}"$`), 'hides a password');
    t.match(line('Card'), new RegExp(`value="${DOTS}"$`), 'and the number of a card');
    t.match(line('Plan'), /value="L" options=\["S","L"\]$/, 'shows options in the line of their select');
    t.match(line('More'), /\[collapsed\]$/, 'states');
    t.match(line('In the open'), /\[ref=p\d+\]/, 'gives refs in an open shadow tree');
    t.match(line('In the closed'), /^button "In the closed"$/, 'reads a closed one, without');
    t.ok(!outline.includes('hunter2') && !outline.includes('4111'), 'no secret is in it');
    t.match(outline, new RegExp(`\\ncheckbox "Keep ${DOTS}" `), 'nor is what a field hides in the name of another');
    t.ok(!outline.includes('918273'), 'nor anywhere else', outline);
    t.match(outline, new RegExp(`\\nbutton "Valid ${DOTS} ${DOTS} `), 'nor what the browser spells of a date that names another');
    const boxes = outline.split('\n').filter((l) => /^checkbox "(Until|On|At|Of|By)/.test(l));
    t.equal(boxes.length, 5, 'names of the other boxes are there');
    t.ok(!/\d|May|AM|PM/.test(boxes.join('\n').replace(/ref=p\d+/g, '')), 'without a date, a time, a choice or a text that a field hides', boxes);
    t.equal(text(await call(client, 'page_snapshot_precise', { tabId })), outline, 'and it is the same the next time');
    const frame = /\[frame=(\w+)\]/.exec(line('Inner'))?.[1];
    t.match(text(await call(client, 'page_snapshot_precise', { tabId, frameId: frame })), /\nbutton "Inside"$/, 'reads a frame, without refs');
    t.equal((await refused(client, 'page_snapshot_precise', { tabId, frameId: 'NONE' }))[0], 'EXECUTION_FAILED', 'and no other');
    await grant({ confirmHighRiskClick: false });
    await call(client, 'page_click', { tabId, ref: 'p1' });
    t.equal(await tab.eval('document.title'), 'paid', 'a ref of it can be clicked');
  });

  await t.part('names that are taken from fields which do not show', async () => {
    // The browser spells dots only for a password that shows, and a date in its own words.
    await tab.goto(`${web.origin}/unseen`);
    const outline = text(await call(client, 'page_snapshot_precise', { tabId }));
    const named = outline.split('\n').filter((l) => l.startsWith('button '));
    t.equal(named.length, 14, 'there is a line for each');
    t.equal(named.filter((l) => !l.startsWith(`button "${DOTS}" [ref=p`) && !/^button "(Keep|Show) [^0-9]*" \[ref=p\d+\]$|^button "\u2022{6}"$/.test(l)), [], 'and in none of them what such a field holds', outline);
    t.ok(!/hunter2|4711|May|2027|AM|06/.test(outline), 'nor anywhere else', outline);
    t.match(outline, /\nbutton "Keep Pay" /, 'a field that adds nothing to a name takes nothing from it');
    // A password that is shown and hidden all the time is a password.
    await tab.eval(`void setInterval(() => { later.type = later.type === 'text' ? 'password' : 'text'; }, 1)`);
    for (let n = 0; n < 4; n += 1) {
      const moving = text(await call(client, 'page_snapshot_precise', { tabId }));
      t.ok(!moving.includes('toggled-secret'), 'one that is toggled while it is read is not given out', moving);
    }
    await tab.goto(`${web.origin}/`);
  });

  await t.part('page_handle_dialog', async () => {
    t.equal((await refused(client, 'page_handle_dialog', { tabId, action: 'accept' }))[0], 'TOOL_DISABLED', 'needs a grant of its own');
    await grant({ handleDialogEnabled: true });
    t.equal((await refused(client, 'page_handle_dialog', { tabId, action: 'accept' }))[0], 'EXECUTION_FAILED', 'and a dialog');
    const clicked = json(await call(client, 'page_click', { tabId, selector: '#ask' }));
    t.equal(clicked, { clicked: '#ask', role: 'button', dialog: { type: 'prompt', message: 'Your name? \u2022\u2022\u2022\u2022[redacted]' } }, 'one that opens under a click ends it, masked');
    const [code, sentence] = await refused(client, 'page_text', { tabId });
    t.ok(code === 'EXECUTION_FAILED' && /prompt dialog, "Your name\?.*page_handle_dialog/.test(sentence), 'every other call fails at once, naming the tool', sentence);
    t.equal((await refused(client, 'page_handle_dialog', { tabId, action: 'dismiss', promptText: 'x' }))[0], 'INVALID_ARGUMENT', 'a text dismisses nothing');
    t.equal(json(await call(client, 'page_handle_dialog', { tabId, action: 'accept', promptText: 'Zo\u00eb' })), { handled: 'accept' }, 'it is answered past the queue');
    await until(async () => (await tab.eval('document.title')) === 'got Zo\u00eb', 'the page hears the answer');
    t.ok(json(await call(client, 'page_text', { tabId })).text.includes('Pay'), 'and the tab is usable again');
    for (const [code, args, heard] of [
      ['confirm("c")', { action: 'accept' }, 'true'],
      ['confirm("c")', { action: 'dismiss' }, 'false'],
      ['prompt("p", "given")', { action: 'accept' }, ''],
      ['prompt("p", "given")', { action: 'accept', promptText: '' }, ''],
      ['prompt("p")', { action: 'dismiss' }, 'null'],
      ['alert("a")', { action: 'accept' }, 'undefined'],
      ['alert("a")', { action: 'dismiss' }, 'undefined'],
    ]) {
      await tab.eval(`void setTimeout(() => { document.title = 'heard <' + ${code} + '>' })`);
      await until(async () => (await refused(client, 'page_hover', { tabId, selector: '#pay' }).catch(() => ['', '']))[1].includes('page_handle_dialog'), 'the dialog');
      t.equal(json(await call(client, 'page_handle_dialog', { tabId, ...args })), { handled: args.action }, `${code}, ${JSON.stringify(args)}: answered`);
      t.equal(await tab.until(`document.title.startsWith('heard') && document.title`), `heard <${heard}>`, `and heard as ${JSON.stringify(heard)}`);
      await tab.eval('document.title = "waits"');
    }
    await tab.clickAt(700, 5);
    await tab.eval('onbeforeunload = (e) => { e.preventDefault(); e.returnValue = "x" }');
    const leaving = json(await call(client, 'page_reload', { tabId }));
    t.equal(leaving, { reloaded: tabId }, 'a page that asks before it is left');
    await until(async () => (await refused(client, 'page_hover', { tabId, selector: '#pay' }).catch(() => ['', '']))[1].includes('beforeunload'), 'the dialog');
    t.equal(json(await call(client, 'page_handle_dialog', { tabId, action: 'dismiss' })), { handled: 'dismiss' }, 'dismissed');
    t.equal(await tab.eval('document.title'), 'waits', 'is not left');
    await tab.eval('onbeforeunload = null');
    t.match((await refused(client, 'page_handle_dialog', { tabId, action: 'accept' }))[1], /No dialog is open/, 'and none is open any more');
  });

  await t.part('page_upload', async () => {
    const file = path.join(world.folder, 'token=supersecret99.txt');
    writeFileSync(file, 'contents');
    const args = { tabId, selector: '#file', path: file };
    t.equal((await refused(client, 'page_upload', args))[0], 'TOOL_DISABLED', 'needs a grant of its own');
    await grant({ fileUploadEnabled: true, presenceConfirm: false });
    t.equal((await refused(client, 'page_upload', { ...args, path: 'x.txt' }))[0], 'INVALID_ARGUMENT', 'the path has to be absolute');
    const denied = refused(client, 'page_upload', args);
    const window = await confirmation(browser);
    t.ok((await window.eval('document.querySelector("pre.payload").textContent')) === `${file}\n#file`, 'the window shows path and selector as they are');
    await press(browser, window, 'deny');
    t.equal((await denied)[0], 'USER_DENIED', 'and can deny');
    const uploading = call(client, 'page_upload', args);
    await answer(browser, 'allow');
    t.equal(json(await uploading), { uploaded: '#file', path: file }, 'allowed, it is put in');
    t.equal(await tab.eval('document.getElementById("file").files[0].text()'), 'contents', 'and the page has the file');
    const wrong = refused(client, 'page_upload', { ...args, selector: '#text' });
    await answer(browser, 'allow');
    t.match((await wrong)[1], /no file input/, 'another input takes none');
  });

  await t.part('the mode is taken away', async () => {
    t.equal(await free(), false, 'the session of the page operations stays attached');
    await options.say({ type: 'restrict_policy', overlay: { cdpMode: false } });
    await until(free, 'the session ends');
    t.ok(true, 'until a push drops the mode');
    t.equal((await refused(client, 'console_get', { tabId }))[0], 'TOOL_DISABLED', 'and what needs it is refused');
    t.ok(json(await call(client, 'page_text', { tabId })).text.includes('Pay'), 'while the others go on without');
  });
  await tab.close();
});
t.done();
