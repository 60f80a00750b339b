import { DENY_BASELINE, POLICY_FIELDS, type PolicyFields } from '@contract/policy';
import { describe, expect, it } from 'vitest';
import { draftOf, msOf, NO_EDITS, type Edits } from '../../src/ui/draft';

const from = (over: Partial<PolicyFields> = {}): PolicyFields => ({ ...DENY_BASELINE, disabledTools: [], ...over });
const edit = (over: Partial<Edits>): Edits => ({ ...NO_EDITS, ...over });

describe('a number of milliseconds', () => {
  it.each([
    ['0', 0],
    [' 45000 ', 45_000],
    ['007', 7],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740992', null],
    ['', null],
    ['  ', null],
    ['-1', null],
    ['1.5', null],
    ['1e3', null],
    ['0x10', null],
    ['\uff11', null],
    ['ten', null],
  ])('"%s" is %s', (text, ms) => {
    expect(msOf(text)).toBe(ms);
  });
});

describe('a draft', () => {
  it('without edits changes nothing', () => {
    expect(draftOf(from(), NO_EDITS)).toEqual({ bad: [], changed: [], looser: [], overlay: {} });
  });

  it('that sets a field to what it is changes nothing', () => {
    expect(draftOf(from(), edit({ switches: { cdpMode: false }, times: { confirmGraceMs: '60000' }, tools: [] })).changed).toEqual([]);
  });

  it.each(POLICY_FIELDS.filter((f) => f.kind === 'grant' || f.kind === 'bool').map((f) => [f.name, f.kind]))('%s (%s) has its direction', (name, kind) => {
    for (const value of [true, false]) {
      const draft = draftOf(from({ [name]: !value }), edit({ switches: { [name]: value } }));
      expect(draft.changed).toEqual([name]);
      expect(draft.looser).toEqual(value === (kind === 'grant') ? [name] : []);
      expect(draft.overlay).toEqual({ [name]: value });
    }
  });

  it.each([
    ['confirmGraceMs', 10, '11', true],
    ['confirmGraceMs', 10, '9', false],
    ['confirmGraceMs', 10, '0', false],
    ['clickToastTimeoutMs', 10, '11', true],
    ['evalToastTimeoutMs', 10, '9', false],
    ['hostReverifyMs', 0, '10', false],
    ['hostReverifyMs', 10, '0', true],
    ['hostReverifyMs', 10, '11', true],
    ['hostReverifyMs', 10, '9', false],
  ] as const)('%s from %s to %s relaxes: %s', (name, was, now, relaxes) => {
    const draft = draftOf(from({ [name]: was }), edit({ times: { [name]: now } }));
    expect([draft.changed, draft.looser]).toEqual([[name], relaxes ? [name] : []]);
    expect(draft.overlay).toEqual({ [name]: Number(now) });
  });

  it('a blank number is bad, and in no overlay', () => {
    const draft = draftOf(from(), edit({ times: { hostReverifyMs: '' }, switches: { cdpMode: true } }));
    expect(draft.bad).toEqual(['hostReverifyMs']);
    expect(draft.overlay).toEqual({ cdpMode: true });
  });

  it('a set is looser by what it loses, whatever it gains', () => {
    const was = from({ disabledTools: ['page_eval', 'tab_close'] });
    expect(draftOf(was, edit({ tools: ['tab_close', 'page_eval'] })).changed).toEqual([]);
    expect(draftOf(was, edit({ tools: ['page_eval', 'tab_close', 'tab_open'] })).looser).toEqual([]);
    expect(draftOf(was, edit({ tools: ['page_eval', 'tab_open'] })).looser).toEqual(['disabledTools']);
  });

  it('keeps the order of the catalogue', () => {
    const draft = draftOf(from(), edit({ switches: { evalMask: false, cdpMode: true }, times: { confirmGraceMs: '1' } }));
    expect(draft.changed).toEqual(['cdpMode', 'evalMask', 'confirmGraceMs']);
    expect(draft.looser).toEqual(['cdpMode', 'evalMask']);
  });
});
