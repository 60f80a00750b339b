// @vitest-environment jsdom
import { act } from 'react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { deferred } from '../../src/async';
import type { AllowlistView, PendingAllowView, StatusView } from '../../src/messages';
import { REACH_MS } from '../../src/ui/ask';
import { Popup } from '../../src/ui/popup';
import { fake, kill, list, no, ok, pairing, report, status } from './browser';
import { all, button, click, freshPages, one, pass, settle, show, text } from './page';

vi.mock('../../src/browser/runtime', async () => (await import('./browser')).runtime);
vi.mock('../../src/browser/storage', async () => (await import('./browser')).storage);
vi.mock('../../src/browser/permissions', async () => (await import('./browser')).permissions);
vi.mock('../../src/browser/i18n', async () => (await import('./browser')).i18n);

freshPages();

const waiting = (id: string, glob: string, ms = 60_000): PendingAllowView => ({
  id,
  glob,
  expiresAt: Date.now() + ms,
  permission: glob.replace(/:\d+\/\*$/, '/*'),
});

async function open(is: Partial<StatusView> = {}, sites: Partial<AllowlistView> = {}): Promise<void> {
  fake.answers.get_status = ok(status(is));
  fake.answers.get_allowlist = ok(list(sites));
  await show(Popup);
  fake.log.length = 0;
}

beforeEach(() => {
  fake.answers.get_enrollment = ok(pairing());
  fake.answers.resolve_allow = ok(null);
  fake.answers.sweep_pending = ok(null);
  fake.answers.set_kill = ok(kill({ latched: true, pending: true }));
});

const pill = (): string => one('[role=status]').textContent ?? '';

describe('a site that waits', () => {
  it('is shown as its exact entry, before the allowed sites', async () => {
    await open({}, { pending: [waiting('a', 'https://new.example:8443/*')], entries: [{ glob: 'https://old.example/*', held: true }] });
    expect(pill()).toBe('Needs you');
    expect(one('.entry').textContent).toBe('https://new.example:8443/*');
    expect(button('site-allow').textContent).toBe('Allow on new.example:8443');
    expect(one('.card.wait').compareDocumentPosition(one('.sites')) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  });

  it('Allow tells the worker, then asks the browser, for the entry without its port', async () => {
    await open({}, { pending: [waiting('a', 'https://new.example:8443/*')] });
    await click(button('site-allow'));
    expect(fake.log).toEqual([{ type: 'resolve_allow', id: 'a', allow: true }, { asked: 'https://new.example/*' }]);
  });

  it('both happen in the click itself, before any answer', async () => {
    fake.answers.resolve_allow = new Promise(() => undefined);
    await open({}, { pending: [waiting('a', 'https://new.example/*')] });
    act(() => button('site-allow').dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 })));
    expect(fake.log).toEqual([{ type: 'resolve_allow', id: 'a', allow: true }, { asked: 'https://new.example/*' }]);
  });

  it('a refusal in the browser\'s prompt is a denial', async () => {
    await open({}, { pending: [waiting('a', 'https://new.example/*')] });
    const prompt = deferred<boolean>();
    fake.prompt = prompt.promise;
    await click(button('site-allow'));
    expect(fake.sent('resolve_allow')).toEqual([{ type: 'resolve_allow', id: 'a', allow: true }]);
    prompt.resolve(false);
    await settle();
    expect(fake.sent('resolve_allow')).toEqual([
      { type: 'resolve_allow', id: 'a', allow: true },
      { type: 'resolve_allow', id: 'a', allow: false },
    ]);
  });

  it('a prompt that never came is no denial', async () => {
    fake.prompt = new Error('This function must be called during a user gesture');
    await open({}, { pending: [waiting('a', 'https://new.example/*')] });
    fake.prompt = new Error('This function must be called during a user gesture');
    await click(button('site-allow'));
    expect(fake.sent('resolve_allow')).toHaveLength(1);
    expect(one('.card.wait [role=alert]').textContent).toBe('The browser did not ask, so nothing is decided: This function must be called during a user gesture');
  });

  it('what the worker says against it is shown', async () => {
    fake.answers.resolve_allow = no('this request is no longer pending');
    await open({}, { pending: [waiting('a', 'https://new.example/*')] });
    await click(button('site-allow'));
    expect(one('.card.wait [role=alert]').textContent).toBe('this request is no longer pending');
  });

  it('Deny denies, and asks the browser nothing', async () => {
    await open({}, { pending: [waiting('a', 'https://new.example/*')] });
    await click(button('site-deny'));
    expect(fake.log).toEqual([{ type: 'resolve_allow', id: 'a', allow: false }]);
  });

  it('the second half of a double click answers nothing', async () => {
    await open({}, { pending: [waiting('a', 'https://new.example/*')] });
    await click(button('site-allow'), { detail: 2 });
    expect(fake.log).toEqual([]);
    await click(button('site-allow'), { detail: 0 });
    expect(fake.sent('resolve_allow')).toHaveLength(1);
  });

  it('is hidden past its end, without a word from the worker', async () => {
    await open({}, { pending: [waiting('gone', 'https://gone.example/*', 0), waiting('a', 'https://new.example/*', 10_000)] });
    expect(all('.entry').map((e) => e.textContent)).toEqual(['https://new.example/*']);
    expect(one('[role=timer]').textContent).toBe('10 s left');
    await pass(9_000);
    expect(one('[role=timer]').textContent).toBe('1 s left');
    await pass(1_000);
    expect(all('.entry')).toEqual([]);
    expect(pill()).toBe('Connected');
    expect(fake.log).toEqual([]);
  });

  it.each([kill({ state: 'unknown' }), kill({ state: 'none', at: null })])('cannot be allowed while the switch is %j, but denied', async (view) => {
    await open({ kill: view }, { pending: [waiting('a', 'https://new.example/*')] });
    expect(button('site-allow').disabled).toBe(true);
    expect(text()).toContain('only while the kill switch is known to be off');
    await click(button('site-deny'));
    expect(fake.log).toEqual([{ type: 'resolve_allow', id: 'a', allow: false }]);
  });

  it('of several the oldest has the focus on Deny; it moves on, and is taken from nobody', async () => {
    const both = [waiting('a', 'https://one.example/*'), waiting('b', 'https://two.example/*')];
    await open({}, { pending: both });
    const denies = all('[data-act="site-deny"]');
    expect(document.activeElement).toBe(denies[0]);
    expect(denies.map((d) => d.getAttribute('aria-label'))).toEqual(['Deny https://one.example/*', 'Deny https://two.example/*']);
    fake.answers.get_allowlist = ok(list({ pending: both.slice(1) }));
    await act(async () => fake.changed('pendingAllow'));
    await settle();
    expect(document.activeElement).toBe(button('site-deny'));
    button('settings').focus();
    fake.answers.get_allowlist = ok(list({ pending: [waiting('c', 'https://three.example/*')] }));
    await act(async () => fake.changed('pendingAllow'));
    await settle();
    expect(document.activeElement).toBe(button('settings'));
  });

  it('with a long host shows its end on the button, and all of it above', async () => {
    const glob = `https://${'your-bank.example.'.repeat(5)}attacker.example/*`;
    await open({}, { pending: [waiting('a', glob)] });
    expect(button('site-allow').textContent).toBe('Allow on …\u2060.example.attacker.example');
    expect(one('.entry').textContent).toBe(glob);
  });
});

describe('what is shown', () => {
  it('asks for what it shows, and again after changes that concern it, and not by the clock', async () => {
    fake.answers.get_status = ok(status());
    fake.answers.get_allowlist = ok(list());
    await show(Popup);
    const all = [{ type: 'get_status' }, { type: 'get_allowlist' }, { type: 'get_enrollment' }, { type: 'get_doctor' }];
    expect(fake.log).toEqual(all);
    for (const changed of ['pendingAllow', 'allowlist', 'bridgePort', 'bridgeKillMirror', 'enclavePin', 'enclavePending', 'enclaveCompromised', 'enclavePairingPaused']) {
      fake.log.length = 0;
      await act(async () => fake.changed(changed));
      await settle();
      expect(fake.log, changed).toEqual(all);
    }
    fake.log.length = 0;
    await act(async () => fake.changed('auditRing', 'settingsVersion'));
    await pass(600_000);
    expect(fake.log).toEqual([]);
  });

  it('is the answer to the last question, though an older one comes later', async () => {
    const old = deferred<ReturnType<typeof ok>>();
    fake.answers.get_allowlist = ok(list());
    fake.answers.get_status = old.promise;
    await show(Popup);
    expect(pill()).toBe('Checking');
    fake.answers.get_status = ok(status({ kill: kill({ state: 'killed' }) }));
    await act(async () => fake.changed('bridgeKillMirror'));
    await settle();
    expect(pill()).toBe('Killed');
    old.resolve(ok(status()));
    await settle();
    expect(pill()).toBe('Killed');
  });

  it('hands a record that makes no sense to the worker, and writes nothing', async () => {
    fake.stored.pendingAllow = [{ id: 'a', glob: 'https://a.example/*', expiresAt: 5 }];
    fake.answers.get_status = ok(status());
    fake.answers.get_allowlist = ok(list());
    await show(Popup);
    expect(fake.sent('sweep_pending')).toEqual([]);
    fake.stored.pendingAllow = [{ id: 'a', glob: 'not an entry', expiresAt: 5 }];
    await act(async () => fake.changed('pendingAllow'));
    await settle();
    expect(fake.sent('sweep_pending')).toEqual([{ type: 'sweep_pending' }]);
    expect(fake.log.filter((m) => (m as { wrote?: unknown }).wrote)).toEqual([]);
  });

  it('killed: the way to release it and nothing to press but Settings', async () => {
    await open({ kill: kill({ state: 'killed' }) }, { pending: [waiting('a', 'https://new.example/*')], entries: [{ glob: 'https://a.example/*', held: true }] });
    expect(pill()).toBe('Killed');
    expect(text()).toContain('genkan unkill');
    expect(all('button').map((b) => b.dataset.act)).toEqual(['settings']);
  });

  it('killed here, not confirmed yet: says so', async () => {
    await open({ kill: kill({ latched: true, pending: true }) });
    expect(text()).toContain('The host has not confirmed yet');
  });

  it.each([
    [{ serving: 'blocked', blocked: 'compromised' }, 'The host failed to prove its key'],
    [{ serving: 'blocked', blocked: 'pin_lost' }, 'The pairing record is gone or damaged'],
    [{ serving: 'blocked', blocked: 'rejected' }, 'You rejected the host'],
    [{ serving: 'blocked', blocked: 'revoked' }, 'You took the pairing back'],
    [{ serving: 'blocked', blocked: 'policy_corrupt' }, 'The stored policy is damaged'],
    [{ identityOk: false }, 'This build carries the wrong key'],
    [{ storageOk: false }, 'lock its storage away'],
  ] as [Partial<StatusView>, string][])('blocked by %j: what happened', async (is, sentence) => {
    await open(is, { pending: [waiting('a', 'https://new.example/*')] });
    expect(pill()).toBe('Blocked');
    expect(text()).toContain(sentence);
    expect(all('[data-act="site-allow"]')).toEqual([]);
  });

  it('offline: the browser\'s reason, and the repair only where no host was found', async () => {
    await open({ port: { state: 'down', error: 'Native host has exited.', hostMissing: false, served: false } });
    expect(pill()).toBe('Offline');
    expect(text()).toContain('The browser says: Native host has exited.');
    expect(text()).not.toContain('doctor');
    fake.answers.get_status = ok(status({ port: { state: 'down', error: 'Specified native messaging host not found.', hostMissing: true, served: false } }));
    await act(async () => fake.changed('bridgeKillMirror'));
    await settle();
    expect(text()).toContain('genkan doctor --fix');
  });

  it('says connected and live only after an answer from the server itself', async () => {
    const answer = deferred<ReturnType<typeof ok>>();
    fake.answers.get_doctor = answer.promise;
    await open({ serving: 'active' });
    expect(pill()).toBe('Checking');
    expect(all('.hop').map((h) => h.className)).toEqual(['hop mute', 'hop mute', 'hop mute']);
    answer.resolve(ok(report()));
    await settle();
    expect(pill()).toBe('Live');
  });

  it.each([
    ['not reachable', 'Unverified', 'The server does not answer', ['server does not answer', 'connected', 'not connected']],
    ['not probed', 'Offline', 'No server runs', ['no server', 'connected', 'not connected']],
  ])('server %s: %s, and names it', async (value, wanted, title, states) => {
    fake.answers.get_doctor = ok(report({ mcp_server: { value, details: ['it did not answer within 1000 ms'] }, healthy: false }));
    await open({ serving: 'active' });
    expect(pill()).toBe(wanted);
    expect(text()).toContain(title);
    expect(text()).toContain('it did not answer within 1000 ms');
    expect(all('.hop span').map((h) => h.textContent)).toEqual(states);
  });

  it('a host that does not answer is given five seconds, then named; what it says later is not news', async () => {
    const answer = deferred<ReturnType<typeof ok>>();
    fake.answers.get_doctor = answer.promise;
    await open();
    await pass(REACH_MS - 1);
    expect(pill()).toBe('Checking');
    await pass(1);
    expect(pill()).toBe('Unverified');
    expect(text()).toContain('The host does not answer');
    answer.resolve(ok(report()));
    await settle();
    expect(pill()).toBe('Unverified');
    fake.answers.get_doctor = ok(report());
    await act(async () => fake.changed('bridgePort'));
    await settle();
    expect(pill()).toBe('Connected');
    expect(text()).not.toContain('does not answer');
  });

  it.each(['not-connected', 'busy'])('a host that cannot be asked yet (%s) is asked again', async (refusal) => {
    fake.answers.get_doctor = no(refusal);
    await open();
    expect(pill()).toBe('Checking');
    fake.answers.get_doctor = ok(report());
    await pass(300);
    expect(pill()).toBe('Connected');
  });

  it('unpaired: one line and the way to pairing', async () => {
    await open();
    expect(text()).toContain('Works with safe defaults.');
    expect(one('a').getAttribute('href')).toBe('/options.html#pairing');
    fake.answers.get_status = ok(status({ serving: 'active' }));
    await act(async () => fake.changed('bridgePolicyState'));
    await settle();
    expect(all('a')).toEqual([]);
  });

  it('a fingerprint that waits, below the sites that wait', async () => {
    fake.answers.get_enrollment = ok(pairing({ pending: { keyId: 'ab12'.repeat(16), at: 0 } }));
    await open({ pairingPending: true }, { pending: [waiting('a', 'https://new.example/*')] });
    const [site, key] = all('.card.wait');
    expect(site?.textContent).toContain('new.example');
    expect(key?.querySelectorAll('.fingerprint span')).toHaveLength(16);
  });

  it('no answer: says so', async () => {
    fake.answers.get_status = no('Receiving end does not exist.');
    fake.answers.get_allowlist = no('Receiving end does not exist.');
    await show(Popup);
    expect(pill()).toBe('Checking');
    expect(one('.alert').textContent).toBe('The extension does not answer: Receiving end does not exist.');
  });
});

describe('what can be done', () => {
  it('the kill switch is engaged by one click, and the page asks what came of it', async () => {
    await open();
    await click(button('kill'));
    expect(fake.log).toEqual([{ type: 'set_kill', on: true }, { type: 'get_status' }, { type: 'get_doctor' }]);
  });

  it('a failed engage is told', async () => {
    fake.answers.set_kill = no('no receiver');
    await open();
    await click(button('kill'));
    expect(one('.alert').textContent).toBe('no receiver');
  });

  it('a site is removed, and a permission that stayed is told', async () => {
    await open({}, { entries: [{ glob: 'https://a.example/*', held: false }] });
    expect(text()).toContain('permission is gone');
    fake.answers.remove_allow = ok({ permissionRemoved: false, permissionError: 'policy' });
    await click(button('site-remove'));
    expect(fake.log).toEqual([{ type: 'remove_allow', glob: 'https://a.example/*' }]);
    expect(one('.alert').textContent).toBe('https://a.example/* is removed, but the browser kept its permission: policy');
    expect(document.activeElement).toBe(one('.sites'));
  });

  it('Settings opens the options page', async () => {
    await open();
    await click(button('settings'));
    expect(fake.log).toEqual([{ opened: 'options' }]);
  });
});

describe('pairing', () => {
  const key = { keyId: 'ab12'.repeat(16), at: 0 };

  it('a fingerprint that waits is answered here, Reject having the focus', async () => {
    fake.answers.get_enrollment = ok(pairing({ pending: key }));
    fake.answers.enroll_approve = ok(null);
    fake.answers.enroll_reject = ok(null);
    await open({ pairingPending: true });
    expect(pill()).toBe('Pair');
    expect(all('.fingerprint span')).toHaveLength(16);
    expect(document.activeElement).toBe(button('pair-reject'));
    expect(button('pair-reject').className).toBe('filled');
    expect(text()).toContain('Reject stops all tools');
    await click(button('pair-approve'));
    await click(button('pair-reject'));
    expect(fake.log).toEqual([{ type: 'enroll_approve', keyId: key.keyId }, { type: 'enroll_reject' }]);
  });

  it('a site that waits keeps the focus', async () => {
    fake.answers.get_enrollment = ok(pairing({ pending: key }));
    await open({ pairingPending: true }, { pending: [waiting('a', 'https://new.example/*')] });
    expect(document.activeElement).toBe(button('site-deny'));
  });

  it('blocked: the fingerprint that waits is the way out', async () => {
    fake.answers.get_enrollment = ok(pairing({ serving: 'blocked', blocked: 'rejected', pending: key }));
    await open({ serving: 'blocked', blocked: 'rejected', pairingPending: true });
    expect(pill()).toBe('Blocked');
    expect(button('pair-approve').disabled).toBe(false);
    expect(all('[data-act="pair"]')).toEqual([]);
  });

  it.each([
    ['pin_lost', ['Pair again']],
    ['compromised', ['Pair again']],
    ['revoked', ['Pair again']],
    ['policy_corrupt', ['Pair again']],
    ['unreadable', []],
  ] as const)('blocked by %s offers %j', async (blocked, offered) => {
    fake.answers.get_enrollment = ok(pairing({ serving: 'blocked', blocked }));
    await open({ serving: 'blocked', blocked });
    expect(all('[data-act="pair"]').map((b) => b.textContent)).toEqual(offered);
  });

  it('pairing again that failed says why', async () => {
    fake.answers.get_enrollment = ok(pairing({ serving: 'blocked', blocked: 'pin_lost' }));
    fake.answers.enroll_pair = no('not_enrolled');
    await open({ serving: 'blocked', blocked: 'pin_lost' });
    await click(button('pair'));
    expect(fake.log).toEqual([{ type: 'enroll_pair' }]);
    expect(text()).toContain('The host has no key yet.');
  });

  it('a build with the wrong key offers no pairing', async () => {
    await open({ identityOk: false });
    expect(all('[data-act="pair"]')).toEqual([]);
  });
});
