import { LIMITS } from '@contract/host';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/async';
import { Cancelled } from '../../src/errors';
import { createAllowlist } from '../../src/gate/allowlist';
import { outcome, refusal, settle, testClock, testStore } from '../util';

const SITE = 'https://shop.example';
const ENTRY = `${SITE}/*`;

function setUp(data: Record<string, unknown> = {}, held: string[] = []) {
  const clock = testClock();
  const store = testStore(data);
  const permissions = new Set(held);
  const world = {
    badges: [] as boolean[],
    popups: 0,
    popupFails: false,
    alive: true,
    removed: [] as string[],
    removeFails: false,
    containsFails: false,
    waits: 0,
  };
  let next = 0;
  const allowlist = createAllowlist({
    store,
    clock,
    permissions: {
      contains: async (p) => {
        if (world.containsFails) throw new Error('no permissions API');
        return permissions.has(p) || (permissions.has('<all_urls>') && p !== '<all_urls>');
      },
      remove: async (p) => {
        if (world.removeFails) throw new Error('required by policy');
        world.removed.push(p);
        return permissions.delete(p);
      },
    },
    badge: async (waiting) => void world.badges.push(waiting),
    openPopup: async () => {
      world.popups += 1;
      if (world.popupFails) throw new Error('no active window');
    },
    uuid: () => `u${++next}`,
    mayAllow: async () => world.alive,
    log: () => undefined,
  });
  const stop = new AbortController();
  const ask = async <T>(wait: () => Promise<T>): Promise<T> => {
    world.waits += 1;
    return wait();
  };
  const check = (origin = SITE, signal = stop.signal) => allowlist.check(origin, signal, ask);
  return { clock, store, permissions, world, allowlist, stop, check };
}

const pendingOf = (store: { data: Record<string, unknown> }) =>
  store.data.pendingAllow as { id: string; glob: string; expiresAt: number }[];

describe('the check', () => {
  it('passes an entry whose permission is held, asking nobody', async () => {
    const w = setUp({ allowlist: [ENTRY] }, [`${SITE}/*`]);
    await w.check();
    expect(w.world.waits).toBe(0);
  });

  it('holds the port against the list, and the permission without it', async () => {
    const w = setUp({ allowlist: ['https://shop.example:8443/*'] }, [`${SITE}/*`]);
    expect(await w.allowlist.allows('https://shop.example:8443')).toBe(true);
    expect(await w.allowlist.allows(SITE)).toBe(false);
    expect(await w.allowlist.allows('https://shop.example:9443')).toBe(false);
  });

  it('passes all sites only where the browser really holds all', async () => {
    expect(await setUp({ allowAllSites: true }).allowlist.allows(SITE)).toBe(false);
    expect(await setUp({}, ['<all_urls>']).allowlist.allows(SITE)).toBe(false);
    expect(await setUp({ allowAllSites: true }, ['<all_urls>']).allowlist.allows(SITE)).toBe(true);
    expect(await setUp({ allowAllSites: 'yes' }, ['<all_urls>']).allowlist.allows(SITE)).toBe(false);
  });

  it.each([['no array', 'x'], ['a bad entry', [ENTRY, 7]], ['an entry that is not canonical', [ENTRY, 'https://A/*']]])(
    'takes a record that is %s for empty',
    async (_name, list) => {
      expect(await setUp({ allowlist: list }, [`${SITE}/*`]).allowlist.allows(SITE)).toBe(false);
    },
  );

  it('of a frame never asks, and tells a miss from a permission that is gone', async () => {
    const w = setUp({ allowlist: [ENTRY] });
    const { signal } = w.stop;
    expect(await refusal(w.allowlist.check(SITE, signal, null))).toMatchObject({ code: 'HOST_PERMISSION_MISSING' });
    expect(await refusal(w.allowlist.check('https://b', signal, null))).toMatchObject({ code: 'SITE_NOT_ALLOWED' });
    expect(w.world.popups).toBe(0);
    expect(pendingOf(w.store)).toBeUndefined();
  });
});

describe('a host by its name', () => {
  it('has to be that of an entry, ports ignored', async () => {
    const w = setUp({ allowlist: ['https://shop.example:8443/*', 'http://[::1]/*'] }, ['https://shop.example/*', 'http://[::1]/*']);
    expect(await w.allowlist.checkHost('shop.example')).toBe('https://shop.example:8443');
    expect(await w.allowlist.checkHost('[::1]')).toBe('http://[::1]');
    for (const host of ['a.shop.example', 'example', 'shop.example:8443', ''])
      expect(await refusal(w.allowlist.checkHost(host))).toMatchObject({ code: 'SITE_NOT_ALLOWED' });
    expect(w.world.popups).toBe(0);
  });

  it('needs the permission of one of its entries', async () => {
    const list = { allowlist: ['http://shop.example/*', 'https://shop.example/*'] };
    expect(await refusal(setUp(list).allowlist.checkHost('shop.example'))).toMatchObject({ code: 'HOST_PERMISSION_MISSING' });
    expect(await setUp(list, ['https://shop.example/*']).allowlist.checkHost('shop.example')).toBe('https://shop.example');
  });

  it('is not covered by all sites, since no entry names it', async () => {
    const w = setUp({ allowAllSites: true }, ['<all_urls>']);
    expect(await refusal(w.allowlist.checkHost('shop.example'))).toMatchObject({ code: 'SITE_NOT_ALLOWED' });
  });
});

describe('the prompt', () => {
  it('records the request, shows the badge, then tries the popup', async () => {
    const w = setUp();
    void w.check();
    await settle();
    expect(pendingOf(w.store)).toEqual([{ id: 'allow_u1', glob: ENTRY, expiresAt: w.clock.now() + 60_000 }]);
    expect(w.world.badges).toEqual([true]);
    expect(w.world.popups).toBe(1);
    expect((await w.allowlist.view()).pending).toEqual([
      { id: 'allow_u1', glob: ENTRY, expiresAt: w.clock.now() + 60_000, permission: ENTRY },
    ]);
  });

  it('goes on waiting where the popup cannot be opened', async () => {
    const w = setUp();
    w.world.popupFails = true;
    const asked = outcome(w.check());
    await settle();
    expect(pendingOf(w.store)).toHaveLength(1);
    w.permissions.add(`${SITE}/*`);
    await w.allowlist.resolve('allow_u1', true);
    expect(await asked).toEqual({ value: undefined });
  });

  it('allows on the click and the permission together, and stores the entry first', async () => {
    const w = setUp();
    const asked = outcome(w.check());
    await settle();
    await w.allowlist.resolve('allow_u1', true);
    await settle();
    expect(pendingOf(w.store)).toHaveLength(1);
    w.permissions.add(`${SITE}/*`);
    w.allowlist.onPermissionAdded();
    expect(await asked).toEqual({ value: undefined });
    expect(w.store.data.allowlist).toEqual([ENTRY]);
    await settle();
    expect(pendingOf(w.store)).toEqual([]);
    expect(w.world.badges.at(-1)).toBe(false);
    const order = w.store.writes.map((x) => Object.keys(x)[0]);
    expect(order.indexOf('allowlist')).toBeLessThan(order.lastIndexOf('pendingAllow'));
  });

  it('does not allow on a permission that nobody clicked for', async () => {
    const w = setUp();
    const asked = outcome(w.check());
    await settle();
    w.permissions.add(`${SITE}/*`);
    w.allowlist.onPermissionAdded();
    await settle();
    expect(pendingOf(w.store)).toHaveLength(1);
    expect(w.store.data.allowlist).toBeUndefined();
    await w.clock.advance(LIMITS.SITE_PROMPT_MS);
    expect(await asked).toMatchObject({ error: { code: 'SITE_NOT_ALLOWED' } });
  });

  it('does not allow on a click that the browser did not follow', async () => {
    const w = setUp();
    const asked = outcome(w.check());
    await settle();
    await w.allowlist.resolve('allow_u1', true);
    await w.clock.advance(LIMITS.SITE_PROMPT_MS);
    expect(await asked).toMatchObject({ error: { code: 'SITE_NOT_ALLOWED' } });
    // Granted too late: it is nobody's request any more.
    w.permissions.add(`${SITE}/*`);
    w.allowlist.onPermissionAdded();
    await settle();
    expect(w.store.data.allowlist).toBeUndefined();
  });

  it('needs the permission of its own entry', async () => {
    const w = setUp();
    void w.check();
    await settle();
    await w.allowlist.resolve('allow_u1', true);
    w.permissions.add('https://other.example/*');
    w.allowlist.onPermissionAdded();
    await settle();
    expect(pendingOf(w.store)).toHaveLength(1);
  });

  it('can be clicked again after a refusal of the browser', async () => {
    const w = setUp();
    const asked = outcome(w.check());
    await settle();
    await w.allowlist.resolve('allow_u1', true);
    await w.allowlist.resolve('allow_u1', true);
    w.permissions.add(`${SITE}/*`);
    await w.allowlist.resolve('allow_u1', true);
    expect(await asked).toEqual({ value: undefined });
  });

  it('is denied by Deny, whatever the kill view says', async () => {
    const w = setUp();
    w.world.alive = false;
    const asked = outcome(w.check());
    await settle();
    await w.allowlist.resolve('allow_u1', false);
    expect(await asked).toMatchObject({ error: { code: 'SITE_NOT_ALLOWED' } });
    expect(pendingOf(w.store)).toEqual([]);
    await expect(w.allowlist.resolve('allow_u1', true)).rejects.toThrow('no longer pending');
  });

  it('takes no Allow unless the kill view is positively alive', async () => {
    const w = setUp({}, [`${SITE}/*`]);
    void w.check();
    await settle();
    w.world.alive = false;
    await expect(w.allowlist.resolve('allow_u1', true)).rejects.toThrow('kill switch');
    w.allowlist.onPermissionAdded();
    await settle();
    expect(w.store.data.allowlist).toBeUndefined();
    await expect(w.allowlist.add(SITE)).rejects.toThrow('kill switch');
  });

  it('ends as HOST_PERMISSION_MISSING where the entry was there and the permission is not restored', async () => {
    const w = setUp({ allowlist: [ENTRY] });
    const asked = outcome(w.check());
    await settle();
    await w.allowlist.resolve('allow_u1', false);
    expect(await asked).toMatchObject({ error: { code: 'HOST_PERMISSION_MISSING' } });
    const again = outcome(w.check());
    await settle();
    w.permissions.add(`${SITE}/*`);
    await w.allowlist.resolve('allow_u2', true);
    expect(await again).toEqual({ value: undefined });
    expect(w.store.data.allowlist).toEqual([ENTRY]);
  });

  it('denies where the entry cannot be stored', async () => {
    const w = setUp({}, [`${SITE}/*`]);
    const asked = outcome(w.check());
    await settle();
    w.store.failWrites = true;
    await w.allowlist.resolve('allow_u1', true);
    expect(await asked).toMatchObject({ error: { code: 'SITE_NOT_ALLOWED', message: expect.stringContaining('stored') } });
  });

  it('goes on waiting where the permission cannot be looked up', async () => {
    const w = setUp();
    const asked = outcome(w.check());
    await settle();
    w.world.containsFails = true;
    await w.allowlist.resolve('allow_u1', true);
    w.world.containsFails = false;
    w.permissions.add(`${SITE}/*`);
    w.allowlist.onPermissionAdded();
    expect(await asked).toEqual({ value: undefined });
  });
});

describe('concurrent prompts', () => {
  it('share one entry for one site, and all go on together', async () => {
    const w = setUp();
    const asked = [outcome(w.check()), outcome(w.check()), outcome(w.check())];
    await settle();
    expect(pendingOf(w.store)).toHaveLength(1);
    expect(w.world.popups).toBe(1);
    w.permissions.add(`${SITE}/*`);
    await w.allowlist.resolve('allow_u1', true);
    expect(await Promise.all(asked)).toEqual(Array(3).fill({ value: undefined }));
  });

  it('are settled one by one: an answer or a deadline is that of its own request', async () => {
    const w = setUp();
    const first = outcome(w.check());
    await w.clock.advance(30_000);
    const second = outcome(w.check('https://two.example'));
    await settle();
    expect(pendingOf(w.store).map((p) => p.glob)).toEqual([ENTRY, 'https://two.example/*']);
    await w.clock.advance(30_000);
    expect(await first).toMatchObject({ error: { code: 'SITE_NOT_ALLOWED' } });
    expect(pendingOf(w.store).map((p) => p.glob)).toEqual(['https://two.example/*']);
    expect(w.world.badges.at(-1)).toBe(true);
    await w.allowlist.resolve('allow_u2', false);
    expect(await second).toMatchObject({ error: { code: 'SITE_NOT_ALLOWED' } });
    await settle();
    expect(w.world.badges.at(-1)).toBe(false);
  });

  it('keeps ports apart', async () => {
    const w = setUp();
    void w.check('https://shop.example:8443');
    void w.check();
    await settle();
    expect(pendingOf(w.store).map((p) => p.glob)).toEqual(['https://shop.example:8443/*', ENTRY]);
    w.permissions.add(`${SITE}/*`);
    await w.allowlist.resolve('allow_u1', true);
    await settle();
    expect(w.store.data.allowlist).toEqual(['https://shop.example:8443/*']);
    expect(await w.allowlist.allows(SITE)).toBe(false);
  });

  it('a cancelled one takes its request with it, unless another still waits', async () => {
    const w = setUp();
    const stop = new AbortController();
    const leaving = outcome(w.check(SITE, stop.signal));
    const staying = outcome(w.check());
    await settle();
    stop.abort(new Cancelled());
    expect(await leaving).toMatchObject({ error: expect.any(Cancelled) });
    await settle();
    expect(pendingOf(w.store)).toHaveLength(1);
    w.stop.abort(new Cancelled());
    await staying;
    await settle();
    expect(pendingOf(w.store)).toEqual([]);
    expect(w.world.badges.at(-1)).toBe(false);
  });
});

describe('one winner', () => {
  it('the deadline while the permission is being looked up: the request is over', async () => {
    const w = setUp({}, [`${SITE}/*`]);
    const asked = outcome(w.check());
    await w.clock.advance(59_999);
    const gate = deferred<void>();
    const read = w.store.read.bind(w.store);
    w.world.alive = true;
    w.store.read = async (keys) => {
      await gate.promise;
      return read(keys);
    };
    const click = w.allowlist.resolve('allow_u1', true);
    await w.clock.advance(1);
    gate.resolve();
    await click;
    const got = await asked;
    // Whoever was first has it whole: allowed and stored, or expired and not.
    if ('error' in got) expect(w.store.data.allowlist).toBeUndefined();
    else expect(w.store.data.allowlist).toEqual([ENTRY]);
  });

  it('a click at the very deadline does not allow', async () => {
    const w = setUp({}, [`${SITE}/*`]);
    const asked = outcome(w.check());
    await w.clock.advance(60_000);
    await expect(w.allowlist.resolve('allow_u1', true)).rejects.toThrow('no longer pending');
    expect(await asked).toMatchObject({ error: { code: 'SITE_NOT_ALLOWED' } });
    expect(w.store.data.allowlist).toBeUndefined();
  });
});

describe('the record', () => {
  it('of another worker life is swept at start', async () => {
    const w = setUp({ pendingAllow: [{ id: 'allow_old', glob: ENTRY, expiresAt: 5 }] });
    await w.allowlist.sweep();
    expect(pendingOf(w.store)).toEqual([]);
    expect(w.world.badges).toEqual([false]);
  });

  it('keeps a request that was made after the stale one was read', async () => {
    const w = setUp({ pendingAllow: 'junk' });
    void w.check();
    await w.allowlist.sweep();
    await settle();
    expect(pendingOf(w.store).map((p) => p.id)).toEqual(['allow_u1']);
  });

  it('ends as memory is, however many writes are under way', async () => {
    const w = setUp();
    for (let i = 0; i < 5; i++) void outcome(w.check(`https://s${i}.example`));
    await settle();
    for (let i = 1; i <= 4; i++) void w.allowlist.resolve(`allow_u${i}`, false);
    await settle();
    expect(pendingOf(w.store).map((p) => p.id)).toEqual(['allow_u5']);
    expect(w.world.badges.at(-1)).toBe(true);
  });
});

describe('managing', () => {
  it('adds what is canonical and permitted, once', async () => {
    const w = setUp({}, [`${SITE}/*`]);
    await w.allowlist.add('https://SHOP.example:443/path?x#y');
    await w.allowlist.add(SITE);
    expect(w.store.data.allowlist).toEqual([ENTRY]);
    await expect(w.allowlist.add('https://other.example')).rejects.toThrow('did not grant');
    await expect(w.allowlist.add('ftp://x')).rejects.toThrow('not an http');
    expect(w.store.data.allowlist).toEqual([ENTRY]);
  });

  it('adding answers a card that waits for the same site', async () => {
    const w = setUp();
    const asked = outcome(w.check());
    await settle();
    w.permissions.add(`${SITE}/*`);
    await w.allowlist.add(SITE);
    expect(await asked).toEqual({ value: undefined });
  });

  it('removes the entry first, then the permission', async () => {
    const w = setUp({ allowlist: [ENTRY, 'https://b/*'] }, [`${SITE}/*`]);
    expect(await w.allowlist.remove(ENTRY)).toEqual({ permissionRemoved: true });
    expect(w.store.data.allowlist).toEqual(['https://b/*']);
    expect(w.world.removed).toEqual([`${SITE}/*`]);
  });

  it('keeps the permission while another entry needs it, with another port too', async () => {
    const w = setUp({ allowlist: [ENTRY, `${SITE}:8443/*`] }, [`${SITE}/*`]);
    expect(await w.allowlist.remove(ENTRY)).toEqual({ permissionRemoved: false });
    expect(w.world.removed).toEqual([]);
    expect(await w.allowlist.remove(`${SITE}:8443/*`)).toEqual({ permissionRemoved: true });
  });

  it('reports a permission that cannot be removed; the entry is gone all the same', async () => {
    const w = setUp({ allowlist: [ENTRY] }, [`${SITE}/*`]);
    w.world.removeFails = true;
    expect(await w.allowlist.remove(ENTRY)).toEqual({ permissionRemoved: false, permissionError: 'required by policy' });
    expect(w.store.data.allowlist).toEqual([]);
  });

  it('shows which permissions are held', async () => {
    const w = setUp({ allowlist: [ENTRY, 'https://b/*'], allowAllSites: true }, [`${SITE}/*`]);
    expect(await w.allowlist.view()).toEqual({
      entries: [
        { glob: ENTRY, held: true },
        { glob: 'https://b/*', held: false },
      ],
      pending: [],
      allowAllSites: true,
      allUrlsHeld: false,
    });
  });
});
