// A person with an authenticator: enrolled, then asked for whatever gives power, and for nothing that
// takes it. page_eval is granted by a tap, used behind one, restricted without, and granted again.
import { checks, needChromium, sleep } from './cdp.mjs';
import { pages } from './fixtures.mjs';
import { Authenticator, killed, optionsPage, ownImage, paired, spoken } from './persons.mjs';
import { attached, call, confirmation, inWorld, json, onSite, press, refused, site, until } from './world.mjs';

needChromium();
const t = checks();

await inWorld(async (world) => {
  const web = await site(pages);
  const { client, browser, tabId } = await onSite(world, web);
  const options = await optionsPage(browser, '#policy');
  await paired(world, options);
  const key = new Authenticator();
  const policy = () => options.say({ type: 'get_policy' });
  const holds = (field, value) => until(async () => (await policy()).effective?.[field] === value, `${field} is ${value}`);
  const enrolled = () => world.trust()?.enrollments.map((e) => e.label) ?? [];

  /** Runs code in the page: what the window shows, and the answer of the call. */
  const evaluate = async (code, act) => {
    const running = call(client, 'page_eval', { tabId, code }).then((r) => ({ data: json(r) }), (e) => ({ error: e.message }));
    const page = await confirmation(browser);
    const shown = await page.eval('document.querySelector("pre.payload").textContent');
    await act(page);
    return { shown, ...(await running) };
  };
  const tapped = async (page) => {
    await key.plug(page);
    await press(browser, page, 'allow');
  };

  await t.part('enroll', async () => {
    await key.plug(options);
    await options.press('webauthn-enroll');
    await until(() => enrolled().length === 1, 'the credential is stored');
    t.equal(enrolled(), ['chromium'], 'the first authenticator of the machine is enrolled by a click');
    await until(async () => (await options.say({ type: 'webauthn_enrollment' })).state === 'enrolled', 'the page knows');
    t.ok((await key.read()).signCount >= 1, 'and the authenticator holds it');
  });

  await t.part('grant by tap', async () => {
    t.match((await refused(client, 'page_eval', { tabId, code: 'return 1' }))[1], /genkan policy set/, 'page_eval is not granted yet');
    await options.until('document.querySelector(\'[data-field="pageEvalEnabled"]\') !== null');
    await options.eval('document.querySelector(\'[data-field="pageEvalEnabled"]\').click()');
    await options.press('policy-grant');
    t.equal(await options.asked(), 'set policy: pageEvalEnabled=on', 'the host says what a tap would grant');
    await options.answer('confirm');
    t.equal(await options.trouble(), '', 'the tap is taken');
    await holds('pageEvalEnabled', true);
    t.equal((await options.say({ type: 'get_status' })).serving, 'active', 'the policy is verified and in force');
  });

  await t.part('page_eval behind a tap', async () => {
    const code = 'const rows = document.querySelectorAll("form input").length;\nreturn { title: document.title, rows, token: "session_tokenvalue" };';
    const { shown, data } = await evaluate(code, tapped);
    t.equal(shown, code, 'the window shows the code, all of it, as it is');
    t.equal(data, { title: 'Form', rows: 2, [`${'\u2022'.repeat(4)}en`]: `${'\u2022'.repeat(4)}[sensitive]` }, 'the tap runs it in the world of the page, and secrets are masked');
    const thrown = await evaluate('window.mark = (window.mark ?? 0) + 1; throw new RangeError("mine")', tapped);
    t.equal([thrown.data?.__evalError, thrown.data?.name, thrown.data?.message], [true, 'RangeError', 'mine'], 'what it throws is data');
    t.match((await evaluate('return 1', (page) => press(browser, page, 'deny'))).error, /USER_DENIED/, 'Deny denies');
    const closed = await evaluate('return 1', (page) => page.close());
    t.match(closed.error, /USER_DENIED/, 'so does closing the window');
  });

  await t.part('restrict without a tap, and tighten by rolling back', async () => {
    await options.send('Page.bringToFront');
    await options.eval('document.querySelector(\'[data-field="pageEvalEnabled"]\').click()');
    await options.press('policy-restrict');
    await holds('pageEvalEnabled', false);
    t.equal(await options.eval('document.querySelector("dialog.asked")'), null, 'a restriction asks for nothing');
    t.equal((await refused(client, 'page_eval', { tabId, code: 'return 1' }))[0], 'TOOL_DISABLED', 'page_eval is refused again');
  });

  await t.part('loosen by rolling back, with a tap', async () => {
    await key.plug(options);
    const { request } = { request: await options.say({ type: 'rollback_policy', revision: 1 }) };
    t.equal(request?.action, 'roll policy back to revision 1: pageEvalEnabled=on', 'the host says what rolling back would grant');
    await options.send('Page.reload');
    await options.until('document.querySelector("#asked-action") !== null');
    t.equal(await options.asked(), request.action, 'the request that waits is shown by a page that is opened later');
    await options.answer('confirm');
    t.equal(await options.trouble(), '', 'the tap is taken');
    await holds('pageEvalEnabled', true);
    t.equal((await evaluate('return 2 + 2', tapped)).data, 4, 'and page_eval runs again');
    t.equal((await policy()).revision, 2, 'under a revision of its own');
    await key.plug(options);
    const wider = await options.say({ type: 'grant_policy', overlay: { confirmTabClose: false } });
    await options.send('Page.reload');
    t.equal(await options.asked(), wider.action, 'another grant');
    await options.answer('confirm');
    await holds('confirmTabClose', false);
    t.equal(await options.say({ type: 'rollback_policy', revision: 2 }), null, 'rolling back to what is tighter asks for nothing');
    await holds('confirmTabClose', true);
  });

  await t.part('kill, and release by tap', async () => {
    await killed(world, options, () => options.press('kill'));
    t.equal((await refused(client, 'tab_list'))[0], 'BRIDGE_KILLED', 'killed from the page');
    await options.press('kill-release');
    t.equal(await options.asked(), 'release the kill switch', 'the host says what the tap does');
    await key.plug(options);
    await options.answer('confirm');
    await until(() => world.trust().killed === false, 'released');
    t.match(json(await call(client, 'page_text', { tabId })).text, /Sign up/, 'the tap releases the switch, and pages are read again');
  });

  await t.part('pair a client by tap', async () => {
    const hash = await ownImage();
    await spoken(options);
    await options.fill('[data-in="client-name"]', 'desk');
    await options.fill('[data-in="client-hash"]', hash);
    await options.press('client-pair');
    t.equal(await options.asked(), `trust client desk (hash ${hash})`, 'the host says whom the tap lets in');
    await key.plug(options);
    await options.answer('confirm');
    await until(() => world.trust().clients?.length === 1, 'the record');
    t.equal(world.trust().clients[0].name, 'desk', 'the tap pairs it');
    t.ok(Array.isArray(json(await call(client, 'tab_list'))), 'and it is served');
  });

  await t.part('a second browser, behind the tap of the first', async () => {
    const second = await world.browser({ label: 'chrome' });
    await attached(client, 'chrome');
    const there = await optionsPage(second, '#pairing');
    await spoken(there);
    await key.plug(there);
    await there.press('webauthn-enroll');
    t.equal(await there.asked(), 'enroll another credential for chrome', 'a credential that is enrolled has to agree');
    t.equal(enrolled(), ['chromium'], 'before that nothing is enrolled');
    await there.answer('confirm');
    await until(() => enrolled().length === 2, 'the second credential');
    t.equal(enrolled(), ['chromium', 'chrome'], 'then the second browser has its own');
    await sleep(200);
    await there.press('webauthn-forget');
    await until(() => enrolled().length === 1, 'forgotten');
    t.equal(enrolled(), ['chromium'], 'forgetting a browser asks for nothing, and takes its own alone');
    await key.unplug();
    await second.close();
  });

  await t.part('forget this browser', async () => {
    await options.send('Page.bringToFront');
    await options.press('webauthn-forget');
    await until(() => enrolled().length === 0, 'forgotten');
    // The record goes first, and the page hears of it.
    await until(async () => (await options.say({ type: 'webauthn_enrollment' })).state === 'none', 'the page knows');
    const { data } = await evaluate('return location.pathname', (page) => press(browser, page, 'allow'));
    t.equal(data, '/', 'without a credential the click in the window is the proof');
  });
});
t.done();
