// An argument that is none is refused by name, and nothing has happened.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { World, genkan, programDir } from './world.mjs';

const { Client, Context, machines, native, policy, queryPeer, local, trust,
  webauthn } = genkan;
const secret = '5e'.repeat(16), hash = 'ab'.repeat(32);
const key = Buffer.from('04' +
  '6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296' +
  '4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5', 'hex');
let world;
beforeEach(() => { world = new World(); });
afterEach(() => world.close());

// What is given in the place of a value of each kind.  undefined and null are
// left out where they stand for "none given".
const object = {}, fn = () => {};
const TEXT = [5, NaN, true, 5n, Symbol('x'), [], object, fn, 'a\0b'];
const NEEDED = [...TEXT, undefined, null];
const BYTES = ['text', 5, undefined, null, [1], object, fn,
  new Uint16Array(2), new ArrayBuffer(2)];
const FUNCTION = ['text', 5, [], object];
const NOT_INT = ['5', 1.5, NaN, Infinity, 2 ** 60, true, 5n, [], object, fn,
  null];
const COUNT = [...NOT_INT, -1];
const WORD = [...COUNT, 2 ** 32];
const INT = [...NOT_INT, 2 ** 31];
const CONTEXT = ['text', 5, true, [], object, new native.Decoder()];
const CREDENTIAL = ['x', 5, undefined, null, object, new native.Decoder()];

const credential = () => new webauthn.Credential({ id: Buffer.alloc(32),
  publicKey: key });
const machine = () => new machines.ClientMachine({ programDir: '/nonexistent' });
const store = { load: () => null };
const leg = () => new machines.Broker({ secret, store }).accept(
  { hash, sameUser: true });
const party = (options) => new webauthn.RelyingParty(options);
const none = Buffer.alloc(0);
const answer = { challenge: 'c', authenticatorData: none, clientDataJSON: none,
  signature: none };
const registration = { challenge: 'c', attestationObject: none,
  clientDataJSON: none };
const closed = new Client({ programDir: '/nonexistent' });

// What is called, the argument that is wrong, and its wrong values.
const TABLE = [
  [(v) => new Context({ log: v }), 'log', FUNCTION],
  [(v) => new Context({ random: v }), 'random', FUNCTION],
  [(v) => new Context({ logLevel: v }), 'logLevel', INT],
  [(v) => new Context({ programDir: v }), 'programDir', TEXT],
  [(v) => new Context().setTime(v), 'ms', NOT_INT],
  [(v) => genkan.errorName(v), 'number', NOT_INT],
  [(v) => native.header(v), 'length', COUNT],
  [(v) => native.header(5, v), 'max', WORD],
  [(v) => native.encode(v), 'bytes', BYTES],
  [(v) => native.encode(none, v), 'max', WORD],
  [(v) => new native.Decoder({ max: v }), 'max', WORD],
  [(v) => new native.Decoder({ context: v }), 'context', CONTEXT],
  [(v) => new native.Decoder().feed(v), 'bytes', BYTES],
  [(v) => queryPeer(v, '/nonexistent'), 'fd', INT],
  [(v) => queryPeer(0, v), 'dir', TEXT],
  [(v) => queryPeer(0, '/nonexistent', v), 'context', CONTEXT],
  [(v) => new machines.Broker({ secret: v }), 'secret', TEXT],
  [(v) => new machines.Broker({ secret, context: v }), 'context', CONTEXT],
  [(v) => new machines.Broker({ secret, store: { load: v } }), 'store.load',
    [...FUNCTION, null]],
  [(v) => new machines.Broker({ secret, store: { ...store, audit: v } }),
    'store.audit', FUNCTION],
  [(v) => new machines.Broker({ secret, store }).accept({ hash, sameUser: v }),
    'sameUser', [undefined, null, 1, 'yes']],
  [(v) => new machines.Broker({ secret, store }).accept({ hash, sameUser: true,
    roles: v }), 'roles', INT],
  [(v) => new machines.Broker({ secret, store }).accept({ hash, sameUser: true,
    pid: v }), 'pid', NOT_INT],
  [(v) => new machines.Broker({ secret, store }).accept({ hash: v,
    sameUser: true }), 'hash', TEXT],
  [(v) => new machines.Broker({ secret, store }).accept({ hash, path: v,
    sameUser: true }), 'path', TEXT],
  [(v) => new machines.Server({ clientName: v }), 'clientName', TEXT],
  [(v) => new machines.Host({ argv: v }), 'argv', ['--label', 5, null, [5],
    ['a\0'], [undefined], Array(7).fill('x')]],
  [(v) => leg().feed(v), 'bytes', BYTES],
  [(v) => leg().gather(v), 'most', [...COUNT, 2 ** 40]],
  [(v) => leg().wrote(v), 'n', [...COUNT, undefined]],
  [(v) => leg().tick(v), 'ms', NOT_INT],
  [(v) => machine().tick(v), 'ms', NOT_INT],
  [(v) => new machines.ClientMachine({ programDir: v }), 'programDir', TEXT],
  [(v) => machine().join(v), 'secret', TEXT],
  [(v) => machine().call(v, '{}', 0), 'tool', TEXT],
  [(v) => machine().call('t', v, 0), 'args', TEXT],
  [(v) => machine().call('t', '{}', v), 'timeout', NOT_INT],
  [(v) => machine().cancel(v), 'id', NOT_INT],
  [(v) => closed.call(v), 'tool', NEEDED],
  [(v) => closed.call('t', v), 'args', [null, 5, 'x', [], fn,
    Promise.resolve({}), { n: 5n }, (() => {
      const ring = {};
      ring.ring = ring;
      return ring;
    })()]],
  [(v) => closed.call('t', {}, { timeout: v }), 'timeout', [NaN, Infinity,
    '5', null, 5n, object, 2 ** 60]],
  [(v) => closed.call('t', {}, { signal: v }), 'signal', [5, 'x', object, fn]],
  [(v) => closed.call('t', {}, { onProgress: v }), 'onProgress', FUNCTION],
  [(v) => closed.tools({ signal: v }), 'signal', [5, 'x', object, fn]],
  [(v) => closed.attach({ signal: v }), 'signal', [5, 'x', object, fn]],
  [(v) => Client.connect({ programDir: v }), 'programDir', TEXT],
  [(v) => trust.audit({ limit: v }), 'limit', COUNT],
  [(v) => trust.pair({ name: v, hash }), 'name', NEEDED],
  [(v) => trust.pair({ name: 'x', hash: v }), 'hash', TEXT],
  [(v) => trust.pair({ name: 'x', signer: v }), 'signer', TEXT],
  [(v) => trust.revoke(v), 'name', NEEDED],
  [(v) => trust.revokeBrowser(v), 'label', NEEDED],
  [(v) => policy.set(v), 'fields', [undefined, null, 5, 'x']],
  [(v) => policy.set({ cdpMode: v }), 'cdpMode', TEXT],
  [(v) => policy.restrict({ cdpMode: v }), 'cdpMode', TEXT],
  [(v) => policy.rollback({ revision: v }), 'revision', [...COUNT, undefined]],
  [(v) => policy.rollback({ revision: 1, entry: v }), 'entry', TEXT],
  [(v) => policy.setLanguage(v), 'value', NEEDED],
  [(v) => local.register({ browsers: v }), 'browsers', ['chrome', 5, [5],
    object, ['a\0']]],
  [(v) => local.register({ dir: v }), 'dir', TEXT],
  [(v) => local.register({ programDir: v }), 'programDir', TEXT],
  [(v) => local.unregister({ dir: v }), 'dir', TEXT],
  [(v) => local.doctor({ programDir: v }), 'programDir', TEXT],
  [(v) => new webauthn.Credential({ id: v, publicKey: key }), 'id', BYTES],
  [(v) => new webauthn.Credential({ id: Buffer.alloc(32), publicKey: v }),
    'publicKey', BYTES],
  [(v) => new webauthn.Credential({ id: Buffer.alloc(32), publicKey: key,
    signCount: v }), 'signCount', WORD],
  [(v) => credential().counted(v), 'signCount', [...WORD, undefined]],
  [(v) => party({ context: v }), 'context', CONTEXT],
  [(v) => party({ id: v }).register(registration), 'id', TEXT],
  [(v) => party({ origin: v }).register(registration), 'origin', TEXT],
  [(v) => party().register({ ...registration, challenge: v }), 'challenge',
    TEXT],
  [(v) => party().register({ ...registration, attestationObject: v }),
    'attestationObject', BYTES],
  [(v) => party().register({ ...registration, clientDataJSON: v }),
    'clientDataJSON', BYTES],
  [(v) => party().check({ ...answer, credential: v }), 'credential',
    CREDENTIAL],
  ...['authenticatorData', 'clientDataJSON', 'signature'].map((name) =>
    [(v) => party().check({ ...answer, credential: credential(), [name]: v }),
      name, BYTES]),
  [(v) => party().check({ ...answer, credential: credential(), challenge: v }),
    'challenge', TEXT],
  [(v) => webauthn.parseAuthenticatorData(v), 'bytes', BYTES],
  [(v) => webauthn.parseAttestationObject(v), 'bytes', BYTES],
  ...['action', 'nonce', 'label'].map((name) =>
    [(v) => webauthn.statementChallenge({ action: 'a', nonce: 'n', [name]: v }),
      name, TEXT]),
];

const show = (v) => (typeof v === 'object' ? Object.prototype.toString.call(v) :
  String(v));

for (const [i, [use, name, values]] of TABLE.entries()) {
  test(`a wrong argument is named: ${name}, ${i}`, async () => {
    for (const value of values) {
      let thrown;
      try {
        await use(value);
      } catch (e) {
        thrown = e;
      }
      assert.ok(thrown instanceof TypeError || thrown?.code ===
        'invalid-argument', `${show(value)}: ${thrown}`);
      assert.ok(thrown.message.startsWith(`${name}: `),
        `${show(value)}: ${thrown}`);
    }
    const state = path.join(world.home, '.local/state/genkan');
    for (const record of ['trust.json', 'policy.json']) {
      assert.equal(existsSync(path.join(state, record)), false);
    }
  });
}

test('the last numbers of a range are taken', () => {
  credential().counted(2 ** 32 - 1);
  assert.deepEqual(native.header(5, 2 ** 32 - 1), native.header(5));
  leg().wrote(Number.MAX_SAFE_INTEGER);
  assert.equal(machine().cancel(Number.MAX_SAFE_INTEGER), false);
  assert.equal(genkan.errorName(2 ** 40), 'unknown');
});

test('a client checks before it asks anybody', async () => {
  const { browser } = await world.chain({ tab_list: () => [] });
  const client = await Client.connect({ programDir, signal: null });
  for (const args of [[5], ['tab_list', 5], ['tab_list', {}, { timeout: NaN }],
    ['tab_list', {}, { signal: {} }], ['tab_list', {}, { onProgress: 5 }]]) {
    await assert.rejects(client.call(...args), TypeError);
  }
  assert.equal(client.outstanding, 0);
  assert.deepEqual(await client.call('tab_list', undefined, { signal: null,
    onProgress: null, timeout: 5000.5 }), []);
  client.close();
  assert.equal(browser.requests.length, 1);
});
