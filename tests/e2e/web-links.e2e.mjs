// Links, documents that go, dialogs of the browser, and tabs that crash or are put away, as a model meets
// them, in both backends.
import { checks, needChromium } from './cdp.mjs';
import { visit, web } from './web/visit.mjs';
import { call, inWorld, json, refused, until } from './world.mjs';

needChromium();
const t = checks();

const route = (head, body) => (_request, response) => {
  response.writeHead(...head);
  response.end(body);
};

const UNLOADED = 'The page in this tab has crashed, or was unloaded to save memory. Call page_reload, then page_wait_for nav.';

await inWorld(async (world) => {
  const site = await web({}, {
    '/report.csv': route([200, { 'content-type': 'text/csv' }], 'a,b'),
    '/attachment': route([200, { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment; filename="invoice 7.pdf"' }], 'x'),
    '/nothing': route([204, {}]),
    '/slow': (_request, response) => void setTimeout(() => route([200, { 'content-type': 'text/html' }], '<title>Slow</title><h1>Slow page</h1>')(_request, response), 3_000),
  });
  const v = await visit(world, site, '/links.html');

  await v.both(async (mode) => {
    const cdp = mode === 'CDP mode';
    const part = (name, body) => t.part(`${name}, ${mode}`, body);
    const ok = (is, wanted, sentence) => t.equal(is, wanted, `${sentence} (${mode})`);
    const page = (expression) => v.tab.eval(expression);

    const person = () =>
      until(async () => {
        await v.tab.clickAt(700, 400);
        return page('navigator.userActivation.isActive');
      }, 'a click of a person');

    await part('links', async () => {
      const back = () => v.open('/links.html');
      await back();
      ok(await v.click('link "Plain"').then(({ clicked, ...x }) => x), { role: 'link', navigated: true, url: `${site.origin}/plain.html` }, 'a link leads on');
      ok((await v.click('link "Back to the links"')).url, `${site.origin}/links.html`, 'and back');
      for (const [name, query] of [['New tab', 'tab'], ['New tab without opener', 'noopener']]) {
        // To script of a page the browser gives a tab only for a while after a person did something.
        await person();
        const { newTab, role } = await v.click(`link "${name}"`);
        ok([role, newTab?.url], ['link', `${site.origin}/plain.html?${query}`], `${name} is told`);
        if (newTab) ok(await v.allowed('tab_close', { tabId: newTab.tabId }), { closed: newTab.tabId }, 'by an id that tools take');
        await v.tab.send('Page.bringToFront');
      }
      ok((await v.click('link "Download the report"')).download?.filename, 'report.csv', 'a download is told by its attribute');
      // Nor does it allow several downloads in a row.
      await person();
      const got = await v.click('link "Attachment"');
      if (cdp) ok(got.download, { host: new URL(site.origin).host, filename: 'invoice 7.pdf' }, 'and by the browser');
      else ok([got.navigating, got.download], [true, undefined], 'one that only the browser knows is still under way');
      ok((await v.click('link "Jump"')).navigated, undefined, 'a jump is none');
      ok(await v.click('link "Scripted"').then(({ role, navigated }) => [role, navigated]), ['link', undefined], 'a script in a link');
      ok(await v.status(/scripted/), 'scripted', 'runs');
      ok(await v.click('link "No content"').then(({ navigated, navigating }) => [navigated, navigating]), [undefined, true], 'an address without content never comes');
      ok(await v.click('link "Slow page"').then(({ navigated, navigating }) => [navigated, navigating]), [undefined, true], 'a slow one comes later');
      ok((await v.act('page_wait_for', { text: 'Slow page', timeoutMs: 15_000 })).matched, true, 'and is waited for');
      await back();
      ok((await v.click('button "Go by script"')).url, `${site.origin}/plain.html`, 'a script that leads on');
      await back();
      ok((await v.click('button "Submit and leave"')).navigated, true, 'after other work too');
      await back();
      ok((await v.click('button "Route"')).navigated, undefined, 'a route of the history is no document');
      await v.click('button "Leave in a moment"');
      ok(await v.act('page_wait_for', { selector: '#where', timeoutMs: 10_000 }).then((x) => x.matched), true, 'a page that leaves under a wait');
      ok((await v.act('page_text', { selector: '#where' })).text, '?soon', 'has gone where it said');
      await back();
      ok((await v.act('page_click', { selector: 'area' })).url, `${site.origin}/plain.html`, 'a part of a picture');
      await back();
      ok(await v.select('listbox "Language"', 'Fran\u00e7ais'), { selected: 'fr', text: 'Fran\u00e7ais' }, 'a choice that leads on');
      ok((await v.act('page_wait_for', { selector: '#where', timeoutMs: 10_000 })).matched, true, 'has led on');
      await back();
      ok(await v.fill('textbox "Code"', '123456').then((x) => Object.keys(x)), ['filled'], 'a field that sends itself when it is full');
      ok((await v.act('page_wait_for', { text: 'code=123456', timeoutMs: 10_000 })).matched, true, 'has sent itself');
      await back();
      const draft = await v.ref('textbox "Draft"');
      const left = await v.refusal('page_fill', { ref: draft, value: Array.from({ length: 600 }, (_, i) => `line ${i}`).join('\n') });
      ok([left[0], /went away|another origin|not found|changed/.test(left[1])], ['EXECUTION_FAILED', true], `a page that goes while an editor is filled: ${left[1]}`);
      await back();
      ok((await v.click('button "Search"')).url, `${site.origin}/sent`, 'a form by GET');
      await back();
      const sent = await v.click('link "Send the basket"');
      ok([sent.role, sent.navigated, sent.url], ['link', true, `${site.origin}/sent`], 'a script in a link that sends a form');
    });

    if (cdp)
      await part('dialogs of the browser', async () => {
        await v.open('/dialogs.html');
        ok(await v.click('button "Alert"').then((x) => x.dialog), { type: 'alert', message: 'Saved' }, 'an alert ends the click');
        t.match((await v.refusal('page_snapshot'))[1], /alert dialog, "Saved".*page_handle_dialog/, 'and holds up the rest');
        ok(await v.act('page_handle_dialog', { action: 'accept' }), { handled: 'accept' }, 'until it is answered');
        ok(await v.status(/told/), 'told', 'the page goes on');
        ok(await v.click('button "Confirm it"').then((x) => x.dialog), { type: 'confirm', message: 'Really?' }, 'a question');
        ok(await v.act('page_handle_dialog', { action: 'dismiss' }), { handled: 'dismiss' }, 'is dismissed');
        ok(await v.status(/confirmed/), 'confirmed false', 'and the page hears so');
        ok(await v.click('button "Prompt"').then((x) => x.dialog), { type: 'prompt', message: 'Your name?' }, 'a prompt');
        ok(await v.act('page_handle_dialog', { action: 'accept', promptText: '\u5c71 "x"' }), { handled: 'accept' }, 'is answered');
        ok(await v.status(/said/), 'said \u5c71 "x"', 'with this text');
        await v.click('button "Edit"');
        await person();
        ok(await v.click('link "Leave"').then((x) => x.dialog), { type: 'beforeunload', message: '' }, 'a page that asks before it is left');
        ok(await v.act('page_handle_dialog', { action: 'dismiss' }), { handled: 'dismiss' }, 'is not left against it');
        ok(await v.status(/guarded/), 'guarded', 'and is there still');
        ok(await v.click('link "Leave"').then((x) => x.dialog?.type), 'beforeunload', 'asked once more');
        await v.act('page_handle_dialog', { action: 'accept' });
        ok((await v.act('page_wait_for', { text: 'Plain page' })).matched, true, 'it is left');
      });

    await part('a tab that crashes', async () => {
      await v.open('/plain.html');
      const held = await v.ref('button "Stay"');
      v.tab.send('Page.crash').catch(() => {});
      await until(async () => (await Promise.race([v.tab.eval('1', { ms: 300 }).catch(() => 'gone')])) !== 1, 'the crash');
      for (const [name, args] of [['page_snapshot', {}], ['page_text', {}], ['page_click', { ref: held }], ...(cdp ? [['page_screenshot', {}], ['console_get', {}]] : [])])
        ok(await v.refusal(name, args), ['EXECUTION_FAILED', UNLOADED], `${name} says so`);
      ok(await v.act('page_reload'), { reloaded: v.tabId }, 'is loaded again');
      ok((await v.act('page_wait_for', { text: 'Plain page', timeoutMs: 15_000 })).matched, true, 'and is there');
      t.match(await v.line('button "Stay"'), /^button "Stay" \[ref=e\d+\]$/, `the next call works (${mode})`);
    });

    await part('a tab that is put away', async () => {
      const { opened } = json(await call(v.client, 'tab_open', { url: `${site.origin}/plain.html?away` }));
      ok((await v.act('page_wait_for', { tabId: opened, text: 'Plain page' })).matched, true, 'a tab is open');
      await v.tab.send('Page.bringToFront');
      const worker = await v.browser.worker(v.extension);
      const away = await worker.eval(`chrome.tabs.discard(${opened}).then((x) => x && [x.id, x.discarded])`);
      ok(away[1], true, 'and is discarded');
      // In some versions of the browser what was put away gets another number.
      if (away[0] !== opened) ok(await refused(v.client, 'page_text', { tabId: opened }), ['TAB_NOT_FOUND', `There is no tab ${opened}. Call tab_list to see what is open.`], 'under its old number it is gone');
      const now = { tabId: json(await call(v.client, 'tab_list')).find((x) => x.url.endsWith('?away')).id };
      ok(now.tabId, away[0], 'tab_list has it');
      ok(await v.refusal('page_snapshot', now), ['EXECUTION_FAILED', UNLOADED], 'what is not loaded cannot be read');
      ok(await v.act('page_reload', now), { reloaded: now.tabId }, 'it is loaded again');
      ok((await v.act('page_wait_for', { ...now, text: 'Plain page' })).matched, true, 'and is there');
      t.match(await v.outline(now), /button "Stay" \[ref=e\d+\]/, `the next call works (${mode})`);
      ok(await v.allowed('tab_close', now), { closed: now.tabId }, 'and it can be closed');
    });
  });
});
t.done();
