/** Text of a page, as it may be shown and compared. */
export const HIDDEN_VALUE = '\u2022\u2022\u2022\u2022\u2022\u2022';
// The byte-order mark is white space to the language, and invisible to people.
export const SPACE = /[^\S\ufeff]+/g;
export const DROPPED = /[\u0000-\u001f\u007f-\u009f\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff]/g;
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const LONE = /\p{Surrogate}/gu;

export const wellFormed = (text: string): string => text.replace(LONE, '\ufffd');

/** At most `limit` code units, never half a pair. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit);
}

/** What `quoted` shows before it is cut and escaped; nothing if only spaces are left. */
export function plain(text: string): string {
  if (text === '') return '';
  const shown = wellFormed(text.replace(SPACE, ' ').trim().replace(DROPPED, ''));
  return /[^ ]/.test(shown) ? shown : '';
}

const shorten = (text: string, limit: number): string => (text.length > limit ? `${cut(text, limit)}...` : text);

const escapeBidi = (text: string): string =>
  text.replace(BIDI, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** For people and comparisons: plain text, cut, in which nothing reorders the rest. */
export const clean = (shown: string, limit: number): string => escapeBidi(shorten(shown, limit));

/** What is plain already, between quotation marks. */
export const quote = (shown: string, limit: number): string => `"${escapeBidi(shorten(shown, limit).replace(/[\\"]/g, '\\$&'))}"`;

/** As the outline writes page text: it can neither break a line, nor forge one, nor reorder it. */
export const quoted = (text: string, limit: number): string => quote(plain(text), limit);

export const bare = (text: string): string => text.replace(SPACE, '').replace(DROPPED, '');

export const words = (text: string): Set<string> => new Set(text.split(' '));
