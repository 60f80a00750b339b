/** What a control holds, and the state that it is in. */
import {
  attr,
  controlValue,
  hasAttr,
  hasReadOnly,
  hasRequired,
  isChecked,
  isIndeterminate,
  labelOfOption,
  localName,
  matches,
  parentNode,
  selectChosen,
  selectOptions,
  textOfOption,
} from './natives';
import { renderedText } from './prose';
import { isEditingHost, isTextLike, typeOf } from './roles';
import { HIDDEN_VALUE, plain } from './text';
import { isElement, isTag } from './trees';

export const optionsOf = (select: Element): HTMLOptionElement[] => Array.from(selectOptions(select));
export const optionLabel = (option: HTMLOptionElement): string => labelOfOption(option) || textOfOption(option);

/** Whether an outline must not show what a field holds. */
export function isSecret(el: Element): boolean {
  if (isTag(el, 'input') && typeOf(el) === 'password') return true;
  const tokens = (attr(el, 'autocomplete') ?? '').toLowerCase().split(/\s+/);
  return tokens.some((t) => t === 'current-password' || t === 'new-password' || t === 'one-time-code' || t.startsWith('cc-'));
}

export function rawValue(el: Element): string {
  if (isTextLike(el) || isTag(el, 'textarea')) return controlValue(el);
  if (isTag(el, 'select')) return Array.from(selectChosen(el), optionLabel).join(', ');
  return isEditingHost(el) ? renderedText(el) : '';
}

export function valueOf(el: Element): string {
  const raw = rawValue(el);
  if (raw === '') return '';
  return isSecret(el) ? HIDDEN_VALUE : plain(raw);
}

export const isDisabled = (el: Element): boolean => matches(el, ':disabled') || attr(el, 'aria-disabled') === 'true';

export function isReadonly(el: Element): boolean {
  const control = isTag(el, 'input') || isTag(el, 'textarea');
  return (control && hasReadOnly(el)) || attr(el, 'aria-readonly') === 'true';
}

function isRequired(el: Element): boolean {
  const control = isTag(el, 'input') || isTag(el, 'textarea') || isTag(el, 'select');
  return (control && hasRequired(el)) || attr(el, 'aria-required') === 'true';
}

/** For a summary the state of its details, for others what they say of themselves. */
function isExpanded(el: Element): boolean | null {
  if (isTag(el, 'summary')) {
    const details = parentNode(el);
    if (details !== null && isElement(details) && isTag(details, 'details')) return hasAttr(details, 'open');
  }
  const said = attr(el, 'aria-expanded');
  return said === 'true' ? true : said === 'false' ? false : null;
}

export function statesOf(el: Element, active: Element | null): string[] {
  const states: string[] = [];
  const tickable = isTag(el, 'input') && /^(checkbox|radio)$/.test(typeOf(el));
  const ariaChecked = attr(el, 'aria-checked');
  if (ariaChecked === 'mixed' || (tickable && isIndeterminate(el))) states.push('mixed');
  else if (ariaChecked === 'true' || (tickable && isChecked(el))) states.push('checked');
  if (attr(el, 'aria-pressed') === 'true') states.push('pressed');
  if (attr(el, 'aria-selected') === 'true') states.push('selected');
  const expanded = isExpanded(el);
  if (expanded !== null) states.push(expanded ? 'expanded' : 'collapsed');
  if (isDisabled(el)) states.push('disabled');
  if (isReadonly(el)) states.push('readonly');
  if (isRequired(el)) states.push('required');
  if (el === active) states.push('focused');
  return states;
}

export function levelOf(el: Element): string {
  const said = attr(el, 'aria-level');
  if (said !== null && /^[1-9]$/.test(said)) return said;
  return /^h[1-6]$/.test(localName(el)) ? localName(el).slice(1) : '2';
}
