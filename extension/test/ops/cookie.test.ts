import { describe, expect, it } from 'vitest';
import { reaches } from '../../src/ops/cookie';
import { pageHalf, paired, world, type World } from './world';
import { settle } from '../util';

const cookie = (change: Record<string, unknown> = {}) => ({
  name: 'sid',
  value: 'abc',
  domain: 'a.example',
  hostOnly: true,
  path: '/',
  httpOnly: true,
  secure: false,
  sameSite: 'lax',
  session: true,
  storeId: '0',
  ...change,
});

async function ready(data?: Record<string, unknown>): Promise<World> {
  const w = world(data ?? (await paired()));
  w.allow('https://a.example');
  w.addTab({ url: 'https://a.example/shop?x=1', title: 'Shop' });
  w.cookies.jar = [cookie()];
  return w;
}

describe('cookie_get', () => {
  it('reads those of the tab, in the form of the catalogue', async () => {
    const w = await ready();
    w.cookies.jar = [cookie(), cookie({ name: 'keep', session: false, expirationDate: 1.5e9, domain: '.example' })];
    expect(await w.call('cookie_get')).toEqual({
      id: 1,
      ok: true,
      data: {
        cookies: [
          { name: 'sid', value: 'abc', domain: 'a.example', path: '/', httpOnly: true, secure: false, sameSite: 'lax', session: true },
          { name: 'keep', value: 'abc', domain: '.example', path: '/', httpOnly: true, secure: false, sameSite: 'lax', session: false, expirationDate: 1.5e9 },
        ],
        count: 2,
      },
    });
    expect(w.cookies.asked).toEqual([{ url: 'https://a.example/shop?x=1' }]);
  });

  it('masks values by their patterns, and leaves names', async () => {
    const w = await ready();
    w.cookies.jar = [cookie({ name: 'session_token', value: `v-${'0123456789abcdef'.repeat(2)}` }), cookie({ value: 'session_tokenvalue' })];
    expect(await w.call('cookie_get')).toMatchObject({
      data: { cookies: [{ name: 'session_token', value: 'v-\u2022\u2022\u2022\u2022[hex]' }, { value: 'session_tokenvalue' }] },
    });
  });

  it('says that a permission may be missing where there is none', async () => {
    const w = await ready();
    w.cookies.jar = [];
    expect(await w.call('cookie_get')).toMatchObject({ data: { cookies: [], count: 0, hint: expect.stringContaining('permission') } });
  });

  it('asks for url and name as given, and needs no tab for that', async () => {
    const w = await ready();
    w.tabs.clear();
    w.windows.normal = null;
    expect(await w.call('cookie_get', { url: 'https://a.example/deep', name: 'sid', tabId: 99 })).toMatchObject({ ok: true });
    expect(w.cookies.asked).toEqual([{ url: 'https://a.example/deep', name: 'sid' }]);
    expect(await w.call('cookie_get', {})).toMatchObject({ code: 'TAB_NOT_FOUND' });
  });

  it.each(['ftp://a.example/', 'a.example', '/x', ''])('refuses url %j', async (url) => {
    expect(await (await ready()).call('cookie_get', { url })).toMatchObject({ code: 'INVALID_ARGUMENT', error: expect.stringContaining('url') });
  });

  it.each(['https://a.example', 'a.example/x', '*.a.example', ' . ', ''])('refuses domain %j', async (domain) => {
    expect(await (await ready()).call('cookie_get', { domain })).toMatchObject({ code: 'INVALID_ARGUMENT', error: expect.stringContaining('domain') });
  });

  it('asks for the site of an url, and takes a denial', async () => {
    const w = await ready();
    const id = w.request('cookie_get', { url: 'https://b.example/' });
    await settle();
    expect(w.store.data.pendingAllow).toMatchObject([{ glob: 'https://b.example/*' }]);
    await w.allowlist.resolve('allow_u', false);
    await settle();
    expect(w.answerOf(id)).toMatchObject({ code: 'SITE_NOT_ALLOWED' });
    expect(w.cookies.asked).toEqual([]);
  });

  it('takes the host of an entry as domain, however it is written, and never asks for another', async () => {
    const w = await ready();
    expect(await w.call('cookie_get', { domain: ' ..A.Example ' })).toMatchObject({ data: { count: 1 } });
    expect(w.cookies.asked).toEqual([{ domain: 'a.example' }]);
    for (const domain of ['b.example', 'x.a.example', 'example'])
      expect(await w.call('cookie_get', { domain })).toMatchObject({ code: 'SITE_NOT_ALLOWED' });
    expect(w.store.data.pendingAllow).toBeUndefined();
    w.held.clear();
    expect(await w.call('cookie_get', { domain: 'a.example' })).toMatchObject({ code: 'HOST_PERMISSION_MISSING' });
  });

  it('drops what belongs to a subdomain, which the browser lets in', async () => {
    const w = await ready();
    w.cookies.jar = ['a.example', '.a.example', 'example', 'x.a.example', '.x.a.example', 'evila.example', ''].map((domain) => cookie({ domain, name: domain }));
    const names = ((await w.call('cookie_get', { domain: 'a.example' })).data as { cookies: { name: string }[] }).cookies.map((c) => c.name);
    expect(names).toEqual(['a.example', '.a.example', 'example']);
  });

  it('with url and domain gives what both let through', async () => {
    const w = await ready();
    w.allow('https://x.a.example');
    w.cookies.jar = ['a.example', 'x.a.example'].map((domain) => cookie({ domain, name: domain }));
    expect(await w.call('cookie_get', { url: 'https://x.a.example/', domain: 'a.example' })).toMatchObject({ data: { cookies: [{ name: 'a.example' }], count: 1 } });
    expect(w.cookies.asked).toEqual([{ url: 'https://x.a.example/', domain: 'a.example' }]);
  });

  it('knows a host and its parents', () => {
    expect([reaches('a.b', 'a.b'), reaches('.b', 'a.b'), reaches('a.b', 'b'), reaches('ab', 'a.ab'), reaches('b', 'ab'), reaches('..', 'a')]).toEqual([true, true, false, true, false, false]);
  });

  it.each(['about:blank', 'chrome://settings/', 'https://chromewebstore.google.com/x'])('does not take %s for a site', async (url) => {
    const w = await ready();
    w.tabs.get(1)!.url = url;
    expect(await w.call('cookie_get')).toMatchObject({ code: 'UNSUPPORTED_PAGE' });
  });
});

describe('while unpaired', () => {
  const unpaired = () => ready({});

  it('cookie_get is confirmed, saying which store, host and name', async () => {
    const w = await unpaired();
    const id = w.request('cookie_get', { name: 'si\u202ed' });
    expect(await w.payload()).toMatchObject({
      kind: 'read',
      tool: 'cookie_get',
      origin: 'https://a.example',
      tabTitle: 'Shop',
      detail: 'cookies \u00b7 a.example \u00b7 si\\u202ed',
    });
    expect(w.cookies.asked).toEqual([]);
    await w.decide(false);
    expect(w.answerOf(id)).toMatchObject({ code: 'USER_DENIED' });
    expect(w.cookies.asked).toEqual([]);
  });

  it('the name is shown as it is asked for, and whole', async () => {
    const w = await unpaired();
    w.request('cookie_get', { name: `${'n'.repeat(250)} \u200b` });
    expect((await w.payload())?.detail).toBe(`cookies \u00b7 a.example \u00b7 ${'n'.repeat(250)} \\u200b`);
  });

  it('an approval covers reading the same site in the same tab for its time', async () => {
    const w = await unpaired();
    w.pages.set(1, pageHalf({ storage_get: { key: 'k', found: false } }));
    const id = w.request('cookie_get');
    await w.payload();
    await w.decide(true);
    expect(w.answerOf(id)).toMatchObject({ ok: true });
    expect(await w.call('storage_get', { key: 'k' })).toMatchObject({ ok: true });
    w.addTab({ id: 2, url: 'https://a.example/' });
    const other = w.request('cookie_get', { tabId: 2 });
    expect(await w.payload()).toMatchObject({ kind: 'read' });
    await w.decide(false);
    expect(w.answerOf(other)).toMatchObject({ code: 'USER_DENIED' });
    await w.clock.advance(60_000);
    const late = w.request('cookie_get');
    expect(await w.payload()).toMatchObject({ kind: 'read' });
    await w.decide(false);
    expect(w.answerOf(late)).toMatchObject({ code: 'USER_DENIED' });
  });

  it('by domain the window shows the entry, and the entry still has to be there afterwards', async () => {
    const w = await unpaired();
    const id = w.request('cookie_get', { domain: 'a.example' });
    expect(await w.payload()).toMatchObject({ origin: 'https://a.example', tabTitle: '', detail: 'cookies \u00b7 a.example' });
    w.store.data.allowlist = [];
    await w.decide(true);
    expect(w.answerOf(id)).toMatchObject({ code: 'SITE_NOT_ALLOWED' });
    expect(w.cookies.asked).toEqual([]);
  });

  it('gives nothing of a tab that went elsewhere while the window was open', async () => {
    const w = await unpaired();
    const id = w.request('cookie_get');
    await w.payload();
    w.tabs.get(1)!.url = 'https://b.example/';
    await w.decide(true);
    expect(w.answerOf(id)).toMatchObject({ code: 'EXECUTION_FAILED' });
    expect(w.cookies.asked).toEqual([]);
  });

  it('a window that nobody answers is a time-out', async () => {
    const w = await unpaired();
    expect(await w.call('cookie_get')).toMatchObject({ code: 'CONFIRMATION_TIMEOUT' });
  });
});
