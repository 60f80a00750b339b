// What is no proof, for every act that takes one: another key, an answer of before, an old counter,
// another origin, a request that is declined, over or whose page or connection is gone. Each leaves
// every record as it was, says why, and lets the next try work.
import { existsSync, readFileSync } from 'node:fs';
import { checks, needChromium } from './cdp.mjs';
import { pages } from './fixtures.mjs';
import { Authenticator, holds, killed, optionsPage, ownImage, paired, spoken } from './persons.mjs';
import { call, confirmation, id, inWorld, json, onSite, press, site, until } from './world.mjs';

needChromium();
const t = checks();

await inWorld(async (world) => {
  const web = await site(pages);
  const { client, browser, tabId } = await onSite(world, web);
  let options = await optionsPage(browser, '#policy');
  await paired(world, options);
  // The list of clients is never empty, so revoking one does not shut the test out.
  await world.terminal(['pair-client', '--name', 'desk', '--hash', await ownImage()]);
  const key = await new Authenticator().plug(options);
  await options.press('webauthn-enroll');
  await until(() => world.trust()?.enrollments.length === 1, 'enrolled');
  await key.read();
  const policy = () => options.say({ type: 'get_policy' });

  // What the tests ask for, and must not get.
  const wish = { type: 'grant_policy', overlay: { confirmTabClose: false } };
  const nothingGranted = async (sentence) => t.equal([(await policy()).effective?.confirmTabClose, (await policy()).revision], [true, 1], sentence);

  /** A ceremony on the page as the page does it; the assertion as the worker takes it. */
  const tap = ({ challenge, allowedCredentialIds }) =>
    options.call(
      async (c, ids) => {
        const bytes = (s) => Uint8Array.from(atob(s.replaceAll('-', '+').replaceAll('_', '/')), (x) => x.charCodeAt(0));
        const url = (b) => btoa(String.fromCharCode(...new Uint8Array(b))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
        const { rawId, response } = await navigator.credentials.get({
          publicKey: { challenge: bytes(c), rpId: location.host, userVerification: 'preferred', timeout: 10_000, allowCredentials: ids.map((i) => ({ type: 'public-key', id: bytes(i) })) },
        });
        return { credentialId: url(rawId), authenticatorData: url(response.authenticatorData), clientDataJson: url(response.clientDataJSON), signature: url(response.signature) };
      },
      [challenge, allowedCredentialIds],
    );
  const answer = ({ nonce }, assertion) => options.refusal({ type: 'webauthn_presence_assert', nonce, ...assertion });
  const ask = () => options.say(wish);
  /** An answer that the host has taken. */
  let taken;

  await t.part('first, a grant that holds', async () => {
    const request = await options.say({ type: 'grant_policy', overlay: { pageEvalEnabled: true } });
    const assertion = await tap(request);
    taken = assertion;
    t.equal(await answer(request, assertion), 'not refused', 'a genuine answer is taken');
    await until(async () => (await policy()).effective?.pageEvalEnabled === true, 'the policy');
    t.match(await answer(request, assertion), /^no_request_outstanding/, 'and pays for one act');
    const next = await ask();
    t.match(await answer(next, assertion), /^(sign_count_not_increased|challenge_mismatch)/, 'replayed for another request it is refused');
    await nothingGranted('and nothing was granted');
  });

  await t.part('an answer to another request', async () => {
    const before = await ask();
    const assertion = await tap(before);
    const now = await ask();
    t.match(await answer(before, assertion), /^(request_mismatch|no_request_outstanding)/, 'a request that was replaced is not answered any more');
    const fresh = await ask();
    t.match(await answer(fresh, assertion), /^challenge_mismatch/, 'its signature is for its own challenge');
    t.ok(now.nonce !== fresh.nonce, 'each request has a nonce of its own');
    await nothingGranted('and nothing was granted');
  });

  /** The key of a stranger, under the id of the credential that is enrolled. */
  let privateKey;
  await t.part('another key in the window', async () => {
    const maker = await optionsPage(browser);
    const stranger = await new Authenticator().plug(maker);
    await maker.eval(`navigator.credentials.create({ publicKey: { rp: { id: location.host, name: 'x' }, user: { id: new Uint8Array(8), name: 'x', displayName: 'x' }, challenge: new Uint8Array(32), pubKeyCredParams: [{ type: 'public-key', alg: -7 }] } }).then(() => true)`);
    ({ privateKey } = await stranger.read());
    await stranger.unplug();
    await maker.close();
    const running = call(client, 'page_eval', { tabId, code: 'return 1' }).then(() => 'ran', (e) => e.message);
    const page = await confirmation(browser);
    t.equal(await options.refusal(wish), 'busy', 'while a window holds a request, the page is given none');
    await key.plug(page, { privateKey });
    await press(browser, page, 'allow');
    t.match(await running, /USER_DENIED.*signature/i, 'a wrong key denies the call, and the answer says why');
    await key.plug(options);
  });

  await t.part('no touch', async () => {
    await options.say({ type: 'restrict_policy', overlay: { evalToastTimeoutMs: 4000 } });
    await until(async () => (await policy()).effective?.evalToastTimeoutMs === 4000, 'a clock of 4 s');
    const running = call(client, 'page_eval', { tabId, code: 'window.ran = true' }).then(() => 'ran', (e) => e.message);
    const page = await confirmation(browser);
    await key.plug(page);
    await key.touches(false);
    await page.until('!document.querySelector(\'[data-act="allow"]\').disabled');
    void page.click('[data-act="allow"]').catch(() => {});
    const said = await running;
    t.match(said, /CONFIRMATION_TIMEOUT|USER_DENIED/, `a touch that never comes is no approval (${said.slice(0, 60)})`);
    await until(async () => !(await browser.targets()).some((x) => x.url.includes('/confirm.html')), 'the window closes');
    const again = call(client, 'page_eval', { tabId, code: 'return typeof window.ran' }).then(json, (e) => e.message);
    const next = await confirmation(browser);
    await key.plug(next);
    await press(browser, next, 'allow');
    t.equal(await again, 'undefined', 'and nothing ran');
  });

  // ------------------------------------------------------------------------------------------- //
  // The table: every act that takes a tap, and everything that is none. Of each pair: no record has
  // changed by a byte, the person reads why, and the next try works.
  //
  // Pairs that cannot be: to restrict, to roll back to what is tighter, to engage the switch, to revoke
  // a client and to forget a browser take no proof, so there is none to be refused; the first
  // credential of a machine and pages of a browser without one are asked for a click, which is another
  // file's. A click is no pair of its own either, since the dialog offers none where a tap is due.
  // The 120 s are waited for in presence-expiry.e2e.mjs; here the clocks of the extension are moved,
  // and those of the host in its own tests, as its slot knows no acts.

  const bytesOf = (name) => (existsSync(world.state(name)) ? readFileSync(world.state(name), 'latin1') : null);
  const records = () => ['trust.json', 'policy.json', 'policy-history.json'].map(bytesOf);
  const policyHolds = (fields) => holds(options, fields);

  const ACTS = [
    {
      name: 'roll back',
      says: 'roll policy back to revision 1: confirmGraceMs=60000',
      /** Once, before the first try. */
      async before() {
        await options.say({ type: 'restrict_policy', overlay: { confirmGraceMs: 1000 } });
        await policyHolds({ confirmGraceMs: 1000 });
        const rows = await options.say({ type: 'get_policy_history' });
        this.entry = rows.findLast((r) => r.held?.revision === 1 && r.held.effective.confirmGraceMs === 60000).id;
      },
      ask() {
        return options.say({ type: 'rollback_policy', revision: 1, entry: this.entry });
      },
      done: () => policyHolds({ confirmGraceMs: 60000 }),
      async undo() {
        await options.say({ type: 'restrict_policy', overlay: { confirmGraceMs: 1000 } });
        await policyHolds({ confirmGraceMs: 1000 });
      },
    },
    {
      name: 'grant',
      says: 'set policy: confirmTabClose=off',
      ask,
      done: () => policyHolds({ confirmTabClose: false }),
      async undo() {
        await options.say({ type: 'restrict_policy', overlay: { confirmTabClose: true } });
        await policyHolds({ confirmTabClose: true });
      },
    },
    {
      name: 'pair',
      says: `trust client x (hash ${'0'.repeat(64)})`,
      ask: () => options.say({ type: 'pair_client', name: 'x', anchor: { kind: 'hash', value: '0'.repeat(64) } }),
      done: () => until(() => world.trust().clients.length === 2, 'the client'),
      async undo() {
        await options.say({ type: 'revoke_client', name: 'x' });
      },
    },
    {
      name: 'enroll',
      says: 'enroll another credential for chromium',
      ask: async () => (await options.say({ type: 'webauthn_enroll_begin' })).request,
      /** The tap lets the next question through; that takes it up. */
      done: async () => t.equal((await options.say({ type: 'webauthn_enroll_begin' })).state, 'options', 'enroll: a tap lets the next question through'),
      undo: () => {},
    },
    {
      name: 'release',
      says: 'release the kill switch',
      before: () => killed(world, options, () => options.say({ type: 'set_kill', on: true })),
      ask: async () => (await options.say({ type: 'kill_release' })).request,
      done: () => until(() => world.trust().killed === false, 'released'),
      /** Done once, at the end: the switch takes both legs along each time. */
      once: true,
      undo: () => {},
    },
  ];

  /** Shows what waits, as a page does that comes to the front. */
  async function show(says) {
    await options.eval('dispatchEvent(new Event("focus"))');
    await options.until(`document.querySelector("#asked-action")?.innerText.trim() === ${JSON.stringify(says)}`);
  }
  const closed = () => options.until('document.querySelector("dialog.asked") === null');
  /** Confirms in the dialog; what it says against that. */
  async function confirmed() {
    await options.press('presence-confirm');
    await options.until('(document.querySelector("dialog.asked [role=alert]")?.innerText.trim() ?? "") !== ""');
    return options.trouble();
  }
  /** What the browser would hand to the page, put there by somebody in between. */
  const between = async (body, give) => {
    await options.eval(`(() => {
      const get = navigator.credentials.get.bind(navigator.credentials);
      const bytes = (s) => Uint8Array.from(atob(s.replaceAll('-', '+').replaceAll('_', '/')), (x) => x.charCodeAt(0)).buffer;
      const stored = ({ credentialId, authenticatorData, clientDataJson, signature }) => ({
        rawId: bytes(credentialId),
        response: { authenticatorData: bytes(authenticatorData), clientDataJSON: bytes(clientDataJson), signature: bytes(signature) },
      });
      navigator.credentials.get = async (options) => { ${body} };
    })()`);
    try {
      return await give();
    } finally {
      await options.eval('delete navigator.credentials.get').catch(() => {});
    }
  };
  /** The clocks of worker and page, by so much; each asks its own. */
  const later = (ms) => `Date.now = (now => () => now() + ${ms})(Date.now), true`;

  const REFUSALS = [
    {
      name: 'another key under the right id',
      says: /^It was not done\. The authenticator's signature does not fit its key\.$/,
      async give() {
        await key.plug(options, { privateKey });
        return confirmed();
      },
      after: () => key.plug(options),
    },
    {
      name: 'a copy of the authenticator that lags behind',
      says: /^It was not done\. The authenticator's counter did not move on, so it may be a copy\.$/,
      async give() {
        await key.plug(options, { signCount: 1 });
        return confirmed();
      },
      after: () => key.plug(options),
    },
    {
      name: 'an answer that was taken before',
      says: /^It was not done\. The authenticator's counter did not move on, so it may be a copy\.$/,
      give: () => between(`return stored(${JSON.stringify(taken)});`, confirmed),
    },
    {
      name: 'a fresh answer to a request before this one',
      says: /^It was not done\. The answer belongs to another request\.$/,
      async give(request, act) {
        const assertion = await tap(request);
        await act.ask();
        await show(act.says);
        await options.press('presence-deny');
        await closed();
        await act.ask();
        await show(act.says);
        return between(`return stored(${JSON.stringify(assertion)});`, confirmed);
      },
    },
    {
      name: 'client data of another origin',
      says: /^It was not done\. The answer does not come from a page of this extension\.$/,
      give: () =>
        between(
          `const { rawId, response } = await get(options);
           const said = { ...JSON.parse(new TextDecoder().decode(response.clientDataJSON)), origin: 'https://evil.example' };
           return { rawId, response: { authenticatorData: response.authenticatorData, clientDataJSON: new TextEncoder().encode(JSON.stringify(said)).buffer, signature: response.signature } };`,
          confirmed,
        ),
    },
    {
      name: 'a ceremony that the browser ended',
      says: /^The authenticator was not used: it was cancelled, or the time ran out\.$/,
      give: () => between("throw new DOMException('', 'NotAllowedError');", confirmed),
    },
    {
      name: 'declined',
      says: /^$/,
      async give() {
        await options.press('presence-deny');
        await closed();
        return options.trouble();
      },
    },
    {
      name: 'a page that is closed while the touch is awaited',
      /** It outlives the page: who comes back is asked again. */
      says: (act) => act.says,
      async give(_request, act) {
        await key.touches(false);
        await options.press('presence-confirm');
        await options.until('document.querySelector(\'[data-act="presence-confirm"]\').disabled');
        await options.close();
        options = await optionsPage(browser, '#policy');
        await show(act.says);
        return options.asked();
      },
      after: () => key.plug(options),
    },
    {
      name: 'one whose time is over',
      says: /^The time for this confirmation is over\. Nothing was done\.$/,
      async give(request) {
        const assertion = await tap(request);
        const worker = await browser.worker(id);
        for (const at of [worker, options]) await at.eval(later(120_000));
        try {
          await options.until('document.querySelector(\'[data-act="presence-confirm"]\') === null');
          t.match(await answer(request, assertion), /^no_request_outstanding/, 'the worker takes no answer to it either');
          const said = await options.trouble();
          await options.press('presence-deny');
          await closed();
          return said;
        } finally {
          for (const at of [worker, options]) await at.eval(later(-120_000));
          await worker.detach();
        }
      },
    },
    {
      name: 'an answer after the connection died',
      says: /^It was not done\. Nothing waits for your confirmation any more\.$/,
      async give(request) {
        const assertion = await tap(request);
        const [host] = world.pids('genkan-host');
        process.kill(host, 'SIGKILL');
        await until(() => !world.pids('genkan-host').includes(host), 'the host is gone');
        const said = await confirmed();
        await spoken(options);
        t.match(await answer(request, assertion), /^no_request_outstanding/, 'nor does the next connection take it');
        return said;
      },
    },
  ];

  /** The same act once more, with the touch that is due. */
  async function works(act) {
    const request = await act.ask();
    const said = await answer(request, await tap(request));
    await act.done();
    await act.undo();
    return said;
  }

  for (const act of ACTS)
    await t.part(act.name, async () => {
      await key.plug(options);
      await act.before?.();
      const unanswered = records();
      const asked = await act.ask();
      t.match(await options.refusal({ type: 'webauthn_presence_confirm', nonce: asked.nonce }), /^software_confirmation_not_allowed/, `${act.name}, a click: is not enough`);
      t.match(await answer({ nonce: 'x'.repeat(43) }, await tap(asked)), /^request_mismatch/, `${act.name}, another nonce: is for nobody`);
      t.equal(records(), unanswered, `${act.name}: no record has changed by a byte`);
      for (const refusal of REFUSALS) {
        const pair = `${act.name}, ${refusal.name}`;
        const before = records();
        const request = await act.ask();
        await show(act.says);
        const said = await refusal.give(request, act);
        if (typeof refusal.says === 'function') t.equal(said, refusal.says(act), `${pair}: the person reads what waits`);
        else t.match(said, refusal.says, `${pair}: the person reads why`);
        t.equal(records(), before, `${pair}: no record has changed by a byte`);
        if (await options.has('presence-deny')) await options.press('presence-deny');
        await closed();
        await refusal.after?.();
        if (!act.once) t.equal(await works(act), 'not refused', `${pair}: and the next try works`);
      }
      if (act.once) t.equal(await works(act), 'not refused', `${act.name}: after all of that a touch works`);
    });

});
t.done();
