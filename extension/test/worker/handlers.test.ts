import { describe, expect, it } from 'vitest';
import { createAllowlist } from '../../src/gate/allowlist';
import { createConfirmations } from '../../src/gate/confirm';
import { createHandlers } from '../../src/worker/handlers';
import { newKey, testTrust } from '../trust/world';
import { outcome, settle } from '../util';

function setUp(data: Record<string, unknown> = {}) {
  const state = { up: true, served: false, error: null as string | null, refused: 0 };
  const stop = new AbortController();
  const w = testTrust(data, () => {
    state.refused += 1;
    stop.abort(new Error('killed'));
  });
  const { clock, store, kill } = w;
  const connection = w.connection();
  const allowlist = createAllowlist({
    store, clock,
    permissions: { contains: async () => true, remove: async () => true },
    badge: async () => undefined, openPopup: async () => undefined, uuid: () => 'u', mayAllow: async () => true, log: () => undefined,
  });
  let cid = 0;
  const confirmations = createConfirmations({
    clock, provider: { open: async () => 1, close: async () => undefined }, cid: () => `c${++cid}`, log: () => undefined,
  });
  const handlers = createHandlers({
    ...w,
    link: { connect: () => undefined, wake: () => undefined, current: () => (state.up ? connection : null), lastError: () => state.error, served: () => state.served },
    allowlist, confirmations, confined: () => null, identityOk: () => true, version: () => '0.1.0',
  });
  const ask = (detail: string) =>
    outcome(confirmations.confirm(
      { kind: 'click', tool: 'page_click', origin: 'https://a', tabTitle: '', detail, timeoutMs: 1_000 }, stop.signal));
  return { ...w, connection, state, confirmations, handlers, ask };
}

describe('get_status', () => {
  it('tells port, state and versions', async () => {
    const { handlers } = setUp();
    expect(await handlers.get_status({ type: 'get_status' })).toEqual({
      port: { state: 'up', error: null, hostMissing: false, served: false },
      serving: 'unpaired',
      blocked: null,
      pairingPending: false,
      identityOk: true,
      storageOk: true,
      kill: { state: 'none', at: null, latched: false, pending: false },
      versions: { extension: '0.1.0', protocol: 1 },
    });
  });

  it('tells that a server was heard through this port', async () => {
    const w = setUp();
    w.state.served = true;
    expect((await w.handlers.get_status({ type: 'get_status' })).port.served).toBe(true);
  });

  it('names a host that is missing, and no other loss', async () => {
    const w = setUp();
    w.state.up = false;
    w.state.error = 'Specified native messaging host not found.';
    expect((await w.handlers.get_status({ type: 'get_status' })).port).toEqual({ state: 'down', error: w.state.error, hostMissing: true, served: false });
    w.state.error = 'Native host has exited.';
    expect((await w.handlers.get_status({ type: 'get_status' })).port.hostMissing).toBe(false);
  });

  it('tells why it is blocked', async () => {
    const { handlers } = setUp({ enclaveEverPinned: true });
    expect(await handlers.get_status({ type: 'get_status' })).toMatchObject({ serving: 'blocked', blocked: 'pin_lost' });
    expect(await handlers.get_enrollment({ type: 'get_enrollment' })).toEqual({
      serving: 'blocked', blocked: 'pin_lost', pin: null, pending: null, lastVerifiedAt: null, lastError: null, revokePending: false,
    });
  });
});

describe('the kill switch', () => {
  it('is engaged from a page at once', async () => {
    const w = setUp();
    expect(await w.handlers.set_kill({ type: 'set_kill', on: true })).toMatchObject({ latched: true, pending: true });
    expect(w.connection.posted).toEqual([{ type: 'kill_engage' }]);
    expect(w.state.refused).toBe(1);
  });

  it('drops the request that would release it', async () => {
    const w = setUp();
    const request = { type: 'presence_request', challenge: 'A'.repeat(43), nonce: 'n', action: 'release', allowed_credential_ids: [] };
    w.presence.onFrame(request, w.connection);
    expect(await w.handlers.webauthn_presence_pending({ type: 'webauthn_presence_pending' })).toMatchObject({ nonce: 'n' });
    await w.handlers.set_kill({ type: 'set_kill', on: true });
    expect(await w.handlers.webauthn_presence_pending({ type: 'webauthn_presence_pending' })).toBeNull();
  });

  it('without a port is pending, and says so', async () => {
    const w = setUp();
    w.state.up = false;
    w.connection.drop();
    expect(await w.handlers.set_kill({ type: 'set_kill', on: true })).toMatchObject({ latched: true, pending: true });
    expect(w.connection.posted).toEqual([]);
  });
});

describe('deny and kill', () => {
  it('denies the window that is open, refuses the queue unseen, and posts the engage', async () => {
    const w = setUp();
    const open = w.ask('a');
    const queued = w.ask('b');
    await settle();
    expect(await w.handlers.confirm_deny_kill({ type: 'confirm_deny_kill', id: 'c1' })).toMatchObject({ latched: true });
    expect(await open).toMatchObject({ error: { code: 'USER_DENIED' } });
    expect(await queued).toMatchObject({ error: { message: 'killed' } });
    expect(w.connection.posted).toEqual([{ type: 'kill_engage' }]);
  });

  it('by an older id engages too, and approves nothing', async () => {
    const w = setUp();
    const open = w.ask('a');
    await settle();
    await w.handlers.confirm_deny_kill({ type: 'confirm_deny_kill', id: 'c0' });
    expect(w.connection.posted).toEqual([{ type: 'kill_engage' }]);
    expect(await open).toMatchObject({ error: { message: 'killed' } });
  });
});

describe('confirmation messages', () => {
  it('hand out the active payload, and are gone for any other id', async () => {
    const w = setUp();
    const open = w.ask('a');
    await settle();
    expect(await w.handlers.confirm_ready({ type: 'confirm_ready', id: 'c1' })).toMatchObject({ state: 'shown', payload: { detail: 'a' } });
    expect(await w.handlers.confirm_ready({ type: 'confirm_ready', id: 'c2' })).toEqual({ state: 'gone' });
    expect(() => w.handlers.confirm_resolve({ type: 'confirm_resolve', id: 'c2', approved: true })).toThrow('no longer pending');
    w.handlers.confirm_resolve({ type: 'confirm_resolve', id: 'c1', approved: true });
    expect(await open).toEqual({ value: undefined });
  });
});

describe('pairing, policy and language', () => {
  it('tell what waits, what is pinned and what failed', async () => {
    const key = await newKey();
    const w = setUp({ enclavePending: { keyId: key.keyId, pubkeyB64: key.pubkeyB64, at: 5 }, enclaveLastError: { reason: 'keychain_error', at: 4 } });
    expect(await w.handlers.get_status({ type: 'get_status' })).toMatchObject({ serving: 'unpaired', pairingPending: true });
    expect(await w.handlers.get_enrollment({ type: 'get_enrollment' })).toEqual({
      serving: 'unpaired', blocked: null, pin: null, pending: { keyId: key.keyId, at: 5 }, lastVerifiedAt: null,
      lastError: { reason: 'keychain_error', at: 4 }, revokePending: false,
    });
    expect(await w.handlers.enroll_approve({ type: 'enroll_approve', keyId: key.keyId })).toBeNull();
    expect(await w.handlers.get_enrollment({ type: 'get_enrollment' })).toMatchObject({ serving: 'preCutover', pin: { keyId: key.keyId, at: 1_000_000 }, pending: null, lastError: null });
    expect(await w.handlers.enroll_revoke({ type: 'enroll_revoke' })).toBeNull();
    expect(await w.handlers.get_enrollment({ type: 'get_enrollment' })).toMatchObject({ blocked: 'revoked', pin: null, revokePending: true });
  });

  it('show the policy that is in force, and none while blocked', async () => {
    const key = await newKey();
    const w = setUp(key.pin());
    const policy = () => w.handlers.get_policy({ type: 'get_policy' });
    expect(await policy()).toMatchObject({ serving: 'preCutover', revision: null, effective: { pageEvalEnabled: false }, refused: null });
    await w.say(await key.push({ revision: 2, touched: ['pageEvalEnabled'], fields: { pageEvalEnabled: true } }));
    expect(await policy()).toMatchObject({ serving: 'active', revision: 2, effective: { pageEvalEnabled: true } });
    await w.say(await key.push({ revision: 3, fields: { pageEvalEnabled: true, evalMask: false } }));
    expect(await policy()).toMatchObject({ revision: 2, refused: { fields: ['evalMask'], heal: { evalMask: false }, error: expect.stringContaining('evalMask') } });
    await w.say({ type: 'enclave_revoked' });
    expect(await policy()).toMatchObject({ serving: 'blocked', blocked: 'compromised', effective: null, revision: null });
  });

  it('hand an answer of an authenticator on, without what is the message', async () => {
    const w = setUp();
    const tap = { credentialId: 'A'.repeat(22), authenticatorData: 'AAAA', clientDataJson: 'BBBB', signature: 'CCCC' };
    w.presence.onFrame({ type: 'presence_request', challenge: 'A'.repeat(43), nonce: 'n', action: 'x', allowed_credential_ids: [tap.credentialId] }, w.connection);
    const answered = w.handlers.webauthn_presence_assert({ type: 'webauthn_presence_assert', nonce: 'n', ...tap });
    expect(w.connection.posted).toEqual([
      { type: 'presence_assert', credential_id: tap.credentialId, authenticator_data: 'AAAA', client_data_json: 'BBBB', signature: 'CCCC' },
    ]);
    await w.say({ type: 'presence_result', ok: true });
    expect(await answered).toBeNull();
  });

  it('keep a language here where there is nobody to tell', async () => {
    const w = setUp();
    expect(await w.handlers.lang_choose({ type: 'lang_choose', value: 'zh_TW' })).toEqual({ sent: false });
    expect(w.store.data.uiLanguage).toBe('zh_TW');
  });
});
