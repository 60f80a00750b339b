import type {
  CreatePageApi,
  Descriptor,
  FillProbe,
  FrameSlot,
  PageApi,
  PageData,
  PageErrorCode,
  PageFailure,
} from '../page-channel';

/**
 * The one implementation of everything that genkan reads from a document and does to it.
 *
 * This is a single function that refers to nothing outside itself, because its source text is
 * shipped: the content script runs it in the isolated world, the debugger backend evaluates
 * `(<source>)(…).<method>(<JSON>)` in the page's own world. It cannot be spread over modules without
 * a build step between what is read here and what runs, so it is long. Its parts, in this order:
 *
 *   natives · refusals · text · trees · frames · survey · facts · names · values and states ·
 *   refs · outline · prose · targets · click · fill · editors · other acts · web storage · waiting · methods
 *
 * Three habits hold everywhere. Elements are told apart by namespace and local name, never by
 * `instanceof`, since nodes move between realms. What a form or a document offers is read through the
 * prototypes' accessors, since `<input name="parentNode">` shadows the property in every world. And
 * nothing recurses over the depth of the page, which the page chooses.
 */
export const createPageApi: CreatePageApi = (refAttr, preciseAttr, rootOf) => {
  // ------------------------------------------------------------------------------------------- //
  // Natives

  type Reader<T> = (of: object) => T;

  const apply = Reflect.apply;
  const accessor = Object.getOwnPropertyDescriptor;

  /** The getter of a prototype; where there is none, plain access. */
  function getter<T>(owner: object | undefined, name: string): Reader<T> {
    const get = owner === undefined ? undefined : accessor(owner, name)?.get;
    if (get === undefined) return (of) => (of as Record<string, T>)[name] as T;
    return (of) => apply(get, of, []) as T;
  }

  /** A method of a prototype, called on whatever it is given. */
  function method<A extends unknown[], T>(owner: object | undefined, name: string): (of: object, ...args: A) => T {
    const fn = owner === undefined ? undefined : (owner as Record<string, unknown>)[name];
    if (typeof fn !== 'function') return (of, ...args) => (of as Record<string, (...a: A) => T>)[name]!(...args);
    return (of, ...args) => apply(fn, of, args) as T;
  }

  const nodeProto = Node.prototype;
  const elementProto = Element.prototype;
  const htmlProto = HTMLElement.prototype;
  const documentProto = Document.prototype;
  const shadowProto = typeof ShadowRoot === 'undefined' ? undefined : ShadowRoot.prototype;

  const parentNode = getter<Node | null>(nodeProto, 'parentNode');
  const firstChild = getter<Node | null>(nodeProto, 'firstChild');
  const nextSibling = getter<Node | null>(nodeProto, 'nextSibling');
  const nodeType = getter<number>(nodeProto, 'nodeType');
  const nodeText = getter<string | null>(nodeProto, 'nodeValue');
  const textContent = getter<string | null>(nodeProto, 'textContent');
  const isConnected = getter<boolean>(nodeProto, 'isConnected');
  const ownerDocument = getter<Document>(nodeProto, 'ownerDocument');
  const rootNode = method<[], Node>(nodeProto, 'getRootNode');

  const localName = getter<string>(elementProto, 'localName');
  const namespace = getter<string | null>(elementProto, 'namespaceURI');
  const attr = method<[string], string | null>(elementProto, 'getAttribute');
  const hasAttr = method<[string], boolean>(elementProto, 'hasAttribute');
  const hasAttrs = method<[], boolean>(elementProto, 'hasAttributes');
  const setAttr = method<[string, string], void>(elementProto, 'setAttribute');
  const dropAttr = method<[string], void>(elementProto, 'removeAttribute');
  const matches = method<[string], boolean>(elementProto, 'matches');
  const clientRects = method<[], DOMRectList>(elementProto, 'getClientRects');
  const boundingRect = method<[], DOMRect>(elementProto, 'getBoundingClientRect');
  const nativeVisibility = method<[object?], boolean>(elementProto, 'checkVisibility');
  const scrollTo = method<[ScrollIntoViewOptions], void>(elementProto, 'scrollIntoView');
  const elementSlot = getter<Element | null>(elementProto, 'assignedSlot');
  const textSlot = getter<Element | null>(typeof Text === 'undefined' ? undefined : Text.prototype, 'assignedSlot');
  const clientLeft = getter<number>(elementProto, 'clientLeft');
  const clientTop = getter<number>(elementProto, 'clientTop');

  const firstElement = getter<Element | null>(elementProto, 'firstElementChild');
  const firstInFragment = getter<Element | null>(DocumentFragment.prototype, 'firstElementChild');
  const nextElement = getter<Element | null>(elementProto, 'nextElementSibling');

  const innerText = getter<string | undefined>(htmlProto, 'innerText');
  const contentEditable = getter<boolean | undefined>(htmlProto, 'isContentEditable');
  const offsetWidth = getter<number>(htmlProto, 'offsetWidth');
  const htmlTabIndex = getter<number>(htmlProto, 'tabIndex');
  const svgTabIndex = getter<number>(typeof SVGElement === 'undefined' ? undefined : SVGElement.prototype, 'tabIndex');
  const htmlFocus = method<[FocusOptions?], void>(htmlProto, 'focus');
  const svgFocus = method<[FocusOptions?], void>(typeof SVGElement === 'undefined' ? undefined : SVGElement.prototype, 'focus');
  const htmlBlur = method<[], void>(htmlProto, 'blur');

  const bodyOf = getter<HTMLElement | null>(documentProto, 'body');
  const viewOf = getter<(Window & typeof globalThis) | null>(documentProto, 'defaultView');
  const stateOf = getter<DocumentReadyState>(documentProto, 'readyState');
  const titleOf = getter<string>(documentProto, 'title');
  const documentQuery = method<[string], Element | null>(documentProto, 'querySelector');
  const documentAll = method<[string], NodeListOf<Element>>(documentProto, 'querySelectorAll');
  const fragmentAll = method<[string], NodeListOf<Element>>(DocumentFragment.prototype, 'querySelectorAll');
  const elementAll = method<[string], NodeListOf<Element>>(elementProto, 'querySelectorAll');
  const documentById = method<[string], Element | null>(documentProto, 'getElementById');
  const fragmentById = method<[string], Element | null>(DocumentFragment.prototype, 'getElementById');
  const documentActive = getter<Element | null>(documentProto, 'activeElement');
  const shadowActive = getter<Element | null>(shadowProto, 'activeElement');
  const documentAt = method<[number, number], Element | null>(documentProto, 'elementFromPoint');
  const shadowAt = method<[number, number], Element | null>(shadowProto, 'elementFromPoint');
  const hasFocus = method<[], boolean>(documentProto, 'hasFocus');
  const designMode = getter<string>(documentProto, 'designMode');
  const execCommand = method<[string, boolean, string?], boolean>(documentProto, 'execCommand');
  const getSelection = method<[], Selection | null>(documentProto, 'getSelection');
  const makeRange = method<[], Range>(documentProto, 'createRange');
  const selectNode = method<[Node], void>(Range.prototype, 'selectNode');
  const rangeRects = method<[], DOMRectList>(Range.prototype, 'getClientRects');
  const listen = method<[string, (event: Event) => void], void>(EventTarget.prototype, 'addEventListener');
  const unlisten = method<[string, (event: Event) => void], void>(EventTarget.prototype, 'removeEventListener');
  const dispatch = method<[Event], boolean>(EventTarget.prototype, 'dispatchEvent');

  const shadowHost = getter<Element>(shadowProto, 'host');
  const assignedNodes = method<[], Node[]>(typeof HTMLSlotElement === 'undefined' ? undefined : HTMLSlotElement.prototype, 'assignedNodes');
  const iframeDocument = getter<Document | null>(typeof HTMLIFrameElement === 'undefined' ? undefined : HTMLIFrameElement.prototype, 'contentDocument');
  const iframeWindow = getter<Window | null>(typeof HTMLIFrameElement === 'undefined' ? undefined : HTMLIFrameElement.prototype, 'contentWindow');
  const frameDocument = getter<Document | null>(typeof HTMLFrameElement === 'undefined' ? undefined : HTMLFrameElement.prototype, 'contentDocument');
  const frameWindow = getter<Window | null>(typeof HTMLFrameElement === 'undefined' ? undefined : HTMLFrameElement.prototype, 'contentWindow');
  const labelControl = getter<Element | null>(HTMLLabelElement.prototype, 'control');
  const requestSubmit = method<[Element?], void>(HTMLFormElement.prototype, 'requestSubmit');

  const styleOf = getComputedStyle;
  const later = setTimeout;
  const Channel = typeof MessageChannel === 'undefined' ? undefined : MessageChannel;

  /** A task later. Not a timer, since those of tabs in the background come once a second. */
  function nextTask(): Promise<void> {
    return new Promise((resolve) => {
      if (Channel === undefined) return void later(resolve, 0);
      const { port1, port2 } = new Channel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(0);
    });
  }

  /**
   * A timer that no timer started: in a tab long in the background those that chain up come once a
   * minute, the others still once a second.
   */
  async function pause(ms: number): Promise<void> {
    await nextTask();
    await new Promise<void>((resolve) => void later(resolve, ms));
  }

  // ------------------------------------------------------------------------------------------- //
  // Refusals

  class Refusal {
    readonly error: string;
    readonly code: PageErrorCode;

    constructor(error: string, code: PageErrorCode) {
      this.error = error;
      this.code = code;
    }
  }

  const refuse = (error: string): Refusal => new Refusal(error, 'EXECUTION_FAILED');
  const invalid = (error: string): Refusal => new Refusal(error, 'INVALID_ARGUMENT');

  /** The page may have replaced even `String.prototype` in its own world; what is said then is fixed. */
  function failure(reason: unknown): PageFailure {
    let error = 'the page could not be handled: take a new page_snapshot and try again';
    let code: PageErrorCode = 'EXECUTION_FAILED';
    try {
      if (reason instanceof Refusal) {
        code = reason.code;
        error = wellFormed(reason.error);
      } else {
        error = `the page could not be handled (${clean(plain(String((reason as Error | null)?.message ?? reason)), 200)}): take a new page_snapshot and try again`;
      }
    } catch {
      // the fixed sentence stands
    }
    return { ok: false, error: typeof error === 'string' ? error : '', code };
  }

  // ------------------------------------------------------------------------------------------- //
  // Text

  const HIDDEN_VALUE = '\u2022\u2022\u2022\u2022\u2022\u2022';
  // The byte-order mark is white space to the language, and invisible to people.
  const SPACE = /[^\S\ufeff]+/g;
  const DROPPED = /[\u0000-\u001f\u007f-\u009f\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff]/g;
  const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
  const LONE = /\p{Surrogate}/gu;

  const wellFormed = (text: string): string => text.replace(LONE, '\ufffd');

  /** At most `limit` code units, never half a pair. */
  function cut(text: string, limit: number): string {
    if (text.length <= limit) return text;
    const last = text.charCodeAt(limit - 1);
    return text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit);
  }

  /** What `quoted` shows before it is cut and escaped; nothing if only spaces are left. */
  function plain(text: string): string {
    if (text === '') return '';
    const shown = wellFormed(text.replace(SPACE, ' ').trim().replace(DROPPED, ''));
    return /[^ ]/.test(shown) ? shown : '';
  }

  const shorten = (text: string, limit: number): string => (text.length > limit ? `${cut(text, limit)}...` : text);

  const escapeBidi = (text: string): string =>
    text.replace(BIDI, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

  /** For people and comparisons: plain text, cut, in which nothing reorders the rest. */
  const clean = (shown: string, limit: number): string => escapeBidi(shorten(shown, limit));

  /** What is plain already, between quotation marks. */
  const quote = (shown: string, limit: number): string => `"${escapeBidi(shorten(shown, limit).replace(/[\\"]/g, '\\$&'))}"`;

  /** As the outline writes page text: it can neither break a line, nor forge one, nor reorder it. */
  const quoted = (text: string, limit: number): string => quote(plain(text), limit);

  const bare = (text: string): string => text.replace(SPACE, '').replace(DROPPED, '');

  // ------------------------------------------------------------------------------------------- //
  // Trees

  const ELEMENT = 1;
  const TEXT = 3;
  const DOCUMENT = 9;
  const FRAGMENT = 11;
  const XHTML = 'http://www.w3.org/1999/xhtml';
  const SVG = 'http://www.w3.org/2000/svg';

  const words = (text: string): Set<string> => new Set(text.split(' '));

  /** Besides custom elements, only these can have a shadow root that is not the browser's own. */
  const CAN_HOST = words('article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span');

  const isHtml = (el: Element): boolean => namespace(el) === XHTML;
  const isTag = (el: Element, name: string): boolean => localName(el) === name && isHtml(el);
  const isElement = (node: Node): node is Element => nodeType(node) === ELEMENT;

  function shadowOf(el: Element): ShadowRoot | null {
    const name = localName(el);
    return (CAN_HOST.has(name) || name.includes('-')) && isHtml(el) ? rootOf(el) : null;
  }

  const queryAll = (root: Node, selector: string): NodeListOf<Element> =>
    nodeType(root) === ELEMENT ? elementAll(root, selector) : nodeType(root) === FRAGMENT ? fragmentAll(root, selector) : documentAll(root, selector);

  function listOf(first: Node | null): Node[] {
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
  function flatChildren(el: Element): Node[] {
    const shadow = shadowOf(el);
    if (shadow !== null) return listOf(firstChild(shadow));
    if (isTag(el, 'slot')) {
      const assigned = assignedNodes(el);
      if (assigned.length > 0) return assigned;
    }
    return listOf(firstChild(el));
  }

  /** As `flatChildren`, the elements alone. */
  function flatElements(el: Element): Element[] {
    const shadow = shadowOf(el);
    if (shadow !== null) return elementsOf(firstInFragment(shadow));
    if (isTag(el, 'slot')) {
      const assigned = assignedNodes(el);
      if (assigned.length > 0) return assigned.filter(isElement);
    }
    return elementsOf(firstElement(el));
  }

  /** The slot that a child of a host is assigned to. `assignedSlot` does not tell those of closed roots. */
  function slotOf(node: Node, shadow: ShadowRoot): Element | null {
    const open = nodeType(node) === ELEMENT ? elementSlot(node) : nodeType(node) === TEXT ? textSlot(node) : null;
    if (open !== null) return open;
    let assigned = seen.slots.get(shadow);
    if (assigned === undefined) {
      assigned = new Map();
      for (const slot of fragmentAll(shadow, 'slot')) if (isHtml(slot)) for (const n of assignedNodes(slot)) assigned.set(n, slot);
      seen.slots.set(shadow, assigned);
    }
    return assigned.get(node) ?? null;
  }

  /** The element around a node in the flat tree, null at the top of a document. */
  function flatParent(node: Node): Element | null {
    const parent = parentNode(node);
    if (parent === null) return null;
    if (nodeType(parent) === FRAGMENT) return (shadowHost(parent) as Element | undefined) ?? null;
    if (!isElement(parent)) return null;
    const shadow = shadowOf(parent);
    return (shadow === null ? null : slotOf(node, shadow)) ?? parent;
  }

  function flatContains(outer: Element, inner: Element): boolean {
    for (let n: Element | null = inner; n !== null; n = flatParent(n)) if (n === outer) return true;
    return false;
  }

  /** Looks up an id in the tree that an element is in. */
  function inOwnTree(el: Element, id: string): Element | null {
    const root = rootNode(el);
    if (id === '') return null;
    return nodeType(root) === FRAGMENT ? fragmentById(root, id) : nodeType(root) === DOCUMENT ? documentById(root, id) : null;
  }

  // ------------------------------------------------------------------------------------------- //
  // Frames

  const isFrame = (el: Element): boolean => (localName(el) === 'iframe' || localName(el) === 'frame') && isHtml(el);
  const windowIn = (frame: Element): Window | null => (localName(frame) === 'iframe' ? iframeWindow : frameWindow)(frame);

  /** The document in a frame, if this instance reaches it. */
  function documentIn(frame: Element): Document | null {
    const inner = (localName(frame) === 'iframe' ? iframeDocument : frameDocument)(frame);
    if (inner === null) return null;
    try {
      return viewOf(inner)?.origin === window.origin ? inner : null;
    } catch {
      return null;
    }
  }

  /** The frame that shows a document of this instance, null for the document of the instance itself. */
  function frameOf(doc: Document): Element | null {
    const view = viewOf(doc);
    return view === null || view === window ? null : view.frameElement;
  }

  /** Whether a document is shown, and reached from here frame by frame. */
  function reaches(doc: Document): boolean {
    let inner = doc;
    while (inner !== document) {
      const frame = viewOf(inner) === null ? null : frameOf(inner);
      if (frame === null || !isConnected(frame) || documentIn(frame) !== inner) return false;
      inner = ownerDocument(frame);
    }
    return viewOf(document) !== null;
  }

  /** Where `window.frames` of the document has this frame; shadow trees are left out there. */
  function indexOf(frame: Element): number {
    const outer = viewOf(ownerDocument(frame)) as unknown as { length: number; [i: number]: Window } | null;
    const inner = windowIn(frame);
    if (outer === null || inner === null) return -1;
    for (let i = 0; i < outer.length; i++) if (outer[i] === inner) return i;
    return -1;
  }

  function slotFor(frame: Element, focused: boolean): FrameSlot {
    const path: number[] = [];
    for (let f: Element | null = frame; f !== null; f = frameOf(ownerDocument(f))) path.unshift(indexOf(f));
    let address = '';
    let srcOrigin = '';
    if (hasAttr(frame, 'srcdoc')) address = 'about:srcdoc';
    else if (attr(frame, 'src')) {
      try {
        const url = new URL(attr(frame, 'src') ?? '', ownerDocument(frame).baseURI);
        address = wellFormed(url.href);
        if (url.protocol === 'http:' || url.protocol === 'https:') srcOrigin = url.origin;
      } catch {
        // an address that is none decides nothing
      }
    }
    return { path, address, srcOrigin, focused };
  }

  /** The innermost active element of the instance; a frame that it does not reach counts as one. */
  function innermostActive(): Element | null {
    let at = documentActive(document);
    while (at !== null) {
      let inner: Element | null = null;
      const shadow = shadowOf(at);
      if (shadow !== null) inner = shadowActive(shadow);
      else if (isFrame(at)) {
        const doc = documentIn(at);
        inner = doc === null ? null : (documentActive(doc) ?? bodyOf(doc));
      }
      if (inner === null || inner === at) return at;
      at = inner;
    }
    return null;
  }

  // ------------------------------------------------------------------------------------------- //
  // Survey: one pass over all trees of the instance

  interface Survey {
    documents: Document[];
    /** Elements with a shadow tree, a slot or a frame in them or on them: `innerText` does not do for these. */
    special: Set<Element>;
    /** Elements by the number that their attribute claims, in tree order. */
    carriers: Map<number, Element[]>;
    /** `label[for]` of a tree by id, made when first asked for. */
    labels: Map<Node, Map<string, Element[]>>;
    /** Elements of a tree in which something is called otherwise than its text, made when first asked for. */
    rich: Map<Node, Set<Element>>;
    /** What is assigned where in a closed tree, made when first asked for. */
    slots: Map<ShadowRoot, Map<Node, Element>>;
  }

  const BRINGS_MORE = words('iframe frame slot');

  const unseen = (): Survey => ({ documents: [document], special: new Set(), carriers: new Map(), labels: new Map(), rich: new Map(), slots: new Map() });

  /** Of the step at work: whoever uses it called `survey` since anything else could run. */
  let seen = unseen();

  function numberIn(value: string | null): number {
    return value !== null && /^e[1-9]\d{0,5}$/.test(value) ? Number(value.slice(1)) : 0;
  }

  function mark(special: Set<Element>, el: Element): void {
    for (let n: Element | null = el; n !== null && !special.has(n); n = flatParent(n)) special.add(n);
  }

  /**
   * Looks at every element of every document and shadow tree; a tree inside one comes right after its
   * element. `inner` is the shadow root or the document that the element brings along.
   */
  function everyElement(visit: (el: Element, inner: ShadowRoot | Document | null) => void): void {
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

  function survey(): Survey {
    const s = (seen = unseen());
    everyElement((el, inner) => {
      const n = hasAttrs(el) ? numberIn(attr(el, refAttr)) : 0;
      if (n > 0) {
        const others = s.carriers.get(n);
        if (others === undefined) s.carriers.set(n, [el]);
        else others.push(el);
      }
      if (inner !== null || BRINGS_MORE.has(localName(el))) mark(s.special, el);
      if (inner !== null && nodeType(inner) === DOCUMENT) s.documents.push(inner as Document);
    });
    return s;
  }

  // ------------------------------------------------------------------------------------------- //
  // Facts about elements

  const INTERACTIVE_TAGS = words('a button input textarea select summary label');
  const INTERACTIVE_ROLES = words(
    'button link checkbox radio textbox searchbox menuitem menuitemcheckbox menuitemradio tab combobox listbox option switch treeitem',
  );
  const STRUCTURAL_TAGS: Readonly<Record<string, string>> = {
    h1: 'heading',
    h2: 'heading',
    h3: 'heading',
    h4: 'heading',
    h5: 'heading',
    h6: 'heading',
    nav: 'navigation',
    main: 'main',
    header: 'banner',
    footer: 'contentinfo',
    aside: 'complementary',
    form: 'form',
    dialog: 'dialog',
    article: 'article',
    fieldset: 'group',
    section: 'region',
    ul: 'list',
    ol: 'list',
    li: 'listitem',
    table: 'table',
    tr: 'row',
    th: 'columnheader',
    td: 'cell',
    img: 'img',
  };
  const STRUCTURAL_ROLES = words(
    'heading navigation main banner contentinfo complementary form dialog article group region list listitem table row columnheader cell img',
  );
  const FLOW_KINDS = words('listitem cell columnheader text');
  /** Nothing in these is ever shown as content of its own. */
  const CLOSED_TAGS = words('script style template noscript head option optgroup datalist input textarea select');
  const NOT_TEXT_LIKE = words('checkbox radio file button submit reset image hidden');
  const BUTTON_LIKE = words('button submit reset image');

  /** Own property, or "constructor" and its kin would be found in the table. */
  const structuralTag = (el: Element): string | null => {
    const name = localName(el);
    return isHtml(el) && Object.hasOwn(STRUCTURAL_TAGS, name) ? (STRUCTURAL_TAGS[name] ?? null) : null;
  };

  function explicitRole(el: Element): string | null {
    const said = attr(el, 'role');
    if (said === null) return null;
    const first = said.trim().split(/\s/, 1)[0] ?? '';
    return /^[a-z]{1,32}$/.test(first) ? first : null;
  }

  const typeOf = (input: Element): string => (input as HTMLInputElement).type;
  const isTextLike = (el: Element): boolean => isTag(el, 'input') && !NOT_TEXT_LIKE.has(typeOf(el));

  const hrefOf = (el: Element): string | null => {
    const name = localName(el);
    if (name === 'a') return attr(el, 'href') ?? (isHtml(el) ? null : attr(el, 'xlink:href'));
    return name === 'area' && isHtml(el) ? attr(el, 'href') : null;
  };

  const isEditable = (el: Element): boolean => isHtml(el) && contentEditable(el) === true;

  /** The outermost of the editable elements around one, at most the body. */
  function hostOf(el: Element): Element {
    let host = el;
    for (let n = flatParent(host); n !== null && isEditable(n) && !isTag(host, 'body'); n = flatParent(n)) host = n;
    return host;
  }

  function isEditingHost(el: Element): boolean {
    if (!isHtml(el) || !(hasAttr(el, 'contenteditable') || (isTag(el, 'body') && designMode(ownerDocument(el)) === 'on'))) return false;
    if (localName(el) === 'input' || localName(el) === 'textarea' || localName(el) === 'select') return false;
    return isEditable(el) && hostOf(el) === el;
  }

  const tabIndex = (el: Element): number => {
    const index = isHtml(el) ? htmlTabIndex(el) : namespace(el) === SVG ? svgTabIndex(el) : -1;
    return typeof index === 'number' ? index : -1;
  };

  function isInteractive(el: Element): boolean {
    const name = localName(el);
    if (isHtml(el) ? INTERACTIVE_TAGS.has(name) || isFrame(el) : name === 'a') return true;
    if (name === 'body' && designMode(ownerDocument(el)) === 'on') return isEditingHost(el);
    if (!hasAttrs(el)) return false;
    const role = explicitRole(el);
    return (role !== null && INTERACTIVE_ROLES.has(role)) || hasAttr(el, 'onclick') || tabIndex(el) >= 0 || isEditingHost(el);
  }

  function inputRole(type: string): string {
    if (type === 'checkbox' || type === 'radio') return type;
    if (type === 'range') return 'slider';
    if (type === 'number') return 'spinbutton';
    if (type === 'search') return 'searchbox';
    return BUTTON_LIKE.has(type) ? 'button' : 'textbox';
  }

  function implicitRole(el: Element): string | null {
    if (hrefOf(el) !== null) return 'link';
    if (!isHtml(el)) return null;
    const name = localName(el);
    if (name === 'button' || name === 'summary') return 'button';
    if (name === 'input') return inputRole(typeOf(el));
    if (name === 'textarea' || isEditingHost(el)) return 'textbox';
    if (name === 'select') return 'listbox';
    if (name === 'section' && labelOfRegion(el) === '') return null;
    return structuralTag(el);
  }

  /** A tag name may hold almost anything, so one that could be mistaken for more is not shown. */
  const tagAsRole = (el: Element): string => (/^[a-z][a-z0-9._-]{0,31}$/i.test(localName(el)) ? localName(el) : 'element');

  const roleOf = (el: Element): string => explicitRole(el) ?? implicitRole(el) ?? tagAsRole(el);

  /**
   * What a structural element counts as, null if it gets no line. The role shown may be another: an
   * explicit one wins, but a `td` called gridcell still holds its text like a cell.
   */
  function structuralKind(el: Element): string | null {
    const explicit = explicitRole(el);
    const kind = explicit !== null && STRUCTURAL_ROLES.has(explicit) ? explicit : structuralTag(el);
    if (kind === 'img') return nameOf(el, false) === '' ? null : kind;
    if (kind !== null && !(explicit === null && localName(el) === 'section' && labelOfRegion(el) === '')) return kind;
    return hasOwnText(el) ? 'text' : null;
  }

  // Both spellings: the short ones came with Chromium 125.
  const SEEN = { visibilityProperty: true, opacityProperty: true, checkVisibilityCSS: true, checkOpacity: true };

  const isVisible = (el: Element): boolean => nativeVisibility(el, SEEN) && clientRects(el).length > 0;

  function hasArea(el: Element): boolean {
    for (const r of clientRects(el)) if (r.width > 0 && r.height > 0) return true;
    return false;
  }

  const isAriaHidden = (el: Element): boolean => attr(el, 'aria-hidden') === 'true';

  function ariaHiddenAround(el: Element): boolean {
    for (let n: Element | null = el; n !== null; n = flatParent(n)) if (isAriaHidden(n)) return true;
    const frame = frameOf(ownerDocument(el));
    return frame !== null && ariaHiddenAround(frame);
  }

  /** Text nodes of an element itself; those assigned to a slot in it stand in the slot's place. */
  function ownTexts(el: Element): string[] {
    const texts: string[] = [];
    // What a closed details has besides its summary is not shown, and has no element to say so.
    const todo = isTag(el, 'details') && !hasAttr(el, 'open') ? [] : flatChildren(el).reverse();
    for (let n = todo.pop(); n !== undefined; n = todo.pop()) {
      if (nodeType(n) === TEXT) texts.push(nodeText(n) ?? '');
      else if (isElement(n) && isTag(n, 'slot')) todo.push(...flatChildren(n).reverse());
    }
    return texts;
  }

  const ownText = (el: Element): string => ownTexts(el).join(' ');
  const hasOwnText = (el: Element): boolean => ownTexts(el).some((text) => plain(text) !== '');

  // ------------------------------------------------------------------------------------------- //
  // Prose: rendered text in the order of the flat tree

  interface Sink {
    parts: Array<string | FrameSlot>;
    /** What was written since the last slot, in pieces: asking a growing string for its end copies it. */
    pieces: string[];
    /** The last character of it. */
    last: string;
    /** A space is owed before the next text of this line. */
    space: boolean;
    /** Line breaks are owed before the next text. */
    breaks: number;
    /** Frames contribute: those reached their text, the others a slot. Names have none of it. */
    frames: boolean;
    /** The element whose name this is going to be: things in it are called as people hear of them. */
    naming: Element | null;
    without: Element | null;
  }

  function put(sink: Sink, text: string): void {
    if (text === '') return;
    sink.pieces.push(text);
    sink.last = text.charAt(text.length - 1);
  }

  function write(sink: Sink, raw: string, verbatim = false): void {
    const fresh = sink.breaks > 0 || sink.space || sink.last === '' || sink.last === '\n' || sink.last === '\t';
    const text = fresh && !verbatim ? raw.replace(/^[ \t\n]+/, '') : raw;
    if (text === '') return;
    if (sink.breaks > 0 && sink.last !== '') put(sink, '\n'.repeat(sink.breaks));
    else if (sink.space) put(sink, ' ');
    sink.breaks = 0;
    let end = text.length;
    if (!verbatim) while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
    sink.space = end < text.length;
    put(sink, end < text.length ? text.slice(0, end) : text);
  }

  function flush(sink: Sink): void {
    const text = sink.pieces.join('').replace(/\n+$/, '');
    if (text !== '') sink.parts.push(text);
    sink.pieces = [];
    sink.last = '';
    sink.space = false;
    sink.breaks = 0;
  }

  const breakLine = (sink: Sink, lines: number): void => {
    sink.breaks = Math.max(sink.breaks, lines);
  };

  function transformed(text: string, transform: string): string {
    if (transform === 'uppercase') return text.toUpperCase();
    if (transform === 'lowercase') return text.toLowerCase();
    return transform === 'capitalize' ? text.replace(/(^|\s)(\p{L})/gu, (_m, s: string, c: string) => s + c.toUpperCase()) : text;
  }

  function writeTextNode(sink: Sink, node: Node, style: CSSStyleDeclaration): void {
    if (style.visibility !== 'visible') return;
    const text = transformed(nodeText(node) ?? '', style.textTransform);
    const space = style.whiteSpace;
    if (/^(pre|break-spaces)/.test(space) && space !== 'pre-line') write(sink, text, true);
    else if (space === 'pre-line') write(sink, text.replace(/[ \t]+/g, ' ').replace(/ ?\n ?/g, '\n'), true);
    else write(sink, text.replace(/[ \t\n\r\f]+/g, ' '));
  }

  /** Lines that a display type puts around an element; -1 for a table cell. */
  function breaksFor(el: Element, display: string): number {
    if (display === 'table-cell') return -1;
    if (display === 'contents' || /^(inline|ruby|math)/.test(display)) return 0;
    return isTag(el, 'p') ? 2 : 1;
  }

  /** Whether an element has a box, or stands for the boxes in it. */
  const isRendered = (el: Element, display: string): boolean =>
    display !== 'none' && (display === 'contents' || nativeVisibility(el));

  type Step = { node: Node; style: CSSStyleDeclaration | null } | { after: number };

  function writeFrame(sink: Sink, frame: Element, todo: Step[]): void {
    if (!sink.frames || !isVisible(frame) || !hasArea(frame)) return;
    const doc = documentIn(frame);
    if (doc === null) {
      if (ariaHiddenAround(frame)) return;
      flush(sink);
      sink.parts.push(slotFor(frame, false));
      return;
    }
    const body = bodyOf(doc);
    if (body === null) return;
    breakLine(sink, 1);
    todo.push({ after: 1 }, { node: body, style: null });
  }

  function writeElement(sink: Sink, el: Element, todo: Step[]): void {
    if (el === sink.without) return;
    const name = localName(el);
    const part = sink.naming !== null && sink.naming !== el;
    if (part && (isAriaHidden(el) || isBranch(sink.naming as Element, el))) return;
    if (isHtml(el)) {
      if (name === 'br') return write(sink, '\n', true);
      if (name === 'script' || name === 'style') return;
      if ((name === 'input' || name === 'textarea') && !part) return;
    }
    const style = styleOf(el);
    if (!isRendered(el, style.display)) return;
    if (isFrame(el)) return writeFrame(sink, el, todo);
    const said = part ? (standIn(el) ?? (plain(attr(el, 'aria-label') ?? '') || null)) : null;
    if (said !== null) {
      // Apart from what is around it, whatever its box is.
      if (plain(said) !== '' && style.visibility === 'visible') write(sink, ` ${said} `);
      return;
    }
    const breaks = breaksFor(el, style.display);
    if (breaks < 0 && sink.breaks === 0 && sink.last !== '' && sink.last !== '\n' && sink.last !== '\t') write(sink, '\t', true);
    breakLine(sink, Math.max(breaks, 0));
    if (isHtml(el) && !seen.special.has(el) && sink.without === null && style.display !== 'contents' && !(sink.naming !== null && isRich(el))) {
      write(sink, innerText(el) ?? '', style.whiteSpace.startsWith('pre'));
      breakLine(sink, Math.max(breaks, 0));
      return;
    }
    if (isHtml(el) && name === 'select') return;
    todo.push({ after: Math.max(breaks, 0) });
    for (const child of flatChildren(el).reverse()) todo.push({ node: child, style });
  }

  const NAMING_STEPS = 500;

  function proseOf(el: Element, frames: boolean, naming: Element | null = null, without: Element | null = null): Array<string | FrameSlot> {
    const sink: Sink = { parts: [], pieces: [], last: '', space: false, breaks: 0, frames, naming, without };
    const todo: Step[] = [{ node: el, style: null }];
    let steps = 0;
    for (let step = todo.pop(); step !== undefined; step = todo.pop()) {
      // A name is cut anyway, and boxes of boxes with names would each be walked to their end.
      if (naming !== null && ++steps > NAMING_STEPS) break;
      if ('after' in step) breakLine(sink, step.after);
      else if (isElement(step.node)) writeElement(sink, step.node, todo);
      else if (nodeType(step.node) === TEXT && step.style !== null) writeTextNode(sink, step.node, step.style);
    }
    flush(sink);
    return sink.parts;
  }

  /** The text that an element shows, frames aside. */
  function renderedText(el: Element): string {
    if (isHtml(el) && !seen.special.has(el)) return innerText(el) ?? '';
    return proseOf(el, false).join('');
  }

  // ------------------------------------------------------------------------------------------- //
  // Names

  /** What makes the text of an element another one than what it shows; what is empty changes nothing. */
  const RICH = '[aria-hidden="true"]:not(svg, :empty), [aria-label], img[alt]:not([alt=""]), img[title], svg title, input, select, textarea, [role="treeitem"] [role="group"], [role="menuitem"] [role="menu"]';

  function isRich(el: Element): boolean {
    const root = rootNode(el);
    let rich = seen.rich.get(root);
    if (rich === undefined) {
      seen.rich.set(root, (rich = new Set()));
      for (const found of queryAll(root, RICH))
        for (let n = parentNode(found); n !== null && isElement(n) && !rich.has(n); n = parentNode(n)) rich.add(n);
    }
    return rich.has(el);
  }

  /** What hangs below an item of a tree or a menu is no part of its name. */
  const isBranch = (item: Element, el: Element): boolean => {
    const role = attr(el, 'role');
    return (role === 'group' && attr(item, 'role') === 'treeitem') || (role === 'menu' && attr(item, 'role') === 'menuitem');
  };

  /** What stands for an element that has no text of its own: a picture's, or what a control holds. */
  function standIn(el: Element): string | null {
    const name = localName(el);
    if (namespace(el) === SVG && name === 'svg') {
      const title = elementAll(el, 'title')[0];
      return attr(el, 'aria-label') ?? (title === undefined ? null : textContent(title));
    }
    if (!isHtml(el)) return null;
    if (name === 'img') return attr(el, 'aria-label') || attr(el, 'alt') || attr(el, 'title') || '';
    if (name === 'select' || name === 'textarea' || (name === 'input' && !NOT_TEXT_LIKE.has(typeOf(el)))) return isSecret(el) ? '' : rawValue(el);
    if (name !== 'input') return null;
    return BUTTON_LIKE.has(typeOf(el)) ? attr(el, 'aria-label') || (el as HTMLInputElement).value || (attr(el, 'alt') ?? '') : '';
  }

  /** The text of an element as a name: without what is hidden from hearing, with what pictures say. */
  function contentText(el: Element): string {
    if (isHtml(el) && !seen.special.has(el) && !isRich(el)) return innerText(el) ?? '';
    const heard = proseOf(el, false, el).join('');
    return plain(heard) === '' ? renderedText(el) : heard;
  }

  /** The text of an element that names another one, which may be hidden itself. */
  function namingText(el: Element): string {
    const said = plain(standIn(el) ?? '') || plain(attr(el, 'aria-label') ?? '');
    if (said !== '') return said;
    const shown = isRendered(el, styleOf(el).display) ? contentText(el) : '';
    return plain(shown) !== '' ? shown : (textContent(el) ?? '');
  }

  function labelledBy(el: Element): string {
    const ids = attr(el, 'aria-labelledby');
    if (ids === null) return '';
    const texts: string[] = [];
    for (const id of ids.split(/\s+/)) {
      const other = inOwnTree(el, id);
      if (other !== null) texts.push(namingText(other));
    }
    return texts.join(' ');
  }

  const labelOfRegion = (el: Element): string => plain(labelledBy(el)) || plain(attr(el, 'aria-label') ?? '') || plain(attr(el, 'title') ?? '');

  /** The text of a label without that of the control it may wrap, a drop-down's options for instance. */
  function labelText(label: Element): string {
    if (!isRendered(label, styleOf(label).display)) return textContent(label) ?? '';
    const control = labelControl(label);
    return control !== null && flatContains(label, control) ? proseOf(label, false, label, control).join('') : contentText(label);
  }

  function labelFor(el: Element): string {
    const id = attr(el, 'id');
    if (id === null || id === '') return '';
    const root = rootNode(el);
    let byId = seen.labels.get(root);
    if (byId === undefined) {
      byId = new Map();
      for (const label of queryAll(root, 'label[for]')) {
        const target = attr(label, 'for') ?? '';
        if (!isHtml(label)) continue;
        const others = byId.get(target);
        if (others === undefined) byId.set(target, [label]);
        else others.push(label);
      }
      seen.labels.set(root, byId);
    }
    const labels = byId.get(id);
    return labels === undefined || inOwnTree(el, id) !== el ? '' : labels.map(labelText).join(' ');
  }

  const LABELLED_ROLES = words('checkbox radio switch textbox searchbox combobox listbox slider spinbutton');

  /** A label names its control, or a control made of other elements if it has none; not a link in it. */
  function wrappingLabel(el: Element): string {
    for (let n = flatParent(el); n !== null; n = flatParent(n)) {
      if (!isTag(n, 'label')) continue;
      const control = labelControl(n);
      const names = control === el || (control === null && LABELLED_ROLES.has(roleOf(el)));
      return names && !hasAttr(n, 'for') ? labelText(n) : '';
    }
    return '';
  }

  /** How many elements of a control are asked for what style sheets write. */
  const GENERATED_MAX = 6;

  /**
   * What style sheets write before and after, for controls that show nothing else. A text for hearing
   * comes behind a slash; characters without a meaning, as fonts of symbols use them, say nothing.
   */
  function generatedText(el: Element): string {
    const texts: string[] = [];
    for (const at of [el, ...Array.from(elementAll(el, '*')).slice(0, GENERATED_MAX)])
      for (const side of ['::before', '::after']) {
        const content = styleOf(at, side).content;
        const parts = content.split(' / ').at(-1)?.match(/"(?:[^"\\]|\\.)*"|attr\([a-z-]+\)/gi) ?? [];
        for (const part of parts)
          texts.push(part.startsWith('"') ? part.slice(1, -1).replace(/\\(.)/g, '$1') : (attr(at, part.slice(5, -1)) ?? ''));
      }
    return texts.join(' ').replace(/\p{Co}/gu, '');
  }

  const namedByText = (el: Element): boolean =>
    !((isHtml(el) && /^(input|textarea|select|iframe|frame)$/.test(localName(el))) || isEditingHost(el));

  /** The name of an element, "" for none. `byText`: its rendered text may be it. */
  function nameOf(el: Element, byText: boolean): string {
    const html = isHtml(el);
    const isLabel = html && localName(el) === 'label';
    const text = byText && namedByText(el);
    return (
      plain(labelledBy(el)) ||
      plain(attr(el, 'aria-label') ?? '') ||
      (isLabel ? '' : plain(labelFor(el)) || plain(wrappingLabel(el))) ||
      plain(attr(el, 'title') ?? '') ||
      (text ? plain(contentText(el)) : '') ||
      plain(attr(el, 'placeholder') ?? attr(el, 'aria-placeholder') ?? '') ||
      plain(attr(el, 'alt') ?? '') ||
      (html && localName(el) === 'input' && BUTTON_LIKE.has(typeOf(el)) ? plain((el as HTMLInputElement).value) : '') ||
      (text ? plain(standIn(el) ?? '') || plain(generatedText(el)) : '')
    );
  }

  // ------------------------------------------------------------------------------------------- //
  // Values and states

  const optionsOf = (select: Element): HTMLOptionElement[] => Array.from((select as HTMLSelectElement).options);
  const optionLabel = (option: HTMLOptionElement): string => option.label || option.text;

  /** Whether an outline must not show what a field holds. */
  function isSecret(el: Element): boolean {
    if (isTag(el, 'input') && typeOf(el) === 'password') return true;
    const tokens = (attr(el, 'autocomplete') ?? '').toLowerCase().split(/\s+/);
    return tokens.some((t) => t === 'current-password' || t === 'new-password' || t === 'one-time-code' || t.startsWith('cc-'));
  }

  function rawValue(el: Element): string {
    if (isTextLike(el) || isTag(el, 'textarea')) return (el as HTMLInputElement).value;
    if (isTag(el, 'select')) return Array.from((el as HTMLSelectElement).selectedOptions, optionLabel).join(', ');
    return isEditingHost(el) ? renderedText(el) : '';
  }

  function valueOf(el: Element): string {
    const raw = rawValue(el);
    if (raw === '') return '';
    return isSecret(el) ? HIDDEN_VALUE : plain(raw);
  }

  const isDisabled = (el: Element): boolean => matches(el, ':disabled') || attr(el, 'aria-disabled') === 'true';

  function isReadonly(el: Element): boolean {
    const control = isTag(el, 'input') || isTag(el, 'textarea');
    return (control && (el as HTMLInputElement).readOnly) || attr(el, 'aria-readonly') === 'true';
  }

  function isRequired(el: Element): boolean {
    const control = isTag(el, 'input') || isTag(el, 'textarea') || isTag(el, 'select');
    return (control && (el as HTMLInputElement).required) || attr(el, 'aria-required') === 'true';
  }

  /** For a summary the state of its details, for others what they say of themselves. */
  function isExpanded(el: Element): boolean | null {
    if (isTag(el, 'summary')) {
      const details = parentNode(el);
      if (details !== null && isElement(details) && isTag(details, 'details')) return hasAttr(details, 'open');
    }
    const said = attr(el, 'aria-expanded');
    return said === 'true' ? true : said === 'false' ? false : null;
  }

  function statesOf(el: Element, active: Element | null): string[] {
    const states: string[] = [];
    const input = isTag(el, 'input') ? (el as HTMLInputElement) : null;
    const tickable = input !== null && (input.type === 'checkbox' || input.type === 'radio');
    const ariaChecked = attr(el, 'aria-checked');
    if (ariaChecked === 'mixed' || (tickable && input.indeterminate)) states.push('mixed');
    else if (ariaChecked === 'true' || (tickable && input.checked)) states.push('checked');
    if (attr(el, 'aria-pressed') === 'true') states.push('pressed');
    if (attr(el, 'aria-selected') === 'true') states.push('selected');
    const expanded = isExpanded(el);
    if (expanded !== null) states.push(expanded ? 'expanded' : 'collapsed');
    if (isDisabled(el)) states.push('disabled');
    if (isReadonly(el)) states.push('readonly');
    if (isRequired(el)) states.push('required');
    if (el === active) states.push('focused');
    return states;
  }

  function levelOf(el: Element): string {
    const said = attr(el, 'aria-level');
    if (said !== null && /^[1-9]$/.test(said)) return said;
    return /^h[1-6]$/.test(localName(el)) ? localName(el).slice(1) : '2';
  }

  // ------------------------------------------------------------------------------------------- //
  // Refs

  const MAX_NUMBER = 999_999;
  const given = new Map<number, WeakRef<Element>>();
  const numberOf = new WeakMap<Element, number>();
  let highest = 0;

  /** The element that this instance gave a number to, while it is still where it can be acted on. */
  function holder(n: number): Element | null {
    const el = given.get(n)?.deref();
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
  function numbering(s: Survey): Numbering {
    const owner = new Map<number, Element>();
    for (const n of given.keys()) {
      const el = holder(n);
      if (el === null) given.delete(n);
      else owner.set(n, el);
    }
    for (const [n, carriers] of s.carriers) {
      const first = owner.get(n) ?? carriers[0];
      if (first === undefined) continue;
      owner.set(n, first);
      highest = Math.max(highest, n);
      for (const other of carriers) if (other !== first) dropAttr(other, refAttr);
    }
    return { owner, next: highest + 1 };
  }

  /** A page can plant the last number; then those that are free come next. */
  function freeNumber(numbers: Numbering): number {
    while (numbers.next > MAX_NUMBER || numbers.owner.has(numbers.next)) numbers.next = numbers.next > MAX_NUMBER ? 1 : numbers.next + 1;
    return numbers.next++;
  }

  function refFor(el: Element, numbers: Numbering): string {
    const had = numberIn(attr(el, refAttr)) || (numberOf.get(el) ?? 0);
    const keeps = had > 0 && (numbers.owner.get(had) ?? el) === el;
    const n = keeps ? had : freeNumber(numbers);
    numbers.owner.set(n, el);
    given.set(n, new WeakRef(el));
    numberOf.set(el, n);
    highest = Math.max(highest, n);
    if (attr(el, refAttr) !== `e${n}`) setAttr(el, refAttr, `e${n}`);
    return `e${n}`;
  }

  function carriersOf(name: string, value: string): Element[] {
    const found: Element[] = [];
    everyElement((el) => {
      if (attr(el, name) === value) found.push(el);
    });
    return found;
  }

  function byRef(ref: string): Element {
    const form = /^(?:(?:f[1-9]\d{0,7})?(e)|(p))([1-9]\d*)$/.exec(ref);
    if (form === null) throw invalid(`ref ${quoted(ref, 40)} is malformed: use one from a page_snapshot, such as e12`);
    const precise = form[2] === 'p';
    const held = precise ? null : holder(Number(form[3]));
    if (held !== null) return held;
    let found = carriersOf(precise ? preciseAttr : refAttr, `${precise ? 'p' : 'e'}${form[3]}`);
    if (precise) found = found.filter(inOpenTree);
    if (found.length > 1) throw refuse(`ref ${ref} is ambiguous, ${found.length} elements carry it: take a new page_snapshot`);
    if (found[0] === undefined) throw refuse(`ref ${ref} not found: take a new page_snapshot`);
    return found[0];
  }

  /** In the document of the instance, through open shadow roots alone. */
  function inOpenTree(el: Element): boolean {
    let root = rootNode(el);
    while (nodeType(root) === FRAGMENT) {
      if ((root as ShadowRoot).mode !== 'open') return false;
      root = rootNode(shadowHost(root));
    }
    return root === document;
  }

  // ------------------------------------------------------------------------------------------- //
  // Outline

  interface Item {
    el: Element;
    /** The item around it, -1 for none. */
    up: number;
    /** Index behind the last item in it. */
    end: number;
    role: string;
    /** What it counts as if it is structural, "" if it is interactive. */
    kind: string;
    interactive: boolean;
    /** Structural, and text is its content rather than its label. */
    flow: boolean;
    /** Has listed content. */
    content: boolean;
    /** Has content that is more than text. */
    solid: boolean;
    keep: boolean;
    depth: number;
  }

  interface Level {
    elements: Element[];
    at: number;
    /** Item that the elements are in. */
    item: number;
    /** Inside an interactive element or a heading: nothing structural. */
    quiet: boolean;
    /** Item that ends with this level, -1 for none. */
    ends: number;
  }

  interface Walk {
    items: Item[];
    levels: Level[];
    root: Element | null;
    interactiveOnly: boolean;
  }

  function addItem(walk: Walk, el: Element, level: Level, kind: string): number {
    const interactive = kind === '';
    const role = interactive ? roleOf(el) : (explicitRole(el) ?? kind);
    const flow = FLOW_KINDS.has(kind);
    walk.items.push({ el, up: level.item, end: 0, role, kind, interactive, flow, content: false, solid: false, keep: interactive, depth: 0 });
    return walk.items.length - 1;
  }

  /** Whether the control of a label has a line of its own in this walk. */
  function controlListed(walk: Walk, label: Element): boolean {
    const control = labelControl(label);
    if (control === null || !isInteractive(control) || !isVisible(control)) return false;
    return !ariaHiddenAround(control) && (walk.root === null || flatContains(walk.root, control));
  }

  /** The item for an element, -1 for none; `quiet` says what holds inside. */
  function itemFor(walk: Walk, el: Element, level: Level): { item: number; quiet: boolean } {
    const none = { item: -1, quiet: level.quiet };
    if (isInteractive(el)) {
      if (!isVisible(el) || (isFrame(el) && !hasArea(el))) return none;
      if (isTag(el, 'label') && controlListed(walk, el)) {
        const around = walk.items[level.item];
        if (around !== undefined) around.solid = true;
        return { item: -1, quiet: true };
      }
      return { item: addItem(walk, el, level, ''), quiet: true };
    }
    if (walk.interactiveOnly || level.quiet) return none;
    const kind = structuralKind(el);
    if (kind === null || !isVisible(el)) return none;
    return { item: addItem(walk, el, level, kind), quiet: kind === 'heading' };
  }

  function walkElement(walk: Walk, el: Element, level: Level): void {
    if (isAriaHidden(el)) return;
    const closed = isHtml(el) && CLOSED_TAGS.has(localName(el));
    if (closed && !INTERACTIVE_TAGS.has(localName(el))) return;
    const { item, quiet } = itemFor(walk, el, level);
    const inside = item < 0 ? level.item : item;
    let elements: Element[] = [];
    const frame = isFrame(el);
    if (frame) {
      const doc = item < 0 ? null : documentIn(el);
      if (doc !== null) elements = topOf(doc);
    } else if (!closed) elements = flatElements(el);
    walk.levels.push({ elements, at: 0, item: inside, quiet: quiet && !frame, ends: item });
  }

  /** What a walk of a document begins with. A body that is itself an editor would else have no line. */
  function topOf(doc: Document): Element[] {
    const body = bodyOf(doc);
    if (body === null || isAriaHidden(body)) return [];
    return isEditingHost(body) ? [body] : flatElements(body);
  }

  function collect(root: Element | null, interactiveOnly: boolean): Item[] {
    const walk: Walk = { items: [], levels: [], root, interactiveOnly };
    const elements = root === null ? topOf(document) : ariaHiddenAround(root) ? [] : [root];
    walk.levels.push({ elements, at: 0, item: -1, quiet: false, ends: -1 });
    for (let level = walk.levels.at(-1); level !== undefined; level = walk.levels.at(-1)) {
      const el = level.elements[level.at++];
      if (el === undefined) {
        const ended = walk.items[level.ends];
        if (ended !== undefined) ended.end = walk.items.length;
        walk.levels.pop();
      } else walkElement(walk, el, level);
    }
    return walk.items;
  }

  /** Inner items come behind outer ones, so one pass from the end settles who stays. */
  function settle(items: Item[]): void {
    for (let i = items.length - 1; i >= 0; i--) {
      const item = items[i] as Item;
      item.keep ||= item.content || (item.flow && hasOwnText(item.el)) || itemName(item) !== '';
      const around = items[item.up];
      if (around === undefined) continue;
      around.content ||= item.keep;
      around.solid ||= item.solid || (item.keep && (item.interactive || item.role !== 'text'));
    }
  }

  function itemName(item: Item): string {
    if (item.flow && item.solid) return nameOf(item.el, false) || plain(ownText(item.el));
    return nameOf(item.el, item.interactive || item.flow || item.kind === 'heading');
  }

  /** The items that get a line, in order. A flow element that took all its text leaves none below. */
  function listed(items: Item[]): Item[] {
    const lines: Item[] = [];
    for (let i = 0; i < items.length; ) {
      const item = items[i] as Item;
      if (item.keep) {
        item.depth = item.up < 0 ? 0 : (items[item.up] as Item).depth + 1;
        lines.push(item);
      }
      i = !item.keep || (item.flow && !item.solid) ? item.end : i + 1;
    }
    return lines;
  }

  function optionsText(select: Element): string {
    const options = optionsOf(select);
    const rest = options.length - 20;
    const labels = options.slice(0, 20).map((o) => quoted(optionLabel(o), 40));
    return ` options=[${labels.join(',')}]${rest > 0 ? ` +${rest}` : ''}`;
  }

  interface Line {
    item: Item;
    head: string;
    attrs: string;
    tail: string;
  }

  function lineFor(item: Item, name: string, active: Element | null, interactiveOnly: boolean): Line {
    const { el } = item;
    const head = item.role + (name === '' ? '' : ` ${quote(name, item.interactive ? 120 : 200)}`);
    const states = statesOf(el, active);
    if (item.role === 'heading') states.unshift(`level=${levelOf(el)}`);
    let tail = '';
    const value = item.interactive ? valueOf(el) : '';
    if (value !== '') tail += ` value=${quote(value, 60)}`;
    if (isTag(el, 'select')) tail += optionsText(el);
    const href = interactiveOnly ? null : hrefOf(el);
    if (href !== null) tail += ` href=${quoted(href, 200)}`;
    return { item, head, attrs: states.map((s) => ` [${s}]`).join(''), tail };
  }

  interface OutlineOptions {
    root: Element | null;
    interactiveOnly: boolean;
    refPrefix: string;
    limit: number;
    hasFocus: boolean;
  }

  function outline(options: OutlineOptions): PageData<'page_snapshot'> {
    const s = survey();
    const items = collect(options.root, options.interactiveOnly);
    settle(items);
    const wanted = listed(items);
    const active = options.hasFocus ? innermostActive() : null;
    // Everything is read before the first ref is written, so that writing costs no new layout.
    let total = wanted.length;
    const described: Line[] = [];
    for (const item of wanted) {
      if (described.length >= options.limit) break;
      const name = itemName(item);
      const reached = !isFrame(item.el) || documentIn(item.el) !== null;
      if (name === '' && item.flow && (!item.content || !item.solid)) total--;
      else described.push(lineFor(item, name, reached ? active : null, options.interactiveOnly));
    }
    const numbers = numbering(s);
    const lines = described.map(({ item, head, attrs, tail }) => {
      const ref = item.interactive ? ` [ref=${options.refPrefix}${refFor(item.el, numbers)}]` : '';
      return { depth: item.depth, text: `${head}${ref}${attrs}${tail}`, ref: item.interactive };
    });
    const frames: PageData<'page_snapshot'>['frames'] = [];
    described.forEach(({ item }, line) => {
      if (isFrame(item.el) && documentIn(item.el) === null) frames.push({ ...slotFor(item.el, item.el === active), line });
    });
    const url = cut(wellFormed(location.href).replace(SPACE, '').replace(DROPPED, ''), 2000);
    return { head: [`url: ${url}`, `title: ${quoted(titleOf(document), 200)}`], lines, total, frames };
  }

  // ------------------------------------------------------------------------------------------- //
  // Text of the page

  const maskDigits = (text: string): string => text.replace(/(?<!\d)\d{12,19}(?!\d)/g, HIDDEN_VALUE);

  function textParts(el: Element | null): Array<string | FrameSlot> {
    survey();
    const parts = el === null ? [] : proseOf(el, true);
    return parts.map((part) => (typeof part === 'string' ? wellFormed(maskDigits(part)) : part));
  }

  function pageText(el: Element | null, limit: number): PageData<'page_text'> {
    const parts: Array<string | FrameSlot> = [];
    let left = limit;
    let truncated = false;
    for (const part of textParts(el)) {
      if (left <= 0) {
        truncated = true;
        break;
      }
      if (typeof part !== 'string') {
        parts.push(part);
        continue;
      }
      truncated = part.length > left;
      parts.push(cut(part, left));
      left -= part.length;
    }
    return { parts, url: location.href, truncated };
  }

  // ------------------------------------------------------------------------------------------- //
  // Targets

  interface Target {
    ref?: string | undefined;
    selector?: string | undefined;
  }

  function bySelector(selector: string): Element | null {
    try {
      return documentQuery(document, selector);
    } catch {
      throw invalid(`selector ${quoted(selector, 200)} is not valid CSS: correct it, or use a ref from page_snapshot`);
    }
  }

  function matchOf(selector: string): Element {
    const el = bySelector(selector);
    if (el === null) throw refuse(`no element matches selector ${quoted(selector, 200)}: use a ref from page_snapshot`);
    return el;
  }

  function find(target: Target): Element {
    if (target.ref !== undefined) return byRef(target.ref);
    if (target.selector !== undefined) return matchOf(target.selector);
    throw invalid('ref or selector is needed: take one from page_snapshot');
  }

  /** How errors call a target. */
  const called = (target: Target): string => target.ref ?? `selector ${quoted(target.selector ?? '', 200)}`;

  /** `button "Pay now"`, as an outline would have it. */
  function shownAs(el: Element): string {
    const kind = isInteractive(el) ? null : structuralKind(el);
    const role = kind === null ? roleOf(el) : (explicitRole(el) ?? kind);
    const name = nameOf(el, kind === null || kind === 'heading' || FLOW_KINDS.has(kind));
    return name === '' ? role : `${role} ${quote(name, 40)}`;
  }

  const ACTIVATED = words('button input label summary select');

  /** Who takes a click on an element: tools.md 6.6. */
  function activationTarget(el: Element): Element {
    for (let n: Element | null = el; n !== null; n = flatParent(n)) {
      const role = explicitRole(n);
      if (hrefOf(n) !== null || role === 'button' || role === 'link' || (isHtml(n) && ACTIVATED.has(localName(n)))) return n;
    }
    return el;
  }

  const controlOf = (el: Element): Element => (isTag(el, 'label') ? (labelControl(el) ?? el) : el);

  /** The IDL property where there is one; what cannot submit anything is a plain button. */
  function buttonType(el: Element): string {
    if (!isHtml(el) || !/^(button|input|select|textarea|fieldset|output)$/.test(localName(el))) return '';
    const type = typeOf(el);
    return (type === 'submit' || type === 'image') && (el as HTMLInputElement).form === null ? 'button' : type;
  }

  function descriptorOf(target: Element): Descriptor {
    return {
      tagName: tagAsRole(target),
      role: roleOf(target),
      type: buttonType(controlOf(target)),
      hasHref: hrefOf(target) !== null,
      name: clean(nameOf(target, isInteractive(target) || hasOwnText(target)), 120),
    };
  }

  function sameDescriptor(a: Descriptor, b: Descriptor): boolean {
    return a.tagName === b.tagName && a.role === b.role && a.type === b.type && a.hasHref === b.hasHref && a.name === b.name;
  }

  const bringIntoView = (el: Element): void => scrollTo(el, { block: 'center', inline: 'center', behavior: 'instant' });

  interface Point {
    x: number;
    y: number;
  }

  interface Spot extends Point {
    /** Frames around the document, innermost first, with the point in the document of each. */
    above: Array<{ frame: Element; at: Point }>;
  }

  interface Box {
    left: number;
    top: number;
    right: number;
    bottom: number;
  }

  const within = (a: Box, b: Box): Box => ({
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  });

  const viewport = (doc: Document): Box => {
    const view = viewOf(doc);
    return { left: 0, top: 0, right: view?.innerWidth ?? 0, bottom: view?.innerHeight ?? 0 };
  };

  /** How coordinates in a frame become those of the document that shows it. */
  function mapping(frame: Element): { dx: number; dy: number; scale: number } {
    const rect = boundingRect(frame);
    const style = styleOf(frame);
    const scale = rect.width / (offsetWidth(frame) || rect.width) || 1;
    return {
      dx: rect.left + (clientLeft(frame) + (parseFloat(style.paddingLeft) || 0)) * scale,
      dy: rect.top + (clientTop(frame) + (parseFloat(style.paddingTop) || 0)) * scale,
      scale,
    };
  }

  /**
   * Controls that style sheets draw anew are often left as one dot that is clipped away, for the keyboard
   * and for hearing: such a one shows nothing, and whatever lies at that dot does not cover it.
   */
  function isClipped(el: Element, rect: DOMRect): boolean {
    const { position, clip, clipPath, overflow } = styleOf(el);
    if (/^inset\((100|[5-9]\d)(\.\d+)?%/.test(clipPath) || /^circle\(0(px|%)/.test(clipPath)) return true;
    if (/^(absolute|fixed)$/.test(position) && /^rect\((\d+px)(, \1){3}\)$/.test(clip)) return true;
    return rect.width <= 1 && rect.height <= 1 && overflow !== 'visible';
  }

  /** What boxes that scroll leave of one in them. */
  function unscrolled(el: Element, box: Box): Box {
    let left = box;
    for (let n = flatParent(el); n !== null && !isTag(n, 'body'); n = flatParent(n)) {
      const { overflowX, overflowY } = styleOf(n);
      if (overflowX !== 'visible' || overflowY !== 'visible') left = within(left, boundingRect(n));
    }
    return left;
  }

  /**
   * The click point (tools.md 6.16); null for an element that shows nothing. A link around blocks has empty
   * rectangles before and behind these.
   */
  function spotOf(el: Element, clip: (el: Element, box: Box) => Box = (_el, box) => box): Spot | null {
    const first = Array.from(clientRects(el)).find((r) => r.width > 0 && r.height > 0);
    if (first === undefined || isClipped(el, first)) return null;
    let box = clip(el, within(first, viewport(ownerDocument(el))));
    const ups: Array<{ frame: Element; dx: number; dy: number; scale: number }> = [];
    for (let f = frameOf(ownerDocument(el)); f !== null; f = frameOf(ownerDocument(f))) {
      const m = mapping(f);
      ups.push({ frame: f, ...m });
      const seenBox = { left: m.dx + box.left * m.scale, top: m.dy + box.top * m.scale, right: m.dx + box.right * m.scale, bottom: m.dy + box.bottom * m.scale };
      box = within(seenBox, within(boundingRect(f), viewport(ownerDocument(f))));
    }
    if (!(box.right > box.left && box.bottom > box.top)) return null;
    // From the outermost document, where all clips were applied, back down to the element's own.
    let at: Point = { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
    const above: Spot['above'] = [];
    for (const { frame, dx, dy, scale } of ups.reverse()) {
      above.unshift({ frame, at });
      at = { x: (at.x - dx) / scale, y: (at.y - dy) / scale };
    }
    return { ...at, above };
  }

  /** What a document shows at a point, followed into shadow trees. */
  function hitIn(doc: Document, at: Point): Element | null {
    let hit = documentAt(doc, at.x, at.y);
    while (hit !== null) {
      const shadow = shadowOf(hit);
      const inner: Element | null = shadow === null ? null : shadowAt(shadow, at.x, at.y);
      if (inner === null || inner === hit || rootNode(inner) !== shadow) return shadow === null ? hit : slotAt(hit, shadow, at);
      hit = inner;
    }
    return null;
  }

  /**
   * A host is said to be hit where the text in it is. What is under that point is the slot which the text
   * is shown in; the host itself if no text is there.
   */
  function slotAt(host: Element, shadow: ShadowRoot, at: Point): Element {
    for (const node of listOf(firstChild(host))) {
      if (nodeType(node) !== TEXT) continue;
      const range = makeRange(ownerDocument(host));
      selectNode(range, node);
      for (const r of rangeRects(range))
        if (at.x >= r.left && at.x <= r.right && at.y >= r.top && at.y <= r.bottom) return slotOf(node, shadow) ?? host;
    }
    return host;
  }

  /** What covers an element at its click point; null if nothing does. */
  function coverOf(el: Element, spot: Spot): Element | 'nothing' | null {
    for (const { frame, at } of spot.above) {
      const hit = hitIn(ownerDocument(frame), at);
      if (hit !== frame) return hit ?? 'nothing';
    }
    const hit = hitIn(ownerDocument(el), spot);
    if (hit === null) return 'nothing';
    if (flatContains(el, hit)) return null;
    return controlOf(activationTarget(hit)) === controlOf(activationTarget(el)) ? null : hit;
  }

  /** In a box that scrolls, the middle of a large element may be where nothing shows it. */
  function clickSpot(el: Element): Spot | null {
    const spot = spotOf(el);
    if (spot === null || coverOf(el, spot) === null) return spot;
    const inside = spotOf(el, unscrolled);
    return inside !== null && coverOf(el, inside) === null ? inside : spot;
  }

  function refuseCovered(el: Element, spot: Spot | null, target: Target): void {
    const cover = spot === null ? null : coverOf(el, spot);
    if (cover === null) return;
    const what = cover === 'nothing' ? 'something that takes no clicks' : shownAs(isTag(cover, 'slot') ? (flatParent(cover) ?? cover) : cover);
    throw refuse(`${called(target)} is covered by ${what}: close or scroll away what covers it, then take a new page_snapshot`);
  }

  // ------------------------------------------------------------------------------------------- //
  // Events

  type Views = Window & typeof globalThis;

  const viewFor = (el: Element): Views => viewOf(ownerDocument(el)) ?? window;

  const BASE = { bubbles: true, cancelable: true, composed: true };

  function pointer(el: Element, name: string, init: PointerEventInit): boolean {
    const view = viewFor(el);
    const make = name.startsWith('pointer') || /^(click|auxclick|contextmenu)$/.test(name) ? view.PointerEvent : view.MouseEvent;
    const bubbles = !/enter$/.test(name);
    return dispatch(el, new make(name, { ...BASE, bubbles, cancelable: bubbles, composed: bubbles, view, pointerId: 1, pointerType: 'mouse', isPrimary: true, ...init }));
  }

  function changed(el: Element, data: string | null = null): void {
    const view = viewFor(el);
    dispatch(el, new view.InputEvent('input', { bubbles: true, composed: true, inputType: 'insertReplacementText', data }));
    dispatch(el, new view.Event('change', { bubbles: true }));
  }

  // ------------------------------------------------------------------------------------------- //
  // Click

  /** Of the Navigation API, what is used here. */
  interface NavigateLike extends Event {
    readonly destination: { readonly url: string; readonly sameDocument: boolean };
    readonly downloadRequest: string | null;
    readonly signal: AbortSignal;
  }
  interface NavigationLike extends EventTarget {
    readonly transition: object | null;
  }

  interface Announced {
    event: NavigateLike;
    doc: Document;
    intercepted: boolean;
  }

  /** Documents that a click set off to replace, by the number that `_gone` asks for. */
  const leaving: Array<WeakRef<Document>> = [];

  const ownDocuments = /^(https?|about|blob|data|file|filesystem):/i;

  /** Listens for new documents on the windows of all documents of the instance. */
  function watchNavigation(): { list: Announced[]; stop: () => void } {
    const list: Announced[] = [];
    const stops: Array<() => void> = [];
    for (const doc of seen.documents) {
      const navigation = (viewOf(doc) as unknown as { navigation?: NavigationLike } | null)?.navigation;
      if (navigation === undefined) continue;
      let last: Announced | null = null;
      const onNavigate = (e: Event): void => {
        const event = e as NavigateLike;
        const entry: Announced = { event, doc, intercepted: false };
        list.push(entry);
        last = entry;
        void Promise.resolve().then(() => {
          if (navigation.transition !== null) entry.intercepted = true;
        });
      };
      // A document that stays commits an intercepted navigation as an entry of its own.
      const onEntry = (): void => {
        if (last !== null) last.intercepted = true;
      };
      listen(navigation, 'navigate', onNavigate);
      listen(navigation, 'currententrychange', onEntry);
      stops.push(() => {
        unlisten(navigation, 'navigate', onNavigate);
        unlisten(navigation, 'currententrychange', onEntry);
      });
    }
    return { list, stop: () => stops.forEach((s) => s()) };
  }

  function whatWasAnnounced(list: Announced[]): Omit<PageData<'page_click'>, 'role'> {
    const data: Omit<PageData<'page_click'>, 'role'> = {};
    for (const { event, doc, intercepted } of list) {
      if (event.defaultPrevented || intercepted || event.destination.sameDocument) continue;
      const url = wellFormed(event.destination.url);
      if (event.downloadRequest !== null && event.downloadRequest !== undefined) {
        data.download = { url, ...(event.downloadRequest === '' ? {} : { filename: wellFormed(event.downloadRequest) }) };
      } else if (!event.signal.aborted && ownDocuments.test(url)) {
        data.announced = doc === document ? { url } : { url, frame: leaving.push(new WeakRef(doc)) - 1 };
      }
    }
    return data;
  }

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
    if (press.button !== 1 || !follows || hrefOf(activationTarget(el)) === null) return false;
    // The browser opens no tab for an auxclick that is not its own.
    confirm();
    pointer(el, 'click', up);
    return false;
  }

  /** The script that a link runs instead of leading somewhere. A click of the isolated world starts none. */
  function scriptOf(el: Element): string | null {
    const link = activationTarget(el);
    const href = isHtml(link) && ownerDocument(link) === document ? hrefOf(link) : null;
    if (href === null || !/^[\u0000- ]*j[\r\n\t]*a[\r\n\t]*v[\r\n\t]*a/i.test(href) || !/^(_self)?$/i.test(attr(link, 'target') ?? '')) return null;
    try {
      const url = new URL(href, document.baseURI);
      return url.protocol === 'javascript:' && url.href.length <= 65_536 ? wellFormed(url.href) : null;
    } catch {
      return null;
    }
  }

  function clickable(target: Target): Element {
    const el = find(target);
    if (!isHtml(el)) throw refuse(`${called(target)} is an SVG element, which cannot be clicked: click the HTML element around it`);
    const takes = activationTarget(el);
    if (isDisabled(el) || (takes !== el && !isTag(takes, 'label') && isDisabled(takes)))
      throw refuse(`${called(target)} is disabled: do first what enables it, then take a new page_snapshot`);
    return el;
  }

  async function click(message: {
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

  // ------------------------------------------------------------------------------------------- //
  // Fill

  const TOOL_FOR: Readonly<Record<string, string>> = {
    checkbox: 'use page_click to tick it',
    radio: 'use page_click to choose it',
    file: 'use page_upload',
    button: 'use page_click',
    submit: 'use page_click',
    reset: 'use page_click',
    image: 'use page_click',
    hidden: 'it is hidden from the user, fill the visible field instead',
  };

  /** The element that a fill of the target changes. */
  function fillable(target: Target): Element {
    const found = find(target);
    let el = found;
    if (isTag(el, 'select')) throw refuse(`${called(target)} is a drop-down: use page_select`);
    if (isTag(el, 'input') && !isTextLike(el)) {
      const type = typeOf(el);
      throw refuse(`${called(target)} is an input of type ${type}: ${TOOL_FOR[type] ?? 'use page_click'}`);
    }
    if (!isTag(el, 'input') && !isTag(el, 'textarea')) {
      if (!isEditable(el)) throw refuse(`${called(target)} is no text field: take a page_snapshot and choose a textbox, or use page_click`);
      el = hostOf(el);
    }
    if (isDisabled(el) || isDisabled(found)) throw refuse(`${called(target)} is disabled: do first what enables it, then take a new page_snapshot`);
    if (isReadonly(el) || isReadonly(found)) throw refuse(`${called(target)} is readonly: its value cannot be set, look for the control that changes it`);
    return el;
  }

  const DECIMAL = /^-?(\d+(\.\d+)?|\.\d+)$/;
  const FORMATS: Readonly<Record<string, { form: RegExp; text: string; empty: boolean }>> = {
    date: { form: /^\d{4}-\d{2}-\d{2}$/, text: 'YYYY-MM-DD', empty: true },
    month: { form: /^\d{4}-\d{2}$/, text: 'YYYY-MM', empty: true },
    week: { form: /^\d{4}-W\d{2}$/, text: 'YYYY-Www, such as 2025-W07', empty: true },
    time: { form: /^\d{2}:\d{2}(:\d{2}(\.\d{3})?)?$/, text: 'HH:MM, HH:MM:SS or HH:MM:SS.mmm', empty: true },
    'datetime-local': {
      form: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{3})?)?$/,
      text: 'YYYY-MM-DDTHH:MM, with seconds if needed',
      empty: true,
    },
    color: { form: /^#[0-9a-f]{6}$/i, text: '#rrggbb', empty: false },
    range: { form: DECIMAL, text: 'a decimal number', empty: false },
    number: { form: DECIMAL, text: 'a decimal number', empty: true },
  };

  const formatOf = (el: Element): { form: RegExp; text: string; empty: boolean } | null => {
    const type = isTag(el, 'input') ? typeOf(el) : '';
    return Object.hasOwn(FORMATS, type) ? (FORMATS[type] ?? null) : null;
  };

  function checkFormat(el: Element, value: string, target: Target): void {
    const format = formatOf(el);
    if (format === null || format.form.test(value) || (value === '' && format.empty)) return;
    throw invalid(`value does not fit ${called(target)}, an input of type ${typeOf(el)}: write it as ${format.text}${format.empty ? '' : ', not empty'}`);
  }

  /** The setter of the prototype: frameworks put their own on the element and miss what passes by it. */
  function setNatively(el: Element, value: string): void {
    const view = viewFor(el);
    const proto = (isTag(el, 'textarea') ? view.HTMLTextAreaElement : view.HTMLInputElement).prototype;
    const set = accessor(proto, 'value')?.set;
    if (set === undefined) throw refuse('the field takes no value: reload the page and try again');
    apply(set, el, [value]);
  }

  /** Whether the control holds what it was given, and not what it made of it. */
  function tookValue(el: Element, value: string): boolean {
    if (formatOf(el) === null) return true;
    const now = (el as HTMLInputElement).value;
    if (now === '') return value === '';
    const type = typeOf(el);
    if (type === 'range' || type === 'number') return Number(now) === Number(value);
    return type !== 'color' || now.toLowerCase() === value.toLowerCase();
  }

  function setControl(el: Element, value: string, target: Target): void {
    const control = el as HTMLInputElement;
    const former = control.value;
    setNatively(el, value);
    if (!tookValue(el, value)) {
      setNatively(el, former);
      const limits = ['min', 'max', 'step'].map((n) => `${n} ${quoted(attr(el, n) ?? '', 40)}`).join(', ');
      throw invalid(`${called(target)} does not take this value: write a possible one as ${formatOf(el)?.text ?? 'text'}, within ${limits}`);
    }
    changed(el, value);
  }

  function refuseChanged(el: Element, expect: Descriptor | undefined, target: Target): void {
    survey();
    if (!isConnected(el) || (expect !== undefined && !sameDescriptor(expect, descriptorOf(el))))
      throw refuse(`${called(target)} changed and was not filled: take a new page_snapshot and look at it again`);
  }

  async function fill(
    message: { expect?: Descriptor | undefined; args: Target & { value: string } },
    alive: () => void,
  ): Promise<PageData<'page_fill'>> {
    const { expect, args } = message;
    survey();
    const el = fillable(args);
    const control = isTag(el, 'input') || isTag(el, 'textarea');
    if (control) checkFormat(el, args.value, args);
    bringIntoView(el);
    htmlFocus(el, { preventScroll: true });
    refuseChanged(el, expect, args);
    if (control) setControl(el, args.value, args);
    else await fillEditor(el, args, alive);
    return {};
  }

  // ------------------------------------------------------------------------------------------- //
  // Editors: a host is filled the way typing would, so that what is behind it follows (tools.md 6.16)

  /** The text of a host that the user could edit; placeholders and line numbers are not. */
  function editableText(host: Element): string {
    let text = '';
    const todo: Node[] = [host];
    for (let n = todo.pop(); n !== undefined; n = todo.pop()) {
      if (nodeType(n) === TEXT) {
        const parent = parentNode(n);
        if (parent !== null && isElement(parent) && isEditable(parent)) text += nodeText(n) ?? '';
      } else if (isElement(n) && !(isHtml(n) && /^(script|style)$/.test(localName(n)))) {
        for (const child of listOf(firstChild(n)).reverse()) todo.push(child);
      }
    }
    return text;
  }

  const selectionFor = (host: Element): Selection | null => {
    const root = rootNode(host) as ShadowRoot & { getSelection?: () => Selection | null };
    if (nodeType(root) === FRAGMENT && typeof root.getSelection === 'function') return root.getSelection();
    return getSelection(ownerDocument(host));
  };

  /** Selects all that a host holds and waits until editors have heard of it. */
  async function selectAll(host: Element): Promise<void> {
    const doc = ownerDocument(host);
    const count = listOf(firstChild(host)).length;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        unlisten(doc, 'selectionchange', done);
        resolve();
      };
      listen(doc, 'selectionchange', done);
      void later(done, 100);
      selectionFor(host)?.setBaseAndExtent(host, 0, host, count);
    });
  }

  const COMMANDS = { insertText: 'insertText', insertParagraph: 'insertParagraph', deleteContentBackward: 'delete' } as const;

  /** One step of typing: offered to the editor first, done by the browser if it declines. */
  function typeStep(host: Element, inputType: keyof typeof COMMANDS, data: string | null): void {
    const view = viewFor(host);
    const init: InputEventInit = { ...BASE, inputType, data };
    const range = selectionFor(host)?.rangeCount ? selectionFor(host)?.getRangeAt(0) : undefined;
    if (range !== undefined) init.targetRanges = [new view.StaticRange(range)];
    const offered = dispatch(host, new view.InputEvent('beforeinput', init));
    if (offered) execCommand(ownerDocument(host), COMMANDS[inputType], false, data ?? undefined);
  }

  async function typeValue(host: Element, value: string, alive: () => void): Promise<void> {
    if (value === '') {
      typeStep(host, 'deleteContentBackward', null);
      return;
    }
    const lines = value.split(/\r\n|\r|\n/);
    for (let i = 0; i < lines.length; i++) {
      if (i > 0) {
        typeStep(host, 'insertParagraph', null);
        await nextTask();
        alive();
      }
      const line = lines[i] ?? '';
      if (line === '') continue;
      typeStep(host, 'insertText', line);
      await nextTask();
      alive();
    }
  }

  function paste(host: Element, value: string): void {
    const view = viewFor(host);
    const clipboardData = new view.DataTransfer();
    clipboardData.setData('text/plain', value);
    dispatch(host, new view.ClipboardEvent('paste', { ...BASE, clipboardData }));
  }

  async function holds(host: Element, value: string, alive: () => void): Promise<boolean> {
    const wanted = bare(value);
    for (let waited = 0; ; waited += 25) {
      if (isConnected(host) && bare(editableText(host)) === wanted) return true;
      if (waited >= 500) return false;
      await pause(25);
      alive();
    }
  }

  /**
   * Draft hears of no `beforeinput`, and edits by the browser over several of its blocks pull nodes from
   * under React, which then takes the whole editor down. It follows a paste and the Backspace key.
   */
  const isDraft = (host: Element): boolean => elementAll(host, '[data-contents="true"] [data-block="true"]').length > 0;

  function typeForDraft(host: Element, value: string): void {
    if (value !== '') return;
    const view = viewFor(host);
    dispatch(host, new view.KeyboardEvent('keydown', { ...BASE, view, key: 'Backspace', code: 'Backspace', keyCode: 8, which: 8 }));
  }

  async function fillEditor(host: Element, args: Target & { value: string }, alive: () => void): Promise<void> {
    if (!hasFocus(ownerDocument(host)))
      throw refuse(`${called(args)} is a rich text editor and needs its tab in front: call tab_focus, then page_fill again`);
    await selectAll(host);
    alive();
    const draft = isDraft(host);
    if (draft) typeForDraft(host, args.value);
    else await typeValue(host, args.value, alive);
    if (!(draft && args.value !== '') && (await holds(host, args.value, alive))) return;
    if (args.value !== '') {
      await selectAll(host);
      alive();
      paste(host, args.value);
      if (await holds(host, args.value, alive)) return;
    }
    throw refuse(`the editor at ${called(args)} did not follow and may hold something else now: take a new page_snapshot`);
  }

  // ------------------------------------------------------------------------------------------- //
  // Other acts

  function select(args: Target & { value: string }): PageData<'page_select'> {
    survey();
    const el = find(args);
    if (!isTag(el, 'select')) throw refuse(`${called(args)} is no drop-down: use page_fill for text and page_click for anything else`);
    if (isDisabled(el)) throw refuse(`${called(args)} is disabled: do first what enables it, then take a new page_snapshot`);
    const options = optionsOf(el);
    const label = plain(args.value);
    let index = options.findIndex((o) => o.value === args.value);
    if (index < 0) index = options.findIndex((o) => plain(o.text) === label || plain(optionLabel(o)) === label);
    const option = options[index];
    if (option === undefined)
      throw refuse(`${called(args)} has no option ${quoted(args.value, 60)}: choose one of the options that page_snapshot shows`);
    if (matches(option, ':disabled')) throw refuse(`option ${quoted(args.value, 60)} of ${called(args)} is disabled: choose another one`);
    const set = accessor(viewFor(el).HTMLSelectElement.prototype, 'selectedIndex')?.set;
    if (set === undefined) throw refuse('the drop-down takes no choice: reload the page and try again');
    apply(set, el, [index]);
    const { value, text } = option;
    changed(el);
    return { selected: wellFormed(value), text: wellFormed(text) };
  }

  interface Keys {
    key: string;
    code: string;
    keyCode: number;
    modifiers: { ctrlKey: boolean; shiftKey: boolean; altKey: boolean; metaKey: boolean };
  }

  const MODIFIERS: Readonly<Record<string, keyof Keys['modifiers']>> = {
    control: 'ctrlKey',
    ctrl: 'ctrlKey',
    shift: 'shiftKey',
    alt: 'altKey',
    option: 'altKey',
    meta: 'metaKey',
    cmd: 'metaKey',
    command: 'metaKey',
  };

  /** Keys with a code of their own, and the number that older handlers look at. */
  const KEY_CODES: Readonly<Record<string, number>> = {
    Enter: 13,
    Escape: 27,
    Tab: 9,
    Backspace: 8,
    Delete: 46,
    Insert: 45,
    Home: 36,
    End: 35,
    PageUp: 33,
    PageDown: 34,
    ArrowLeft: 37,
    ArrowUp: 38,
    ArrowRight: 39,
    ArrowDown: 40,
  };

  function codeOf(key: string): { code: string; keyCode: number } {
    if (/^[a-z]$/i.test(key)) return { code: `Key${key.toUpperCase()}`, keyCode: key.toUpperCase().charCodeAt(0) };
    if (/^\d$/.test(key)) return { code: `Digit${key}`, keyCode: key.charCodeAt(0) };
    if (/^F([1-9]|1[0-2])$/.test(key)) return { code: key, keyCode: 111 + Number(key.slice(1)) };
    if (Object.hasOwn(KEY_CODES, key)) return { code: key, keyCode: KEY_CODES[key] ?? 0 };
    return { code: '', keyCode: key === ' ' ? 32 : 0 };
  }

  function parseKeys(text: string): Keys {
    const tokens = text.trim().split('+').map((t) => t.trim());
    const last = tokens.pop() ?? '';
    if (last === '') throw invalid('keys does not end with a key, and the + key itself cannot be named: give a key such as Enter or Control+A');
    const modifiers = { ctrlKey: false, shiftKey: false, altKey: false, metaKey: false };
    for (const token of tokens) {
      const name = token.toLowerCase();
      const flag = Object.hasOwn(MODIFIERS, name) ? MODIFIERS[name] : undefined;
      if (flag === undefined) throw invalid(`keys has no modifier ${quoted(token, 40)}: use Control, Shift, Alt or Meta, then one key`);
      modifiers[flag] = true;
    }
    const key = last === 'Space' ? ' ' : last;
    return { key, ...codeOf(key), modifiers };
  }

  /** Whether Enter in an input asks its form to submit, as far as the kind of input goes. */
  const submitsByEnter = (el: Element): boolean => isTag(el, 'input') && !/^(button|reset|file|color|hidden)$/.test(typeOf(el));

  const BLOCKS_IMPLICIT = words('text search tel url email password date month week time datetime-local number');

  function submitButtons(form: Element, root: Node): Element[] {
    return Array.from(queryAll(root, 'button, input')).filter((b) => {
      const control = b as HTMLInputElement;
      return isHtml(b) && control.form === form && (control.type === 'submit' || control.type === 'image');
    });
  }

  function submitByEnter(input: Element): void {
    const form = (input as HTMLInputElement).form;
    if (form === null) return;
    const root = rootNode(form);
    const type = typeOf(input);
    const button = type === 'submit' || type === 'image' ? input : submitButtons(form, root)[0];
    if (button !== undefined) {
      if (!matches(button, ':disabled')) requestSubmit(form, button);
      return;
    }
    // Without a button browsers submit by Enter only what has a single field.
    const fields = Array.from(queryAll(root, 'input')).filter((f) => isHtml(f) && (f as HTMLInputElement).form === form && BLOCKS_IMPLICIT.has(typeOf(f)));
    if (fields.length <= 1) requestSubmit(form);
  }

  function press(keys: string): PageData<'page_press'> {
    const parsed = parseKeys(keys);
    const active = innermostActive();
    if (active !== null && isFrame(active) && documentIn(active) === null)
      throw refuse('the focus is in a frame that keys cannot be sent to: click or fill an element outside of it first');
    const el = active ?? bodyOf(document);
    if (el === null) throw refuse('the page has no element that could take keys: use page_wait_for nav, then try again');
    const view = viewFor(el);
    const send = (name: string): boolean => {
      const charCode = name === 'keypress' ? parsed.key.charCodeAt(0) : 0;
      const legacy = { keyCode: charCode || parsed.keyCode, charCode, which: charCode || parsed.keyCode };
      return dispatch(el, new view.KeyboardEvent(name, { ...BASE, view, key: parsed.key, code: parsed.code, ...parsed.modifiers, ...legacy }));
    };
    const proceeds = send('keydown');
    const plainKey = !Object.values(parsed.modifiers).includes(true);
    if (proceeds && parsed.key === 'Enter' && plainKey && submitsByEnter(el) && isConnected(el)) submitByEnter(el);
    if (proceeds && Array.from(parsed.key).length === 1) send('keypress');
    send('keyup');
    return { pressed: keys.trim() };
  }

  function hover(args: Target): PageData<'page_hover'> {
    survey();
    const el = find(args);
    bringIntoView(el);
    const spot = spotOf(el);
    const init = { clientX: spot?.x ?? 0, clientY: spot?.y ?? 0, button: -1, buttons: 0 };
    for (const name of ['pointerover', 'pointerenter', 'mouseover', 'mouseenter', 'mousemove'])
      pointer(el, name, name.startsWith('mouse') ? { ...init, button: 0 } : init);
    return { role: roleOf(el) };
  }

  function scroll(args: { direction?: string | undefined; pixels?: number | undefined }): PageData<'page_scroll'> {
    const step = Math.round(window.innerHeight * 0.9);
    const by = args.pixels ?? (args.direction === 'up' ? -step : args.direction === 'down' ? step : undefined);
    if (by !== undefined) window.scrollBy({ top: by, left: 0, behavior: 'instant' });
    else if (args.direction === 'top') window.scrollTo({ top: 0, behavior: 'instant' });
    else if (args.direction === 'bottom')
      window.scrollTo({ top: Math.max(document.documentElement?.scrollHeight ?? 0, bodyOf(document)?.scrollHeight ?? 0), behavior: 'instant' });
    else throw invalid('direction or pixels is needed: give one of them');
    return { scrollY: window.scrollY, scrollX: window.scrollX };
  }

  // ------------------------------------------------------------------------------------------- //
  // Web storage

  const storageKey = method<[number], string | null>(Storage.prototype, 'key');
  const storageItem = method<[string], string | null>(Storage.prototype, 'getItem');
  const storageLength = getter<number>(Storage.prototype, 'length');

  const MAX_ENTRIES = 500;

  function webStorage(type: 'local' | 'session'): object {
    try {
      return type === 'local' ? window.localStorage : window.sessionStorage;
    } catch {
      throw refuse(`the browser keeps no ${type}Storage for this page: it is sandboxed, or the user blocks the data of this site`);
    }
  }

  function readStorage({ type, key }: { type: 'local' | 'session'; key?: string | undefined }): PageData<'storage_get'> {
    const store = webStorage(type);
    if (key !== undefined) {
      const value = storageItem(store, key);
      return value === null ? { key, found: false } : { key, found: true, value };
    }
    const totalKeys = storageLength(store);
    const found: Array<[string, string]> = [];
    for (let i = 0; i < totalKeys && found.length < MAX_ENTRIES; i++) {
      const name = storageKey(store, i);
      const value = name === null ? null : storageItem(store, name);
      if (name !== null && value !== null) found.push([name, value]);
    }
    return { type, entries: Object.fromEntries(found), count: found.length, truncated: totalKeys > found.length, totalKeys };
  }

  // ------------------------------------------------------------------------------------------- //
  // Waiting

  interface WaitArgs {
    selector?: string | undefined;
    text?: string | undefined;
    nav: boolean;
    timeoutMs: number;
    totalMs: number;
  }

  function fulfilled(args: WaitArgs): PageData<'page_wait_for'> | null {
    if (args.selector !== undefined && bySelector(args.selector) !== null) return { matched: true, selector: args.selector };
    if (args.text !== undefined) {
      const text = textParts(bodyOf(document)).filter((part) => typeof part === 'string').join('\n');
      if (text.includes(args.text)) return { matched: true, text: args.text };
    }
    const readyState = stateOf(document);
    return args.nav && readyState === 'complete' ? { matched: true, nav: true, url: location.href, readyState } : null;
  }

  async function waitFor(args: WaitArgs, alive: () => void): Promise<PageData<'page_wait_for'>> {
    const end = performance.now() + args.timeoutMs;
    for (;;) {
      const found = fulfilled(args);
      if (found !== null) return found;
      const left = end - performance.now();
      if (left <= 0) throw refuse(`wait_for timed out after ${args.totalMs}ms`);
      await pause(Math.min(150, left));
      alive();
    }
  }

  /** Until the document of a frame that a click set off to replace is gone. */
  async function gone(frame: number | undefined, alive: () => void): Promise<PageData<'_gone'>> {
    if (frame !== undefined && leaving[frame] === undefined) throw refuse('no such document: take a new page_snapshot');
    const doc = frame === undefined ? document : leaving[frame]?.deref();
    if (doc === undefined) return {};
    while (viewOf(doc) !== null && (doc === document || reaches(doc))) {
      await new Promise<void>((resolve) => {
        const view = viewOf(doc);
        const done = (): void => {
          if (view !== null) unlisten(view, 'pagehide', done);
          resolve();
        };
        if (view !== null) listen(view, 'pagehide', done);
        void later(done, 100);
      });
      alive();
    }
    return {};
  }

  // ------------------------------------------------------------------------------------------- //
  // Methods

  /** Calls at work, by number; an aborted one stops at its next step. */
  const running = new Map<number, { aborted: boolean }>();

  function checkOrigin(expected: string): void {
    const own = window === window.top ? location.origin : window.origin;
    if (typeof expected !== 'string' || expected === '' || expected === 'null' || own !== expected)
      throw refuse('the page is now at another origin and nothing was done: look at tab_list, then take a new page_snapshot');
  }

  /** Reading and acting wait for the parser, but not for ever. */
  async function parsed(): Promise<void> {
    if (stateOf(document) !== 'loading') return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        unlisten(document, 'readystatechange', done);
        resolve();
      };
      listen(document, 'readystatechange', done);
      void later(done, 5_000);
    });
  }

  /** Nothing of the page is held on to between calls. */
  function forget(): void {
    if (running.size === 0) seen = unseen();
  }

  type Guarded = { call: number; expectOrigin: string };
  type Replied<D> = Promise<{ ok: true; data: D } | PageFailure>;

  /** Origin and act in one evaluation: nothing is awaited between them. */
  function guarded<M extends Guarded, D>(act: (message: M, alive: () => void) => D | Promise<D>, whenParsed = true): (message: M) => Replied<D> {
    return async (message) => {
      const state = { aborted: false };
      running.set(message.call, state);
      const alive = (): void => {
        if (state.aborted) throw refuse('the call was cancelled');
      };
      try {
        if (whenParsed) await parsed();
        alive();
        checkOrigin(message.expectOrigin);
        const data = await act(message, alive);
        return { ok: true, data };
      } catch (reason) {
        return failure(reason);
      } finally {
        if (running.get(message.call) === state) running.delete(message.call);
        forget();
      }
    };
  }

  function probeClick(target: Target): Descriptor {
    survey();
    return descriptorOf(activationTarget(clickable(target)));
  }

  function probeFill(target: Target): FillProbe {
    survey();
    const el = fillable(target);
    return { descriptor: descriptorOf(el), hidden: isSecret(el) };
  }

  const api: PageApi = {
    _probe: guarded(({ args }) => (args.purpose === 'fill' ? probeFill(args) : probeClick(args))),
    _abort: ({ args }) => {
      const state = running.get(args.call);
      if (state !== undefined) state.aborted = true;
      return { ok: true, data: {} };
    },
    _focus: guarded(() => {
      const active = innermostActive();
      return active !== null && isFrame(active) && documentIn(active) === null ? { frame: slotFor(active, true) } : {};
    }),
    _gone: guarded(({ args }, alive) => gone(args.frame, alive), false),
    page_snapshot: guarded(({ args }) =>
      outline({ ...args, root: args.selector === undefined ? null : matchOf(args.selector) }),
    ),
    page_text: guarded(({ args }) => pageText(args.selector === undefined ? bodyOf(document) : matchOf(args.selector), args.limit)),
    page_click: guarded((message) => click(message)),
    page_fill: guarded((message, alive) => fill(message, alive)),
    page_select: guarded(({ args }) => select(args)),
    page_press: guarded(({ args }) => press(args.keys)),
    page_hover: guarded(({ args }) => hover(args)),
    page_scroll: guarded(({ args }) => scroll(args)),
    page_wait_for: guarded(({ args }, alive) => waitFor(args, alive), false),
    storage_get: guarded(({ args }) => readStorage(args)),
  };
  return api;
};
