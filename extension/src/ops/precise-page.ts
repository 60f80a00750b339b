/**
 * Functions that run in a world of ours inside the page. Their source text is shipped, so each refers to
 * nothing outside itself.
 */

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
 * Numbers the elements by an attribute and reads what the tree does not tell. All numbers in the
 * document and its open shadow trees are read first; the first element with a number keeps it.
 *
 * `names` and `values` are the tree's, in the order of the elements. `before` is what fields held that an
 * outline hides when it was asked for without names: names are as old as their tree, and a page empties a
 * field, or a person types on, before it is looked at again.
 */
export function stampNodes(attribute: string, above: number, canAct: boolean, names: null): string[];
export function stampNodes(attribute: string, above: number, canAct: boolean, names: string[], values: string[], before: string[], ...elements: Element[]): StampedNode[];
export function stampNodes(
  attribute: string,
  above: number,
  canAct: boolean,
  names: string[] | null,
  values: string[] = [],
  before: string[] = [],
  ...elements: Element[]
): StampedNode[] | string[] {
  const HTML = 'http://www.w3.org/1999/xhtml';
  const HIDDEN = '\u2022'.repeat(6);
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
  const parentNode = reader<Node | null>(Node, 'parentNode');
  const textContent = reader<string | null>(Node, 'textContent');
  const ownerDocument = reader<Document>(Node, 'ownerDocument');
  const isConnected = reader<boolean>(Node, 'isConnected');
  const baseUri = reader<string>(Node, 'baseURI');
  const localName = reader<string>(Element, 'localName');
  const namespace = reader<string | null>(Element, 'namespaceURI');
  const shadowRoot = reader<ShadowRoot | null>(Element, 'shadowRoot');
  const hostOf = reader<Element>(ShadowRoot, 'host');
  const editable = reader<boolean | undefined>(HTMLElement, 'isContentEditable');
  const innerText = reader<string | undefined>(HTMLElement, 'innerText');
  const inputType = reader<string>(HTMLInputElement, 'type');
  const optionLabel = reader<string>(HTMLOptionElement, 'label');
  const optionText = reader<string>(HTMLOptionElement, 'text');
  const chosen = reader<HTMLCollectionOf<HTMLOptionElement>>(HTMLSelectElement, 'selectedOptions');
  const options = reader<HTMLOptionsCollection>(HTMLSelectElement, 'options');
  const held = readerOf<string>({ input: HTMLInputElement, textarea: HTMLTextAreaElement }, 'value');
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
  const fields: Element[] = [];
  let next = above;
  const roots: (Document | ShadowRoot)[] = [document];
  for (let root = roots.pop(); root !== undefined; root = roots.pop())
    for (const el of (root === document ? Document : DocumentFragment).prototype.querySelectorAll.call(root, '*')) {
      const shadow = shadowRoot(el);
      if (shadow !== null) roots.push(shadow);
      if (attr(el, 'autocomplete') !== null) fields.push(el);
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
    if (!canAct || ownerDocument(el) !== document || !isConnected(el) || below(el)) return null;
    // These stand in the line of their select.
    if (localName(el) === 'option' || localName(el) === 'optgroup') return null;
    const has = numberOf(el);
    if (has !== null && owners.get(has) === el) return has;
    next += 1;
    owners.set(next, el);
    Element.prototype.setAttribute.call(el, attribute, `p${next}`);
    return next;
  };
  const isPassword = (el: Element): boolean => localName(el) === 'input' && isHtml(el) && inputType(el) === 'password';
  const secret = (el: Element): boolean =>
    isPassword(el) ||
    (attr(el, 'autocomplete') ?? '')
      .toLowerCase()
      .split(/\s+/)
      .some((word) => word === 'current-password' || word === 'new-password' || word === 'one-time-code' || word.startsWith('cc-'));
  const TEXTLESS = ['checkbox', 'radio', 'file', 'button', 'submit', 'reset', 'image', 'hidden'];
  const labelOf = (option: HTMLOptionElement): string => optionLabel(option) || optionText(option);
  const valueOf = (el: Element): string => {
    if (!isHtml(el)) return '';
    if (localName(el) === 'input') return TEXTLESS.includes(inputType(el)) ? '' : held(el);
    if (localName(el) === 'textarea') return held(el);
    if (localName(el) === 'select') {
      const option = chosen(el)[0];
      return option === undefined ? '' : labelOf(option);
    }
    return editable(el) === true ? (innerText(el) ?? '') : '';
  };
  /** All of it: a list may have several that are chosen. */
  const holdsOf = (el: Element): string[] => (isHtml(el) && localName(el) === 'select' ? Array.from(chosen(el), labelOf) : [valueOf(el)]);
  const hasText = (el: Element): boolean => isHtml(el) && (['input', 'textarea', 'select'].includes(localName(el)) || editable(el) === true);
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
    return { labels: all.slice(0, 20).map(labelOf), rest: Math.max(all.length - 20, 0) };
  };
  const fieldsOf = new Map<Node, Element | null>();
  /** The field that hides what an element shows: itself, or what it is a part of, of a date or an editor. */
  const fieldOf = (el: Element): Element | null => {
    const passed: Node[] = [];
    let field: Element | null = null;
    for (let n: Node | null = el; n !== null; n = !isConnected(n) ? null : nodeType(n) === 11 ? hostOf(n) : parentNode(n)) {
      const known = fieldsOf.get(n);
      if (known !== undefined) {
        field = known;
        break;
      }
      passed.push(n);
      if (nodeType(n) !== 1 || !hasText(n as Element) || !secret(n as Element)) continue;
      field = n as Element;
      break;
    }
    for (const n of passed) fieldsOf.set(n, field);
    return field;
  };
  const kept = new Set(before);
  const keep = (text: string): void => {
    const value = text.replace(/\s+/g, ' ').trim();
    if (value !== '') kept.add(value);
  };
  // What a field of type password holds the browser itself spells in dots.
  for (const el of fields) if (secret(el) && !isPassword(el)) holdsOf(el).forEach(keep);
  if (names === null) return [...kept];
  // Those below closed roots are met here alone.
  for (const [at, el] of elements.entries()) {
    const field = nodeType(el) === 1 ? fieldOf(el) : null;
    if (field === null || isPassword(field)) continue;
    // The browser spells a date by its parts, each an element of its own.
    keep(field === el ? (values[at] ?? '') : (textContent(el) ?? ''));
    holdsOf(el).forEach(keep);
  }
  const longestFirst = [...kept].sort((a, b) => b.length - a.length);
  /** The browser writes what a field holds into the name of what is around it, or named by it. */
  const without = (name: string): string => {
    let text = name.replace(/\s+/g, ' ');
    for (const value of longestFirst) {
      if (!text.includes(value)) continue;
      // So short a one is in half of all words.
      const alone = `(?<![\\p{L}\\p{N}])${value.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?![\\p{L}\\p{N}])`;
      text = value.length < 3 ? text.replace(new RegExp(alone, 'gu'), HIDDEN) : text.split(value).join(HIDDEN);
    }
    return text;
  };
  return elements.map((el, at) => {
    const element = nodeType(el) === 1;
    const field = element ? fieldOf(el) : null;
    const hidden = element && (field !== null || secret(el));
    return {
      ref: element ? refFor(el) : null,
      tag: element && isHtml(el) ? localName(el) : '',
      // A secret is not even read out of the page.
      value: !element ? '' : hidden ? (valueOf(el) === '' ? '' : '*') : valueOf(el).slice(0, 1000),
      hidden,
      options: element ? optionsOf(el) : null,
      origin: element ? originOf(el) : '',
      // A part of an editor may be called by a part of the text.
      name: field !== null && field !== el && editable(field) === true ? '' : without(names[at] ?? ''),
    };
  });
}
