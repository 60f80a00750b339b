/**
 * The audit ring of this browser (extension.md 17): what was asked here and what was decided.
 *
 * An entry is written after the fact and never in its way: appends stand in a queue of their own, and
 * one that fails is a line of the log. No page content, arguments or address beyond the origin.
 */
import { EXTENSION_AUDIT_KINDS } from '@contract/audit';
import { LIMITS } from '@contract/host';
import { createSerial } from '../async';
import type { Clock } from '../clock';
import { messageOf } from '../errors';
import { isObject, isTime, type Store } from '../gate/keys';
import type { Connection } from '../link/port';
import { RING_KINDS, type RingEntry } from '../messages';

export const RING_KEY = 'auditRing';
const NAME_MAX = 256;
const DETAIL_MAX = 512;
const WORD_MAX = 64;

export interface Audit {
  /** Never throws and is never waited for. */
  record(event: Omit<RingEntry, 'at'>): void;
  /** Newest first. */
  list(): Promise<RingEntry[]>;
}

export interface AuditOptions {
  store: Store;
  clock: Clock;
  /** The connection on which the host has spoken, if any. */
  lane(): Connection | null;
  log(message: string): void;
}

/** At most `limit` units; a surrogate pair stays whole. */
function cap(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit);
}

const MEMBERS: Readonly<Record<string, number>> = { outcome: WORD_MAX, tool: WORD_MAX, name: NAME_MAX, detail: DETAIL_MAX, cid: WORD_MAX };

const isKind = (value: unknown): value is RingEntry['kind'] => RING_KINDS.some((k) => k === value);

export function isEntry(value: unknown): value is RingEntry {
  if (!isObject(value) || !isTime(value.at) || !isKind(value.kind)) return false;
  return Object.entries(value).every(([name, member]) => {
    if (name === 'at' || name === 'kind') return true;
    const most = Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined;
    return most !== undefined && typeof member === 'string' && member.length <= most;
  });
}

/** Only what an entry may hold, cut to size. */
function trimmed(event: Omit<RingEntry, 'at'>): Omit<RingEntry, 'at'> {
  const kept: Record<string, string> = { kind: event.kind };
  for (const [name, most] of Object.entries(MEMBERS)) {
    const member = event[name as keyof typeof event];
    if (typeof member === 'string') kept[name] = cap(member.toWellFormed(), most);
  }
  return kept as unknown as Omit<RingEntry, 'at'>;
}

const readRing = (value: unknown): RingEntry[] => (Array.isArray(value) ? value.filter(isEntry) : []);

export function createAudit({ store, clock, lane, log }: AuditOptions): Audit {
  const appends = createSerial();

  async function append(entry: RingEntry): Promise<void> {
    const { kind } = entry;
    if (!isEntry(entry)) throw new Error(`no entry: ${String(kind)}`);
    const ring = readRing((await store.read([RING_KEY]))[RING_KEY]);
    await store.write({ [RING_KEY]: [...ring, entry].slice(-LIMITS.AUDIT_RING_MAX) });
  }

  /** By kind alone, and only to a host that has spoken. */
  function forward(event: Omit<RingEntry, 'at'>): void {
    if (EXTENSION_AUDIT_KINDS.some((k) => k === event.kind)) lane()?.post({ type: 'audit_event', ...event });
  }

  return {
    record(event) {
      try {
        const kept = trimmed(event);
        const entry: RingEntry = { at: clock.now(), ...kept };
        void appends.run(() => append(entry)).catch((error: unknown) => log(`audit: ${messageOf(error)}`));
        forward(kept);
      } catch (error) {
        log(`audit: ${messageOf(error)}`);
      }
    },
    list: () => appends.run(async () => readRing((await store.read([RING_KEY]))[RING_KEY]).reverse()),
  };
}
