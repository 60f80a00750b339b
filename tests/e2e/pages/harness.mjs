// What the page-*.e2e.mjs files share: the factory's source as it is shipped, fixture pages on two
// origins, and an instance of the page API in a world of a page.
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));

/** A work folder of the extension with its node_modules. */
export const extensionDir = path.resolve(process.env.GENKAN_EXT_DIR ?? path.join(here, '..', '..', '..', 'extension'));

const REF = 'data-genkan-ref';
const PRECISE = 'data-genkan-pref';

function bundler() {
  try {
    return createRequire(path.join(extensionDir, 'package.json'))('esbuild').build;
  } catch {
    throw new Error(`no bundler in ${extensionDir}: run "make extension" and name its folder in GENKAN_EXT_DIR`);
  }
}
const build = bundler();

/** A script of the fixtures as one text, with packages of the extension or of the tests. */
export async function bundle(name) {
  const { outputFiles } = await build({
    entryPoints: [path.join(here, name)],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'chrome120',
    define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' },
    nodePaths: [path.join(here, '..', 'node_modules'), path.join(extensionDir, 'node_modules')],
    logLevel: 'error',
  });
  return outputFiles[0].text;
}

/** A module of the extension, as the bundler makes it. */
async function extensionModule(name) {
  const { outputFiles } = await build({
    entryPoints: [path.join(extensionDir, 'src', name)],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'chrome120',
    minify: true,
    logLevel: 'error',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

/** The source text of the factory, as it is shipped. */
export async function factorySource() {
  const { pageSource } = await import(pathToFileURL(path.join(extensionDir, 'scripts', 'page-source.mjs')).href);
  return pageSource(path.join(extensionDir, 'src'));
}

/** What both halves agreed on: every message and every reply of a test is held against it. */
const channel = await extensionModule('page-channel.ts');

function agreed(schema, value, what) {
  const { success, error } = schema.safeParse(value);
  if (!success) throw new Error(`${what} is not as agreed: ${error.message}\n${JSON.stringify(value)}`);
}

const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css' };

/**
 * Serves the fixtures on two ports. In them `{{own}}` is the origin asked for, `{{other}}` one on
 * another port, `{{alias}}` the own port under the other name of this host.
 *
 * `routes` maps a path to a handler `(request, response, url)`; `folder` has the fixtures, ours if none is given.
 */
export async function serve(routes = {}, folder = here) {
  const servers = [];
  const origin = (i, host = '127.0.0.1') => `http://${host}:${servers[i].address().port}`;
  const answer = (own) => (request, response) => {
    const url = new URL(request.url, origin(own));
    const route = routes[url.pathname];
    if (route) return route(request, response, url);
    const file = path.join(folder, path.normalize(url.pathname));
    let text;
    try {
      text = readFileSync(file, 'utf8');
    } catch {
      response.writeHead(404, { 'content-type': 'text/plain' });
      return response.end('no such page');
    }
    const host = request.headers.host ?? '';
    const asked = `http://${host}`;
    const alias = asked.startsWith('http://127.') ? origin(own, 'localhost') : origin(own);
    response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'text/plain' });
    response.end(text.replaceAll('{{own}}', asked).replaceAll('{{other}}', origin(1 - own)).replaceAll('{{alias}}', alias));
  };
  for (const own of [0, 1]) {
    const server = http.createServer(answer(own));
    servers.push(server);
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
  return {
    origin: origin(0),
    other: origin(1),
    alias: origin(0, 'localhost'),
    /** Makes text comparable between runs. */
    neutral: (text) =>
      text.replaceAll(origin(0), '{{own}}').replaceAll(origin(1), '{{other}}').replaceAll(origin(0, 'localhost'), '{{alias}}').replaceAll(origin(1, 'localhost'), '{{other-alias}}'),
    close() {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

/** `[left-out]` and `origin=` as the worker appends them to a frame that it may not read. */
const leftOut = (slot) => `${slot.focused ? ' [focused]' : ''} [left-out]${slot.srcOrigin === '' ? '' : ` origin="${slot.srcOrigin}"`}`;

/** The outline as text, all frames that the instance does not reach left out. */
export function outlineText(data, cap = 2000) {
  const rows = data.lines.map((line, i) => {
    const slot = data.frames.find((f) => f.line === i);
    return '  '.repeat(line.depth) + line.text + (slot ? leftOut(slot) : '');
  });
  if (rows.length === 0) rows.push('note: no interactive elements');
  if (data.total > data.lines.length) rows.push(`note: ${data.lines.length} of ${data.total} elements shown; pass selector to narrow`);
  return [...data.head, ...rows].join('\n');
}

/** The text of a page, left-out frames as their line. */
export const pageText = (data) => data.parts.map((p) => (typeof p === 'string' ? p : `[frame left out: ${p.srcOrigin || 'null'}]`)).join('\n');

/**
 * An instance in a world of a session's page: `isolated` keeps one instance for the document, as the
 * content script does; `main` makes one for each call, as the debugger backend does.
 *
 *   rootOf    source of the function that gives shadow roots
 *   frameId   CDP's frame, default the top one
 */
export async function instance(session, source, { world = 'isolated', rootOf = '(e) => e.shadowRoot', frameId } = {}) {
  const context = world === 'isolated' ? await session.isolated(frameId, `genkan-${Math.random()}`) : undefined;
  const make = `(${source})(${JSON.stringify(REF)}, ${JSON.stringify(PRECISE)}, ${rootOf})`;
  if (context !== undefined) await session.eval(`globalThis.api = ${make}; 0`, { context });
  const origin = await session.eval('window === top ? location.origin : origin', { context });
  let number = 0;
  const api = {
    context,
    origin,
    /** The reply of one method. */
    async reply(op, args = {}, more = {}) {
      const guard = op === '_abort' ? {} : { call: ++number, expectOrigin: origin };
      const message = JSON.stringify({ ...guard, ...more, args });
      const reply = await session.eval(`${context === undefined ? make : 'globalThis.api'}.${op}(${message})`, { context });
      agreed(channel.PageReply, reply, `reply of ${op}`);
      if (reply.ok) agreed(channel.PAGE_DATA[op], reply.data, `data of ${op}`);
      else if (!/[a-z]/.test(reply.error) || /\n/.test(reply.error)) throw new Error(`${op}: the error is no sentence: ${reply.error}`);
      return reply;
    },
    /** Its data; a failure is thrown. */
    async data(op, args, more) {
      const reply = await api.reply(op, args, more);
      if (reply.ok !== true) throw new Error(`${op}: ${reply.code} ${reply.error}`);
      return reply.data;
    },
    /** `CODE text` of a failure, or what came instead. */
    async error(op, args, more) {
      const reply = await api.reply(op, args, more);
      return reply.ok === false ? `${reply.code} ${reply.error}` : reply;
    },
    snapshot: (args = {}) => api.data('page_snapshot', { interactiveOnly: true, refPrefix: '', limit: 2000, hasFocus: true, ...args }),
    outline: async (args) => outlineText(await api.snapshot(args)),
    text: async (args = {}) => pageText(await api.data('page_text', { limit: 20_000, ...args })),
    /** Probe and act, as the worker does without a question in between. */
    async click(args, more = {}) {
      const expect = await api.data('_probe', { ...target(args), purpose: 'click' });
      return api.data('page_click', { button: 'left', count: 1, modifiers: [], ...args }, { expect, ...more });
    },
  };
  return api;
}

const target = ({ ref, selector }) => ({ ...(ref === undefined ? {} : { ref }), ...(selector === undefined ? {} : { selector }) });

/** The ref of the first line of an outline that a pattern fits. */
export function refOf(text, pattern) {
  const line = text.split('\n').find((l) => pattern.test(l));
  const ref = /\[ref=([^\]]+)\]/.exec(line ?? '')?.[1];
  if (ref === undefined) throw new Error(`no line with a ref fits ${pattern} in:\n${text}`);
  return ref;
}

/**
 * Compares with pages/<name>.txt. With GENKAN_GOLDEN=write the file is written instead, for a person
 * to read before it is committed.
 */
export function golden(t, name, text, sentence) {
  const file = path.join(here, `${name}.txt`);
  if (process.env.GENKAN_GOLDEN === 'write') {
    writeFileSync(file, `${text}\n`);
    t.note(`wrote ${name}.txt`);
  }
  let wanted = '';
  try {
    wanted = readFileSync(file, 'utf8').replace(/\n$/, '');
  } catch {
    wanted = '(no golden file)';
  }
  t.equal(text, wanted, sentence);
}
