// The acts of tools.md 6.6, 6.7 and 6.16 in real Chromium: events, refusals, what they report.
import { checks, launch, needChromium, sleep, within } from './cdp.mjs';
import { bundle, factorySource, instance, refOf, serve } from './pages/harness.mjs';

needChromium();
const t = checks();
const source = await factorySource();
const reactApp = await bundle('react-app.js');
let releaseSlow = () => {};
const site = await serve({
  '/file.bin': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    response.end('file');
  },
  '/react.js': (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/javascript' });
    response.end(reactApp);
  },
  '/never.html': (_request, response) => {
    releaseSlow = () => response.end();
  },
});
const browser = await launch();
const page = await browser.page();
await browser.send('Browser.setDownloadBehavior', { behavior: 'deny' });

const open = async (name, options) => {
  await page.goto(`${site.origin}/${name}`);
  return instance(page, source, options);
};
const take = () => page.eval('take()');
const names = (log) => log.map((e) => e.type).join(' ');
const probe = (api, selector) => api.data('_probe', { selector, purpose: 'click' });
const clickArgs = (selector, more = {}) => ({ selector, button: 'left', count: 1, modifiers: [], ...more });

await t.part('probe', async () => {
  const api = await open('acts.html');
  const d = (tagName, role, type, hasHref, name) => ({ tagName, role, type, hasHref, name });
  for (const [selector, wanted, sentence] of [
    ['#plain', d('button', 'button', 'button', false, 'Plain'), 'a button of type button'],
    ['#link', d('a', 'link', '', true, 'A link'), 'a link'],
    ['#inlink', d('a', 'link', '', true, 'A link'), 'a child of a link'],
    ['#anchor', d('a', 'a', '', false, 'no href'), 'an anchor without href'],
    ['#submit', d('button', 'button', 'submit', false, 'Send it'), 'a button without type submits'],
    ['#insubmit', d('button', 'button', 'submit', false, 'Send it'), 'a child of a submit button'],
    ['#image', d('input', 'button', 'image', false, 'Img'), 'an image input'],
    ['#submit2', d('input', 'button', 'submit', false, 'label of submit'), 'a submit input'],
    ['#orphan', d('button', 'button', 'button', false, 'no form'), 'a button without form is no submit'],
    ['#orphanimage', d('input', 'button', 'button', false, 'no form'), 'nor is an image without form'],
    ['#label', d('label', 'label', 'submit', false, 'label of submit'), 'a label has the type of its control'],
    ['#intick', d('label', 'label', 'checkbox', false, 'tick me'), 'so has what is in a label'],
    ['#rolelink', d('div', 'link', '', false, 'role link'), 'an explicit role link'],
    ['#inrole', d('div', 'button', '', false, 'role button'), 'inside an explicit role button'],
    ['#text', d('input', 'textbox', 'text', false, ''), 'a text field'],
  ])
    t.equal(await probe(api, selector), wanted, sentence);
  t.match(await api.error('_probe', { selector: '#rect', purpose: 'click' }), /^EXECUTION_FAILED .* is an SVG element/, 'SVG is refused before anybody is asked');
  t.match(await api.error('_probe', { selector: '#disabled', purpose: 'click' }), /^EXECUTION_FAILED .* is disabled/, 'a disabled element too');
  t.match(await api.error('_probe', { selector: '#gone', purpose: 'click' }), /^EXECUTION_FAILED no element matches/, 'and one that is not there');
  t.equal(await take(), [], 'a probe fires no event');
  await page.eval(`plain.textContent = 'a\\u202eb"\\\\' + 'x'.repeat(200); 0`);
  t.match((await probe(api, '#plain')).name, /^a\\u202eb"\\x{115}\.\.\.$/, 'names are cut at 120, and nothing in them reorders text');
});

await t.part('what the browser does at a click, whoever stands in between', async () => {
  const api = await open('acts.html');
  const outer = { link: '<a href="#followed"></a>', submit: '<button></button>', labelOfSubmit: '<label for="sb"></label>', summary: '<summary></summary>' };
  const inner = {
    span: '<span>x</span>', roleButton: '<span role="button">x</span>', roleLink: '<span role="link">x</span>', button: '<button type="button">x</button>', submit: '<button>x</button>', reset: '<button type="reset">x</button>',
    label: '<label>x</label>', labelOfNothing: '<label for="nothing">x</label>', labelOfBox: '<label>x<input type="checkbox"></label>', box: '<input type="checkbox">', radio: '<input type="radio">', inputButton: '<input type="button">',
    text: '<input>', area: '<textarea></textarea>', select: '<select><option>x</select>', summary: '<summary>x</summary>', details: '<details><summary>x</summary></details>', anchor: '<a>x</a>', editor: '<span contenteditable>x</span>',
  };
  // In a form, the inner built apart, since a parser would not leave it where it is.
  await page.eval(`(() => {
    const form = document.createElement('form');
    form.innerHTML = '<div id="nest"></div><input id="sb" type="submit">';
    form.onsubmit = () => { window.sent = true; return false; };
    document.body.prepend(form);
    window.build = (outer, inner) => {
      nest.innerHTML = outer;
      const made = document.createElement('template');
      made.innerHTML = inner;
      nest.firstElementChild.append(made.content);
      const at = nest.firstElementChild.firstElementChild;
      (at.localName === 'details' ? at.firstElementChild : at).id = 'inmost';
    };
    window.tried = () => {
      history.replaceState(null, '', location.pathname);
      window.sent = false;
      inmost.dispatchEvent(new PointerEvent('click', { bubbles: true, cancelable: true, composed: true }));
      return window.sent ? 'submit' : location.hash === '' ? 'click' : 'navigate';
    };
  })()`);
  const missed = [];
  const beyond = [];
  for (const [o, outerHtml] of Object.entries(outer)) {
    for (const [i, innerHtml] of Object.entries(inner)) {
      await page.eval(`build(${JSON.stringify(outerHtml)}, ${JSON.stringify(innerHtml)})`);
      const { role, type, hasHref } = await probe(api, '#inmost');
      const told = hasHref || role === 'link' ? 'navigate' : /^(submit|image)$/.test(type) ? 'submit' : 'click';
      const done = await page.eval('tried()');
      if (done !== 'click' && told === 'click') missed.push(`${i} in ${o}: ${done}`);
      // A click on a textarea in a label counts as one on the label.
      if (done === 'click' && told !== 'click' && role !== 'link' && i !== 'area') beyond.push(`${i} in ${o}: ${told}`);
    }
  }
  t.equal(missed, [], 'nothing follows a link or submits a form that the probe does not tell of');
  t.equal(beyond, [], 'and it tells of none where nothing happens');
});

await t.part('events of a click', async () => {
  for (const world of ['isolated', 'main']) {
    const api = await open('acts.html', { world });
    t.equal(await api.click({ selector: '#plain' }), { role: 'button' }, `a click answers with the role, ${world} world`);
    let log = await take();
    t.equal(names(log), 'pointerdown mousedown focus focusin pointerup mouseup click', `left button, ${world} world`);
    t.ok(log.every((e) => e.id === 'plain' && e.trusted === e.type.startsWith('focus')), 'all at the element', log);
    const box = await page.eval('(() => { const r = plain.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2] })()');
    t.equal([log[0].x, log[0].y, log[1].x, log[1].y], [...box, ...box.map(Math.floor)], 'at the middle of it, mouse events in whole pixels');
    t.equal(log.map((e) => e.detail), [0, 1, 0, 0, 0, 1, 1], 'detail counts the click');
    t.equal([log[1].buttons, log[5].buttons], [1, 0], 'buttons tells what is held');

    await api.click({ selector: '#plain', count: 2 });
    log = await take();
    t.equal(names(log), 'pointerdown mousedown pointerup mouseup click pointerdown mousedown pointerup mouseup click dblclick', `double click, ${world} world`);
    t.equal(log.filter((e) => e.type.endsWith('click')).map((e) => e.detail), [1, 2, 2], 'with growing detail');

    await api.click({ selector: '#plain', button: 'right', modifiers: ['Shift', 'Alt', 'Shift'] });
    log = await take();
    t.equal(names(log), 'pointerdown mousedown contextmenu pointerup mouseup auxclick', `right button, ${world} world`);
    t.ok(log.every((e) => e.button === 2 && e.mods === 'altKey,shiftKey'), 'with its modifiers, each once');

    await api.click({ selector: '#plain', button: 'right', count: 2 });
    t.equal(names(await take()).split(' ').filter((n) => /click/.test(n)), ['auxclick', 'auxclick'], 'a double right click has no dblclick');

    await api.click({ selector: '#plain', button: 'middle', modifiers: ['Control', 'Meta'] });
    log = await take();
    t.equal([names(log), log[0].button, log[0].mods], ['pointerdown mousedown pointerup mouseup auxclick', 1, 'ctrlKey,metaKey'], `middle button, ${world} world`);
  }

  const api = await open('acts.html');
  const before = (await browser.targets()).length;
  await page.eval(`middle.addEventListener('auxclick', (e) => e.preventDefault(), { once: true }); 0`);
  await api.click({ selector: '#middle', button: 'middle' });
  t.ok(!names(await take()).includes(' click'), 'no click follows an auxclick that was prevented');
  // No click of ours lets a page open a tab; a user who was just active does.
  await page.eval('0', { userGesture: true });
  await api.click({ selector: '#middle', button: 'middle' });
  const log = await take();
  t.equal([log.at(-1).type, log.at(-1).button], ['click', 1], 'a middle click on a link is followed by a click');
  await browser.target((x) => x.type === 'page' && x.url.endsWith('?middle'));
  t.ok((await browser.targets()).length > before, 'for which the browser opens a tab');
  for (const x of (await browser.targets()).filter((x) => x.type === 'page' && x.url.endsWith('?middle'))) await browser.send('Target.closeTarget', { targetId: x.targetId });

  await api.click({ selector: '#check' });
  t.equal(await page.eval('check.checked'), true, 'a click ticks a box');
  await api.click({ selector: '#intick' });
  t.equal(await page.eval('check.checked'), false, 'one inside its label as well');
  await page.eval(`plain.addEventListener('mousedown', (e) => e.preventDefault(), { once: true }); text.focus(); take(); 0`);
  await api.click({ selector: '#plain' });
  t.equal(await page.eval('document.activeElement.id'), 'text', 'a prevented mousedown moves no focus, as with a real mouse');
  await api.click({ selector: '#anchor' });
  t.equal(await page.eval('document.activeElement === document.body'), true, 'a click on what takes no focus takes it from the field');
  await take();
  await api.click({ selector: '#far' });
  t.ok(await page.eval('scrollY > 1000 && scrollX > 1000'), 'an element far away is brought into view');
  t.equal(await api.data('page_click', clickArgs('#hidden'), { expect: await probe(api, '#hidden') }), { role: 'button' }, 'an element without a box is clicked all the same');

  const out = await api.outline();
  await page.eval('take(); 0');
  await api.click({ ref: refOf(out, /shadow slotted/) });
  t.ok((await take()).some((e) => e.type === 'click' && e.id === 'host'), 'clicks leave shadow trees');
  await api.click({ selector: '#slotted' });
  t.ok((await take()).some((e) => e.type === 'click' && e.id === 'slotted'), 'slotted content is clicked inside its slot');
  await api.click({ ref: refOf(out, /In frame/) });
  const inFrame = (await take()).find((e) => e.type === 'click');
  t.ok(inFrame?.id === 'inframe' && inFrame.x > 20 && inFrame.x < 120 && inFrame.y > 30 && inFrame.y < 70, 'in a frame the coordinates are those of its document', inFrame);

  await page.eval(`(() => { const d = document.implementation.createHTMLDocument(); const b = d.createElement('button'); b.id = 'adopted'; b.textContent = 'adopted'; document.body.prepend(b);
    const f = frame.contentDocument.createElement('button'); f.id = 'foreign'; f.textContent = 'foreign'; document.body.prepend(f); take(); })()`);
  for (const id of ['adopted', 'foreign']) {
    t.equal((await api.click({ selector: `#${id}` })).role, 'button', `an ${id} element is clicked`);
    t.ok((await take()).some((e) => e.type === 'click' && e.id === id), 'and hears of it');
  }
  await page.eval(`(() => { const d = document.implementation.createHTMLDocument();
    d.body.innerHTML = '<input id=adoptedinput type=date><textarea id=adoptedarea></textarea><select id=adoptedselect><option>a</option><option>b</option></select><div id=adoptedhost contenteditable>old</div>';
    document.body.prepend(...d.body.childNodes); })()`);
  await api.data('page_fill', { selector: '#adoptedinput', value: '2025-01-31' });
  await api.data('page_fill', { selector: '#adoptedarea', value: 'area' });
  await api.data('page_fill', { selector: '#adoptedhost', value: 'host' });
  await api.data('page_select', { selector: '#adoptedselect', value: 'b' });
  t.equal(
    await page.eval('[adoptedinput.value, adoptedarea.value, adoptedhost.innerText, adoptedselect.value]'),
    ['2025-01-31', 'area', 'host', 'b'],
    'adopted fields are filled and chosen from',
  );
  t.equal((await api.data('page_hover', { selector: '#adoptedhost' })).role, 'textbox', 'and hovered over');
});

await t.part('refused clicks', async () => {
  const api = await open('acts.html');
  const expect = await probe(api, '#plain');
  const refused = async (selector, pattern, sentence, more) => {
    await page.eval('take(); 0');
    t.match(await api.error('page_click', clickArgs(selector), { expect, ...more }), pattern, sentence);
    t.ok(!/pointerdown|click/.test(names(await take())), 'and nothing was fired');
  };
  await refused('#disabled', /^EXECUTION_FAILED selector "#disabled" is disabled/, 'disabled');
  await refused('#indisabled', /is disabled/, 'inside a disabled button');
  await refused('#ariadisabled', /is disabled/, 'disabled by ARIA');
  await refused('#infieldset', /is disabled/, 'disabled by its fieldset');
  await refused('#rect', /^EXECUTION_FAILED selector "#rect" is an SVG element, which cannot be clicked/, 'SVG');
  await refused('#gone', /no element matches/, 'no such element');
  await refused('#under', /^EXECUTION_FAILED selector "#under" is covered by text "Over \\"it\\" with a name that is much longe\.\.\.": close/, 'covered by another element, which is named');
  await refused('#through', /is covered by/, 'what the pointer goes through');
  await page.eval(`cover.style.display = 'block'; 0`);
  await refused('#plain', /is covered by .*"cover"/, 'covered by something over the whole page');
  const inFrame = refOf(await api.outline(), /In frame/);
  t.match(await api.error('page_click', { ref: inFrame, button: 'left', count: 1, modifiers: [] }, { expect }), /is covered by .*"cover"/, 'in a frame that is covered in the document above');
  await page.eval(`cover.style.display = 'none'; 0`);
  t.match(await api.error('page_click', clickArgs('#plain'), {}), /^EXECUTION_FAILED the click carries no descriptor/, 'no descriptor');
  await refused('#plain', /now at another origin/, 'another origin', { expectOrigin: 'https://else.example' });

  t.equal((await api.click({ selector: '#fancy' })).role, 'checkbox', 'a control under the face of its label is not covered');
  t.equal(await page.eval('fancy.checked'), true, 'and takes the click');
  t.equal((await api.click({ selector: '#nosize' })).role, 'button', 'what shows nothing has no click point and is not checked');

  await page.eval('take(); 0');
  for (const [what, change] of [
    ['name', `plain.textContent = 'Pay'`],
    ['role', `plain.setAttribute('role', 'link')`],
    ['tag', `plain.outerHTML = '<a id=plain href=/x>Plain</a>'`],
  ]) {
    await page.goto(`${site.origin}/acts.html`);
    const fresh = await instance(page, source);
    const before = await probe(fresh, '#plain');
    await page.eval(`${change}; take(); 0`);
    t.match(await fresh.error('page_click', clickArgs('#plain'), { expect: before }), /^EXECUTION_FAILED selector "#plain" changed and was not clicked: take a new page_snapshot/, `another ${what} than was confirmed`);
    t.ok(!names(await take()).includes('click'), 'is not clicked');
  }
  await page.goto(`${site.origin}/acts.html`);
  const fresh = await instance(page, source);
  for (const [what, selector, change] of [
    ['type', '#button', `button.type = 'submit'`],
    ['href', '#anchor', `anchor.href = '/x'`],
    ['name', '#plain', `plain.textContent = 'Other'`],
  ]) {
    const before = await probe(fresh, selector);
    await page.eval(`document.querySelector('${selector}').addEventListener('mouseup', () => { ${change} }, { once: true }); take(); 0`);
    t.match(await fresh.error('page_click', clickArgs(selector), { expect: before }), /changed and was not clicked/, `a ${what} that changes under the press`);
    t.ok(!/ click/.test(names(await take())), 'is noticed right before the click');
  }
  const before = await probe(fresh, '#plain');
  await page.eval(`plain.addEventListener('click', () => { plain.textContent += '!' }, { once: true }); take(); 0`);
  t.match(await fresh.error('page_click', clickArgs('#plain', { count: 2 }), { expect: before }), /changed after the first click/, 'a double click is compared before its second click');
  t.equal((await take()).filter((e) => e.type === 'click').length, 1, 'which is not done');
});

await t.part('what a click sets off', async () => {
  for (const world of ['isolated', 'main']) {
    let api = await open('acts.html', { world });
    t.equal((await api.click({ selector: '#hash' })).announced, undefined, `a link within the document announces none, ${world} world`);
    t.equal((await api.click({ selector: '#mail' })).announced, undefined, `nor does one for another program, ${world} world`);
    const { download } = await api.click({ selector: '#download' });
    t.equal(download, { url: `${site.origin}/file.bin`, filename: 're\u202eport.txt' }, `a download is told, ${world} world`);
    t.equal((await api.click({ selector: '#download2' })).download, { url: `${site.origin}/file.bin` }, 'without a name if none is suggested');

    await page.eval(`link.addEventListener('click', (e) => e.preventDefault(), { once: true }); 0`);
    t.equal(await api.click({ selector: '#link' }), { role: 'link' }, 'a prevented link goes nowhere');
    await page.eval(`navigation.addEventListener('navigate', (e) => e.preventDefault(), { once: true }); 0`);
    t.equal(await api.click({ selector: '#link' }), { role: 'link' }, 'nor does one that the page stops at navigate');
    await page.eval(`navigation.addEventListener('navigate', (e) => e.intercept({ handler: async () => {} }), { once: true }); 0`);
    t.equal(await api.click({ selector: '#link' }), { role: 'link' }, 'one that the page routes itself announces nothing');
    await page.eval(`navigation.addEventListener('navigate', (e) => e.intercept({ handler: () => new Promise(() => {}) }), { once: true }); 0`);
    t.equal(await api.click({ selector: '#link' }), { role: 'link' }, 'nor does one that is routed for ever');

    api = await open('acts.html', { world });
    await page.eval(`document.getElementById('link').href = '/never.html'; 0`);
    t.equal((await api.click({ selector: '#inlink' })).announced, { url: `${site.origin}/never.html` }, `a link announces the new document, ${world} world`);
    releaseSlow();
    await sleep(100);
    api = await open('acts.html', { world });
    await page.eval(`form.action = '/never.html'; 0`);
    t.equal((await api.click({ selector: '#insubmit' })).announced?.url, `${site.origin}/never.html?t=`, `so does a form, ${world} world`);
    releaseSlow();
    await sleep(100);
    api = await open('acts.html', { world });
    await page.eval(`document.getElementById('plain').onclick = () => { location.href = '/never.html' }; 0`);
    t.equal((await api.click({ selector: '#plain' })).announced?.url, `${site.origin}/never.html`, `so does a handler, ${world} world`);
    releaseSlow();
    await sleep(100);
  }
  let api = await open('acts.html');
  const link = refOf(await api.outline(), /link "go"/);
  const data = await api.click({ ref: link });
  t.equal(data.announced, { url: `${site.origin}/inner.html?frame`, frame: 0 }, 'a frame of the instance announces its own');
  t.equal(await within(3_000, api.data('_gone', { frame: 0 })), {}, 'and its old document is gone in the end');
  t.match(await api.error('page_hover', { ref: link }), /not found/, 'with the refs in it');
  t.match(await api.error('_gone', { frame: 7 }), /^EXECUTION_FAILED/, 'a document that no click announced is not waited for');
});

await t.part('fill', async () => {
  for (const world of ['isolated', 'main']) {
    const api = await open('fields.html', { world });
    const fill = (selector, value) => api.reply('page_fill', { selector, value });
    const value = (id) => page.eval(`document.getElementById('${id}').value`);
    t.equal(await fill('#text', 'new "text" \ud83d\ude00'), { ok: true, data: {} }, `fill answers without the value, ${world} world`);
    t.equal(await value('text'), 'new "text" 😀', 'which is in the field');
    t.equal((await take()).map((e) => [e.type, e.id, e.bubbles]), [['focus', 'text', false], ['input', 'text', true], ['change', 'text', true]], 'focus, input and change were fired');
    await fill('#area', 'two\nlines');
    t.equal(await value('area'), 'two\nlines', 'a textarea keeps its lines');
    await fill('#text', '');
    t.equal(await value('text'), '', 'an empty value clears');
    for (const [id, good, shown = good] of [
      ['email', 'a@b'], ['password', 'secret'], ['date', '2024-02-29'], ['month', '2024-02'], ['week', '2024-W07'], ['time', '09:05'], ['time', '09:05:01.250'],
      ['local', '2024-02-29T09:05'], ['color', '#ABCDEF', '#abcdef'], ['range', '6'], ['number', '-7.25'], ['number', ''], ['date', ''], ['labelled', 'x'], ['cc', '4111'],
    ]) {
      t.equal(await fill(`#${id}`, good), { ok: true, data: {} }, `${id} takes ${JSON.stringify(good)}, ${world} world`);
      t.equal(await value(id), shown, `and holds ${JSON.stringify(shown)}`);
    }
  }
  const api = await open('fields.html');
  const refused = async (selector, value, pattern, sentence) => {
    const id = selector.slice(1);
    const former = await page.eval(`document.getElementById('${id}').value`);
    await take();
    t.match(await api.error('page_fill', { selector, value }), pattern, sentence);
    const log = await take();
    t.ok(!/input|change/.test(names(log)) && (await page.eval(`document.getElementById('${id}').value`)) === former, 'and left alone');
  };
  for (const [id, bad, format] of [
    ['date', '29.02.2024', 'YYYY-MM-DD'], ['date', '2024-2-9', 'YYYY-MM-DD'], ['month', '2024-02-01', 'YYYY-MM'], ['week', '2024-07', 'YYYY-Www'], ['time', '9:05', 'HH:MM'], ['time', '9 am', 'HH:MM'],
    ['local', '2024-02-29 09:05', 'YYYY-MM-DDTHH:MM'], ['color', 'red', '#rrggbb'], ['color', '', '#rrggbb'], ['range', '', 'decimal number'], ['range', 'five', 'decimal number'], ['number', '1,5', 'decimal number'], ['number', '0x10', 'decimal number'],
  ])
    await refused(`#${id}`, bad, new RegExp(`^INVALID_ARGUMENT .*type .*${format}`), `${id} does not take ${JSON.stringify(bad)}`);
  await refused('#date', '2023-02-29', /^INVALID_ARGUMENT .*YYYY-MM-DD, within min "", max "", step ""/, 'no such day');
  await refused('#time', '25:00', /^INVALID_ARGUMENT .*HH:MM/, 'no such hour');
  await refused('#range', '11', /^INVALID_ARGUMENT .*decimal number, within min "0", max "10", step "2"/, 'beyond the range');
  await refused('#range', '5', /^INVALID_ARGUMENT .*step "2"/, 'off its step');
  await refused('#readonly', 'x', /^EXECUTION_FAILED selector "#readonly" is readonly/, 'readonly');
  await refused('#ariareadonly', 'x', /is readonly/, 'readonly by ARIA');
  await refused('#off', 'x', /is disabled/, 'disabled');
  await refused('#infieldset', 'x', /is disabled/, 'disabled by its fieldset');
  for (const [id, tool] of [['checkbox', 'page_click'], ['radio', 'page_click'], ['file', 'page_upload'], ['ibutton', 'page_click'], ['isubmit', 'page_click'], ['ireset', 'page_click'], ['iimage', 'page_click'], ['drop', 'page_select'], ['ihidden', 'hidden']])
    await refused(`#${id}`, 'x', new RegExp(`^EXECUTION_FAILED .*${tool}`), `${id} is filled by another tool`);
  t.match(await api.error('page_fill', { selector: '#nohost', value: 'x' }), /^EXECUTION_FAILED .* is no text field/, 'no field');
  t.match(await api.error('page_fill', { selector: '#label', value: 'x' }), /is no text field/, 'a label is no field');

  const fillProbe = await api.data('_probe', { selector: '#cc', purpose: 'fill' });
  t.equal(fillProbe, { descriptor: { tagName: 'input', role: 'textbox', type: 'text', hasHref: false, name: '' }, hidden: true }, 'a probe for a fill tells that the value is to be hidden');
  t.equal((await api.data('_probe', { selector: '#text', purpose: 'fill' })).hidden, false, 'or not');
  t.equal((await api.data('_probe', { selector: '#innerspan', purpose: 'fill' })).descriptor.tagName, 'div', 'of an editor it describes the outermost editable element');
  t.equal((await api.reply('page_fill', { selector: '#cc', value: 'y' }, { expect: fillProbe.descriptor })).ok, true, 'a confirmed fill carries the descriptor');
  await page.eval(`cc.setAttribute('aria-label', 'Something else'); 0`);
  t.match(await api.error('page_fill', { selector: '#cc', value: 'z' }, { expect: fillProbe.descriptor }), /^EXECUTION_FAILED selector "#cc" changed and was not filled/, 'and is refused if the field is another one now');
  t.equal(await page.eval('cc.value'), 'y', 'which stays as it was');
});

await t.part('plain editing hosts', async () => {
  for (const world of ['isolated', 'main']) {
    const api = await open('fields.html', { world });
    const fill = (selector, value) => api.reply('page_fill', { selector, value });
    const text = (id) => page.eval(`document.getElementById('${id}').innerText.replace(/\\u00a0/g, ' ')`);
    t.equal(await fill('#plainhost', 'one line'), { ok: true, data: {} }, `one line, ${world} world`);
    t.equal(await text('plainhost'), 'one line', 'replaces all');
    t.ok(/beforeinput.* input/.test(names(await take())), 'with beforeinput and input');
    await fill('#plainhost', 'first\n\nthird with spaces');
    t.equal((await text('plainhost')).split('\n').filter((l) => l !== ''), ['first', 'third with spaces'], 'several lines');
    await fill('#plainhost', '');
    t.equal((await text('plainhost')).trim(), '', 'none');
    await fill('#innerspan', 'whole host');
    t.equal(await text('nested'), 'whole host', 'the outermost editable element is filled');
    t.match(await api.error('page_fill', { selector: '#ignores', value: 'x' }), /^EXECUTION_FAILED the editor at selector "#ignores" did not follow and may hold something else now/, 'an editor that does not follow is told');
    t.ok(names(await take()).includes('paste'), 'after a paste was tried');
  }
  const api = await open('empty.html');
  await page.eval(`document.body.innerHTML = '<iframe id=f title=doc></iframe><x-e id=e></x-e>'; f.contentDocument.designMode = 'on'; f.contentDocument.body.innerHTML = '<p>old</p>';
    e.attachShadow({mode: 'open'}).innerHTML = '<div contenteditable>shadow old</div>'; 0`);
  const out = await api.outline();
  t.equal((await api.reply('page_fill', { ref: refOf(out, /value="old"/), value: 'in\nframe' })).ok, true, 'a document in design mode is filled');
  t.equal(await page.eval('f.contentDocument.body.innerText.trim().split(/\\n+/)'), ['in', 'frame'], 'by its body');
  t.equal((await api.reply('page_fill', { ref: refOf(out, /shadow old/), value: 'new' })).ok, true, 'an editor in a shadow tree is filled');
  t.equal(await page.eval('e.shadowRoot.firstChild.innerText'), 'new', 'too');
});

await t.part('React', async () => {
  await page.goto(`${site.origin}/react.html`);
  await page.until('window.state');
  for (const world of ['isolated', 'main']) {
    const api = await instance(page, source, { world });
    await api.data('page_fill', { selector: '#text', value: `typed ${world}` });
    await api.data('page_fill', { selector: '#area', value: `area ${world}` });
    await api.data('page_select', { selector: '#drop', value: world === 'main' ? 'a' : 'Beta' });
    await api.click({ selector: '#tick' });
    await api.click({ selector: '#count', count: 2 });
    await api.data('page_hover', { selector: '#menu' });
    await page.until(`state.over`);
    const state = await page.eval('state');
    t.equal([state.text, state.area, state.drop], [`typed ${world}`, `area ${world}`, world === 'main' ? 'a' : 'b'], `controlled fields follow, ${world} world`);
    t.equal([state.tick, state.clicks], world === 'main' ? [false, 4] : [true, 2], 'boxes and buttons too');
    t.equal(state.over, true, 'and hovering');
    await page.eval('document.getElementById("text").focus(); 0');
    await api.data('page_press', { keys: 'ArrowDown' });
    t.match(await page.until('state.keys'), /ArrowDown $/, 'and keys');
  }
});

await t.part('select', async () => {
  const api = await open('fields.html');
  const select = (value, selector = '#drop') => api.reply('page_select', { selector, value });
  t.equal(await select('b'), { ok: true, data: { selected: 'b', text: 'Beta two' } }, 'by value');
  t.equal((await take()).map((e) => e.type).filter((n) => n !== 'focus'), ['input', 'change'], 'with input and change');
  t.equal(await select('Alpha'), { ok: true, data: { selected: 'a', text: 'Alpha' } }, 'by text');
  t.equal((await select('Beta two')).data?.selected, 'b', 'by trimmed text');
  t.equal((await select('Shown')).data?.selected, 'e', 'by the label shown');
  t.match(await api.error('page_select', { selector: '#drop', value: 'Nope "x"' }), /^EXECUTION_FAILED .* has no option "Nope \\"x\\""/, 'no match names the value');
  for (const value of ['c', 'Delta']) t.match(await api.error('page_select', { selector: '#drop', value }), /^EXECUTION_FAILED option .* is disabled/, `the disabled option ${value}`);
  t.match(await api.error('page_select', { selector: '#offdrop', value: 'x' }), /is disabled/, 'a disabled drop-down');
  t.match(await api.error('page_select', { selector: '#text', value: 'x' }), /^EXECUTION_FAILED .* is no drop-down/, 'something else');
  t.equal(await page.eval('drop.value'), 'e', 'none of these changed anything');
  t.equal((await select('m2', '#multi')).data?.selected, 'm2', 'a list of several');
});

await t.part('press', async () => {
  let api = await open('acts.html');
  const press = async (keys) => {
    await page.eval('take(); 0');
    const reply = await api.reply('page_press', { keys });
    return reply.ok ? (await take()).filter((e) => e.type.startsWith('key')) : `${reply.code} ${reply.error}`;
  };
  await page.eval('plain.focus(); 0');
  let log = await press(' Escape ');
  t.equal(log.map((e) => [e.type, e.id, e.key, e.code, e.keyCode]), [['keydown', 'plain', 'Escape', 'Escape', 27], ['keyup', 'plain', 'Escape', 'Escape', 27]], 'a named key at the focused element');
  t.equal((await api.data('page_press', { keys: ' Escape ' })).pressed, 'Escape', 'the answer has the trimmed keys');
  log = await press('a');
  t.equal(log.map((e) => [e.type, e.key, e.code]), [['keydown', 'a', 'KeyA'], ['keypress', 'a', 'KeyA'], ['keyup', 'a', 'KeyA']], 'a character');
  for (const [keys, key, code, mods] of [
    ['Control+A', 'A', 'KeyA', 'ctrlKey'], ['ctrl+shift+1', '1', 'Digit1', 'ctrlKey,shiftKey'], ['OPTION+CMD+F5', 'F5', 'F5', 'altKey,metaKey'], ['Alt + Tab', 'Tab', 'Tab', 'altKey'],
    ['Space', ' ', '', ''], ['ArrowLeft', 'ArrowLeft', 'ArrowLeft', ''], ['F12', 'F12', 'F12', ''], ['PageDown', 'PageDown', 'PageDown', ''], ['ü', 'ü', '', ''], ['MediaPlay', 'MediaPlay', '', ''],
  ]) {
    log = await press(keys);
    t.equal([log[0].key, log[0].code, log[0].mods], [key, code, mods], `keys ${keys}`);
    t.equal(log.length, Array.from(key).length === 1 ? 3 : 2, 'keypress only for characters');
  }
  for (const keys of ['+', 'Control+', 'Hyper+A', ' ', 'a+b']) t.match(await press(keys), /^INVALID_ARGUMENT keys/, `${JSON.stringify(keys)} is no key`);
  await page.eval('document.activeElement.blur(); 0');
  log = await press('x');
  t.equal(await page.eval(`document.activeElement === document.body`) && log.length, 3, 'without focus the body takes the keys');
  await page.eval(`frame.contentDocument.getElementById('inframe').focus(); 0`);
  t.equal((await press('x'))[0].id, 'inframe', 'the focus is followed into a frame');
  await page.eval(`host.shadowRoot.getElementById('inshadow').focus(); 0`);
  t.equal((await press('x'))[0].id, 'host', 'and into a shadow tree');

  api = await open('fields.html');
  const enter = async (setup) => {
    await page.eval(`${setup}; take(); 0`);
    await api.data('page_press', { keys: 'Enter' });
    return (await take()).filter((e) => e.type === 'sent').map((e) => e.by);
  };
  t.equal(await enter('text.focus()'), ['isubmit'], 'Enter in a field submits by the first submit button');
  t.equal(await enter('checkbox.focus()'), ['isubmit'], 'in a checkbox too');
  t.equal(await enter('area.focus()'), [], 'not in a textarea');
  t.equal(await enter('ibutton.focus()'), [], 'not on a button of another kind');
  t.equal(await enter(`text.addEventListener('keydown', (e) => e.preventDefault(), { once: true }); text.focus()`), [], 'not if the keydown is prevented');
  await page.eval('text.focus(); take(); 0');
  await api.data('page_press', { keys: 'Control+Enter' });
  t.ok(!names(await take()).includes('sent'), 'not with modifiers');
  t.equal(await enter('isubmit.disabled = true; text.focus()'), [], 'not if the button is disabled');
  await page.eval(`document.body.insertAdjacentHTML('beforeend', '<form id=single onsubmit="event.preventDefault(); log.push({type: \\'sent\\', by: this.id})"><input id=only><input type=hidden name=submit></form>'); 0`);
  t.equal(await enter('only.focus()'), ['single'], 'a form without button submits if it has one field');

  await page.goto(`${site.origin}/frames.html`);
  api = await instance(page, source);
  await page.eval(`document.querySelector('[title="other port"]').focus(); 0`);
  t.match(await api.error('page_press', { keys: 'x' }), /^EXECUTION_FAILED the focus is in a frame/, 'a frame out of reach takes no keys from here');
});

await t.part('hover and scroll', async () => {
  const api = await open('acts.html');
  await page.eval('take(); 0');
  t.equal(await api.data('page_hover', { selector: '#plain' }), { role: 'button' }, 'hover answers with the role');
  let log = await take();
  t.equal(log.map((e) => [e.type, e.bubbles]), [['pointerover', true], ['pointerenter', false], ['mouseover', true], ['mouseenter', false], ['mousemove', true]], 'and fires what a pointer does');
  t.equal((await api.data('page_hover', { selector: '#rect' })).role, 'rect', 'SVG works');
  log = await take();
  t.equal(log[0].id, 'rect', 'and hears of it');
  await api.data('page_hover', { selector: '#far' });
  t.ok(await page.eval('scrollY > 1000'), 'what is far away is brought into view');
  const at = await page.eval('innerHeight');
  const to = async (args) => (await api.data('page_scroll', args)).scrollY;
  t.equal(await to({ direction: 'top' }), 0, 'top');
  t.equal(await to({ direction: 'down' }), Math.round(at * 0.9), 'down by nine tenths');
  t.equal(await to({ direction: 'up' }), 0, 'and up');
  t.equal(await to({ pixels: 123, direction: 'bottom' }), 123, 'pixels win');
  t.equal(await to({ pixels: -23 }), 100, 'and may be negative');
  t.ok((await to({ direction: 'bottom' })) > 5_000, 'bottom');
  t.match(await api.error('page_scroll', {}), /^INVALID_ARGUMENT direction or pixels/, 'one is needed');
  await page.eval(`document.documentElement.style.scrollBehavior = 'smooth'; 0`);
  t.equal(await to({ direction: 'top' }), 0, 'a page that scrolls smoothly is there at once');
});

await t.part('hostile pages', async () => {
  await page.goto(`${site.origin}/empty.html`);
  await page.eval(`document.body.innerHTML = '<button>x</button>'; Element.prototype.getAttribute = () => { throw new Error('mine') }; String.prototype.replace = () => 7; 0`);
  const reply = await (await instance(page, source, { world: 'main' })).reply('page_snapshot', { interactiveOnly: true, refPrefix: '', limit: 9, hasFocus: true });
  t.equal([reply.ok, reply.code], [false, 'EXECUTION_FAILED'], 'prototypes overridden in its own world end in a refusal');
  t.equal(await (await instance(page, source)).outline(), `url: ${site.origin}/empty.html\ntitle: "Empty"\nbutton "x" [ref=e1]`, 'and do not reach the isolated world');
});

await browser.close();
site.close();
t.done();
