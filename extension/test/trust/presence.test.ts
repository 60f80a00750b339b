import { ClientPair, KillRelease, PresenceConfirm } from '@contract/frames';
import { describe, expect, it } from 'vitest';
import { createExchange } from '../../src/link/exchange';
import { createAdmin } from '../../src/trust/admin';
import { createAudit } from '../../src/trust/audit';
import { createPresence, NO_AUTHENTICATOR } from '../../src/trust/presence';
import type { RingEntry } from '../../src/messages';
import { outcome, settle, testClock, testConnection, testStore } from '../util';

function setUp() {
  const clock = testClock();
  const store = testStore();
  const connection = testConnection();
  const state = { open: true, opened: 0 };
  const lane = () => (state.open && connection.live() ? connection : null);
  const log: string[] = [];
  const audit = createAudit({ store, clock, lane, log: (m) => log.push(m) });
  const admin = createAdmin({ clock, lane, audit });
  const killExchange = createExchange(clock);
  const presence = createPresence({
    clock, lane, killExchange, pairExchange: admin.pairing, audit,
    openOptions: async () => void (state.opened += 1), log: (m) => log.push(m),
  });
  const say = async (frame: Record<string, unknown>): Promise<void> => {
    if (frame.type === 'kill_status_result') {
      if (presence.takesKillStatus(frame.killed === true)) killExchange.offer(frame);
    } else if (String(frame.type).startsWith('presence_')) presence.onFrame(frame, connection);
    else admin.onFrame(frame);
    await settle();
  };
  const kinds = () => ((store.data.auditRing ?? []) as RingEntry[]).map((e) => e.kind);
  return { clock, connection, state, presence, admin, say, log, kinds };
}

const request = (over: Record<string, unknown> = {}) => ({
  type: 'presence_request', challenge: 'A'.repeat(43), nonce: 'n1', action: 'Release the kill switch', allowed_credential_ids: [], ...over,
});
const ANCHOR = { kind: 'hash', value: 'f'.repeat(64) } as const;
const error = (message: string) => ({ error: expect.objectContaining({ message }) });

describe('a release', () => {
  it('is done only with the state that follows the confirmation', async () => {
    const { connection, presence, say, kinds, state } = setUp();
    const asked = presence.release();
    expect(KillRelease.safeParse(connection.posted[0]).success).toBe(true);
    await say(request());
    expect(await asked).toEqual({
      nonce: 'n1', action: 'Release the kill switch', challenge: 'A'.repeat(43), allowedCredentialIds: [], authenticator: false, expiresAt: 1_120_000,
    });
    expect(state.opened).toBe(0);
    let done = false;
    const confirmed = presence.confirm('n1').then(() => (done = true));
    expect(PresenceConfirm.safeParse(connection.posted[1]).success).toBe(true);
    await say({ type: 'presence_result', ok: true });
    expect(done).toBe(false);
    expect(presence.pending()).toBeNull();
    await say({ type: 'kill_status_result', ok: true, killed: true });
    expect(done).toBe(false);
    expect(kinds()).toEqual([]);
    await say({ type: 'kill_status_result', ok: true, killed: false });
    await confirmed;
    await settle();
    expect(kinds()).toEqual(['kill_released']);
  });

  it('takes a state of the switch that arrives meanwhile for news, not for the answer', async () => {
    const { presence, say } = setUp();
    const asked = presence.release();
    await say({ type: 'kill_status_result', ok: true, killed: true });
    await say(request());
    expect(await asked).toMatchObject({ nonce: 'n1' });
  });

  it('of a switch that is off already needs nobody', async () => {
    const { presence, say } = setUp();
    const asked = presence.release();
    await say({ type: 'kill_status_result', ok: true, killed: false });
    expect(await asked).toBeNull();
  });

  it('that the host refuses is refused in its words', async () => {
    const { presence, say } = setUp();
    const asked = outcome(presence.release());
    await say({ type: 'kill_status_result', ok: false, error: 'store_error: trust.json' });
    expect(await asked).toEqual(error('store_error: trust.json'));
  });

  it('that fails after the confirmation is no release', async () => {
    const { presence, say, kinds } = setUp();
    void presence.release();
    await say(request());
    const confirmed = outcome(presence.confirm('n1'));
    await say({ type: 'presence_result', ok: true });
    await say({ type: 'kill_status_result', ok: false, error: 'the record cannot be written' });
    expect(await confirmed).toEqual(error('the record cannot be written'));
    expect(kinds()).toEqual([]);
  });

  it('without the state that follows is not done', async () => {
    const { clock, presence, say } = setUp();
    void presence.release();
    await say(request());
    const confirmed = outcome(presence.confirm('n1'));
    await say({ type: 'presence_result', ok: true });
    await clock.advance(10_000);
    expect(await confirmed).toEqual(error('timed-out'));
  });
});

describe('the pairing of a client', () => {
  it('goes the same way', async () => {
    const { connection, presence, say } = setUp();
    const asked = presence.pair('claude', ANCHOR);
    expect(ClientPair.safeParse(connection.posted[0]).success).toBe(true);
    await say(request({ action: 'Pair claude' }));
    expect(await asked).toMatchObject({ action: 'Pair claude' });
    const confirmed = outcome(presence.confirm('n1'));
    await say({ type: 'presence_result', ok: true });
    await say({ type: 'client_pair_result', ok: false, error: 'the name is taken' });
    expect(await confirmed).toEqual(error('the name is taken'));
  });

  it('is refused before any request', async () => {
    const { presence, say } = setUp();
    const asked = outcome(presence.pair('claude', ANCHOR));
    await say({ type: 'client_pair_result', ok: false, error: 'no such anchor' });
    expect(await asked).toEqual(error('no such anchor'));
  });
});

describe('requests', () => {
  it('are kept newest only', async () => {
    const { presence, say } = setUp();
    await say(request());
    await say(request({ nonce: 'n2' }));
    expect(presence.pending()).toMatchObject({ nonce: 'n2' });
    expect(await outcome(presence.confirm('n1'))).toEqual(error('request_mismatch'));
    expect(presence.pending()).toMatchObject({ nonce: 'n2' });
  });

  it('that no page asked for open the options page', async () => {
    const { say, state } = setUp();
    await say(request());
    expect(state.opened).toBe(1);
  });

  it('go with their connection', async () => {
    const { connection, presence, say } = setUp();
    await say(request());
    connection.drop();
    presence.onDetach();
    expect(presence.pending()).toBeNull();
    expect(await outcome(presence.confirm('n1'))).toEqual(error('no_request_outstanding'));
  });

  it.each([
    [119_999, true],
    [120_000, false],
  ])('after %i ms: there is %s', async (ms, there) => {
    const { clock, presence, say } = setUp();
    await say(request());
    await clock.advance(ms);
    expect(presence.pending() !== null).toBe(there);
  });

  it('that name authenticators are shown, and not answered by this page', async () => {
    const { connection, presence, say } = setUp();
    await say(request({ allowed_credential_ids: ['A'.repeat(22)] }));
    expect(presence.pending()).toMatchObject({ authenticator: true });
    expect(await outcome(presence.confirm('n1'))).toEqual(error(NO_AUTHENTICATOR));
    expect(connection.posted).toEqual([]);
  });

  it('that make no sense are none, and fail the act', async () => {
    const { presence, say } = setUp();
    const asked = outcome(presence.release());
    await say(request({ challenge: 'short' }));
    expect(await asked).toEqual(error('failed'));
    expect(presence.pending()).toBeNull();
  });

  it('are consumed only once the answer is on the pipe', async () => {
    const { connection, presence, say } = setUp();
    await say(request());
    connection.takes = false;
    expect(await outcome(presence.confirm('n1'))).toEqual(error('post-failed'));
    expect(presence.pending()).toMatchObject({ nonce: 'n1' });
    connection.takes = true;
    const confirmed = outcome(presence.confirm('n1'));
    await say({ type: 'presence_result', ok: false, reason: 'software_confirmation_not_allowed: use genkan unkill' });
    expect(await confirmed).toEqual(error('software_confirmation_not_allowed: use genkan unkill'));
    expect(presence.pending()).toBeNull();
  });
});

describe('acts', () => {
  it('are not begun before the host has spoken', async () => {
    const { connection, presence, state } = setUp();
    state.open = false;
    expect(await outcome(presence.release())).toEqual(error('not-connected'));
    expect(connection.posted).toEqual([]);
  });

  it('are begun one at a time', async () => {
    const { connection, presence, say } = setUp();
    void outcome(presence.release());
    expect(await outcome(presence.pair('claude', ANCHOR))).toEqual(error('busy'));
    expect(connection.posted).toHaveLength(1);
    await say({ type: 'kill_status_result', ok: false, error: 'no' });
    void outcome(presence.pair('claude', ANCHOR));
    expect(connection.posted).toHaveLength(2);
  });
});
