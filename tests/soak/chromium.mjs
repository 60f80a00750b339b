// A real Chromium in the soak's world, told by lines on stdin what to do: `allow` the site that waits,
// `stop` the extension's worker, `quit`.
//
//   chromium.mjs FOLDER URL      says `ready` when the page is there, and `stopped` after a stop
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import path from 'node:path';

const [folder, url] = process.argv.slice(2);
const e2e = (name) => import(pathToFileURL(path.join(process.env.GENKAN_E2E, name)));
const { World, answerSite, id, preparePermission } = await e2e('world.mjs');
const { within } = await e2e('cdp.mjs');

const browser = await new World(folder).browser();
await browser.page(`${url}other`);
const tab = await browser.page(url);
await preparePermission(browser, new URL(url).origin);
console.log('ready');

/** Stops it under whatever it does; a message wakes it, as a click of the person would. */
async function stop() {
  const page = await browser.page(`chrome-extension://${id}/popup.html`);
  await page.send('ServiceWorker.enable');
  await page.send('ServiceWorker.stopAllWorkers');
  await within(10_000, page.eval('chrome.runtime.sendMessage({type: "get_status"})'), 'waking').catch(() => {});
  await page.close();
  await tab.send('Page.bringToFront');
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'quit') break;
  await (line === 'allow' ? answerSite(browser) : stop());
  console.log(line === 'allow' ? 'allowed' : 'stopped');
}
await browser.close();
