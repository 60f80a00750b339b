// Pairing as a person does it: clicks on the pages, a key in an open keyring, a second browser that hears of it.
import { checks, needChromium } from './cdp.mjs';
import { pages } from './fixtures.mjs';
import { keyring, optionsPage, spoken } from './persons.mjs';
import { answer, answerSite, attached, call, id, inWorld, json, preparePermission, refused, site, until } from './world.mjs';

needChromium();
const t = checks();

await inWorld(async (world) => {
  const web = await site(pages);
  world.later(web.close);
  await keyring(world);
  const client = await world.client();
  let browser = await world.browser();
  await attached(client);
  let tab = await browser.page(`${web.origin}/`);
  const tabOf = async () => json(await call(client, 'tab_list')).find((x) => x.url === `${web.origin}/`).id;
  let tabId = await tabOf();
  await preparePermission(browser, web.origin);
  const reading = call(client, 'page_text', { tabId });
  await answerSite(browser);
  await reading;

  let options = await optionsPage(browser, '#pairing');
  const state = async () => (await options.say({ type: 'get_status' })).serving;
  const reaches = (wanted) => until(async () => (await state()) === wanted, `the state ${wanted}`);
  const pending = async () => (await options.say({ type: 'get_enrollment' })).pending;
  /** Makes a key at a terminal; its fingerprint as the terminal shows it. */
  const makeKey = async (...more) => {
    const { code, out } = await world.terminal(['pair', ...more]);
    if (code !== 0) throw new Error(out);
    return /^fingerprint: ([0-9a-f ]+?)\r?$/m.exec(out)[1];
  };
  const KEY = 'document.querySelector(".fingerprint")?.innerText.trim().replace(/\\s+/g, " ")';
  const shownKey = () => options.until(KEY);
  const fillName = () => call(client, 'page_fill', { tabId, selector: '#name', value: 'Ada' });
  const served = async () => /Sign up/.test(json(await call(client, 'page_text', { tabId })).text);

  await t.part('before there is a key', async () => {
    t.equal(await state(), 'unpaired', 'a fresh browser is unpaired');
    t.ok(await served(), 'and works');
    const [code, sentence] = await refused(client, 'page_eval', { tabId, code: 'return 1' });
    t.ok(code === 'TOOL_DISABLED' && /genkan pair/.test(sentence), 'what needs a grant names genkan pair', [code, sentence]);
    await options.press('pair');
    const note = await until(async () => (await options.say({ type: 'get_enrollment' })).lastError, 'the host has no key');
    t.equal(note.reason, 'not_enrolled', 'the host says that it has no key');
    t.equal(await state(), 'unpaired', 'pairing without a key changes nothing');
  });

  let fingerprint;
  await t.part('pair and approve', async () => {
    const piped = await world.genkan(['pair']);
    t.ok(piped.code === 1 && /not a terminal/.test(piped.out), 'a key is made at a terminal alone', piped);
    fingerprint = await makeKey();
    await options.press('pair');
    await until(async () => (await pending()) !== null, 'a fingerprint waits');
    t.equal(await shownKey(), fingerprint, 'the page shows the fingerprint of the terminal');
    t.equal(await state(), 'unpaired', 'a pairing that waits changes nothing');
    t.ok(await served(), 'calls are served');
    t.match(await options.refusal({ type: 'enroll_approve', keyId: '0'.repeat(64) }), /./, 'another fingerprint cannot be approved');
    t.equal(await state(), 'unpaired', 'and was not');
    const popup = await browser.page(`chrome-extension://${id}/popup.html`);
    await popup.until('document.querySelector(\'[data-act="pair-approve"]\') !== null');
    t.equal(await popup.until(KEY), fingerprint, 'the popup shows it too');
    await popup.close();
    await options.send('Page.bringToFront');
    await options.press('pair-approve');
    await reaches('preCutover');
    t.ok(true, 'approving it pins the key');
    const [, sentence] = await refused(client, 'page_eval', { tabId, code: 'return 1' });
    t.match(sentence, /genkan policy set/, 'what needs a grant names genkan policy set now');
    t.equal(json(await fillName()), { filled: '#name' }, 'a field is filled without asking, as the catalogue says');
    await options.press('pair-verify');
    await until(async () => (await options.say({ type: 'get_enrollment' })).lastVerifiedAt !== null, 'the proof');
    t.equal(await state(), 'preCutover', 'the key proves itself when asked');
  });

  await t.part('a restart', async () => {
    await browser.close();
    browser = await world.browser();
    await attached(client);
    tab = await browser.page(`${web.origin}/`);
    tabId = await tabOf();
    options = await optionsPage(browser, '#pairing');
    t.equal([await state(), await shownKey()], ['preCutover', fingerprint], 'the pin outlives the browser');
    t.ok(await served(), 'and calls are served');
  });

  await t.part('another key', async () => {
    const other = await makeKey('--reset');
    t.ok(other !== fingerprint, 'the terminal makes another key');
    await spoken(options);
    await options.press('pair-verify');
    await reaches('blocked');
    t.equal((await options.say({ type: 'get_status' })).blocked, 'compromised', 'a host with another key is not the one that was pinned');
    const [code, sentence] = await refused(client, 'page_text', { tabId });
    t.ok(code === 'TOOL_DISABLED' && /pair again/.test(sentence), 'nothing is served', [code, sentence]);
    await options.press('pair');
    await until(async () => (await pending()) !== null, 'the new fingerprint waits');
    t.equal(await shownKey(), other, 'pairing again shows the new one');
    t.equal(await state(), 'blocked', 'and serves nothing before it is approved');
    fingerprint = other;
    await options.press('pair-approve');
    await reaches('preCutover');
    t.ok(await served(), 'approved, calls are served');
  });

  await t.part('a pin that was lost', async () => {
    const worker = await browser.worker(id);
    await worker.eval('chrome.storage.local.remove("enclavePin")');
    await reaches('blocked');
    t.equal((await options.say({ type: 'get_status' })).blocked, 'pin_lost', 'a pin that is gone is not a fresh browser');
    t.equal((await refused(client, 'tab_list'))[0], 'TOOL_DISABLED', 'nothing is served');
    await options.press('pair');
    await until(async () => (await pending()) !== null, 'the fingerprint');
    await options.press('pair-approve');
    await reaches('preCutover');
    t.ok(await served(), 'paired again, calls are served');
  });

  await t.part('reject', async () => {
    await (await browser.worker(id)).eval('chrome.storage.local.remove("enclavePin")');
    await reaches('blocked');
    await options.press('pair');
    await until(async () => (await pending()) !== null, 'the fingerprint');
    await options.press('pair-reject');
    await until(async () => (await options.say({ type: 'get_status' })).blocked === 'rejected', 'rejected');
    t.equal([(await refused(client, 'tab_list'))[0], await pending()], ['TOOL_DISABLED', null], 'a rejected fingerprint stops all tools');
    await options.press('pair');
    await until(async () => (await pending()) !== null, 'the fingerprint');
    await options.press('pair-approve');
    await reaches('preCutover');
    t.ok(await served(), 'the person may change their mind');
  });

  await t.part('unpair, with a second browser that is paired', async () => {
    const second = await world.browser({ label: 'chrome' });
    await attached(client, 'chrome');
    const there = await optionsPage(second, '#pairing');
    const stateThere = async () => (await there.say({ type: 'get_status' })).blocked ?? (await there.say({ type: 'get_status' })).serving;
    await until(async () => (await there.say({ type: 'get_enrollment' })).pending !== null, 'an unpaired browser asks by itself');
    await there.press('pair-approve');
    await until(async () => (await stateThere()) === 'preCutover', 'paired there');
    await options.send('Page.bringToFront');
    await options.press('unpair');
    t.equal(await state(), 'preCutover', 'the first click only says what the second does');
    await options.press('unpair-now');
    await until(async () => (await options.say({ type: 'get_status' })).blocked === 'revoked', 'unpaired');
    t.equal((await refused(client, 'tab_list', { browser: 'chromium' }))[0], 'TOOL_DISABLED', 'nothing is served here');
    await until(async () => (await stateThere()) === 'compromised', 'the other browser hears of it', 5_000);
    t.equal((await refused(client, 'tab_list', { browser: 'chrome' }))[0], 'TOOL_DISABLED', 'nor in the other browser of this user');
    t.match((await world.genkan(['enclave-status'])).out, /^key: none/m, 'the host has no key any more');
    await second.close();
  });
  await tab.close();
});
t.done();
