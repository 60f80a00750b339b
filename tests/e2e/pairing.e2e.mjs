// Pairing with a real host key, and the policy that it signs: pair, approve, set, verify, another key,
// unpair, reject, and a pin that is lost. Decided by the messages of the options page; the key is minted
// at a terminal, as a person would.
import { checks, needChromium } from './cdp.mjs';
import { answerSite, attached, call, id, inWorld, json, preparePermission, refused, site, text, until } from './world.mjs';

needChromium();
const t = checks();

await inWorld(async (world) => {
  const pages = await site({ '/': '<title>Shop</title><p>hello</p>' });
  world.later(() => pages.close());
  const client = await world.client();
  let browser = await world.browser();
  await attached(client);
  await preparePermission(browser, pages.origin);
  let options = await browser.page(`chrome-extension://${id}/options.html`);
  /** One message as the page sends it; a refusal throws its sentence. */
  const ask = async (message) => {
    const reply = await options.eval(`chrome.runtime.sendMessage(${JSON.stringify(message)})`);
    if (!reply.ok) throw new Error(reply.error);
    return reply.data;
  };
  const refusedOf = (message) => ask(message).then(() => 'no refusal', (e) => e.message);
  const enrollment = () => ask({ type: 'get_enrollment' });
  const serving = async () => {
    const { serving: state, blocked } = await ask({ type: 'get_status' });
    return blocked ?? state;
  };
  const becomes = (state) => until(async () => (await serving()) === state, `the extension becomes ${state}`);
  const eachGroup = (keyId) => keyId.match(/.{4}/g).join(' ');
  /** Pairs at the terminal; what it prints of the key is what a person compares. */
  const mint = async (...args) => {
    const { code, out } = await world.terminal(['pair', '--file-store', ...args]);
    if (code !== 0) throw new Error(out);
    return /([0-9a-f]{4} ){15}[0-9a-f]{4}/.exec(out)?.[0] ?? out;
  };
  /** Asks for the key and gives the fingerprint that waits. */
  const pending = async () => {
    await ask({ type: 'enroll_pair' });
    return (await enrollment()).pending.keyId;
  };

  await t.part('unpaired', async () => {
    t.equal(await serving(), 'unpaired', 'a fresh browser is unpaired');
    t.ok(Array.isArray(json(await call(client, 'tab_list'))), 'and serves');
    t.match((await refused(client, 'console_get'))[1], /genkan pair/, 'what needs a grant names the way to it');
    await until(async () => (await enrollment()).lastError !== null, 'the host is asked for its key');
    t.match(await refusedOf({ type: 'grant_policy', overlay: { pageEvalEnabled: true } }), /Pair this browser first/, 'nothing can be granted');
    t.match(await refusedOf({ type: 'enroll_approve', keyId: '0'.repeat(64) }), /No fingerprint waits/, 'nothing can be approved');
  });

  let first;
  await t.part('pair and approve', async () => {
    const shown = await mint();
    first = await pending();
    t.equal(eachGroup(first), shown, 'page and terminal show the same fingerprint');
    t.equal(await serving(), 'unpaired', 'which changes nothing yet');
    t.match(await refusedOf({ type: 'enroll_approve', keyId: '0'.repeat(64) }), /Another fingerprint/, 'another one is not approved');
    await ask({ type: 'enroll_approve', keyId: first });
    t.equal(await serving(), 'preCutover', 'the approval pins it');
    t.match((await refused(client, 'console_get'))[1], /genkan policy set/, 'the way to a grant is another now');
    await ask({ type: 'enroll_verify' });
    t.ok((await enrollment()).lastVerifiedAt > 0, 'the host proves it on request');
  });

  await t.part('a policy', async () => {
    const grant = async (overlay) => {
      const request = await ask({ type: 'grant_policy', overlay });
      await ask({ type: 'webauthn_presence_confirm', nonce: request.nonce });
      return request.action;
    };
    t.equal(await grant({ confirmGraceMs: 1000 }), 'set policy: confirmGraceMs=1000', 'the host says what the page asks for');
    await becomes('active');
    t.equal((await ask({ type: 'get_policy' })).effective.confirmGraceMs, 1000, 'and it is in force here');
    await grant({ confirmTabClose: false });
    await until(async () => (await ask({ type: 'get_policy' })).effective.confirmTabClose === false, 'the push of the grant');
    t.equal((await ask({ type: 'get_policy' })).revision, 2, 'it has a revision of its own');
    t.equal(await ask({ type: 'restrict_policy', overlay: { disabledTools: ['tab_focus'] } }), null, 'a restriction asks nobody');
    await until(async () => (await ask({ type: 'get_policy' })).effective.disabledTools.includes('tab_focus'), 'the push of the restriction');
    t.match(await refusedOf({ type: 'restrict_policy', overlay: { disabledTools: [] } }), /.+/, 'and loosens nothing');
    t.equal((await refused(client, 'tab_focus', { tabId: 1 }))[0], 'TOOL_DISABLED', 'the tool is refused');
    const opened = call(client, 'tab_open', { url: `${pages.origin}/` });
    await answerSite(browser);
    const { tabId } = json(await opened);
    t.match(text(await call(client, 'page_text', { tabId })), /hello/, 'others are served under it');
    t.equal((await ask({ type: 'get_policy_history' })).length > 0, true, 'what was before is in the history');
  });

  await t.part('another start of the browser', async () => {
    await browser.close();
    browser = await world.browser();
    await attached(client);
    options = await browser.page(`chrome-extension://${id}/options.html`);
    await becomes('active');
    const policy = await ask({ type: 'get_policy' });
    t.equal([policy.revision, policy.effective.confirmTabClose, policy.effective.disabledTools], [2, false, ['tab_focus']], 'is served under the same policy');
    t.ok(Array.isArray(json(await call(client, 'tab_list'))), 'once it was verified there');
  });

  await t.part('another key', async () => {
    const shown = await mint('--reset');
    await becomes('compromised');
    t.match((await refused(client, 'tab_list'))[1], /did not prove the key/, 'the key that is pinned is proven no more');
    const second = await pending();
    t.equal([eachGroup(second), second === first], [shown, false], 'the new one can be compared');
    t.equal(await serving(), 'compromised', 'and changes nothing yet');
    await ask({ type: 'enroll_approve', keyId: second });
    t.equal(await serving(), 'preCutover', 'its approval starts anew');
    t.ok(Array.isArray(json(await call(client, 'tab_list'))), 'and serves again');
  });

  await t.part('unpairing', async () => {
    await ask({ type: 'enroll_revoke' });
    t.equal(await serving(), 'revoked', 'blocks at once');
    t.match((await refused(client, 'tab_list'))[1], /ended the pairing/, 'every tool');
    await until(async () => !(await enrollment()).revokePending, 'the host gives up its key');
    t.equal(JSON.parse((await world.genkan(['enclave-status', '--json'])).out.trim().split('\n').at(-1)).key === 'present', false, 'which is gone');
  });

  await t.part('rejecting', async () => {
    await mint();
    await pending();
    await ask({ type: 'enroll_reject' });
    t.equal(await serving(), 'rejected', 'blocks');
    t.equal((await enrollment()).pending, null, 'and drops the fingerprint');
    t.equal((await refused(client, 'tab_list'))[0], 'TOOL_DISABLED', 'nothing is served');
    await ask({ type: 'enroll_approve', keyId: await pending() });
    t.equal(await serving(), 'preCutover', 'an approval alone leads out of it');
  });

  await t.part('a pin that is lost', async () => {
    await options.eval('chrome.storage.local.remove("enclavePin")');
    t.equal(await serving(), 'pin_lost', 'is no fresh browser');
    t.equal((await refused(client, 'tab_list'))[0], 'TOOL_DISABLED', 'nothing is served');
    await options.eval('chrome.storage.local.set({ enclavePin: "junk" })');
    t.equal(await serving(), 'pin_lost', 'a malformed one is none');
    await ask({ type: 'enroll_approve', keyId: await pending() });
    t.ok(Array.isArray(json(await call(client, 'tab_list'))), 'pairing again serves again');
  });
});
t.done();
