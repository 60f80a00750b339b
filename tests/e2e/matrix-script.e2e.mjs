// Every tool by the content script, against everything that can become of a call (matrix.mjs).
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { checks, needChromium } from './cdp.mjs';
import { allowColumn, approve, countingSite, Floor, lateColumn, Matrix, offColumn, refColumns, ROWS, siteColumns, tabClosedColumn, windowColumns } from './matrix.mjs';
import { granted, holds, optionsPage, paired } from './persons.mjs';
import { attached, inWorld, until } from './world.mjs';

needChromium();
const t = checks();

await inWorld(async (world) => {
  const [home, other, first, second] = await Promise.all([0, 1, 2, 3].map(countingSite));
  for (const web of [home, other, first, second]) world.later(web.close);
  const client = await world.client();
  const browser = await world.browser();
  await attached(client);
  world.file = path.join(world.folder, 'file.txt');
  writeFileSync(world.file, 'contents');
  const m = new Matrix(t, world, { cdp: false, unpaired: true });
  const floor = new Floor(client, browser);
  await t.part('the table', () => m.agrees(client));
  await approve(floor, home);
  await approve(floor, other);
  const unpaired = Object.keys(ROWS).filter((tool) => ROWS[tool].unpaired);
  const options = await optionsPage(browser);
  const debug = Object.keys(ROWS).filter((tool) => ROWS[tool].debug);
  const pool = await floor.openAll(home, m.of('off'));

  await t.part('windows while unpaired', async () => {
    await windowColumns(m, floor, pool, home, other, unpaired);
    await offColumn(m, floor, pool, /genkan pair/, [...debug, 'page_eval']);
  });

  await t.part('grants', async () => {
    await paired(world, options);
    await offColumn(m, floor, pool, /genkan policy set/, [...debug, 'page_eval']);
    await granted(options, { pageEvalEnabled: true, presenceConfirm: false, confirmGraceMs: 0 });
    await offColumn(m, floor, pool, /cdpMode/, debug);
  });

  await t.part('windows', () => windowColumns(m, floor, pool, home, other));

  await t.part('refs', () => refColumns(m, floor, home, other, first));

  await t.part('windows that nobody answers', async () => {
    const overlay = { clickToastTimeoutMs: 1500, evalToastTimeoutMs: 1500 };
    await options.say({ type: 'restrict_policy', overlay });
    await holds(options, overlay);
    await lateColumn(m, floor, pool);
    await granted(options, { clickToastTimeoutMs: 30_000, evalToastTimeoutMs: 45_000 });
  });

  await t.part('allowed', () => allowColumn(m, floor, home, ({ confirm }) => confirm === 'every-call' || confirm === 'high-risk'));

  await t.part('disabled', async () => {
    const disabledTools = m.of('off');
    await options.say({ type: 'restrict_policy', overlay: { disabledTools } });
    await until(async () => (await options.say({ type: 'get_policy' })).effective?.disabledTools.length === disabledTools.length, 'the restriction');
    await offColumn(m, floor, pool, /disabled|off by policy/);
    await granted(options, { disabledTools: [] });
  });

  await t.part('sites', async () => {
    for (const tool of m.of('site denied')) await floor.move(pool[tool], first);
    await siteColumns(m, floor, { first, second, other, pool });
    await tabClosedColumn(m, floor, pool, second);
  });

  m.print();
});
t.done();
