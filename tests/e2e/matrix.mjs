// The table behind matrix-script and matrix-cdp: every tool against everything that can become of a call.
//
// A row says how a tool is called and what it leaves behind in the page; what it needs is compared with
// the contract. A cell is checked, or says why it does not apply: one that is neither fails the file.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { sleep, within } from './cdp.mjs';
import { answerSite, call, confirmation, id, preparePermission, press, site, tabAt, text, until } from './world.mjs';

/** The catalogue as the extension was built from it. */
function contract() {
  const folder = process.env.GENKAN_EXT_DIR ?? path.join(process.cwd(), '..', '..', 'extension');
  const source = readFileSync(path.join(folder, '.contract', 'ops.ts'), 'utf8');
  return new Function(`return [${/export const OPS = \[([\s\S]*?)\] as const;/.exec(source)[1]}]`)();
}

/** Whatever a page holds that no refused call may carry away. */
export const SECRET = 'kiwi';

/** A page that keeps count of all that is done to it. */
const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Counting</title>
<script>
  localStorage.setItem('fruit', '${SECRET}');
  document.cookie = 'fruit=${SECRET}';
  console.log('${SECRET}');
  var hits = [];
  for (const type of ['pointerdown', 'mousedown', 'click', 'auxclick', 'contextmenu', 'pointerover', 'mouseover', 'mousemove', 'keydown', 'keyup', 'beforeinput', 'input', 'change', 'submit', 'scroll', 'paste', 'storage'])
    addEventListener(type, () => hits.push(type), true);
  new MutationObserver((all) => hits.push(...all.map((m) => m.type + ' ' + m.attributeName))).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
</script>
<body><p>${SECRET}</p>
<a id="go" href="#there">Go</a> <button id="spot" type="button">Spot</button>
<input id="field" aria-label="Field"> <select id="pick" aria-label="Pick"><option value="s">Small</option><option value="l">Large</option></select>
<input type="file" id="file"><div style="height:3000px"></div><p id="there">end</p>`;

/** All that a call could have changed. */
const STATE = `JSON.stringify([hits, document.title, document.activeElement.tagName, scrollY, field.value, pick.value, file.files.length, location.href, performance.timeOrigin, history.length])`;

export const countingSite = () => site({ '/': PAGE });

/** What a page of a counting site has seen so far. */
export const stateOf = (tab) => tab.session.eval(STATE);
const parts = async (tab) => {
  const [hits, title, active, scrollY, field, pick, files, href] = JSON.parse(await stateOf(tab));
  return { hits, title, active, scrollY, field, pick, files, href };
};

/** Code and text of what a call came to; `ok` and its block if it was carried out. */
export async function outcome(client, tool, args, options = {}) {
  try {
    const result = await call(client, tool, args, { timeout: 150_000, ...options });
    return { code: 'ok', text: result.content[0].text ?? '', result };
  } catch (e) {
    const m = /^Error \[([A-Z_]+)\]: (.*)$/s.exec(e.message);
    return m ? { code: m[1], text: m[2] } : { code: 'broken', text: e.message };
  }
}

const json = ({ result }) => JSON.parse(text(result));
const onTab = (more = {}) => (tab) => ({ tabId: tab.id, ...more });
const target = (selector, name, more = {}) => ({
  args: onTab({ selector, ...more }),
  byRef: name,
});

/**
 * Rows: `confirm`, `refs`, `at` as the contract has them; `site`: whose approval is due; `args(tab)`;
 * `did(out, tab, world)`: whether an allowed call has done what it is for.
 */
export const ROWS = {
  list_browsers: { confirm: 'none', at: 'SRV', site: null, args: () => ({}), did: (out) => json(out).count === 1 },
  tab_list: { confirm: 'none', at: 'SW', site: null, args: () => ({}), did: (out, tab) => json(out).some((x) => x.id === tab.id) },
  tab_focus: { confirm: 'none', at: 'SW', site: null, args: onTab(), did: async (out, tab, { client }) => (await tabs(client)).find((x) => x.id === tab.id).active },
  tab_open: {
    confirm: 'none', at: 'SW', site: 'url', args: (tab) => ({ url: `${tab.origin}${tab.start}&opened` }),
    did: async (out, tab, { client }) => (await tabs(client)).some((x) => x.id === json(out).opened),
  },
  tab_close: { confirm: 'every-call', at: 'SW', site: 'page', ends: true, args: onTab(), did: async (out, tab, { client }) => !(await tabs(client)).some((x) => x.id === tab.id) },
  page_snapshot: { confirm: 'none', at: 'PG', site: 'page', args: onTab(), did: (out) => /textbox "Field" \[ref=e\d+\]/.test(out.text) },
  page_click: { confirm: 'high-risk', at: 'PG', site: 'page', ...target('#go', 'Go'), did: async (out, tab) => count((await parts(tab)).hits, 'click') === 1 },
  page_fill: { confirm: 'none', at: 'PG', site: 'page', unpaired: true, ...target('#field', 'Field', { value: 'new' }), did: async (out, tab) => (await parts(tab)).field === 'new' },
  page_text: { confirm: 'none', at: 'PG', site: 'page', args: onTab(), did: (out) => json(out).text.includes(SECRET) },
  page_screenshot: { confirm: 'none', at: 'PGSW', site: 'page', args: onTab(), did: (out) => Buffer.from(out.result.content[0].data, 'base64').subarray(1, 4).toString() === 'PNG' },
  page_scroll: { confirm: 'none', at: 'PG', site: 'page', args: onTab({ direction: 'bottom' }), did: async (out, tab) => (await parts(tab)).scrollY > 1000 },
  page_wait_for: { confirm: 'none', at: 'PG', site: 'page', args: onTab({ selector: '#field' }), did: (out) => json(out).matched === true },
  page_eval: {
    confirm: 'every-call', at: 'PG', site: 'page', args: onTab({ code: `document.title = 'evaluated'; return '${SECRET}'` }),
    did: async (out, tab) => json(out) === SECRET && (await parts(tab)).title === 'evaluated',
  },
  page_snapshot_precise: { confirm: 'warn', at: 'SW', site: 'page', debug: true, args: onTab(), did: (out) => /textbox "Field" \[ref=p\d+\]/.test(out.text) },
  cookie_get: { confirm: 'none', at: 'SW', site: 'page', unpaired: true, args: onTab(), did: (out) => json(out).cookies.some((c) => c.value === SECRET) },
  storage_get: { confirm: 'none', at: 'PG', site: 'page', unpaired: true, args: onTab({ key: 'fruit' }), did: (out) => json(out).value === SECRET },
  page_navigate: { confirm: 'none', at: 'SW', site: 'url', args: (tab) => ({ tabId: tab.id, url: `${tab.origin}${tab.start}&navigated` }), did: (out, tab) => arrives(tab, `${tab.start}&navigated`) },
  page_back: { confirm: 'none', at: 'SW', site: 'page', history: true, args: onTab(), did: (out, tab) => arrives(tab, tab.start) },
  page_forward: { confirm: 'none', at: 'SW', site: 'page', history: true, args: onTab(), did: (out, tab) => arrives(tab, `${tab.start}&next`) },
  page_reload: {
    confirm: 'none', at: 'SW', site: 'page', args: onTab(),
    async did(out, tab) {
      await until(() => tab.web.log.filter((r) => r.url === tab.start).length === 2, 'the second request');
      return true;
    },
  },
  page_press: { confirm: 'every-call', at: 'PG', site: 'page', args: onTab({ keys: 'Escape' }), did: async (out, tab) => count((await parts(tab)).hits, 'keydown') === 1 },
  page_hover: { confirm: 'none', at: 'PG', site: 'page', ...target('#spot', 'Spot'), did: async (out, tab) => count((await parts(tab)).hits, 'mouseover') === 1 },
  page_select: { confirm: 'every-call', at: 'PG', site: 'page', ...target('#pick', 'Pick', { value: 'Large' }), did: async (out, tab) => (await parts(tab)).pick === 'l' },
  console_get: { confirm: 'warn', at: 'SW', site: 'page', debug: true, args: onTab(), did: (out) => json(out).entries.some((e) => e.text === SECRET) },
  page_handle_dialog: {
    confirm: 'warn', at: 'SW', site: 'page', debug: true, args: onTab({ action: 'accept' }),
    async before(tab, { client }) {
      await call(client, 'page_text', { tabId: tab.id }); // a session that sees it open
      await tab.session.eval('void setTimeout(() => { document.title = String(confirm("sure?")) })');
      await until(async () => /confirm dialog/.test((await outcome(client, 'page_text', { tabId: tab.id })).text), 'the dialog');
    },
    did: async (out, tab) => (await parts(tab)).title === 'true',
  },
  page_upload: {
    confirm: 'every-call', at: 'SW', site: 'page', debug: true, args: (tab, { file }) => ({ tabId: tab.id, selector: '#file', path: file }),
    did: async (out, tab) => (await tab.session.eval('file.files[0].text()')) === 'contents',
  },
};

const count = (hits, type) => hits.filter((h) => h === type).length;
const tabs = async (client) => JSON.parse(text(await call(client, 'tab_list')));
async function arrives(tab, at) {
  await tab.session.until(`location.href === ${JSON.stringify(tab.origin + at)} && document.readyState === 'complete'`);
  return true;
}

export const COLUMNS = {
  allow: 'carried out, and seen in the page',
  off: 'taken away by the policy',
  'site denied': 'the person denies the site',
  'site late': 'nobody answers for the site',
  denied: 'the person denies in the window',
  closed: 'the person closes the window',
  late: 'nobody answers the window',
  cancelled: 'the client cancels while the window is shown',
  'tab closed': 'the tab is closed while the person is asked',
  'moved (site)': 'the tab goes to another site while the person is asked for the first',
  'moved (window)': 'the tab goes to another site while the window is shown',
  'other document': 'a ref of the document before, of the same site',
  'other site': 'a ref of the document before, of another site',
  'removed node': 'a ref of an element that was removed',
  'other tab': 'a ref of another tab',
  'other frame': 'a ref of a frame that is gone, shows something else or is of another tab',
};
const WINDOW = ['denied', 'closed', 'late', 'cancelled', 'moved (window)'];
const SITE = ['site denied', 'site late', 'moved (site)'];
const REFS = ['other document', 'other site', 'removed node', 'other tab', 'other frame'];

/** Why a cell does not apply; null if it does. */
function whyNot(tool, column, { cdp, unpaired }) {
  const row = ROWS[tool];
  if (tool === 'list_browsers') return column === 'allow' ? null : 'the server answers it, and asks nobody';
  if (row.debug && !cdp) return column === 'off' ? null : 'needs CDP mode: matrix-cdp';
  if (cdp && column !== 'site late' && !(column === 'late' && row.unpaired) && !row.debug && !row.history && !/^PG/.test(row.at)) return 'has no page half: matrix-script';
  if (SITE.includes(column) && row.site === null) return 'needs no site';
  if (column === 'moved (site)' && row.site === 'url') return 'leaves the page, whatever it is';
  if (column === 'tab closed' && row.site !== 'page') return 'asks nobody for the page';
  if (column === 'site late' && !cdp) return 'one wait for both backends: matrix-cdp';
  if (WINDOW.includes(column) && row.confirm === 'warn')
    return column === 'moved (window)' && tool !== 'page_handle_dialog' ? null : tool === 'page_handle_dialog' ? 'asks nobody' : 'a notice: tools-debugger';
  if (WINDOW.includes(column) && row.confirm === 'none') {
    if (row.unpaired !== true) return 'asks nobody';
    if (column === 'late') return cdp ? null : 'one wait for both backends: matrix-cdp';
    return unpaired ? null : 'asks while unpaired: matrix-script';
  }
  if (REFS.includes(column) && row.byRef === undefined) return 'takes no ref';
  return null;
}

/** The cells of one file. */
export class Matrix {
  #cells = new Map();

  constructor(t, world, options) {
    Object.assign(this, { t, world, options });
  }

  /** The tools whose cell in a column applies. */
  of(column) {
    return Object.keys(ROWS).filter((tool) => whyNot(tool, column, this.options) === null);
  }

  cell(tool, column, fine, detail) {
    const at = `${tool}, ${column}`;
    this.#cells.set(at, (this.#cells.get(at) ?? true) && Boolean(fine));
    this.t.ok(fine, `${tool}: ${COLUMNS[column]}`, detail);
  }

  /** Runs a body for a cell; what it throws is that cell's failure. */
  async try(tool, column, body) {
    try {
      await body();
    } catch (e) {
      this.cell(tool, column, false, String(e?.stack ?? e).replace(/there are: .*/, '...'));
    }
  }

  /** A refused call: its code, nothing of the page in its text, and the page as it was. */
  async refused(tool, column, tab, before, out, code, pattern = /./) {
    const after = tab === null ? null : await stateOf(tab);
    const asked = tab?.web.log.some((r) => [`${tab.start}&opened`, `${tab.start}&navigated`].includes(r.url)) ?? false;
    const fine = out.code === code && pattern.test(out.text) && !out.text.includes(SECRET) && before === after && !asked;
    this.cell(tool, column, fine, { wanted: [code, String(pattern)], out: [out.code, out.text], ...(before === after ? {} : { before, after }), asked });
  }

  /** The table names the tools of the contract and what each needs; no other, and none is missing. */
  async agrees(client) {
    const { tools } = await client.listTools();
    const listed = new Map(tools.map((x) => [x.name, x]));
    const rows = contract();
    this.t.equal([rows.length, tools.map((x) => x.name)], [26, rows.map((r) => r.name)], 'the server lists the tools of the contract');
    this.t.equal(Object.keys(ROWS).sort(), rows.map((r) => r.name).sort(), 'the table has a row for each of them');
    for (const { name, confirm, at, perm } of rows) {
      const row = ROWS[name] ?? {};
      const refs = listed.get(name)?.inputSchema.properties?.ref !== undefined;
      this.t.equal([row.confirm, row.at, row.debug ?? false, row.byRef !== undefined], [confirm, at, perm === 'debugger', refs], `${name}: confirmation, place, debugger and refs as in the contract`);
    }
  }

  /** Prints the table; a cell that was neither checked nor ruled out is a failure. */
  print() {
    const names = Object.keys(COLUMNS);
    const legend = new Map();
    const lines = Object.keys(ROWS).map((tool) => {
      const cells = names.map((column) => {
        const why = whyNot(tool, column, this.options);
        if (why !== null) {
          if (!legend.has(why)) legend.set(why, String.fromCharCode(97 + legend.size));
          return legend.get(why);
        }
        const was = this.#cells.get(`${tool}, ${column}`);
        if (was === undefined) this.t.ok(false, `${tool}: ${column} was looked at`);
        return was === undefined ? '?' : was ? 'ok' : 'BAD';
      });
      return [tool, ...cells];
    });
    console.log(`# ${'tool'.padEnd(22)}${names.map((c, i) => String(i + 1).padStart(4)).join('')}`);
    for (const [tool, ...cells] of lines) console.log(`# ${tool.padEnd(22)}${cells.map((c) => c.padStart(4)).join('')}`);
    names.forEach((c, i) => console.log(`# ${String(i + 1).padStart(2)}: ${COLUMNS[c]}`));
    for (const [why, letter] of legend) console.log(`#  ${letter}: n.a., ${why}`);
  }
}

/** The sites and tabs of one file. */
export class Floor {
  #next = 0;

  constructor(client, browser) {
    Object.assign(this, { client, browser });
  }

  /** A tab at a counting site. */
  async open(web, start = `/?n=${++this.#next}`) {
    const session = await this.browser.page(`${web.origin}${start}`);
    const tab = { session, web, origin: web.origin, start };
    tab.id = await tabAt(this.client, `${web.origin}${start}`);
    return tab;
  }

  /** One tab for each tool, by its name. */
  async openAll(web, tools) {
    const found = {};
    for (const tool of tools) found[tool] = await this.open(web);
    return found;
  }

  /** Takes a tab to another site. */
  async move(tab, web) {
    Object.assign(tab, { web, origin: web.origin });
    await tab.session.goto(`${web.origin}${tab.start}`);
  }

  /** The card of a site is there, and that many calls wait for it. */
  async asked(web) {
    const worker = await this.browser.worker(id);
    await until(async () => ((await worker.eval('chrome.storage.local.get("pendingAllow")')).pendingAllow ?? []).some((p) => p.glob === `${web.origin}/*`), 'the card');
    await worker.detach();
    await sleep(500); // the others, which share it
  }

  windows = async () => (await this.browser.targets()).filter((x) => x.type === 'page' && x.url.includes('/confirm.html'));
  noWindow = () => until(async () => (await this.windows()).length === 0, 'the window closes');
}

/** Tools that are refused while the person is asked for a site, all at once: one card for all. */
async function underCard(m, floor, column, pool, web, act, code, pattern) {
  const tools = m.of(column);
  const running = [];
  const before = {};
  for (const tool of tools) {
    const tab = pool[tool];
    before[tool] = await stateOf(tab);
    running.push([tool, tab, outcome(floor.client, tool, ROWS[tool].args(tab, m.world))]);
  }
  await floor.asked(web);
  const after = (await act(tools)) ?? before;
  for (const [tool, tab, out] of running)
    await m.try(tool, column, async () => m.refused(tool, column, after[tool] === null ? null : tab, after[tool], await out, code, pattern));
}

/** Columns of the site's approval; `waits` is settled once those that nobody answers have run out. */
export async function siteColumns(m, floor, { first, second, third, other, pool }) {
  const all = Object.values(pool);
  await underCard(m, floor, 'site denied', pool, first, () => answerSite(floor.browser, false).then(() => undefined), 'SITE_NOT_ALLOWED', /did not allow/);
  await underCard(
    m, floor, 'moved (site)', pool, first,
    async (tools) => {
      await Promise.all(tools.map((tool) => floor.move(pool[tool], other)));
      const there = {};
      for (const tool of tools) there[tool] = await stateOf(pool[tool]);
      await answerSite(floor.browser, true);
      return there;
    },
    'EXECUTION_FAILED', /another site/,
  );
  if (third !== undefined) {
    await Promise.all(all.map((tab) => floor.move(tab, third)));
    const late = underCard(m, floor, 'site late', pool, third, () => undefined, 'SITE_NOT_ALLOWED', /did not answer in time/);
    await floor.asked(third);
    return { late };
  }
  await Promise.all(all.map((tab) => floor.move(tab, second)));
  return { late: null };
}

/** Every tab is closed while the person is asked for its site, or by a window. Ends the pool. */
export async function tabClosedColumn(m, floor, pool, web) {
  await underCard(
    m, floor, 'tab closed', pool, web,
    async (tools) => {
      for (const tool of tools) await pool[tool].session.close();
      return Object.fromEntries(tools.map((tool) => [tool, null]));
    },
    'TAB_NOT_FOUND', /closed/,
  );
}

/** The columns of a confirmation window but `late`, one tool after the other, each in its tab on an approved site. */
export async function windowColumns(m, floor, pool, home, other, tools = m.of('denied').filter((x) => x in pool && !ROWS[x].unpaired)) {
  const { client, browser } = floor;
  const begin = (tool, options) => outcome(client, tool, ROWS[tool].args(pool[tool], m.world), options);
  for (const tool of tools) {
    const tab = pool[tool];
    const before = await stateOf(tab);
    await m.try(tool, 'denied', async () => {
      const out = begin(tool);
      await press(browser, await confirmation(browser), 'deny');
      await m.refused(tool, 'denied', tab, before, await out, 'USER_DENIED', /user denied/);
    });
    await m.try(tool, 'closed', async () => {
      const out = begin(tool);
      await browser.send('Target.closeTarget', { targetId: (await confirmation(browser)).targetId });
      await m.refused(tool, 'closed', tab, before, await out, 'USER_DENIED', /window was closed/);
    });
    await m.try(tool, 'cancelled', async () => {
      const stop = new AbortController();
      const out = begin(tool, { signal: stop.signal });
      await confirmation(browser);
      stop.abort();
      const { code } = await out;
      await floor.noWindow();
      m.cell(tool, 'cancelled', code === 'broken' && (await stateOf(tab)) === before, { code, before, after: await stateOf(tab) });
    });
    await m.try(tool, 'moved (window)', async () => {
      const out = begin(tool);
      const window = await confirmation(browser);
      await floor.move(tab, other);
      const there = await stateOf(tab);
      await press(browser, window, 'allow');
      await m.refused(tool, 'moved (window)', tab, there, await out, 'EXECUTION_FAILED', /another site/);
    });
    await floor.move(tab, home);
  }
}

/** Windows that nobody answers, all tools at once: they are shown one after the other. */
export async function lateColumn(m, floor, pool, tools = m.of('late').filter((x) => x in pool && !ROWS[x].unpaired)) {
  const running = [];
  for (const tool of tools) {
    const tab = pool[tool];
    running.push([tool, tab, await stateOf(tab), outcome(floor.client, tool, ROWS[tool].args(tab, m.world))]);
  }
  for (const [tool, tab, before, out] of running)
    await m.try(tool, 'late', async () => m.refused(tool, 'late', tab, before, await out, 'CONFIRMATION_TIMEOUT', /did not answer within/));
  await floor.noWindow();
}

/** Whatever the policy takes away is refused, and nobody is asked. */
export async function offColumn(m, floor, pool, pattern, tools = m.of('off')) {
  for (const tool of tools)
    await m.try(tool, 'off', async () => {
      const tab = pool[tool];
      const before = await stateOf(tab);
      await m.refused(tool, 'off', tab, before, await outcome(floor.client, tool, ROWS[tool].args(tab, m.world)), 'TOOL_DISABLED', pattern);
    });
}

/** The tab goes to another site under the notice that the debugger is about to be attached. */
export async function noticeColumn(m, floor, home, other) {
  for (const tool of m.of('moved (window)').filter((x) => ROWS[x].confirm === 'warn'))
    await m.try(tool, 'moved (window)', async () => {
      const tab = await floor.open(home);
      const { hits } = await parts(tab);
      const out = outcome(floor.client, tool, ROWS[tool].args(tab, m.world));
      await tab.session.until(`hits.length > ${hits.length}`); // the notice hangs in the page
      await floor.move(tab, other);
      await m.refused(tool, 'moved (window)', tab, await stateOf(tab), await out, 'EXECUTION_FAILED', /another site/);
      await tab.session.close();
    });
}

/** Every tool once, allowed, in a tab of its own. `answers`: whether a window is due. */
export async function allowColumn(m, floor, home, answers) {
  const { client, browser } = floor;
  for (const tool of m.of('allow'))
    await m.try(tool, 'allow', async () => {
      const row = ROWS[tool];
      const tab = await floor.open(home);
      if (row.history) {
        // The browser skips entries on which nobody ever acted.
        await tab.session.clickAt(700, 5);
        await tab.session.goto(`${tab.origin}${tab.start}&next`);
        if (tool === 'page_forward') await tab.session.eval('void history.back()').then(() => arrives(tab, tab.start));
      }
      await row.before?.(tab, floor);
      const out = outcome(client, tool, row.args(tab, m.world));
      if (answers(row)) await press(browser, await confirmation(browser), 'allow');
      const done = await out;
      m.cell(tool, 'allow', done.code === 'ok' && (await row.did(done, tab, floor)), [done.code, done.text.slice(0, 400)]);
      if (!row.ends) await tab.session.close();
    });
}

const refOf = (outline, name) => new RegExp(`"${name}" \\[ref=((?:f\\d+)?e\\d+)\\]`).exec(outline)?.[1];

/** Refs that name nothing any more, or nothing in this tab. */
export async function refColumns(m, floor, home, other, unapproved) {
  const { client, browser } = floor;
  const outline = async (tab) => text(await call(client, 'page_snapshot', { tabId: tab.id }));
  for (const tool of m.of('other document')) {
    const row = ROWS[tool];
    const tab = await floor.open(home);
    /** The call with that ref, allowed by whoever is asked. */
    const acts = async (column, at, ref, code = 'EXECUTION_FAILED', pattern = /not found: take a new page_snapshot/) => {
      const before = await stateOf(at);
      const { selector, ...args } = row.args(at, m.world);
      const out = outcome(client, tool, { ...args, ref });
      // A select is asked for before its element is looked up; not where its frame is gone.
      const asked = row.confirm === 'every-call' ? await Promise.race([out.then(() => null), confirmation(browser)]) : null;
      if (asked !== null) await press(browser, asked, 'allow');
      await m.refused(tool, column, at, before, await out, code, pattern);
    };
    await m.try(tool, 'other document', async () => {
      const ref = refOf(await outline(tab), row.byRef);
      await tab.session.goto(`${home.origin}${tab.start}`);
      await acts('other document', tab, ref);
    });
    await m.try(tool, 'other site', async () => {
      const ref = refOf(await outline(tab), row.byRef);
      await floor.move(tab, other);
      await acts('other site', tab, ref);
      await floor.move(tab, home);
    });
    await m.try(tool, 'removed node', async () => {
      const ref = refOf(await outline(tab), row.byRef);
      await tab.session.eval(`void document.querySelector(${JSON.stringify(row.args(tab, m.world).selector)}).remove()`);
      // The state is read by ids: another element of the same kind stands for it.
      await tab.session.eval(`for (const tag of ['field', 'pick', 'file']) if (!document.getElementById(tag)) document.body.append(Object.assign(document.createElement('input'), { id: tag, type: tag === 'file' ? 'file' : 'text' }))`);
      await acts('removed node', tab, ref);
      await floor.move(tab, home);
    });
    await m.try(tool, 'other tab', async () => {
      const ref = refOf(await outline(tab), row.byRef);
      const fresh = await floor.open(home);
      await acts('other tab', fresh, ref);
      await fresh.session.close();
    });
    await m.try(tool, 'other frame', async () => {
      const framed = await floor.open(home);
      const show = (origin) => framed.session.eval(`new Promise((r) => { const f = document.querySelector('iframe') ?? document.createElement('iframe'); f.onload = () => r(); f.src = ${JSON.stringify(`${origin}/?frame`)} + Math.random(); f.isConnected || document.querySelector('#spot').before(f); })`);
      await show(other.origin);
      const ref = refOf(await outline(framed), row.byRef);
      if (!/^f/.test(refOf(/iframe[\s\S]*/.exec(await outline(framed))[0], row.byRef) ?? '')) throw new Error(`no ref into the frame: ${await outline(framed)}`);
      const inFrame = refOf(/iframe[\s\S]*/.exec(await outline(framed))[0], row.byRef);
      if (ref === undefined) throw new Error('no ref');
      await acts('other frame', tab, inFrame);
      await show(other.origin);
      await acts('other frame', framed, inFrame);
      await show(unapproved.origin);
      await acts('other frame', framed, inFrame, 'SITE_NOT_ALLOWED', /not approved/);
      await framed.session.eval('void document.querySelector("iframe").remove()');
      await acts('other frame', framed, inFrame);
      await framed.session.close();
    });
    await tab.session.close();
  }
}

/** A site that a person allows right away. */
export async function approve(floor, web) {
  await preparePermission(floor.browser, web.origin);
  const tab = await floor.open(web);
  const reading = call(floor.client, 'page_text', { tabId: tab.id });
  await answerSite(floor.browser);
  await within(20_000, reading, 'the first call');
  await tab.session.close();
}
