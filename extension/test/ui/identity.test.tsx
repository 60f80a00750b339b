// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { EnrollmentView, StatusView } from '../../src/messages';
import { Options } from '../../src/ui/options';
import { ASSERTION, ATTESTATION, authenticator, named } from './authenticator';
import { fake, list, no, ok, pairing, request, status } from './browser';
import { all, button, click, freshPages, one, pass, settle, show, text } from './page';

vi.mock('../../src/browser/runtime', async () => (await import('./browser')).runtime);
vi.mock('../../src/browser/storage', async () => (await import('./browser')).storage);
vi.mock('../../src/browser/permissions', async () => (await import('./browser')).permissions);
vi.mock('../../src/browser/i18n', async () => (await import('./browser')).i18n);

freshPages();

const KEY = { keyId: 'ab12'.repeat(15) + 'cd34', at: 0 };
const OPTIONS = { challenge: 'Y2g', nonce: 'n', userId: 'Y2hyb21l', userName: 'chrome', excludeCredentialIds: [] };

beforeEach(() => {
  authenticator.install();
  fake.answers.get_allowlist = ok(list());
  fake.answers.webauthn_enrollment = ok({ state: 'none' });
  fake.answers.webauthn_presence_pending = ok(null);
});

async function open(over: Partial<EnrollmentView> = {}, is: Partial<StatusView> = {}): Promise<void> {
  const { serving = 'unpaired', blocked = null } = over;
  fake.answers.get_status = ok(status({ serving, blocked, ...is }));
  fake.answers.get_enrollment = ok(pairing(over));
  await show(Options);
  fake.log.length = 0;
}
const paired = { serving: 'active', pin: KEY } as const;
const alerts = (within: string): string => all(`${within} [role="alert"]`).map((e) => e.textContent).join('');
const said = (): string => one('main > [role="status"]').textContent ?? '';
const began = (type: string): unknown => fake.sent(type)[0];

describe('pairing', () => {
  it('is asked for', async () => {
    fake.answers.enroll_pair = ok(null);
    await open();
    await click(button('pair'));
    expect(began('enroll_pair')).toEqual({ type: 'enroll_pair' });
    expect(alerts('#pairing')).toBe('');
  });

  it.each([
    ['not_enrolled', 'The host has no key yet. In a terminal, run genkan pair.'],
    ['keychain_error', "The store that keeps the host's key failed or is locked."],
    ['timed-out', 'The host did not answer in time.'],
    ['something of a newer host', 'something of a newer host'],
  ])('that failed with %s says so', async (error, sentence) => {
    fake.answers.enroll_pair = no(error);
    await open();
    await click(button('pair'));
    expect(alerts('#pairing')).toBe(sentence);
  });

  it('is not asked of a host that is away', async () => {
    await open({}, { port: { state: 'down', error: 'gone', hostMissing: false, served: false } });
    expect(button('pair').disabled).toBe(true);
  });

  it('approves the very fingerprint that is shown', async () => {
    fake.answers.enroll_approve = ok(null);
    await open({ pending: KEY });
    expect(all('#pairing .fingerprint span').map((e) => e.textContent).join('')).toBe(KEY.keyId);
    expect(all('#pairing .fingerprint span')).toHaveLength(16);
    expect(all('[data-act="pair"]')).toEqual([]);
    await click(button('pair-approve'));
    expect(began('enroll_approve')).toEqual({ type: 'enroll_approve', keyId: KEY.keyId });
    expect(said()).toMatch(/^Paired\./);
  });

  it('Reject is the filled default, and says what it stops', async () => {
    fake.answers.enroll_reject = ok(null);
    await open({ pending: KEY });
    expect(button('pair-reject').className).toBe('filled');
    expect(one('#pairing').textContent).toContain('Reject stops all tools in this browser until you pair again.');
    await click(button('pair-reject'));
    expect(began('enroll_reject')).toEqual({ type: 'enroll_reject' });
  });

  it('an approval that came too late is told', async () => {
    fake.answers.enroll_approve = no('another key waits by now');
    await open({ pending: KEY });
    await click(button('pair-approve'));
    expect(alerts('#pairing')).toBe('another key waits by now');
    expect(said()).toBe('');
  });

  it.each([
    [{ serving: 'blocked', blocked: 'compromised', pin: KEY }, 'failed to prove its key', 'Pairing again puts this right', true],
    [{ serving: 'blocked', blocked: 'pin_lost' }, 'gone or damaged', 'Pairing again puts this right', true],
    [{ serving: 'blocked', blocked: 'policy_corrupt', pin: KEY }, 'The stored policy is damaged', 'genkan pair --reset', true],
    [{ serving: 'blocked', blocked: 'unreadable' }, 'cannot be read', 'Removing the extension', false],
  ] as [Partial<EnrollmentView>, string, string, boolean][])('blocked, %j: what happened and the way out', async (over, what, way, again) => {
    await open(over);
    expect(one('#pairing').textContent).toContain(what);
    expect(one('#pairing').textContent).toContain(way);
    expect(all('[data-act="pair"]').map((b) => b.textContent)).toEqual(again ? ['Pair again'] : []);
    expect(all('[data-act="unpair"], [data-act="pair-verify"]')).toEqual([]);
  });

  it('shows what the host last answered, its own words as text', async () => {
    await open({ lastError: { reason: '<b>new</b>\u202e', at: 0 } });
    expect(one('#pairing').textContent).toContain('<b>new</b>U+202E');
    await open({ lastError: { reason: 'signing_failed', at: 0 } });
    expect(text()).toContain('The host could not sign.');
  });
});

describe('a pairing', () => {
  it('is verified on demand', async () => {
    fake.answers.enroll_verify = ok(null);
    await open(paired);
    await click(button('pair-verify'));
    expect(began('enroll_verify')).toEqual({ type: 'enroll_verify' });
    expect(said()).toBe('The host has just proved its key.');
  });

  it('that could not be verified is looked at again, since it may be compromised now', async () => {
    fake.answers.enroll_verify = no('key_invalid');
    await open(paired);
    await click(button('pair-verify'));
    expect(alerts('#pairing')).toBe("The host's key is damaged.");
    expect(fake.sent('get_enrollment').length).toBeGreaterThan(0);
  });

  it('ends after a warning alone', async () => {
    fake.answers.enroll_revoke = ok(null);
    await open(paired);
    expect(one('#pairing').textContent).toContain('stops all tools, in every browser of this user');
    await click(button('unpair'));
    expect(fake.log).toEqual([]);
    expect(document.activeElement).toBe(button('unpair-keep'));
    await click(button('unpair-keep'));
    expect(fake.log).toEqual([]);
    await click(button('unpair'));
    await click(button('unpair-now'));
    expect(began('enroll_revoke')).toEqual({ type: 'enroll_revoke' });
    expect(said()).toBe('The pairing has ended. No tool runs.');
  });

  it('that the host has not yet forgotten is told', async () => {
    await open({ serving: 'blocked', blocked: 'revoked', revokePending: true });
    expect(one('#pairing').textContent).toContain('It is told again on every connection.');
  });
});

describe('an authenticator', () => {
  it.each([
    [{ state: 'none' }, 'None was enrolled from this browser.', 'Enroll'],
    [{ state: 'unreadable' }, 'damaged', 'Enroll'],
    [{ state: 'enrolled', credentialId: 'KueeMESJyPogqTmB3GO9', enrolledAt: Date.UTC(2026, 0, 15, 12) }, 'key KueeMESJyPog…', 'Enroll another'],
  ])('%j', async (note, sentence, label) => {
    fake.answers.webauthn_enrollment = ok(note);
    await open();
    expect(one('#authenticator').textContent).toContain(sentence);
    expect(button('webauthn-enroll').textContent).toBe(label);
  });

  it('is enrolled', async () => {
    fake.answers.webauthn_enroll_begin = ok({ state: 'options', options: OPTIONS });
    fake.answers.webauthn_enroll_finish = ok({ credentialId: 'cmF3' });
    await open();
    await click(button('webauthn-enroll'));
    expect(fake.log.slice(0, 2)).toEqual([{ type: 'webauthn_enroll_begin' }, { type: 'webauthn_enroll_finish', ...ATTESTATION }]);
    expect(said()).toBe('The authenticator is enrolled.');
    expect(fake.sent('webauthn_enrollment').length).toBeGreaterThan(0);
  });

  it('that is not the first takes a tap of one that is enrolled, then goes on by itself', async () => {
    let begun = 0;
    fake.answers.webauthn_enroll_begin = () => (begun++ === 0 ? ok({ state: 'presence', request: request({ action: 'enroll another credential for chrome', allowedCredentialIds: ['cmF3'] }) }) : ok({ state: 'options', options: OPTIONS }));
    fake.answers.webauthn_presence_assert = ok(null);
    fake.answers.webauthn_enroll_finish = ok({ credentialId: 'cmF3' });
    await open();
    await click(button('webauthn-enroll'));
    expect(one('.act').textContent).toBe('enroll another credential for chrome');
    await pass(600);
    await click(button('presence-confirm'));
    await settle();
    expect(began('webauthn_presence_assert')).toEqual({ type: 'webauthn_presence_assert', nonce: 'n1', ...ASSERTION });
    expect(begun).toBe(2);
    expect(began('webauthn_enroll_finish')).toEqual({ type: 'webauthn_enroll_finish', ...ATTESTATION });
    expect(said()).toBe('The authenticator is enrolled.');
  });

  it('that was not used leaves nothing behind', async () => {
    fake.answers.webauthn_enroll_begin = ok({ state: 'options', options: OPTIONS });
    authenticator.fails = named('InvalidStateError');
    await open();
    await click(button('webauthn-enroll'));
    expect(fake.sent('webauthn_enroll_finish')).toEqual([]);
    expect(alerts('#authenticator')).toBe('This authenticator is enrolled already.');
    expect(button('webauthn-enroll').disabled).toBe(false);
  });

  it.each(['webauthn_enroll_begin', 'webauthn_enroll_finish'])('a refusal of %s is said', async (which) => {
    fake.answers.webauthn_enroll_begin = ok({ state: 'options', options: OPTIONS });
    fake.answers.webauthn_enroll_finish = ok({ credentialId: 'cmF3' });
    fake.answers[which] = no('machine_already_enrolled');
    await open();
    await click(button('webauthn-enroll'));
    expect(alerts('#authenticator')).toBe('Another authenticator was enrolled on this machine in the meantime.');
  });

  it('is forgotten, and the page says whether', async () => {
    fake.answers.webauthn_forget = no('not_enrolled');
    await open();
    await click(button('webauthn-forget'));
    expect(alerts('#authenticator')).toBe('No authenticator is enrolled for this browser.');
    fake.answers.webauthn_forget = ok(null);
    await click(button('webauthn-forget'));
    expect(alerts('#authenticator')).toBe('');
    expect(said()).toBe("This browser's authenticators are forgotten.");
  });
});

describe('a confirmation by touch', () => {
  beforeEach(() => {
    fake.answers.webauthn_presence_pending = ok(request({ allowedCredentialIds: ['cmF3'] }));
    fake.answers.webauthn_presence_assert = ok(null);
  });

  it('never goes by a click', async () => {
    await open();
    await pass(600);
    expect(one('dialog').textContent).toContain('uses an authenticator');
    await click(button('presence-confirm'));
    expect(fake.sent('webauthn_presence_confirm')).toEqual([]);
    expect(fake.sent('webauthn_presence_assert')).toHaveLength(1);
    expect(said()).toBe('Done: release the kill switch');
  });

  it('that was cancelled can be tried again, since the host never heard of it', async () => {
    authenticator.fails = named('NotAllowedError');
    vi.spyOn(document, 'hasFocus').mockReturnValue(true);
    await open();
    await pass(600);
    await click(button('presence-confirm'));
    expect(one('dialog [role="alert"]').textContent).toContain('was not used');
    expect(fake.sent('webauthn_presence_assert')).toEqual([]);
    authenticator.fails = null;
    await click(button('presence-confirm'));
    expect(fake.sent('webauthn_presence_assert')).toHaveLength(1);
    expect(all('dialog')).toEqual([]);
  });

  it('that the host refused is over', async () => {
    fake.answers.webauthn_presence_assert = no('sign_count_not_increased: 4 after 4');
    await open();
    await pass(600);
    await click(button('presence-confirm'));
    expect(one('dialog [role="alert"]').textContent).toBe("It was not done. The authenticator's counter did not move on, so it may be a copy. 4 after 4");
    expect(all('[data-act="presence-confirm"]')).toEqual([]);
  });
});
