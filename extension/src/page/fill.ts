/** Text fields and drop-downs. */
import type { Descriptor, PageData } from '../page-channel';
import { fillEditor } from './editors';
import { changed, viewFor } from './events';
import { accessor, apply, attr, controlValue, htmlFocus, isConnected, matches, textOfOption } from './natives';
import { invalid, refuse } from './refusals';
import { hostOf, isEditable, isTextLike, typeOf } from './roles';
import { bringIntoView } from './spot';
import { survey } from './survey';
import { called, descriptorOf, find, sameDescriptor, type Target } from './targets';
import { plain, quoted, wellFormed } from './text';
import { isTag } from './trees';
import { isDisabled, isReadonly, optionLabel, optionsOf } from './values';

const TOOL_FOR: Readonly<Record<string, string>> = {
  checkbox: 'use page_click to tick it',
  radio: 'use page_click to choose it',
  file: 'use page_upload',
  button: 'use page_click',
  submit: 'use page_click',
  reset: 'use page_click',
  image: 'use page_click',
  hidden: 'it is hidden from the user, fill the visible field instead',
};

/** The element that a fill of the target changes. */
export function fillable(target: Target): Element {
  const found = find(target);
  let el = found;
  if (isTag(el, 'select')) throw refuse(`${called(target)} is a drop-down: use page_select`);
  if (isTag(el, 'input') && !isTextLike(el)) {
    const type = typeOf(el);
    throw refuse(`${called(target)} is an input of type ${type}: ${TOOL_FOR[type] ?? 'use page_click'}`);
  }
  if (!isTag(el, 'input') && !isTag(el, 'textarea')) {
    if (!isEditable(el)) throw refuse(`${called(target)} is no text field: take a page_snapshot and choose a textbox, or use page_click`);
    el = hostOf(el);
  }
  if (isDisabled(el) || isDisabled(found)) throw refuse(`${called(target)} is disabled: do first what enables it, then take a new page_snapshot`);
  if (isReadonly(el) || isReadonly(found)) throw refuse(`${called(target)} is readonly: its value cannot be set, look for the control that changes it`);
  return el;
}

const DECIMAL = /^-?(\d+(\.\d+)?|\.\d+)$/;
const FORMATS: Readonly<Record<string, { form: RegExp; text: string; empty: boolean }>> = {
  date: { form: /^\d{4}-\d{2}-\d{2}$/, text: 'YYYY-MM-DD', empty: true },
  month: { form: /^\d{4}-\d{2}$/, text: 'YYYY-MM', empty: true },
  week: { form: /^\d{4}-W\d{2}$/, text: 'YYYY-Www, such as 2025-W07', empty: true },
  time: { form: /^\d{2}:\d{2}(:\d{2}(\.\d{3})?)?$/, text: 'HH:MM, HH:MM:SS or HH:MM:SS.mmm', empty: true },
  'datetime-local': {
    form: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{3})?)?$/,
    text: 'YYYY-MM-DDTHH:MM, with seconds if needed',
    empty: true,
  },
  color: { form: /^#[0-9a-f]{6}$/i, text: '#rrggbb', empty: false },
  range: { form: DECIMAL, text: 'a decimal number', empty: false },
  number: { form: DECIMAL, text: 'a decimal number', empty: true },
};

const formatOf = (el: Element): { form: RegExp; text: string; empty: boolean } | null => {
  const type = isTag(el, 'input') ? typeOf(el) : '';
  return Object.hasOwn(FORMATS, type) ? (FORMATS[type] ?? null) : null;
};

function checkFormat(el: Element, value: string, target: Target): void {
  const format = formatOf(el);
  if (format === null || format.form.test(value) || (value === '' && format.empty)) return;
  throw invalid(`value does not fit ${called(target)}, an input of type ${typeOf(el)}: write it as ${format.text}${format.empty ? '' : ', not empty'}`);
}

/** The setter of the prototype: frameworks put their own on the element and miss what passes by it. */
function setNatively(el: Element, value: string): void {
  const view = viewFor(el);
  const proto = (isTag(el, 'textarea') ? view.HTMLTextAreaElement : view.HTMLInputElement).prototype;
  const set = accessor(proto, 'value')?.set;
  if (set === undefined) throw refuse('the field takes no value: reload the page and try again');
  apply(set, el, [value]);
}

/** Whether the control holds what it was given, and not what it made of it. */
function tookValue(el: Element, value: string): boolean {
  if (formatOf(el) === null) return true;
  const now = controlValue(el);
  if (now === '') return value === '';
  const type = typeOf(el);
  if (type === 'range' || type === 'number') return Number(now) === Number(value);
  return type !== 'color' || now.toLowerCase() === value.toLowerCase();
}

function setControl(el: Element, value: string, target: Target): void {
  const former = controlValue(el);
  setNatively(el, value);
  if (!tookValue(el, value)) {
    setNatively(el, former);
    const limits = ['min', 'max', 'step'].map((n) => `${n} ${quoted(attr(el, n) ?? '', 40)}`).join(', ');
    throw invalid(`${called(target)} does not take this value: write a possible one as ${formatOf(el)?.text ?? 'text'}, within ${limits}`);
  }
  changed(el, value);
}

function refuseChanged(el: Element, expect: Descriptor | undefined, target: Target): void {
  survey();
  if (!isConnected(el) || (expect !== undefined && !sameDescriptor(expect, descriptorOf(el))))
    throw refuse(`${called(target)} changed and was not filled: take a new page_snapshot and look at it again`);
}

export async function fill(
  message: { expect?: Descriptor | undefined; args: Target & { value: string } },
  alive: () => void,
): Promise<PageData<'page_fill'>> {
  const { expect, args } = message;
  survey();
  const el = fillable(args);
  const control = isTag(el, 'input') || isTag(el, 'textarea');
  if (control) checkFormat(el, args.value, args);
  bringIntoView(el);
  htmlFocus(el, { preventScroll: true });
  refuseChanged(el, expect, args);
  if (control) setControl(el, args.value, args);
  else await fillEditor(el, args, alive);
  return {};
}

export function select(args: Target & { value: string }): PageData<'page_select'> {
  survey();
  const el = find(args);
  if (!isTag(el, 'select')) throw refuse(`${called(args)} is no drop-down: use page_fill for text and page_click for anything else`);
  if (isDisabled(el)) throw refuse(`${called(args)} is disabled: do first what enables it, then take a new page_snapshot`);
  const options = optionsOf(el);
  const label = plain(args.value);
  let index = options.findIndex((o) => controlValue(o) === args.value);
  if (index < 0) index = options.findIndex((o) => plain(textOfOption(o)) === label || plain(optionLabel(o)) === label);
  const option = options[index];
  if (option === undefined)
    throw refuse(`${called(args)} has no option ${quoted(args.value, 60)}: choose one of the options that page_snapshot shows`);
  if (matches(option, ':disabled')) throw refuse(`option ${quoted(args.value, 60)} of ${called(args)} is disabled: choose another one`);
  const set = accessor(viewFor(el).HTMLSelectElement.prototype, 'selectedIndex')?.set;
  if (set === undefined) throw refuse('the drop-down takes no choice: reload the page and try again');
  apply(set, el, [index]);
  const value = controlValue(option);
  const text = textOfOption(option);
  changed(el);
  return { selected: wellFormed(value), text: wellFormed(text) };
}
