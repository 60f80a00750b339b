/**
 * On which connection which control frames may be sent (control.md 2.3): the host speaks first. A
 * host that does not know a tag would forward it, and the broker would cut the browser off.
 */
import type { Connection } from '../link/port';

export interface Lanes {
  /** Since the first `policy_current` of the connection. */
  control(connection: Connection): boolean;
  /** Since the first `lang_current` after it. */
  language(connection: Connection): boolean;
  openControl(connection: Connection): void;
  openLanguage(connection: Connection): void;
}

/** `onSpoken`: the host has spoken on this connection for the first time. */
export function createLanes(onSpoken: (connection: Connection) => void = () => undefined): Lanes {
  let control: Connection | null = null;
  let language: Connection | null = null;
  return {
    control: (connection) => control === connection && connection.live(),
    language: (connection) => language === connection && control === connection && connection.live(),
    openControl: (connection) => {
      if (control === connection) return;
      control = connection;
      onSpoken(connection);
    },
    openLanguage: (connection) => {
      language = connection;
    },
  };
}
