/** Clicks. */
import type { Descriptor, PageData } from '../page-channel';
import { pointer } from './events';
import {
  attr,
  baseUri,
  documentActive,
  htmlBlur,
  htmlFocus,
  isConnected,
  namespace,
  nextTask,
  nodeType,
  ownerDocument,
  rootNode,
  shadowActive,
  svgFocus,
} from './natives';
import { watchNavigation, whatWasAnnounced } from './navigation';
import { refuse } from './refusals';
import { hrefOf, roleOf } from './roles';
import { bringIntoView, clickSpot, refuseCovered, type Spot } from './spot';
import { survey } from './survey';
import { activated, activationTarget, called, descriptorOf, find, sameDescriptor, type Target } from './targets';
import { wellFormed } from './text';
import { DOCUMENT, flatParent, FRAGMENT, isHtml, isTag, SVG } from './trees';
import { isDisabled } from './values';

/** Where a press of the mouse puts the focus: the nearest element that takes it, else nowhere. */
function focusByMouse(el: Element): void {
  for (let n: Element | null = el; n !== null; n = flatParent(n)) {
    if (isHtml(n)) htmlFocus(n, { preventScroll: true });
    else if (namespace(n) === SVG) svgFocus(n, { preventScroll: true });
    const root = rootNode(n);
    const active = nodeType(root) === FRAGMENT ? shadowActive(root) : nodeType(root) === DOCUMENT ? documentActive(root) : null;
    if (active === n) return;
  }
  const active = documentActive(ownerDocument(el));
  if (active !== null && isHtml(active) && !isTag(active, 'body')) htmlBlur(active);
}

/** The link that a click on an element follows. */
function linkOf(el: Element): Element | null {
  const does = activated(activationTarget(el));
  return does !== null && hrefOf(does) !== null ? does : null;
}

interface Press {
  button: number;
  buttons: number;
  init: PointerEventInit;
}

function pressOf(args: { button: 'left' | 'right' | 'middle'; modifiers: readonly string[] }, spot: Spot | null): Press {
  const button = args.button === 'left' ? 0 : args.button === 'middle' ? 1 : 2;
  const has = (name: string): boolean => args.modifiers.includes(name);
  return {
    button,
    buttons: button === 0 ? 1 : button === 1 ? 4 : 2,
    init: {
      clientX: spot?.x ?? 0,
      clientY: spot?.y ?? 0,
      altKey: has('Alt'),
      ctrlKey: has('Control'),
      metaKey: has('Meta'),
      shiftKey: has('Shift'),
      button,
    },
  };
}

/**
 * One press and release, up to the click that `confirm` lets through. Whether what the element does by
 * itself follows.
 */
function clickOnce(el: Element, press: Press, detail: number, confirm: () => void): boolean {
  const down = { ...press.init, buttons: press.buttons, detail };
  const up = { ...press.init, buttons: 0, detail };
  pointer(el, 'pointerdown', { ...down, detail: 0, pressure: 0.5 });
  const focuses = pointer(el, 'mousedown', down);
  if (press.button === 2) pointer(el, 'contextmenu', { ...down, detail: 0 });
  if (focuses && isConnected(el)) focusByMouse(el);
  pointer(el, 'pointerup', { ...up, detail: 0 });
  pointer(el, 'mouseup', up);
  confirm();
  if (press.button === 0) return pointer(el, 'click', up);
  const follows = pointer(el, 'auxclick', up);
  if (press.button !== 1 || !follows || linkOf(el) === null) return false;
  // The browser opens no tab for an auxclick that is not its own.
  confirm();
  pointer(el, 'click', up);
  return false;
}

/** The script that a link runs instead of leading somewhere. A click of the isolated world starts none. */
function scriptOf(el: Element): string | null {
  const link = linkOf(el);
  const href = link !== null && isHtml(link) && ownerDocument(link) === document ? hrefOf(link) : null;
  if (link === null || href === null || !/^[\u0000- ]*j[\r\n\t]*a[\r\n\t]*v[\r\n\t]*a/i.test(href) || !/^(_self)?$/i.test(attr(link, 'target') ?? '')) return null;
  try {
    const url = new URL(href, baseUri(document));
    return url.protocol === 'javascript:' && url.href.length <= 65_536 ? wellFormed(url.href) : null;
  } catch {
    return null;
  }
}

export function clickable(target: Target): Element {
  const el = find(target);
  if (!isHtml(el)) throw refuse(`${called(target)} is an SVG element, which cannot be clicked: click the HTML element around it`);
  const takes = activationTarget(el);
  if (isDisabled(el) || (takes !== el && !isTag(takes, 'label') && isDisabled(takes)))
    throw refuse(`${called(target)} is disabled: do first what enables it, then take a new page_snapshot`);
  return el;
}

export async function click(message: {
  expect: Descriptor;
  args: Target & { button: 'left' | 'right' | 'middle'; count: number; modifiers: readonly string[] };
}): Promise<PageData<'page_click'>> {
  const { expect, args } = message;
  if (typeof expect !== 'object' || expect === null) throw refuse('the click carries no descriptor and was not done: call page_click again');
  survey();
  const el = clickable(args);
  bringIntoView(el);
  const spot = clickSpot(el);
  refuseCovered(el, spot, args);
  const role = roleOf(el);
  const press = pressOf(args, spot);
  const watch = watchNavigation();
  let script: string | null = null;
  try {
    for (let n = 1; n <= args.count; n++) {
      const follows = clickOnce(el, press, n, () => {
        survey();
        if (isConnected(el) && sameDescriptor(expect, descriptorOf(activationTarget(el)))) return;
        const done = n > 1 ? ' after the first click' : ' and was not clicked';
        throw refuse(`${called(args)} changed${done}: take a new page_snapshot and look at it again`);
      });
      if (follows && args.modifiers.length === 0) script ??= scriptOf(el);
    }
    if (args.count === 2 && press.button === 0) pointer(el, 'dblclick', { ...press.init, buttons: 0, detail: 2 });
    await nextTask();
    return { role, ...(script === null ? {} : { script }), ...whatWasAnnounced(watch.list) };
  } finally {
    watch.stop();
  }
}
