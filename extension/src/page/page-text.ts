/** The text of a page. */
import type { FrameSlot, PageData } from '../page-channel';
import { proseOf } from './prose';
import { survey } from './survey';
import { cut, HIDDEN_VALUE, wellFormed } from './text';
import { isWithheld } from './trees';

const maskDigits = (text: string): string => text.replace(/(?<!\d)\d{12,19}(?!\d)/g, HIDDEN_VALUE);

export function textParts(el: Element | null): Array<string | FrameSlot> {
  survey();
  const parts = el === null || isWithheld(el) ? [] : proseOf(el, true);
  return parts.map((part) => (typeof part === 'string' ? wellFormed(maskDigits(part)) : part));
}

export function pageText(el: Element | null, limit: number): PageData<'page_text'> {
  const parts: Array<string | FrameSlot> = [];
  let left = limit;
  let truncated = false;
  for (const part of textParts(el)) {
    if (left <= 0) {
      truncated = true;
      break;
    }
    if (typeof part !== 'string') {
      parts.push(part);
      continue;
    }
    truncated = part.length > left;
    parts.push(cut(part, left));
    left -= part.length;
  }
  return { parts, url: location.href, truncated };
}
