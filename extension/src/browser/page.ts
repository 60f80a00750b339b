/** What the injected script needs of the browser. Content scripts send nothing on their own. */
import { browser } from 'wxt/browser';

const HTML = 'http://www.w3.org/1999/xhtml';

/** Answers the worker; a message of anybody else is not heard. */
export function listen(answer: (message: unknown) => Promise<unknown>): void {
  browser.runtime.onMessage.addListener((message: unknown, sender, reply: (value: unknown) => void) => {
    if (sender.id !== browser.runtime.id || sender.tab !== undefined) return undefined;
    void answer(message).then(reply);
    return true;
  });
}

/** The shadow root of an element, a closed one included; null where there is none. */
export function rootOf(element: Element): ShadowRoot | null {
  // By namespace: an element of another realm is no instance of ours. The browser takes HTML alone.
  if (element.namespaceURI !== HTML) return element.shadowRoot;
  return browser.dom.openOrClosedShadowRoot(element as HTMLElement) ?? null;
}
