import { describe, expect, it } from 'vitest';
import { pageHalf, paired, world } from './world';

async function ready(answer: unknown, data?: Record<string, unknown>) {
  const w = world(data ?? (await paired()));
  w.allow('https://a.example');
  w.addTab({ url: 'https://a.example/', title: 'Shop' });
  const page = pageHalf({ storage_get: answer });
  w.pages.set(1, page);
  return { w, page };
}
const all = (entries: Record<string, string>) => ({ type: 'local', entries, count: Object.keys(entries).length, truncated: false, totalKeys: Object.keys(entries).length });

describe('storage_get', () => {
  it('asks the top document for localStorage unless told otherwise', async () => {
    const { w, page } = await ready(all({}));
    await w.call('storage_get');
    await w.call('storage_get', { type: 'session', key: 'k' });
    expect(page.heard.filter((m) => m.op === 'storage_get')).toMatchObject([
      { expectOrigin: 'https://a.example', args: { type: 'local' } },
      { expectOrigin: 'https://a.example', args: { type: 'session', key: 'k' } },
    ]);
  });

  it('masks every value and no key', async () => {
    const { w } = await ready(all({ auth_token: 'session_tokenvalue', n: '123456789012', short: 'pin 1' }));
    expect((await w.call('storage_get')).data).toEqual(all({ auth_token: '\u2022\u2022\u2022\u2022[sensitive]', n: '\u2022\u2022\u2022\u2022[num]', short: 'pin 1' }));
  });

  it('masks the one value that was asked for', async () => {
    const { w } = await ready({ key: 'k', found: true, value: 'password=hunter22' });
    expect((await w.call('storage_get', { key: 'k' })).data).toEqual({ key: 'k', found: true, value: '\u2022\u2022\u2022\u2022[redacted]' });
  });

  it('tells of a key that is not there', async () => {
    const { w } = await ready({ key: 'k', found: false });
    expect((await w.call('storage_get', { key: 'k' })).data).toEqual({ key: 'k', found: false });
  });

  it('keeps keys that are names of the language', async () => {
    const { w } = await ready(all(Object.fromEntries([['__proto__', '1234567'], ['constructor', 'x']])));
    const { entries } = (await w.call('storage_get')).data as { entries: Record<string, string> };
    expect(Object.entries(entries)).toEqual([['__proto__', '1234567'], ['constructor', 'x']]);
  });

  it.each([
    ['a value without found', { key: 'k', value: 'x' }],
    ['found without a value', { key: 'k', found: true }],
    ['a value that is no string', all({ k: 7 as never })],
    ['entries that are a list', { ...all({}), entries: [] }],
    ['another store', { ...all({}), type: 'cookies' }],
    ['one member more', { ...all({}), url: 'x' }],
    ['nothing', null],
  ])('refuses %s', async (_name, answer) => {
    const { w } = await ready(answer);
    expect(await w.call('storage_get')).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('does not fit') });
  });

  it('is confirmed while unpaired, naming store, host and key', async () => {
    const { w, page } = await ready(all({}), {});
    const id = w.request('storage_get', { type: 'session', key: 'cart' });
    expect(await w.payload()).toMatchObject({
      kind: 'read',
      tool: 'storage_get',
      origin: 'https://a.example',
      tabTitle: 'Shop',
      detail: 'sessionStorage \u00b7 a.example \u00b7 cart',
    });
    await w.decide(false);
    expect(w.answerOf(id)).toMatchObject({ code: 'USER_DENIED' });
    expect(page.heard).toEqual([]);
  });
});
