// genkan-server is upgraded while it runs: whatever says what is connected tells the truth from the moment when
// the programs are other ones until the MCP client is started again, and nothing else has to be.
import { appendFileSync, copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checks, needChromium } from './cdp.mjs';

needChromium();
const t = checks();
const built = path.resolve(process.env.GENKAN_BINDIR);
// Programs of its own, that may be replaced.
const programs = mkdtempSync(path.join(tmpdir(), 'genkan-programs-'));
for (const name of ['genkan', 'genkan-host', 'genkan-server']) copyFileSync(path.join(built, name), path.join(programs, name));
process.env.GENKAN_BINDIR = programs;
const { attached, call, id, inWorld, json, refused, until } = await import('./world.mjs');

/** As an installer does it: a new file, then a rename. */
function upgrade(name) {
  const to = path.join(programs, name);
  copyFileSync(to, `${to}.new`);
  appendFileSync(`${to}.new`, 'new');
  renameSync(`${to}.new`, to);
}

await inWorld(async (world) => {
  world.later(() => rmSync(programs, { recursive: true }));
  const lock = () => {
    try {
      return world.lock();
    } catch {
      return null;
    }
  };
  const doctor = async () => JSON.parse((await world.genkan(['doctor', '--json'], { ms: 10_000 })).out);
  const old = await world.client();
  const browser = await world.browser();
  await attached(old);
  const popup = await browser.page(`chrome-extension://${id}/popup.html`);
  const says = async (pill, sentence, what) => {
    const shown = () => popup.eval(`[document.querySelector('.pill')?.innerText, document.body.innerText]`);
    await until(async () => ((is, all) => is === pill && sentence.test(all))(...(await shown())), what, 15_000).catch(() => {});
    const [is, all] = await shown();
    t.ok(is === pill && sentence.test(all), `popup: ${what}`, [is, all]);
  };
  await says('Connected', /connected/, 'connected');

  await t.part('the server is replaced under a browser', async () => {
    upgrade('genkan-server');
    await until(() => lock() === null, 'the old one gives up the lock');
    t.equal(json(await call(old, 'list_browsers')).browsers.map((b) => [b.label, typeof b.tabCount]), [['chromium', 'number']], 'list_browsers: its client still has the browser that it had, and that answers');
    await popup.goto(`chrome-extension://${id}/popup.html`);
    await says('Unverified', /cannot be found any more, and may still do so/, 'not connected to a server that nobody finds, which may drive the browser still');
    const d = await doctor();
    t.equal([d.healthy, d.lock.state], [false, 'absent'], 'doctor: no server that one could find');
  });

  await t.part('a client of the new installation comes', async () => {
    const next = await world.client();
    await attached(next);
    await says('Connected', /connected/, 'the browser follows, and says so');
    t.equal((await doctor()).lock.reachable, true, 'doctor: the new server answers');
    const [code, sentence] = await refused(old, 'list_browsers');
    t.ok(code === 'PROTOCOL_MISMATCH' && /upgraded while this server ran.*restart the MCP client/.test(sentence), 'list_browsers: the old server says what it is, and the way out', [code, sentence]);
    t.equal(json(await call(next, 'list_browsers')).count, 1, 'and the new one has the browser');
  });
});
t.done();
