// @vitest-environment jsdom
import type { RegistrationRow } from '@contract/frames';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { StatusView } from '../../src/messages';
import { Options } from '../../src/ui/options';
import { anchorOf } from '../../src/ui/panels/clients';
import { fake, kill, list, no, ok, pairing, report, request, status } from './browser';
import { all, button, click, freshPages, one, pass, settle, show, submit, text, type } from './page';

vi.mock('../../src/browser/runtime', async () => (await import('./browser')).runtime);
vi.mock('../../src/browser/storage', async () => (await import('./browser')).storage);
vi.mock('../../src/browser/permissions', async () => (await import('./browser')).permissions);
vi.mock('../../src/browser/i18n', async () => (await import('./browser')).i18n);

freshPages();

const HASH = 'ab12'.repeat(16);
const down = { state: 'down', error: 'gone', hostMissing: false, served: false } as const;

async function open(is: Partial<StatusView> = {}): Promise<void> {
  fake.answers.get_status = ok(status(is));
  await show(Options);
  fake.log.length = 0;
}

beforeEach(() => {
  fake.answers.get_allowlist = ok(list());
  fake.answers.get_enrollment = ok(pairing());
  fake.answers.get_clients = ok({ enrolled: false, clients: [] });
  fake.answers.get_registration = ok([]);
  fake.answers.get_doctor = ok(report());
  fake.answers.get_audit = ok([]);
  fake.answers.get_host_audit = ok({ entries: [], older: 0, path: '/state/audit.log' });
  fake.answers.webauthn_presence_pending = ok(null);
});

const alertOf = (id: string): string => all(`#${id} [role="alert"]`).map((e) => e.textContent).join('');
const said = (): string => one('main > [role="status"]').textContent ?? '';

describe('the kill switch', () => {
  it.each([
    ['alive', {}, 'Off', 'Tools run'],
    ['last known', { port: down }, 'Last known: off', 'The host is away'],
    ['killed', { kill: kill({ state: 'killed' }) }, 'Engaged', 'No tool runs'],
    ['unreadable', { kill: kill({ state: 'unknown' }) }, 'Not known', 'cannot say'],
    ['severed', { port: down, kill: kill({ state: 'killed' }) }, 'Engaged', 'the host is away'],
    ['not confirmed', { kill: kill({ latched: true, pending: true }) }, 'Engaged', 'has not confirmed yet'],
    ['never told', { kill: kill({ state: 'none', at: null }) }, 'Not known', 'No host has said'],
  ] as [string, Partial<StatusView>, string, string][])('%s', async (_, is, pill, sentence) => {
    await open(is);
    expect(one('#kill .pill').textContent).toBe(pill);
    expect(one('#kill').textContent).toContain(sentence);
  });

  it('is released through a confirmation alone', async () => {
    await open({ kill: kill({ state: 'killed' }) });
    fake.answers.kill_release = ok({ state: 'presence', request: request() });
    fake.answers.webauthn_presence_confirm = ok(null);
    await click(button('kill-release'));
    expect(fake.log).toEqual([{ type: 'kill_release' }]);
    expect(one<HTMLDialogElement>('dialog').open).toBe(true);
    expect(one('.act').textContent).toBe('release the kill switch');
    await pass(600);
    await click(button('presence-confirm'));
    expect(fake.log[1]).toEqual({ type: 'webauthn_presence_confirm', nonce: 'n1' });
    expect(all('dialog')).toEqual([]);
    expect(said()).toBe('Done: release the kill switch');
    expect(fake.sent('get_status')).toHaveLength(1);
  });

  it('that was released already is looked at again', async () => {
    await open({ kill: kill({ state: 'killed' }) });
    fake.answers.kill_release = ok({ state: 'done', kill: kill() });
    await click(button('kill-release'));
    expect(all('dialog')).toEqual([]);
    expect(fake.sent('get_status')).toHaveLength(1);
  });

  it('a refusal is said in its sentence', async () => {
    await open({ kill: kill({ state: 'killed' }) });
    fake.answers.kill_release = no('store_error: trust.json is no JSON');
    await click(button('kill-release'));
    expect(alertOf('kill')).toBe('The host could not read or write its trust record. trust.json is no JSON');
  });

  it('is not released without a host, which is looked for', async () => {
    await open({ port: down, kill: kill({ state: 'killed' }) });
    expect(button('kill-release').disabled).toBe(true);
    fake.answers.get_status = ok(status({ kill: kill({ state: 'killed' }) }));
    await pass(2_000);
    expect(button('kill-release').disabled).toBe(false);
    // Released elsewhere: there is nothing to look for any more.
    fake.answers.get_status = ok(status());
    await pass(2_000);
    fake.log.length = 0;
    await pass(10_000);
    expect(fake.log).toEqual([]);
  });

  it('that could not be released is looked at again', async () => {
    await open({ kill: kill({ state: 'killed' }) });
    fake.answers.kill_release = no('not-connected');
    await click(button('kill-release'));
    expect(fake.log.map((m) => (m as { type: string }).type)).toEqual(['kill_release', 'get_status']);
    expect(alertOf('kill')).toBe('The host is not connected.');
  });
});

describe('the confirmation', () => {
  it('waits in the worker for a page to show it', async () => {
    fake.answers.webauthn_presence_pending = ok(request({ action: 'trust client desk (hash <b>\u202e)' }));
    await open();
    expect(one('.act').textContent).toBe('trust client desk (hash <b>U+202E)');
    expect(document.activeElement).toBe(button('presence-deny'));
    expect(one('dialog [role="alert"]').textContent).toBe('');
  });

  it('is armed after 600 ms', async () => {
    fake.answers.webauthn_presence_pending = ok(request());
    await open();
    await pass(599);
    expect(button('presence-confirm').disabled).toBe(true);
    await pass(1);
    expect(button('presence-confirm').disabled).toBe(false);
  });

  it('that was cancelled is not shown again, another one is', async () => {
    fake.answers.webauthn_presence_pending = ok(request());
    await open();
    await click(button('presence-deny'));
    expect(fake.log).toEqual([]);
    window.dispatchEvent(new Event('focus'));
    await settle();
    expect(all('dialog')).toEqual([]);
    fake.answers.webauthn_presence_pending = ok(request({ nonce: 'n2', action: 'another' }));
    window.dispatchEvent(new Event('focus'));
    await settle();
    expect(one('.act').textContent).toBe('another');
  });

  it('Esc cancels', async () => {
    fake.answers.webauthn_presence_pending = ok(request());
    await open();
    const cancel = new Event('cancel', { cancelable: true });
    one('dialog').dispatchEvent(cancel);
    await settle();
    expect([cancel.defaultPrevented, all('dialog').length]).toEqual([true, 0]);
  });

  it('a refusal ends it', async () => {
    fake.answers.webauthn_presence_pending = ok(request());
    fake.answers.webauthn_presence_confirm = no('software_confirmation_not_allowed: use `genkan unkill`');
    await open();
    await pass(600);
    await click(button('presence-confirm'));
    expect(one('dialog [role="alert"]').textContent).toBe('It was not done. A click is not enough for this here. use genkan unkill');
    expect(one('dialog [role="alert"] code').textContent).toBe('genkan unkill');
    expect(all('[data-act="presence-confirm"]')).toEqual([]);
    expect(document.activeElement).toBe(button('presence-deny'));
    await click(button('presence-deny'));
    expect(all('dialog')).toEqual([]);
    expect(said()).toBe('');
  });

  it('ends with its time', async () => {
    fake.answers.webauthn_presence_pending = ok(request({ expiresAt: Date.now() + 5_000 }));
    await open();
    expect(one('dialog [role="timer"]').textContent).toBe('5 s left');
    await pass(5_250);
    expect(all('[data-act="presence-confirm"]')).toEqual([]);
    expect(one('dialog [role="alert"]').textContent).toContain('Nothing was done');
  });
});

describe('trusted clients', () => {
  const client = { name: 'desk', anchor: { kind: 'hash', value: HASH }, added_unix: Date.UTC(2026, 0, 15, 12) / 1000 };

  it('without a list the door is open, and the page says so', async () => {
    await open();
    expect(one('#clients .pill').textContent).toBe('Open');
    expect(one('#clients').textContent).toContain('every MCP client that you start is admitted');
  });

  it('an empty list admits nobody', async () => {
    fake.answers.get_clients = ok({ enrolled: true, clients: [] });
    await open();
    expect(one('#clients').textContent).toContain('no client is admitted');
    expect(one('#clients').textContent).not.toContain('every MCP client that you start');
  });

  it('are listed with anchor and date, and revoked by name', async () => {
    fake.answers.get_clients = ok({ enrolled: true, clients: [client] });
    fake.answers.revoke_client = ok(null);
    await open();
    expect(one('#clients li').textContent).toMatch(new RegExp(`^deskAdded Jan 15, 2026File hash ${HASH}`));
    await click(button('client-revoke'));
    expect(fake.log[0]).toEqual({ type: 'revoke_client', name: 'desk' });
    expect(fake.sent('get_clients')).toHaveLength(1);
    expect(said()).toBe('desk is no longer admitted.');
  });

  it('tells why one was not revoked', async () => {
    fake.answers.get_clients = ok({ enrolled: true, clients: [client] });
    fake.answers.revoke_client = no('no client is called desk');
    await open();
    await click(button('client-revoke'));
    expect(alertOf('clients')).toBe('no client is called desk');
    expect(said()).toBe('');
  });

  async function fill(name: string, value: string, kind = 'hash'): Promise<void> {
    await type(one<HTMLInputElement>('#client-name'), name);
    await type(one<HTMLSelectElement>('#client-kind'), kind);
    await type(one<HTMLInputElement>('#client-value'), value);
    await submit('#clients');
  }

  it('are paired through a confirmation', async () => {
    fake.answers.pair_client = ok(request({ action: `trust client desk (hash ${HASH})` }));
    await open();
    await fill(' desk ', ` ${HASH.toUpperCase()} `);
    expect(fake.log[0]).toEqual({ type: 'pair_client', name: 'desk', anchor: { kind: 'hash', value: HASH } });
    expect(one('.act').textContent).toBe(`trust client desk (hash ${HASH})`);
    expect(one<HTMLInputElement>('#client-name').value).toBe('');
  });

  it('are paired at once where the host does not ask', async () => {
    fake.answers.pair_client = ok(null);
    await open();
    await fill('desk', 'Somebody', 'signer');
    expect(fake.log[0]).toEqual({ type: 'pair_client', name: 'desk', anchor: { kind: 'signer', value: 'Somebody' } });
    expect(said()).toBe('desk is admitted from now on.');
  });

  it.each([
    ['', HASH, 'hash', 'client-name', 'A name has'],
    ['-desk', HASH, 'hash', 'client-name', 'A name has'],
    ['x'.repeat(33), HASH, 'hash', 'client-name', 'A name has'],
    ['desk', '', 'hash', 'client-value', 'A hash has'],
    ['desk', 'ab', 'hash', 'client-value', 'A hash has'],
    ['desk', ' ', 'signer', 'client-value', 'A signer is'],
  ])('"%s" with "%s" as %s asks nobody', async (name, value, kind, field, sentence) => {
    await open();
    await fill(name, value, kind);
    expect(fake.log).toEqual([]);
    expect(alertOf('clients')).toContain(sentence);
    expect(all('#clients [aria-invalid="true"]').map((e) => e.id)).toEqual([field]);
  });

  it.each([
    ['hash', 'A'.repeat(40), { kind: 'hash', value: 'a'.repeat(40) }],
    ['hash', 'a'.repeat(39), 'clients.bad_hash'],
    ['hash', 'a'.repeat(41), 'clients.bad_hash'],
    ['hash', 'a'.repeat(64), { kind: 'hash', value: 'a'.repeat(64) }],
    ['hash', 'g'.repeat(64), 'clients.bad_hash'],
    ['signer', 'x'.repeat(512), { kind: 'signer', value: 'x'.repeat(512) }],
    ['signer', 'x'.repeat(513), 'clients.bad_signer'],
    ['signer', '\u00e9'.repeat(257), 'clients.bad_signer'],
    ['signer', 'a\u0007b', 'clients.bad_signer'],
  ] as const)('%s of %s', (kind, given, wanted) => {
    expect(anchorOf(kind, given)).toEqual(wanted);
  });
});

describe('registration', () => {
  const row = (which: RegistrationRow['browser'], state: RegistrationRow['state'], detected = true): RegistrationRow => ({ browser: which, detected, state, location: `/etc/${which}` });
  const rows = [
    row('chrome', { kind: 'stale', detail: 'old' }),
    row('chromium', { kind: 'ok' }),
    row('brave', { kind: 'missing' }),
    row('edge', { kind: 'foreign', detail: 'theirs' }),
    row('vivaldi', { kind: 'unreadable', detail: 'no JSON' }),
    row('opera', { kind: 'missing' }, false),
  ];

  beforeEach(() => {
    fake.answers.get_registration = ok(rows);
    fake.answers.repair_registration = ok(rows);
  });

  it('has a row for each browser', async () => {
    await open();
    expect(all('#registration li').map((li) => [li.querySelector('b')?.textContent, li.querySelector('.pill')?.textContent])).toEqual([
      ['Google Chrome', 'Out of date'],
      ['Chromium', 'Registered'],
      ['Brave', 'Missing'],
      ['Microsoft Edge', "Not genkan's"],
      ['Vivaldi', 'Unreadable'],
      ['Opera', 'Not installed'],
    ]);
    expect(one('#registration').textContent).toContain('theirs');
  });

  it('repairs one, all, and never what is not ours', async () => {
    await open();
    expect(all('#registration li [data-act]').map((b) => b.dataset.act)).toEqual(['repair-chrome', 'repair-brave', 'repair-opera']);
    await click(button('repair-brave'));
    expect(fake.log[0]).toEqual({ type: 'repair_registration', browsers: ['brave'] });
    expect(said()).toBe('The registration was written.');
    fake.log.length = 0;
    await click(button('repair-all'));
    expect(fake.log[0]).toEqual({ type: 'repair_registration' });
  });

  it('what failed is told, and the rows are asked for again', async () => {
    fake.answers.repair_registration = no('edge: the manifest is not of genkan');
    await open();
    await click(button('repair-all'));
    expect(alertOf('registration')).toContain('edge: the manifest is not of genkan');
    expect(fake.sent('get_registration')).toHaveLength(1);
  });
});

describe('the report', () => {
  const row = (value: string, ...details: string[]) => ({ value, details });
  const report = {
    version: '0.1.0',
    platform: 'linux x86_64',
    directories: row('/run/genkan', 'state: /state'),
    lock_file: row('present'),
    mcp_server: row('reachable'),
    kill_switch: row('off'),
    policy_baseline: row('revision 3', 'signed'),
    host_key: 'present, in a file',
    summary: 'everything is in place\u202e',
    healthy: true,
  };

  it.each([[true, 'Healthy'], [false, 'Needs attention']])('healthy: %s', async (healthy, pill) => {
    fake.answers.get_doctor = ok({ ...report, healthy });
    await open();
    expect(one('[data-act="doctor"] .pill').textContent).toBe(pill);
    expect(one('[data-act="doctor"]').textContent).toContain('everything is in placeU+202E');
    const rows = all('[data-act="doctor"] dl > div').map((e) => [e.querySelector('dt')?.textContent, e.querySelector('dd')?.textContent]);
    expect(rows).toEqual([
      ['Version', '0.1.0'],
      ['Platform', 'linux x86_64'],
      ['Directories', '/run/genkanstate: /state'],
      ['Lock file', 'present'],
      ['MCP server', 'reachable'],
      ['Kill switch', 'off'],
      ['Policy', 'revision 3signed'],
      ['Host key', 'present, in a file'],
    ]);
  });
});

describe('audit', () => {
  it('tells both trails apart, newest first as they came', async () => {
    fake.answers.get_audit = ok([{ at: 2_000, kind: 'confirm_denied', tool: 'page_click', detail: 'https://a.example', cid: 'c' }, { at: 1_000, kind: 'kill_engaged' }]);
    fake.answers.get_host_audit = ok({
      entries: [
        { entry: 'record', ts_ms: 2_000, kind: 'tool_call', fields: { surface: 'broker', tool: 'tab_list', outcome: 'ok', dur_ms: 3 } },
        { entry: 'unrecognized', text: '{"v":9}' },
        { entry: 'record', ts_ms: 1, kind: 'from_the_future', fields: { outcome: 'perhaps', more: { deep: [1] } } },
      ],
      older: 7,
      path: '/state/audit.log',
    });
    await open();
    const rows = (name: string) => all(`#audit .trail[aria-label="${name}"] li`).map((li) => li.textContent ?? '');
    expect(rows('This browser')).toEqual([expect.stringMatching(/Confirmation deniedpage_clickhttps:\/\/a\.examplecid c$/), expect.stringMatching(/Kill switch engaged here$/)]);
    expect(rows('This machine')).toEqual([
      expect.stringMatching(/Tool calleddonetab_listdur_ms 3$/),
      'Not recognised{"v":9}',
      expect.stringMatching(/from_the_futureperhapsmore \{"deep":\[1\]\}$/),
    ]);
    expect(one('#audit').textContent).toContain('7 older records are not shown; they are in /state/audit.log');
  });

  it('says where all records are when none was left out, and when there are none', async () => {
    await open();
    expect(one('#audit').textContent).toContain('All records are in /state/audit.log');
    expect(one('#audit').textContent).toContain('The host has recorded nothing yet.');
  });

  it('a time beyond the calendar is shown as it came', async () => {
    fake.answers.get_host_audit = ok({ entries: [{ entry: 'record', ts_ms: 9e15, kind: 'tool_call', fields: {} }], older: 0, path: '/a' });
    await open();
    expect(one('#audit .trail time').textContent).toBe('9000000000000000');
  });

  it('follows the ring, and asks anew on demand', async () => {
    await open();
    fake.changed('auditRing');
    await settle();
    expect(fake.log).toEqual([{ type: 'get_audit' }]);
    fake.log.length = 0;
    await click(button('audit-refresh'));
    expect(fake.log).toEqual([{ type: 'get_audit' }, { type: 'get_host_audit' }]);
  });
});

describe('what the host is asked', () => {
  const QUESTIONS = ['get_clients', 'get_registration', 'get_host_audit'];

  it('is nothing while it is away', async () => {
    fake.answers.get_status = ok(status({ port: down }));
    await show(Options);
    for (const question of QUESTIONS) expect(fake.sent(question), question).toEqual([]);
    expect(text()).toContain('The host is not connected.');
    expect(all('[data-act="repair-all"]')).toEqual([]);
  });

  it('is asked again while the host has not spoken yet, then told', async () => {
    fake.answers.get_clients = no('not-connected');
    await open();
    expect(alertOf('clients')).toBe('');
    await pass(1_000);
    expect(fake.sent('get_clients')).toHaveLength(1);
    for (let i = 0; i < 6; i++) await pass(1_000);
    expect(fake.sent('get_clients')).toHaveLength(5);
    expect(alertOf('clients')).toBe('The host is not connected.');
    fake.answers.get_clients = ok({ enrolled: true, clients: [] });
    await click(button('clients-again'));
    expect(alertOf('clients')).toBe('');
    expect(one('#clients').textContent).toContain('no client is admitted');
  });

  it('a failure is shown in its panel, with the way to ask again', async () => {
    for (const question of QUESTIONS) fake.answers[question] = no('timed-out');
    fake.answers.get_doctor = no('timed-out');
    await open();
    for (const panel of ['clients', 'registration', 'audit']) expect(alertOf(panel), panel).toContain('The host did not answer in time.');
    expect(all('[data-act$="-again"]').map((b) => b.dataset.act)).toEqual(['registration-again', 'doctor-again', 'clients-again', 'audit-again']);
  });
});
