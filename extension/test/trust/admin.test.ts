import { B_FRAMES } from '@contract/frames';
import { describe, expect, it } from 'vitest';
import type { RingEntry } from '../../src/messages';
import { createAdmin } from '../../src/trust/admin';
import { createAudit } from '../../src/trust/audit';
import { outcome, settle, testClock, testConnection, testStore } from '../util';

function setUp() {
  const clock = testClock();
  const store = testStore();
  const connection = testConnection();
  const state = { open: true };
  const lane = () => (state.open ? connection : null);
  const audit = createAudit({ store, clock, lane, log: () => undefined });
  const admin = createAdmin({ clock, lane, audit });
  const ring = () => (store.data.auditRing ?? []) as RingEntry[];
  return { clock, connection, state, admin, ring };
}

const error = (message: string) => ({ error: expect.objectContaining({ message }) });
const client = { name: 'claude', anchor: { kind: 'hash', value: 'ab' }, added_unix: 5 };
const row = { browser: 'chromium', detected: true, state: { kind: 'ok' }, location: '/x' };
const trail = { entries: [{ entry: 'unrecognized', text: '?' }], older: 3, path: '/p' };

const ASKED = [
  ['clients', { type: 'client_list' }, { type: 'client_list_result', ok: true, enrolled: true, clients: [client] }, { enrolled: true, clients: [client] }],
  ['trail', { type: 'audit_read' }, { type: 'audit_read_result', ok: true, ...trail }, trail],
  ['registration', { type: 'registration_status' }, { type: 'registration_status_result', ok: true, browsers: [row] }, [row]],
  ['repair', { type: 'registration_repair' }, { type: 'registration_status_result', ok: true, browsers: [row] }, [row]],
] as const;

describe.each(ASKED)('%s', (name, frame, reply, data) => {
  it('posts a frame that the host takes, and hands on the answer', async () => {
    const { admin, connection } = setUp();
    const asked = admin[name]();
    expect(connection.posted).toEqual([frame]);
    expect(B_FRAMES[frame.type].safeParse(frame).success).toBe(true);
    expect(admin.onFrame(reply)).toBe(true);
    expect(await asked).toEqual(data);
  });

  it('posts nothing before the host has spoken', async () => {
    const { admin, connection, state } = setUp();
    state.open = false;
    expect(await outcome<unknown>(admin[name]())).toEqual(error('not-connected'));
    expect(connection.posted).toEqual([]);
  });

  it('fails with what the host says', async () => {
    const { admin } = setUp();
    const asked = outcome<unknown>(admin[name]());
    const empty = reply.type === 'client_list_result' ? { enrolled: false, clients: [] } : {};
    admin.onFrame({ type: reply.type, ok: false, error: 'unreadable', ...empty });
    expect(await asked).toEqual(error('unreadable'));
  });

  it('fails on an answer that makes no sense, on none, and with the connection', async () => {
    const { admin, clock } = setUp();
    let asked = outcome<unknown>(admin[name]());
    admin.onFrame({ ...reply, more: 1 });
    expect(await asked).toEqual(error('failed'));
    asked = outcome<unknown>(admin[name]());
    await clock.advance(10_000);
    expect(await asked).toEqual(error('timed-out'));
    asked = outcome<unknown>(admin[name]());
    admin.onDetach();
    expect(await asked).toEqual(error('detached'));
  });

  it('is asked once at a time', async () => {
    const { admin, connection } = setUp();
    void outcome<unknown>(admin[name]());
    expect(await outcome<unknown>(admin[name]())).toEqual(error('busy'));
    expect(connection.posted).toHaveLength(1);
  });
});

describe('administration', () => {
  it('passes limit and browsers on', async () => {
    const { admin, connection } = setUp();
    void outcome(admin.trail(7));
    void outcome(admin.repair(['edge']));
    expect(connection.posted).toEqual([{ type: 'audit_read', limit: 7 }, { type: 'registration_repair', browsers: ['edge'] }]);
  });

  it('records a revocation that the host has done, and no other', async () => {
    const { admin, ring } = setUp();
    let asked: Promise<unknown> = outcome(admin.revoke('a'));
    admin.onFrame({ type: 'client_revoke_result', ok: false, error: 'unknown' });
    expect(await asked).toEqual(error('unknown'));
    asked = admin.revoke('b');
    admin.onFrame({ type: 'client_revoke_result', ok: true });
    await asked;
    await settle();
    expect(ring()).toEqual([{ at: 1_000_000, kind: 'client_revoked', name: 'b' }]);
  });

  it('drops what nobody asked for', () => {
    const { admin } = setUp();
    expect(admin.onFrame({ type: 'client_revoke_result', ok: true })).toBe(false);
  });
});

describe('the report', () => {
  const report = { version: '0', platform: 'p', directories: { value: 'd', details: [] }, lock_file: { value: 'l', details: [] }, mcp_server: { value: 'reachable', details: [] }, kill_switch: { value: 'off', details: [] }, policy_baseline: { value: 'none yet', details: [] }, host_key: 'none', summary: 's', healthy: true };

  it('is asked for once by whoever asks meanwhile, and anew by the next', async () => {
    const { admin, connection } = setUp();
    const both = [admin.doctor(), admin.doctor()];
    expect(connection.posted).toEqual([{ type: 'doctor_report' }]);
    expect(admin.onFrame({ type: 'doctor_report_result', ok: true, report })).toBe(true);
    expect(await Promise.all(both)).toEqual([report, report]);
    const third = outcome<unknown>(admin.doctor());
    expect(connection.posted).toHaveLength(2);
    admin.onFrame({ type: 'doctor_report_result', ok: false, error: 'no' });
    expect(await third).toEqual(error('no'));
  });
});
