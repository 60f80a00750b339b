// Who may drive, decided on the options page: a client is paired and revoked there, and the switch
// released, each behind what a person does in a browser that a person started.
import { checks, needChromium, sleep } from './cdp.mjs';
import { killed, optionsPage, ownImage, spoken } from './persons.mjs';
import { attached, call, inWorld, json, refused, until } from './world.mjs';

needChromium();
const t = checks();

await inWorld(async (world) => {
  const value = await ownImage();
  let client = await world.client();
  const second = await world.client();
  const browser = await world.browser();
  await attached(client);
  const options = await optionsPage(browser);
  const { say: ask, refusal: refusedOf } = options;
  const anchor = { kind: 'hash', value };

  const pair = async (name, hash) => {
    const { nonce } = await ask({ type: 'pair_client', name, anchor: { kind: 'hash', value: hash } });
    await ask({ type: 'webauthn_presence_confirm', nonce });
  };

  await t.part('pair a client', async () => {
    t.equal(await ask({ type: 'get_clients' }), { enrolled: false, clients: [] }, 'a fresh machine has no list');
    const request = await ask({ type: 'pair_client', name: 'desk', anchor });
    t.equal([request.action, request.allowedCredentialIds], [`trust client desk (hash ${value})`, []], 'the host says what a click would grant');
    t.equal(world.trust()?.clients ?? null, null, 'and has granted nothing yet');
    t.equal(await refusedOf({ type: 'webauthn_presence_confirm', nonce: 'another' }), 'request_mismatch', 'a click for another request is refused');
    await ask({ type: 'webauthn_presence_confirm', nonce: request.nonce });
    t.equal(world.trust().clients.map((c) => [c.name, c.anchor]), [['desk', anchor]], 'the click pairs the client');
    t.match(await refusedOf({ type: 'webauthn_presence_confirm', nonce: request.nonce }), /no_request_outstanding/, 'one click pays for one act');
    const { enrolled, clients } = await ask({ type: 'get_clients' });
    t.equal([enrolled, clients.map((c) => c.name)], [true, ['desk']], 'the list shows it');
    t.ok(Array.isArray(json(await call(client, 'tab_list'))), 'the client, which runs already, is still served');
  });

  await t.part('revoke a client', async () => {
    await pair('other', '0'.repeat(64));
    t.match(await refusedOf({ type: 'revoke_client', name: 'nobody' }), /no client is paired under that name/, 'a name that is not there is refused');
    const broker = world.lock().pid === client.pid ? client : second;
    const relay = broker === client ? second : client;
    t.equal(world.lock().pid, broker.pid, 'one of the two servers is the broker, the other a relay');
    await options.send('Page.reload');
    await options.until('document.querySelector(\'[data-act="client-revoke"][data-name="desk"]\') !== null');
    const asking = call(relay, 'tab_open', { url: 'http://127.0.0.1:9/' }).then(() => 'answered', (e) => e.message);
    await sleep(300);
    await options.press('client-revoke', '[data-name="desk"]');
    const began = Date.now();
    t.match(await asking, /closed/i, 'a call under way through the relay ends with its connection');
    await until(() => !world.pids('genkan-server').includes(relay.pid), 'the relay ends');
    t.ok(Date.now() - began <= 1_500, 'within a second, by itself', Date.now() - began);
    t.match(await call(broker, 'tab_list').then(() => 'answered', (e) => e.message), /closed/i, 'at the broker the next call is the last');
    await until(() => world.pids('genkan-server').length === 0, 'the broker ends');
    t.equal(await options.eval('document.querySelector("dialog.asked")'), null, 'revoking asks for nothing');
    t.equal(world.trust().clients.map((c) => c.name), ['other'], 'the record holds the other one alone');
    t.match(await world.client().then(() => 'connected', (e) => e.message), /closed/i, 'and the client cannot start another');
  });

  await t.part('the list is empty', async () => {
    await spoken(options);
    t.equal(await ask({ type: 'revoke_client', name: 'other' }), null, 'the last one is revoked');
    t.equal(world.trust().clients, [], 'an empty list stays');
    t.match(await world.client().then(() => 'connected', (e) => e.message), /closed/i, 'nobody is admitted under it');
    await pair('desk', value);
    client = await world.client();
    await attached(client);
    t.ok(Array.isArray(json(await call(client, 'tab_list'))), 'paired again, the client is served again');
  });

  await t.part('release the switch', async () => {
    const before = world.pids('genkan-host');
    t.equal((await ask({ type: 'set_kill', on: true })).latched, true, 'engaged from the page');
    await until(async () => (await refused(client, 'tab_list'))[0] === 'BRIDGE_KILLED', 'calls are told');
    await until(() => !world.pids('genkan-host').some((pid) => before.includes(pid)), 'the host of the severed leg ends');
    await until(async () => (await ask({ type: 'get_status' })).port.state === 'up' && (await refusedOf({ type: 'get_clients' })) === 'not refused', 'the host that holds the latch');
    const began = await ask({ type: 'kill_release' });
    t.equal([began.state, began.request?.action], ['presence', 'release the kill switch'], 'the host says what a click would do');
    t.equal(world.trust().killed, true, 'and has released nothing yet');
    await ask({ type: 'set_kill', on: true });
    t.match(await refusedOf({ type: 'webauthn_presence_confirm', nonce: began.request.nonce }), /no_request_outstanding/, 'an engage in between takes the request away');
    t.equal(world.trust().killed, true, 'and the switch stays');
    const { request } = await ask({ type: 'kill_release' });
    await ask({ type: 'webauthn_presence_confirm', nonce: request.nonce });
    t.equal(world.trust().killed, false, 'the click releases it');
    t.ok(Array.isArray(json(await call(client, 'tab_list'))), 'and calls are served, in the same browser');
  });
});
t.done();
