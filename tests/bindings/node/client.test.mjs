// The client, through the real broker and host to a scripted browser.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, afterEach, beforeEach, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { World, genkan, packageDir, programDir, until } from './world.mjs';

const { Client, GenkanError, ToolError, trust } = genkan;
const TABS = [{ tabId: 1, title: 'Ünïcode \u2028', url: 'x:' }];
let world;
const connect = (options) => Client.connect({ programDir, ...options });

beforeEach(() => { world = new World(); });
afterEach(() => world.close());

test('a call goes all the way', async () => {
  const { browser } = await world.chain({ tab_list: () => TABS,
    page_click: () => ({}) });
  const client = await connect();
  assert.deepEqual(await client.call('tab_list'), TABS);
  await client.call('page_click', { tabId: 7, ref: 'e3' });
  assert.deepEqual(browser.requests.at(-1).args, { tabId: 7, ref: 'e3' });
  const result = await client.request('list_browsers');
  assert.deepEqual(result.value,
    { browsers: [{ label: 'chrome', tabCount: 1 }], count: 1 });
  assert.equal(result.raw.isError, false);
  assert.equal((await client.tools()).length, 26);
  client.close();
});

test('a code is a ToolError', async () => {
  await world.chain({ tab_close: () => ({ ok: false,
    error: 'no such tab: 7', code: 'TAB_NOT_FOUND' }) });
  const client = await connect();
  await assert.rejects(client.call('tab_close', { tabId: 7 }), (e) =>
    e instanceof ToolError && e.code === 'TAB_NOT_FOUND' &&
    e.message === 'no such tab: 7' && e.retryable === false);
  await assert.rejects(client.call('tab_close', { tabId: 'seven' }),
    { code: 'INVALID_ARGUMENT' });
  client.close();
});

test('who is not paired is refused', async () => {
  await world.chain({}, { paired: false });
  await assert.rejects(connect(), (e) => e instanceof GenkanError &&
    e.code === 'refused' && /pair-client/.test(e.message));
});

test('without a broker it says so', async () => {
  await assert.rejects(connect(), { code: 'cannot-connect',
    kind: 'transient' });
});

test('a revocation ends the connection', async () => {
  await world.chain({ tab_list: () => TABS });
  const client = await connect();
  await client.call('tab_list');
  assert.equal((await trust.revoke('script')).ok, true);
  await until(async () => {
    try {
      await client.call('tab_list', {}, { timeout: 5000 });
      return false;
    } catch {
      return true;
    }
  }, 'being dropped');
  client.close();
  await assert.rejects(connect(), { code: 'refused' });
});

test('ten thousand calls are answered in order', async () => {
  const { browser } = await world.chain({
    tab_focus: (args) => ({ tabId: args.tabId }) });
  const client = await connect();
  const calls = [];
  for (let i = 0; i < 10000; i++) {
    calls.push(client.call('tab_focus', { tabId: i }));
  }
  assert.ok(client.outstanding > 9000);
  const values = await Promise.all(calls);
  assert.deepEqual(values.map((v) => v.tabId),
    Array.from({ length: 10000 }, (_, i) => i));
  assert.deepEqual(browser.requests.map((r) => r.args.tabId),
    values.map((v) => v.tabId));
  assert.equal(client.outstanding, 0);
  client.close();
});

test('a signal gives a call up', async () => {
  const { browser } = await world.chain({ tab_list: () => undefined });
  const client = await connect();
  const stop = new AbortController();
  const call = client.call('tab_list', {}, { signal: stop.signal });
  await until(() => browser.requests.length === 1, 'the request');
  stop.abort(new Error('enough'));
  await assert.rejects(call, /enough/);
  await until(() => browser.cancels.length === 1, 'the cancel');
  assert.equal(browser.cancels[0], browser.requests[0].id);
  assert.equal(client.outstanding, 0);
  await assert.rejects(client.call('tab_list', {},
    { signal: AbortSignal.abort() }), { name: 'AbortError' });
  await assert.rejects(client.call('tab_list', {}, { timeout: 100 }),
    { code: 'RESPONSE_TIMEOUT' });
  client.close();
});

/** What the browser saw of an operation, it is told to leave off. */
const left = (browser, op) => until(() => {
  const ids = browser.requests.filter((r) => r.op === op).map((r) => r.id);
  return ids.every((id) => browser.cancels.includes(id));
}, `the cancel of ${op}`);

// The first call is with the system already and cannot be withdrawn any more;
// what follows it is shorter once, and longer once.
const text = 'v'.repeat(4000);
for (const [size, tool, args, answer] of [
  ['shorter', 'tab_focus', { tabId: 9 }, { tabId: 9 }],
  ['longer', 'page_fill', { value: text }, { value: text }]]) {
  test(`a call given up leaves the next one, a ${size} one, whole`,
    async () => {
      const { browser } = await world.chain({ page_click: () => undefined,
        [tool]: () => answer });
      const client = await connect();
      await client.call('tab_list');
      const stop = new AbortController();
      const click = client.request('page_click', { tabId: 7, ref: 'e3' },
        { signal: stop.signal });
      const next = client.call(tool, args, { timeout: 20000 });
      stop.abort(new Error('enough'));
      await assert.rejects(click, /enough/);
      assert.deepEqual(await next, answer);
      assert.deepEqual(browser.requests.at(-1).args, args);
      await left(browser, 'page_click');
      assert.deepEqual(await client.call('tab_list'), []);
      assert.equal(client.reason, null);
      assert.equal(client.outstanding, 0);
      client.close();
    });
}

test('a timeout while the socket is slow is cancelled too', async () => {
  const { browser, server } = await world.chain({ page_fill: () => undefined,
    tab_focus: (args) => ({ tabId: args.tabId }) });
  const client = await connect();
  await client.call('tab_list');
  server.kill('SIGSTOP');
  const fill = client.call('page_fill', { value: 'v'.repeat(600000) },
    { timeout: 500 });
  const focus = client.call('tab_focus', { tabId: 9 }, { timeout: 20000 });
  await assert.rejects(fill, { code: 'RESPONSE_TIMEOUT',
    message: 'no reply in time; the call may have run' });
  server.kill('SIGCONT');
  assert.deepEqual(await focus, { tabId: 9 });
  await left(browser, 'page_fill');
  assert.deepEqual(await client.call('tab_list'), []);
  assert.equal(client.reason, null);
  assert.equal(client.outstanding, 0);
  client.close();
});

test('attaching can be given up too', async () => {
  await world.chain();
  const stop = new AbortController();
  const attach = connect({ signal: stop.signal });
  stop.abort();
  await assert.rejects(attach, { name: 'AbortError' });
});

test('the broker dies and another is attached to', async () => {
  const { server } = await world.chain({ tab_list: () => undefined });
  const client = await connect();
  const call = client.call('tab_list');
  await until(() => client.outstanding === 1, 'the call');
  server.kill('SIGKILL');
  await assert.rejects(call);
  await until(() => !client.attached, 'noticing');
  assert.ok(client.reason instanceof GenkanError);
  await world.chain({ tab_list: () => TABS });
  await client.attach();
  assert.equal(client.reason, null);
  assert.deepEqual(await client.call('tab_list'), TABS);
  client.close();
});

test('closing is final and leaves no descriptor', async () => {
  await world.chain({ tab_list: () => undefined });
  const count = () => readdirSync('/proc/self/fd').length;
  (await connect()).close();
  await new Promise((r) => setTimeout(r, 50));
  const before = count();
  for (let i = 0; i < 3; i++) {
    const client = await connect();
    const call = client.call('tab_list');
    client.close();
    client.close();
    await assert.rejects(call, { code: 'closed' });
    await assert.rejects(client.call('tab_list'), { code: 'closed' });
  }
  await until(() => count() === before, 'closing descriptors');
});

test('a large answer arrives whole', async () => {
  const text = Array.from({ length: 1 << 20 },
    (_, i) => String.fromCharCode(0x20 + (i % 0x5f))).join('');
  await world.chain({ page_text: () => ({ ok: true,
    data: { text, url: 'u', title: 't' } }) });
  const client = await connect();
  assert.equal((await client.call('page_text', { tabId: 1 })).text, text);
  client.close();
});

test('each worker thread has a client of its own', async () => {
  await world.chain({ tab_focus: (args) => ({ tabId: args.tabId }) });
  const code = `
    const { parentPort, workerData: d } = require('node:worker_threads');
    import(d.url).then(async ({ Client }) => {
      const client = await Client.connect({ programDir: d.programDir });
      const all = await Promise.all(Array.from({ length: 200 },
        (_, i) => client.call('tab_focus', { tabId: d.base + i })));
      client.close();
      parentPort.postMessage(all.map((v) => v.tabId));
    });`;
  const url = pathToFileURL(path.join(packageDir, 'index.mjs')).href;
  const got = await Promise.all([0, 1000, 2000, 3000].map((base) =>
    new Promise((resolve, reject) => {
      const w = new Worker(code, { eval: true,
        workerData: { url, programDir, base } });
      w.once('message', resolve);
      w.once('error', reject);
    })));
  for (const [i, all] of got.entries()) {
    assert.deepEqual(all, Array.from({ length: 200 },
      (_, n) => i * 1000 + n));
  }
});

test('a worker that ends in the middle harms nobody', async () => {
  await world.chain({ tab_list: () => undefined });
  const code = `
    const { parentPort, workerData: d } = require('node:worker_threads');
    import(d.url).then(async ({ Client, trust }) => {
      const client = await Client.connect({ programDir: d.programDir });
      client.call('tab_list').catch(() => {});
      trust.clients();
      parentPort.postMessage('ready');
    });`;
  const url = pathToFileURL(path.join(packageDir, 'index.mjs')).href;
  for (let i = 0; i < 5; i++) {
    const w = new Worker(code, { eval: true,
      workerData: { url, programDir } });
    await new Promise((resolve, reject) => {
      w.once('message', resolve);
      w.once('error', reject);
    });
    await w.terminate();
  }
  (await connect()).close();
});

after(() => {});
