// What a person has: the options page, an authenticator in their hand, a keyring that is open.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { cannotRun, have } from './cdp.mjs';
import { clickable, id, until } from './world.mjs';

/** A Secret Service of this world's own, unlocked; programs and browsers started later find it. */
export async function keyring(world) {
  for (const program of ['dbus-daemon', 'gnome-keyring-daemon', 'dbus-send']) if (!have(program)) cannotRun(`no ${program}`);
  const bus = spawn('dbus-daemon', ['--session', '--nofork', '--print-address=1', `--address=unix:dir=${world.env.XDG_RUNTIME_DIR}`], {
    env: { PATH: process.env.PATH, ...world.env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  world.later(() => bus.kill());
  const address = await new Promise((resolve, reject) => {
    bus.stdout.once('data', (d) => resolve(String(d).trim()));
    bus.once('exit', () => reject(new Error('dbus-daemon ended')));
  });
  world.env.DBUS_SESSION_BUS_ADDRESS = address;
  const env = { PATH: process.env.PATH, ...world.env };
  const daemon = spawn('gnome-keyring-daemon', ['--foreground', '--unlock', '--components=secrets'], { env, stdio: ['pipe', 'ignore', 'ignore'] });
  world.later(() => daemon.kill());
  daemon.stdin.end('end-to-end');
  const owner = ['--session', '--print-reply', '--dest=org.freedesktop.DBus', '/', 'org.freedesktop.DBus.NameHasOwner', 'string:org.freedesktop.secrets'];
  await until(() => /boolean true/.test(String(spawnSync('dbus-send', owner, { env }).stdout)), 'the Secret Service');
}

/** The options page of a browser, in front: what a person clicks, and what its worker answers. */
export async function optionsPage(browser, hash = '') {
  const page = await browser.page(`chrome-extension://${id}/options.html${hash}`);
  await page.send('Page.bringToFront');
  const at = (act, more = '') => `[data-act="${act}"]${more}`;

  return Object.assign(page, {
    /** One message as the page itself sends it; a refusal throws its text. */
    async say(message) {
      const reply = await page.eval(`chrome.runtime.sendMessage(${JSON.stringify(message)})`);
      if (!reply.ok) throw new Error(reply.error);
      return reply.data;
    },

    /** The text of a refusal, or `not refused`. */
    refusal: (message) => page.say(message).then(() => 'not refused', (e) => e.message),

    has: (act, more) => page.eval(`document.querySelector(${JSON.stringify(at(act, more))}) !== null`),

    /**
     * Clicks a button once it is there, can be clicked and stays where it is. What a page learns meanwhile
     * may still move it, or take it out of use, at the last moment: who sees that clicks again.
     */
    async press(act, more = '', ms = 10_000) {
      const selector = at(act, more);
      for (let tries = 0; tries < 3; tries++) {
        await clickable(page, selector, ms);
        await page.call((css) => {
          globalThis.struck = false;
          document.addEventListener('click', (e) => (globalThis.struck ||= e.target.closest(css) !== null), { once: true, capture: true });
        }, [selector]);
        await page.click(selector);
        // A page that is gone with the click has had it.
        if (await page.eval('globalThis.struck').catch(() => true)) return;
      }
      throw new Error(`no click reached ${selector}`);
    },

    /** Types into a field as React sees it. */
    async fill(selector, value) {
      await page.until(`document.querySelector(${JSON.stringify(selector)}) !== null`);
      await page.call(
        (css, text) => {
          const field = document.querySelector(css);
          const proto = field instanceof HTMLSelectElement ? HTMLSelectElement.prototype : HTMLInputElement.prototype;
          Object.getOwnPropertyDescriptor(proto, 'value').set.call(field, text);
          field.dispatchEvent(new Event(field instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }));
        },
        [selector, value],
      );
    },

    /** The request that is shown: its own words. */
    async asked() {
      await page.until('document.querySelector("#asked-action") !== null');
      return page.eval('document.querySelector("#asked-action").innerText.trim()');
    },

    /** Answers the request that is shown: `confirm` waits until the dialog is done with it. */
    async answer(how = 'confirm') {
      await page.press(`presence-${how}`);
      if (how === 'confirm') await page.until('document.querySelector("dialog.asked") === null || document.querySelector("dialog.asked [role=alert]")?.innerText.trim() !== ""');
    },

    /** What the dialog says against the answer, "" if it is closed. */
    trouble: () => page.eval('document.querySelector("dialog.asked [role=alert]")?.innerText.trim() ?? ""'),

    text: () => page.eval('document.body.innerText'),
  });
}

/** A host key, made at a terminal, and pinned on the page as if it had been compared. */
export async function paired(world, options) {
  const { code, out } = await world.terminal(['pair', '--file-store']);
  if (code !== 0) throw new Error(out);
  await pinned(options);
}

/** Pins the key that the host has. */
export async function pinned(options) {
  await options.say({ type: 'enroll_pair' });
  const { keyId } = await until(async () => (await options.say({ type: 'get_enrollment' })).pending, 'a fingerprint');
  await options.say({ type: 'enroll_approve', keyId });
}

/** A grant, proven by the click that is due where no authenticator is enrolled. */
export async function granted(options, overlay) {
  const { nonce } = await options.say({ type: 'grant_policy', overlay });
  await options.say({ type: 'webauthn_presence_confirm', nonce });
  await holds(options, overlay);
}

/** CDP mode, granted on a browser that was not paired yet. */
export async function cdpMode(world, browser) {
  const options = await optionsPage(browser);
  await paired(world, options);
  await granted(options, { cdpMode: true });
  await options.close();
}

/** Whether a debugger of ours is attached to a tab: then no other gets in. */
export const attachedTo = (worker, tabId) =>
  worker.eval(`chrome.debugger.attach({ tabId: ${tabId} }, '1.3').then(() => chrome.debugger.detach({ tabId: ${tabId} })).then(() => false, () => true)`);

/** Waits until the policy in force has every field of this. */
export const holds = (options, overlay) =>
  until(async () => {
    const { effective } = await options.say({ type: 'get_policy' });
    return Object.entries(overlay).every(([field, value]) => JSON.stringify(effective?.[field]) === JSON.stringify(value));
  }, `the policy ${JSON.stringify(overlay)}`);

/** The digest of the image that runs this file: what a client of it is known by. */
export const ownImage = () =>
  new Promise((resolve, reject) => {
    const hash = createHash('sha256');
    createReadStream('/proc/self/exe').on('data', (d) => hash.update(d)).on('end', () => resolve(hash.digest('hex'))).on('error', reject);
  });

/** Waits for the host behind a page: it has spoken on this connection. */
export const spoken = (page) => until(async () => (await page.refusal({ type: 'get_clients' })) === 'not refused', 'the host has spoken');

/**
 * Carries out an engage and waits for what follows: the host of that connection ends with its leg, and
 * the next one holds the latch. A release that is asked for before that goes with the old connection.
 */
export async function killed(world, page, engage) {
  const old = world.pids('genkan-host');
  await engage();
  await until(() => world.trust()?.killed === true && !world.pids('genkan-host').some((pid) => old.includes(pid)), 'the leg is severed');
  await spoken(page);
}

const OPTIONS = {
  protocol: 'ctap2',
  ctap2Version: 'ctap2_1',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
};

/**
 * An authenticator that a person carries from page to page: in the browser each page has its own, so
 * the credential moves, and its counter goes on.
 */
export class Authenticator {
  #credential = null;
  #page = null;
  #at = null;

  /** Plugs it into a page. `change` puts something wrong into the credential, for this page alone. */
  async plug(page, change = {}) {
    await this.unplug();
    await page.send('Page.bringToFront');
    await page.send('WebAuthn.enable');
    const { authenticatorId } = await page.send('WebAuthn.addVirtualAuthenticator', { options: OPTIONS });
    this.#page = page;
    this.#at = authenticatorId;
    if (this.#credential === null) return this;
    // Windows take their counter with them when they close, so it is moved on well.
    this.#credential.signCount += 10;
    await page.send('WebAuthn.addCredential', { authenticatorId, credential: { ...this.#credential, ...change } });
    return this;
  }

  /** Takes it out; whatever was made or counted on that page comes along. */
  async unplug() {
    if (this.#page === null) return;
    await this.read().catch(() => {}); // the window may be closed
    await this.#page.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: this.#at }).catch(() => {});
    this.#page = this.#at = null;
  }

  /** The credential as it is now. */
  async read() {
    const { credentials } = await this.#page.send('WebAuthn.getCredentials', { authenticatorId: this.#at });
    const own = credentials.find((c) => this.#credential === null || c.credentialId === this.#credential.credentialId) ?? credentials[0];
    // Its counter goes on, whatever a page was shown of it.
    if (own !== undefined && (this.#credential === null || own.privateKey === this.#credential.privateKey))
      this.#credential = { ...own, signCount: Math.max(own.signCount, this.#credential?.signCount ?? 0) };
    return this.#credential;
  }

  /** Whether touches come by themselves. */
  async touches(enabled) {
    await this.#page.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId: this.#at, enabled });
  }

  get credential() {
    return this.#credential;
  }
}
