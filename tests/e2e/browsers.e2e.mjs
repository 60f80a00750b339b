// Two browsers with labels, and two clients on one browser.
import { checks, needChromium } from './cdp.mjs';
import { pages } from './fixtures.mjs';
import { answerSite, attached, call, inWorld, json, preparePermission, refused, site } from './world.mjs';

needChromium();
const t = checks();

await inWorld(async (world) => {
  const web = await site(pages);
  world.later(web.close);
  const one = await world.client('auto');
  const two = await world.client('legacy');
  const work = await world.browser({ label: 'work' });
  const home = await world.browser({ label: 'home' });
  await attached(one, 'work');
  await attached(two, 'home');

  await t.part('labels', async () => {
    const { browsers, count } = json(await call(one, 'list_browsers'));
    t.equal([count, browsers.map((b) => b.label)], [2, ['home', 'work']], 'list_browsers names both, sorted');
    t.ok(browsers.every((b) => Number.isInteger(b.tabCount)), 'with their numbers of tabs');
    const [code, sentence] = await refused(one, 'tab_list');
    t.equal(code, 'BROWSER_AMBIGUOUS', 'a call that names none is refused');
    t.match(sentence, /home, work/, 'and told the labels');
    const [unknown, which] = await refused(one, 'tab_list', { browser: 'elsewhere' });
    t.equal(unknown, 'BROWSER_NOT_FOUND', 'an unknown label is refused');
    t.match(which, /elsewhere.*home, work/s, 'and told what there is');
  });

  await t.part('each call reaches its own browser', async () => {
    await work.page(`${web.origin}/form`);
    await home.page(`${web.origin}/long`);
    const at = async (client, browser) => json(await call(client, 'tab_list', { browser })).map((x) => x.title);
    const [a, b, c, d] = await Promise.all([at(one, 'work'), at(one, 'home'), at(two, 'work'), at(two, 'home')]);
    t.ok(a.includes('Form') && !a.includes('Long'), 'client one, work', a);
    t.ok(b.includes('Long') && !b.includes('Form'), 'client one, home', b);
    t.equal([c, d], [a, b], 'client two sees the same');
  });

  await t.part('two clients on one browser, crossing', async () => {
    await preparePermission(work, web.origin);
    const find = async () => json(await call(one, 'tab_list', { browser: 'work' })).find((x) => x.url === `${web.origin}/form`).id;
    const tabId = await find();
    const first = call(one, 'page_text', { browser: 'work', tabId });
    await answerSite(work);
    await first;
    // A tab holds 32 waiting calls at most.
    const calls = [];
    for (let i = 0; i < 30; i++) calls.push(call(i % 2 ? one : two, 'page_text', { browser: 'work', tabId, selector: i % 4 < 2 ? 'h1' : '#next' }).then((r) => [i, json(r).text]));
    const wrong = (await Promise.all(calls)).filter(([i, said]) => said.trim() !== (i % 4 < 2 ? 'Sign up' : 'Next page'));
    t.equal(wrong, [], '30 calls of two clients at once: each gets its own answer');
  });

  await t.part('one browser goes', async () => {
    await home.close();
    const tabs = json(await call(one, 'tab_list'));
    t.ok(tabs.some((x) => x.title === 'Form'), 'the one that is left needs no label', tabs);
  });
});
t.done();
