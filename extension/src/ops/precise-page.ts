/**
 * Functions that run in a world of ours inside the page. Their source text is shipped, so each refers to
 * nothing outside itself.
 */
import type { HiddenFields } from './precise-fields';

export function whereAmI(): { origin: string; url: string; title: string } {
  // What is named in a document is in the place of its own members.
  const title: unknown = Object.getOwnPropertyDescriptor(Document.prototype, 'title')?.get?.call(document);
  return { origin: self.origin, url: location.href, title: String(title) };
}

export interface StampedNode {
  /** Number of its ref; null for what can be read and not acted on. */
  ref: number | null;
  tag: string;
  value: string;
  /** The value is one that an outline hides. */
  hidden: boolean;
  options: { labels: string[]; rest: number } | null;
  /** Of a frame of another origin, by its `src`. */
  origin: string;
  /** As it was given, without what a field holds that an outline hides. */
  name: string;
}

/**
 * Numbers the elements by an attribute and reads what the tree does not tell; null for those that left the
 * document. All numbers in the document and its open shadow trees are read first; the first element with a
 * number keeps it. `names` are the tree's, in the order of the elements.
 */
export function stampNodes(
  fields: HiddenFields,
  attribute: string,
  above: number,
  canAct: boolean,
  names: readonly string[],
  elements: readonly Element[],
): (StampedNode | null)[] {
  const HTML = 'http://www.w3.org/1999/xhtml';
  const FORM = /^[1-9][0-9]{0,5}$/;
  // What is named in a form or in a document is in the place of their own members, in this world too.
  const reader = <T>(type: { prototype: object }, name: string): ((of: object) => T) => {
    const get = Object.getOwnPropertyDescriptor(type.prototype, name)?.get;
    return (of) => (get === undefined ? undefined : Reflect.apply(get, of, [])) as T;
  };
  const readerOf = <T>(types: Record<string, { prototype: object }>, name: string): ((of: Element) => T) => {
    const readers: Record<string, (of: object) => T> = {};
    for (const tag of Object.keys(types)) readers[tag] = reader<T>(types[tag]!, name);
    return (of) => readers[localName(of)]!(of);
  };
  const nodeType = reader<number>(Node, 'nodeType');
  const ownerDocument = reader<Document>(Node, 'ownerDocument');
  const isConnected = reader<boolean>(Node, 'isConnected');
  const baseUri = reader<string>(Node, 'baseURI');
  const localName = reader<string>(Element, 'localName');
  const namespace = reader<string | null>(Element, 'namespaceURI');
  const shadowRoot = reader<ShadowRoot | null>(Element, 'shadowRoot');
  const hostOf = reader<Element>(ShadowRoot, 'host');
  const optionLabel = reader<string>(HTMLOptionElement, 'label');
  const optionText = reader<string>(HTMLOptionElement, 'text');
  const options = reader<HTMLOptionsCollection>(HTMLSelectElement, 'options');
  const frames = { iframe: HTMLIFrameElement, frame: HTMLFrameElement };
  const inner = readerOf<Document | null>(frames, 'contentDocument');
  const source = readerOf<string>(frames, 'src');
  const attr = (el: Element, name: string): string | null => Element.prototype.getAttribute.call(el, name);
  const isHtml = (el: Element): boolean => namespace(el) === HTML;
  const numberOf = (el: Element): number | null => {
    const text = attr(el, attribute);
    return text !== null && /^p/.test(text) && FORM.test(text.slice(1)) ? Number(text.slice(1)) : null;
  };
  const owners = new Map<number, Element>();
  let next = above;
  const roots: (Document | ShadowRoot)[] = [document];
  for (let root = roots.pop(); root !== undefined; root = roots.pop())
    for (const el of (root === document ? Document : DocumentFragment).prototype.querySelectorAll.call(root, '*')) {
      const shadow = shadowRoot(el);
      if (shadow !== null) roots.push(shadow);
      const number = numberOf(el);
      if (number === null) continue;
      if (number > next) next = number;
      if (!owners.has(number)) owners.set(number, el);
    }
  /** Below a root that is closed, or the browser's own: asking such a one for its `mode` ends the renderer. */
  const below = (el: Element): boolean => {
    const rootOf = (node: Node): Node => Node.prototype.getRootNode.call(node);
    for (let root = rootOf(el); root !== document; ) {
      if (nodeType(root) !== 11) return true;
      const host = hostOf(root);
      if (shadowRoot(host) !== root) return true;
      root = rootOf(host);
    }
    return false;
  };
  const refFor = (el: Element): number | null => {
    if (!canAct || ownerDocument(el) !== document || below(el)) return null;
    // These stand in the line of their select.
    if (localName(el) === 'option' || localName(el) === 'optgroup') return null;
    const has = numberOf(el);
    if (has !== null && owners.get(has) === el) return has;
    next += 1;
    owners.set(next, el);
    Element.prototype.setAttribute.call(el, attribute, `p${next}`);
    return next;
  };
  const originOf = (el: Element): string => {
    if ((localName(el) !== 'iframe' && localName(el) !== 'frame') || !isHtml(el)) return '';
    try {
      if (inner(el) !== null) return '';
      const url = new URL(source(el), baseUri(document));
      return url.protocol === 'http:' || url.protocol === 'https:' ? url.origin : '';
    } catch {
      return '';
    }
  };
  const optionsOf = (el: Element): StampedNode['options'] => {
    if (localName(el) !== 'select' || !isHtml(el)) return null;
    const all = Array.from(options(el));
    return { labels: all.slice(0, 20).map((option) => optionLabel(option) || optionText(option)), rest: Math.max(all.length - 20, 0) };
  };
  return elements.map((el, at) => {
    if (!isConnected(el)) return null;
    if (nodeType(el) !== 1) return { ref: null, tag: '', value: '', hidden: false, options: null, origin: '', name: names[at] ?? '' };
    const value = fields.valueOf(el);
    const hidden = fields.fieldOf(el) !== null || fields.isSecret(el);
    return {
      ref: refFor(el),
      tag: isHtml(el) ? localName(el) : '',
      // A secret is not even read out of the page.
      value: hidden && value !== '' ? '*' : value.slice(0, 1000),
      hidden,
      options: optionsOf(el),
      origin: originOf(el),
      name: fields.nameOf(el, names[at] ?? ''),
    };
  });
}
