/**
 * What goes to the broker is built so that page content cannot make a frame invalid (wire.md 8.6):
 * well-formed strings, no U+0000 in member names, finite numbers, bounded depth and size.
 */
import type { ExtCode } from '@contract/errors';
import { LIMITS } from '@contract/host';
import { cut } from '../text';

/** Too deep or too large to be sent. */
export class TooLarge extends Error {}

function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'object') return undefined;
  if (depth > LIMITS.JSON_DEPTH) throw new TooLarge(`more than ${LIMITS.JSON_DEPTH} levels deep`);
  if (Array.isArray(value)) return value.map((v) => clean(v, depth + 1) ?? null);
  const out: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const kept = clean(member, depth + 1);
    if (kept === undefined) continue;
    // defineProperty: assigning to `__proto__` would set the prototype and lose the member.
    Object.defineProperty(out, name.toWellFormed().replaceAll('\u0000', '\ufffd'), {
      value: kept,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return out;
}

function bytesOf(frame: unknown): number {
  const json = JSON.stringify(frame);
  // UTF-8 needs at most three bytes for a UTF-16 unit: most frames need no encoding to be measured.
  return json.length * 3 <= LIMITS.RESPONSE_MAX ? json.length * 3 : new TextEncoder().encode(json).length;
}

/** The frame of a success. */
export function success(id: number, data: unknown): Record<string, unknown> {
  const frame = { id, ok: true, ...(data === undefined ? {} : { data: clean(data, 2) }) };
  const bytes = bytesOf(frame);
  if (bytes > LIMITS.RESPONSE_MAX) throw new TooLarge(`over ${LIMITS.RESPONSE_MAX} bytes`);
  return frame;
}

/** Whatever an error quotes, its frame stays far below the limit. */
const ERROR_MAX = 2_000;

/** `error` is masked already: a cut before that could leave half a secret, which no rule knows. */
export const failure = (id: number, code: ExtCode, error: string): Record<string, unknown> => ({
  id,
  ok: false,
  error: error.length > ERROR_MAX ? cut(error.toWellFormed(), ERROR_MAX - 3) : error.toWellFormed(),
  code,
});
