/** Masking of what leaves the browser (extension.md 12). Pure, and linear in the length of its input. */
import { maskPatterns, NUM, REDACTED } from './scan';

const DOTS = '\u2022\u2022\u2022\u2022';

const MIN_LENGTH = 8;
const MIN_NUMBER = 1e11;
const KEPT_OF_NAME = 2;

/** Names and values that tell a secret by themselves. */
const SENSITIVE = /token|cookie|password|passwd|secret|api[_-]?key|auth|cred|session/i;

/**
 * A single word that names a secret goes as a whole. Where a labelled value stood in it the mark is
 * `[redacted]`, which says more; nothing of the rest of the word is kept for that.
 */
export function maskString(text: string): string {
  if (text.length < MIN_LENGTH) return text;
  const masked = maskPatterns(text);
  if (/\s/.test(text) || !SENSITIVE.test(text)) return masked;
  return masked.includes(REDACTED) ? REDACTED : `${DOTS}[sensitive]`;
}

export const maskCookieValue = (value: string): string => (value.length < MIN_LENGTH ? value : maskPatterns(value));

export const maskNumber = (n: number): number | string =>
  Number.isInteger(n) && Math.abs(n) >= MIN_NUMBER ? NUM : n;

export const maskKeyName = (name: string): string => (SENSITIVE.test(name) ? DOTS + [...name.slice(-2 * KEPT_OF_NAME)].slice(-KEPT_OF_NAME).join('') : name);

/** Every string, number and member name of a JSON value. */
export function maskSensitive(value: unknown): unknown {
  if (typeof value === 'string') return maskString(value);
  if (typeof value === 'number') return maskNumber(value);
  if (Array.isArray(value)) return value.map(maskSensitive);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [maskKeyName(k), maskSensitive(v)]));
}

/** For every error text that leaves. */
export const maskErrorMessage = (message: unknown): string =>
  typeof message === 'string' && message !== '' ? maskString(message) : 'error';
