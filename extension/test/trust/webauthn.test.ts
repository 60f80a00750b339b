import { BrowserRevoke, EnrollBegin, EnrollFinish } from '@contract/frames';
import { REFUSALS } from '@contract/refusals';
import { describe, expect, it } from 'vitest';
import { sentenceOf } from '../../src/trust/refusals';
import { outcome } from '../util';
import { NO_POLICY, testTrust } from './world';

const ID = 'A'.repeat(22);
const OPTIONS = {
  type: 'enroll_options', challenge: 'A'.repeat(43), nonce: 'n', user_id: 'AAAA', user_name: 'chrome', exclude_credential_ids: [ID],
};
const REQUEST = { type: 'presence_request', challenge: 'A'.repeat(43), nonce: 'n1', action: 'enroll another credential for chrome', allowed_credential_ids: [ID] };
const TAP = { credentialId: ID, authenticatorData: 'AAAA', clientDataJson: 'AAAA', signature: 'AAAA' };
const error = (message: string) => ({ error: expect.objectContaining({ message }) });

async function setUp(data: Record<string, unknown> = {}) {
  const w = testTrust(data);
  w.lanes.openControl(w.connection());
  return w;
}

describe('enrollment', () => {
  it('of the first credential gets options, and leaves a note', async () => {
    const w = await setUp();
    const begun = w.webauthn.begin();
    expect(EnrollBegin.safeParse(w.connection().posted[0]).success).toBe(true);
    await w.say(OPTIONS);
    expect(await begun).toEqual({
      state: 'options',
      options: { challenge: 'A'.repeat(43), nonce: 'n', userId: 'AAAA', userName: 'chrome', excludeCredentialIds: [ID] },
    });
    const finished = w.webauthn.finish('AAAA', 'BBBB');
    expect(EnrollFinish.parse(w.connection().posted[1])).toEqual({ type: 'enroll_finish', attestation_object: 'AAAA', client_data_json: 'BBBB' });
    await w.say({ type: 'enroll_result', ok: true, credential_id: ID });
    expect(await finished).toEqual({ credentialId: ID });
    expect(await w.webauthn.note()).toEqual({ state: 'enrolled', credentialId: ID, enrolledAt: 1_000_000 });
  });

  it('of a further one takes a tap first', async () => {
    const w = await setUp();
    const begun = w.webauthn.begin();
    await w.say(REQUEST);
    await w.say({ type: 'enroll_result', ok: false, reason: 'presence_required' });
    expect(await begun).toMatchObject({ state: 'presence', request: { nonce: 'n1', allowedCredentialIds: [ID] } });
    const tapped = outcome(w.presence.assert('n1', TAP));
    await w.say({ type: 'presence_result', ok: true });
    expect(await tapped).toEqual({ value: undefined });
    const again = w.webauthn.begin();
    await w.say(OPTIONS);
    expect(await again).toMatchObject({ state: 'options' });
  });

  it.each([
    [{ type: 'enroll_result', ok: false, reason: 'store_error: trust.json' }, 'store_error: trust.json'],
    [{ ...OPTIONS, challenge: 'short' }, 'failed'],
    [{ type: 'enroll_result', ok: true, credential_id: ID }, 'failed'],
  ])('begins nothing on %j', async (frame, message) => {
    const w = await setUp();
    const begun = outcome(w.webauthn.begin());
    await w.say(frame);
    expect(await begun).toEqual(error(message));
  });

  it('that the host refuses leaves no note', async () => {
    const w = await setUp();
    const finished = outcome(w.webauthn.finish('AAAA', 'AAAA'));
    await w.say({ type: 'enroll_result', ok: false, reason: 'origin_mismatch' });
    expect(await finished).toEqual(error('origin_mismatch'));
    expect(await w.webauthn.note()).toEqual({ state: 'none' });
  });

  it('is done although the note cannot be written', async () => {
    const w = await setUp();
    const finished = w.webauthn.finish('AAAA', 'AAAA');
    w.store.failWrites = true;
    await w.say({ type: 'enroll_result', ok: true, credential_id: ID });
    expect(await finished).toEqual({ credentialId: ID });
    expect(w.log.join()).toContain('note of the enrollment');
  });

  it('is asked of no host that has not spoken', async () => {
    const w = testTrust();
    expect(await outcome(w.webauthn.begin())).toEqual(error('not-connected'));
    expect(await outcome(w.webauthn.finish('AAAA', 'AAAA'))).toEqual(error('not-connected'));
    expect(await outcome(w.webauthn.forget())).toEqual(error('not-connected'));
    expect(w.connection().posted).toEqual([]);
    await w.say(NO_POLICY);
    void outcome(w.webauthn.forget());
    expect(w.posted('browser_revoke')).toHaveLength(1);
  });
});

describe('the note', () => {
  it.each([
    'junk',
    null,
    {},
    { credentialId: ID },
    { credentialId: 'short', enrolledAt: 1 },
    { credentialId: ID, enrolledAt: -1 },
    { credentialId: ID, enrolledAt: 1, extra: 1 },
  ])('%j is unreadable, never "not enrolled"', async (webauthnEnrollment) => {
    const w = await setUp({ webauthnEnrollment });
    expect(await w.webauthn.note()).toEqual({ state: 'unreadable' });
  });

  it.each([
    [{ ok: true }, false, null],
    [{ ok: false, reason: 'not_enrolled' }, false, 'not_enrolled'],
    [{ ok: false, reason: 'not_enrolled: chrome' }, false, 'not_enrolled: chrome'],
    [{ ok: false, reason: 'store_error' }, true, 'store_error'],
  ])('after forgetting with %j: kept is %s', async (result, kept, message) => {
    const w = await setUp({ webauthnEnrollment: { credentialId: ID, enrolledAt: 1 } });
    const forgotten = outcome(w.webauthn.forget());
    expect(BrowserRevoke.safeParse(w.connection().posted[0]).success).toBe(true);
    await w.say({ type: 'browser_revoke_result', ...result });
    expect(await forgotten).toEqual(message === null ? { value: undefined } : error(message));
    expect(w.store.data.webauthnEnrollment !== undefined).toBe(kept);
  });
});

describe('refusals', () => {
  it.each([...REFUSALS])('%s has a sentence, with the detail behind it', (code) => {
    const bare = sentenceOf(code);
    expect(bare).toMatch(/^[A-Z].*\.$/);
    expect(bare).not.toContain(code === 'nonce' || code === 'encoding' || code === 'declined' ? '_' : code);
    expect(sentenceOf(`${code}: a: b`)).toBe(`${bare.slice(0, -1)} (a: b).`);
  });

  it('that are none are shown as they are', () => {
    expect(sentenceOf('malformed presence_begin')).toBe('malformed presence_begin');
    expect(sentenceOf('__proto__: x')).toBe('__proto__: x');
  });
});
