// run: alone
// The first call on a new site with the browser's own permission prompt: headed, under Xvfb, keys
// pressed by xdotool. Nothing is granted beforehand, and the popup is closed by the prompt.
import { spawn, execFileSync } from 'node:child_process';
import { cannotRun, checks, have, needChromium, sleep } from './cdp.mjs';
import { pages } from './fixtures.mjs';
import { attached, call, id, inWorld, json, refused, site, until } from './world.mjs';

needChromium();
for (const program of ['Xvfb', 'xdotool']) if (!have(program)) cannotRun(`no ${program}`);
const t = checks();

function display() {
  const x = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  return new Promise((resolve, reject) => {
    x.stdio[3].once('data', (d) => resolve({ name: `:${String(d).trim()}`, stop: () => x.kill() }));
    x.once('exit', () => reject(new Error('Xvfb ended')));
  });
}

await inWorld(async (world) => {
  const web = await site(pages);
  world.later(web.close);
  const x = await display();
  world.later(x.stop);
  const env = { DISPLAY: x.name };
  const keys = (...k) => execFileSync('xdotool', ['key', ...k], { env: { ...process.env, ...env } });
  const client = await world.client();
  const browser = await world.browser({ headless: false, args: ['--ozone-platform=x11'], env });
  await attached(client);
  await browser.page(`${web.origin}/`);
  const tabId = json(await call(client, 'tab_list')).find((y) => y.url === `${web.origin}/`).id;
  const worker = await browser.worker(id);
  const held = () => worker.eval('chrome.permissions.contains({origins: ["http://127.0.0.1/*"]})');

  /** The extension tries to open its popup itself; where it may not, a person clicks the icon. */
  const clickAllow = async () => {
    const isPopup = (y) => y.type === 'page' && y.url.startsWith(`chrome-extension://${id}/popup.html`);
    let found = await browser.target(isPopup, 3_000).catch(() => null);
    if (!found) {
      await worker.eval('chrome.action.openPopup()').catch(() => {});
      found = await browser.target(isPopup, 5_000);
    }
    const popup = await browser.attach(found.targetId);
    await popup.until('document.querySelector(\'[data-act="site-allow"]\') !== null');
    await popup.click('[data-act="site-allow"]');
    await until(async () => !(await browser.targets()).some(isPopup), 'the prompt closes the popup', 5_000);
    await sleep(1_000); // the prompt takes its keys only once it has been up for a while
  };

  await t.part('the prompt is denied', async () => {
    const asked = refused(client, 'page_text', { tabId }, { timeout: 100_000 });
    await clickAllow();
    keys('Escape');
    await sleep(500);
    t.equal(await held(), false, 'Escape grants nothing');
    const [code] = await asked;
    t.equal(code, 'SITE_NOT_ALLOWED', 'the call is refused when its minute is over');
  });

  await t.part('the prompt is allowed', async () => {
    const asked = call(client, 'page_text', { tabId });
    await clickAllow();
    keys('Tab', 'Return');
    t.match(json(await asked).text, /Sign up/, 'the waiting call gets its answer');
    t.equal(await held(), true, 'the permission is held');
    const { allowlist } = await worker.eval('chrome.storage.local.get("allowlist")');
    t.equal(allowlist, [`${web.origin}/*`], 'and the entry stored');
  });
});
t.done();
