import { describe, expect, it } from 'vitest';
import { newKey, NO_POLICY, testTrust } from './world';

async function paired(data: Record<string, unknown> = {}) {
  const w = testTrust({ ...(await newKey()).pin(), ...data });
  await w.say(NO_POLICY);
  return w;
}
const lang = (value: string, seq: number) => ({ type: 'lang_current', value, seq });

describe('the language of the host', () => {
  it('applies with a higher number, once', async () => {
    const w = await paired({ uiLanguage: 'en' });
    await w.say(lang('zh_TW', 3));
    expect(w.store.data.uiLanguage).toBe('zh_TW');
    await w.say(lang('zh_CN', 3));
    await w.say(lang('zh_CN', 2));
    expect(w.store.data.uiLanguage).toBe('zh_TW');
    await w.say(lang('auto', 4));
    expect(w.store.data.uiLanguage).toBe('auto');
  });

  it('outside the roster is ignored, and moves nothing', async () => {
    const w = await paired({ uiLanguage: 'en' });
    await w.say(lang('de', 5));
    await w.say(lang('zh_CN', 1));
    expect(w.store.data.uiLanguage).toBe('zh_CN');
  });

  it('that is ours already is not written', async () => {
    const w = await paired({ uiLanguage: 'zh_CN' });
    await w.say(lang('zh_CN', 1));
    expect(w.store.writes).toEqual([]);
  });

  it('is counted anew on every connection', async () => {
    const w = await paired();
    await w.say(lang('zh_CN', 7));
    await w.reconnect();
    await w.say(NO_POLICY);
    await w.say(lang('zh_TW', 1));
    expect(w.store.data.uiLanguage).toBe('zh_TW');
  });

  it('is nothing without a pin, or with one that is blocked', async () => {
    for (const data of [{}, { enclaveEverPinned: true }]) {
      const w = testTrust({ ...data, uiLanguage: 'en' });
      await w.say(NO_POLICY);
      await w.say(lang('zh_TW', 3));
      await w.say(lang('zh_TW', 0));
      expect(w.store.data.uiLanguage).toBe('en');
      expect(w.posted('lang_set')).toEqual([]);
    }
    const w = await paired({ enclaveCompromised: 'x' });
    await w.say(lang('zh_TW', 3));
    expect(w.store.data.uiLanguage).toBeUndefined();
  });
});

describe('our own choice', () => {
  it('is offered once to a host that never had one', async () => {
    const w = await paired({ uiLanguage: 'zh_TW' });
    await w.say(lang('en', 0));
    await w.say(lang('en', 0));
    expect(w.posted('lang_set')).toEqual([{ type: 'lang_set', value: 'zh_TW' }]);
    expect(w.store.data.uiLanguage).toBe('zh_TW');
    await w.reconnect();
    await w.say(NO_POLICY);
    await w.say(lang('en', 0));
    expect(w.posted('lang_set')).toHaveLength(1);
  });

  it.each([[undefined], ['de'], [7]])('is none where %j is stored', async (uiLanguage) => {
    const w = await paired(uiLanguage === undefined ? {} : { uiLanguage });
    await w.say(lang('en', 0));
    expect(w.posted('lang_set')).toEqual([]);
  });

  it('is stored, and sent where the lane has spoken', async () => {
    const w = await paired();
    expect(await w.language.choose('zh_CN')).toBe(false);
    expect(w.store.data.uiLanguage).toBe('zh_CN');
    expect(w.posted('lang_set')).toEqual([]);
    await w.say(lang('en', 1));
    expect(await w.language.choose('zh_TW')).toBe(true);
    expect(w.posted('lang_set')).toEqual([{ type: 'lang_set', value: 'zh_TW' }]);
    await w.say(lang('zh_TW', 2));
    expect(w.store.data.uiLanguage).toBe('zh_TW');
  });

  it('stays here without a pin', async () => {
    const w = testTrust();
    await w.say(NO_POLICY);
    await w.say(lang('en', 1));
    expect(await w.language.choose('zh_TW')).toBe(false);
    expect(w.store.data.uiLanguage).toBe('zh_TW');
    expect(w.posted('lang_set')).toEqual([]);
  });
});
