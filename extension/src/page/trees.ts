/** Elements, and the flat tree that they are shown in. */
import { instance } from './instance';
import {
  assignedNodes,
  documentAll,
  documentById,
  elementAll,
  elementSlot,
  firstChild,
  firstElement,
  firstInFragment,
  fragmentAll,
  fragmentById,
  localName,
  namespace,
  nextElement,
  nextSibling,
  nodeType,
  parentNode,
  rootNode,
  shadowHost,
  textSlot,
} from './natives';
import { seen } from './seen';
import { words } from './text';

const ELEMENT = 1;
export const TEXT = 3;
export const DOCUMENT = 9;
export const FRAGMENT = 11;
const XHTML = 'http://www.w3.org/1999/xhtml';
export const SVG = 'http://www.w3.org/2000/svg';

/** Besides custom elements, only these can have a shadow root that is not the browser's own. */
const CAN_HOST = words('article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span');

export const isHtml = (el: Element): boolean => namespace(el) === XHTML;
export const isTag = (el: Element, name: string): boolean => localName(el) === name && isHtml(el);
export const isElement = (node: Node): node is Element => nodeType(node) === ELEMENT;

export function shadowOf(el: Element): ShadowRoot | null {
  const name = localName(el);
  return (CAN_HOST.has(name) || name.includes('-')) && isHtml(el) ? instance.get().rootOf(el) : null;
}

export const queryAll = (root: Node, selector: string): NodeListOf<Element> =>
  nodeType(root) === ELEMENT ? elementAll(root, selector) : nodeType(root) === FRAGMENT ? fragmentAll(root, selector) : documentAll(root, selector);

export function listOf(first: Node | null): Node[] {
  const nodes: Node[] = [];
  for (let n = first; n !== null; n = nextSibling(n)) nodes.push(n);
  return nodes;
}

function elementsOf(first: Element | null): Element[] {
  const elements: Element[] = [];
  for (let e = first; e !== null; e = nextElement(e)) elements.push(e);
  return elements;
}

/** Children in the flat tree: a shadow root's in place of the host's, assigned nodes in place of a slot's. */
export function flatChildren(el: Element): Node[] {
  const shadow = shadowOf(el);
  if (shadow !== null) return listOf(firstChild(shadow));
  if (isTag(el, 'slot')) {
    const assigned = assignedNodes(el);
    if (assigned.length > 0) return assigned;
  }
  return listOf(firstChild(el));
}

/** As `flatChildren`, the elements alone. */
export function flatElements(el: Element): Element[] {
  const shadow = shadowOf(el);
  if (shadow !== null) return elementsOf(firstInFragment(shadow));
  if (isTag(el, 'slot')) {
    const assigned = assignedNodes(el);
    if (assigned.length > 0) return assigned.filter(isElement);
  }
  return elementsOf(firstElement(el));
}

/** The slot that a child of a host is assigned to. `assignedSlot` does not tell those of closed roots. */
export function slotOf(node: Node, shadow: ShadowRoot): Element | null {
  const open = nodeType(node) === ELEMENT ? elementSlot(node) : nodeType(node) === TEXT ? textSlot(node) : null;
  if (open !== null) return open;
  let assigned = seen.get().slots.get(shadow);
  if (assigned === undefined) {
    assigned = new Map();
    for (const slot of fragmentAll(shadow, 'slot')) if (isHtml(slot)) for (const n of assignedNodes(slot)) assigned.set(n, slot);
    seen.get().slots.set(shadow, assigned);
  }
  return assigned.get(node) ?? null;
}

/** The element around a node in the flat tree, null at the top of a document. */
export function flatParent(node: Node): Element | null {
  const parent = parentNode(node);
  if (parent === null) return null;
  if (nodeType(parent) === FRAGMENT) return (shadowHost(parent) as Element | undefined) ?? null;
  if (!isElement(parent)) return null;
  const shadow = shadowOf(parent);
  return (shadow === null ? null : slotOf(node, shadow)) ?? parent;
}

export function flatContains(outer: Element, inner: Element): boolean {
  for (let n: Element | null = inner; n !== null; n = flatParent(n)) if (n === outer) return true;
  return false;
}

/** Whether the text of an element is a value that must not be shown, or a part of one. */
export function isWithheld(el: Element): boolean {
  const { secrets } = seen.get();
  if (secrets.size === 0) return false;
  for (let n: Element | null = el; n !== null; n = flatParent(n)) if (secrets.has(n)) return true;
  return false;
}

/** Looks up an id in the tree that an element is in. */
export function inOwnTree(el: Element, id: string): Element | null {
  const root = rootNode(el);
  if (id === '') return null;
  return nodeType(root) === FRAGMENT ? fragmentById(root, id) : nodeType(root) === DOCUMENT ? documentById(root, id) : null;
}
