/** The methods and getters of the prototypes, taken before anything of the page can stand in their place. */
type Reader<T> = (of: object) => T;

export const apply = Reflect.apply;
export const accessor = Object.getOwnPropertyDescriptor;

/** The getter of a prototype; where there is none, plain access. */
export function getter<T>(owner: object | undefined, name: string): Reader<T> {
  const get = owner === undefined ? undefined : accessor(owner, name)?.get;
  if (get === undefined) return (of) => (of as Record<string, T>)[name] as T;
  return (of) => apply(get, of, []) as T;
}

/** A method of a prototype, called on whatever it is given. */
export function method<A extends unknown[], T>(owner: object | undefined, name: string): (of: object, ...args: A) => T {
  const fn = owner === undefined ? undefined : (owner as Record<string, unknown>)[name];
  if (typeof fn !== 'function') return (of, ...args) => (of as Record<string, (...a: A) => T>)[name]!(...args);
  return (of, ...args) => apply(fn, of, args) as T;
}

const nodeProto = Node.prototype;
const elementProto = Element.prototype;
const htmlProto = HTMLElement.prototype;
const documentProto = Document.prototype;
const shadowProto = typeof ShadowRoot === 'undefined' ? undefined : ShadowRoot.prototype;

export const parentNode = getter<Node | null>(nodeProto, 'parentNode');
export const firstChild = getter<Node | null>(nodeProto, 'firstChild');
export const nextSibling = getter<Node | null>(nodeProto, 'nextSibling');
export const nodeType = getter<number>(nodeProto, 'nodeType');
export const nodeText = getter<string | null>(nodeProto, 'nodeValue');
export const textContent = getter<string | null>(nodeProto, 'textContent');
export const baseUri = getter<string>(nodeProto, 'baseURI');
export const isConnected = getter<boolean>(nodeProto, 'isConnected');
export const ownerDocument = getter<Document>(nodeProto, 'ownerDocument');
export const rootNode = method<[], Node>(nodeProto, 'getRootNode');

export const localName = getter<string>(elementProto, 'localName');
export const namespace = getter<string | null>(elementProto, 'namespaceURI');
export const attr = method<[string], string | null>(elementProto, 'getAttribute');
export const hasAttr = method<[string], boolean>(elementProto, 'hasAttribute');
export const hasAttrs = method<[], boolean>(elementProto, 'hasAttributes');
export const setAttr = method<[string, string], void>(elementProto, 'setAttribute');
export const dropAttr = method<[string], void>(elementProto, 'removeAttribute');
export const matches = method<[string], boolean>(elementProto, 'matches');
export const clientRects = method<[], DOMRectList>(elementProto, 'getClientRects');
export const boundingRect = method<[], DOMRect>(elementProto, 'getBoundingClientRect');
export const nativeVisibility = method<[object?], boolean>(elementProto, 'checkVisibility');
export const scrollTo = method<[ScrollIntoViewOptions], void>(elementProto, 'scrollIntoView');
export const elementSlot = getter<Element | null>(elementProto, 'assignedSlot');
export const textSlot = getter<Element | null>(typeof Text === 'undefined' ? undefined : Text.prototype, 'assignedSlot');
export const clientLeft = getter<number>(elementProto, 'clientLeft');
export const clientTop = getter<number>(elementProto, 'clientTop');
export const scrollHeight = getter<number>(elementProto, 'scrollHeight');

export const firstElement = getter<Element | null>(elementProto, 'firstElementChild');
export const firstInFragment = getter<Element | null>(DocumentFragment.prototype, 'firstElementChild');
export const nextElement = getter<Element | null>(elementProto, 'nextElementSibling');

export const innerText = getter<string | undefined>(htmlProto, 'innerText');
export const contentEditable = getter<boolean | undefined>(htmlProto, 'isContentEditable');
export const offsetWidth = getter<number>(htmlProto, 'offsetWidth');
export const htmlTabIndex = getter<number>(htmlProto, 'tabIndex');
export const svgTabIndex = getter<number>(typeof SVGElement === 'undefined' ? undefined : SVGElement.prototype, 'tabIndex');
export const htmlFocus = method<[FocusOptions?], void>(htmlProto, 'focus');
export const svgFocus = method<[FocusOptions?], void>(typeof SVGElement === 'undefined' ? undefined : SVGElement.prototype, 'focus');
export const htmlBlur = method<[], void>(htmlProto, 'blur');

export const bodyOf = getter<HTMLElement | null>(documentProto, 'body');
export const topElement = getter<Element | null>(documentProto, 'documentElement');
export const makeElement = method<[string], HTMLElement>(documentProto, 'createElement');
export const viewOf = getter<(Window & typeof globalThis) | null>(documentProto, 'defaultView');
export const stateOf = getter<DocumentReadyState>(documentProto, 'readyState');
export const titleOf = getter<string>(documentProto, 'title');
export const documentQuery = method<[string], Element | null>(documentProto, 'querySelector');
export const documentAll = method<[string], NodeListOf<Element>>(documentProto, 'querySelectorAll');
export const fragmentAll = method<[string], NodeListOf<Element>>(DocumentFragment.prototype, 'querySelectorAll');
export const elementAll = method<[string], NodeListOf<Element>>(elementProto, 'querySelectorAll');
export const documentById = method<[string], Element | null>(documentProto, 'getElementById');
export const fragmentById = method<[string], Element | null>(DocumentFragment.prototype, 'getElementById');
export const documentActive = getter<Element | null>(documentProto, 'activeElement');
export const shadowActive = getter<Element | null>(shadowProto, 'activeElement');
export const documentAt = method<[number, number], Element | null>(documentProto, 'elementFromPoint');
export const shadowAt = method<[number, number], Element | null>(shadowProto, 'elementFromPoint');
export const hasFocus = method<[], boolean>(documentProto, 'hasFocus');
export const designMode = getter<string>(documentProto, 'designMode');
export const execCommand = method<[string, boolean, string?], boolean>(documentProto, 'execCommand');
export const getSelection = method<[], Selection | null>(documentProto, 'getSelection');
export const shadowSelection = method<[], Selection | null>(shadowProto, 'getSelection');
export const canSelectInShadow = shadowProto !== undefined && 'getSelection' in shadowProto;
export const makeRange = method<[], Range>(documentProto, 'createRange');
export const selectNode = method<[Node], void>(Range.prototype, 'selectNode');
export const rangeRects = method<[], DOMRectList>(Range.prototype, 'getClientRects');
export const listen = method<[string, (event: Event) => void], void>(EventTarget.prototype, 'addEventListener');
export const unlisten = method<[string, (event: Event) => void], void>(EventTarget.prototype, 'removeEventListener');
export const dispatch = method<[Event], boolean>(EventTarget.prototype, 'dispatchEvent');

export const shadowMode = getter<ShadowRootMode>(shadowProto, 'mode');
export const shadowHost = getter<Element>(shadowProto, 'host');
export const assignedNodes = method<[], Node[]>(typeof HTMLSlotElement === 'undefined' ? undefined : HTMLSlotElement.prototype, 'assignedNodes');
export const iframeDocument = getter<Document | null>(typeof HTMLIFrameElement === 'undefined' ? undefined : HTMLIFrameElement.prototype, 'contentDocument');
export const iframeWindow = getter<Window | null>(typeof HTMLIFrameElement === 'undefined' ? undefined : HTMLIFrameElement.prototype, 'contentWindow');
export const frameDocument = getter<Document | null>(typeof HTMLFrameElement === 'undefined' ? undefined : HTMLFrameElement.prototype, 'contentDocument');
export const frameWindow = getter<Window | null>(typeof HTMLFrameElement === 'undefined' ? undefined : HTMLFrameElement.prototype, 'contentWindow');
export const labelControl = getter<Element | null>(HTMLLabelElement.prototype, 'control');
export const requestSubmit = method<[Element?], void>(HTMLFormElement.prototype, 'requestSubmit');

const CONTROLS: Readonly<Record<string, { prototype: object }>> = {
  button: HTMLButtonElement,
  fieldset: HTMLFieldSetElement,
  input: HTMLInputElement,
  option: HTMLOptionElement,
  output: HTMLOutputElement,
  select: HTMLSelectElement,
  textarea: HTMLTextAreaElement,
};

/** A property of controls, each of which has it from the prototype of its own kind. Of HTML elements alone. */
function control<T>(name: string): Reader<T> {
  const readers: Record<string, Reader<T>> = {};
  for (const tag of Object.keys(CONTROLS)) readers[tag] = getter<T>(CONTROLS[tag]?.prototype, name);
  const other = getter<T>(undefined, name);
  return (of) => (readers[localName(of)] ?? other)(of);
}

export const controlType = control<string>('type');
export const controlValue = control<string>('value');
export const controlForm = control<Element | null>('form');
export const isChecked = control<boolean>('checked');
export const isIndeterminate = control<boolean>('indeterminate');
export const hasReadOnly = control<boolean>('readOnly');
export const hasRequired = control<boolean>('required');
export const selectOptions = control<HTMLOptionsCollection>('options');
export const selectChosen = control<HTMLCollectionOf<HTMLOptionElement>>('selectedOptions');
export const labelOfOption = control<string>('label');
export const textOfOption = control<string>('text');

export const styleOf = getComputedStyle;
export const later = setTimeout;
const Channel = typeof MessageChannel === 'undefined' ? undefined : MessageChannel;

/** A task later. Not a timer, since those of tabs in the background come once a second. */
export function nextTask(): Promise<void> {
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
export async function pause(ms: number): Promise<void> {
  await nextTask();
  await new Promise<void>((resolve) => void later(resolve, ms));
}
