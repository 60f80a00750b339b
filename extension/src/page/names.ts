/** How an element is called. */
import {
  attr,
  controlValue,
  elementAll,
  firstChild,
  hasAttr,
  innerText,
  labelControl,
  localName,
  namespace,
  nodeText,
  nodeType,
  parentNode,
  rootNode,
  styleOf,
  textContent,
} from './natives';
import { proseOf, renderedText } from './prose';
import { BUTTON_LIKE, isEditingHost, NOT_TEXT_LIKE, roleOf, typeOf } from './roles';
import { seen } from './seen';
import { plain, words } from './text';
import { flatContains, flatParent, inOwnTree, isElement, isHtml, isTag, isWithheld, listOf, queryAll, SVG, TEXT } from './trees';
import { isSecret, rawValue } from './values';
import { isRendered } from './visible';

/** What makes the text of an element another one than what it shows; what is empty changes nothing. */
const RICH = '[aria-hidden="true"]:not(svg, :empty), [aria-label], img[alt]:not([alt=""]), img[title], svg title, input, select, textarea, [role="treeitem"] [role="group"], [role="menuitem"] [role="menu"]';

export function isRich(el: Element): boolean {
  const root = rootNode(el);
  let rich = seen.get().rich.get(root);
  if (rich === undefined) {
    seen.get().rich.set(root, (rich = new Set()));
    for (const found of queryAll(root, RICH))
      for (let n = parentNode(found); n !== null && isElement(n) && !rich.has(n); n = parentNode(n)) rich.add(n);
  }
  return rich.has(el);
}

/** What hangs below an item of a tree or a menu is no part of its name. */
export const isBranch = (item: Element, el: Element): boolean => {
  const role = attr(el, 'role');
  return (role === 'group' && attr(item, 'role') === 'treeitem') || (role === 'menu' && attr(item, 'role') === 'menuitem');
};

/** What stands for an element that has no text of its own: a picture's, or what a control holds. */
export function standIn(el: Element): string | null {
  const name = localName(el);
  if (namespace(el) === SVG && name === 'svg') {
    const title = elementAll(el, 'title')[0];
    return attr(el, 'aria-label') ?? (title === undefined ? null : textContent(title));
  }
  if (!isHtml(el)) return null;
  if (name === 'img') return attr(el, 'aria-label') || attr(el, 'alt') || attr(el, 'title') || '';
  if (name === 'select' || name === 'textarea' || (name === 'input' && !NOT_TEXT_LIKE.has(typeOf(el)))) return isSecret(el) ? '' : rawValue(el);
  if (name !== 'input') return null;
  return BUTTON_LIKE.has(typeOf(el)) ? attr(el, 'aria-label') || controlValue(el) || (attr(el, 'alt') ?? '') : '';
}

/** The text of an element as a name: without what is hidden from hearing, with what pictures say. */
function contentText(el: Element): string {
  if (isWithheld(el)) return '';
  if (isHtml(el) && !seen.get().special.has(el) && !isRich(el)) return innerText(el) ?? '';
  const heard = proseOf(el, false, el).join('');
  return plain(heard) === '' ? renderedText(el) : heard;
}

/** The text of an element that is not rendered, without what a field that must not be shown began with. */
function writtenText(el: Element): string {
  if (isWithheld(el)) return '';
  if (!isSecret(el) && !Array.from(elementAll(el, '[autocomplete]')).some(isSecret)) return textContent(el) ?? '';
  const texts: string[] = [];
  const todo: Node[] = [el];
  for (let n = todo.pop(); n !== undefined; n = todo.pop()) {
    if (nodeType(n) === TEXT) texts.push(nodeText(n) ?? '');
    else if (isElement(n) && !isSecret(n)) for (const child of listOf(firstChild(n)).reverse()) todo.push(child);
  }
  return texts.join('');
}

/** The text of an element that names another one, which may be hidden itself. */
function namingText(el: Element): string {
  const said = plain(standIn(el) ?? '') || plain(attr(el, 'aria-label') ?? '');
  if (said !== '' || isSecret(el)) return said;
  const shown = isRendered(el, styleOf(el).display) ? contentText(el) : '';
  return plain(shown) !== '' ? shown : writtenText(el);
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

export const labelOfRegion = (el: Element): string => plain(labelledBy(el)) || plain(attr(el, 'aria-label') ?? '') || plain(attr(el, 'title') ?? '');

/** The text of a label without that of the control it may wrap, a drop-down's options for instance. */
function labelText(label: Element): string {
  if (isWithheld(label) || !isRendered(label, styleOf(label).display)) return writtenText(label);
  const control = labelControl(label);
  return control !== null && flatContains(label, control) ? proseOf(label, false, label, control).join('') : contentText(label);
}

function labelFor(el: Element): string {
  const id = attr(el, 'id');
  if (id === null || id === '') return '';
  const root = rootNode(el);
  let byId = seen.get().labels.get(root);
  if (byId === undefined) {
    byId = new Map();
    for (const label of queryAll(root, 'label[for]')) {
      const target = attr(label, 'for') ?? '';
      if (!isHtml(label)) continue;
      const others = byId.get(target);
      if (others === undefined) byId.set(target, [label]);
      else others.push(label);
    }
    seen.get().labels.set(root, byId);
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
  for (const at of [el, ...Array.from(elementAll(el, '*')).slice(0, GENERATED_MAX)].filter((part) => !isSecret(part)))
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
export function nameOf(el: Element, byText: boolean): string {
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
    (html && localName(el) === 'input' && BUTTON_LIKE.has(typeOf(el)) ? plain(controlValue(el)) : '') ||
    (text ? plain(standIn(el) ?? '') || plain(generatedText(el)) : '')
  );
}
