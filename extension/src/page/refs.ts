/** The numbers of elements. */
import { cell } from '../cell';
import { reaches } from './frames';
import { instance } from './instance';
import { attr, dropAttr, isConnected, nodeType, ownerDocument, rootNode, setAttr, shadowHost, shadowMode } from './natives';
import { invalid, refuse } from './refusals';
import type { Survey } from './seen';
import { everyElement, numberIn } from './survey';
import { quoted } from './text';
import { FRAGMENT } from './trees';

const MAX_NUMBER = 999_999;
const given = cell(() => new Map<number, WeakRef<Element>>());
const numberOf = cell(() => new WeakMap<Element, number>());
const highest = cell(() => 0);

/** The element that this instance gave a number to, while it is still where it can be acted on. */
function holder(n: number): Element | null {
  const el = given.get().get(n)?.deref();
  return el !== undefined && isConnected(el) && reaches(ownerDocument(el)) ? el : null;
}

interface Numbering {
  owner: Map<number, Element>;
  next: number;
}

/**
 * Who owns which number before new ones are given. An element that this instance numbered keeps its
 * number whatever copies of it the page makes; among strangers the first in the walk does.
 */
export function numbering(s: Survey): Numbering {
  const owner = new Map<number, Element>();
  for (const n of given.get().keys()) {
    const el = holder(n);
    if (el === null) given.get().delete(n);
    else owner.set(n, el);
  }
  for (const [n, carriers] of s.carriers) {
    const first = owner.get(n) ?? carriers[0];
    if (first === undefined) continue;
    owner.set(n, first);
    highest.set(Math.max(highest.get(), n));
    for (const other of carriers) if (other !== first) dropAttr(other, instance.get().refAttr);
  }
  return { owner, next: highest.get() + 1 };
}

/** A page can plant the last number; then those that are free come next. */
function freeNumber(numbers: Numbering): number {
  while (numbers.next > MAX_NUMBER || numbers.owner.has(numbers.next)) numbers.next = numbers.next > MAX_NUMBER ? 1 : numbers.next + 1;
  return numbers.next++;
}

export function refFor(el: Element, numbers: Numbering): string {
  const had = numberIn(attr(el, instance.get().refAttr)) || (numberOf.get().get(el) ?? 0);
  const keeps = had > 0 && (numbers.owner.get(had) ?? el) === el;
  const n = keeps ? had : freeNumber(numbers);
  numbers.owner.set(n, el);
  given.get().set(n, new WeakRef(el));
  numberOf.get().set(el, n);
  highest.set(Math.max(highest.get(), n));
  if (attr(el, instance.get().refAttr) !== `e${n}`) setAttr(el, instance.get().refAttr, `e${n}`);
  return `e${n}`;
}

function carriersOf(name: string, value: string): Element[] {
  const found: Element[] = [];
  everyElement((el) => {
    if (attr(el, name) === value) found.push(el);
  });
  return found;
}

export function byRef(ref: string): Element {
  const form = /^(?:(?:f[1-9]\d{0,7})?(e)|(p))([1-9]\d*)$/.exec(ref);
  if (form === null) throw invalid(`ref ${quoted(ref, 40)} is malformed: use one from a page_snapshot, such as e12`);
  const precise = form[2] === 'p';
  const held = precise ? null : holder(Number(form[3]));
  if (held !== null) return held;
  let found = carriersOf(precise ? instance.get().preciseAttr : instance.get().refAttr, `${precise ? 'p' : 'e'}${form[3]}`);
  if (precise) found = found.filter(inOpenTree);
  if (found.length > 1) throw refuse(`ref ${ref} is ambiguous, ${found.length} elements carry it: take a new page_snapshot`);
  if (found[0] === undefined) throw refuse(`ref ${ref} not found: take a new page_snapshot`);
  return found[0];
}

/** In the document of the instance, through open shadow roots alone. */
function inOpenTree(el: Element): boolean {
  let root = rootNode(el);
  while (nodeType(root) === FRAGMENT) {
    if (shadowMode(root) !== 'open') return false;
    root = rootNode(shadowHost(root));
  }
  return root === document;
}
