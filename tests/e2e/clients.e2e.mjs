// Every official client, in every mode it has, does the same errand through the whole chain.
import { checks, needChromium } from './cdp.mjs';
import { form, done } from './fixtures.mjs';
import { answer, answerSite, attached, call, inWorld, json, preparePermission, site, text } from './world.mjs';

needChromium();
const t = checks();

await inWorld(async (world) => {
  const pages = await site({ '/': form, '/done': done });
  world.later(pages.close);
  const browser = await world.browser();
  await preparePermission(browser, pages.origin);
  let first = true;
  for (const mode of ['auto', 'pin', 'legacy', 'sdk1']) {
    await t.part(mode, async () => {
      const client = await world.client(mode);
      const { tools } = await client.listTools();
      t.equal(tools.length, 26, `${mode}: the catalogue has 26 tools`);
      t.equal(tools.map((x) => x.name).slice(0, 3), ['list_browsers', 'tab_list', 'tab_focus'], `${mode}: in its order`);
      await attached(client);
      const tab = await browser.page(`${pages.origin}/`);
      const tabs = json(await call(client, 'tab_list'));
      const mine = tabs.filter((x) => x.url === `${pages.origin}/`).at(-1);
      t.ok(mine !== undefined && mine.title === 'Form', `${mode}: tab_list names the page`, tabs);
      const tabId = mine.id;
      const reading = call(client, 'page_text', { tabId });
      if (first) await answerSite(browser);
      first = false;
      t.match(json(await reading).text, /Sign up/, `${mode}: page_text reads it`);
      const outline = text(await call(client, 'page_snapshot', { tabId }));
      const ref = (pattern) => pattern.exec(outline)?.[1];
      t.match(outline, /textbox "Name" \[ref=e\d+\]/, `${mode}: page_snapshot lists the field`);
      const filling = call(client, 'page_fill', { tabId, ref: ref(/textbox "Name" \[ref=(e\d+)\]/), value: `by ${mode}` });
      await answer(browser, 'allow');
      t.equal(Object.keys(json(await filling)), ['filled'], `${mode}: page_fill fills, and does not echo the value`);
      const clicking = call(client, 'page_click', { tabId, ref: ref(/button "Send" \[ref=(e\d+)\]/) });
      await answer(browser, 'allow');
      const clicked = json(await clicking);
      t.ok(clicked.navigated === true && clicked.url === `${pages.origin}/done`, `${mode}: page_click submits and tells where it led`, clicked);
      t.match(await tab.eval('document.body.innerText'), new RegExp(`name=by\\+${mode}`), `${mode}: the page received it`);
      await tab.close();
      await client.close();
    });
  }
});
t.done();
