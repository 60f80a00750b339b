// The outline of tools.md 6.3 in real Chromium: fixture pages against golden text, in both worlds.
import { checks, launch, needChromium } from './cdp.mjs';
import { factorySource, golden, instance, serve } from './pages/harness.mjs';

needChromium();
const t = checks();
const source = await factorySource();
const site = await serve();
const browser = await launch();

const page = await browser.page();
for (const name of ['shop', 'roles', 'names', 'structure', 'hidden', 'values', 'hostile', 'shadow', 'frames', 'frameset']) {
  await t.part(name, async () => {
    for (const world of ['isolated', 'main']) {
      await page.goto(`${site.origin}/${name}.html`);
      const api = await instance(page, source, { world });
      golden(t, `${name}.short`, site.neutral(await api.outline()), `${name}: interactive elements, ${world} world`);
      golden(t, `${name}.full`, site.neutral(await api.outline({ interactiveOnly: false })), `${name}: everything, ${world} world`);
    }
  });
}

await browser.close();
site.close();
t.done();
