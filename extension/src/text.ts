/** Text that goes to people or onto the wire: well-formed, without tricks, cut between characters. */

const DROPPED = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff]/g;
/** The byte-order mark is white space to the language and invisible to people. */
const SPACE = /[^\S\ufeff]+/g;
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Blank by their drawing alone, which no property tells: a pattern of Braille, of Khitan, of music. */
const BLANK = '\\u2800\\u{16fe4}\\u{1d159}';
const IGNORED = `\\p{Default_Ignorable_Code_Point}\\p{Bidi_Control}${BLANK}`;

/**
 * One sign that nobody sees, or sees as something else; sources of patterns with the flag `u`. The
 * first is for what counts to the letter, code and names: there a space is the keyboard's or is shown.
 * The second is for what people write: joiners, marks and variants stay, scripts and emoji need them.
 */
export const UNSEEN_EXACT = `(?![ \\t\\n]|\\r\\n)[\\p{C}\\p{Z}${IGNORED}]`;
export const UNSEEN_TEXT = `(?![\\t\\n\\r\\u061c\\u200c-\\u200f\\p{Variation_Selector}])[\\p{Cc}\\p{Zl}\\p{Zp}${IGNORED}]`;

/** At most `limit` UTF-16 units and `...`; a surrogate pair stays whole. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit)}...`;
}

const bare = (text: string, limit: number): string =>
  cut(text.replace(SPACE, ' ').trim().replace(DROPPED, '').toWellFormed(), limit);

const spellBidi = (text: string): string =>
  text.replace(BIDI, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Like `quoted` of tools.md 6.3, for people: one line, no controls, nothing that reorders. */
export const plain = (text: string, limit: number): string => spellBidi(bare(text, limit));

/** `quoted` of tools.md 6.3 without the marks around it. */
export const quotedText = (text: string, limit: number): string =>
  spellBidi(bare(text, limit).replace(/[\\"]/g, (c) => `\\${c}`));

/** `quoted` of tools.md 6.3. */
export const quoted = (text: string, limit: number): string => `"${quotedText(text, limit)}"`;

/**
 * What would hide in a text or reorder it, and what would look like an end of it. Runs are entered at
 * their beginning alone: what is shown may be long.
 */
const TRICKS = `[\\r\\n\\t]|^ +|(?<! ) +$|${UNSEEN_EXACT}`;
const TRICK = new RegExp(TRICKS, 'gu');
/** Backslashes that would be read as, or together with, one that spells. */
const SPELLING = new RegExp(`(?<!\\\\)\\\\+(?=u(?:[0-9a-f]{4}|\\{)|${TRICKS})`, 'gu');

function spell(sign: string): string {
  const number = (sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
  return number.length > 4 ? `\\u{${number}}` : `\\u${number}`;
}

/**
 * As it is, on one line, for what a user decides by: only what cannot be seen is spelled out. Two texts
 * that differ are never spelled alike.
 */
export const spelled = (text: string): string =>
  text.replace(SPELLING, (run) => run + run).replace(TRICK, (signs) => Array.from(signs, spell).join(''));
