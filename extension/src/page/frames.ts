/** Documents in frames: which are reached from here, and how the others are called. */
import type { FrameSlot } from '../page-channel';
import {
  attr,
  baseUri,
  bodyOf,
  documentActive,
  frameDocument,
  frameWindow,
  hasAttr,
  iframeDocument,
  iframeWindow,
  isConnected,
  localName,
  ownerDocument,
  shadowActive,
  viewOf,
} from './natives';
import { wellFormed } from './text';
import { isHtml, shadowOf } from './trees';

export const isFrame = (el: Element): boolean => (localName(el) === 'iframe' || localName(el) === 'frame') && isHtml(el);
const windowIn = (frame: Element): Window | null => (localName(frame) === 'iframe' ? iframeWindow : frameWindow)(frame);

/** The document in a frame, if this instance reaches it. */
export function documentIn(frame: Element): Document | null {
  const inner = (localName(frame) === 'iframe' ? iframeDocument : frameDocument)(frame);
  if (inner === null) return null;
  try {
    return viewOf(inner)?.origin === window.origin ? inner : null;
  } catch {
    return null;
  }
}

/** The frame that shows a document of this instance, null for the document of the instance itself. */
export function frameOf(doc: Document): Element | null {
  const view = viewOf(doc);
  return view === null || view === window ? null : view.frameElement;
}

/** Whether a document is shown, and reached from here frame by frame. */
export function reaches(doc: Document): boolean {
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

export function slotFor(frame: Element, focused: boolean): FrameSlot {
  const path: number[] = [];
  for (let f: Element | null = frame; f !== null; f = frameOf(ownerDocument(f))) path.unshift(indexOf(f));
  let address = '';
  let srcOrigin = '';
  if (hasAttr(frame, 'srcdoc')) address = 'about:srcdoc';
  else if (attr(frame, 'src')) {
    try {
      const url = new URL(attr(frame, 'src') ?? '', baseUri(ownerDocument(frame)));
      address = wellFormed(url.href);
      if (url.protocol === 'http:' || url.protocol === 'https:') srcOrigin = url.origin;
    } catch {
      // an address that is none decides nothing
    }
  }
  return { path, address, srcOrigin, focused };
}

/** The innermost active element of the instance; a frame that it does not reach counts as one. */
export function innermostActive(): Element | null {
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
