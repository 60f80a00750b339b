// What is freed, closed, dropped, aborted or left at the wrong moment has an
// outcome.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { World, genkan, packageDir, programDir, until } from './world.mjs';

const { Client, Context, machines, native, webauthn } = genkan;
const secret = '5e'.repeat(16), own = 'ab'.repeat(32);
const url = pathToFileURL(path.join(packageDir, 'index.mjs')).href;
const connect = (options) => Client.connect({ programDir, ...options });
let world;
beforeEach(() => { world = new World(); });
afterEach(() => world.close());

/** One of everything that hangs together, by name. */
function joined() {
  world.trust([['script', own]]);
  const context = new Context();
  const broker = new machines.Broker({ secret, context });
  const caller = new machines.ClientMachine({ context });
  const here = caller.join(secret);
  const there = broker.accept({ hash: own, sameUser: true });
  for (let i = 0; i < 4; i++) {
    const [a, b] = i % 2 === 0 ? [there, here] : [here, there];
    const data = a.output();
    b.feed(data);
    a.wrote(data.length);
  }
  assert.equal(broker.clients, 1);
  caller.call('list_browsers', '{}', 1000);
  const server = new machines.Server({ context });
  const stdio = server.stdio();
  const { job } = server.next();
  return { context, broker, caller, here, there, server, stdio, job };
}

/** Every verb and getter of a handle. */
function uses(handle) {
  const found = [];
  for (let p = Object.getPrototypeOf(handle); p !== genkan.Handle.prototype &&
      p !== Object.prototype; p = Object.getPrototypeOf(p)) {
    for (const [name, d] of Object.entries(
      Object.getOwnPropertyDescriptors(p))) {
      if (name === 'constructor' || name === 'close') continue;
      // Arguments that fit any of them.
      const args = { feed: [Buffer.alloc(1)], wrote: [0],
        accept: [{ sameUser: true, hash: own }], join: [secret],
        call: ['tab_list', '{}', 0], cancel: [1], counted: [9] }[name] ?? [];
      found.push([name, d.get !== undefined ? () => handle[name] :
        () => handle[name](...args)]);
    }
  }
  return found;
}

test('handles are closed in any order, and the others go on', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const all = joined();
    let r = seed;
    const names = Object.keys(all).map((name) => {
      r = (r * 48271) % 2147483647;
      return [r, name];
    }).sort(([a], [b]) => a - b).map(([, name]) => name);
    const open = new Set(names);
    for (const name of names) {
      all[name].close();
      open.delete(name);
      const verbs = uses(all[name]);
      assert.ok(verbs.length >= 2, name);
      for (const [verb, use] of verbs) {
        assert.throws(use, { code: 'closed' }, `${name}.${verb}`);
      }
      for (const other of open) {
        if (other === 'job') continue;
        for (const [verb, use] of uses(all[other])) {
          if (verb === 'join' || verb === 'attach' || verb === 'accept') {
            continue;
          }
          try {
            const made = use();
            made?.job?.close();
          } catch (e) {
            assert.ok(e.code !== 'closed', `${other}.${verb}: ${e}`);
          }
        }
      }
    }
  }
});

test('every handle refuses what comes after its end', () => {
  const rp = new webauthn.RelyingParty();
  const decoder = new native.Decoder();
  decoder.close();
  for (const [, use] of uses(decoder)) assert.throws(use, { code: 'closed' });
  const context = new Context();
  const closed = new webauthn.RelyingParty({ context });
  context.close();
  assert.throws(() => closed.challenge(), { code: 'closed' });
  assert.throws(() => new machines.Broker({ secret, context }),
    { code: 'closed' });
  assert.equal(rp.challenge().length, 43);
});

test('ten thousand outstanding, and then closed', async () => {
  const { browser } = await world.chain({ tab_focus: () => undefined });
  const client = await connect();
  const calls = Array.from({ length: 10000 }, (_, i) =>
    client.call('tab_focus', { tabId: i }));
  const ends = Promise.allSettled(calls);
  assert.equal(client.outstanding, 10000);
  await assert.rejects(client.call('tab_focus', { tabId: 1 }),
    { code: 'limit' });
  await until(() => browser.requests.length > 0, 'the first request');
  client.close();
  assert.equal(client.outstanding, 0);
  const codes = (await ends).map((end) => end.reason?.code);
  assert.deepEqual([...new Set(codes)], ['closed']);
});

test('a signal before, after and beside the end of a call', async () => {
  const { browser } = await world.chain({ tab_list: () => [],
    tab_focus: () => undefined });
  const client = await connect();
  // Before: nothing is sent.
  const reason = new Error('no');
  await assert.rejects(client.call('tab_focus', { tabId: 1 },
    { signal: AbortSignal.abort(reason) }), reason);
  await assert.rejects(client.tools({ signal: AbortSignal.abort(reason) }),
    reason);
  await assert.rejects(client.attach({ signal: AbortSignal.abort(reason) }),
    reason);
  assert.equal(client.attached, true);
  // After: nothing happens any more, and nobody listens.
  const stop = new AbortController();
  assert.deepEqual(await client.call('tab_list', {}, { signal: stop.signal }),
    []);
  stop.abort(reason);
  assert.deepEqual(await client.call('tab_list'), []);
  assert.deepEqual(browser.cancels, []);
  assert.equal(browser.requests.some((r) => r.op === 'tab_focus'), false);
  // Many on one signal, each told once; in a listener of the user's, too.
  const all = new AbortController(), warnings = [];
  const heard = (e) => warnings.push(e.name);
  process.on('warning', heard);
  const calls = Array.from({ length: 300 }, (_, i) => client.call('tab_focus',
    { tabId: i }, { signal: all.signal }));
  const ends = Promise.allSettled(calls);
  await until(() => browser.requests.some((r) => r.op === 'tab_focus'),
    'the first of them');
  all.signal.addEventListener('abort', () => all.abort());
  all.abort(reason);
  assert.deepEqual([...new Set((await ends).map((e) => e.reason))], [reason]);
  assert.equal(client.outstanding, 0);
  assert.deepEqual(await client.call('tab_list'), []);
  process.off('warning', heard);
  assert.deepEqual(warnings, []);
  // After close(): already rejected.
  const late = new AbortController();
  const call = client.call('tab_focus', {}, { signal: late.signal });
  client.close();
  late.abort(reason);
  await assert.rejects(call, { code: 'closed' });
});

test('attaching that is given up closes, and one that is done does not',
  async () => {
    await world.chain({ tab_list: () => [] });
    const stop = new AbortController();
    const client = await connect({ signal: stop.signal });
    stop.abort();
    assert.deepEqual(await client.call('tab_list'), []);
    client.close();
    const second = new Client({ programDir });
    const other = new AbortController();
    const attach = second.attach({ signal: other.signal });
    await assert.rejects(second.attach(), { code: 'wrong-state' });
    other.abort(new Error('enough'));
    await assert.rejects(attach, /enough/);
    await assert.rejects(second.attach(), { code: 'closed' });
  });

test('what throws in a handler is a warning and hurts nobody', async () => {
  const said = [];
  const heard = (e) => said.push(e.message ?? String(e));
  process.on('warning', heard);
  try {
    const { browser } = await world.chain({ tab_list: () => [] });
    const client = await connect({ context: new Context({ logLevel: 3,
      log: () => { throw new Error('log'); } }) });
    assert.deepEqual(await client.call('tab_list', {},
      { onProgress: () => { throw new Error('progress'); } }), []);
    assert.equal(browser.requests.length, 1);
    client.close();
    await until(() => said.includes('log'), 'the warning');
  } finally {
    process.off('warning', heard);
  }
});

/** Runs a program beside this one, in which its browser is. */
const run = (code) => new Promise((resolve) => {
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module',
    '-e', `
    import { Client, trust } from ${JSON.stringify(url)};
    const programDir = ${JSON.stringify(programDir)};
    ${code}`], { timeout: 60000 });
  const said = { stdout: '', stderr: '' };
  for (const pipe of ['stdout', 'stderr']) {
    child[pipe].on('data', (data) => { said[pipe] += data; });
  }
  child.on('close', (status, signal) => resolve({ status, signal, ...said }));
});

test('a program ends where nothing is waited for', async () => {
  await world.chain({ tab_list: () => [], tab_focus: () => undefined });
  for (const [code, out] of [
    // An idle client keeps no process alive.
    ['const c = await Client.connect({ programDir });' +
      'await c.call("tab_list"); console.log("left");', 'left\n'],
    ['const c = await Client.connect({ programDir });' +
      'for (let i = 0; i < 100; i++) c.call("tab_focus", { tabId: i })' +
      '.catch(() => {}); console.log("left"); process.exit(0);', 'left\n'],
    // In the middle of attaching, and with a thread of the pool at work.
    ['Client.connect({ programDir }).catch(() => {}); trust.clients();' +
      'setImmediate(() => { console.log("left"); process.exit(0); });',
    'left\n']]) {
    const { status, signal, stdout, stderr } = await run(code);
    assert.deepEqual([status, signal, stdout], [0, null, out], stderr);
  }
});

test('what is out is not collected', async () => {
  await world.chain({ tab_focus: (args) => ({ tabId: args.tabId }) });
  const { status, stdout, stderr } = await run(`
    const ask = async () => {
      const client = await Client.connect({ programDir });
      const all = Array.from({ length: 200 }, (_, i) =>
        client.call('tab_focus', { tabId: i }));
      for (let i = 0; i < 5; i++) {
        gc();
        await new Promise(setImmediate);
      }
      return Promise.all(all);
    };
    const got = await Promise.all([ask(), ask(), ask()]);
    console.log(got.flat().length);`);
  assert.deepEqual([status, stdout], [0, '600\n'], stderr);
});

test('workers that are ended at any moment harm nobody', async () => {
  const { browser } = await world.chain({ tab_list: () => [],
    tab_focus: () => undefined });
  const code = `
    const { parentPort, workerData: d } = require('node:worker_threads');
    import(d.url).then(async ({ Client, Context, machines, trust }) => {
      const say = (at) => { if (at === d.at) parentPort.postMessage(at); };
      say('loaded');
      const context = new Context({ log: () => {}, logLevel: 3 });
      const attach = Client.connect({ programDir: d.programDir, context });
      trust.clients();
      const server = new machines.Server({ context });
      const { job } = server.next();
      job.run().then(() => { job.done(); });
      say('attaching');
      const client = await attach;
      say('attached');
      for (let i = 0; i < 10000; i++) {
        client.call('tab_focus', { tabId: i }).catch(() => {});
      }
      say('calling');
      client.close();
      say('closed');
    });`;
  for (const at of ['', 'loaded', 'attaching', 'attached', 'calling',
    'closed']) {
    for (let i = 0; i < 2; i++) {
      const w = new Worker(code, { eval: true,
        workerData: { url, programDir, at } });
      await new Promise((resolve, reject) => {
        w.once('error', reject);
        if (at === '') setTimeout(resolve, 5 * i);
        else w.once('message', resolve);
      });
      await w.terminate();
    }
  }
  const client = await connect();
  assert.deepEqual(await client.call('tab_list'), []);
  client.close();
  assert.ok(browser.requests.length > 0);
});
