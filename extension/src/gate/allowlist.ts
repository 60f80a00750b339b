/**
 * Which sites tools may touch, and the question when one is not yet approved (extension.md 9).
 *
 * An answer needs two things, the click on Allow in one of our pages and the browser's permission,
 * in whatever order they come to be known: the browser's own prompt closes the popup that asked.
 */
import { LIMITS } from '@contract/host';
import { createSerial, deferred, until } from '../async';
import type { Clock } from '../clock';
import { messageOf, ToolError } from '../errors';
import type { AllowlistView, RemoveAllowResult } from '../messages';
import { hasExactly, isTime, KEY, type Store } from './keys';
import { entryOf, isEntry, matches, permissionOf } from './site';

export const ALL_URLS = '<all_urls>';
const ALLOW_ALL = 'allowAllSites';

export interface Permissions {
  contains(pattern: string): Promise<boolean>;
  remove(pattern: string): Promise<boolean>;
}

export interface AllowlistOptions {
  store: Store;
  clock: Clock;
  permissions: Permissions;
  /** Shows or clears the sign that a site waits. */
  badge(waiting: boolean): Promise<void>;
  openPopup(): Promise<void>;
  uuid(): string;
  /** Allow is taken only while the kill view is positively alive; Deny always. */
  mayAllow(): Promise<boolean>;
  log(message: string): void;
}

export interface Allowlist {
  /**
   * Resolves if the origin may be touched, asking the user if `ask` is given; throws the code that
   * says why not. `ask` brackets the wait, so that it can be reported.
   */
  check(origin: string, signal: AbortSignal, ask: (<T>(wait: () => Promise<T>) => Promise<T>) | null): Promise<void>;
  /** The same without asking anybody: the origin of a frame. */
  allows(origin: string): Promise<boolean>;
  /**
   * Origin of an entry with exactly this host name, ports ignored; throws as `check` does and never
   * asks: a cookie domain (tools.md 6.14).
   */
  checkHost(host: string): Promise<string>;
  view(): Promise<AllowlistView>;
  resolve(id: string, allow: boolean): Promise<void>;
  add(text: string): Promise<void>;
  remove(entry: string): Promise<RemoveAllowResult>;
  /** Rewrites the record and the badge from memory. */
  sweep(): Promise<void>;
  /** The browser granted something: those that were clicked may be complete now. */
  onPermissionAdded(): void;
}

type Verdict = 'allowed' | 'denied' | 'expired' | 'failed';

interface Pending {
  readonly id: string;
  readonly glob: string;
  readonly expiresAt: number;
  /** Operations that wait; the last to go takes the request with it. */
  waiting: number;
  clicked: boolean;
  /** Claimed once, synchronously: deadline, click and cancel never win together. */
  settled: boolean;
  disarm(): void;
  settle(verdict: Verdict): void;
  readonly verdict: Promise<Verdict>;
}

/** One bad entry spoils the record: what it was meant to say cannot be known. */
const readEntries = (value: unknown): readonly string[] =>
  Array.isArray(value) && value.every(isEntry) ? [...new Set(value)] : [];

const readFlag = (value: unknown): boolean => value === true;

export function createAllowlist(options: AllowlistOptions): Allowlist {
  const { store, clock, permissions, log } = options;
  const pending = new Map<string, Pending>();
  const mirror = createSerial();
  const writes = createSerial();
  /** The record that was looked at last, which is the same object while the store holds it. */
  let checked: { stored: unknown; list: readonly string[] } | null = null;

  async function entries(): Promise<readonly string[]> {
    const stored = (await store.read([KEY.allowlist]))[KEY.allowlist];
    if (checked !== null && stored === checked.stored && Object.isFrozen(stored)) return checked.list;
    const list = readEntries(stored);
    checked = { stored, list };
    return list;
  }

  const storedAll = async (): Promise<boolean> => readFlag((await store.read([ALLOW_ALL]))[ALLOW_ALL]);

  async function allowsAll(): Promise<boolean> {
    return (await storedAll()) && (await permissions.contains(ALL_URLS));
  }

  /** How an origin stands: on the list and permitted, on the list alone, or neither. */
  async function standing(origin: string): Promise<'held' | 'listed' | 'unknown'> {
    if (await allowsAll()) return 'held';
    const href = `${origin}/`;
    const hit = (await entries()).filter((e) => matches(e, href));
    for (const entry of hit) if (await permissions.contains(permissionOf(entry))) return 'held';
    return hit.length > 0 ? 'listed' : 'unknown';
  }

  function refusal(origin: string, was: 'listed' | 'unknown'): ToolError {
    return was === 'listed'
      ? new ToolError(
          'HOST_PERMISSION_MISSING',
          `The user took the browser's permission for ${origin} away. Ask them to allow the site again, in the popup or on the options page of genkan.`,
        )
      : new ToolError(
          'SITE_NOT_ALLOWED',
          `${origin} is not approved. Ask the user to allow it, in the popup or on the options page of genkan, then call again.`,
        );
  }

  /** One writer at a time, each writing what memory holds when its turn comes. */
  function writeMirror(): Promise<void> {
    return mirror.run(async () => {
      const rows = [...pending.values()].map(({ id, glob, expiresAt }) => ({ id, glob, expiresAt }));
      try {
        await store.write({ [KEY.pendingAllow]: rows });
      } catch (error) {
        log(`pending approvals: ${messageOf(error)}`);
      }
      try {
        await options.badge(rows.length > 0);
      } catch (error) {
        log(`badge: ${messageOf(error)}`);
      }
    });
  }

  /** Takes the request out; false if somebody else has. */
  function claim(request: Pending): boolean {
    if (request.settled) return false;
    request.settled = true;
    request.disarm();
    pending.delete(request.glob);
    return true;
  }

  function finish(request: Pending, verdict: Verdict): Promise<void> {
    request.settle(verdict);
    return writeMirror();
  }

  async function persist(entry: string): Promise<void> {
    await writes.run(async () => {
      const list = await entries();
      if (!list.includes(entry)) await store.write({ [KEY.allowlist]: [...list, entry] });
    });
  }

  /** Clicked and permitted: stored first, then the operations go on. */
  async function tryAllow(request: Pending): Promise<void> {
    if (!request.clicked || request.settled) return;
    let held: boolean;
    try {
      held = (await options.mayAllow()) && (await permissions.contains(permissionOf(request.glob)));
    } catch (error) {
      log(`permission: ${messageOf(error)}`);
      return;
    }
    if (!held || clock.now() >= request.expiresAt || !claim(request)) return;
    try {
      await persist(request.glob);
    } catch (error) {
      log(`allowlist: ${messageOf(error)}`);
      await finish(request, 'failed');
      return;
    }
    await finish(request, 'allowed');
  }

  function open(glob: string): Pending {
    const known = pending.get(glob);
    if (known !== undefined) return known;
    const { promise, resolve } = deferred<Verdict>();
    const made: Pending = {
      id: `allow_${options.uuid()}`,
      glob,
      expiresAt: clock.now() + LIMITS.SITE_PROMPT_MS,
      waiting: 0,
      clicked: false,
      settled: false,
      disarm: clock.after(LIMITS.SITE_PROMPT_MS, () => {
        if (claim(made)) void finish(made, 'expired');
      }),
      settle: resolve,
      verdict: promise,
    };
    pending.set(glob, made);
    // The popup reads the record, so it opens once that is written.
    void writeMirror().then(() =>
      made.settled ? undefined : options.openPopup().catch((error: unknown) => log(`popup: ${messageOf(error)}`)),
    );
    return made;
  }

  async function prompt(glob: string, signal: AbortSignal): Promise<Verdict> {
    const request = open(glob);
    request.waiting += 1;
    try {
      return await until(signal, request.verdict);
    } finally {
      request.waiting -= 1;
      if (request.waiting === 0 && claim(request)) void finish(request, 'denied');
    }
  }

  return {
    async check(origin, signal, ask) {
      const was = await standing(origin);
      if (was === 'held') return;
      const glob = entryOf(`${origin}/`);
      if (ask === null || glob === null) throw refusal(origin, was);
      const verdict = await ask(() => prompt(glob, signal));
      if (verdict === 'allowed') return;
      if (was === 'listed') throw refusal(origin, was);
      if (verdict === 'failed')
        throw new ToolError('SITE_NOT_ALLOWED', `The approval of ${origin} could not be stored, so it does not count.`);
      throw new ToolError(
        'SITE_NOT_ALLOWED',
        verdict === 'denied'
          ? `The user did not allow ${origin}. Do not ask again for this site.`
          : `The user did not answer in time whether ${origin} is allowed. Ask them, then call again.`,
      );
    },

    allows: async (origin) => (await standing(origin)) === 'held',

    async checkHost(host) {
      const hits = (await entries()).filter((e) => new URL(e.slice(0, -1)).hostname === host);
      for (const entry of hits) if (await permissions.contains(permissionOf(entry))) return entry.slice(0, -2);
      throw refusal(host, hits.length > 0 ? 'listed' : 'unknown');
    },

    async view() {
      const list = await entries();
      const stored = await storedAll();
      return {
        entries: await Promise.all(
          list.map(async (glob) => ({ glob, held: await permissions.contains(permissionOf(glob)) })),
        ),
        pending: [...pending.values()].map(({ id, glob, expiresAt }) => ({
          id,
          glob,
          expiresAt,
          permission: permissionOf(glob),
        })),
        allowAllSites: stored,
        allUrlsHeld: await permissions.contains(ALL_URLS),
      };
    },

    async resolve(id, allow) {
      const request = [...pending.values()].find((p) => p.id === id);
      if (request === undefined) throw new Error('this request is no longer pending');
      if (!allow) {
        if (claim(request)) await finish(request, 'denied');
        return;
      }
      if (!(await options.mayAllow())) throw new Error('sites can be allowed only while the kill switch is known to be off');
      request.clicked = true;
      await tryAllow(request);
    },

    async add(text) {
      const entry = entryOf(text);
      if (entry === null) throw new Error('not an http or https address');
      if (!(await options.mayAllow())) throw new Error('sites can be allowed only while the kill switch is known to be off');
      if (!(await permissions.contains(permissionOf(entry)))) throw new Error('the browser did not grant the permission');
      await persist(entry);
      // A card for the same site has its answer now.
      const request = pending.get(entry);
      if (request !== undefined && claim(request)) await finish(request, 'allowed');
    },

    async remove(entry) {
      let rest: string[] = [];
      await writes.run(async () => {
        rest = (await entries()).filter((e) => e !== entry);
        await store.write({ [KEY.allowlist]: rest });
      });
      if (!isEntry(entry)) return { permissionRemoved: false };
      const permission = permissionOf(entry);
      if (rest.some((e) => permissionOf(e) === permission)) return { permissionRemoved: false };
      try {
        return { permissionRemoved: await permissions.remove(permission) };
      } catch (error) {
        return { permissionRemoved: false, permissionError: messageOf(error) };
      }
    },

    sweep: writeMirror,

    onPermissionAdded() {
      for (const request of [...pending.values()]) void tryAllow(request);
    },
  };
}

/** The rows of `pendingAllow` that a page may show; null if the record holds anything else. */
export function readPendingRows(value: unknown): { id: string; glob: string; expiresAt: number }[] | null {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return null;
  const rows = value.filter(
    (row): row is { id: string; glob: string; expiresAt: number } =>
      hasExactly(row, ['id', 'glob', 'expiresAt']) &&
      typeof row.id === 'string' &&
      isEntry(row.glob) &&
      isTime(row.expiresAt),
  );
  return rows.length === value.length ? rows : null;
}
