// Our own pages as people meet them: every view in three languages and both themes, by mouse, by
// keyboard and by screen reader, and with page text that means harm.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { checks, launch, needChromium, sleep } from './cdp.mjs';
import { extension, LANGUAGES, opener, press, SIZES, THEMES, view, VIEWS } from './views.mjs';

needChromium();
const t = checks();
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const browser = await launch({ extension });
const pages = opener(browser);
await browser.worker(pages.id);

const RUN_AXE = `axe.run(document).then((r) => ({
  rules: r.passes.length,
  violations: r.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.target.join(' ') + ' ' + (n.any[0]?.message ?? n.failureSummary)).join(' | ')),
}))`;

/** What sticks out, is cut off, or leaves its place; runs in the page. */
function misplaced(name) {
  const bad = [];
  const told = (e) => `${e.tagName.toLowerCase()}.${e.className} "${e.textContent.slice(0, 40)}"`;
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) bad.push(`the page scrolls sideways: ${root.scrollWidth} in ${root.clientWidth}`);
  for (const e of document.querySelectorAll('main, main *, dialog, dialog *')) {
    const box = e.getBoundingClientRect();
    // What is hidden, and what a box of its own scrolls sideways.
    if (box.width <= 1 || e.parentElement.closest('.code')) continue;
    if (box.left < -0.5 || box.right > root.clientWidth + 0.5) bad.push(`outside: ${told(e)} ${box.left} to ${box.right}`);
    if (!/inline|contents/.test(getComputedStyle(e).display) && e.scrollWidth > e.clientWidth + 1 && !e.matches('select, .payload')) bad.push(`cut: ${told(e)} ${e.scrollWidth} in ${e.clientWidth}`);
  }
  const asked = document.querySelector('.confirm');
  if (name === 'confirm' && asked) {
    const at = (selector) => document.querySelector(selector).getBoundingClientRect();
    if (root.scrollHeight > innerHeight) bad.push(`the window scrolls: ${root.scrollHeight} in ${innerHeight}`);
    if (at('.strip').top !== 0 || at('.strip').bottom > at('.said').top + 0.5) bad.push('the strip is not at the top');
    if (at('.upper').bottom > at('.decide').top + 0.5) bad.push('page text reaches into the buttons');
    if (at('.decide').bottom > innerHeight + 0.5) bad.push('the buttons leave the window');
    // A small window scrolls all that is above the buttons.
    const room = innerHeight > 510 ? at('.said').height : at('.upper').height;
    if (room < Math.min(100, innerHeight / 3)) bad.push(`only ${room} for what is asked`);
    for (const act of ['deny', 'allow', 'kill']) {
      const { x, y, width, height } = at(`[data-act="${act}"]`);
      const top = document.elementFromPoint(x + width / 2, y + height / 2);
      if (top?.dataset.act !== act) bad.push(`${act} is covered by ${told(top)}`);
    }
  }
  return bad;
}

const speaks = (page, language) => page.until(`document.documentElement.lang === ${JSON.stringify(language.replace('_', '-'))}`);
const settled = (page) => page.eval('new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))');
const armed = (page) => page.until('document.querySelector(\'[data-act="allow"]:enabled\') !== null', 3_000);
const sent = (page, type) => page.eval(`sent.filter((m) => m.type === ${JSON.stringify(type)})`);

await t.part('every view', async () => {
  await pages.language('en');
  for (const shown of VIEWS) {
    const name = `${shown.page} ${shown.name}`;
    const page = await pages.open(shown);
    if (shown.page === 'confirm' && !shown.act && shown.name !== 'gone') await armed(page);
    t.ok((await page.eval('document.querySelectorAll("[role=alert]").length')) > 0, `${name}: a region for alerts is there`);
    const world = await page.isolated();
    await page.eval(`${axe}; 0`, { context: world });
    for (const theme of THEMES) {
      await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: theme }, { name: 'prefers-reduced-motion', value: 'reduce' }] });
      await settled(page);
      const { rules, violations } = await page.eval(RUN_AXE, { context: world });
      t.ok(rules > 10 && violations.length === 0, `${name}: axe finds nothing, ${theme}`, violations);
    }
    for (const language of LANGUAGES) {
      await page.eval(`chrome.storage.local.set({ uiLanguage: ${JSON.stringify(language)} })`);
      await speaks(page, language);
      await settled(page);
      const bad = await page.call(misplaced, [shown.page]);
      t.equal(bad, [], `${name}: everything has its place, ${language}`);
    }
    await page.eval(`chrome.storage.local.set({ uiLanguage: 'en' })`);
    await page.close();
  }
});

await t.part('small windows', async () => {
  for (const [shown, size] of [[view('confirm', 'hostile'), [400, 520]], [view('confirm', 'long-host'), [400, 520]], [view('confirm', 'lines'), [800, 500]], [view('options', 'live'), [360, 640]], [view('options', 'history'), [360, 640]], [view('options', 'policy-refused'), [360, 640]], [view('options', 'pair'), [360, 640]], [view('options', 'presence'), [360, 640]], [view('confirm', 'eval'), [400, 520]], ...['lines', 'long-host', 'eval-touch', 'kill-failed'].map((name) => [view('confirm', name), [307, 400]]), [view('confirm', 'upload'), [230, 300]], [view('options', 'change'), [320, 640]], [view('popup', 'site-long'), [240, 400]], [view('options', 'site-waits'), [420, 640]]]) {
    const page = await pages.open(shown, { size });
    t.equal(await page.call(misplaced, [shown.page]), [], `${shown.page} ${shown.name} at ${size.join(' by ')}`);
    await page.close();
  }
});

await t.part('themes', async () => {
  const grounds = [];
  for (const theme of THEMES) {
    // A frame is asked for before anything is read of the page; it comes only when painting may begin.
    const first = 'requestAnimationFrame(() => { globalThis.ground = getComputedStyle(document.documentElement).backgroundColor; })';
    const page = await pages.open({ ...view('popup', 'connected'), first }, { theme });
    grounds.push(await page.eval('ground'));
    await page.close();
  }
  t.equal(grounds, ['rgb(248, 245, 239)', 'rgb(21, 23, 27)'], 'the theme is the system\'s from the first frame on');
  for (const [motion, wanted] of [['no-preference', ['1s', '0.12s, 0.12s']], ['reduce', ['0s', '0s']]]) {
    const page = await pages.open(view('confirm', 'click'), { motion });
    const times = await page.eval(`['.bar span', '[data-act="deny"]'].map((s) => getComputedStyle(document.querySelector(s)).transitionDuration)`);
    t.equal(times, wanted, `motion ${motion}`);
    await page.close();
  }
  // Where axe cannot tell what is behind a text: every pair that the pages use.
  const texts = { paper: 'ink soft wait stop link', sheet: 'ink soft wait stop link', sunk: 'ink soft wait stop', 'mute-bg': 'ink soft', 'live-bg': 'live', 'wait-bg': 'wait', 'stop-bg': 'stop', accent: 'on-accent', 'accent-over': 'on-accent' };
  const marks = { paper: 'edge focus live stop wait-dot', sheet: 'edge focus', sunk: 'edge', 'mute-bg': 'wait-dot' };
  for (const theme of THEMES) {
    const page = await pages.open(view('popup', 'connected'), { theme });
    const low = await page.call((pairs) => {
      const of = (name) => {
        const e = document.body.appendChild(document.createElement('i'));
        e.style.color = `var(--${name})`;
        const [r, g, b] = getComputedStyle(e).color.match(/\d+/g).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
        e.remove();
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
      };
      return pairs.map(([behind, name, least]) => [behind, name, least, Math.max(of(behind), of(name)) / Math.min(of(behind), of(name))]).filter(([, , least, is]) => !(is >= least));
    }, [[[texts, 4.5], [marks, 3]].flatMap(([table, least]) => Object.entries(table).flatMap(([behind, names]) => names.split(' ').map((name) => [behind, name, least])))]);
    t.equal(low, [], `${theme}: every pair of colours has enough contrast`);
    await page.close();
  }
  // Green is for live and verified alone.
  const green = ['rgb(20, 105, 74)', 'rgb(217, 239, 227)'];
  for (const shown of VIEWS) {
    const page = await pages.open(shown);
    const found = await page.eval(`[...document.querySelectorAll('body *')].some((e) => [null, '::before'].some((p) => {
      const s = getComputedStyle(e, p);
      return ${JSON.stringify(green)}.some((c) => s.color === c || s.backgroundColor === c || s.borderTopColor === c);
    }))`);
    const live = shown.answers.get_status?.data.serving === 'active';
    t.equal(found, live, `${shown.page} ${shown.name} is ${live ? '' : 'not '}green`);
    await page.close();
  }
});

await t.part('what a confirmation shows', async () => {
  for (const [name, kind] of [['eval', 'Run code on'], ['upload', 'Give a file to'], ['click', 'Click on'], ['press', 'Send keys to'], ['select', 'Choose an option on'], ['tab-close', 'Close this tab of'], ['fill', 'Fill a field on']]) {
    const page = await pages.open(view('confirm', name));
    const is = await page.eval(`({
      headline: document.querySelector('h1').textContent,
      risk: document.querySelectorAll('.said .pill').length,
      origin: document.querySelector('#origin').textContent,
      held: [...document.querySelectorAll('.hop')].map((h) => h.getAttribute('aria-current')),
      client: document.querySelector('.hop').className,
      detail: document.querySelector('.payload').textContent,
      order: [...document.querySelectorAll('.strip .pipeline, .strip p, .chip, h1, #origin, .title, .payload, #consequence, [role=timer], .bar, [data-act]')].map((e) => e.dataset.act ?? e.id ?? e.className),
    })`);
    t.equal(is.headline, `${kind} shop.example?`, `${name}: the headline names the host`);
    t.equal(is.risk, name === 'click' ? 1 : 0, `${name}: ${name === 'click' ? 'a' : 'no'} pill of high risk`);
    t.equal(is.origin, 'https://shop.example', `${name}: the origin`);
    t.equal([is.held, is.client], [[null, null, 'step'], 'hop mute'], `${name}: the browser's gate is the held one, of the client nothing is claimed`);
    const { detail } = view('confirm', name).answers.confirm_ready.data.payload;
    t.equal(is.detail, detail, `${name}: the detail as it is`);
    t.equal(is.order.slice(-3), ['deny', 'allow', 'kill'], `${name}: Deny, Allow, kill switch, in this order`);
    await page.close();
  }
  const page = await pages.open(view('confirm', 'hostile'));
  const is = await page.eval(`({
    elements: [...document.querySelectorAll('.payload *, .title *')].map((e) => e.tagName + '.' + e.className).filter((e) => !['BDI.', 'SPAN.unseen'].includes(e)),
    raw: /[\\u202a-\\u202e\\u2066-\\u2069\\u200b]/.test(document.body.textContent),
    text: document.querySelector('.payload').textContent,
    title: document.querySelector('.title').getBoundingClientRect().height / parseFloat(getComputedStyle(document.querySelector('.title')).lineHeight),
    whole: document.querySelector('.said').scrollHeight - document.querySelector('.said').clientHeight,
    payload: document.querySelector('.payload').scrollHeight - document.querySelector('.payload').clientHeight,
    buttons: document.querySelectorAll('button').length,
  })`);
  t.equal(is.elements, [], 'page text makes no elements');
  t.ok(!is.raw && is.text.includes('U+202Eyned') && is.text.includes('U+200B×3'), 'what would reorder or hide text is shown by its number', is.text);
  t.match(is.text, /<\/pre><button data-act="allow">/, 'markup is text');
  t.ok(is.title <= 2.05, 'the title has two lines', is.title);
  t.ok(is.payload > 100 && is.whole === 0, 'the payload alone scrolls', is);
  t.equal(is.buttons, 3, 'there are the three buttons of ours');
  await page.close();
  const long = await pages.open(view('confirm', 'long-host'));
  t.match(await long.eval('document.querySelector("h1").textContent'), /^Send keys to …\u2060y+\.attacker\.example:65535\?$/, 'a long host shows its end in the headline');
  t.match(await long.eval('document.querySelector("#origin").textContent'), /^https:\/\/a-very-long-label.*\.attacker\.example:65535$/, 'and stands in full below it');
  await long.close();
});

await t.part('answering by keyboard', async () => {
  const focus = (page) => page.eval('document.activeElement?.dataset?.act ?? document.activeElement?.className');
  let page = await pages.open(view('confirm', 'click'));
  await page.send('Page.bringToFront');
  t.equal(await focus(page), 'deny', 'Deny has the focus');
  t.equal(await page.eval(`(({ outlineStyle, outlineWidth }) => [outlineStyle, outlineWidth])(getComputedStyle(document.activeElement))`), ['solid', '2px'], 'and shows it');
  await armed(page);
  await press(page, 'Tab');
  t.equal(await focus(page), 'allow', 'Tab leads to Allow');
  await press(page, 'Enter');
  t.equal(await sent(page, 'confirm_resolve'), [{ type: 'confirm_resolve', id: '3f9a1c52-77aa-4e0b-9f3e-0f6f8d1c2b3a', approved: true }], 'Enter there allows, once');
  await press(page, 'Escape');
  t.equal((await sent(page, 'confirm_resolve')).length, 1, 'nothing is answered twice');
  await page.close();

  page = await pages.open(view('confirm', 'click'));
  await page.send('Page.bringToFront');
  await armed(page);
  await press(page, 'Tab');
  await press(page, 'Tab');
  t.equal(await focus(page), 'kill', 'the kill switch is the next stop');
  await press(page, 'Enter');
  await page.until('document.querySelector("main.over") !== null');
  t.equal([(await sent(page, 'confirm_deny_kill')).length, (await sent(page, 'confirm_resolve')).length], [1, 0], 'Enter there denies and kills');
  t.equal(await focus(page), 'close', 'and Close has the focus');
  await page.close();

  for (const [key, sentence] of [['Enter', 'Enter without a step before it denies'], ['Escape', 'Esc denies']]) {
    page = await pages.open(view('confirm', 'click'));
    await page.send('Page.bringToFront');
    if (key === 'Enter') {
      await press(page, key);
      t.equal(await sent(page, 'confirm_resolve'), [], 'Enter that was on its way when the window came answers nothing');
      await armed(page);
    }
    await press(page, key);
    t.equal((await sent(page, 'confirm_resolve')).map((m) => m.approved), [false], sentence);
    await page.close();
  }

  page = await pages.open(view('confirm', 'lines'));
  await page.send('Page.bringToFront');
  const asked = await page.eval(`new Promise((resolve) => {
    const began = performance.now();
    const allow = document.querySelector('[data-act="allow"]');
    const look = () => {
      if (!allow.disabled) return resolve({ ms: performance.now() - began, sent: sent.filter((m) => m.type === 'confirm_resolve').length });
      allow.click();
      setTimeout(look, 5);
    };
    look();
  })`);
  t.equal(asked.sent, 0, 'clicks on Allow are lost until it is armed');
  t.ok(asked.ms < 700, 'which takes no longer than it has to', asked.ms);
  await page.close();
  page = await pages.open(view('confirm', 'lines'));
  await page.send('Page.bringToFront');
  await page.eval(`document.querySelector('.payload').focus()`);
  t.equal(await focus(page), 'payload mono wrap', 'the payload can be reached to scroll it');
  await page.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'End', code: 'End', windowsVirtualKeyCode: 35 });
  await page.until('document.querySelector(".payload").scrollTop > 100');
  t.ok(true, 'End scrolls it');
  await page.close();
});

await t.part('a confirmation of the host', async () => {
  const focus = (page) => page.eval('document.activeElement?.dataset?.act ?? document.activeElement?.tagName');
  let page = await pages.open({ ...view('options', 'release'), answers: { ...view('options', 'release').answers, webauthn_presence_confirm: { ok: true, data: null } } });
  await page.send('Page.bringToFront');
  t.equal(await focus(page), 'presence-deny', 'Cancel has the focus');
  await page.until('document.querySelector(\'[data-act="presence-confirm"]:enabled\') !== null');
  const stops = [];
  for (let i = 0; i < 4; i++) {
    await press(page, 'Tab');
    stops.push(await focus(page));
  }
  t.ok(stops.includes('presence-confirm') && stops.every((s) => ['presence-confirm', 'presence-deny', 'BODY'].includes(s)), 'Tab reaches nothing behind the dialog', stops);
  t.equal(await page.eval('document.querySelector(\'[data-act="kill-release"]\').matches(":focus")'), false, 'nor what raised it');
  await page.eval('document.querySelector(\'[data-act="presence-confirm"]\').focus()');
  await press(page, 'Enter');
  await page.until('document.querySelector("dialog") === null');
  t.equal(await sent(page, 'webauthn_presence_confirm'), [{ type: 'webauthn_presence_confirm', nonce: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8' }], 'Enter on Confirm answers the request that is shown, once');
  t.equal(await page.eval('document.querySelector(".notice").textContent'), 'Done: release the kill switch', 'and the page says what was done');
  await page.close();
  page = await pages.open(view('options', 'release'));
  await page.send('Page.bringToFront');
  await press(page, 'Escape');
  await page.until('document.querySelector("dialog") === null');
  t.equal((await sent(page, 'webauthn_presence_confirm')).length, 0, 'Esc answers nothing');
  await page.close();
});

await t.part('ceremonies of an authenticator', async () => {
  const rp = createHash('sha256').update(`chrome-extension://${pages.id}`).digest('hex');
  const challenge = (byte) => Buffer.alloc(32, byte).toString('base64url');
  const plugIn = async (page) => {
    await page.send('WebAuthn.enable');
    const { authenticatorId } = await page.send('WebAuthn.addVirtualAuthenticator', {
      options: { protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    });
    await page.send('Page.bringToFront');
    return authenticatorId;
  };
  const signed = (text) => JSON.parse(Buffer.from(text, 'base64url'));
  const live = view('options', 'live');
  const enroll = {
    webauthn_enroll_begin: { ok: true, data: { state: 'options', options: { challenge: challenge(1), nonce: 'n', userId: 'Y2hyb21pdW0', userName: 'chromium', excludeCredentialIds: [] } } },
    webauthn_enroll_finish: { ok: true, data: { credentialId: 'AAAA' } },
  };
  let page = await pages.open({ ...live, answers: { ...live.answers, ...enroll } });
  let authenticator = await plugIn(page);
  await page.click('[data-act="webauthn-enroll"]');
  await page.until(`sent.some((m) => m.type === 'webauthn_enroll_finish')`, 10_000);
  const [made] = await sent(page, 'webauthn_enroll_finish');
  const client = signed(made.clientDataJson);
  t.equal([client.type, client.challenge, client.origin], ['webauthn.create', challenge(1), `chrome-extension://${pages.id}`], 'enrolling signs the challenge of the host, as this extension');
  const attestation = Buffer.from(made.attestationObject, 'base64url');
  t.ok(attestation.includes(Buffer.from(rp, 'hex')) && attestation.includes('none'), 'for the relying party that the host expects, without a statement');
  const { credentials } = await page.send('WebAuthn.getCredentials', { authenticatorId: authenticator });
  t.equal(credentials.length, 1, 'one credential is made');
  await page.close();

  const id = Buffer.from(credentials[0].credentialId, 'base64').toString('base64url');
  const touch = { nonce: 'n2', challenge: challenge(2), allowedCredentialIds: [id] };
  const asked = { ...touch, action: 'release the kill switch', expiresAt: { $from: 100_000 } };
  const answers = { ...live.answers, webauthn_presence_pending: { ok: true, data: asked }, webauthn_presence_assert: { ok: true, data: null } };
  const proof = async (type, wanted) => {
    await page.until(`sent.some((m) => m.type === '${type}')`, 10_000);
    const [answer] = await sent(page, type);
    const said = signed(answer.clientDataJson);
    const data = Buffer.from(answer.authenticatorData, 'base64url');
    t.equal([said.type, said.challenge, answer.credentialId, answer.nonce], ['webauthn.get', challenge(2), id, 'n2'], `${wanted}: the touch answers the request with the credential that it names`);
    t.equal([data.subarray(0, 32).toString('hex'), data.length, answer.signature.length > 80], [rp, 37, true], `${wanted}: signed for the relying party`);
  };
  page = await pages.open({ ...live, answers });
  authenticator = await plugIn(page);
  await page.send('WebAuthn.addCredential', { authenticatorId: authenticator, credential: credentials[0] });
  await page.until('document.querySelector(\'[data-act="presence-confirm"]:enabled\') !== null');
  await page.click('[data-act="presence-confirm"]');
  await proof('webauthn_presence_assert', 'options page');
  t.equal((await sent(page, 'webauthn_presence_confirm')).length, 0, 'a click alone is never sent where a touch is asked for');
  await page.close();

  const window = view('confirm', 'eval-touch');
  page = await pages.open({ ...window, answers: { ...window.answers, confirm_presence: { ok: true, data: null }, confirm_ready: { ok: true, data: { state: 'shown', payload: { ...window.answers.confirm_ready.data.payload, presence: touch } } } } });
  authenticator = await plugIn(page);
  await page.send('WebAuthn.addCredential', { authenticatorId: authenticator, credential: credentials[0] });
  await armed(page);
  await page.click('[data-act="allow"]');
  await proof('confirm_presence', 'confirmation window');
  t.equal((await sent(page, 'confirm_resolve')).length, 0, 'and nothing else is answered');
  await page.close();
});

await t.part('arming', async () => {
  const first = `globalThis.began = 0; new MutationObserver(() => {
    const allow = document.querySelector('[data-act="allow"]');
    if (!allow) return;
    if (!globalThis.began) globalThis.began = performance.now();
    if (!allow.disabled && !globalThis.took) globalThis.took = performance.now() - globalThis.began;
  }).observe(document, { subtree: true, childList: true, attributes: true })`;
  const shown = await pages.open({ ...view('confirm', 'click'), first });
  await shown.until('globalThis.took');
  const took = await shown.eval('globalThis.took');
  t.ok(took >= 590 && took < 900, 'Allow is disabled for the first 600 ms', took);
  await shown.close();
});

await t.part('alerts come into regions that were there', async () => {
  const { act, ...shown } = view('confirm', 'kill-failed');
  const page = await pages.open(shown);
  await page.eval(`globalThis.region = document.querySelector('[role=alert]'); globalThis.was = region.textContent; 0`);
  await page.click(`[data-act="${act}"]`);
  await page.until('region.textContent !== ""');
  t.equal(await page.eval('[was, region.isConnected, document.activeElement.dataset.act]'), ['', true, 'deny'], 'the text comes into the region, Deny keeps the focus');
  await page.close();
});

await t.part('popup', async () => {
  let page = await pages.open(view('popup', 'sites'));
  await page.send('Page.bringToFront');
  t.equal(await page.eval('document.activeElement === document.querySelector(\'[data-act="site-deny"]\')'), true, 'the Deny of the oldest site has the focus');
  t.equal(await page.eval('[...document.querySelectorAll(".entry")].map((e) => e.textContent)'), ['https://one.example/*', 'https://xn--bcher-kva.example/*', 'http://127.0.0.1:3000/*'], 'exact entries, oldest first');
  t.ok(await page.eval('document.querySelector(".card").classList.contains("wait")'), 'sites that wait come first');
  const kill = await page.eval(`(({ top, bottom }) => [top > 0, bottom <= innerHeight])(document.querySelector('[data-act="kill"]').getBoundingClientRect())`);
  t.equal(kill, [true, true], 'the kill switch is in view, whatever waits');
  await press(page, 'Enter');
  t.equal(await sent(page, 'resolve_allow'), [{ type: 'resolve_allow', id: 'allow_https://one.example/*', allow: false }], 'Enter denies it');
  await page.close();

  page = await pages.open(view('popup', 'connected'));
  const before = await page.eval('sent.length');
  await sleep(1_500);
  t.equal(await page.eval('sent.length'), before, 'nothing is polled');
  await page.eval(`chrome.storage.local.set({ bridgeKillMirror: { state: 'unknown', at: Date.now() } })`);
  await page.until(`sent.length >= ${before + 3}`);
  t.ok(true, 'a change in storage is followed');
  await page.eval(`chrome.storage.local.set({ pendingAllow: 'nonsense' })`);
  await page.until(`sent.some((m) => m.type === 'sweep_pending')`);
  t.ok(true, 'a record that makes no sense is handed to the worker');
  t.equal(await page.eval('chrome.storage.local.get("pendingAllow").then((s) => s.pendingAllow)'), 'nonsense', 'and not written by the page');
  await page.eval('chrome.storage.local.remove(["pendingAllow", "bridgeKillMirror"])');
  await page.close();

  page = await pages.open(view('popup', 'killed'));
  t.equal(await page.eval('document.querySelectorAll("main button").length'), 1, 'killed: no button but Settings');
  t.match(await page.eval('document.body.innerText'), /genkan unkill/, 'and the way to release it');
  await page.close();
});

await t.part('with the real worker', async () => {
  for (const [hash, sentence] of [['', 'no id'], ['?id=', 'an empty id'], ['?id=3f9a1c52-77aa-4e0b-9f3e-0f6f8d1c2b3a', 'a foreign id']]) {
    const page = await pages.open({ page: 'confirm', hash });
    t.match(await page.eval('document.body.innerText'), /^This request is no longer pending\./, `${sentence} says so`);
    t.equal(await page.eval('document.querySelectorAll(\'[data-act="allow"]\').length'), 0, `${sentence} offers no Allow`);
    await page.close();
  }
  const popup = await pages.open({ page: 'popup', hash: '' });
  await popup.until('document.querySelector("footer").innerText.includes("0.")');
  t.match(await popup.eval('document.querySelector("[role=status]").textContent'), /^Offline$/, 'without a host the popup says so');
  t.match(await popup.eval('document.body.innerText'), /genkan doctor --fix/, 'and what to do');
  const options = await pages.open({ page: 'options', hash: '#pairing' });
  await options.until('document.querySelector("#pairing") !== null');
  t.ok(await options.eval('document.querySelector("#pairing").getBoundingClientRect().top < innerHeight'), 'a link into the page leads there');
  await options.eval(`(() => { const s = document.querySelector('[data-act="language"]'); s.value = 'zh_TW'; s.dispatchEvent(new Event('change', { bubbles: true })); })()`);
  for (const page of [options, popup]) await speaks(page, 'zh_TW');
  t.equal(await options.eval('chrome.storage.local.get("uiLanguage").then((s) => s.uiLanguage)'), 'zh_TW', 'the picker stores the language, and all open pages follow');
  t.equal(await options.eval('[...document.querySelectorAll("option")].map((o) => o.lang)'), ['', 'en', 'zh-CN', 'zh-TW'], 'each language is named in itself');
  await options.eval(`chrome.storage.local.set({ uiLanguage: 'en' })`);
  await popup.close();
  await options.close();
});

await t.part('the build', async () => {
  const read = (file) => readFileSync(path.join(extension, file), 'utf8');
  const background = read('background.js');
  const marks = ['connectNative', 'The user denied this call', 'is not approved. Ask the user', 'Page.captureScreenshot'];
  t.ok(marks.every((m) => background.includes(m)), 'the worker holds what the next check looks for', marks.filter((m) => !background.includes(m)));
  for (const name of Object.keys(SIZES)) {
    const seen = new Set();
    const take = (file) => {
      if (seen.has(file)) return;
      seen.add(file);
      for (const [, next] of read(file).matchAll(/(?:from|import)\s*["']\.?\/?(?:chunks\/)?([\w-]+\.js)["']/g)) take(`chunks/${next}`);
    };
    const html = read(`${name}.html`);
    for (const [, file] of html.matchAll(/(?:src|href)="\/(chunks\/[^"]+\.js)"/g)) take(file);
    const text = [...seen].map(read).join('\n');
    t.ok(seen.size >= 2 && text.includes('createRoot'), `${name}: its scripts are found`, [...seen]);
    t.equal(marks.filter((m) => text.includes(m)), [], `${name} carries no code of the worker`);
    t.ok(!/<script(?![^>]*src=)/.test(html) && !/style="|<style/.test(html), `${name} has nothing inline`);
  }
});

await browser.close();
t.done();
