// What is no proof: another key, an answer of before, an old counter, another origin, a click where a
// tap is due, a touch that never comes, a page or a connection that is gone. Each leaves all as it was.
import { checks, needChromium } from './cdp.mjs';
import { pages } from './fixtures.mjs';
import { Authenticator, killed, optionsPage, paired, spoken } from './persons.mjs';
import { call, confirmation, inWorld, json, onSite, press, site, until } from './world.mjs';

needChromium();
const t = checks();

await inWorld(async (world) => {
  const web = await site(pages);
  const { client, browser, tabId } = await onSite(world, web);
  let options = await optionsPage(browser, '#policy');
  await paired(world, options);
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

  /** Everything that is no proof, for one act; `untouched` is what the act would have changed. */
  async function noProof(name, begin, untouched) {
    const still = JSON.stringify(await untouched());
    const refusedBy = async (pattern, sentence, make) => {
      const request = await begin();
      const reason = await make(request);
      t.match(reason, pattern, `${name}: ${sentence}`);
      t.equal(JSON.stringify(await untouched()), still, `${name}: and nothing has changed`);
    };
    await key.plug(options, { privateKey });
    await refusedBy(/^signature_invalid/, 'another key under the right id', async (r) => answer(r, await tap(r)));
    await key.plug(options, { signCount: 1 });
    await refusedBy(/^sign_count_not_increased/, 'a copy of the authenticator that lags behind', async (r) => answer(r, await tap(r)));
    await key.plug(options);
    await refusedBy(/^sign_count_not_increased/, 'an answer that was taken before', (r) => answer(r, taken));
    await refusedBy(/^challenge_mismatch/, 'a fresh answer to a request before this one', async (r) => {
      const assertion = await tap(r);
      return answer(await begin(), assertion);
    });
    await refusedBy(/^origin_mismatch/, 'client data of another origin', async (r) => {
      const assertion = await tap(r);
      const said = JSON.parse(Buffer.from(assertion.clientDataJson, 'base64url').toString());
      return answer(r, { ...assertion, clientDataJson: Buffer.from(JSON.stringify({ ...said, origin: 'https://evil.example' })).toString('base64url') });
    });
    await refusedBy(/^software_confirmation_not_allowed/, 'a click', ({ nonce }) => options.refusal({ type: 'webauthn_presence_confirm', nonce }));
    await refusedBy(/^(request_mismatch|no_request_outstanding)/, 'another nonce', async (r) => answer({ nonce: 'x'.repeat(43) }, await tap(r)));
    await refusedBy(/^(no_request_outstanding|not-connected|post-failed|detached)$/, 'an answer after the connection died', async (r) => {
      const assertion = await tap(r);
      const [host] = world.pids('genkan-host');
      process.kill(host, 'SIGKILL');
      await until(() => !world.pids('genkan-host').includes(host), 'the host is gone');
      const late = await answer(r, assertion);
      await spoken(options);
      t.match(await answer(r, assertion), /^(no_request_outstanding|request_mismatch)/, `${name}: nor by the next connection`);
      return late;
    });
  }

  const effective = (field) => until(async () => (await policy()).effective, 'the policy').then((fields) => fields[field]);

  await t.part('a grant', () => noProof('grant', ask, () => effective('confirmTabClose')));

  await t.part('a client', () =>
    noProof('pair', () => options.say({ type: 'pair_client', name: 'x', anchor: { kind: 'hash', value: '0'.repeat(64) } }), () => world.trust().clients));

  await t.part('another credential', () =>
    noProof('enroll', async () => (await options.say({ type: 'webauthn_enroll_begin' })).request, () => world.trust().enrollments.map((e) => e.credential.id)));

  await t.part('a rollback that loosens', async () => {
    await options.say({ type: 'restrict_policy', overlay: { confirmGraceMs: 1000 } });
    await until(async () => (await effective('confirmGraceMs')) === 1000, 'the restriction');
    await noProof('roll back', () => options.say({ type: 'rollback_policy', revision: 1 }), () => effective('confirmGraceMs'));
  });

  await t.part('a release', async () => {
    await killed(world, options, () => options.say({ type: 'set_kill', on: true }));
    await noProof('release', async () => (await options.say({ type: 'kill_release' })).request, () => world.trust().killed);
    const { request } = await options.say({ type: 'kill_release' });
    t.equal([await answer(request, await tap(request)), world.trust().killed], ['not refused', false], 'release: a genuine tap, after all of that, is taken');
    await call(client, 'page_text', { tabId });
  });

  await t.part('declined', async () => {
    await ask();
    await options.send('Page.reload');
    t.equal(await options.asked(), 'set policy: confirmTabClose=off', 'the request is shown');
    await options.answer('deny');
    await until(() => options.eval('document.querySelector("dialog.asked") === null'), 'the dialog closes');
    await nothingGranted('declining grants nothing');
  });

  await t.part('closed page', async () => {
    await ask();
    await options.close();
    options = await optionsPage(browser, '#policy');
    t.equal(await options.asked(), 'set policy: confirmTabClose=off', 'a request outlives the page, and is asked for again');
    await nothingGranted('closing the page grants nothing');
    await options.answer('deny');
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
});
t.done();
