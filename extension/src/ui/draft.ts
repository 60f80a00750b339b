/** A change of the policy that is being typed: pure, and by our own table of directions. */
import type { Overlay, PolicyField, PolicyFields } from '@contract/policy';
import { changedFields, looserFields, pick } from '../gate/policy';

export type MsField = 'hostReverifyMs' | 'confirmGraceMs' | 'clickToastTimeoutMs' | 'evalToastTimeoutMs';
export type SwitchField = Exclude<PolicyField, MsField | 'disabledTools'>;

/** What was changed by hand; numbers as they were typed. */
export interface Edits {
  switches: Partial<Record<SwitchField, boolean>>;
  times: Partial<Record<MsField, string>>;
  tools: readonly string[] | null;
}
export const NO_EDITS: Edits = { switches: {}, times: {}, tools: null };

/** A whole number of milliseconds, or null; nothing typed is no number, and never 0. */
export function msOf(text: string): number | null {
  const digits = text.trim();
  const ms = /^[0-9]+$/.test(digits) ? Number(digits) : NaN;
  return Number.isSafeInteger(ms) ? ms : null;
}

export interface Draft {
  /** Fields that hold no number. */
  bad: MsField[];
  changed: PolicyField[];
  looser: PolicyField[];
  /** The changed fields with their new values. */
  overlay: Overlay;
}

export function draftOf(effective: Readonly<PolicyFields>, edits: Edits): Draft {
  const bad: MsField[] = [];
  const times: Partial<Record<MsField, number>> = {};
  for (const [name, text] of Object.entries(edits.times) as [MsField, string][]) {
    const ms = msOf(text);
    if (ms === null) bad.push(name);
    else times[name] = ms;
  }
  const next: PolicyFields = { ...effective, ...edits.switches, ...times, disabledTools: [...(edits.tools ?? effective.disabledTools)] };
  const changed = changedFields(effective, next);
  return { bad, changed, looser: looserFields(effective, next), overlay: pick(next, changed) };
}
