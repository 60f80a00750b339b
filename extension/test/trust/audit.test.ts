import { EXTENSION_AUDIT_KINDS } from '@contract/audit';
import { AuditEvent } from '@contract/frames';
import { describe, expect, it } from 'vitest';
import { RING_KINDS, type RingEntry } from '../../src/messages';
import { createAudit, isEntry } from '../../src/trust/audit';
import { settle, testClock, testConnection, testStore } from '../util';

function setUp(data: Record<string, unknown> = {}) {
  const store = testStore(data);
  const connection = testConnection();
  const clock = testClock(7_000);
  const log: string[] = [];
  const state = { open: true };
  const audit = createAudit({ store, clock, lane: () => (state.open ? connection : null), log: (m) => log.push(m) });
  const ring = () => store.data.auditRing as RingEntry[];
  return { store, connection, log, state, audit, ring };
}

const local = RING_KINDS.filter((k) => !EXTENSION_AUDIT_KINDS.some((e) => e === k));

describe('the ring', () => {
  it('holds what happened, in order, and lists it newest first', async () => {
    const { audit, ring } = setUp();
    audit.record({ kind: 'confirm_shown', tool: 'page_click', cid: 'c', detail: 'https://a' });
    audit.record({ kind: 'confirm_denied', tool: 'page_click', cid: 'c', detail: 'https://a' });
    await settle();
    expect(ring()).toEqual([
      { at: 7_000, kind: 'confirm_shown', tool: 'page_click', cid: 'c', detail: 'https://a' },
      { at: 7_000, kind: 'confirm_denied', tool: 'page_click', cid: 'c', detail: 'https://a' },
    ]);
    expect((await audit.list()).map((e) => e.kind)).toEqual(['confirm_denied', 'confirm_shown']);
  });

  it.each([
    [199, 200, 'x0'],
    [200, 200, 'x1'],
    [201, 200, 'x2'],
  ])('with %i entries has %i after one more, the oldest gone', async (before, after, oldest) => {
    const { audit, ring } = setUp({ auditRing: Array.from({ length: before }, (_, i) => ({ at: i, kind: 'client_revoked', name: `x${i}` })) });
    audit.record({ kind: 'kill_engaged' });
    await settle();
    expect(ring()).toHaveLength(after);
    expect(ring()[0]).toMatchObject({ name: oldest });
    expect(ring().at(-1)).toEqual({ at: 7_000, kind: 'kill_engaged' });
  });

  it('is not emptied by one kind that is written all day', async () => {
    const before = Array.from({ length: 200 }, (_, i) => ({ at: i, kind: i % 2 === 0 ? 'confirm_allowed' : 'enroll_approved', name: `x${i}` }));
    const { audit, ring } = setUp({ auditRing: before });
    for (let i = 0; i < 2_000; i++) {
      audit.record({ kind: 'policy_refused', detail: `revision ${i}` });
      if (i % 100 === 0) await settle();
    }
    await settle();
    const of = (kind: string) => ring().filter((e) => e.kind === kind);
    expect(ring()).toHaveLength(200);
    for (const kind of ['confirm_allowed', 'enroll_approved', 'policy_refused']) expect(of(kind).length).toBeGreaterThanOrEqual(66);
    // The newest of each are there, in order.
    expect(of('policy_refused').at(-1)).toMatchObject({ detail: 'revision 1999' });
    expect(of('enroll_approved').at(-1)).toMatchObject({ name: 'x199' });
    expect(ring().map((e) => e.at)).toEqual(ring().map((e) => e.at).toSorted((a, b) => a - b));
  });

  it('of one kind loses its oldest', async () => {
    const { audit, ring } = setUp();
    for (let i = 0; i < 1_000; i++) audit.record({ kind: 'policy_refused', detail: String(i) });
    await settle();
    expect(ring().map((e) => e.detail)).toEqual(Array.from({ length: 200 }, (_, i) => String(800 + i)));
  });

  it('writes what waits together in one go', async () => {
    const { audit, ring, store } = setUp();
    for (let i = 0; i < 1_000; i++) audit.record({ kind: 'policy_refused', detail: String(i) });
    await settle();
    expect(store.writes.length).toBeLessThan(4);
    audit.record({ kind: 'kill_engaged' });
    expect((await audit.list())[0]).toMatchObject({ kind: 'kill_engaged' });
    expect(ring().at(-1)).toMatchObject({ kind: 'kill_engaged' });
  });

  it('loses nothing to appends at once', async () => {
    const { audit, ring } = setUp();
    for (let i = 0; i < 50; i++) audit.record({ kind: 'client_revoked', name: String(i) });
    await settle();
    await settle();
    expect(ring().map((e) => e.name)).toEqual(Array.from({ length: 50 }, (_, i) => String(i)));
  });

  it('cuts name and detail, and never through a character', async () => {
    const { audit, ring } = setUp();
    audit.record({ kind: 'client_revoked', name: 'n'.repeat(257), detail: `${'d'.repeat(511)}\u{1f600}` });
    await settle();
    expect(ring()[0]).toMatchObject({ name: 'n'.repeat(256), detail: 'd'.repeat(511) });
  });

  it('takes no other member and no other kind', async () => {
    const { audit, ring, log } = setUp();
    audit.record({ kind: 'kill_engaged', url: 'https://a/secret' } as never);
    audit.record({ kind: 'tool_call' } as never);
    audit.record(null as never);
    await settle();
    expect(ring()).toEqual([{ at: 7_000, kind: 'kill_engaged' }]);
    expect(log).toHaveLength(2);
  });

  it.each([
    ['a string', 'nonsense'],
    ['entries that make no sense', [{ at: 1, kind: 'other' }, null, { at: 'x', kind: 'kill_engaged' }, { at: 1, kind: 'kill_engaged', more: 1 }]],
  ])('that is %s starts afresh', async (_name, auditRing) => {
    const { audit, ring } = setUp({ auditRing });
    expect(await audit.list()).toEqual([]);
    audit.record({ kind: 'kill_engaged' });
    await settle();
    expect(ring()).toEqual([{ at: 7_000, kind: 'kill_engaged' }]);
  });

  it('that cannot be written or read is a line of the log, and no obstacle to the next', async () => {
    const { audit, ring, log, store } = setUp();
    store.failWrites = true;
    audit.record({ kind: 'kill_engaged' });
    await settle();
    store.failWrites = false;
    store.failReads = true;
    audit.record({ kind: 'kill_released' });
    await settle();
    store.failReads = false;
    audit.record({ kind: 'client_revoked' });
    await settle();
    expect(log).toEqual(['audit: storage cannot be written', 'audit: storage cannot be read']);
    expect(ring().map((e) => e.kind)).toEqual(['client_revoked']);
  });

  it('names no member of the prototype as one of its own', () => {
    expect(isEntry({ at: 1, kind: 'kill_engaged', constructor: 'x' })).toBe(false);
    expect(isEntry({ at: 1, kind: 'kill_engaged', cid: 'x' })).toBe(true);
  });
});

describe('forwarding', () => {
  it.each([...EXTENSION_AUDIT_KINDS])('%s goes to the host, as a frame that it takes', (kind) => {
    const { audit, connection } = setUp();
    audit.record({ kind, tool: 'page_click', cid: 'c', detail: 'https://a' });
    expect(connection.posted).toEqual([{ type: 'audit_event', kind, tool: 'page_click', cid: 'c', detail: 'https://a' }]);
    expect(AuditEvent.safeParse(connection.posted[0]).success).toBe(true);
  });

  it.each(local)('%s stays here', async (kind) => {
    const { audit, connection, ring } = setUp();
    audit.record({ kind });
    await settle();
    expect(connection.posted).toEqual([]);
    expect(ring()).toHaveLength(1);
  });

  it('waits for the host to speak first', async () => {
    const { audit, connection, ring, state } = setUp();
    state.open = false;
    audit.record({ kind: 'confirm_shown' });
    await settle();
    expect(connection.posted).toEqual([]);
    expect(ring()).toHaveLength(1);
  });
});
