/**
 * Functions that run in a world of ours inside the page. Their source text is shipped, so each refers to
 * nothing outside itself.
 */

export function whereAmI(): { origin: string; url: string; title: string } {
  return { origin: self.origin, url: location.href, title: document.title };
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
 */
export function stampNodes(attribute: string, above: number, canAct: boolean, names: string[], ...elements: Element[]): StampedNode[] {
  const HTML = 'http://www.w3.org/1999/xhtml';
  const HIDDEN = '\u2022'.repeat(6);
  const FORM = /^[1-9][0-9]{0,5}$/;
  const numberOf = (el: Element): number | null => {
    const text = el.getAttribute(attribute);
    return text !== null && /^p/.test(text) && FORM.test(text.slice(1)) ? Number(text.slice(1)) : null;
  };
  const owners = new Map<number, Element>();
  const fields: Element[] = [];
  let next = above;
  const roots: (Document | ShadowRoot)[] = [document];
  for (let root = roots.pop(); root !== undefined; root = roots.pop())
    for (const el of root.querySelectorAll('*')) {
      if (el.shadowRoot !== null) roots.push(el.shadowRoot);
      if (el.hasAttribute('autocomplete')) fields.push(el);
      const number = el.hasAttribute(attribute) ? numberOf(el) : null;
      if (number === null) continue;
      if (number > next) next = number;
      if (!owners.has(number)) owners.set(number, el);
    }
  /** Below a root that is closed, or the browser's own: asking such a one for its `mode` ends the renderer. */
  const below = (el: Element): boolean => {
    for (let root = el.getRootNode(); root !== document; ) {
      const host = (root as ShadowRoot).host as Element | undefined;
      if (host === undefined || host.shadowRoot !== root) return true;
      root = host.getRootNode();
    }
    return false;
  };
  const refFor = (el: Element): number | null => {
    if (!canAct || el.ownerDocument !== document || !el.isConnected || below(el)) return null;
    // These stand in the line of their select.
    if (el.localName === 'option' || el.localName === 'optgroup') return null;
    const has = numberOf(el);
    if (has !== null && owners.get(has) === el) return has;
    next += 1;
    owners.set(next, el);
    el.setAttribute(attribute, `p${next}`);
    return next;
  };
  const secret = (el: Element): boolean =>
    (el.localName === 'input' && (el as HTMLInputElement).type === 'password') ||
    (el.getAttribute('autocomplete') ?? '')
      .toLowerCase()
      .split(/\s+/)
      .some((word) => word === 'current-password' || word === 'new-password' || word === 'one-time-code' || word.startsWith('cc-'));
  const TEXTLESS = ['checkbox', 'radio', 'file', 'button', 'submit', 'reset', 'image', 'hidden'];
  const labelOf = (option: HTMLOptionElement): string => option.label || option.text;
  const valueOf = (el: Element): string => {
    if (el.namespaceURI !== HTML) return '';
    if (el.localName === 'input') return TEXTLESS.includes((el as HTMLInputElement).type) ? '' : (el as HTMLInputElement).value;
    if (el.localName === 'textarea') return (el as HTMLTextAreaElement).value;
    if (el.localName === 'select') {
      const option = (el as HTMLSelectElement).selectedOptions[0];
      return option === undefined ? '' : labelOf(option);
    }
    return (el as HTMLElement).isContentEditable === true ? ((el as HTMLElement).innerText ?? '') : '';
  };
  const originOf = (el: Element): string => {
    if (el.localName !== 'iframe' && el.localName !== 'frame') return '';
    try {
      if ((el as HTMLIFrameElement).contentDocument !== null) return '';
      const url = new URL((el as HTMLIFrameElement).src, document.baseURI);
      return url.protocol === 'http:' || url.protocol === 'https:' ? url.origin : '';
    } catch {
      return '';
    }
  };
  const optionsOf = (el: Element): StampedNode['options'] => {
    if (el.localName !== 'select' || el.namespaceURI !== HTML) return null;
    const all = Array.from((el as HTMLSelectElement).options);
    return { labels: all.slice(0, 20).map(labelOf), rest: Math.max(all.length - 20, 0) };
  };
  const held = new Set<string>();
  const hold = (el: Element): void => {
    // What a field of type password holds the browser itself spells in dots.
    if (el.nodeType !== 1 || (el as HTMLInputElement).type === 'password' || !secret(el)) return;
    const value = valueOf(el).replace(/\s+/g, ' ').trim();
    if (value !== '') held.add(value);
  };
  fields.forEach(hold);
  // Those below closed roots are met here alone.
  elements.forEach(hold);
  const longestFirst = [...held].sort((a, b) => b.length - a.length);
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
    const element = el.nodeType === 1;
    const hidden = element && secret(el);
    return {
      ref: element ? refFor(el) : null,
      tag: element && el.namespaceURI === HTML ? el.localName : '',
      // A secret is not even read out of the page.
      value: !element ? '' : hidden ? (valueOf(el) === '' ? '' : '*') : valueOf(el).slice(0, 1000),
      hidden,
      options: element ? optionsOf(el) : null,
      origin: element ? originOf(el) : '',
      name: without(names[at] ?? ''),
    };
  });
}
