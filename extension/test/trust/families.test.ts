import { ALL_TAGS } from '@contract/frames';
import { describe, expect, it } from 'vitest';
import { claimant } from '../../src/link/port';
import { testConnection } from '../util';
import { testTrust } from './world';

function setUp() {
  const w = testTrust();
  return { ...w, connection: w.connection() };
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
    expect(connection.posted).toEqual([
      { type: 'kill_status' },
      { type: 'enclave_challenge', nonce: expect.stringMatching(/^[0-9a-f]{64}$/), context: 'ext:fmkoengpgchbmogeaifdcdfpnnpgmcfl:pair' },
    ]);
    await say({ type: 'policy_current', ok: false, error: 'no policy' });
    expect(connection.posted).toHaveLength(2);
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

  it('drops frames that nobody asked for', async () => {
    const { store, connection, say, log } = setUp();
    for (const frame of [
      { type: 'enclave_revoked' },
      { type: 'enclave_proof', sig: 'x', key_id: 'y', pubkey: 'z' },
      { type: 'enclave_error', reason: 'not_enrolled' },
      { type: 'presence_request', challenge: 'x', nonce: 'y', action: 'z', allowed_credential_ids: [] },
      { type: 'presence_result', ok: true },
      { type: 'enroll_result', ok: true, credential_id: 'A'.repeat(22) },
      { type: 'policy_set_result', ok: true },
      { type: 'policy_get' },
    ])
      await say(frame);
    expect(store.writes).toEqual([]);
    expect(store.removals).toEqual([]);
    expect(connection.posted).toEqual([]);
    expect(log).toHaveLength(7);
  });
});
