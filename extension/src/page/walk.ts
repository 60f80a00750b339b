/** The walk that decides which elements an outline is about. */
import { documentIn, isFrame } from './frames';
import { bodyOf, labelControl, localName } from './natives';
import { explicitRole, FLOW_KINDS, INTERACTIVE_TAGS, isEditingHost, isInteractive, roleOf, structuralKind } from './roles';
import { words } from './text';
import { flatContains, flatElements, isHtml, isTag } from './trees';
import { ariaHiddenAround, hasArea, isAriaHidden, isVisible } from './visible';

/** Nothing in these is ever shown as content of its own. */
const CLOSED_TAGS = words('script style template noscript head option optgroup datalist input textarea select');

export interface Item {
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

export function collect(root: Element | null, interactiveOnly: boolean): Item[] {
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
