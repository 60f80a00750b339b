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

/**
 * What stays of too many: each time the oldest goes of the kind that there is most of, so that a host
 * that has one kind written all day pushes out its own and nobody else's.
 */
function kept(entries: readonly RingEntry[]): RingEntry[] {
  const left = [...entries];
  while (left.length > LIMITS.AUDIT_RING_MAX) {
    const counts = new Map<string, number>();
    for (const { kind } of left) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const most = Math.max(...counts.values());
    left.splice(left.findIndex(({ kind }) => counts.get(kind) === most), 1);
  }
  return left;
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
  /** Not written yet; what waits together is written together, and is never more than a ring holds. */
  let waiting: RingEntry[] = [];

  async function flush(): Promise<void> {
    const entries = waiting;
    waiting = [];
    const ring = readRing((await store.read([RING_KEY]))[RING_KEY]);
    await store.write({ [RING_KEY]: kept([...ring, ...entries]) });
  }

  function append(entry: RingEntry): void {
    if (!isEntry(entry)) throw new Error(`no entry: ${String((entry as RingEntry).kind)}`);
    waiting = kept([...waiting, entry]);
    // Whoever was there before writes this one too.
    if (waiting.length === 1) void appends.run(flush).catch((error: unknown) => log(`audit: ${messageOf(error)}`));
  }

  /** By kind alone, and only to a host that has spoken. */
  function forward(event: Omit<RingEntry, 'at'>): void {
    if (EXTENSION_AUDIT_KINDS.some((k) => k === event.kind)) lane()?.post({ type: 'audit_event', ...event });
  }

  return {
    record(event) {
      try {
        const said = trimmed(event);
        append({ at: clock.now(), ...said });
        forward(said);
      } catch (error) {
        log(`audit: ${messageOf(error)}`);
      }
    },
    list: () => appends.run(async () => readRing((await store.read([RING_KEY]))[RING_KEY]).reverse()),
  };
}
