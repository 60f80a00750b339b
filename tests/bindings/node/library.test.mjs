// What needs no broker: handles, frames, relying party, reports, both kinds of
// modules.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync,
  writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import { World, build, genkan, packageDir, programDir } from './world.mjs';

const { Context, GenkanError, Refused, native, webauthn } = genkan;
const { machines, trust, policy, local } = genkan;
const frame = (o) => native.encode(Buffer.from(JSON.stringify(o)));

test('both kinds of modules are one package', () => {
  const cjs = createRequire(import.meta.url)(
    path.join(packageDir, 'index.cjs'));
  for (const name of Object.keys(cjs)) {
    assert.equal(genkan[name], cjs[name], name);
  }
  assert.equal(genkan.libraryVersion(), JSON.parse(readFileSync(
    path.join(packageDir, 'package.json'))).version);
});

test('every error has its name', () => {
  const tables = JSON.parse(readFileSync(path.join(build, 'contract.json')));
  for (const row of tables.errors) {
    assert.equal(genkan.errorName(row.number), row.wire);
    const e = new GenkanError(row.number);
    assert.equal(e.code, row.wire);
    assert.equal(e.message, row.text);
  }
  for (const row of tables.codes) {
    const e = new genkan.ToolError(row.number);
    assert.deepEqual([e.code, e.retryable], [row.code, row.retryable]);
  }
  assert.equal(new GenkanError(-9999).code, 'unknown');
  const unknown = new genkan.ToolError(9999);
  assert.deepEqual([unknown.code, unknown.message, unknown.retryable],
    ['UNKNOWN', 'code 9999', false]);
});

/** The members that index.d.ts declares, by class or namespace. */
function declared() {
  const found = new Map();
  let of = null, depth = 0;
  for (const line of readFileSync(path.join(packageDir, 'index.d.ts'),
    'utf8').replace(/\/\*[^]*?\*\//g, '').split('\n')) {
    const head = /^ *(?:export )?(class|const) (\w+)[^;]*\{$/.exec(line);
    if (head !== null) {
      of = new Set();
      found.set(head[2], of);
      depth = 0;
    } else if (of !== null) {
      const member = /^ *(?:readonly |static )*(\w+)[(:]/.exec(line);
      if (depth === 0 && member !== null) of.add(member[1]);
      for (const c of line) {
        depth += '{(['.includes(c) ? 1 : '})]'.includes(c) ? -1 : 0;
      }
      if (depth < 0) of = null;
    }
  }
  return found;
}

test('the declarations name what there is, and nothing else', () => {
  const types = declared();
  let classes = 0;
  const members = (fn, made = []) => [...Object.getOwnPropertyNames(
    fn.prototype), ...Object.getOwnPropertyNames(fn), ...made].filter(
    (name) => !['length', 'name', 'prototype'].includes(name) || made.includes(
      name));
  const look = (name, actual) => {
    const said = types.get(name);
    assert.ok(said !== undefined, `${name} is not declared`);
    assert.deepEqual([...said].sort(), [...actual].sort(), name);
    classes++;
  };
  const { local, machines, native, policy, trust, webauthn } = genkan;
  for (const [name, value] of Object.entries({ ...genkan, ...machines,
    ...native, ...webauthn })) {
    if (typeof value !== 'function' || value.prototype === undefined) continue;
    if (!/^class/.test(String(value)) || name === 'default') continue;
    const made = { GenkanError: ['number', 'code', 'kind'],
      ToolError: ['number', 'code', 'category', 'retryable'],
      Refused: ['number', 'code'], Handle: [] }[name] ?? [];
    // Not for the public: what a handle is made of.
    const hidden = ['Handle', 'Machine', 'Leg', 'Job', 'GenkanError',
      'ToolError', 'Refused'].includes(name) ? ['constructor', 'raw'] : [];
    // Overridden, and declared where it is first.
    if (name === 'Machine') hidden.push('close');
    look(name, new Set(members(value, made).filter(
      (m) => !hidden.includes(m))));
  }
  look('trust', Object.keys(trust));
  look('policy', Object.keys(policy));
  look('local', Object.keys(local));
  assert.ok(classes >= 18, `${classes} were compared`);
});

test('a closed handle says so and closes twice', () => {
  const decoder = new native.Decoder();
  decoder.close();
  decoder.close();
  assert.throws(() => decoder.feed(Buffer.alloc(1)), { code: 'closed' });
});

test('a child keeps its context', () => {
  const context = new Context();
  const decoder = new native.Decoder({ context });
  context.close();
  context.close();
  assert.deepEqual(decoder.feed(frame({})).map(String), ['{}']);
  assert.throws(() => new native.Decoder({ context }), { code: 'closed' });
  decoder.close();
});

/**
 * Runs code that makes contexts with `make()`, and counts those that are left.
 * A context that is freed lets go of its log function, and nothing else holds
 * that one.
 */
function leftOver(code) {
  const { stdout, stderr, status } = spawnSync(process.execPath,
    ['--expose-gc', '-e', `
    const { Context, machines, native } = require(${JSON.stringify(
      path.join(packageDir, 'index.cjs'))});
    let made = 0, freed = 0;
    const registry = new FinalizationRegistry(() => freed++);
    const make = (on = () => {}) => {
      // Not the function that the test knows: that one may know the context.
      const call = { on };
      const log = () => call.on();
      const context = new Context({ log, logLevel: 3 });
      registry.register(log);
      made++;
      return [context, call];
    };
    (async () => {
      await (async () => { ${code} })();
      for (let i = 0; i < 60 && freed < made; i++) {
        gc();
        await new Promise((r) => setTimeout(r, 5));
      }
      console.log(made, made - freed);
    })();`], { encoding: 'utf8', timeout: 120000 });
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

test('what is dropped is freed, in any order', () => {
  assert.equal(leftOver(`
    for (let i = 0; i < 500; i++) {
      const [context] = make();
      for (let n = 0; n < 5; n++) new native.Decoder({ context });
      if (i % 50 === 0) gc();
    }`), '500 0');
  // The measure works: what is held is not freed.
  assert.equal(leftOver(`
    globalThis.held = Array.from({ length: 3 }, () => make()[0]);
    for (let i = 0; i < 7; i++) make();`), '10 3');
});

test('what is closed is freed, in any order', () => {
  assert.equal(leftOver(`
    for (let i = 0; i < 60; i++) {
      const [context] = make();
      const all = [context, new native.Decoder({ context }),
        new native.Decoder({ context })];
      for (let n = i % 3; all.length > 0; n++) {
        all.splice(n % all.length, 1)[0].close();
      }
    }`), '60 0');
});

test('a context that its log closes is freed with the last handle', () => {
  const world = new World();
  try {
    assert.equal(leftOver(`
      let calls = 0;
      for (let i = 0; i < 20; i++) {
        const [context, call] = make();
        const server = new machines.Server({ context });
        const leg = server.stdio();
        const { job } = server.next();
        // Nobody has run it, which is logged when it is handed back.
        call.on = () => { calls++; for (const h of [context, server, leg])
          h.close(); };
        if (i % 2 === 0) job.done();
        else job.close();
        call.on = () => {};
      }
      if (calls < 20) throw new Error('the log was not called');`), '20 0');
  } finally {
    world.close();
  }
});

// An addon whose value points to nowhere: whoever looks there is caught.
const FOREIGN = `
int napi_create_external(void *, void *, void *, void *, void **);
void *napi_register_module_v1(void *env, void *exports);
void *napi_register_module_v1(void *env, void *exports) {
  void *v;
  return napi_create_external(env, (void *)16, 0, 0, &v) == 0 ? v : exports;
}
`;

test('what another addon has made is no handle', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'gk-'));
  try {
    writeFileSync(path.join(dir, 'foreign.c'), FOREIGN);
    const [cc, ...flags] = (process.env.CC ?? 'cc').trim().split(/\s+/);
    execFileSync(cc, [...flags, '-shared', '-fPIC', '-o',
      path.join(dir, 'foreign.node'), path.join(dir, 'foreign.c')]);
    const code = `
      const { Handle, machines, native } = require(${JSON.stringify(
        path.join(packageDir, 'index.cjs'))});
      const foreign = require(${JSON.stringify(
        path.join(dir, 'foreign.node'))});
      for (const use of [() => new Handle(foreign).close(),
        () => new machines.Machine(foreign).tick(),
        () => new machines.Machine(foreign).next(),
        () => new machines.Leg(foreign).output(),
        () => new machines.Job(foreign).close(),
        () => new Handle({}).close(),
        () => new machines.Machine(new native.Decoder().raw).tick()]) {
        try { use(); } catch (e) { console.log(e.name); }
      }`;
    const { stdout, signal } = spawnSync(process.execPath, ['-e', code],
      { encoding: 'utf8', timeout: 30000 });
    assert.equal(signal, null);
    assert.equal(stdout, 'TypeError\n'.repeat(7));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

test('frames come out wherever a read ends', () => {
  const wire = frame({ hello: 'x' });
  for (let cut = 0; cut <= wire.length; cut++) {
    const decoder = new native.Decoder();
    const got = [...decoder.feed(wire.subarray(0, cut)),
      ...decoder.feed(wire.subarray(cut))];
    assert.deepEqual(got.map(String), ['{"hello":"x"}']);
    assert.equal(decoder.eof(), 'clean');
  }
});

test('frames have bounds, and an error is final', () => {
  assert.throws(() => native.header(0), { code: 'empty-frame' });
  assert.throws(() => native.header(native.OUT_MAX + 1),
    { code: 'frame-too-large', kind: 'connection' });
  assert.throws(() => native.header(1.5), TypeError);
  assert.throws(() => native.header(-1), { code: 'invalid-argument' });
  assert.throws(() => native.encode('text'), TypeError);
  const decoder = new native.Decoder({ max: 2 });
  for (const bytes of [frame([1]), frame({})]) {
    assert.throws(() => decoder.feed(bytes), { code: 'frame-too-large' });
  }
});

test('a host of one\'s own reads and writes messages', async () => {
  const output = new PassThrough();
  const host = new native.NativeHost({ output, input: Readable.from(
    [frame({ n: 1 }), Buffer.concat([frame({ n: 2 }), frame({ n: 3 })])]) });
  for await (const message of host) await host.send({ echo: message.n });
  host.close();
  assert.deepEqual(new native.Decoder().feed(output.read()).map(String),
    ['{"echo":1}', '{"echo":2}', '{"echo":3}']);
  const short = new native.NativeHost({ output,
    input: Readable.from([frame({ n: 1 }).subarray(0, 6)]) });
  await assert.rejects(async () => { for await (const m of short) void m; },
    { code: 'frame-cut-short' });
});

for (const options of ['', '{}', '{ output: undefined }', '{ output: null }']) {
  test(`a host (${options}) on standard output is not damaged by console.log`,
    () => ownHost(options));
}

function ownHost(options) {
  const code = `
    const { native } = require(${JSON.stringify(
      path.join(packageDir, 'index.cjs'))});
    (async () => {
      const host = new native.NativeHost(${options});
      for await (const message of host) {
        console.log('stray');
        await host.send({ echo: message });
      }
    })();`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', code],
    { input: Buffer.concat([frame([1]), frame({ a: 'ü' })]), timeout: 30000 });
  assert.equal(stderr.toString(), 'stray\nstray\n');
  assert.deepEqual(new native.Decoder().feed(stdout).map(String),
    ['{"echo":[1]}', '{"echo":{"a":"ü"}}']);
}

test('callbacks may not use their context, and may close things', () => {
  let decoder, rp, seen;
  let use = () => {};
  const random = (n) => { use(); return Buffer.alloc(n, 7); };
  const context = new Context({ random });
  rp = new webauthn.RelyingParty({ context });
  decoder = new native.Decoder({ context });
  use = () => {
    try { rp.challenge(); } catch (e) { seen = e.code; }
    decoder.close();
    context.close();
  };
  assert.equal(rp.challenge(), Buffer.alloc(32, 7).toString('base64url'));
  assert.equal(seen, 'wrong-state');
  assert.throws(() => decoder.feed(Buffer.alloc(1)), { code: 'closed' });
  assert.throws(() => rp.challenge(), { code: 'closed' });
});

test('randomness that fails closes', () => {
  for (const bad of [() => Buffer.alloc(1), () => null, () => 'x',
    () => { throw new Error('no'); }]) {
    assert.throws(() => new Context({ random: bad }), { code: 'random' });
  }
  assert.throws(() => new Context({ random: 5 }), TypeError);
});

const ORIGIN = 'chrome-extension://iamokonadojkdahbakmadaljenafghfg';
const MADE = '6gMWLVz3Y4j3mH1ZY6DLZW4KfyVvEGQG9NiU03Q9q0M';
const USED = 'CnZlVu47uyJjmhqTZsUZ9BjfONGu4THSawDijMrgY-0';
const hex = (s) => Buffer.from(s.replace(/\s/g, ''), 'hex');
const OBJECT = hex(`
  a363666d74646e6f6e656761747453746d74a068617574684461746158a42668
  2712068e0ce8a1db4dc9e04fc7a37b4571b2dc06e918bbab29bfc0f5ec9b4500
  0000010102030405060708010203040506070800202ae79e304489c8fa20a939
  81dc63bd055e86959a54457ab4234acd5f3bc84845a5010203262001215820d7
  5d0cf3988d7945423010c21246a806d04b7deffb05d096550c16cd8364d95622
  58205a586fab00c23dbbe13bb7a2afdaf4fbc1764d53a0fd106b87a4c9bd16bf
  1785`);
const DATA = hex(`
  26682712068e0ce8a1db4dc9e04fc7a37b4571b2dc06e918bbab29bfc0f5ec9b
  0500000002`);
const SIGNATURE = hex(`
  304402207202d88fd72aebe76225c5f64f5d87559ef5fa2c3d82375896fdebab
  af8aaf5602200a57d094f048d937c631cbf1a68bd5fd5361428aa585dfdbba46
  ca948f9fa4d5`);
const client = (type, challenge, origin = ORIGIN) => Buffer.from(
  JSON.stringify({ type, challenge, origin, crossOrigin: false }));

test('a recorded ceremony is accepted once', () => {
  const rp = new webauthn.RelyingParty({ id: ORIGIN, origin: ORIGIN });
  const credential = rp.register({ challenge: MADE, attestationObject: OBJECT,
    clientDataJSON: client('webauthn.create', MADE) });
  assert.ok(credential instanceof webauthn.Credential);
  assert.equal(credential.signCount, 1);
  const answer = { challenge: USED, credential, authenticatorData: DATA,
    clientDataJSON: client('webauthn.get', USED), signature: SIGNATURE };
  const stored = new webauthn.Credential(credential);
  assert.equal(rp.check(answer), 2);
  assert.equal(rp.verify(answer), 2);
  assert.throws(() => rp.verify(answer), (e) => e instanceof Refused &&
    e.code === 'sign_count_not_increased');
  assert.throws(() => credential.counted(2), { code: 'out-of-range' });
  assert.equal(rp.verify({ ...answer, credential: stored }), 2);
  assert.throws(() => rp.register({ challenge: MADE,
    attestationObject: OBJECT, clientDataJSON: client('webauthn.create', MADE,
      'https://example.com') }), { code: 'origin_mismatch' });
  const parts = webauthn.parseAuthenticatorData(
    webauthn.parseAttestationObject(OBJECT));
  assert.deepEqual([parts.flags, parts.signCount], [0x45, 1]);
  assert.deepEqual(parts.publicKey, credential.publicKey);
  assert.throws(() => new webauthn.Credential({ id: Buffer.alloc(32),
    publicKey: Buffer.alloc(65, 4) }), { code: 'bad-encoding' });
  assert.equal(rp.challenge().length, 43);
  assert.notEqual(rp.challenge(), rp.challenge());
});

test('trust, policy and this machine', async () => {
  const world = new World();
  try {
    assert.match((await trust.clients()).text, /^never paired/);
    assert.deepEqual(await trust.audit(), []);
    assert.deepEqual((await policy.show()).data, { v: 1, store: 'none' });
    assert.equal(policy.fields().cdpMode, '--cdp-mode');
    assert.equal((await trust.kill()).ok, true);
    const last = (await trust.audit()).at(-1);
    assert.deepEqual([last.kind, last.outcome], ['kill_engage', 'ok']);
    assert.equal((await policy.setLanguage('zh_CN')).ok, true);
    assert.match((await policy.language()).text, /zh_CN/);
    await assert.rejects(policy.setLanguage('tlh'),
      { code: 'invalid-argument' });
    await assert.rejects(policy.restrict({ nonsense: 'on' }),
      { code: 'invalid-argument' });
    await assert.rejects(trust.pair({ name: 'x', hash: 'not a hash' }),
      (e) => e.code === 'invalid-argument' && e.message !== '');
    world.trust([['script', 'ab'.repeat(32)]]);
    assert.equal((await trust.revoke('script')).ok, true);
    assert.equal((await trust.revoke('script')).ok, false);
    assert.equal((await local.paths())['state dir'],
      path.join(world.home, '.local/state/genkan'));
    assert.equal(typeof (await local.doctor()).data, 'object');
    // Never by what lies beside this program, an interpreter.
    const dir = path.join(world.home, 'manifests');
    mkdirSync(dir);
    let report = await local.register({ dir, programDir: '/nowhere' });
    assert.equal(report.ok, false);
    assert.match(report.warnings, /\/nowhere\/genkan-host/);
    report = await local.register({ dir, programDir });
    assert.equal(report.ok, true, report.text);
    const [manifest] = readdirSync(dir);
    const { path: wrapper } =
      JSON.parse(readFileSync(path.join(dir, manifest), 'utf8'));
    assert.ok(readFileSync(wrapper, 'utf8').includes(
      path.join(programDir, 'genkan-host')));
    assert.equal((await local.unregister({ dir })).ok, true);
    assert.ok((await local.browsers({ programDir })).lines.length);
    await assert.rejects(local.doctor({ programDir: 'bin' }),
      { code: 'invalid-argument' });
    assert.throws(() => new Context({ programDir: 'bin' }),
      { code: 'invalid-argument' });
    // Many at once, on the threads of the pool.
    const all = await Promise.all(Array.from({ length: 20 },
      () => trust.clients()));
    assert.equal(new Set(all.map((r) => r.text)).size, 1);
  } finally {
    world.close();
  }
});

test('a broker of one\'s own in the same program', () => {
  const world = new World();
  const secret = '5e'.repeat(16), own = 'ab'.repeat(32);
  try {
    world.trust([['script', own]]);
    const broker = new machines.Broker({ secret });
    const client = new machines.ClientMachine();
    const here = client.join(secret);
    const there = broker.accept({ hash: own, sameUser: true });
    assert.equal(typeof there.deadline, 'number');
    const talk = () => {
      for (let moved = true; moved;) {
        moved = false;
        for (const [a, b] of [[here, there], [there, here]]) {
          const data = a.output();
          if (data === null) continue;
          assert.equal(b.feed(data), data.length);
          a.wrote(data.length);
          moved = true;
        }
      }
    };
    talk();
    assert.equal(client.next().kind, 'state');
    assert.equal(broker.clients, 1);
    const id = client.call('list_browsers', '{}', 0);
    talk();
    const { kind, id: of, code, text } = client.next();
    assert.deepEqual([kind, of, code], ['result', id, 0]);
    assert.equal(text, '{"count":0,"browsers":[]}');
    const ids = [1, 2, 3].map(() => client.call('list_browsers', '{}', 0));
    assert.equal(here.gather(10), null);
    const many = here.gather();
    assert.deepEqual(many.toString().trim().split('\n').map(
      (line) => JSON.parse(line).method), Array(3).fill('tools/call'));
    here.wrote(many.length);
    assert.deepEqual([here.gather(), here.output()], [null, null]);
    assert.equal(there.feed(many), many.length);
    talk();
    assert.deepEqual(ids.map(() => client.next().id), ids);
    assert.throws(() => here.gather(-1), { code: 'invalid-argument' });
    assert.throws(() => here.gather('1'), TypeError);
    assert.equal(client.state, 2);
    here.tick();
    assert.equal(there.deadline, null);
    assert.throws(() => client.join(secret), { code: 'wrong-state' });
    here.close();
    there.close();
    assert.equal(broker.next().kind, 'exit');
    assert.equal(broker.browsers, 0);
    for (const facts of [{ hash: 'cd'.repeat(32), sameUser: true },
      { hash: own, sameUser: false }]) {
      const stranger = broker.accept(facts);
      assert.equal(stranger.wants, machines.WANT.CLOSE);
      stranger.close();
    }
    for (const sameUser of [undefined, null, 1, 'no']) {
      assert.throws(() => broker.accept({ hash: own, sameUser }),
        { name: 'TypeError', message: 'sameUser: true or false' });
    }
    for (const handle of [client, broker]) handle.close();
    assert.throws(() => new machines.Broker({ secret: 'none' }),
      { code: 'invalid-argument' });
  } finally {
    world.close();
  }
});

test('a server answers its client', async () => {
  const world = new World();
  const lines = [];
  try {
    const server = new machines.Server({ context: new Context({ logLevel: 3,
      log: (...a) => lines.push(a) }) });
    const leg = server.stdio();
    assert.equal(server.stdio(), null);
    const ask = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1,
      method: 'initialize', params: { protocolVersion: '2025-11-25',
        capabilities: {}, clientInfo: { name: 't', version: '1' } } }) + '\n');
    assert.equal(leg.feed(ask), ask.length);
    const out = leg.output();
    assert.match(out.toString(), /"protocolVersion":"2025-11-25"/);
    leg.wrote(out.length);
    assert.equal(leg.output(), null);
    const ev = server.next();
    assert.equal(ev.kind, 'job');
    const running = ev.job.run();
    assert.throws(() => ev.job.done(), { code: 'wrong-state' });
    await running;
    ev.job.done();
    assert.throws(() => ev.job.done(), { code: 'closed' });
    leg.close();
    server.close();
    assert.ok(lines.length > 0);
    const host = new machines.Host({ argv: ['--label', 'work'] });
    assert.equal(typeof host.state, 'string');
    host.close();
    assert.throws(() => new machines.Host({ argv: ['--label', 'no label!'] }),
      { code: 'invalid-argument' });
  } finally {
    world.close();
  }
});

test('the other end of a socket is measured', () => {
  const code = `
    const net = require('node:net'), fs = require('node:fs');
    const { queryPeer } = require(${JSON.stringify(
      path.join(packageDir, 'index.cjs'))});
    const file = ${JSON.stringify(`/tmp/gk-peer-${process.pid}`)};
    const server = net.createServer((s) => {
      const p = queryPeer(s._handle.fd, '/nonexistent');
      console.log(JSON.stringify(p));
      s.destroy(); server.close();
    }).listen(file, () => net.connect(file));`;
  const done = spawnSync(process.execPath, ['-e', code],
    { encoding: 'utf8', timeout: 30000 });
  const peer = JSON.parse(done.stdout);
  assert.deepEqual([peer.sameUser, peer.roles, peer.why], [true, 0, '']);
  assert.equal(peer.hash.length, 64);
});
