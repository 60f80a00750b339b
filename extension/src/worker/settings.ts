/** Settings of the browser and their ladder of migrations (extension.md 18). */
import { LANGUAGES, type Language } from '@contract/identity';

export interface Settings {
  allowAllSites: boolean;
  groupTabs: boolean;
  uiLanguage: Language;
}

export const DEFAULTS: Readonly<Settings> = Object.freeze({ allowAllSites: false, groupTabs: true, uiLanguage: 'en' });

export const VERSION_KEY = 'settingsVersion';
export const SETTING_KEYS = ['allowAllSites', 'groupTabs', 'uiLanguage'] as const;

interface Store {
  read(keys: readonly string[]): Promise<Record<string, unknown>>;
  write(items: Record<string, unknown>): Promise<void>;
}

const isLanguage = (value: unknown): value is Language => LANGUAGES.some((l) => l === value);
const flag = (value: unknown, or: boolean): boolean => (typeof value === 'boolean' ? value : or);

/** Field by field: one that does not fit falls back alone. */
export function salvage(stored: Record<string, unknown>): Settings {
  return {
    allowAllSites: flag(stored.allowAllSites, DEFAULTS.allowAllSites),
    groupTabs: flag(stored.groupTabs, DEFAULTS.groupTabs),
    uiLanguage: isLanguage(stored.uiLanguage) ? stored.uiLanguage : DEFAULTS.uiLanguage,
  };
}

export const readSettings = async (store: Pick<Store, 'read'>): Promise<Settings> =>
  salvage(await store.read(SETTING_KEYS));

/** Takes what is stored one version up; returns the members that change. */
export type Rung = (stored: Record<string, unknown>) => Record<string, unknown>;

export const FIRST_VERSION = 0;

/** A rung has no number: its place is its number, so none can be left out. */
export const RUNGS: readonly Rung[] = [() => ({})];

/**
 * Climbs from the stored version to the current one. Below the floor nothing is known about what is
 * stored: it is salvaged and stamped. A newer version is left alone, since only its own build knows it.
 */
export async function migrate(store: Store, floor = FIRST_VERSION, rungs: readonly (Rung | undefined)[] = RUNGS): Promise<void> {
  const current = floor + rungs.length;
  const stored = await store.read([...SETTING_KEYS, VERSION_KEY]);
  const said = stored[VERSION_KEY];
  const version = Number.isSafeInteger(said) ? (said as number) : 0;
  if (version >= current) return;
  if (version < floor) {
    await store.write({ ...salvage(stored), [VERSION_KEY]: current });
    return;
  }
  let values: Record<string, unknown> = { ...stored };
  const changed: Record<string, unknown> = {};
  for (let at = version; at < current; at++) {
    const rung = rungs[at - floor];
    if (rung === undefined) throw new Error(`the ladder of settings has no rung from ${at} to ${at + 1}`);
    const step = rung(values);
    values = { ...values, ...step };
    Object.assign(changed, step);
  }
  await store.write({ ...changed, [VERSION_KEY]: current });
}
