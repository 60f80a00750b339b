// run: beside
// A confirmation that nobody gives: after 120 s it is over, for the page, the worker and the host, and
// so is a touch that the browser waits for. It waits two minutes and works for seconds.
import { readFileSync } from 'node:fs';
import { checks, needChromium } from './cdp.mjs';
import { Authenticator, holds, optionsPage, paired, pinned, spoken } from './persons.mjs';
import { inWorld, until } from './world.mjs';

needChromium();
const t = checks();

await inWorld(async (world) => {
  // Two browsers, two hosts, two slots: in the one a touch is awaited, in the other nobody is there.
  const [one, other] = await Promise.all(['chromium', 'chrome'].map((label) => world.browser({ label })));
  const touched = await optionsPage(one, '#policy');
  await spoken(touched);
  await paired(world, touched);
  const key = await new Authenticator().plug(touched);
  await touched.press('webauthn-enroll');
  await until(() => world.trust()?.enrollments.length === 1, 'enrolled');
  const left = await optionsPage(other, '#policy');
  await spoken(left);
  await pinned(left);

  const records = () => readFileSync(world.state('trust.json'), 'latin1');
  const grant = { type: 'grant_policy', overlay: { confirmTabClose: false } };
  const pair = { type: 'pair_client', name: 'x', anchor: { kind: 'hash', value: '0'.repeat(64) } };
  const before = records();
  const show = (page) => page.eval('dispatchEvent(new Event("focus"))');
  const trouble = (page) => page.until('(document.querySelector("dialog.asked [role=alert]")?.innerText.trim() ?? "") !== ""', 150_000).then(() => page.trouble());
  const began = Date.now();

  await t.part('a touch that never comes', async () => {
    await touched.say(grant);
    await show(touched);
    t.equal(await touched.asked(), 'set policy: confirmTabClose=off', 'the request is shown');
    await key.touches(false);
    await touched.press('presence-confirm');
  });

  await t.part('a dialog that nobody answers', async () => {
    const request = await left.say(pair);
    await show(left);
    t.equal(await left.asked(), request.action, 'the request is shown');
    t.match(await trouble(left), /^The time for this confirmation is over\. Nothing was done\.$/, 'the page says that it is over');
    t.ok(Date.now() - began >= 119_000, 'after two minutes and not before', Date.now() - began);
    t.equal(await left.has('presence-confirm'), false, 'and offers nothing to confirm');
    t.match(await left.refusal({ type: 'webauthn_presence_confirm', nonce: request.nonce }), /^no_request_outstanding/, 'an answer finds nothing');
  });

  await t.part('what the browser says of the touch', async () => {
    t.match(await trouble(touched), /^The (authenticator was not used: it was cancelled, or the time ran out|time for this confirmation is over\. Nothing was done)\.$/, 'the page says that nothing was done');
    await touched.until('document.querySelector(\'[data-act="presence-confirm"]\') === null', 15_000);
    t.match(await touched.trouble(), /time for this confirmation is over/, 'and then that it is over');
    t.equal(records(), before, 'no record has changed by a byte');
  });

  await t.part('the next try', async () => {
    await touched.press('presence-deny');
    await key.plug(touched);
    await touched.say(grant);
    await show(touched);
    await touched.answer('confirm');
    t.equal(await touched.trouble(), '', 'a touch is taken again');
    await holds(touched, grant.overlay);
    await left.press('presence-deny');
    const { nonce } = await left.say(pair);
    t.equal(await left.refusal({ type: 'webauthn_presence_confirm', nonce }), 'not refused', 'and so is a click where one is enough');
    t.equal(world.trust().clients.map((c) => c.name), ['x'], 'each for its own act');
  });
});
t.done();
