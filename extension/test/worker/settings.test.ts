import { describe, expect, it } from 'vitest';
import { DEFAULTS, FIRST_VERSION, migrate, readSettings, RUNGS, salvage, VERSION_KEY } from '../../src/worker/settings';
import { testStore } from '../util';

describe('settings', () => {
  it('are read field by field: a bad one falls back alone', async () => {
    expect(salvage({})).toEqual({ allowAllSites: false, groupTabs: true, uiLanguage: 'en' });
    expect(salvage({ allowAllSites: 'yes', groupTabs: false, uiLanguage: 'zh_TW' })).toEqual({
      allowAllSites: false,
      groupTabs: false,
      uiLanguage: 'zh_TW',
    });
    expect(salvage({ uiLanguage: 'fr', allowAllSites: true })).toMatchObject({ uiLanguage: 'en', allowAllSites: true });
    expect(await readSettings(testStore({ groupTabs: false }))).toMatchObject({ groupTabs: false });
  });

  it('have defaults that nobody can change', () => {
    expect(Object.isFrozen(DEFAULTS)).toBe(true);
  });
});

describe('the ladder', () => {
  it('today is one rung that does nothing', async () => {
    expect(FIRST_VERSION).toBe(0);
    expect(RUNGS).toHaveLength(1);
    const store = testStore({ groupTabs: false, uiLanguage: 'fr' });
    await migrate(store);
    expect(store.data).toEqual({ groupTabs: false, uiLanguage: 'fr', [VERSION_KEY]: 1 });
    store.writes.length = 0;
    await migrate(store);
    expect(store.writes).toEqual([]);
  });

  it.each(['1', 1.5, null, {}, NaN])('reads a version of %j as 0', async (version) => {
    const store = testStore({ [VERSION_KEY]: version });
    await migrate(store);
    expect(store.data[VERSION_KEY]).toBe(1);
  });

  it('climbs from where it stands, each rung once and in order', async () => {
    const rungs = [1, 2, 3].map((n) => (s: Record<string, unknown>) => ({ trail: `${String(s.trail ?? '')}${n}`, [`by${n}`]: true }));
    const fresh = testStore();
    await migrate(fresh, 0, rungs);
    expect(fresh.data).toMatchObject({ trail: '123', by1: true, by3: true, [VERSION_KEY]: 3 });
    const half = testStore({ [VERSION_KEY]: 1 });
    await migrate(half, 0, rungs);
    expect(half.data).toMatchObject({ trail: '23', [VERSION_KEY]: 3 });
    expect(half.data.by1).toBeUndefined();
  });

  it('stamps and salvages what is below its floor', async () => {
    const store = testStore({ [VERSION_KEY]: 2, groupTabs: 'x', uiLanguage: 'zh_CN' });
    await migrate(store, 5, [() => ({ never: true })]);
    expect(store.data).toEqual({ allowAllSites: false, groupTabs: true, uiLanguage: 'zh_CN', [VERSION_KEY]: 6 });
  });

  it('throws at a hole, and writes nothing', async () => {
    const store = testStore();
    await expect(migrate(store, 0, [() => ({}), undefined, () => ({})])).rejects.toThrow('no rung from 1 to 2');
    expect(store.writes).toEqual([]);
  });

  it('leaves a newer version alone', async () => {
    const store = testStore({ [VERSION_KEY]: 9 });
    await migrate(store);
    expect(store.writes).toEqual([]);
  });
});
