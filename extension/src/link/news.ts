/**
 * A host comes and goes without a trace in storage, and pages that are open speak of it. They are told
 * of one that has spoken, of one whose policy was verified, and of its end; a browser without a host dials every
 * two seconds, which is no news.
 */
import type { Clock } from '../clock';
import { messageOf } from '../errors';
import type { Connection } from './port';

export interface PortNews {
  spoken(connection: Connection): void;
  verified(connection: Connection): void;
  detached(connection: Connection): void;
}

export function createPortNews(tell: (items: Record<string, unknown>) => Promise<void>, clock: Clock, log: (message: string) => void): PortNews {
  let heard: Connection | null = null;
  // Two that are alike within a millisecond would be one to the browser.
  const say = (state: 'spoken' | 'verified' | 'down'): void =>
    void tell({ bridgePort: { state, at: clock.now() } }).catch((error: unknown) => log(`pages: ${messageOf(error)}`));
  return {
    spoken(connection) {
      heard = connection;
      say('spoken');
    },
    verified(connection) {
      if (heard === connection) say('verified');
    },
    detached(connection) {
      if (heard !== connection) return;
      heard = null;
      say('down');
    },
  };
}
