/**
 * Runs in a world of ours inside the page: what its fields hold that an outline hides (tools.md 6.3), and the
 * names of the accessibility tree without it. The source text is shipped, so it refers to nothing outside itself.
 *
 * The browser writes what a field holds into the name of what is around it or named by it, in dots only for a
 * password that shows. The tree is read between two looks at the page, which goes on meanwhile: a field that
 * hid its value at any moment of it, by either look or by a change that was told of, hides it throughout.
 */
export interface HiddenFields {
  /** The first look, and the beginning of listening. `closed` are nodes in trees that script does not get at. */
  watch(closed: readonly Node[]): void;
  /**
   * The second look and the end of it. `values` is what the tree says that `elements` hold, `vanished` what it
   * says of those that are gone since, of which nothing else is known.
   */
  settle(closed: readonly Node[], elements: readonly Element[], values: readonly string[], vanished: readonly string[]): void;
  /** The field that hides what an element shows: itself, or what it is a part of, of a date or an editor. */
  fieldOf(el: Element): Element | null;
  isSecret(el: Element): boolean;
  /** The name that the tree gives, without what a field hides. */
  nameOf(el: Element, name: string): string;
  valueOf(el: Element): string;
}

export function hiddenFields(): HiddenFields {
  const HTML = 'http://www.w3.org/1999/xhtml';
  const HIDDEN = '\u2022'.repeat(6);
  const TEXTLESS = ['checkbox', 'radio', 'file', 'button', 'submit', 'reset', 'image', 'hidden'];
  /** Types whose value the browser writes as it is held; others it spells in its own language. */
  const LITERAL = ['text', 'search', 'tel', 'url', 'email', 'number'];
  // What is named in a form or in a document is in the place of their own members, in this world too.
  const reader = <T>(type: { prototype: object }, name: string): ((of: object) => T) => {
    const get = Object.getOwnPropertyDescriptor(type.prototype, name)?.get;
    return (of) => (get === undefined ? undefined : Reflect.apply(get, of, [])) as T;
  };
  const nodeType = reader<number>(Node, 'nodeType');
  const parentNode = reader<Node | null>(Node, 'parentNode');
  const textContent = reader<string | null>(Node, 'textContent');
  const isConnected = reader<boolean>(Node, 'isConnected');
  const localName = reader<string>(Element, 'localName');
  const namespace = reader<string | null>(Element, 'namespaceURI');
  const shadowRoot = reader<ShadowRoot | null>(Element, 'shadowRoot');
  const assignedSlot = reader<Element | null>(Element, 'assignedSlot');
  const labelledBy = reader<Element[] | null | undefined>(Element, 'ariaLabelledByElements');
  const owns = reader<Element[] | null | undefined>(Element, 'ariaOwnsElements');
  const hostOf = reader<Element>(ShadowRoot, 'host');
  const editable = reader<boolean | undefined>(HTMLElement, 'isContentEditable');
  const innerText = reader<string | undefined>(HTMLElement, 'innerText');
  const inputType = reader<string>(HTMLInputElement, 'type');
  const inputValue = reader<string>(HTMLInputElement, 'value');
  const areaValue = reader<string>(HTMLTextAreaElement, 'value');
  const controlOf = reader<Element | null>(HTMLLabelElement, 'control');
  const optionLabel = reader<string>(HTMLOptionElement, 'label');
  const optionText = reader<string>(HTMLOptionElement, 'text');
  const chosen = reader<HTMLCollectionOf<HTMLOptionElement>>(HTMLSelectElement, 'selectedOptions');
  const attr = (el: Element, name: string): string | null => Element.prototype.getAttribute.call(el, name);
  const rootOf = (el: Node): Node => Node.prototype.getRootNode.call(el);
  const isHtml = (el: Element): boolean => namespace(el) === HTML;
  const isTag = (el: Element, name: string): boolean => localName(el) === name && isHtml(el);
  const below = (root: Node): ArrayLike<Element> & Iterable<Element> =>
    (nodeType(root) === 1 ? Element : nodeType(root) === 9 ? Document : DocumentFragment).prototype.querySelectorAll.call(root, '*');

  const isPassword = (el: Element): boolean => isTag(el, 'input') && inputType(el) === 'password';
  const hides = (autocomplete: string | null): boolean =>
    (autocomplete ?? '')
      .toLowerCase()
      .split(/\s+/)
      .some((word) => word === 'current-password' || word === 'new-password' || word === 'one-time-code' || word.startsWith('cc-'));
  const hidesNow = (el: Element): boolean => isPassword(el) || hides(attr(el, 'autocomplete'));
  const hasText = (el: Element): boolean => isHtml(el) && (['input', 'textarea', 'select'].includes(localName(el)) || editable(el) === true);
  const labelOf = (option: HTMLOptionElement): string => optionLabel(option) || optionText(option);
  const valueOf = (el: Element): string => {
    if (!isHtml(el)) return '';
    if (localName(el) === 'input') return TEXTLESS.includes(inputType(el)) ? '' : inputValue(el);
    if (localName(el) === 'textarea') return areaValue(el);
    if (localName(el) === 'select') {
      const option = chosen(el)[0];
      return option === undefined ? '' : labelOf(option);
    }
    return editable(el) === true ? (innerText(el) ?? '') : '';
  };
  /** All of it: a list may have several that are chosen, and an editor writes more than it shows. */
  const holdsOf = (el: Element): string[] => {
    if (isTag(el, 'select')) return Array.from(chosen(el), labelOf);
    return isTag(el, 'input') || isTag(el, 'textarea') ? [valueOf(el)] : [valueOf(el), textContent(el) ?? ''];
  };

  const bareOf = (text: string): string => text.replace(/\s+/g, '');
  /** What names must not hold, without its white space, which the tree writes in its own way. */
  const kept = new Set<string>();
  const keep = (text: string): void => {
    const value = bareOf(text);
    if (value !== '') kept.add(value);
  };
  /** Fields that hid their value at a moment of it. */
  const secrets = new Set<Element>();
  /** Passwords all along: the browser spells in dots what these hold, where they show. */
  const dotted = new Set<Element>();
  const isSecret = (el: Element): boolean => secrets.has(el) || hidesNow(el);
  const meet = (el: Element): void => {
    if (!hasText(el)) return;
    secrets.add(el);
    if (!dotted.has(el)) holdsOf(el).forEach(keep);
  };
  const observer = new MutationObserver((changes) => {
    for (const { type, target, attributeName, oldValue, removedNodes } of changes) {
      const el = target as Element;
      if (type === 'attributes') {
        const hid = attributeName === 'type' ? oldValue?.toLowerCase() === 'password' : hides(oldValue);
        if (!hid && !hidesNow(el)) continue;
        if (attributeName === 'type') dotted.delete(el);
        meet(el);
      }
      for (const gone of removedNodes)
        if (nodeType(gone) === 1)
          for (const was of [gone as Element, ...below(gone)])
            if (isSecret(was)) {
              dotted.delete(was);
              meet(was);
            }
    }
  });
  /** Every element that there is, those of open shadow trees and of the closed ones that nodes were handed in of. */
  function everyElement(closed: readonly Node[], visit: (el: Element) => void, enter: (root: Node) => void = () => undefined): void {
    const seen = new Set<Node>();
    const roots: Node[] = [...closed.map(rootOf), document];
    for (let root = roots.pop(); root !== undefined; root = roots.pop()) {
      // What left its tree is met where it was listened to.
      if (seen.has(root) || (nodeType(root) !== 9 && nodeType(root) !== 11)) continue;
      seen.add(root);
      enter(root);
      for (const el of below(root)) {
        const shadow = shadowRoot(el);
        if (shadow !== null) roots.push(shadow);
        visit(el);
      }
    }
  }

  const fields = new Map<Node, Element | null>();
  const fieldOf = (el: Element): Element | null => {
    const passed: Node[] = [];
    let field: Element | null = null;
    for (let n: Node | null = el; n !== null; n = !isConnected(n) ? null : nodeType(n) === 11 ? hostOf(n) : parentNode(n)) {
      const known = fields.get(n);
      if (known !== undefined) {
        field = known;
        break;
      }
      passed.push(n);
      if (nodeType(n) !== 1 || !hasText(n as Element) || !isSecret(n as Element)) continue;
      field = n as Element;
      break;
    }
    for (const n of passed) fields.set(n, field);
    return field;
  };

  /** Elements whose name may hold what a field hides in a form that nobody knows. */
  const unsafe = new Set<Element>();
  /** By id, by property, by label: who takes its name, or a part of it, from an element. */
  function referrers(closed: readonly Node[]): Map<Element, Element[]> {
    const of = new Map<Element, Element[]>();
    const put = (named: Element, by: Element | null | undefined): void => {
      if (by == null) return;
      const others = of.get(by);
      if (others === undefined) of.set(by, [named]);
      else others.push(named);
    };
    const byId = (el: Element, ids: string): void => {
      const root = rootOf(el);
      for (const id of ids.split(/\s+/))
        if (id !== '' && nodeType(root) !== 1) put(el, (nodeType(root) === 9 ? Document : DocumentFragment).prototype.getElementById.call(root, id));
    };
    everyElement(closed, (el) => {
      for (const [name, elements] of [['aria-labelledby', labelledBy], ['aria-owns', owns]] as const) {
        const ids = attr(el, name);
        if (ids === null) continue;
        byId(el, ids);
        for (const by of elements(el) ?? []) put(el, by);
      }
      if (!isTag(el, 'label')) return;
      const control = controlOf(el);
      if (control !== null) put(control, el);
    });
    return of;
  }
  /**
   * A field without a line has no value in the tree: what it adds to the names of others is what the browser
   * makes of it, a password in clear or a date in words.
   */
  function findUnsafe(closed: readonly Node[], elements: readonly Element[]): void {
    const told = new Set(elements);
    const untold = [...secrets].filter((el) => !told.has(el) && isConnected(el) && holdsOf(el).some((text) => bareOf(text) !== ''));
    if (untold.length === 0) return;
    const named = referrers(closed);
    const spells = (el: Element): boolean => isTag(el, 'input') && !LITERAL.includes(inputType(el)) && !isPassword(el);
    const seen = new Set<Element>();
    // What does not show adds nothing to what is around it, only to what points there.
    const todo = untold.map((el) => ({ node: el as Node | null, adds: spells(el) && Element.prototype.getClientRects.call(el).length > 0 && attr(el, 'aria-hidden') !== 'true' }));
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      const { node, adds } = next;
      if (node === null) continue;
      if (nodeType(node) === 11) {
        todo.push({ node: (hostOf(node) as Element | undefined) ?? null, adds });
        continue;
      }
      if (nodeType(node) !== 1) continue;
      const el = node as Element;
      if (adds ? unsafe.has(el) : seen.has(el)) continue;
      seen.add(el);
      if (adds) unsafe.add(el);
      for (const other of named.get(el) ?? []) todo.push({ node: other, adds: true });
      todo.push({ node: parentNode(el), adds }, { node: assignedSlot(el), adds });
    }
  }

  let longestFirst: string[] = [];
  const isWord = (sign: string | undefined): boolean => sign !== undefined && /[\p{L}\p{N}]/u.test(sign);
  function without(name: string, value: string): string {
    const bare = bareOf(name);
    if (!bare.includes(value)) return name;
    const places: number[] = [];
    for (let at = 0; at < name.length; at += 1) if (!/\s/.test(name[at]!)) places.push(at);
    let text = '';
    let done = 0;
    for (let at = bare.indexOf(value); at >= 0; at = bare.indexOf(value, at)) {
      const from = places[at]!;
      const to = places[at + value.length - 1]! + 1;
      // So short a one is in half of all words.
      if (value.length < 3 && (isWord(name[from - 1]) || isWord(name[to]))) at += 1;
      else {
        text += name.slice(done, from) + HIDDEN;
        done = to;
        at += value.length;
      }
    }
    return text + name.slice(done);
  }

  return {
    watch(closed) {
      // Should nobody come back: no reading lasts as long.
      setTimeout(() => observer.disconnect(), 60_000);
      everyElement(
        closed,
        (el) => {
          if (!hidesNow(el)) return;
          if (isPassword(el)) dotted.add(el);
          meet(el);
        },
        (root) => observer.observe(root, { subtree: true, childList: true, attributes: true, attributeOldValue: true, attributeFilter: ['type', 'autocomplete'] }),
      );
    },
    settle(closed, elements, values, vanished) {
      observer.disconnect();
      for (const el of dotted) if (!isPassword(el)) dotted.delete(el);
      everyElement(closed, (el) => {
        if (hidesNow(el)) meet(el);
      });
      for (const el of secrets) meet(el);
      vanished.forEach(keep);
      for (const [at, el] of elements.entries()) {
        if (nodeType(el) !== 1) continue;
        const field = fieldOf(el);
        if (field === null ? isConnected(el) : dotted.has(field)) continue;
        // The browser spells a date by its parts, each an element of its own.
        keep(values[at] ?? '');
        if (field === null) continue;
        if (field !== el) keep(textContent(el) ?? '');
        meet(field);
      }
      findUnsafe(closed, elements);
      longestFirst = [...kept].sort((a, b) => b.length - a.length);
    },
    fieldOf,
    isSecret,
    valueOf,
    nameOf(el, name) {
      if (name === '') return '';
      const field = fieldOf(el);
      // A part of an editor may be called by a part of the text.
      if (field !== null && field !== el && editable(field) === true) return '';
      if (unsafe.has(el)) return HIDDEN;
      // Dots tell how long a password is.
      return longestFirst.reduce(without, name.replace(/\s+/g, ' ')).replace(/\u2022{2,}/g, HIDDEN);
    },
  };
}
