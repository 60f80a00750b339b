/** One pass over all trees of the instance. */
import { documentIn, isFrame } from './frames';
import { instance } from './instance';
import { attr, documentAll, hasAttr, hasAttrs, localName, nodeType } from './natives';
import { isEditable } from './roles';
import { seen, type Survey, unseen } from './seen';
import { words } from './text';
import { DOCUMENT, flatParent, queryAll, shadowOf } from './trees';
import { isSecret } from './values';

const BRINGS_MORE = words('iframe frame slot');

export function numberIn(value: string | null): number {
  return value !== null && /^e[1-9]\d{0,5}$/.test(value) ? Number(value.slice(1)) : 0;
}

function mark(special: Set<Element>, el: Element): void {
  for (let n: Element | null = el; n !== null && !special.has(n); n = flatParent(n)) special.add(n);
}

/**
 * Looks at every element of every document and shadow tree; a tree inside one comes right after its
 * element. `inner` is the shadow root or the document that the element brings along.
 */
export function everyElement(visit: (el: Element, inner: ShadowRoot | Document | null) => void): void {
  const stack: Array<{ list: NodeListOf<Element>; at: number }> = [{ list: documentAll(document, '*'), at: 0 }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const el = top.list[top.at++];
    if (el === undefined) {
      stack.pop();
      continue;
    }
    const inner = isFrame(el) ? documentIn(el) : shadowOf(el);
    visit(el, inner);
    if (inner !== null) stack.push({ list: queryAll(inner, '*'), at: 0 });
  }
}

export function survey(): Survey {
  const s = unseen();
  seen.set(s);
  everyElement((el, inner) => {
    const n = hasAttrs(el) ? numberIn(attr(el, instance.get().refAttr)) : 0;
    if (n > 0) {
      const others = s.carriers.get(n);
      if (others === undefined) s.carriers.set(n, [el]);
      else others.push(el);
    }
    const secret = hasAttr(el, 'autocomplete') && isSecret(el) && isEditable(el);
    if (secret) s.secrets.add(el);
    if (secret || inner !== null || BRINGS_MORE.has(localName(el))) mark(s.special, el);
    if (inner !== null && nodeType(inner) === DOCUMENT) s.documents.push(inner as Document);
  });
  return s;
}
