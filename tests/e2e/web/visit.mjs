// How the web*.e2e.mjs files use a page: through the whole chain and as a model would. A control is found
// in the outline by its role and name, acted on by its ref, and the effect is read.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundle, serve } from '../pages/harness.mjs';
import { granted, optionsPage, paired } from '../persons.mjs';
import { answer, answerSite, call, id, json, onSite, refused, tabAt, text } from '../world.mjs';

const at = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Sends a text as what it is. */
const as = (type, body, more = {}) => (_request, response) => {
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store', ...more });
  response.end(body);
};

/** The fixtures of this folder, and what they lead to. `scripts` are bundles by address. */
export async function web(scripts = {}, routes = {}) {
  const made = {};
  for (const [address, name] of Object.entries(scripts)) made[address] = as('text/javascript', await bundle(name));
  const sent = (request, response) => {
    let body = '';
    request.on('data', (d) => {
      body += d;
    });
    request.on('end', () => as('text/html', `<!doctype html><title>Sent</title><h1>Thank you</h1><pre>${(body || request.url).replace(/[&<]/g, (c) => `&#${c.charCodeAt(0)};`)}</pre>`)(request, response));
  };
  const editors = as('text/html', readFileSync(at('../pages/editors.html'), 'utf8'));
  return serve({ '/sent': sent, '/editors.html': editors, ...made, ...routes }, at('.'));
}

/** A line of an outline begins with this: role and, if there is one, name. */
const begins = (line, what) => line.trimStart() === what || line.trimStart().startsWith(`${what} `);

class Visitor {
  constructor(parts) {
    Object.assign(this, parts);
  }

  /** Goes there with the browser's own means; the tab is in front. */
  async open(path) {
    await this.tab.goto(`${this.site.origin}${path}`);
    await this.tab.send('Page.bringToFront');
  }

  /** Taken anew where the page of an act before it was still coming, as the answer says. */
  async outline(args = {}) {
    const take = async () => text(await call(this.client, 'page_snapshot', { tabId: this.tabId, ...args }));
    return take().catch((e) => {
      if (!/went away while the call ran/.test(e.message)) throw e;
      return take();
    });
  }

  /** The line of a control, fresh from the page; "" if there is none. */
  async line(what, args) {
    return (await this.outline(args)).split('\n').find((l) => begins(l, what))?.trim() ?? '';
  }

  /** The ref of the only control with this role and name. */
  async ref(what, args) {
    const lines = (await this.outline(args)).split('\n');
    const found = lines.filter((l) => begins(l, what));
    if (found.length !== 1) throw new Error(`${found.length} lines begin with ${what} in:\n${lines.join('\n').slice(0, 4000)}`);
    return /\[ref=([^\]]+)\]/.exec(found[0])[1];
  }

  /** A tool on this tab. */
  async act(name, args = {}) {
    return json(await call(this.client, name, { tabId: this.tabId, ...args }));
  }

  /** The same behind a window that a person allows. */
  async allowed(name, args = {}) {
    const acting = this.act(name, args);
    acting.catch(() => {});
    await Promise.race([answer(this.browser, 'allow'), acting]);
    return acting;
  }

  async refusal(name, args = {}) {
    return refused(this.client, name, { tabId: this.tabId, ...args });
  }

  async click(what, args = {}) {
    return this.act('page_click', { ref: await this.ref(what), ...args });
  }

  async fill(what, value) {
    return this.act('page_fill', { ref: await this.ref(what), value });
  }

  async select(what, value) {
    return this.allowed('page_select', { ref: await this.ref(what), value });
  }

  press(keys) {
    return this.allowed('page_press', { keys });
  }

  /** What the status line of a fixture says, once it says something that fits. */
  async status(pattern = /./, selector = '[role=status]') {
    for (let i = 0; ; i++) {
      const said = (await this.act('page_text', { selector })).text;
      if (pattern.test(said) || i === 40) return said;
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}

/**
 * A visitor on the first page, a person behind it who paired and lets clicks pass without a window.
 * `both(body)` runs the body in each backend, one browser for both.
 */
export async function visit(world, site, first) {
  const { client, browser, tab, tabId } = await onSite(world, site, { path: first });
  const options = await optionsPage(browser);
  await paired(world, options);
  await granted(options, { confirmHighRiskClick: false });
  const visitor = new Visitor({ client, browser, tab, tabId, site, options, mode: 'content script', extension: id });
  return Object.assign(visitor, {
    async both(body) {
      await body('content script');
      await granted(options, { cdpMode: true, handleDialogEnabled: true });
      visitor.mode = 'CDP mode';
      await body('CDP mode');
    },
    /** Another origin gets its approval. */
    async approve(origin) {
      const page = await browser.page(`${origin}/plain.html`);
      const reading = call(client, 'page_text', { tabId: await tabAt(client, `${origin}/plain.html`) });
      await answerSite(browser);
      await reading;
      await page.close();
    },
  });
}
