// What ./quickstart shows: an official MCP client works a page in a real Chromium, hop by hop.
import { answer, answerSite, attached, bindir, call, inWorld, json, preparePermission, site, text } from './world.mjs';

const shop = `<!doctype html><meta charset="utf-8"><title>Corner shop</title>
<h1>Order a lamp</h1><p>Three lamps are left in stock.</p>
<form action="/thanks"><label>Your name <input name="who"></label>
<label>Colour <select name="colour"><option>white<option>brass</select></label>
<button>Order now</button></form>`;
const thanks = ({ req }) => {
  const q = new URL(req.url, 'http://x').searchParams;
  return `<!doctype html><meta charset="utf-8"><title>Thank you</title><p>A ${q.get('colour')} lamp for ${q.get('who').replaceAll('<', '&lt;')} is on its way.</p>`;
};

let number = 0;
const say = (line) => console.log(`  ${String(++number).padStart(2)}. ${line}`);
const under = (block) => console.log(block.replace(/^/gm, '        '));

await inWorld(async (world) => {
  const pages = await site({ '/': shop, '/thanks': thanks });
  world.later(pages.close);
  const client = await world.client('auto');
  say(`MCP client connected to ${bindir}/genkan-server over stdio; ${(await client.listTools()).tools.length} tools`);
  const browser = await world.browser();
  await attached(client);
  say(`Chromium is up; its extension reached the server through genkan-host (socket ${world.lock().endpoint})`);

  const tab = await browser.page(pages.origin);
  const tabs = json(await call(client, 'tab_list'));
  const { id: tabId } = tabs.find((t) => t.url.startsWith(pages.origin));
  say(`tab_list: ${tabs.length} tabs, the shop is tab ${tabId}`);

  await preparePermission(browser, pages.origin);
  const waiting = call(client, 'page_text', { tabId });
  await answerSite(browser);
  say(`page_text on a new site waited for the person, who clicked Allow in the popup:`);
  under(json(await waiting).text);

  const outline = text(await call(client, 'page_snapshot', { tabId }));
  say('page_snapshot: what a model sees of the page');
  under(outline);
  const ref = (pattern) => pattern.exec(outline)[1];

  // An extension that was never paired asks for every fill; the next ones in a minute are covered.
  const filling = call(client, 'page_fill', { tabId, ref: ref(/textbox "[^"]*name[^"]*" \[ref=(e\d+)\]/), value: 'Ada' });
  await answer(browser, 'allow');
  await filling;
  say('page_fill: "Ada", after Allow in the confirmation window');

  const clicking = call(client, 'page_click', { tabId, ref: ref(/button "Order now" \[ref=(e\d+)\]/) });
  await answer(browser, 'allow');
  const clicked = json(await clicking);
  say(`page_click on "Order now": ${JSON.stringify(clicked)}`);
  await call(client, 'page_wait_for', { tabId, nav: true });
  say(`the page says: ${await tab.eval('document.body.innerText')}`);
  if (!pages.log.some((r) => r.url.startsWith('/thanks?who=Ada'))) throw new Error('the order never arrived');
  say('the order arrived at the shop; everything is shut down again');
});
