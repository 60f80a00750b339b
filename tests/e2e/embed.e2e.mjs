// The README's program, compiled from an installed tree with what pkg-config says, paired at a
// terminal, drives a page; and once it is revoked, it does not.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checks, needChromium, within } from './cdp.mjs';
import { done, form } from './fixtures.mjs';
import { answer, answerSite, bindir, inWorld, preparePermission, site } from './world.mjs';

needChromium();
const t = checks();
const source = process.env.GENKAN_SOURCE ?? path.resolve(bindir, '..');

function run(command, args, options = {}) {
  const got = spawnSync(command, args, { encoding: 'utf8', timeout: 120_000, ...options });
  if (got.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${got.error ?? got.stderr}${got.stdout}`);
  return got.stdout.trim();
}

/** What `make install` puts there, without the bindings; the program, and how to start it. */
function compile(folder) {
  const tree = path.join(folder, 'tree');
  const parts = ['libLTLIBRARIES', 'binPROGRAMS', 'genkanincludeHEADERS', 'nodist_genkanincludeHEADERS', 'pkgconfigDATA'].map((p) => `install-${p}`);
  const { MAKEFLAGS, MFLAGS, MAKELEVEL, ...clean } = process.env;
  run('make', ['-s', '-C', bindir, ...parts, `DESTDIR=${tree}`], { env: clean });
  const pc = run('find', [tree, '-name', 'genkan.pc']);
  const found = { ...clean, PKG_CONFIG_PATH: path.dirname(pc) };
  const where = (name) => tree + run('pkg-config', [`--variable=${name}`, 'genkan'], { env: found });
  const flags = run('pkg-config', ['--cflags', '--libs', 'genkan'], { env: { ...found, PKG_CONFIG_SYSROOT_DIR: tree } });
  const readme = readFileSync(path.join(source, 'README.md'), 'utf8');
  const text = /\n## Embed it\n[^]*?\n```c\n([^]*?\n)```\n/.exec(readme)[1];
  const program = path.join(folder, 'embed_client');
  writeFileSync(`${program}.c`, text);
  run('sh', ['-c', `${process.env.CC ?? 'cc'} '${program}.c' -o '${program}' ${flags}`]);
  return { program, env: { LD_LIBRARY_PATH: where('libdir'), GENKAN_PROGRAM_DIR: where('programdir') }, programs: where('programdir') };
}

await inWorld(async (world) => {
  const { program, env, programs } = compile(world.folder);
  const hash = createHash('sha256').update(readFileSync(program)).digest('hex');
  const start = (...args) => {
    const child = spawn(program, args, { env: { ...process.env, ...world.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    child.stdout.on('data', (d) => {
      out += d;
    });
    const ended = new Promise((resolve) => child.on('close', (code) => resolve({ code, out, lines: out.trim().split('\n') })));
    return within(30_000, ended, `embed_client ${args.join(' ')}`);
  };

  // The same bytes as the host that the browser starts: one installation in two folders.
  const broker = () => {
    const child = spawn(path.join(programs, 'genkan-server'), ['--broker'], { env: { ...process.env, ...world.env }, stdio: 'ignore' });
    world.later(() => child.kill());
    return new Promise((resolve) => child.on('close', resolve));
  };
  const left = broker();
  const pages = await site({ '/': form, '/done': done });
  world.later(pages.close);
  const browser = await world.browser();
  await preparePermission(browser, pages.origin);
  const tab = await browser.page(`${pages.origin}/`);

  await t.part('not paired', async () => {
    const got = await start('list_browsers', '{}');
    t.equal(got.code, 1, 'a program that is not paired ends');
    t.match(got.out, new RegExp(`genkan pair-client --name NAME --hash ${hash}`), 'and says how to pair it');
  });

  await t.part('paired', async () => {
    const pairing = await world.terminal(['pair-client', '--name', 'readme', '--hash', hash]);
    t.equal(pairing.code, 0, 'it is paired at a terminal', pairing.out);
    const working = start('page_snapshot', '{}', 'list_browsers', '{}', 'page_click', '{"ref":"e4"}');
    await answerSite(browser);
    await answer(browser, 'allow');
    const got = await working;
    t.equal(got.code, 0, 'three calls succeed', got.out);
    t.match(got.lines[0], /^attached to genkan-server \d/, 'it attaches');
    t.match(got.out, /button "Send" \[ref=e4\]/, 'page_snapshot lists the button');
    const [browsers, clicked] = got.lines.slice(-2).map((x) => JSON.parse(x));
    t.equal(browsers.browsers[0].label, 'chromium', 'list_browsers names the browser');
    t.equal(clicked.url, `${pages.origin}/done`, 'page_click tells where it led');
    t.equal(await tab.eval('location.pathname'), '/done', 'the page went there');
  });

  await t.part('revoked', async () => {
    await within(5000, left, 'the end of the broker, with its last client');
    t.equal((await world.genkan(['revoke-client', '--name', 'readme'])).code, 0, 'it is revoked');
    void broker();
    let got = await start('list_browsers', '{}');
    // The new broker may not listen yet.
    for (let i = 0; i < 20 && /is the MCP server running/.test(got.out); i += 1) got = await start('list_browsers', '{}');
    t.equal(got.code, 1, 'revoked, it ends');
    t.match(got.out, /pair-client/, 'and says how to pair it');
  });
});
t.done();
