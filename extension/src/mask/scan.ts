/**
 * The patterns of extension.md 12, found by hand: pages choose the text, and a regular expression
 * with a callback takes seconds for megabytes of short words.
 *
 * Everything but the labels lies within *runs*, stretches of `[A-Za-z0-9_-]` as long as they go. Each
 * character is looked at a fixed number of times, whatever stands around it.
 */
const DOTS = '\u2022\u2022\u2022\u2022';
export const JWT = `${DOTS}[jwt]`;
export const HEX = `${DOTS}[hex]`;
export const NUM = `${DOTS}[num]`;
export const TOKEN = `${DOTS}[token]`;
export const REDACTED = `${DOTS}[redacted]`;

const MIN_JWT_PART = 8;
/** `ey`, then a part. */
const MIN_JWT_HEAD = 2 + MIN_JWT_PART;
const MIN_DIGITS = 12;
const MIN_HEX = 32;
const MIN_TOKEN = 32;

const DIGIT = 1;
const HEX_LETTER = 2;
const LETTER = 4;
const UNDERSCORE = 8;
const HYPHEN = 16;

const CLASS = new Uint8Array(128);
for (let c = 0; c < 128; c++) {
  const text = String.fromCharCode(c);
  if (/[0-9]/.test(text)) CLASS[c] = DIGIT;
  else if (/[a-f]/i.test(text)) CLASS[c] = HEX_LETTER;
  else if (/[a-z]/i.test(text)) CLASS[c] = LETTER;
}
CLASS[0x5f] = UNDERSCORE;
CLASS[0x2d] = HYPHEN;

const DOT = 0x2e;
const SMALL_E = 0x65;
const SMALL_Y = 0x79;
const COLON = 0x3a;
const EQUALS = 0x3d;

/** The class of each character, and 0 behind the last. */
function classesOf(text: string): Uint8Array {
  const { length } = text;
  const classes = new Uint8Array(length + 1);
  for (let at = 0; at < length; at++) {
    const c = text.charCodeAt(at);
    if (c < 128) classes[at] = CLASS[c] as number;
  }
  return classes;
}

function runEnd(classes: Uint8Array, at: number): number {
  while (classes[at] !== 0) at++;
  return at;
}

/** What is kept of the text, and the marks between. */
class Output {
  #parts: string[] = [];
  #kept = 0;

  constructor(readonly text: string) {}

  mark(from: number, to: number, mark: string): void {
    if (from > this.#kept) this.#parts.push(this.text.slice(this.#kept, from));
    this.#parts.push(mark);
    this.#kept = to;
  }

  end(): string {
    if (this.#parts.length === 0) return this.text;
    if (this.#kept < this.text.length) this.#parts.push(this.text.slice(this.#kept));
    return this.#parts.join('');
  }
}

/** Where a JWT begins in the run, or -1; `ends` is told where its third part is over. */
function jwtIn(text: string, classes: Uint8Array, from: number, to: number, ends: (at: number) => void): number {
  if (text.charCodeAt(to) !== DOT) return -1;
  let at = from;
  const last = to - MIN_JWT_HEAD;
  while (at <= last && (text.charCodeAt(at) !== SMALL_E || text.charCodeAt(at + 1) !== SMALL_Y)) at++;
  if (at > last) return -1;
  const second = runEnd(classes, to + 1);
  if (second - to - 1 < MIN_JWT_PART || text.charCodeAt(second) !== DOT) return -1;
  const third = runEnd(classes, second + 1);
  if (third - second - 1 < MIN_JWT_PART) return -1;
  ends(third);
  return at;
}

/** A mixed stretch between words that are masked already. A hyphen bounds no word, so those at the ends stay. */
function maskToken(out: Output, classes: Uint8Array, from: number, to: number): void {
  while (from < to && classes[from] === HYPHEN) from++;
  while (to > from && classes[to - 1] === HYPHEN) to--;
  if (to - from < MIN_TOKEN) return;
  let seen = 0;
  for (let at = from; at < to; at++) seen |= classes[at] as number;
  if ((seen & DIGIT) !== 0 && (seen & (LETTER | HEX_LETTER)) !== 0) out.mark(from, to, TOKEN);
}

/** Words of hex digits and of digits, then what is left between them. */
function maskRun(out: Output, classes: Uint8Array, from: number, to: number): void {
  if (to - from < MIN_DIGITS) return;
  let rest = from;
  for (let at = from; at < to; ) {
    if (classes[at] === HYPHEN) {
      at++;
      continue;
    }
    const begin = at;
    let seen = 0;
    for (; at < to && classes[at] !== HYPHEN; at++) seen |= classes[at] as number;
    const length = at - begin;
    const hex = length >= MIN_HEX && (seen & ~(DIGIT | HEX_LETTER)) === 0;
    if (!hex && (length < MIN_DIGITS || seen !== DIGIT)) continue;
    maskToken(out, classes, rest, begin);
    out.mark(begin, at, hex ? HEX : NUM);
    rest = at;
  }
  maskToken(out, classes, rest, to);
}

function maskRuns(text: string): string {
  const out = new Output(text);
  const classes = classesOf(text);
  const { length } = text;
  for (let at = 0; at < length; ) {
    if (classes[at] === 0) {
      at++;
      continue;
    }
    const end = runEnd(classes, at);
    let over = end;
    const jwt = end - at < MIN_JWT_HEAD ? -1 : jwtIn(text, classes, at, end, (third) => (over = third));
    maskRun(out, classes, at, jwt < 0 ? end : jwt);
    if (jwt >= 0) out.mark(jwt, over, JWT);
    at = over;
  }
  return out.end();
}

const LABELS = ['bearer', 'token', 'password', 'secret', 'apikey', 'api_key', 'api-key'];
const LOWER = 0x20;
/** By the last letter: most of what stands before a colon is over with one look. */
const ENDING: readonly string[][] = Array.from({ length: 128 }, (_, c) => LABELS.filter((l) => l.charCodeAt(l.length - 1) === (c | LOWER)));

/** Where a label begins that ends before `at`, in any case; -1 if none does. */
function labelBefore(text: string, at: number): number {
  const last = text.charCodeAt(at - 1);
  if (last >= 128) return -1;
  for (const label of ENDING[last] as string[]) {
    let left = label.length;
    if (left > at) continue;
    while (left > 0) {
      const is = text.charCodeAt(at - label.length + left - 1);
      const wanted = label.charCodeAt(left - 1);
      if (is !== wanted && (CLASS[wanted] === UNDERSCORE || CLASS[wanted] === HYPHEN || (is | LOWER) !== wanted)) break;
      left--;
    }
    if (left === 0) return at - label.length;
  }
  return -1;
}

/** What `\s` means. */
const isSpace = (c: number): boolean => (c <= 0x20 ? c === 0x20 || (c >= 9 && c <= 13) : c >= 0xa0 && /\s/.test(String.fromCharCode(c)));

function maskLabelled(text: string): string {
  const out = new Output(text);
  const { length } = text;
  for (let at = 1; at < length; at++) {
    const c = text.charCodeAt(at);
    if (c !== COLON && c !== EQUALS) continue;
    const from = labelBefore(text, at);
    if (from < 0) continue;
    let end = at + 1;
    while (end < length && !isSpace(text.charCodeAt(end))) end++;
    if (end === at + 1) continue;
    out.mark(from, end, REDACTED);
    at = end;
  }
  return out.end();
}

export const maskPatterns = (text: string): string => maskLabelled(maskRuns(text));
