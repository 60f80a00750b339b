// Nobody calls for a while, the machine sleeps, the extension is loaded anew, the browser starts
// again: the next call works, with the same client and the same server, and nothing else restarted.
//
// run: beside
import { readFileSync, readdirSync } from 'node:fs';
import { checks, needChromium, sleep } from './cdp.mjs';
import { attached, call, id, inWorld, json, site, until } from './world.mjs';

needChromium();
const t = checks();
/** A call finds what it needs, or waits for the extension, which dials anew after two seconds. */
const SOON = 6_000;
const MINUTE = 60_000;

/** The browser, its children and its host: everything below a process. */
function tree(pid) {
  const children = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^[0-9]+$/.test(name)) continue;
    try {
      const parent = Number(readFileSync(`/proc/${name}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ')[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    } catch {
      // gone meanwhile
    }
  }
  const below = (p) => [p, ...(children.get(p) ?? []).flatMap(below)];
  return below(pid);
}

/** A world with these browsers, one client and its server; `works` makes the next call. */
async function chain(world, labels) {
  const web = await site({ '/': '<!doctype html><title>Waiting</title><p>still here</p>' });
  world.later(web.close);
  const client = await world.client();
  const { pid } = client;
  const started = {};
  for (const label of labels) {
    started[label] = await world.browser({ label });
    await attached(client, label);
    await started[label].page(`${web.origin}/`);
  }
  const server = world.lock().pid;
  const titles = async (browser) => json(await call(client, 'tab_list', { browser })).map((x) => x.title);
  return {
    web,
    started,
    titles,
    // A session of the debugger keeps a worker alive, so there is none while nobody calls.
    letGo: async (browser) => {
      for (const { targetId } of (await browser.targets()).filter((x) => x.attached)) await browser.send('Target.detachFromTarget', { targetId }).catch(() => {});
    },
    works: async (browser, what, soon = SOON) => {
      const began = Date.now();
      const seen = await titles(browser).catch((e) => e.message);
      const ms = Date.now() - began;
      t.ok(Array.isArray(seen) && ms <= soon, `${what}: the next call works (${ms} ms)`, seen);
      t.equal([client.pid, world.lock().pid], [pid, server], `${what}: of the same client, with the same server`);
    },
  };
}

const waiting = inWorld(async (world) => {
  const { started, titles, letGo, works } = await chain(world, ['six', 'one', 'asleep']);

  const idle = (label, ms) =>
    t.part(`idle: ${label}`, async () => {
      await letGo(started[label]);
      await sleep(ms);
      await works(label, `after ${ms / MINUTE} minutes without a call`);
    });

  const asleep = () =>
    t.part('the machine sleeps and wakes', async () => {
      const browser = started.asleep;
      await letGo(browser);
      const all = tree(browser.pid);
      world.later(() => all.forEach((p) => { try { process.kill(p, 'SIGCONT'); } catch { /* gone */ } }));
      for (const p of all) process.kill(p, 'SIGSTOP');
      await sleep(20_000);
      // One that is made meanwhile waits, and is answered once the browser goes on.
      const during = titles('asleep').catch((e) => e.message);
      await sleep(20_000);
      for (const p of all.reverse()) process.kill(p, 'SIGCONT');
      const woken = Date.now();
      const seen = await during;
      t.ok(Array.isArray(seen) && seen.includes('Waiting') && Date.now() - woken <= SOON, `asleep: a call that was made meanwhile is answered (${Date.now() - woken} ms after it woke)`, seen);
      await works('asleep', 'after 40 seconds asleep');
      await sleep(5_000);
      await works('asleep', 'and a little later');
    });

  await Promise.all([idle('six', 6 * MINUTE), idle('one', MINUTE), asleep()]);
});

// Alone with its server: a call without a browser waits for one, whereas a label that is not there
// among others is an error at once.
const anew = inWorld(async (world) => {
  const { web, started, titles, works } = await chain(world, ['anew']);

  await t.part('the extension is loaded anew', async () => {
    const browser = started.anew;
    const page = await browser.page('chrome://extensions/');
    // Whoever loads an unpacked extension has it; without, the browser keeps one off that is loaded anew.
    await page.eval('chrome.developerPrivate.updateProfileConfiguration({ inDeveloperMode: true })');
    for (const [what, reload] of [
      ['by itself', async () => void (await browser.worker(id)).eval('chrome.runtime.reload()').catch(() => {})],
      ['by a developer', () => page.eval(`chrome.developerPrivate.reload(${JSON.stringify(id)}, { failQuietly: true })`)],
    ]) {
      const before = world.pids('genkan-host');
      await reload();
      await until(() => !world.pids('genkan-host').some((p) => before.includes(p)), 'the old host ends');
      await works('anew', `loaded anew ${what}`);
    }
    await page.close();
  });

  await t.part('the browser starts again', async () => {
    await started.anew.close();
    const first = titles('anew').then((all) => Array.isArray(all), (e) => e.message);
    const again = await world.browser({ label: 'anew', args: ['--restore-last-session'] });
    t.equal(await first, true, 'a call that was made while there was no browser is answered by it');
    await works('anew', 'after a start of the browser');
    await again.page(`${web.origin}/`);
    await again.close();
    await world.browser({ label: 'anew' });
    await works('anew', 'after another one');
  });
});

await Promise.all([waiting, anew]);
t.done();
