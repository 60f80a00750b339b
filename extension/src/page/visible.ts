/** Whether an element shows, and the text that is its own. */
import { frameOf } from './frames';
import { attr, clientRects, hasAttr, nativeVisibility, nodeText, nodeType, ownerDocument } from './natives';
import { plain } from './text';
import { flatChildren, flatParent, isElement, isTag, isWithheld, TEXT } from './trees';

// Both spellings: the short ones came with Chromium 125.
const SEEN = { visibilityProperty: true, opacityProperty: true, checkVisibilityCSS: true, checkOpacity: true };

export const isVisible = (el: Element): boolean => nativeVisibility(el, SEEN) && clientRects(el).length > 0;

export function hasArea(el: Element): boolean {
  for (const r of clientRects(el)) if (r.width > 0 && r.height > 0) return true;
  return false;
}

export const isAriaHidden = (el: Element): boolean => attr(el, 'aria-hidden') === 'true';

export function ariaHiddenAround(el: Element): boolean {
  for (let n: Element | null = el; n !== null; n = flatParent(n)) if (isAriaHidden(n)) return true;
  const frame = frameOf(ownerDocument(el));
  return frame !== null && ariaHiddenAround(frame);
}

/** Text nodes of an element itself; those assigned to a slot in it stand in the slot's place. */
function ownTexts(el: Element): string[] {
  const texts: string[] = [];
  // What a closed details has besides its summary is not shown, and has no element to say so.
  const todo = (isTag(el, 'details') && !hasAttr(el, 'open')) || isWithheld(el) ? [] : flatChildren(el).reverse();
  for (let n = todo.pop(); n !== undefined; n = todo.pop()) {
    if (nodeType(n) === TEXT) texts.push(nodeText(n) ?? '');
    else if (isElement(n) && isTag(n, 'slot')) todo.push(...flatChildren(n).reverse());
  }
  return texts;
}

export const ownText = (el: Element): string => ownTexts(el).join(' ');
export const hasOwnText = (el: Element): boolean => ownTexts(el).some((text) => plain(text) !== '');

/** Whether an element has a box, or stands for the boxes in it. */
export const isRendered = (el: Element, display: string): boolean =>
  display !== 'none' && (display === 'contents' || nativeVisibility(el));
