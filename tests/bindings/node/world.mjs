// Directories of a test's own, a broker, and a browser that is a script.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync,
  writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

export const build = process.env.GENKAN_BUILDDIR;
export const programDir = process.env.GENKAN_PROGRAMS ?? build;
export const packageDir = process.env.GENKAN_NODE_PACKAGE ??
  path.join(build, 'bindings/node/stage/genkan');
export const genkan = await import(pathToFileURL(
  path.join(packageDir, 'index.mjs')));

export const slow = Number(process.env.GENKAN_SLOW ?? 1);
export const pause = (ms) => new Promise((r) => setTimeout(r, ms));

export async function until(look, what, ms = 10000) {
  for (const end = Date.now() + ms * slow; ;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`${what} did not happen`);
    await pause(10);
  }
}

/** A home and a runtime directory, which this process sees as well. */
export class World {
  made = [];

  constructor() {
    this.dir = mkdtempSync(path.join(tmpdir(), 'gk-'));
    this.home = path.join(this.dir, 'home');
    this.run = path.join(this.dir, 'run');
    mkdirSync(this.home, { mode: 0o700 });
    mkdirSync(this.run, { mode: 0o700 });
    process.env.HOME = this.home;
    process.env.XDG_RUNTIME_DIR = this.run;
    delete process.env.DBUS_SESSION_BUS_ADDRESS;
    delete process.env.DISPLAY;
  }

  trust(clients) {
    const state = path.join(this.home, '.local/state/genkan');
    mkdirSync(state, { recursive: true, mode: 0o700 });
    const file = path.join(state, 'trust.json');
    writeFileSync(`${file}.test`, JSON.stringify({ version: 0, epoch: 1,
      killed: false, kill_epoch: 0, host_key_epoch: 0, policy_epoch: 0,
      lang_epoch: 0, enrollments: [], clients: clients.map(([name, value]) =>
        ({ name, anchor: { kind: 'hash', value }, added_unix: 0 })) }));
    chmodSync(`${file}.test`, 0o600);
    renameSync(`${file}.test`, file);
  }

  start(program, args) {
    const p = spawn(path.join(programDir, program), args,
      { stdio: ['pipe', 'pipe', 'pipe'] });
    p.log = '';
    p.stderr.on('data', (d) => { p.log += d; });
    p.stdin.on('error', () => {});
    this.made.push(p);
    return p;
  }

  /** A broker, with this node paired, and a browser with these answers. */
  async chain(ops = {}, { paired = true } = {}) {
    const own = createHash('sha256').update(
      readFileSync('/proc/self/exe')).digest('hex');
    this.trust([['script', paired ? own : '00'.repeat(32)]]);
    process.env.GENKAN_LOG = 'debug';
    const server = this.start('genkan-server', paired ? [] : ['--broker']);
    await until(() => {
      try {
        return JSON.parse(readFileSync(path.join(this.run,
          'genkan/run.lock'))).pid === server.pid;
      } catch {
        return false;
      }
    }, 'becoming the broker');
    return { server, browser: await this.browser(ops) };
  }

  async browser(ops) {
    const host = this.start('genkan-host', ['--label', 'chrome']);
    const seen = { requests: [], cancels: [] };
    const decoder = new genkan.native.Decoder();
    const send = (o) => host.stdin.write(
      genkan.native.encode(Buffer.from(JSON.stringify(o)),
        genkan.native.IN_MAX));
    send({ type: 'hello', protocol: 1, capabilities: ['tab_control',
      'page_read', 'page_interact', 'page_eval', 'cookies', 'downloads',
      'network'] });
    host.stdout.on('data', (bytes) => {
      for (const json of decoder.feed(bytes)) {
        const frame = JSON.parse(json);
        if (frame.type === 'cancel') seen.cancels.push(frame.id);
        if (frame.op === undefined) continue;
        seen.requests.push(frame);
        const answer = ops[frame.op]?.(frame.args, frame) ??
          (frame.op === 'tab_list' && !ops.tab_list ? [] : undefined);
        if (answer === undefined) continue;
        send(answer.ok === undefined ? { id: frame.id, ok: true, data: answer }
          : { id: frame.id, ...answer });
      }
    });
    await until(() => host.log.includes('bridge handshake complete'),
      'attaching');
    return seen;
  }

  close() {
    for (const p of this.made) p.kill('SIGKILL');
    rmSync(this.dir, { recursive: true, force: true });
  }
}
