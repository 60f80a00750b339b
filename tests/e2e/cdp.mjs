// A real Chromium for tests: the DevTools protocol over a pipe, and the counting of checks.
//
// `--remote-debugging-pipe` gives the browser descriptor 3 to read and 4 to write, JSON messages
// ended by NUL. Nothing listens on a port, so tests can run side by side and nobody else can join.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The binary that CHROMIUM names, or `chromium` on the path; null where there is none. */
export function chromium() {
  const named = process.env.CHROMIUM ?? 'chromium';
  if (named.includes('/')) return existsSync(named) ? named : null;
  for (const dir of (process.env.PATH ?? '').split(':')) if (dir !== '' && existsSync(path.join(dir, named))) return path.join(dir, named);
  return null;
}

/** Ends the process the way a test that cannot run has to: a sentence and status 77. */
export function cannotRun(why) {
  console.log(`1..0 # SKIP ${why}`);
  process.exit(77);
}

/** As `chromium`, for files that are nothing without it. */
export const needChromium = () => chromium() ?? cannotRun('no Chromium: install it, or name its binary in CHROMIUM');

const SWITCHES = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--use-mock-keychain',
  '--password-store=basic',
  '--remote-debugging-pipe',
];

class Pipe {
  #next = 1;
  #calls = new Map();
  #listeners = new Set();
  #out;
  #ended = null;

  constructor(out, input) {
    this.#out = out;
    out.on('error', () => {}); // the exit of the browser tells it better
    input.setEncoding('utf8');
    let rest = '';
    input.on('data', (text) => {
      const frames = (rest + text).split('\0');
      rest = frames.pop();
      for (const frame of frames) this.#take(JSON.parse(frame));
    });
  }

  #take(message) {
    if (message.id === undefined) {
      for (const listener of [...this.#listeners]) listener(message);
      return;
    }
    const call = this.#calls.get(message.id);
    this.#calls.delete(message.id);
    if (message.error) call?.reject(Object.assign(new Error(`${call.method}: ${message.error.message}`), { code: message.error.code }));
    else call?.resolve(message.result);
  }

  send(method, params, sessionId) {
    if (this.#ended) return Promise.reject(new Error(`${method}: ${this.#ended}`));
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject, method });
      this.#out.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  on(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  end(why) {
    this.#ended = why;
    for (const call of this.#calls.values()) call.reject(new Error(`${call.method}: ${why}`));
    this.#calls.clear();
  }
}

function describe({ exception, text }) {
  return exception?.description ?? (exception && 'value' in exception ? String(exception.value) : text);
}

/** One attached target. `targetId` is the browser's name for it. */
class Session {
  constructor(browser, targetId, sessionId) {
    Object.assign(this, { browser, targetId, sessionId });
  }

  send(method, params = {}) {
    return this.browser.send(method, params, this.sessionId);
  }

  /** Calls `listener(params)` for every event of this session named `method`; returns the way to stop. */
  on(method, listener) {
    return this.browser.on((m) => {
      if (m.sessionId === this.sessionId && m.method === method) listener(m.params);
    });
  }

  event(method, accept = () => true, ms = 10_000) {
    return this.browser.event((m) => m.sessionId === this.sessionId && m.method === method && accept(m.params), ms);
  }

  /** The value of an expression, promises awaited. `context` is an execution context (see `isolated`). */
  async eval(expression, { userGesture = false, context, ms } = {}) {
    const answer = this.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture,
      ...(context === undefined ? {} : { contextId: context }),
    });
    const { result, exceptionDetails } = await (ms === undefined ? answer : within(ms, answer, 'evaluation'));
    if (exceptionDetails) throw new Error(describe(exceptionDetails));
    return result.value;
  }

  /** Calls a function given as source (or as a function) with JSON arguments. */
  call(fn, args = [], options = {}) {
    return this.eval(`(${String(fn)})(...${JSON.stringify(args)})`, options);
  }

  /** Polls an expression until it is truthy and returns what it was. */
  async until(expression, ms = 20_000, options = {}) {
    for (const end = Date.now() + ms; ; ) {
      const value = await this.eval(expression, { ...options, ms: 3_000 }).catch(() => undefined);
      if (value) return value;
      if (Date.now() > end) throw new Error(`never true within ${ms} ms: ${expression}`);
      await sleep(25);
    }
  }

  /** An isolated world of a frame, the top one if none is named: the id of its context. */
  async isolated(frameId, worldName = 'genkan-test') {
    frameId ??= (await this.send('Page.getFrameTree')).frameTree.frame.id;
    return (await this.send('Page.createIsolatedWorld', { frameId, worldName })).executionContextId;
  }

  /** Goes to a URL and waits until its document has loaded. */
  async goto(url) {
    const loaded = this.event('Page.loadEventFired', undefined, 20_000);
    loaded.catch(() => {});
    const { errorText } = await this.send('Page.navigate', { url });
    if (errorText) throw new Error(`${url}: ${errorText}`);
    await loaded;
  }

  /** A trusted click in the middle of the first match of a selector in the light tree. */
  async click(selector) {
    const [x, y] = await this.eval(`(() => {
      const e = document.querySelector(${JSON.stringify(selector)});
      e.scrollIntoView({ block: 'center' });
      const r = e.getBoundingClientRect();
      return [r.x + r.width / 2, r.y + r.height / 2];
    })()`);
    await this.clickAt(x, y);
  }

  async clickAt(x, y) {
    for (const type of ['mousePressed', 'mouseReleased']) await this.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
  }

  detach() {
    return this.browser.send('Target.detachFromTarget', { sessionId: this.sessionId });
  }

  /** Returns once it is gone: until then it would still be found by its address. */
  async close() {
    const done = await this.browser.send('Target.closeTarget', { targetId: this.targetId });
    for (const end = Date.now() + 5_000; Date.now() < end; await sleep(10))
      if (!(await this.browser.targets()).some((t) => t.targetId === this.targetId)) break;
    return done;
  }
}

/** Rejects when `promise` takes longer than `ms`. */
export function within(ms, promise, what = 'it') {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** What Chromium and its libraries write beside the profile goes into it: nothing in the user's home. */
function homeOf(folder) {
  const home = path.join(folder, 'home');
  return { HOME: home, XDG_CONFIG_HOME: path.join(home, 'config'), XDG_CACHE_HOME: path.join(home, 'cache'), XDG_DATA_HOME: path.join(home, 'data') };
}

/**
 * Starts Chromium with a profile folder of its own.
 *
 *   extension   unpacked folder to load          headless   false needs a display in `env`
 *   args        further switches                 profile    folder to use and keep
 *   binary      default: needChromium()          env        added to ours
 */
export async function launch({ binary = needChromium(), extension, args = [], env = {}, profile, headless = true } = {}) {
  const folder = profile ?? mkdtempSync(path.join(tmpdir(), 'genkan-profile-'));
  const child = spawn(
    binary,
    [
      ...(headless ? ['--headless=new'] : []),
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...SWITCHES,
      `--user-data-dir=${folder}`,
      ...(extension ? [`--disable-extensions-except=${extension}`, `--load-extension=${extension}`] : []),
      ...args,
      'about:blank',
    ],
    // A group of its own, so that an end in haste takes the browser's children with it.
    { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'], env: { ...process.env, ...homeOf(folder), ...env }, detached: true },
  );
  const pipe = new Pipe(child.stdio[3], child.stdio[4]);
  let stderr = '';
  child.stderr.on('data', (d) => {
    stderr = (stderr + d).slice(-100_000);
  });
  const exited = new Promise((resolve) => {
    child.on('error', (e) => resolve({ code: null, signal: null, error: e }));
    child.on('exit', (code, signal) => resolve({ code, signal }));
  }).then((how) => {
    pipe.end('the browser has ended');
    return how;
  });
  const killGroup = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // gone already
    }
  };
  process.once('exit', killGroup);
  const interrupted = () => {
    killGroup();
    if (profile === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, interrupted);

  const browser = {
    profile: folder,
    pid: child.pid,
    exited,
    stderr: () => stderr,
    send: (method, params = {}, sessionId) => pipe.send(method, params, sessionId),
    on: (listener) => pipe.on(listener),

    /** The first event that `accept` takes. */
    event(accept, ms = 10_000) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          off();
          reject(new Error(`no such event within ${ms} ms`));
        }, ms);
        const off = pipe.on((m) => {
          if (!accept(m)) return;
          clearTimeout(timer);
          off();
          resolve(m.params);
        });
      });
    },

    async targets() {
      return (await browser.send('Target.getTargets', { filter: [{}] })).targetInfos;
    },

    async attach(targetId) {
      const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
      return new Session(browser, targetId, sessionId);
    },

    /** The first target that `accept` takes, waited for. */
    async target(accept, ms = 10_000) {
      for (const end = Date.now() + ms; ; await sleep(25)) {
        const found = (await browser.targets()).find(accept);
        if (found) return found;
        if (Date.now() > end) throw new Error(`no such target; there are: ${(await browser.targets()).map((t) => `${t.type} ${t.url}`).join(', ')}`);
      }
    },

    /** A new tab, loaded. */
    async page(url = 'about:blank') {
      const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank' });
      const session = await browser.attach(targetId);
      await session.send('Page.enable');
      if (url !== 'about:blank') await session.goto(url);
      return session;
    },

    /** A page that something else opened, found by the start of its address. */
    async pageAt(prefix, ms = 10_000) {
      const { targetId } = await browser.target((t) => t.type === 'page' && t.url.startsWith(prefix), ms);
      const session = await browser.attach(targetId);
      await session.send('Page.enable');
      return session;
    },

    /**
     * The service worker of an extension, once it can be spoken to: its target appears before `chrome`
     * exists in it, and a first evaluation may hang for good, so every probe attaches anew.
     */
    async worker(extensionId, ms = 15_000) {
      const prefix = `chrome-extension://${extensionId}/`;
      for (const end = Date.now() + ms; ; await sleep(50)) {
        const found = (await browser.targets()).find((t) => t.type === 'service_worker' && t.url.startsWith(prefix));
        if (found) {
          const session = await browser.attach(found.targetId).catch(() => null);
          const ready = await session?.eval('typeof chrome === "object" && !!chrome.runtime && registration.active?.state === "activated"', { ms: 3_000 }).catch(() => false);
          if (ready) return session;
          await session?.detach().catch(() => {});
        }
        if (Date.now() > end) throw new Error(`no worker of ${extensionId}; there are: ${JSON.stringify(await browser.targets())}`);
      }
    },

    /** Ends the browser and removes its profile, unless the caller named one. */
    async close() {
      browser.send('Browser.close').catch(() => {});
      const timer = setTimeout(killGroup, 5_000);
      const how = await exited;
      clearTimeout(timer);
      process.removeListener('exit', killGroup);
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeListener(signal, interrupted);
      // Renderers outlive the browser process by a moment and still write.
      killGroup();
      if (profile === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
      return how;
    },
  };
  // The first answer means that the pipe works; a browser that cannot start ends instead.
  try {
    await within(30_000, browser.send('Browser.getVersion'), 'the start of Chromium');
  } catch (e) {
    killGroup();
    throw new Error(`${e.message}\n${stderr}`);
  }
  return browser;
}

/** Whether a program is there to be run, e.g. `Xvfb`. */
export const have = (program) => spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0;

// --------------------------------------------------------------------------------------------- //
// Counting

const brief = (value) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
  return text === undefined ? 'undefined' : text;
};

function same(a, b) {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((k) => Object.hasOwn(b, k) && same(a[k], b[k]));
}

/**
 * Checks as TAP-like lines and the last line that test runners add up. A file that checked nothing
 * fails.
 *
 *   const t = checks();
 *   t.ok(condition, 'a sentence'); t.equal(is, wanted, 'a sentence');
 *   await t.part('name', async () => { ... });   // a throw is one failed check, the rest goes on
 *   t.done();                                    // prints the sum, sets the exit status
 */
export function checks() {
  let passed = 0;
  let failed = 0;
  const note = (text) => console.log(String(text).replace(/^/gm, '#   '));
  const t = {
    ok(condition, sentence, detail) {
      if (condition) passed++;
      else failed++;
      console.log(`${condition ? '' : 'not '}ok ${passed + failed} - ${sentence}`);
      if (!condition && detail !== undefined) note(brief(detail));
      return Boolean(condition);
    },
    equal(is, wanted, sentence) {
      const fine = same(is, wanted);
      t.ok(fine, sentence);
      if (!fine) note(`is:\n${brief(is)}\nwanted:\n${brief(wanted)}`);
      return fine;
    },
    match(text, pattern, sentence) {
      const fine = typeof text === 'string' && pattern.test(text);
      return t.ok(fine, sentence, fine ? undefined : `${pattern} does not match:\n${brief(text)}`);
    },
    async part(name, body) {
      console.log(`# ${name}`);
      try {
        await body();
      } catch (e) {
        t.ok(false, `${name}: runs to its end`, e?.stack ?? e);
      }
    },
    note,
    done() {
      if (passed + failed === 0) t.ok(false, 'something was checked');
      console.log(`# ${passed} passed, ${failed} failed`);
      process.exitCode = failed === 0 ? 0 : 1;
    },
  };
  return t;
}
