// run: beside
// Every tool that the debugger carries, against everything that can become of a call (matrix.mjs), and
// beside it what takes long by either backend: sites and windows that nobody answers.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { checks, needChromium } from './cdp.mjs';
import { allowColumn, approve, countingSite, Floor, lateColumn, Matrix, noticeColumn, offColumn, refColumns, ROWS, siteColumns, tabClosedColumn, windowColumns } from './matrix.mjs';
import { granted, holds, optionsPage, paired } from './persons.mjs';
import { attached, inWorld, until } from './world.mjs';

needChromium();
const t = checks();

/** The windows of an unpaired extension have the clock of the defaults: a browser of its own for each tool. */
const unpairedLate = (m, tool) =>
  inWorld(async (world) => {
    const home = await countingSite();
    world.later(home.close);
    const client = await world.client();
    const browser = await world.browser();
    await attached(client);
    const floor = new Floor(client, browser);
    await approve(floor, home);
    await lateColumn(m, floor, { [tool]: await floor.open(home) }, [tool]);
  }).catch((e) => m.cell(tool, 'late', false, e.stack));

await inWorld(async (world) => {
  world.file = path.join(world.folder, 'file.txt');
  writeFileSync(world.file, 'contents');
  const [home, other, first, third] = await Promise.all([0, 1, 2, 3].map(countingSite));
  for (const web of [home, other, first, third]) world.later(web.close);
  const client = await world.client();
  const browser = await world.browser();
  await attached(client);
  const m = new Matrix(t, world, { cdp: true });
  const floor = new Floor(client, browser);
  await approve(floor, home);
  await approve(floor, other);
  const options = await optionsPage(browser);
  await paired(world, options);
  await granted(options, { cdpMode: true, pageEvalEnabled: true, presenceConfirm: false, confirmGraceMs: 0, warnPreciseSnapshot: false });
  const debug = Object.keys(ROWS).filter((tool) => ROWS[tool].debug);

  const pool = await floor.openAll(first, [...new Set([...m.of('site late'), ...m.of('site denied')])]);
  let late = null;
  await t.part('sites', async () => {
    await granted(options, { handleDialogEnabled: true, fileUploadEnabled: true });
    ({ late } = await siteColumns(m, floor, { first, third, other, pool }));
  });
  const unpaired = Object.keys(ROWS).filter((tool) => ROWS[tool].unpaired).map((tool) => unpairedLate(m, tool));
  const windows = await floor.openAll(home, m.of('off'));

  await t.part('windows', () => windowColumns(m, floor, windows, home, other));
  await t.part('refs', () => refColumns(m, floor, home, other, third));
  await t.part('allowed', () => allowColumn(m, floor, home, ({ confirm }) => confirm === 'every-call' || confirm === 'high-risk'));
  await Promise.all([late, ...unpaired]);

  await t.part('windows that nobody answers', async () => {
    const overlay = { clickToastTimeoutMs: 1500, evalToastTimeoutMs: 1500, warnPreciseSnapshot: true };
    await options.say({ type: 'restrict_policy', overlay });
    await holds(options, overlay);
    await lateColumn(m, floor, windows);
    await noticeColumn(m, floor, home, other);
  });

  await t.part('closed tabs', () => tabClosedColumn(m, floor, pool, third));

  await t.part('disabled', async () => {
    const disabledTools = m.of('off');
    await options.say({ type: 'restrict_policy', overlay: { disabledTools } });
    await until(async () => (await options.say({ type: 'get_policy' })).effective?.disabledTools.length === disabledTools.length, 'the restriction');
    await offColumn(m, floor, windows, /disabled|off by policy/);
    await granted(options, { disabledTools: [] });
    for (const [field, tools] of [['handleDialogEnabled', ['page_handle_dialog']], ['fileUploadEnabled', ['page_upload']], ['pageEvalEnabled', ['page_eval']], ['cdpMode', debug]]) {
      await options.say({ type: 'restrict_policy', overlay: { [field]: false } });
      await holds(options, { [field]: false });
      await offColumn(m, floor, windows, new RegExp(field), tools);
    }
  });

  m.print();
});
t.done();
