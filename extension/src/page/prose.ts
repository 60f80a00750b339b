/** Rendered text in the order of the flat tree. */
import type { FrameSlot } from '../page-channel';
import { documentIn, isFrame, slotFor } from './frames';
import { isBranch, isRich, standIn } from './names';
import { attr, bodyOf, innerText, localName, nodeText, nodeType, styleOf } from './natives';
import { seen } from './seen';
import { breakLine, flush, type Sink, write } from './sink';
import { plain } from './text';
import { flatChildren, isElement, isHtml, isTag, TEXT } from './trees';
import { ariaHiddenAround, hasArea, isAriaHidden, isRendered, isVisible } from './visible';

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
  if (isHtml(el) && !seen.get().special.has(el) && sink.without === null && style.display !== 'contents' && !(sink.naming !== null && isRich(el))) {
    write(sink, innerText(el) ?? '', style.whiteSpace.startsWith('pre'));
    breakLine(sink, Math.max(breaks, 0));
    return;
  }
  if (isHtml(el) && name === 'select') return;
  todo.push({ after: Math.max(breaks, 0) });
  for (const child of flatChildren(el).reverse()) todo.push({ node: child, style });
}

const NAMING_STEPS = 500;

/** What an editor in the element must not show is no part of it; whether the element is in one the caller asks. */
export function proseOf(el: Element, frames: boolean, naming: Element | null = null, without: Element | null = null): Array<string | FrameSlot> {
  const sink: Sink = { parts: [], pieces: [], last: '', space: false, breaks: 0, frames, naming, without };
  const todo: Step[] = [{ node: el, style: null }];
  const { secrets } = seen.get();
  let steps = 0;
  for (let step = todo.pop(); step !== undefined; step = todo.pop()) {
    // A name is cut anyway, and boxes of boxes with names would each be walked to their end.
    if (naming !== null && ++steps > NAMING_STEPS) break;
    if ('after' in step) breakLine(sink, step.after);
    else if (isElement(step.node)) {
      if (step.node === el || !secrets.has(step.node)) writeElement(sink, step.node, todo);
    } else if (nodeType(step.node) === TEXT && step.style !== null) writeTextNode(sink, step.node, step.style);
  }
  flush(sink);
  return sink.parts;
}

/** The text that an element shows, frames aside. */
export function renderedText(el: Element): string {
  if (isHtml(el) && !seen.get().special.has(el)) return innerText(el) ?? '';
  return proseOf(el, false).join('');
}
