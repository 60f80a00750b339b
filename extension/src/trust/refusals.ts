/** What the refusals of the host mean, for the answers of the worker; pages have theirs in the person's language. */
import { isRefusal, REFUSAL_TEXTS } from '@contract/refusals';

/** What became of a question to the host that got no answer. */
const LOST: Readonly<Record<string, string>> = {
  'not-connected': 'The host is not connected',
  busy: 'The host is being asked something else',
  'post-failed': 'The host could not be asked',
  'timed-out': 'The host did not answer',
  detached: 'The host went away',
  failed: 'The answer of the host makes no sense',
};

/** The table has its words as they stand behind a colon. */
const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** The sentence of a reason, bare or as `code: detail`, with the detail behind it. */
export function sentenceOf(reason: string): string {
  const at = reason.indexOf(': ');
  const code = at < 0 ? reason : reason.slice(0, at);
  const text = isRefusal(code) ? sentence(REFUSAL_TEXTS[code]) : Object.hasOwn(LOST, code) ? LOST[code] : undefined;
  if (text === undefined) return reason;
  return at < 0 ? `${text}.` : `${text} (${reason.slice(at + 2)}).`;
}
