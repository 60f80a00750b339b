// Records that a program keeps: what its functions may do, and what comes of it
// where they do something else.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { World, genkan, packageDir } from './world.mjs';

const { Context, machines } = genkan;
const url = pathToFileURL(path.join(packageDir, 'index.mjs')).href;
const secret = '5e'.repeat(16), own = 'ab'.repeat(32), other = 'cd'.repeat(32);
let world;
beforeEach(() => { world = new World(); });
afterEach(() => world.close());

const trust = (...hashes) => Buffer.from(JSON.stringify({ version: 0, epoch: 1,
  killed: false, kill_epoch: 0, host_key_epoch: 0, policy_epoch: 0,
  lang_epoch: 0, enrollments: [], clients: hashes.map((value, i) => ({
    name: `c${i}`, anchor: { kind: 'hash', value }, added_unix: 0 })) }));

/** Records in an object. */
class Memory {
  asked = [];
  lines = [];
  records = { trust: trust(own) };

  load(record) {
    this.asked.push(record);
    return this.records[record] ?? null;
  }

  audit(line) { this.lines.push(JSON.parse(line)); }
}

class Counted extends Memory {
  number = 1;
  fails = null;

  version(record) {
    if (this.fails?.name === 'version') return this.fails.does();
    return this.records[record] === undefined ? null : this.number;
  }

  load(record) {
    return this.fails?.name === 'load' ? this.fails.does() :
      super.load(record);
  }
}

/** May a program with this image attach? */
function admitted(broker, hash = own) {
  const leg = broker.accept({ hash, sameUser: true });
  const may = leg.wants !== machines.WANT.CLOSE;
  leg.close();
  return may;
}

const recent = (lines) => Math.abs(lines.at(-1).ts_ms - Date.now()) < 600000;

test('a broker over records of one\'s own', () => {
  const store = new Memory();
  const broker = new machines.Broker({ secret, store });
  assert.deepEqual([admitted(broker), admitted(broker, other)], [true, false]);
  store.records.trust = new Uint8Array(trust(other));
  assert.deepEqual([admitted(broker), admitted(broker, other)], [false, true]);
  delete store.records.trust;
  assert.equal(admitted(broker, other), false);
  broker.close();
  assert.ok(store.asked.includes('trust'));
  assert.ok(store.lines.some((line) => line.kind === 'attach_refuse'));
  assert.ok(recent(store.lines));
  assert.equal(existsSync(path.join(world.home, '.local')), false);
});

test('a server over records of one\'s own', () => {
  const store = new Memory();
  const server = new machines.Server({ store });
  assert.equal(server.next().kind, 'job');
  server.close();
  assert.ok(store.asked.includes('trust'));
});

test('a version saves the loading', () => {
  const store = new Counted();
  const broker = new machines.Broker({ secret, store });
  assert.equal(admitted(broker), true);
  const before = store.asked.length;
  assert.equal(admitted(broker), true);
  assert.equal(store.asked.length, before);
  store.records.trust = trust(other);
  store.number = Number.MAX_SAFE_INTEGER;
  assert.deepEqual([admitted(broker), admitted(broker, other)], [false, true]);
  assert.ok(store.asked.length > before);
  broker.close();
});

const boom = () => { throw new Error('boom'); };
const cases = [['load', boom, /boom/], ['load', () => 'text', TypeError],
  ['load', () => Promise.resolve(trust(own)), TypeError],
  ['load', () => 7, TypeError], ['load', () => [trust(own), 1], TypeError],
  ['load', () => new Uint16Array(4), TypeError], ['version', boom, /boom/],
  ['load', () => { throw undefined; }, (e) => e === undefined],
  ['version', () => '1', TypeError], ['version', () => 1n, TypeError],
  ['version', () => -1, RangeError], ['version', () => 1.5, RangeError],
  ['version', () => NaN, RangeError], ['version', () => 2 ** 53, RangeError]];
for (const verb of ['next', 'tick']) {
  for (const [name, does, kind] of cases) {
    test(`${name}: ${does} admits nobody and is thrown by ${verb}`, () => {
      const store = new Counted();
      const broker = new machines.Broker({ secret, store });
      assert.equal(admitted(broker), true);
      store.fails = { name, does };
      store.number = 2;
      assert.equal(admitted(broker), false);
      if (kind.test === undefined && kind.prototype === undefined) {
        // What is thrown need be no Error, which assert.throws() asks for.
        try {
          broker[verb]();
          assert.fail('nothing was thrown');
        } catch (e) {
          assert.ok(kind(e));
        }
      } else {
        assert.throws(() => broker[verb](), kind);
      }
      store.fails = null;
      store.number = 3;
      if (verb === 'tick') assert.equal(broker.next(), null);	// once
      assert.equal(admitted(broker), true);
      broker.close();
    });
  }
}

test('a trail that fails is thrown too', () => {
  for (const name of ['audit', 'unixMs']) {
    const store = new Counted();
    store[name] = boom;
    const broker = new machines.Broker({ secret, store });
    assert.equal(admitted(broker, other), false);	// which is written down
    assert.throws(() => broker.next(), /boom/);
    assert.equal(admitted(broker), true);
    broker.close();
    if (name === 'unixMs') assert.ok(recent(store.lines));
  }
});

test('a store may not use its context, and may close its broker', () => {
  const store = new Counted();
  const context = new Context();
  const broker = new machines.Broker({ secret, store, context });
  const seen = new Set();
  let tried = 0;
  store.fails = { name: 'load', does: () => {
    for (const use of [() => broker.clients, () => broker.next(),
      () => broker.tick(), () => broker.deadline, () => context.lastError,
      () => context.setTime(), () => admitted(broker)]) {
      try { tried++; use(); } catch (e) { seen.add(e.code); }
    }
    return trust(own);
  } };
  assert.equal(admitted(broker), true);
  assert.equal(tried, 7);
  assert.deepEqual([...seen], ['wrong-state']);
  store.fails.does = () => broker.tick();
  store.number = 2;
  assert.equal(admitted(broker), false);
  assert.throws(() => broker.next(), { code: 'wrong-state' });
  store.number = 3;
  store.fails.does = () => { broker.close(); context.close(); };
  const leg = broker.accept({ hash: own, sameUser: true });
  assert.equal(leg.wants, machines.WANT.CLOSE);
  leg.close();
  assert.throws(() => broker.next(), { code: 'closed' });
});

test('what a callback takes away in the middle was copied', () => {
  let lent = null, taken = 0;
  const take = () => {
    if (lent === null || lent.byteLength === 0) return;
    structuredClone(lent.buffer, { transfer: [lent.buffer] });
    taken++;
  };
  const context = new Context({ logLevel: 3, log: take });
  const broker = new machines.Broker({ secret, store: new Counted(), context });
  const client = new machines.ClientMachine({ context });
  const here = client.join(secret);
  const there = broker.accept({ hash: own, sameUser: true });
  for (let moved = true; moved;) {
    moved = false;
    for (const [from, to] of [[here, there], [there, here]]) {
      const data = from.output();
      if (data === null) continue;
      lent = new Uint8Array(data);		// with a buffer of its own
      assert.equal(to.feed(lent), data.length);
      from.wrote(data.length);
      moved = true;
    }
  }
  assert.equal(broker.clients, 1);
  assert.ok(taken > 0);
  for (const h of [here, there, client, broker]) h.close();
});

test('what nobody asked for is a warning', async () => {
  const store = new Counted();
  const broker = new machines.Broker({ secret, store });
  store.fails = { name: 'load', does: boom };
  store.number = 2;
  assert.equal(admitted(broker), false);
  const said = new Promise((resolve) => {
    process.on('warning', function heard(e) {
      if (e.message !== 'boom') return;
      process.off('warning', heard);
      resolve();
    });
  });
  broker.close();
  await said;
});

test('a machine that could not be made', () => {
  for (const store of [{}, { load: 5 }, { load: boom, version: 7 }, 'x']) {
    assert.throws(() => new machines.Broker({ secret, store }), TypeError);
  }
  assert.throws(() => new machines.Broker({ secret: 'none',
    store: new Memory() }), { code: 'invalid-argument' });
  assert.deepEqual(readdirSync(world.home), []);
});

test('a store is let go with its machine, but for one that refers to it', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath,
    ['--expose-gc', '--input-type=module', '-e', `
      import { setImmediate as turn } from 'node:timers/promises';
      import { machines } from ${JSON.stringify(url)};
      const gone = [];
      const registry = new FinalizationRegistry((name) => gone.push(name));
      const make = (name, refers, closes) => {
        const store = { load: () => null };
        const broker = new machines.Broker({ secret: '5e'.repeat(16), store });
        if (refers) store.broker = broker;
        registry.register(store, name);
        if (closes) broker.close();
      };
      make('plain', false, false);
      make('closed', true, true);
      make('left', true, false);
      for (let i = 0; i < 100; i++) {
        gc();
        await turn();
      }
      console.log(gone.sort().join());`], { timeout: 30000 });
  assert.deepEqual([status, stdout.toString(), stderr.toString()],
    [0, 'closed,plain\n', '']);
});
