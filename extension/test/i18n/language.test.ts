import { beforeEach, describe, expect, it, vi } from 'vitest';
import { deferred } from '../../src/async';
import { resetCells } from '../../src/cell';
import { currentLanguage, initLanguage, onLanguage, t, type MessageKey } from '../../src/i18n';
import { isLanguage, languageOf } from '../../src/i18n/names';

const world = {
  stored: {} as Record<string, unknown>,
  browser: 'en-US',
  last: (_name: string, _subs: string[]) => '',
  readFails: false,
  listeners: new Set<(keys: string[]) => void>(),
};

vi.mock('../../src/browser/runtime', () => ({ resource: (file: string) => `x://id/${file}` }));
vi.mock('../../src/browser/i18n', () => ({
  browserLanguage: () => world.browser,
  getMessage: (name: string, subs: string[]) => world.last(name, subs),
}));
vi.mock('../../src/browser/storage', () => ({
  read: async () => {
    if (world.readFails) throw new Error('no storage');
    return world.stored;
  },
  onChanged: (listener: (keys: string[]) => void) => {
    world.listeners.add(listener);
    return () => world.listeners.delete(listener);
  },
}));

type Bundle = Record<string, { message: string }>;
const bundles: Record<string, Bundle | Promise<Bundle> | null> = {};
const fetched: string[] = [];
const settle = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await new Promise<void>((r) => setTimeout(r));
};
const choose = (value: unknown): void => {
  world.stored = { uiLanguage: value };
  for (const listener of world.listeners) listener(['uiLanguage']);
};
const key = (name: string): MessageKey => name as MessageKey;

beforeEach(() => {
  resetCells();
  Object.assign(world, { stored: {}, browser: 'en-US', last: () => '', readFails: false });
  world.listeners.clear();
  fetched.length = 0;
  Object.assign(bundles, {
    en: { a_b: { message: 'english' }, only_en: { message: 'only here' }, subs: { message: '$ARG1$ and $ARG2$, $ARG1$' }, money: { message: '5$$ for $ARG1$' } },
    zh_CN: { a_b: { message: 'simplified' } },
    zh_TW: { a_b: { message: 'traditional' } },
  });
  vi.stubGlobal('fetch', async (url: string) => {
    const language = /_locales\/(\w+)\//.exec(url)?.[1] ?? '';
    fetched.push(language);
    const found = await bundles[language];
    if (!found) throw new TypeError('Failed to fetch');
    return new Response(JSON.stringify(found));
  });
  vi.stubGlobal('document', { documentElement: { lang: 'en' } });
});

describe('auto', () => {
  it.each([
    ['en', 'en'],
    ['en-US', 'en'],
    ['de-CH', 'en'],
    ['ja', 'en'],
    ['zh', 'zh_CN'],
    ['zh-CN', 'zh_CN'],
    ['zh_CN', 'zh_CN'],
    ['zh-SG', 'zh_CN'],
    ['zh-Hans', 'zh_CN'],
    ['zh-TW', 'zh_TW'],
    ['zh_TW', 'zh_TW'],
    ['zh-HK', 'zh_TW'],
    ['zh-MO', 'zh_TW'],
    ['zh-Hant', 'zh_TW'],
    ['zh-Hant-HK', 'zh_TW'],
    ['ZH-hant-sg', 'zh_TW'],
    ['zhx-TW', 'en'],
    ['', 'en'],
  ])('in a browser of %s is %s', (tag, language) => {
    expect(languageOf(tag)).toBe(language);
  });

  it('knows its own roster', () => {
    expect(['en', 'zh_CN', 'zh_TW', 'zh-CN', 'auto', '', null, 3].map(isLanguage)).toEqual([true, true, true, false, false, false, false, false]);
  });
});

describe('choosing', () => {
  it.each([
    [undefined, 'de', 'en'],
    ['en', 'zh-TW', 'en'],
    ['zh_CN', 'en', 'zh_CN'],
    ['zh_TW', 'en', 'zh_TW'],
    ['auto', 'zh-HK', 'zh_TW'],
    ['auto', 'fr', 'en'],
    ['klingon', 'zh-TW', 'en'],
    [7, 'zh-TW', 'en'],
  ])('%s in a browser of %s loads %s', async (stored, browser, language) => {
    world.stored = { uiLanguage: stored };
    world.browser = browser;
    await initLanguage();
    expect(currentLanguage()).toBe(language);
    expect(document.documentElement.lang).toBe(language.replace('_', '-'));
  });

  it('without storage is English, so that a page can still say so', async () => {
    world.readFails = true;
    await initLanguage();
    expect(t(key('a.b'))).toBe('english');
  });

  it('swaps live, and tells who listens', async () => {
    await initLanguage();
    let told = 0;
    const stop = onLanguage(() => told++);
    choose('zh_TW');
    await settle();
    expect([t(key('a.b')), document.documentElement.lang, told]).toEqual(['traditional', 'zh-TW', 1]);
    stop();
    choose('en');
    await settle();
    expect([t(key('a.b')), told]).toEqual(['english', 1]);
  });

  it('other settings load nothing', async () => {
    await initLanguage();
    fetched.length = 0;
    for (const listener of world.listeners) listener(['groupTabs']);
    await settle();
    expect(fetched).toEqual([]);
  });
});

describe('order', () => {
  it('a slow older load never wins', async () => {
    await initLanguage();
    const slow = deferred<Bundle>();
    bundles.zh_CN = slow.promise;
    choose('zh_CN');
    await settle();
    choose('zh_TW');
    await settle();
    expect(t(key('a.b'))).toBe('traditional');
    slow.resolve({ a_b: { message: 'late' } });
    await settle();
    expect([t(key('a.b')), currentLanguage(), document.documentElement.lang]).toEqual(['traditional', 'zh_TW', 'zh-TW']);
  });

  it('and what was there stays until the newer one is', async () => {
    await initLanguage();
    const slow = deferred<Bundle>();
    bundles.zh_CN = slow.promise;
    choose('zh_CN');
    await settle();
    expect(t(key('a.b'))).toBe('english');
    slow.resolve({ a_b: { message: 'here' } });
    await settle();
    expect(t(key('a.b'))).toBe('here');
  });
});

describe('the chain', () => {
  it('is chosen, English, the browser, the key', async () => {
    world.stored = { uiLanguage: 'zh_CN' };
    world.last = (name, subs) => (name === 'only_browser' ? `browser ${subs.join()}` : '');
    await initLanguage();
    expect(t(key('a.b'))).toBe('simplified');
    expect(t(key('only.en'))).toBe('only here');
    expect(t(key('only.browser'), ['x'])).toBe('browser x');
    expect(t(key('no.where'))).toBe('no.where');
  });

  it('goes on where a bundle cannot be had', async () => {
    world.stored = { uiLanguage: 'zh_CN' };
    bundles.zh_CN = null;
    await initLanguage();
    expect(t(key('a.b'))).toBe('english');
    bundles.en = null;
    resetCells();
    await initLanguage();
    expect(t(key('a.b'))).toBe('a.b');
  });
});

describe('what is put in', () => {
  it('goes to its places, as often as it is named', async () => {
    await initLanguage();
    expect(t(key('subs'), ['one', 'two'])).toBe('one and two, one');
    expect(t(key('subs'), ['one'])).toBe('one and , one');
    expect(t(key('money'), ['you'])).toBe('5$ for you');
  });

  it('is never read again', async () => {
    await initLanguage();
    expect(t(key('subs'), ['$ARG2$', '$$'])).toBe('$ARG2$ and $$, $ARG2$');
    expect(t(key('subs'), ['$&', '$1'])).toBe('$& and $1, $&');
  });
});
