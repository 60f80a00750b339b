import { ALL_TAGS } from '@contract/frames';
import { describe, expect, it } from 'vitest';
import { createKillGate } from '../../src/gate/kill';
import { createSerial } from '../../src/async';
import { createExchange } from '../../src/link/exchange';
import { claimant, type Connection } from '../../src/link/port';
import { createAdmin } from '../../src/trust/admin';
import { createAudit } from '../../src/trust/audit';
import { createFamilies } from '../../src/trust/families';
import { createLanes } from '../../src/trust/lanes';
import { createPresence } from '../../src/trust/presence';
import { settle, testClock, testConnection, testStore } from '../util';

function setUp() {
  const clock = testClock();
  const store = testStore();
  const connection = testConnection();
  const lanes = createLanes();
  const killExchange = createExchange(clock);
  const kill = createKillGate({
    store,
    clock,
    transitions: createSerial(),
    connection: () => connection,
    onClosed: () => undefined,
  });
  const log: string[] = [];
  const note = (m: string): void => void log.push(m);
  const lane = () => (lanes.control(connection) ? connection : null);
  const audit = createAudit({ store, clock, lane, log: note });
  const admin = createAdmin({ clock, lane, audit });
  const presence = createPresence({
    clock, lane, killExchange, pairExchange: admin.pairing, audit, openOptions: async () => undefined, log: note,
  });
  const families = createFamilies({ kill, killExchange, lanes, admin, presence, log: note });
  const say = async (frame: Record<string, unknown>, on: Connection = connection): Promise<void> => {
    const taker = claimant(families, frame);
    await taker?.onFrame(frame, on);
    await settle();
  };
  return { clock, store, connection, lanes, families, kill, log, say };
}

describe('the tag table', () => {
  it.each([...ALL_TAGS])('%s is claimed by exactly one collaborator', (tag) => {
    const { families } = setUp();
    expect(families.filter((f) => f.tags.includes(tag))).toHaveLength(1);
  });

  it.each([...ALL_TAGS])('%s with op is claimed by none', (tag) => {
    const { families } = setUp();
    expect(claimant(families, { type: tag, op: 'tab_list' })).toBeNull();
  });

  it('holds no tag that the contract does not know', () => {
    const { families } = setUp();
    const known: readonly string[] = ALL_TAGS;
    expect(families.flatMap((f) => f.tags).filter((t) => !known.includes(t))).toEqual([]);
  });
});

describe('lanes', () => {
  it('open with the first policy_current, which asks for the kill state, once', async () => {
    const { connection, lanes, say } = setUp();
    expect(lanes.control(connection)).toBe(false);
    await say({ type: 'policy_current', ok: false, error: 'no policy' });
    expect(lanes.control(connection)).toBe(true);
    expect(connection.posted).toEqual([{ type: 'kill_status' }]);
    await say({ type: 'policy_current', ok: false, error: 'no policy' });
    expect(connection.posted).toHaveLength(1);
  });

  it.each([
    ['a mixture', { type: 'policy_current', ok: false, error: 'x', baseline: 'AA==' }],
    ['no branch', { type: 'policy_current' }],
    ['an extra member', { type: 'policy_current', ok: false, error: 'x', key_id: 'y' }],
    ['another frame', { type: 'lang_current', value: 'en', seq: 0 }],
  ])('stay closed on %s', async (_name, frame) => {
    const { connection, lanes, say } = setUp();
    await say(frame);
    expect(lanes.control(connection)).toBe(false);
    expect(connection.posted).toEqual([]);
  });

  it('are those of one connection', async () => {
    const { connection, lanes, say } = setUp();
    await say({ type: 'policy_current', ok: false, error: 'x' });
    await say({ type: 'lang_current', value: 'en', seq: 0 });
    expect(lanes.language(connection)).toBe(true);
    const next = testConnection(0, 2);
    expect(lanes.control(next)).toBe(false);
    expect(lanes.language(next)).toBe(false);
    connection.drop();
    expect(lanes.control(connection)).toBe(false);
  });

  it('need the control lane for the language', async () => {
    const { connection, lanes, say } = setUp();
    await say({ type: 'lang_current', value: 'en', seq: 0 });
    expect(lanes.language(connection)).toBe(false);
  });
});

describe('the kill family', () => {
  it('writes the mirror from kill_status_result and nothing else', async () => {
    const { store, say } = setUp();
    await say({ type: 'policy_current', ok: false, error: 'x' });
    expect(store.data.bridgeKillMirror).toBeUndefined();
    await say({ type: 'kill_status_result', ok: true, killed: false });
    expect(store.data.bridgeKillMirror).toMatchObject({ state: 'alive' });
  });

  it.each([
    ['not ok', { ok: false, error: 'unreadable' }],
    ['a missing member', { ok: true }],
    ['an extra member', { ok: true, killed: false, x: 1 }],
    ['another type', { ok: true, killed: 'no' }],
  ])('takes %s for unknown', async (_name, rest) => {
    const { store, say } = setUp();
    await say({ type: 'kill_status_result', ok: true, killed: false });
    await say({ type: 'kill_status_result', ...rest });
    expect(store.data.bridgeKillMirror).toMatchObject({ state: 'unknown' });
  });

  it('drops frames of families that nothing could verify', async () => {
    const { store, connection, say, log } = setUp();
    await say({ type: 'enclave_revoked' });
    await say({ type: 'presence_request', challenge: 'x', nonce: 'y', action: 'z', allowed_credential_ids: [] });
    expect(store.writes).toEqual([]);
    expect(connection.posted).toEqual([]);
    expect(log).toHaveLength(2);
  });
});
