/**
 * A host comes and goes without a trace in storage, and pages that are open speak of it. They are told
 * of one that has spoken, and of its end; a browser without a host dials every two seconds, which is no news.
 */
import type { Clock } from '../clock';
import { messageOf } from '../errors';
import type { Connection } from './port';

export interface PortNews {
  spoken(connection: Connection): void;
  detached(connection: Connection): void;
}

export function createPortNews(tell: (items: Record<string, unknown>) => Promise<void>, clock: Clock, log: (message: string) => void): PortNews {
  let heard: Connection | null = null;
  const say = (up: boolean): void =>
    void tell({ bridgePort: { up, at: clock.now() } }).catch((error: unknown) => log(`pages: ${messageOf(error)}`));
  return {
    spoken(connection) {
      heard = connection;
      say(true);
    },
    detached(connection) {
      if (heard !== connection) return;
      heard = null;
      say(false);
    },
  };
}
