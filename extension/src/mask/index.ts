/**
 * Masking of what leaves the browser (extension.md 12). Pure, and linear in the length of its input,
 * since pages choose the input: no pattern here can be tried from more than a few places of one run.
 */
const DOTS = '\u2022\u2022\u2022\u2022';

const MIN_LENGTH = 8;
const MIN_NUMBER = 1e11;
const MIN_JWT_PART = 8;
const MIN_TOKEN = 32;

/** Names and values that tell a secret by themselves. */
const SENSITIVE = /token|cookie|password|passwd|secret|api[_-]?key|auth|cred|session/i;

const DOTTED_RUN = /[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*/g;
const HEX = /\b[0-9a-fA-F]{32,}\b/g;
const DIGITS = /\b[0-9]{12,}\b/g;
const TOKEN_RUN = /[A-Za-z0-9_-]{32,}/g;
const LABELLED = /(?:bearer|token|password|secret|api[_-]?key)[:=]\S+/gi;

/** `ey` and two more parts, found in a whole dotted run at once: a pattern would restart at every `ey`. */
function maskJwts(run: string): string {
  const parts = run.split('.');
  const out: string[] = [];
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] ?? '';
    const at = part.indexOf('ey');
    const whole =
      at >= 0 &&
      part.length - at - 2 >= MIN_JWT_PART &&
      (parts[i + 1] ?? '').length >= MIN_JWT_PART &&
      (parts[i + 2] ?? '').length >= MIN_JWT_PART;
    out.push(whole ? `${part.slice(0, at)}${DOTS}[jwt]` : part);
    if (whole) i += 2;
  }
  return out.join('.');
}

/** A hyphen bounds no word, so those at the ends stay outside. */
function maskToken(run: string): string {
  let from = 0;
  let to = run.length;
  while (from < to && run[from] === '-') from++;
  while (to > from && run[to - 1] === '-') to--;
  const inner = run.slice(from, to);
  if (inner.length < MIN_TOKEN || !/[A-Za-z]/.test(inner) || !/[0-9]/.test(inner)) return run;
  return `${run.slice(0, from)}${DOTS}[token]${run.slice(to)}`;
}

function maskPatterns(text: string): string {
  return text
    .replace(DOTTED_RUN, maskJwts)
    .replace(HEX, `${DOTS}[hex]`)
    .replace(DIGITS, `${DOTS}[num]`)
    .replace(TOKEN_RUN, maskToken)
    .replace(LABELLED, `${DOTS}[redacted]`);
}

/**
 * A single word that names a secret goes as a whole. Where a labelled value stood in it the mark is
 * `[redacted]`, which says more; nothing of the rest of the word is kept for that.
 */
export function maskString(text: string): string {
  if (text.length < MIN_LENGTH) return text;
  const masked = maskPatterns(text);
  if (!SENSITIVE.test(text) || /\s/.test(text)) return masked;
  return masked.includes(`${DOTS}[redacted]`) ? `${DOTS}[redacted]` : `${DOTS}[sensitive]`;
}

export const maskCookieValue = (value: string): string => (value.length < MIN_LENGTH ? value : maskPatterns(value));

export const maskNumber = (n: number): number | string =>
  Number.isInteger(n) && Math.abs(n) >= MIN_NUMBER ? `${DOTS}[num]` : n;

export const maskKeyName = (name: string): string => (SENSITIVE.test(name) ? DOTS + name.slice(-2) : name);

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
