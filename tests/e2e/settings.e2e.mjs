// The options page as a person works it, with the real host behind it: registration, the
// kill switch, the policy editor with its history, an authenticator, the language, clients. Every act goes by a
// click or a key on what is shown; the records on disk say whether it counted.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { checks, needChromium } from './cdp.mjs';
import { attached, id, inWorld, until } from './world.mjs';

needChromium();
const t = checks();
const HASH = createHash('sha256').update('a program that is never started').digest('hex');

await inWorld(async (world) => {
  const client = await world.client();
  const browser = await world.browser();
  await attached(client);
  const page = await browser.page(`chrome-extension://${id}/options.html`);
  await page.send('Page.bringToFront');

  const record = (name) => {
    const file = world.state(name);
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
  };
  const document_ = () => JSON.parse(Buffer.from(record('policy.json').baseline_b64, 'base64'));
  const there = (selector) => page.until(`document.querySelector(${JSON.stringify(selector)}) !== null`, 10_000);
  const gone = (selector) => page.until(`document.querySelector(${JSON.stringify(selector)}) === null`, 10_000);
  /** A real click, once the control is there, enabled and in view. */
  const press = async (selector) => {
    const wanted = selector.startsWith('[') ? selector : `[data-act="${selector}"]`;
    await there(`${wanted}:not(:disabled)`);
    await page.eval(`document.querySelector(${JSON.stringify(wanted)}).scrollIntoView({ block: 'center' })`);
    await page.click(wanted);
  };
  const type = async (selector, text) => {
    await press(selector);
    await page.eval(`document.querySelector(${JSON.stringify(selector)}).select()`);
    await page.send('Input.insertText', { text });
  };
  const shown = (selector) => page.eval(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? null`);
  const says = (text) => page.until(`document.querySelector('main > [role="status"]').textContent.startsWith(${JSON.stringify(text)})`, 10_000);
  /** Whether a host is there that has spoken. */
  const answers = async () => (await page.eval(`chrome.runtime.sendMessage({ type: 'get_clients' })`)).ok;
  /** Confirms what the dialog shows, which is `action`. */
  const confirm = async (action) => {
    await there('dialog[open]');
    t.equal(await shown('dialog .act'), action, `the host asks: ${action}`);
    await press('presence-confirm');
    await page.until('document.querySelector("dialog") === null || document.querySelector("dialog [role=alert]").textContent !== ""', 10_000);
    t.equal(await shown('dialog [role=alert]'), null, 'and takes the answer');
  };

  await t.part('registration and trail', async () => {
    await there('#registration li');
    t.equal(await page.eval('[...document.querySelectorAll("#registration li b")].map((e) => e.textContent)'), ['Google Chrome', 'Chromium', 'Brave', 'Microsoft Edge', 'Vivaldi', 'Opera'], 'a row for each browser');
    await there('#audit .trail');
    t.match(await shown('#audit'), /Client admitted/, 'the trail of the host names the client');
    await press('repair-vivaldi');
    await says('The registration was written.');
    await page.until(`[...document.querySelectorAll('#registration li')].some((li) => /Vivaldi/.test(li.innerText) && /Registered/.test(li.innerText))`);
    t.ok(true, 'one browser is repaired, and its row says so');
  });

  await t.part('kill switch', async () => {
    const before = world.pids('genkan-host');
    await press('kill');
    await page.until('/Engaged/.test(document.querySelector("#kill .pill").textContent)');
    await until(() => world.trust()?.killed, 'the latch is engaged');
    // The leg is severed; the next host holds the latch and is who releases it.
    await until(() => !world.pids('genkan-host').some((pid) => before.includes(pid)), 'the host of the severed leg ends');
    await until(answers, 'the host that holds the latch');
    await press('kill-release');
    await there('dialog[open]');
    await press('presence-deny');
    await gone('dialog');
    t.equal(world.trust().killed, true, 'Cancel releases nothing');
    await press('kill-release');
    await confirm('release the kill switch');
    await page.until('/^Off$/.test(document.querySelector("#kill .pill").textContent)');
    t.equal(world.trust().killed, false, 'the confirmation releases it');
    await attached(client);
    await until(answers, 'the host that has the bridge again');
  });

  await t.part('pairing', async () => {
    t.match(await shown('#policy'), /Pair this browser with the host first/, 'before pairing the editor explains');
    t.equal(await page.eval('document.querySelectorAll("#policy input, #policy button").length'), 0, 'and offers no control');
    const minted = await world.terminal(['pair', '--file-store']);
    const printed = /([0-9a-f]{4} ){15}[0-9a-f]{4}/.exec(minted.out)?.[0];
    await press('pair');
    await there('.compare .fingerprint');
    const blocks = await page.eval('[...document.querySelectorAll(".compare .fingerprint span")].map((e) => e.textContent)');
    t.equal(blocks.join(' '), printed, 'the page shows what the terminal printed');
    await press('pair-approve');
    await there('[data-act="policy-grant"]');
    t.match(await shown('#policy'), /No policy was set yet/, 'the editor is there, with the defaults');
  });

  await t.part('policy', async () => {
    await press('[data-field="pageEvalEnabled"]');
    await type('[data-field="confirmGraceMs"]', '');
    t.match(await shown('#policy-confirmGraceMs-error'), /an empty field is not 0/, 'a blank time is no 0');
    t.equal(await page.eval('document.querySelector("[data-act=policy-grant]").disabled'), true, 'and cannot be saved');
    await type('[data-field="confirmGraceMs"]', '90000');
    t.match(await shown('#policy .divided'), /relaxes the policy, so it needs your confirmation/, 'what relaxes says what it takes');
    await press('policy-grant');
    await confirm('set policy: pageEvalEnabled=on,confirmGraceMs=90000');
    await page.until('/Revision 1/.test(document.querySelector("#policy").innerText)');
    const first = document_();
    t.equal([first.revision, first.pageEvalEnabled, first.confirmGraceMs], [1, true, 90_000], 'the record holds it, signed');
    await page.until('/Live/.test(document.querySelector(".state").innerText)');
    t.ok(true, 'the extension has verified it and is live');

    await press('[data-field="pageEvalEnabled"]');
    await press('policy-restrict');
    await says('The policy is tighter now.');
    t.equal(await page.eval('document.querySelector("dialog") === null'), true, 'tightening asks nothing');
    await until(() => record('policy.json').overlay?.pageEvalEnabled === false, 'the restriction is written');
    t.equal(document_().revision, 1, 'beside the signed policy, which stays');
    await page.until('!document.querySelector("[data-field=pageEvalEnabled]").checked');

    await press('policy-tools');
    await press('[data-tool="tab_close"]');
    await press('[data-field="pageEvalEnabled"]');
    await press('policy-grant');
    await confirm('set policy: pageEvalEnabled=on,disabledTools=[tab_close]');
    await page.until('/Revision 2/.test(document.querySelector("#policy").innerText)');
    t.equal([document_().pageEvalEnabled, document_().disabledTools], [true, ['tab_close']], 'one relaxing field takes the whole change through the confirmation');
  });

  await t.part('history', async () => {
    await press('policy-history');
    await page.until('document.querySelectorAll("[data-act=policy-history] li").length >= 2', 10_000);
    const rows = await page.eval('[...document.querySelectorAll("[data-act=policy-history] li")].map((li) => li.innerText.replace(/\\s+/g, " "))');
    t.ok(rows.every((r) => /^Revision 1 /.test(r)) && rows.length === 2, 'both states that were written over are kept', rows);
    await press('[data-act="policy-rollback"][data-revision="1"]');
    await there('dialog[open]');
    t.match(await shown('dialog .act'), /^roll policy back to revision 1: /, 'a rollback that relaxes asks');
    await press('presence-confirm');
    await page.until('/Revision 3/.test(document.querySelector("#policy").innerText)');
    t.equal(document_().disabledTools, [], 'and is written as a new revision');
  });

  await t.part('authenticator', async () => {
    await page.send('WebAuthn.enable');
    const { authenticatorId } = await page.send('WebAuthn.addVirtualAuthenticator', {
      options: { protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    });
    await press('webauthn-enroll');
    await says('The authenticator is enrolled.');
    t.equal(world.trust().enrollments.length, 1, 'the record holds the credential');
    await page.until('/Enrolled .* key /.test(document.querySelector("#authenticator").innerText)');
    const signs = async () => (await page.send('WebAuthn.getCredentials', { authenticatorId })).credentials[0].signCount;
    const before = await signs();
    await press('[data-field="cdpMode"]');
    await press('policy-grant');
    await there('dialog[open]');
    t.match(await shown('dialog'), /uses an authenticator/, 'the next grant takes a touch');
    await press('presence-confirm');
    await page.until('/Revision 4/.test(document.querySelector("#policy").innerText)');
    t.ok((await signs()) > before, 'which was given');
    t.equal(document_().cdpMode, true, 'and counted');
    await press('webauthn-forget');
    await says("This browser's authenticators are forgotten.");
    t.equal(world.trust().enrollments, [], 'forgetting takes it out of the record');
    await page.until('/None was enrolled/.test(document.querySelector("#authenticator").innerText)');
  });

  await t.part('language', async () => {
    t.match(await shown('.language'), /shared with the host/, 'the picker says that the host is told');
    const choose = (value) => page.eval(`(() => { const s = document.querySelector('[data-act="language"]'); s.value = '${value}'; s.dispatchEvent(new Event('change', { bubbles: true })); })()`);
    await choose('zh_CN');
    await page.until('document.documentElement.lang === "zh-CN"');
    await until(() => record('lang.json')?.value === 'zh_CN', 'the host has the choice');
    t.ok(true, 'the choice reaches the host');
    await choose('en');
    await page.until('document.documentElement.lang === "en"');
  });

  // Last, since the list that it leaves behind admits not even the client of this test.
  await t.part('clients', async () => {
    await page.until('/Open/.test(document.querySelector("#clients .pill")?.textContent)');
    t.match(await shown('#clients'), /every MCP client that you start is admitted/, 'without a list the door is open');
    await type('[data-in="client-name"]', 'never-started');
    await type('[data-in="client-hash"]', 'no hash');
    await press('client-pair');
    await page.until('/40 or 64 hex/.test(document.querySelector("#client-error").textContent)');
    t.equal(world.trust().clients, null, 'a value that is no hash pairs nobody');
    await type('[data-in="client-hash"]', HASH.toUpperCase());
    await press('client-pair');
    await confirm(`trust client never-started (hash ${HASH})`);
    await there('[data-name="never-started"]');
    t.equal(world.trust().clients.map((c) => [c.name, c.anchor.value]), [['never-started', HASH]], 'the record holds the client');
    await press('[data-name="never-started"]');
    await says('never-started is no longer admitted.');
    await page.until('/no client is admitted/.test(document.querySelector("#clients").innerText)');
    t.equal(world.trust().clients, [], 'and no longer, so nobody is admitted');
  });
});
t.done();
