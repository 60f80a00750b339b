/** The host's refusals in the words of the person. */
import { isRefusal, type RefusalCode } from '@contract/refusals';
import { t } from './index';

/** A code without a sentence in the bundles is a type error here. */
const sentenceOf = (code: RefusalCode): string => t(`refusal.${code}`);

/** The sentence of `code` or `code: detail`, the detail behind it; null for what is no refusal. */
export function refusalText(reason: string): string | null {
  const at = reason.indexOf(': ');
  const code = at < 0 ? reason : reason.slice(0, at);
  if (!isRefusal(code)) return null;
  return at < 0 ? sentenceOf(code) : `${sentenceOf(code)} ${reason.slice(at + 2)}`;
}
