/** The element that a call is about, and what is said of it. */
import type { Descriptor } from '../page-channel';
import { nameOf } from './names';
import { controlForm, documentQuery, labelControl, localName } from './natives';
import { byRef } from './refs';
import { invalid, refuse } from './refusals';
import { explicitRole, FLOW_KINDS, hrefOf, isInteractive, roleOf, structuralKind, tagAsRole, typeOf } from './roles';
import { clean, quote, quoted, words } from './text';
import { flatParent, isHtml, isTag } from './trees';
import { hasOwnText } from './visible';

export interface Target {
  ref?: string | undefined;
  selector?: string | undefined;
}

export function bySelector(selector: string): Element | null {
  try {
    return documentQuery(document, selector);
  } catch {
    throw invalid(`selector ${quoted(selector, 200)} is not valid CSS: correct it, or use a ref from page_snapshot`);
  }
}

export function matchOf(selector: string): Element {
  const el = bySelector(selector);
  if (el === null) throw refuse(`no element matches selector ${quoted(selector, 200)}: use a ref from page_snapshot`);
  return el;
}

export function find(target: Target): Element {
  if (target.ref !== undefined) return byRef(target.ref);
  if (target.selector !== undefined) return matchOf(target.selector);
  throw invalid('ref or selector is needed: take one from page_snapshot');
}

/** How errors call a target. */
export const called = (target: Target): string => target.ref ?? `selector ${quoted(target.selector ?? '', 200)}`;

/** `button "Pay now"`, as an outline would have it. */
export function shownAs(el: Element): string {
  const kind = isInteractive(el) ? null : structuralKind(el);
  const role = kind === null ? roleOf(el) : (explicitRole(el) ?? kind);
  const name = nameOf(el, kind === null || kind === 'heading' || FLOW_KINDS.has(kind));
  return name === '' ? role : `${role} ${quote(name, 40)}`;
}

const ACTIVATED = words('button input label summary select');

/** Who takes a click on an element: tools.md 6.6. */
export function activationTarget(el: Element): Element {
  for (let n: Element | null = el; n !== null; n = flatParent(n)) {
    const role = explicitRole(n);
    if (hrefOf(n) !== null || role === 'button' || role === 'link' || (isHtml(n) && ACTIVATED.has(localName(n)))) return n;
  }
  return el;
}

export const controlOf = (el: Element): Element => (isTag(el, 'label') ? (labelControl(el) ?? el) : el);

/** The IDL property where there is one; what cannot submit anything is a plain button. */
function buttonType(el: Element): string {
  if (!isHtml(el) || !/^(button|input|select|textarea|fieldset|output)$/.test(localName(el))) return '';
  const type = typeOf(el);
  return (type === 'submit' || type === 'image') && controlForm(el) === null ? 'button' : type;
}

const isSubmitter = (el: Element): boolean => /^(submit|image)$/.test(buttonType(el));

/**
 * The link or submitter that the browser activates when an element is clicked, null for none. What has only
 * the role of a button, or is a button of no form, activates nothing itself, and what is around it does.
 */
export function activated(target: Element): Element | null {
  let links = true;
  let labels = true;
  for (let n: Element | null = target; n !== null; n = flatParent(n)) {
    if (hrefOf(n) !== null) {
      if (links) return n;
      continue;
    }
    if (!isHtml(n)) continue;
    if (isTag(n, 'label')) {
      const control = labels ? labelControl(n) : null;
      if (control !== null && isSubmitter(control)) return control;
      // What a label does to its control keeps links around it from being followed.
      if (control !== null) links = false;
    } else if (isSubmitter(n)) return n;
    // These do something of their own, and what is around them nothing then.
    if ((isTag(n, 'input') || isTag(n, 'button')) && /^(checkbox|radio|reset)$/.test(typeOf(n))) return null;
    const outer = isTag(n, 'summary') ? flatParent(n) : null;
    if (outer !== null && isTag(outer, 'details')) return null;
    // A label leaves alone what is meant for a control in it.
    if (ACTIVATED.has(localName(n)) && !isTag(n, 'summary')) labels = false;
  }
  return null;
}

export function descriptorOf(target: Element): Descriptor {
  const does = activated(target);
  return {
    tagName: tagAsRole(target),
    role: roleOf(target),
    type: does !== null && isSubmitter(does) ? buttonType(does) : buttonType(controlOf(target)),
    hasHref: does !== null && hrefOf(does) !== null,
    name: clean(nameOf(target, isInteractive(target) || hasOwnText(target)), 120),
  };
}

export function sameDescriptor(a: Descriptor, b: Descriptor): boolean {
  return a.tagName === b.tagName && a.role === b.role && a.type === b.type && a.hasHref === b.hasHref && a.name === b.name;
}
