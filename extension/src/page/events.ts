/** Events as the mouse and the keyboard make them. */
import { dispatch, ownerDocument, viewOf } from './natives';

type Views = Window & typeof globalThis;

export const viewFor = (el: Element): Views => viewOf(ownerDocument(el)) ?? window;

export const BASE = { bubbles: true, cancelable: true, composed: true };

export function pointer(el: Element, name: string, init: PointerEventInit): boolean {
  const view = viewFor(el);
  const make = name.startsWith('pointer') || /^(click|auxclick|contextmenu)$/.test(name) ? view.PointerEvent : view.MouseEvent;
  const bubbles = !/enter$/.test(name);
  return dispatch(el, new make(name, { ...BASE, bubbles, cancelable: bubbles, composed: bubbles, view, pointerId: 1, pointerType: 'mouse', isPrimary: true, ...init }));
}

export function changed(el: Element, data: string | null = null): void {
  const view = viewFor(el);
  dispatch(el, new view.InputEvent('input', { bubbles: true, composed: true, inputType: 'insertReplacementText', data }));
  dispatch(el, new view.Event('change', { bubbles: true }));
}
