import { ClientPair, KillRelease, PolicyHistory, PolicyRestrict, PolicyRollback, PolicySet, PresenceAssert, PresenceBegin, PresenceConfirm } from '@contract/frames';
import { describe, expect, it } from 'vitest';
import { ToolError } from '../../src/errors';
import type { Overlay } from '@contract/policy';
import { outcome, refusal, settle } from '../util';
import { newKey, testTrust } from './world';

function setUp(data: Record<string, unknown> = {}) {
  const w = testTrust(data);
  const connection = w.connection();
  w.lanes.openControl(connection);
  return { ...w, connection };
}

const request = (over: Record<string, unknown> = {}) => ({
  type: 'presence_request', challenge: 'A'.repeat(43), nonce: 'n1', action: 'release the kill switch', allowed_credential_ids: [], ...over,
});
const ANCHOR = { kind: 'hash', value: 'f'.repeat(64) } as const;
const PAIR = `trust client claude (hash ${ANCHOR.value})`;
const TAP = { credentialId: 'A'.repeat(22), authenticatorData: 'AAAA', clientDataJson: 'AAAA', signature: 'AAAA' };
const error = (message: string) => ({ error: expect.objectContaining({ message }) });

describe('a release', () => {
  it('is done only with the state that follows the confirmation', async () => {
    const { connection, presence, acts, say, kinds, counts } = setUp();
    const asked = acts.release();
    expect(KillRelease.safeParse(connection.posted[0]).success).toBe(true);
    await say(request());
    expect(await asked).toEqual({
      nonce: 'n1', action: 'release the kill switch', challenge: 'A'.repeat(43), allowedCredentialIds: [], expiresAt: 1_120_000,
    });
    expect(counts.opened).toBe(0);
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
    const { presence, acts, say } = setUp();
    const asked = acts.release();
    await say({ type: 'kill_status_result', ok: true, killed: true });
    await say(request());
    expect(await asked).toMatchObject({ nonce: 'n1' });
  });

  it('of a switch that is off already needs nobody', async () => {
    const { presence, acts, say } = setUp();
    const asked = acts.release();
    await say({ type: 'kill_status_result', ok: true, killed: false });
    expect(await asked).toBeNull();
  });

  it('that the host refuses is refused in its words', async () => {
    const { presence, acts, say } = setUp();
    const asked = outcome(acts.release());
    await say({ type: 'kill_status_result', ok: false, error: 'store_error: trust.json' });
    expect(await asked).toEqual(error('store_error: trust.json'));
  });

  it('that fails after the confirmation is no release', async () => {
    const { presence, acts, say, kinds } = setUp();
    void acts.release();
    await say(request());
    const confirmed = outcome(presence.confirm('n1'));
    await say({ type: 'presence_result', ok: true });
    await say({ type: 'kill_status_result', ok: false, error: 'the record cannot be written' });
    expect(await confirmed).toEqual(error('the record cannot be written'));
    expect(kinds()).toEqual([]);
  });

  it('without the state that follows is not done', async () => {
    const { clock, presence, acts, say } = setUp();
    void acts.release();
    await say(request());
    const confirmed = outcome(presence.confirm('n1'));
    await say({ type: 'presence_result', ok: true });
    await clock.advance(10_000);
    expect(await confirmed).toEqual(error('timed-out'));
  });
});

describe('the pairing of a client', () => {
  it('goes the same way', async () => {
    const { connection, presence, acts, say } = setUp();
    const asked = acts.pair('claude', ANCHOR);
    expect(ClientPair.safeParse(connection.posted[0]).success).toBe(true);
    await say(request({ action: PAIR }));
    expect(await asked).toMatchObject({ action: PAIR });
    const confirmed = outcome(presence.confirm('n1'));
    await say({ type: 'presence_result', ok: true });
    await say({ type: 'client_pair_result', ok: false, error: 'the name is taken' });
    expect(await confirmed).toEqual(error('the name is taken'));
  });

  it('is refused before any request', async () => {
    const { presence, acts, say } = setUp();
    const asked = outcome(acts.pair('claude', ANCHOR));
    await say({ type: 'client_pair_result', ok: false, error: 'no such anchor' });
    expect(await asked).toEqual(error('no such anchor'));
  });
});

describe('requests', () => {
  it('are kept newest only', async () => {
    const { presence, acts, say } = setUp();
    await say(request());
    await say(request({ nonce: 'n2' }));
    expect(presence.pending()).toMatchObject({ nonce: 'n2' });
    expect(await outcome(presence.confirm('n1'))).toEqual(error('request_mismatch'));
    expect(presence.pending()).toMatchObject({ nonce: 'n2' });
  });

  it('that no page asked for open the options page', async () => {
    const { say, counts } = setUp();
    await say(request());
    expect(counts.opened).toBe(1);
  });

  it('open it once for all that come while one waits', async () => {
    const { say, counts, clock, presence } = setUp();
    await say(request());
    await say(request({ nonce: 'n2' }));
    await say(request({ nonce: 'n3' }));
    expect(counts.opened).toBe(1);
    expect(presence.pending()).toMatchObject({ nonce: 'n3' });
    await clock.advance(120_000);
    await say(request({ nonce: 'n4' }));
    expect(counts.opened).toBe(2);
    const confirmed = presence.confirm('n4');
    await say({ type: 'presence_result', ok: true });
    await confirmed;
    await say(request({ nonce: 'n5' }));
    expect(counts.opened).toBe(3);
  });

  it('open it where what is there is a window, whose request they take', async () => {
    const { say, counts, presence } = setUp();
    const asked = presence.page('page_eval', 'https://a.example', () => undefined);
    await say(request({ action: 'page_eval on https://a.example' }));
    await asked;
    await say(request({ nonce: 'n2' }));
    expect(counts.opened).toBe(1);
  });

  it('go with their connection', async () => {
    const { connection, presence, acts, say } = setUp();
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
    const { clock, presence, acts, say } = setUp();
    await say(request());
    await clock.advance(ms);
    expect(presence.pending() !== null).toBe(there);
  });

  it('that name authenticators are answered by a tap, and not by a click', async () => {
    const { connection, presence, say } = setUp();
    await say(request({ allowed_credential_ids: ['A'.repeat(22)] }));
    expect(presence.pending()).toMatchObject({ allowedCredentialIds: ['A'.repeat(22)] });
    expect(await outcome(presence.confirm('n1'))).toEqual(error('software_confirmation_not_allowed'));
    expect(connection.posted).toEqual([]);
    const tapped = outcome(presence.assert('n1', TAP));
    expect(PresenceAssert.safeParse(connection.posted[0]).success).toBe(true);
    await say({ type: 'presence_result', ok: true });
    expect(await tapped).toEqual({ value: undefined });
    expect(presence.pending()).toBeNull();
  });

  it('that name none are not answered by a tap', async () => {
    const { connection, presence, say } = setUp();
    await say(request());
    expect(await outcome(presence.assert('n1', TAP))).toEqual(error('credential_not_enrolled'));
    expect(connection.posted).toEqual([]);
  });

  it('that make no sense are none, and fail the act', async () => {
    const { presence, acts, say } = setUp();
    const asked = outcome(acts.release());
    await say(request({ challenge: 'short' }));
    expect(await asked).toEqual(error('failed'));
    expect(presence.pending()).toBeNull();
  });

  it('are consumed only once the answer is on the pipe', async () => {
    const { connection, presence, acts, say } = setUp();
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

describe('a request that comes late', () => {
  const late = async () => {
    const w = setUp();
    const given = outcome(w.acts.pair('claude', ANCHOR));
    await w.clock.advance(10_000);
    expect(await given).toEqual(error('timed-out'));
    return w;
  };
  /** What answering it waits for, behind the proof. */
  const done = async (w: ReturnType<typeof setUp>, nonce: string, ...frames: Record<string, unknown>[]) => {
    const confirmed = outcome(w.presence.confirm(nonce));
    for (const frame of frames) await w.say(frame);
    return confirmed;
  };
  const OK = { type: 'presence_result', ok: true };

  it('is for the act that was asked for, whose result is waited for', async () => {
    const w = await late();
    await w.say(request({ action: PAIR }));
    expect(await done(w, 'n1', OK, { type: 'client_pair_result', ok: false, error: 'the name is taken' })).toEqual(error('the name is taken'));
  });

  it('is not taken for that of the act that is asked for by now', async () => {
    const w = await late();
    const released = w.acts.release();
    await w.say(request({ nonce: 'late', action: PAIR }));
    expect(w.presence.pending()).toBeNull();
    await w.say(request({ nonce: 'n2' }));
    expect(await released).toMatchObject({ nonce: 'n2', action: 'release the kill switch' });
    expect(await done(w, 'n2', OK, { type: 'kill_status_result', ok: true, killed: false })).toEqual({ value: undefined });
    expect(w.kinds()).toContain('kill_released');
  });

  it.each([
    ['another client', 'trust client other (hash f)'],
    ['another act', 'set policy: evalMask=off'],
    ['nothing that was asked for', 'enroll another credential for chrome'],
  ])('and is for %s is nobody’s, and says so by its words alone', async (_name, action) => {
    const w = await late();
    await w.say(request({ action }));
    expect(w.presence.pending()).toMatchObject({ action });
    // No result is waited for, and nothing is noted as done.
    expect(await done(w, 'n1', OK)).toEqual({ value: undefined });
    expect(w.kinds()).toEqual([]);
  });

  it('for a window that is gone is dropped, with what it would ask', async () => {
    const w = setUp();
    const asked = outcome(w.presence.page('page_eval', 'https://a.example', () => undefined));
    await w.clock.advance(10_000);
    expect('error' in (await asked)).toBe(true);
    await w.say(request({ action: 'page_eval on https://a.example' }));
    expect(w.presence.pending()).toBeNull();
    expect(w.counts.opened).toBe(0);
  });

  it('does not go to a window that the host left without one', async () => {
    const w = setUp();
    void outcome(w.presence.page('page_eval', 'https://a.example', () => undefined));
    const released = w.acts.release();
    // The answer to the window is lost; this one is for the release and says so.
    await w.say(request());
    expect(await released).toMatchObject({ nonce: 'n1' });
  });

  it('of before an engage is dropped, as it was by the host', async () => {
    const w = setUp();
    const asked = outcome(w.acts.release());
    w.presence.drop();
    await w.say(request());
    expect(await asked).toEqual(error('no_request_outstanding'));
    expect(w.presence.pending()).toBeNull();
    const again = w.acts.release();
    await w.say(request({ nonce: 'n2' }));
    expect(await again).toMatchObject({ nonce: 'n2' });
  });

  it('is none of another connection', async () => {
    const w = await late();
    await w.reconnect();
    await w.say({ type: 'policy_current', ok: false, error: 'none' });
    await w.say(request({ action: PAIR }));
    expect(await done(w, 'n1', OK)).toEqual({ value: undefined });
  });
});

describe('acts', () => {
  it('that never reached the host leave what it asked for before', async () => {
    const { connection, presence, acts, say } = setUp();
    const asked = acts.pair('claude', ANCHOR);
    await say(request({ action: PAIR }));
    await asked;
    connection.takes = false;
    expect(await outcome(acts.release())).toEqual(error('post-failed'));
    connection.takes = true;
    expect(presence.pending()).toMatchObject({ nonce: 'n1' });
    const confirmed = outcome(presence.confirm('n1'));
    await say({ type: 'presence_result', ok: true });
    await say({ type: 'client_pair_result', ok: false, error: 'the name is taken' });
    expect(await confirmed).toEqual(error('the name is taken'));
  });

  it('are not begun before the host has spoken', async () => {
    const w = testTrust();
    const { acts } = w;
    const connection = w.connection();
    expect(await outcome(acts.release())).toEqual(error('not-connected'));
    expect(connection.posted).toEqual([]);
  });

  it('are begun one at a time', async () => {
    const { connection, presence, acts, say } = setUp();
    void outcome(acts.release());
    expect(await outcome(acts.pair('claude', ANCHOR))).toEqual(error('busy'));
    expect(connection.posted).toHaveLength(1);
    await say({ type: 'kill_status_result', ok: false, error: 'no' });
    void outcome(acts.pair('claude', ANCHOR));
    expect(connection.posted).toHaveLength(2);
  });
});

describe('the policy', () => {
  const paired = async () => setUp((await newKey()).pin());
  const overlay: Overlay = { pageEvalEnabled: true };

  it('is set behind a proof, and done with its own result', async () => {
    const { connection, acts, presence, say } = await paired();
    const asked = acts.grant(overlay);
    await settle();
    expect(PolicySet.safeParse(connection.posted[0]).success).toBe(true);
    await say(request({ action: 'set policy: pageEvalEnabled=on' }));
    expect(await asked).toMatchObject({ nonce: 'n1' });
    const confirmed = outcome(presence.confirm('n1'));
    await say({ type: 'presence_result', ok: true });
    await say({ type: 'policy_set_result', ok: false, error: 'the policy moved meanwhile' });
    expect(await confirmed).toEqual(error('the policy moved meanwhile'));
  });

  it('is rolled back behind a proof, or at once where that only tightens', async () => {
    const { connection, acts, say } = await paired();
    const relaxing = acts.rollback(3, 'a'.repeat(64));
    await settle();
    expect(PolicyRollback.parse(connection.posted[0])).toMatchObject({ revision: 3, entry: { id: 'a'.repeat(64) } });
    await say(request({ action: 'roll policy back to revision 3: evalMask=off' }));
    expect(await relaxing).toMatchObject({ nonce: 'n1' });
    const tightening = acts.rollback(2);
    await settle();
    expect(PolicyRollback.parse(connection.posted[1])).toEqual({ type: 'policy_rollback', revision: 2 });
    await say({ type: 'policy_rollback_result', ok: true });
    expect(await tightening).toBeNull();
  });

  it('is restricted without one', async () => {
    const { connection, acts, say } = await paired();
    const asked = outcome(acts.restrict({ confirmGraceMs: 0 }));
    await settle();
    expect(PolicyRestrict.safeParse(connection.posted[0]).success).toBe(true);
    await say({ type: 'policy_restrict_result', ok: true });
    expect(await asked).toEqual({ value: undefined });
    const again = outcome(acts.restrict({ confirmGraceMs: 9 }));
    await settle();
    await say({ type: 'policy_restrict_result', ok: false, error: 'that would loosen confirmGraceMs' });
    expect(await again).toEqual(error('that would loosen confirmGraceMs'));
  });

  it('shows its history', async () => {
    const { connection, acts, say } = await paired();
    const asked = acts.history();
    expect(PolicyHistory.safeParse(connection.posted[0]).success).toBe(true);
    const row = { id: 'a'.repeat(64), signed: true, overlay_active: false, superseded_unix: 1 };
    await say({ type: 'policy_history_result', ok: true, entries: [row] });
    expect(await asked).toEqual([row]);
  });

  it.each([
    ['unpaired', {}],
    ['blocked', { enclaveEverPinned: true }],
  ])('is not written while %s', async (_name, data) => {
    const { connection, acts } = setUp(data);
    for (const asked of [acts.grant(overlay), acts.restrict(overlay), acts.rollback(1)] as Promise<unknown>[])
      expect(await outcome(asked)).toMatchObject({ error: { message: expect.stringMatching(/[Pp]air this browser/) } });
    expect(connection.posted).toEqual([]);
  });
});

describe('a window', () => {
  const ACTION = 'page_eval on https://a.example';
  const asks = (over: Record<string, unknown> = {}) => request({ action: ACTION, ...over });
  const open = (w: ReturnType<typeof setUp>) => {
    const taken: ToolError[] = [];
    return { taken, asked: w.presence.page('page_eval', 'https://a.example', (why) => taken.push(why)) };
  };

  it('asks for its own request, which the options page does not see', async () => {
    const w = setUp();
    const { asked } = open(w);
    expect(PresenceBegin.parse(w.connection.posted[0])).toEqual({ type: 'presence_begin', action: 'page_eval', origin: 'https://a.example' });
    await w.say(asks({ allowed_credential_ids: ['A'.repeat(22)] }));
    const held = await asked;
    expect(held.request).toEqual({ nonce: 'n1', challenge: 'A'.repeat(43), allowedCredentialIds: ['A'.repeat(22)] });
    expect(w.presence.pending()).toBeNull();
    expect(w.counts.opened).toBe(0);
    const answered = outcome(held.answer(TAP));
    expect(PresenceAssert.safeParse(w.connection.posted[1]).success).toBe(true);
    await w.say({ type: 'presence_result', ok: true });
    expect(await answered).toEqual({ value: undefined });
    expect(await refusal(held.answer(TAP))).toMatchObject({ code: 'USER_DENIED' });
  });

  it('is confirmed by its click where the request names no credential', async () => {
    const w = setUp();
    const { asked } = open(w);
    await w.say(asks());
    const answered = outcome((await asked).answer(null));
    expect(w.connection.posted[1]).toEqual({ type: 'presence_confirm', nonce: 'n1' });
    await w.say({ type: 'presence_result', ok: true });
    expect(await answered).toEqual({ value: undefined });
  });

  it.each([
    ['a click for a tap', ['A'.repeat(22)], null],
    ['a tap for a click', [], TAP],
  ])('is denied by %s, without a word to the host', async (_name, ids, given) => {
    const w = setUp();
    const { asked } = open(w);
    await w.say(asks({ allowed_credential_ids: ids }));
    expect(await refusal((await asked).answer(given))).toMatchObject({ code: 'USER_DENIED' });
    expect(w.connection.posted).toHaveLength(1);
  });

  it('is denied with the sentence of a refusal and its detail', async () => {
    const w = setUp();
    const first = refusal(open(w).asked);
    await w.say({ type: 'presence_result', ok: false, reason: 'store_error: trust.json' });
    expect(await first).toEqual({
      code: 'EXECUTION_FAILED', message: 'The trust record cannot be read or written (trust.json).',
    });
    const second = open(w);
    await w.say(asks());
    const answered = refusal((await second.asked).answer(null));
    await w.say({ type: 'presence_result', ok: false, reason: 'software_confirmation_not_allowed' });
    expect(await answered).toEqual({ code: 'USER_DENIED', message: 'A click is not enough for this act, or not from this browser.' });
  });

  it.each([
    ['the text of another act', 'set policy: pageEvalEnabled=on'],
    ['another origin', 'page_eval on https://b.example'],
    ['another tool', 'page_upload on https://a.example'],
    ['more than the act', `${ACTION} `],
    ['less', 'page_eval on https://a.exampl'],
  ])('is not answered for a request with %s', async (_name, action) => {
    const w = setUp();
    const got = refusal(open(w).asked);
    await w.say(asks({ action }));
    expect(await got).toEqual({ code: 'EXECUTION_FAILED', message: 'The answer belongs to another request.' });
    expect(w.presence.pending()).toBeNull();
    expect(w.connection.posted).toHaveLength(1);
    // Nothing is held any more.
    const again = open(w);
    await w.say(asks({ nonce: 'n2' }));
    expect((await again.asked).request.nonce).toBe('n2');
  });

  it('of an upload takes the request of an upload', async () => {
    const w = setUp();
    const asked = w.presence.page('page_upload', 'https://a.example:8443', () => undefined);
    await w.say(request({ action: 'page_upload on https://a.example:8443' }));
    expect((await asked).request.nonce).toBe('n1');
  });

  it('does not take the request of a grant that the page stopped waiting for', async () => {
    const w = setUp((await newKey()).pin());
    const grant = outcome(w.acts.grant({ pageEvalEnabled: true }));
    await w.clock.advance(10_000);
    expect(await grant).toEqual(error('timed-out'));
    const got = refusal(open(w).asked);
    await w.say(request({ nonce: 'late', action: 'set policy: pageEvalEnabled=on' }));
    expect(await got).toMatchObject({ message: 'The answer belongs to another request.' });
  });

  it.each([
    ['no answer', async (w: ReturnType<typeof setUp>) => w.clock.advance(10_000), 'did not answer'],
    ['a malformed one', async (w: ReturnType<typeof setUp>) => w.say(asks({ challenge: 'short' })), 'makes no sense'],
    ['ok without a request', async (w: ReturnType<typeof setUp>) => w.say({ type: 'presence_result', ok: true }), 'makes no sense'],
  ])('is denied by %s', async (_name, happens, words) => {
    const w = setUp();
    const got = refusal(open(w).asked);
    await happens(w);
    expect(await got).toMatchObject({ code: 'EXECUTION_FAILED', message: expect.stringContaining(words) });
    const again = open(w);
    await w.say(asks());
    expect((await again.asked).request.nonce).toBe('n1');
  });

  it('is not asked for without a host that has spoken', async () => {
    const w = testTrust();
    expect(await refusal(w.presence.page('page_upload', 'https://a', () => undefined))).toMatchObject({
      code: 'EXECUTION_FAILED', message: 'The host is not connected.',
    });
  });

  it('keeps grants of the options page out while it is held', async () => {
    const w = setUp((await newKey()).pin());
    const { asked } = open(w);
    expect(await outcome(w.acts.grant({ pageEvalEnabled: true }))).toEqual(error('busy'));
    await w.say(asks());
    const held = await asked;
    expect(await outcome(w.acts.pair('claude', ANCHOR))).toEqual(error('busy'));
    expect(await outcome(w.webauthn.begin())).toEqual(error('busy'));
    expect(w.connection.posted).toHaveLength(1);
    held.drop();
    void outcome(w.acts.pair('claude', ANCHOR));
    expect(w.connection.posted).toHaveLength(2);
  });

  it('is refused while the options page waits for a request', async () => {
    const w = setUp();
    void outcome(w.acts.pair('claude', ANCHOR));
    expect(await refusal(open(w).asked)).toMatchObject({ message: 'The host is being asked something else.' });
  });

  it('gives way to a release, which denies it', async () => {
    const w = setUp();
    const { asked, taken } = open(w);
    await w.say(asks());
    const held = await asked;
    const released = w.acts.release();
    expect(taken).toHaveLength(1);
    expect(await refusal(held.answer(null))).toMatchObject({ code: 'USER_DENIED', message: expect.stringContaining('being released') });
    await w.say(request({ nonce: 'n2' }));
    expect(await released).toMatchObject({ nonce: 'n2' });
  });

  it('gives way to a release while the host is still asked, in the order of the answers', async () => {
    const w = setUp();
    const window = open(w);
    const got = refusal(window.asked);
    const released = w.acts.release();
    await w.say(asks({ nonce: 'window' }));
    expect((await got).message).toContain('being released');
    await w.say(request({ nonce: 'release' }));
    expect(await released).toMatchObject({ nonce: 'release' });
  });

  it('that answered already is denied by a release all the same', async () => {
    const w = setUp();
    const { asked } = open(w);
    await w.say(asks());
    const answered = refusal((await asked).answer(null));
    void outcome(w.acts.release());
    await w.say({ type: 'presence_result', ok: true });
    expect(await answered).toMatchObject({ code: 'USER_DENIED' });
  });

  it('takes the place of what the options page was shown', async () => {
    const w = setUp();
    await w.say(request());
    expect(w.presence.pending()).not.toBeNull();
    const { asked } = open(w);
    await w.say(asks({ nonce: 'n2' }));
    await asked;
    expect(w.presence.pending()).toBeNull();
  });

  it.each([
    ['a lost connection', (w: ReturnType<typeof setUp>) => w.presence.onDetach(), 'went away'],
    ['an engage', (w: ReturnType<typeof setUp>) => w.presence.drop(), 'kill switch'],
  ])('loses its request by %s', async (_name, happens, words) => {
    const w = setUp();
    const { asked, taken } = open(w);
    await w.say(asks());
    const held = await asked;
    happens(w);
    expect(taken.map((t) => t.message)).toEqual([expect.stringContaining(words)]);
    expect((await refusal(held.answer(null))).message).toContain(words);
    expect(w.connection.posted).toHaveLength(1);
  });
});
