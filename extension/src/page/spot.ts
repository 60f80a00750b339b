/** Where an element is clicked, and whether something covers it there. */
import { frameOf } from './frames';
import {
  boundingRect,
  clientLeft,
  clientRects,
  clientTop,
  documentAt,
  firstChild,
  makeRange,
  nodeType,
  offsetWidth,
  ownerDocument,
  rangeRects,
  rootNode,
  scrollTo,
  selectNode,
  shadowAt,
  styleOf,
  viewOf,
} from './natives';
import { refuse } from './refusals';
import { activationTarget, called, controlOf, shownAs, type Target } from './targets';
import { flatContains, flatParent, isTag, listOf, shadowOf, slotOf, TEXT } from './trees';

export const bringIntoView = (el: Element): void => scrollTo(el, { block: 'center', inline: 'center', behavior: 'instant' });

interface Point {
  x: number;
  y: number;
}

export interface Spot extends Point {
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
export function spotOf(el: Element, clip: (el: Element, box: Box) => Box = (_el, box) => box): Spot | null {
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
export function clickSpot(el: Element): Spot | null {
  const spot = spotOf(el);
  if (spot === null || coverOf(el, spot) === null) return spot;
  const inside = spotOf(el, unscrolled);
  return inside !== null && coverOf(el, inside) === null ? inside : spot;
}

export function refuseCovered(el: Element, spot: Spot | null, target: Target): void {
  const cover = spot === null ? null : coverOf(el, spot);
  if (cover === null) return;
  const what = cover === 'nothing' ? 'something that takes no clicks' : shownAs(isTag(cover, 'slot') ? (flatParent(cover) ?? cover) : cover);
  throw refuse(`${called(target)} is covered by ${what}: close or scroll away what covers it, then take a new page_snapshot`);
}
