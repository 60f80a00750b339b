import { describe, expect, it } from 'vitest';
import { MALFORMED, RuntimeMessage, type RuntimeMessageType } from '../../src/messages';
import { createRouter, type Handlers } from '../../src/worker/router';

const ID = 'fmkoengpgchbmogeaifdcdfpnnpgmcfl';
const page = (path: string) => ({ id: ID, url: `chrome-extension://${ID}${path}` });

const TAP = { credentialId: 'AAAA', authenticatorData: 'AAAA', clientDataJson: 'AAAA', signature: 'AAAA' };
const MESSAGES: { [T in RuntimeMessageType]: Extract<RuntimeMessage, { type: T }> } = {
  get_status: { type: 'get_status' },
  get_allowlist: { type: 'get_allowlist' },
  resolve_allow: { type: 'resolve_allow', id: 'x', allow: true },
  add_allow: { type: 'add_allow', glob: 'https://a/*' },
  remove_allow: { type: 'remove_allow', glob: 'https://a/*' },
  sweep_pending: { type: 'sweep_pending' },
  get_enrollment: { type: 'get_enrollment' },
  enroll_pair: { type: 'enroll_pair' },
  enroll_verify: { type: 'enroll_verify' },
  enroll_approve: { type: 'enroll_approve', keyId: 'a'.repeat(64) },
  enroll_reject: { type: 'enroll_reject' },
  enroll_revoke: { type: 'enroll_revoke' },
  get_policy: { type: 'get_policy' },
  restrict_policy: { type: 'restrict_policy', overlay: { pageEvalEnabled: false } },
  grant_policy: { type: 'grant_policy', overlay: { pageEvalEnabled: true, disabledTools: ['page_upload'] } },
  rollback_policy: { type: 'rollback_policy', revision: 1, entry: 'b'.repeat(64) },
  get_policy_history: { type: 'get_policy_history' },
  get_kill: { type: 'get_kill' },
  set_kill: { type: 'set_kill', on: true },
  kill_release: { type: 'kill_release' },
  get_clients: { type: 'get_clients' },
  pair_client: { type: 'pair_client', name: 'x', anchor: { kind: 'hash', value: 'x' } },
  revoke_client: { type: 'revoke_client', name: 'x' },
  get_audit: { type: 'get_audit' },
  get_host_audit: { type: 'get_host_audit', limit: 10 },
  get_doctor: { type: 'get_doctor' },
  get_registration: { type: 'get_registration' },
  repair_registration: { type: 'repair_registration', browsers: ['chromium'] },
  webauthn_enroll_begin: { type: 'webauthn_enroll_begin' },
  webauthn_enroll_finish: { type: 'webauthn_enroll_finish', attestationObject: 'AAAA', clientDataJson: 'AAAA' },
  webauthn_enrollment: { type: 'webauthn_enrollment' },
  webauthn_forget: { type: 'webauthn_forget' },
  webauthn_presence_pending: { type: 'webauthn_presence_pending' },
  webauthn_presence_assert: { type: 'webauthn_presence_assert', nonce: 'x', ...TAP },
  webauthn_presence_confirm: { type: 'webauthn_presence_confirm', nonce: 'x' },
  confirm_ready: { type: 'confirm_ready', id: 'x' },
  confirm_resolve: { type: 'confirm_resolve', id: 'x', approved: true },
  confirm_presence: { type: 'confirm_presence', id: 'x', nonce: 'x', ...TAP },
  confirm_deny_kill: { type: 'confirm_deny_kill', id: 'x' },
  lang_choose: { type: 'lang_choose', value: 'zh_TW' },
};
const types = Object.keys(MESSAGES) as RuntimeMessageType[];

function setUp(failing = false) {
  const seen: unknown[] = [];
  const handle = (message: unknown) => {
    seen.push(message);
    if (failing) throw new Error('it broke');
    return 'answer';
  };
  const handlers = Object.fromEntries(types.map((t) => [t, handle])) as unknown as Handlers;
  return { seen, route: createRouter(ID, handlers) };
}

describe('senders', () => {
  it.each(types)('%s is taken from our pages, from the right one', async (type) => {
    const { route, seen } = setUp();
    const confirm = type.startsWith('confirm_');
    const right = confirm ? ['/confirm.html', '/confirm.html?id=1#x'] : ['/popup.html', '/options.html', '/popup.html?x'];
    const wrong = confirm
      ? ['/popup.html', '/options.html', '/confirm.html/', '/x/confirm.html', '//confirm.html', '/Confirm.html', '/confirm.htm']
      : ['/confirm.html', '/confirm.html?id=1'];
    for (const path of right) expect(await route(MESSAGES[type], page(path))).toEqual({ ok: true, data: 'answer' });
    expect(seen).toHaveLength(right.length);
    for (const path of wrong) expect(await route(MESSAGES[type], page(path))).toMatchObject({ ok: false });
    expect(seen).toHaveLength(right.length);
  });

  it.each([
    ['a content script', { id: ID, url: 'https://a.example/' }],
    ['another extension', { id: 'other', url: `chrome-extension://${ID}/popup.html` }],
    ['a page of another extension', { id: ID, url: 'chrome-extension://other/popup.html' }],
    ['nobody', { id: undefined, url: undefined }],
    ['no address', { id: ID, url: undefined }],
    ['our origin as a prefix', { id: ID, url: `chrome-extension://${ID}.evil/popup.html` }],
    ['our id in a web address', { id: ID, url: `https://a/chrome-extension://${ID}/popup.html` }],
  ])('nothing is taken from %s', async (_name, sender) => {
    const { route, seen } = setUp();
    for (const type of types) expect(await route(MESSAGES[type], sender)).toMatchObject({ ok: false });
    expect(seen).toEqual([]);
  });
});

describe('the union', () => {
  it.each([
    'text',
    null,
    undefined,
    7,
    [],
    {},
    { type: 'nope' },
    { type: 'get_status', extra: 1 },
    { type: 'set_kill', on: false },
    { type: 'set_kill' },
    { type: 'resolve_allow', id: 'x' },
    { type: 'resolve_allow', id: 'x', allow: 'yes' },
    { type: 'add_allow', glob: 7 },
    { type: 'enroll_approve' },
    { type: 'enroll_approve', keyId: 'A'.repeat(64) },
    { type: 'enroll_approve', keyId: 'a'.repeat(63) },
    { type: 'restrict_policy' },
    { type: 'restrict_policy', overlay: { revision: 2 } },
    { type: 'grant_policy', overlay: { confirmGraceMs: 1.5 } },
    { type: 'grant_policy', overlay: { disabledTools: ['a', 'a'] } },
    { type: 'rollback_policy', revision: 0 },
    { type: 'rollback_policy', revision: 1, entry: { id: 'x' } },
    { type: 'webauthn_presence_assert', nonce: 'x' },
    { type: 'webauthn_presence_assert', nonce: '', ...TAP },
    { type: 'webauthn_presence_assert', nonce: 'x', ...TAP, signature: 'A' },
    { type: 'webauthn_presence_assert', nonce: 'x', ...TAP, signature: 'A'.repeat(97) },
    { type: 'webauthn_presence_confirm', nonce: 'a\u0000' },
    { type: 'webauthn_enroll_finish', attestationObject: 'AA==', clientDataJson: 'AAAA' },
    { type: 'lang_choose', value: 'de' },
  ])('refuses %j', async (message) => {
    const { route, seen } = setUp();
    expect(await route(message, page('/popup.html'))).toEqual({ ok: false, error: MALFORMED });
    expect(seen).toEqual([]);
  });

  it('takes a whole assertion for the window, or none', async () => {
    const { route, seen } = setUp();
    const tell = (over: object) => route({ type: 'confirm_presence', id: 'x', nonce: 'x', ...over }, page('/confirm.html'));
    expect(await tell({})).toMatchObject({ ok: true });
    expect(await tell(TAP)).toMatchObject({ ok: true });
    expect(await tell({ ...TAP, signature: undefined })).toMatchObject({ ok: false, error: MALFORMED });
    expect(await tell({ credentialId: 'AAAA' })).toMatchObject({ ok: false, error: MALFORMED });
    expect(seen).toHaveLength(2);
  });

  it('has no message that releases the kill switch without the host', () => {
    expect(RuntimeMessage.safeParse({ type: 'set_kill', on: false }).success).toBe(false);
  });
});

describe('failures', () => {
  it.each(types)('of the handler of %s are answered', async (type) => {
    const { route } = setUp(true);
    const at = type.startsWith('confirm_') ? '/confirm.html' : '/popup.html';
    expect(await route(MESSAGES[type], page(at))).toEqual({ ok: false, error: 'it broke' });
  });
});
