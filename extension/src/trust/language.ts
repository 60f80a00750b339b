/**
 * The language shared with the host (extension.md 19; control.md 12.3). It touches no security
 * decision; it is exchanged only while paired.
 */
import { LangCurrent } from '@contract/frames';
import { LANGUAGES, type Language } from '@contract/identity';
import type { Store } from '../gate/keys';
import type { Connection, Frame } from '../link/port';
import type { Lanes } from './lanes';

export const LANGUAGE_KEY = 'uiLanguage';

export interface LanguageSync {
  onFrame(frame: Frame, connection: Connection): Promise<void>;
  /** The picker's gesture; true if the host was told. */
  choose(value: Language): Promise<boolean>;
  onDetach(): void;
}

export interface LanguageOptions {
  store: Store;
  lanes: Lanes;
  connection(): Connection | null;
  /** A valid pin, and nothing against it. */
  paired(): Promise<boolean>;
}

const readLanguage = (value: unknown): Language | null => LANGUAGES.find((l) => l === value) ?? null;

export function createLanguageSync({ store, lanes, connection: current, paired }: LanguageOptions): LanguageSync {
  /** Highest number applied on this connection, and whether our choice was offered on it. */
  let cursor = { seq: 0, offered: false };

  async function stored(): Promise<Language | null> {
    return readLanguage((await store.read([LANGUAGE_KEY]))[LANGUAGE_KEY]);
  }

  return {
    async onFrame(frame, connection) {
      const parsed = LangCurrent.safeParse(frame);
      if (!parsed.success) return;
      lanes.openLanguage(connection);
      if (!lanes.language(connection) || !(await paired())) return;
      const { value, seq } = parsed.data;
      const mine = await stored();
      if (seq === 0) {
        if (mine === null || cursor.offered || cursor.seq > 0 || !connection.live()) return;
        cursor.offered = true;
        connection.post({ type: 'lang_set', value: mine });
        return;
      }
      if (seq <= cursor.seq || !connection.live()) return;
      cursor.seq = seq;
      if (mine !== value) await store.write({ [LANGUAGE_KEY]: value });
    },

    async choose(value) {
      if ((await stored()) !== value) await store.write({ [LANGUAGE_KEY]: value });
      const connection = current();
      if (connection === null || !lanes.language(connection) || !(await paired())) return false;
      return connection.post({ type: 'lang_set', value });
    },

    onDetach() {
      cursor = { seq: 0, offered: false };
    },
  };
}
