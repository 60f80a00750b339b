import { EXTENSION_ID, HOST_ID } from '@contract/identity';
import { CAPABILITIES } from '@contract/ops';
import { DENY_BASELINE } from '@contract/policy';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeBrowser } from 'wxt/testing/fake-browser';
import background from '../../src/entrypoints/background';
import { newKey } from '../trust/world';
import { settle, silentEvents } from '../util';

type Listener = (...args: never[]) => unknown;

/** The worker, started on a browser that records what it is asked, and in which order. */
function boot(options: { confineFails?: boolean; id?: string; hang?: boolean; tabs?: { id: number; url: string }[] } = {}) {
  fakeBrowser.reset();
  silentEvents();
  const log: string[] = [];
  const ports: { posted: Record<string, unknown>[]; say(frame: unknown): void; lose(): void }[] = [];
  const listeners: Record<string, Listener[]> = {};
  const event = (name: string) => ({
    addListener: (l: Listener) => {
      (listeners[name] ??= []).push(l);
    },
    removeListener: () => undefined,
  });
  const api = fakeBrowser as unknown as Record<string, Record<string, unknown>>;
  Object.assign(fakeBrowser.runtime, {
    id: options.id ?? EXTENSION_ID,
    onMessage: event('message'),
    onStartup: event('startup'),
    onInstalled: event('installed'),
    getManifest: () => ({ version: '0.1.0' }),
    connectNative: (host: string) => {
      log.push(`connect ${host}`);
      let hear: Listener = () => undefined;
      let lost: Listener = () => undefined;
      const port = {
        posted: [] as Record<string, unknown>[],
        say: (frame: unknown) => void hear(frame as never),
        lose: () => void lost(),
      };
      ports.push(port);
      return {
        postMessage: (f: Record<string, unknown>) => port.posted.push(f),
        disconnect: () => undefined,
        onMessage: { addListener: (l: Listener) => (hear = l) },
        onDisconnect: { addListener: (l: Listener) => (lost = l) },
      };
    },
  });
  const access = (area: string) => async () => {
    log.push(`confine ${area}`);
    if (options.hang) await new Promise(() => undefined);
    if (options.confineFails) throw new Error('no access levels');
  };
  Object.assign(fakeBrowser.storage.local, { setAccessLevel: access('local') });
  Object.assign(fakeBrowser.storage.session, { setAccessLevel: access('session') });
  const get = fakeBrowser.storage.local.get.bind(fakeBrowser.storage.local);
  Object.assign(fakeBrowser.storage.local, {
    get: async (keys: never) => {
      log.push('read');
      return get(keys);
    },
  });
  api.permissions = { onAdded: event('permission'), onRemoved: event('permission taken'), contains: async () => false };
  api.action = { setBadgeText: async () => void log.push('badge'), setBadgeBackgroundColor: async () => undefined, openPopup: async () => undefined };
  api.alarms = {
    onAlarm: event('alarm'),
    get: async () => undefined,
    create: async (name: string, o: { periodInMinutes: number }) => void log.push(`alarm ${name} ${o.periodInMinutes}`),
  };
  api.windows = { ...(api.windows ?? {}), onRemoved: event('window') };
  api.debugger = { onDetach: event('detach'), onEvent: event('debugger') };
  api.scripting = {};
  api.tabs = {
    ...(api.tabs ?? {}),
    query: async () => options.tabs ?? [],
    remove: async (ids: number[]) => void log.push(`close ${ids.join()}`),
  };
  vi.stubGlobal('navigator', {
    locks: {
      request: async (name: string, work: () => Promise<unknown>) => {
        log.push(`lock ${name}`);
        return work();
      },
    },
  });
  background.main();
  return { log, ports, listeners };
}

beforeEach(() => {
  vi.unstubAllGlobals();
});

describe('the start of the worker', () => {
  it('registers every listener before anything is awaited', async () => {
    const { listeners } = boot();
    expect(Object.keys(listeners).sort()).toEqual(['alarm', 'debugger', 'detach', 'installed', 'message', 'permission', 'permission taken', 'startup', 'window']);
    // What it goes on to do is not to be seen by the next test.
    await settle();
  });

  it('confines storage first, then migrates, sweeps, arms the alarm, and connects last', async () => {
    const { log, ports } = boot();
    await settle();
    const at = (what: string) => log.indexOf(what);
    expect(log.slice(0, 2)).toEqual(['confine local', 'confine session']);
    expect(at('confine session')).toBeLessThan(at('read'));
    expect(at('lock settings')).toBeLessThan(at('badge'));
    expect(at('badge')).toBeLessThan(at('alarm reconnect 0.5'));
    expect(at('alarm reconnect 0.5')).toBeLessThan(at(`connect ${HOST_ID}`));
    const hello = ports[0]?.posted ?? [];
    expect(hello).toEqual([{ type: 'hello', protocol: 1, capabilities: expect.any(Array) }]);
    expect(hello[0]?.capabilities).toContain('tab_control');
    expect(CAPABILITIES).toEqual(expect.arrayContaining(hello[0]?.capabilities as string[]));
  });

  it('closes the windows of a worker that went before it', async () => {
    const own = `chrome-extension://${EXTENSION_ID}`;
    const { log } = boot({
      tabs: [
        { id: 1, url: `${own}/confirm.html?id=x` },
        { id: 2, url: `${own}/options.html` },
        { id: 3, url: 'https://a.example/confirm.html' },
      ],
    });
    await settle();
    expect(log.filter((l) => l.startsWith('close'))).toEqual(['close 1']);
  });

  it('reads nothing while storage is not confined', async () => {
    const { log } = boot({ hang: true });
    await settle();
    expect(log).toEqual(['confine local']);
  });

  it('connects with storage unconfined, and serves nothing', async () => {
    const { ports } = boot({ confineFails: true });
    await settle();
    ports[0]?.say({ id: 1, op: 'tab_list', args: {} });
    await settle();
    expect(ports[0]?.posted.at(-1)).toMatchObject({ id: 1, code: 'TOOL_DISABLED', error: expect.stringContaining('no access levels') });
  });

  it('serves nothing under another id', async () => {
    const { ports } = boot({ id: 'abcdefghijklmnopabcdefghijklmnop' });
    await settle();
    ports[0]?.say({ id: 1, op: 'tab_list', args: {} });
    await settle();
    expect(ports[0]?.posted.at(-1)).toMatchObject({ id: 1, code: 'TOOL_DISABLED', error: expect.stringContaining('wrong key') });
  });

  it('serves a fresh browser', async () => {
    const { ports } = boot();
    await settle();
    ports[0]?.say({ type: 'policy_current', ok: false, error: 'no policy' });
    await settle();
    expect(ports[0]?.posted.slice(1)).toEqual([{ type: 'kill_status' }, expect.objectContaining({ type: 'enclave_challenge' })]);
    ports[0]?.say({ type: 'kill_status_result', ok: true, killed: false });
    ports[0]?.say({ id: 1, op: 'tab_list', args: {} });
    await settle();
    expect(ports[0]?.posted.at(-1)).toEqual({ id: 1, ok: true, data: [] });
    ports[0]?.say({ type: 'kill_status_result', ok: true, killed: true });
    ports[0]?.say({ id: 2, op: 'tab_list', args: {} });
    await settle();
    expect(ports[0]?.posted.at(-1)).toMatchObject({ id: 2, code: 'TOOL_DISABLED' });
  });

  it('refuses at once what waits, when the key turns out to be gone', async () => {
    const { ports } = boot();
    const key = await newKey();
    await fakeBrowser.storage.local.set({
      ...key.pin(),
      bridgePolicyCutover: true,
      bridgePolicyState: { scope: key.keyId, effective: DENY_BASELINE, revision: 1, baselineB64: 'e30=', at: 1 },
    });
    await settle();
    ports[0]?.say({ id: 1, op: 'tab_list', args: {} });
    await settle();
    expect(ports[0]?.posted.filter((f) => f.id === 1)).toEqual([]);
    ports[0]?.say({ type: 'enclave_revoked' });
    await settle();
    expect(ports[0]?.posted.at(-1)).toMatchObject({ id: 1, code: 'TOOL_DISABLED', error: expect.stringContaining('did not prove the key') });
    expect((await fakeBrowser.storage.local.get('enclaveCompromised')).enclaveCompromised).toMatchObject({ reason: 'the host gave up the key' });
  });

  it.each([
    ['the switch was used', 1, async (w: ReturnType<typeof boot>) => {
      w.ports[0]?.say({ type: 'kill_status_result', ok: true, killed: true });
      w.ports[0]?.say({ type: 'kill_status_result', ok: true, killed: false });
    }],
    ['the state of the switch was unknown', 1, async (w: ReturnType<typeof boot>) => {
      w.ports[0]?.say({ type: 'kill_status_result', ok: false, error: 'trust.json' });
      w.ports[0]?.say({ type: 'kill_status_result', ok: true, killed: false });
    }],
    ['nothing happened', 0, async () => undefined],
  ])('asks anew after an approval where %s: %i', async (_name, anew, happens) => {
    const w = boot();
    const port = w.ports;
    const made: string[] = [];
    Object.assign(fakeBrowser.windows, { create: async ({ url }: { url: string }) => ({ id: made.push(url) }), remove: async () => undefined });
    Object.assign(fakeBrowser.permissions, { contains: async () => true });
    Object.assign(fakeBrowser, { cookies: { getAll: async () => [] } });
    await fakeBrowser.storage.local.set({ allowlist: ['https://a.example/*'] });
    await settle();
    port[0]?.say({ type: 'policy_current', ok: false, error: 'no policy' });
    port[0]?.say({ type: 'kill_status_result', ok: true, killed: false });
    await settle();
    const ask = async (id: number) => {
      port[0]?.say({ id, op: 'cookie_get', args: { url: 'https://a.example/' } });
      await settle();
      return port[0]?.posted.filter((f) => f.id === id && 'ok' in f) ?? [];
    };
    expect(await ask(1)).toEqual([]);
    const id = new URL(made[0] as string).searchParams.get('id');
    const sender = { id: EXTENSION_ID, url: `chrome-extension://${EXTENSION_ID}/confirm.html?id=${id}` };
    w.listeners.message?.[0]?.({ type: 'confirm_resolve', id, approved: true } as never, sender as never, (() => undefined) as never);
    await settle();
    expect(await ask(2)).toMatchObject([{ ok: true }]);
    expect(made).toHaveLength(1);
    await happens(w);
    await settle();
    expect(await ask(3)).toHaveLength(1 - anew);
    expect(made).toHaveLength(1 + anew);
  });

  it('serves under a policy that it verified on this port', async () => {
    const { ports } = boot();
    const key = await newKey();
    await fakeBrowser.storage.local.set(key.pin());
    await settle();
    ports[0]?.say(await key.push({ fields: { disabledTools: ['tab_focus'] } }));
    await settle();
    ports[0]?.say({ id: 1, op: 'tab_list', args: {} });
    ports[0]?.say({ id: 2, op: 'tab_focus', args: { tabId: 1 } });
    await settle();
    expect(ports[0]?.posted.find((f) => f.id === 1)).toEqual({ id: 1, ok: true, data: [] });
    expect(ports[0]?.posted.find((f) => f.id === 2)).toMatchObject({ code: 'TOOL_DISABLED' });
  });

  it('holds what it read of storage until that changes, and reads it again then', async () => {
    const { ports, log } = boot();
    await settle();
    const ask = async (id: number) => {
      const from = log.length;
      ports[0]?.say({ id, op: 'tab_list', args: {} });
      await settle();
      return { reads: log.slice(from).filter((l) => l === 'read').length, answer: ports[0]?.posted.find((f) => f.id === id) };
    };
    expect(await ask(1)).toMatchObject({ answer: { ok: true } });
    expect(await ask(2)).toEqual({ reads: 0, answer: { id: 2, ok: true, data: [] } });
    // As another page of ours, or a person with the developer tools, would.
    await fakeBrowser.storage.local.set({ enclaveEverPinned: true });
    expect(await ask(3)).toMatchObject({ answer: { code: 'TOOL_DISABLED', error: expect.stringContaining('is gone') } });
    await fakeBrowser.storage.local.remove('enclaveEverPinned');
    expect(await ask(4)).toMatchObject({ answer: { ok: true } });
    await fakeBrowser.storage.local.set({ enclaveCompromised: { reason: 'x', at: 1 } });
    expect(await ask(5)).toMatchObject({ answer: { code: 'TOOL_DISABLED', error: expect.stringContaining('did not prove') } });
  });

  it('wakes by alarm, by start of the browser and by installation, where nothing is connected', async () => {
    const { ports, listeners } = boot();
    await settle();
    listeners.alarm?.[0]?.({ name: 'reconnect' } as never);
    listeners.startup?.[0]?.();
    await settle();
    expect(ports).toHaveLength(1);
    listeners.alarm?.[0]?.({ name: 'another' } as never);
    await settle();
    expect(ports).toHaveLength(1);
  });

  it('opens one port only where two events wake it at once', async () => {
    const { ports, listeners } = boot();
    listeners.installed?.[0]?.();
    listeners.alarm?.[0]?.({ name: 'reconnect' } as never);
    await settle();
    expect(ports).toHaveLength(1);
    expect(ports[0]?.posted).toHaveLength(1);
  });
});
