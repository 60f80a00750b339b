/** The outline of a page. */
import type { PageData } from '../page-channel';
import { documentIn, innermostActive, isFrame, slotFor } from './frames';
import { nameOf } from './names';
import { titleOf } from './natives';
import { numbering, refFor } from './refs';
import { hrefOf } from './roles';
import { survey } from './survey';
import { cut, DROPPED, plain, quote, quoted, SPACE, wellFormed } from './text';
import { isTag } from './trees';
import { levelOf, optionLabel, optionsOf, statesOf, valueOf } from './values';
import { hasOwnText, ownText } from './visible';
import { collect, type Item } from './walk';

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

export function outline(options: OutlineOptions): PageData<'page_snapshot'> {
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
