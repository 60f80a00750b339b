/** Keys, and what Enter does in a form. */
import type { PageData } from '../page-channel';
import { BASE, viewFor } from './events';
import { documentIn, innermostActive, isFrame } from './frames';
import { bodyOf, controlForm, dispatch, isConnected, matches, requestSubmit, rootNode } from './natives';
import { invalid, refuse } from './refusals';
import { typeOf } from './roles';
import { quoted, words } from './text';
import { isHtml, isTag, queryAll } from './trees';

interface Keys {
  key: string;
  code: string;
  keyCode: number;
  modifiers: { ctrlKey: boolean; shiftKey: boolean; altKey: boolean; metaKey: boolean };
}

const MODIFIERS: Readonly<Record<string, keyof Keys['modifiers']>> = {
  control: 'ctrlKey',
  ctrl: 'ctrlKey',
  shift: 'shiftKey',
  alt: 'altKey',
  option: 'altKey',
  meta: 'metaKey',
  cmd: 'metaKey',
  command: 'metaKey',
};

/** Keys with a code of their own, and the number that older handlers look at. */
const KEY_CODES: Readonly<Record<string, number>> = {
  Enter: 13,
  Escape: 27,
  Tab: 9,
  Backspace: 8,
  Delete: 46,
  Insert: 45,
  Home: 36,
  End: 35,
  PageUp: 33,
  PageDown: 34,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
};

function codeOf(key: string): { code: string; keyCode: number } {
  if (/^[a-z]$/i.test(key)) return { code: `Key${key.toUpperCase()}`, keyCode: key.toUpperCase().charCodeAt(0) };
  if (/^\d$/.test(key)) return { code: `Digit${key}`, keyCode: key.charCodeAt(0) };
  if (/^F([1-9]|1[0-2])$/.test(key)) return { code: key, keyCode: 111 + Number(key.slice(1)) };
  if (Object.hasOwn(KEY_CODES, key)) return { code: key, keyCode: KEY_CODES[key] ?? 0 };
  return { code: '', keyCode: key === ' ' ? 32 : 0 };
}

function parseKeys(text: string): Keys {
  const tokens = text.trim().split('+').map((t) => t.trim());
  const last = tokens.pop() ?? '';
  if (last === '') throw invalid('keys does not end with a key, and the + key itself cannot be named: give a key such as Enter or Control+A');
  const modifiers = { ctrlKey: false, shiftKey: false, altKey: false, metaKey: false };
  for (const token of tokens) {
    const name = token.toLowerCase();
    const flag = Object.hasOwn(MODIFIERS, name) ? MODIFIERS[name] : undefined;
    if (flag === undefined) throw invalid(`keys has no modifier ${quoted(token, 40)}: use Control, Shift, Alt or Meta, then one key`);
    modifiers[flag] = true;
  }
  const key = last === 'Space' ? ' ' : last;
  return { key, ...codeOf(key), modifiers };
}

/** Whether Enter in an input asks its form to submit, as far as the kind of input goes. */
const submitsByEnter = (el: Element): boolean => isTag(el, 'input') && !/^(button|reset|file|color|hidden)$/.test(typeOf(el));

const BLOCKS_IMPLICIT = words('text search tel url email password date month week time datetime-local number');

function submitButtons(form: Element, root: Node): Element[] {
  return Array.from(queryAll(root, 'button, input')).filter((b) => isHtml(b) && controlForm(b) === form && /^(submit|image)$/.test(typeOf(b)));
}

function submitByEnter(input: Element): void {
  const form = controlForm(input);
  if (form === null) return;
  const root = rootNode(form);
  const type = typeOf(input);
  const button = type === 'submit' || type === 'image' ? input : submitButtons(form, root)[0];
  if (button !== undefined) {
    if (!matches(button, ':disabled')) requestSubmit(form, button);
    return;
  }
  // Without a button browsers submit by Enter only what has a single field.
  const fields = Array.from(queryAll(root, 'input')).filter((f) => isHtml(f) && controlForm(f) === form && BLOCKS_IMPLICIT.has(typeOf(f)));
  if (fields.length <= 1) requestSubmit(form);
}

export function press(keys: string): PageData<'page_press'> {
  const parsed = parseKeys(keys);
  const active = innermostActive();
  if (active !== null && isFrame(active) && documentIn(active) === null)
    throw refuse('the focus is in a frame that keys cannot be sent to: click or fill an element outside of it first');
  const el = active ?? bodyOf(document);
  if (el === null) throw refuse('the page has no element that could take keys: use page_wait_for nav, then try again');
  const view = viewFor(el);
  const send = (name: string): boolean => {
    const charCode = name === 'keypress' ? parsed.key.charCodeAt(0) : 0;
    const legacy = { keyCode: charCode || parsed.keyCode, charCode, which: charCode || parsed.keyCode };
    return dispatch(el, new view.KeyboardEvent(name, { ...BASE, view, key: parsed.key, code: parsed.code, ...parsed.modifiers, ...legacy }));
  };
  const proceeds = send('keydown');
  const plainKey = !Object.values(parsed.modifiers).includes(true);
  if (proceeds && parsed.key === 'Enter' && plainKey && submitsByEnter(el) && isConnected(el)) submitByEnter(el);
  if (proceeds && Array.from(parsed.key).length === 1) send('keypress');
  send('keyup');
  return { pressed: keys.trim() };
}
