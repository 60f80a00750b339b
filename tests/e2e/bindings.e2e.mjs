// The quick starts for Python and Node, from an installed tree alone, each driving a page.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cannotRun, checks, needChromium, within } from './cdp.mjs';

needChromium();
const t = checks();
const { GENKAN_SOURCE: source, GENKAN_PYTHON: python = '' } = process.env;
const root = mkdtempSync(path.join(tmpdir(), 'genkan-tree-'));
process.on('exit', () => rmSync(root, { recursive: true, force: true }));
const page = '<!doctype html><title>Quick</title><button type="button" onclick="document.title = `clicked ${event.isTrusted}`">Go</button>';

/** Installs: folders, and the environment that finds the library there. */
function install() {
  const made = spawnSync('python3', [path.join(source, 'tests/bindings/tree.py'), path.join(root, 'tree')], { encoding: 'utf8', timeout: 120_000 });
  if (made.status !== 0) throw new Error(`installing: ${made.stderr}`);
  return JSON.parse(made.stdout);
}

function quickStarts(at) {
  const found = [];
  if (at.node) {
    const app = path.join(root, 'app');
    mkdirSync(path.join(app, 'node_modules'), { recursive: true });
    symlinkSync(at.node, path.join(app, 'node_modules/genkan'));
    cpSync(path.join(source, 'examples/node_client.mjs'), path.join(app, 'node_client.mjs'));
    found.push(['Node', realpathSync(process.execPath), path.join(app, 'node_client.mjs')]);
  }
  if (at.python && existsSync(python)) found.push(['Python', realpathSync(python), path.join(source, 'examples/py_client.py')]);
  return found;
}

function run(program, args, env, ms = 30_000) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  for (const pipe of [child.stdout, child.stderr]) pipe.on('data', (d) => (out += d));
  return within(ms, new Promise((resolve) => child.on('close', (code) => resolve({ code, out }))), program);
}

/** The declarations, as the extension's own compiler sees them from both kinds of modules. */
async function types(at) {
  const modules = path.join(process.env.GENKAN_EXT_DIR ?? '', 'node_modules');
  if (!at.node || !existsSync(path.join(modules, '.bin/tsc'))) return;
  const dir = path.join(root, 'types');
  mkdirSync(path.join(dir, 'node_modules'), { recursive: true });
  symlinkSync(at.node, path.join(dir, 'node_modules/genkan'));
  for (const name of ['@types', 'undici-types']) symlinkSync(path.join(modules, name), path.join(dir, 'node_modules', name));
  for (const name of ['types.mts', 'types.cts']) cpSync(path.join(source, 'tests/bindings/node/types.ts'), path.join(dir, name));
  const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', moduleResolution: 'nodenext', target: 'es2022', types: ['node'], esModuleInterop: true, preserveSymlinks: true };
  writeFileSync(path.join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['types.mts', 'types.cts'] }));
  const { code, out } = await run(path.join(modules, '.bin/tsc'), ['-p', dir], {}, 100_000);
  t.ok(code === 0, 'TypeScript takes the declarations', out);
}

const at = install();
await types(at);
const starts = quickStarts(at);
if (starts.length === 0) cannotRun('neither package was built');
// From here on the programs are those of the installed tree.
process.env.GENKAN_BINDIR = at.bin;
const { inWorld, onSite, site } = await import('./world.mjs');

await inWorld(async (world) => {
  const { tab } = await onSite(world, await site({ '/': page }));
  const go = (program, example) => run(program, [example, at.bin], { ...world.env, ...at.env });
  for (const [name, program, example] of starts) {
    const { code, out } = await go(program, example);
    t.ok(code === 1 && /^refused: .*pair-client/m.test(out), `${name} is refused until it is paired`, out);
  }
  // Node first: it is what this world's own client runs in.
  for (const [name, program] of starts) {
    const hash = createHash('sha256').update(readFileSync(program)).digest('hex');
    await world.terminal(['pair-client', '--name', name.toLowerCase(), '--hash', hash]);
  }
  for (const [name, program, example] of starts) {
    await t.part(name, async () => {
      await tab.eval('document.title = "Quick"');
      await tab.send('Page.bringToFront');
      const { code, out } = await go(program, example);
      t.equal(code, 0, `${name} runs`, out);
      t.match(out, /^chromium: [1-9][0-9]* tabs$/m, `${name} lists the browser`);
      t.match(out, /button "Go" \[ref=e\d+\]/, `${name} reads the page`);
      t.match(out, /^clicked e\d+$/m, `${name} clicks`);
      t.match(await tab.eval('document.title'), /^clicked /, 'which the page has felt');
    });
  }
});
t.done();
