/**
 * Directions of the policy fields (control.md 4.1, 4.2), by our own table: what the host says about a
 * direction is never believed.
 */
import { POLICY_FIELDS, type Overlay, type PolicyField, type PolicyFields, type PolicyRow } from '@contract/policy';

type Values = Readonly<PolicyFields>;

function isLooser(row: PolicyRow, from: Values, to: Values): boolean {
  switch (row.looser) {
    case 'on':
      return !from[row.name] && to[row.name];
    case 'off':
      return from[row.name] && !to[row.name];
    case 'larger':
      return to[row.name] > from[row.name];
    case 'larger, 0 loosest': {
      const age = (ms: number): number => (ms === 0 ? Infinity : ms);
      return age(to[row.name]) > age(from[row.name]);
    }
    case 'fewer':
      return from[row.name].some((tool) => !to[row.name].includes(tool));
  }
}

/** The fields that are strictly looser in `to`, in their order. */
export const looserFields = (from: Values, to: Values): PolicyField[] =>
  POLICY_FIELDS.filter((row) => isLooser(row, from, to)).map((row) => row.name);

const sameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((v) => b.includes(v));

/** The fields that differ; the order of a set means nothing. */
export const changedFields = (from: Values, to: Values): PolicyField[] =>
  POLICY_FIELDS.filter(({ name }) =>
    name === 'disabledTools' ? !sameSet(from[name], to[name]) : from[name] !== to[name],
  ).map((row) => row.name);

/** The baseline with the named fields replaced. */
export function fold(baseline: Values, overlay: Overlay): PolicyFields {
  const set = Object.fromEntries(Object.entries(overlay).filter(([, value]) => value !== undefined));
  return { ...baseline, ...set };
}

/** These fields, with the values of `values`. */
export const pick = (values: Values, fields: readonly PolicyField[]): Overlay =>
  Object.fromEntries(fields.map((name) => [name, values[name]]));

function argument(value: boolean | number | readonly string[]): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number') return String(value);
  return value.length === 0 || !/^[\w.,-]+$/.test(value.join()) ? `'${value.join().replaceAll("'", "'\\''")}'` : value.join();
}

/** The command that sets these fields so. */
export function setCommand(values: Values, fields: readonly PolicyField[]): string {
  const flags = POLICY_FIELDS.filter((row) => fields.includes(row.name));
  return ['genkan policy set', ...flags.map((row) => `${row.flag} ${argument(values[row.name])}`)].join(' ');
}
