/** jsdom has no layout: everything but `hidden` has a box. */
export function giveLayout(): void {
  const define = (proto: object, name: string, value: unknown) => Object.defineProperty(proto, name, { value, configurable: true });
  // By the prototypes: pages put their own in the place of these.
  const { closest } = Element.prototype;
  const { querySelector } = Document.prototype;
  const textOf = Object.getOwnPropertyDescriptor(Node.prototype, 'textContent')!.get!;
  const shown = (el: Element) => closest.call(el, '[hidden]') === null;
  define(Element.prototype, 'getClientRects', function (this: Element) {
    return shown(this) ? [{ left: 0, top: 0, right: 9, bottom: 9, width: 9, height: 9 }] : [];
  });
  define(Element.prototype, 'checkVisibility', function (this: Element) {
    return shown(this);
  });
  define(Element.prototype, 'scrollIntoView', () => {});
  for (const proto of [Document.prototype, ShadowRoot.prototype]) define(proto, 'elementFromPoint', () => querySelector.call(document, '[data-in-front]'));
  Object.defineProperty(HTMLElement.prototype, 'innerText', {
    configurable: true,
    get(this: HTMLElement) {
      return textOf.call(this) as string;
    },
  });
  // What jsdom does not reflect, for editing hosts.
  Object.defineProperty(HTMLElement.prototype, 'isContentEditable', {
    configurable: true,
    get(this: HTMLElement) {
      return closest.call(this, '[contenteditable]') !== null;
    },
  });
}
