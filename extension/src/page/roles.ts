/** What an element is: a control, a part of the structure, or nothing that gets a line. */
import { isFrame } from './frames';
import { labelOfRegion, nameOf } from './names';
import {
  attr,
  contentEditable,
  controlType,
  designMode,
  hasAttr,
  hasAttrs,
  htmlTabIndex,
  localName,
  namespace,
  ownerDocument,
  svgTabIndex,
} from './natives';
import { words } from './text';
import { flatParent, isHtml, isTag, SVG } from './trees';
import { hasOwnText } from './visible';

export const INTERACTIVE_TAGS = words('a button input textarea select summary label');
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
export const FLOW_KINDS = words('listitem cell columnheader text');
export const NOT_TEXT_LIKE = words('checkbox radio file button submit reset image hidden');
export const BUTTON_LIKE = words('button submit reset image');

/** Own property, or "constructor" and its kin would be found in the table. */
const structuralTag = (el: Element): string | null => {
  const name = localName(el);
  return isHtml(el) && Object.hasOwn(STRUCTURAL_TAGS, name) ? (STRUCTURAL_TAGS[name] ?? null) : null;
};

export function explicitRole(el: Element): string | null {
  const said = attr(el, 'role');
  if (said === null) return null;
  const first = said.trim().split(/\s/, 1)[0] ?? '';
  return /^[a-z]{1,32}$/.test(first) ? first : null;
}

export const typeOf = (control: Element): string => controlType(control);
export const isTextLike = (el: Element): boolean => isTag(el, 'input') && !NOT_TEXT_LIKE.has(typeOf(el));

export const hrefOf = (el: Element): string | null => {
  const name = localName(el);
  if (name === 'a') return attr(el, 'href') ?? (isHtml(el) ? null : attr(el, 'xlink:href'));
  return name === 'area' && isHtml(el) ? attr(el, 'href') : null;
};

export const isEditable = (el: Element): boolean => isHtml(el) && contentEditable(el) === true;

/** The outermost of the editable elements around one, at most the body. */
export function hostOf(el: Element): Element {
  let host = el;
  for (let n = flatParent(host); n !== null && isEditable(n) && !isTag(host, 'body'); n = flatParent(n)) host = n;
  return host;
}

export function isEditingHost(el: Element): boolean {
  if (!isHtml(el) || !(hasAttr(el, 'contenteditable') || (isTag(el, 'body') && designMode(ownerDocument(el)) === 'on'))) return false;
  if (localName(el) === 'input' || localName(el) === 'textarea' || localName(el) === 'select') return false;
  return isEditable(el) && hostOf(el) === el;
}

const tabIndex = (el: Element): number => {
  const index = isHtml(el) ? htmlTabIndex(el) : namespace(el) === SVG ? svgTabIndex(el) : -1;
  return typeof index === 'number' ? index : -1;
};

export function isInteractive(el: Element): boolean {
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
export const tagAsRole = (el: Element): string => (/^[a-z][a-z0-9._-]{0,31}$/i.test(localName(el)) ? localName(el) : 'element');

export const roleOf = (el: Element): string => explicitRole(el) ?? implicitRole(el) ?? tagAsRole(el);

/**
 * What a structural element counts as, null if it gets no line. The role shown may be another: an
 * explicit one wins, but a `td` called gridcell still holds its text like a cell.
 */
export function structuralKind(el: Element): string | null {
  const explicit = explicitRole(el);
  const kind = explicit !== null && STRUCTURAL_ROLES.has(explicit) ? explicit : structuralTag(el);
  if (kind === 'img') return nameOf(el, false) === '' ? null : kind;
  if (kind !== null && !(explicit === null && localName(el) === 'section' && labelOfRegion(el) === '')) return kind;
  return hasOwnText(el) ? 'text' : null;
}
