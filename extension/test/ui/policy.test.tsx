// @vitest-environment jsdom
import { DENY_BASELINE, POLICY_FIELDS, type PolicyFields } from '@contract/policy';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { PolicyView } from '../../src/messages';
import { Options } from '../../src/ui/options';
import { fake, list, no, ok, pairing, request, status } from './browser';
import { all, button, click, freshPages, one, pass, settle, show, type } from './page';

vi.mock('../../src/browser/runtime', async () => (await import('./browser')).runtime);
vi.mock('../../src/browser/storage', async () => (await import('./browser')).storage);
vi.mock('../../src/browser/permissions', async () => (await import('./browser')).permissions);
vi.mock('../../src/browser/i18n', async () => (await import('./browser')).i18n);

freshPages();

const policyOf = (over: Partial<PolicyFields> = {}): PolicyFields => ({ ...DENY_BASELINE, disabledTools: [], ...over });

async function open(over: Partial<PolicyView> = {}): Promise<void> {
  fake.answers.get_policy = ok({ serving: 'active', blocked: null, effective: policyOf(), revision: 3, refused: null, ...over });
  fake.answers.get_status = ok(status({ serving: 'active' }));
  await show(Options);
  fake.log.length = 0;
}

beforeEach(() => {
  delete fake.answers.get_doctor;
  fake.answers.get_allowlist = ok(list());
  fake.answers.get_enrollment = ok(pairing({ serving: 'active', pin: { keyId: 'ab12'.repeat(16), at: 0 } }));
  fake.answers.webauthn_presence_pending = ok(null);
  fake.answers.get_policy_history = ok([]);
  fake.answers.restrict_policy = ok(null);
  fake.answers.grant_policy = ok(request({ action: 'set policy: cdpMode=on' }));
});

const field = (name: string, more = ''): HTMLInputElement => one<HTMLInputElement>(`[data-field="${name}"]${more}`);
const said = (): string => one('main > [role="status"]').textContent ?? '';
const lane = (): string => one('#policy .divided [role="status"]').textContent ?? '';

describe('the editor', () => {
  it('has a control for each of the fifteen fields, with its value', async () => {
    await open({ effective: policyOf({ cdpMode: true, confirmGraceMs: 5, disabledTools: ['page_eval', 'of_tomorrow'] }) });
    const named = new Set(all('[data-field]').map((e) => e.dataset.field));
    expect(named).toEqual(new Set(POLICY_FIELDS.map((f) => f.name)));
    expect(all('[data-field][type="checkbox"]:not([data-tool])')).toHaveLength(10);
    expect(all('#policy input[type="text"]')).toHaveLength(4);
    expect([field('cdpMode').checked, field('pageEvalEnabled').checked, field('evalMask').checked]).toEqual([true, false, true]);
    expect(field('confirmGraceMs').value).toBe('5');
    expect(all<HTMLInputElement>('[data-tool]').filter((e) => e.checked).map((e) => e.dataset.tool)).toEqual(['page_eval', 'of_tomorrow']);
    expect(one('#policy').textContent).toContain('Revision 3');
  });

  it.each([
    ['unpaired', null, 'Pair this browser with the host first'],
    ['blocked', 'compromised', 'Nothing is served'],
  ] as const)('%s: the reason, and no control', async (serving, blocked, sentence) => {
    await open({ serving, blocked, effective: serving === 'blocked' ? null : policyOf(), revision: null });
    expect(one('#policy').textContent).toContain(sentence);
    expect(all('#policy input, #policy button, #policy select')).toEqual([]);
    expect(fake.sent('get_policy_history')).toEqual([]);
  });

  it('without a change there is nothing to save', async () => {
    await open();
    expect(button('policy-restrict').disabled).toBe(true);
    expect(lane()).toBe('Nothing is changed.');
  });

  it('what only tightens is restricted, without a question', async () => {
    await open({ effective: policyOf({ cdpMode: true }) });
    await click(field('cdpMode'));
    await type(field('confirmGraceMs'), '0');
    expect(lane()).toBe('This change only tightens, so it takes effect at once.');
    await click(button('policy-restrict'));
    expect(fake.log[0]).toEqual({ type: 'restrict_policy', overlay: { cdpMode: false, confirmGraceMs: 0 } });
    expect(said()).toBe('The policy is tighter now.');
    expect(all('dialog')).toEqual([]);
  });

  it('what relaxes says that it needs the person, and asks', async () => {
    await open();
    await click(field('cdpMode'));
    expect(lane()).toBe('This change relaxes the policy, so it needs your confirmation.');
    expect(all('#policy .field .pill').map((p) => p.textContent)).toEqual(['relaxes']);
    expect(all('[data-act="policy-restrict"]')).toEqual([]);
    await click(button('policy-grant'));
    expect(fake.log[0]).toEqual({ type: 'grant_policy', overlay: { cdpMode: true } });
    expect(one('.act').textContent).toBe('set policy: cdpMode=on');
  });

  it('one relaxing field takes all of a change through the confirmation', async () => {
    await open();
    await click(field('evalMask'));
    await type(field('hostReverifyMs'), '60000');
    expect(all('#policy .field .pill').map((p) => p.textContent)).toEqual(['relaxes', 'tightens']);
    await click(button('policy-grant'));
    expect(fake.log[0]).toEqual({ type: 'grant_policy', overlay: { evalMask: false, hostReverifyMs: 60_000 } });
  });

  it('keeps the change while it is not confirmed, and lets go of it after', async () => {
    fake.answers.webauthn_presence_confirm = ok(null);
    await open();
    await click(field('cdpMode'));
    await click(button('policy-grant'));
    await click(button('presence-deny'));
    expect(field('cdpMode').checked).toBe(true);
    fake.answers.grant_policy = ok(request({ nonce: 'n2' }));
    await click(button('policy-grant'));
    await pass(600);
    fake.answers.get_policy = ok({ serving: 'active', blocked: null, effective: policyOf({ cdpMode: true }), revision: 4, refused: null });
    await click(button('presence-confirm'));
    fake.changed('bridgePolicyState');
    await settle();
    expect(field('cdpMode').checked).toBe(true);
    expect(lane()).toBe('Nothing is changed.');
  });

  it.each(['restrict_policy', 'grant_policy'])('a refusal of %s is told, and the change kept', async (which) => {
    fake.answers[which] = no('software_confirmation_not_allowed: genkan policy set');
    await open({ effective: policyOf({ cdpMode: true }) });
    const box = which === 'grant_policy' ? 'pageEvalEnabled' : 'cdpMode';
    await click(field(box));
    await click(one('[data-act^="policy-"].filled'));
    expect(all('#policy [role="alert"]').map((e) => e.textContent).join('')).toContain('A click is not enough for this here. genkan policy set');
    expect(field(box).checked).toBe(which === 'grant_policy');
  });

  it.each(['', ' ', '-1', '1.5', 'soon', '9007199254740992'])('"%s" is no number, and never 0', async (given) => {
    await open({ effective: policyOf({ hostReverifyMs: 5 }) });
    await click(field('cdpMode'));
    await type(field('hostReverifyMs'), given);
    expect(field('hostReverifyMs').getAttribute('aria-invalid')).toBe('true');
    expect(one('#policy-hostReverifyMs-error').textContent).toContain('an empty field is not 0');
    expect(button('policy-grant').disabled).toBe(true);
    await click(button('policy-reset'));
    expect(field('hostReverifyMs').value).toBe('5');
    expect(fake.log).toEqual([]);
  });

  it('the set of refused tools grows freely, and shrinks by confirmation', async () => {
    await open({ effective: policyOf({ disabledTools: ['page_eval'] }) });
    await click(field('disabledTools', '[data-tool="tab_close"]'));
    await click(button('policy-restrict'));
    expect(fake.log[0]).toEqual({ type: 'restrict_policy', overlay: { disabledTools: ['page_eval', 'tab_close'] } });
    fake.log.length = 0;
    await click(field('disabledTools', '[data-tool="page_eval"]'));
    await click(button('policy-grant'));
    expect(fake.log[0]).toEqual({ type: 'grant_policy', overlay: { disabledTools: [] } });
  });

  it('before the first policy everything goes through the confirmation', async () => {
    await open({ serving: 'preCutover', revision: null });
    expect(one('#policy').textContent).toContain('No policy was set yet');
    await type(field('confirmGraceMs'), '1');
    expect(lane()).toBe('The first policy needs your confirmation.');
    await click(button('policy-grant'));
    expect(fake.log[0]).toEqual({ type: 'grant_policy', overlay: { confirmGraceMs: 1 } });
  });

  it('says that what it shows is not verified', async () => {
    await open({ serving: 'unverified' });
    expect(one('#policy').textContent).toContain('not verified on this connection yet');
  });

  it('offers the set that heals a refused push', async () => {
    await open({ refused: { fields: ['cdpMode', 'disabledTools'], heal: { cdpMode: true, disabledTools: ['page_upload'] }, error: 'revision 9 loosens cdpMode' } });
    expect(all('.values dt').map((e) => e.textContent)).toEqual(['cdpMode', 'disabledTools']);
    expect(all('.values dd').map((e) => e.textContent)).toEqual(['on', 'page_upload']);
    expect(one('#policy').textContent).toContain('revision 9 loosens cdpMode');
    await click(button('policy-heal'));
    expect(fake.log[0]).toEqual({ type: 'grant_policy', overlay: { cdpMode: true, disabledTools: ['page_upload'] } });
    expect(all('dialog')).toHaveLength(1);
  });
});

describe('the history', () => {
  const rows = [
    { id: 'a'.repeat(64), signed: false, overlay_active: false },
    { id: 'b'.repeat(64), signed: true, overlay_active: false, superseded_unix: Date.UTC(2026, 0, 15, 12) / 1000, held: { revision: 1, effective: policyOf() } },
    { id: 'c'.repeat(64), signed: true, overlay_active: true, held: { revision: 2, effective: policyOf({ cdpMode: true, confirmGraceMs: 1 }) } },
  ];

  beforeEach(() => {
    fake.answers.get_policy_history = ok(rows);
  });

  it('is newest first, and says where each would lead', async () => {
    await open();
    const shown = all('[data-act="policy-history"] li').map((li) => li.textContent ?? '');
    expect(shown).toHaveLength(3);
    expect(shown[0]).toMatch(/^Revision 2.*Restricted.*cdpMode \(relaxes\)confirmGraceMs .*needs your confirmation/);
    expect(shown[1]).toMatch(/^Revision 1in force until Jan 15, 2026.*The same as today's/);
    expect(shown[2]).toMatch(/^Damaged.*Unsigned$/);
  });

  it('is rolled back by revision and row', async () => {
    fake.answers.rollback_policy = ok(request({ action: 'roll policy back to revision 2: cdpMode=on' }));
    await open();
    expect(all('[data-act="policy-rollback"]').map((b) => b.dataset.revision)).toEqual(['2', '1']);
    await click(one('[data-act="policy-rollback"][data-revision="2"]'));
    expect(fake.log[0]).toEqual({ type: 'rollback_policy', revision: 2, entry: 'c'.repeat(64) });
    expect(one('.act').textContent).toBe('roll policy back to revision 2: cdpMode=on');
  });

  it('a rollback that only tightens is done at once', async () => {
    fake.answers.rollback_policy = ok(null);
    await open();
    await click(one('[data-act="policy-rollback"][data-revision="1"]'));
    expect(said()).toBe('Rolled back to revision 1.');
  });

  it('a refused rollback is told', async () => {
    fake.answers.rollback_policy = no('no entry of revision 1');
    await open();
    await click(one('[data-act="policy-rollback"][data-revision="1"]'));
    expect(all('[data-act="policy-history"] [role="alert"]').map((e) => e.textContent).join('')).toBe('no entry of revision 1');
  });
});
