/** Rich text editors: filled the way typing would, so that what is behind them follows (tools.md 6.16). */
import { BASE, viewFor } from './events';
import {
  canSelectInShadow,
  dispatch,
  elementAll,
  execCommand,
  firstChild,
  getSelection,
  hasFocus,
  isConnected,
  later,
  listen,
  localName,
  nextTask,
  nodeText,
  nodeType,
  ownerDocument,
  parentNode,
  pause,
  rootNode,
  shadowSelection,
  unlisten,
} from './natives';
import { innermostActive } from './frames';
import { refuse } from './refusals';
import { isEditable } from './roles';
import { called, type Target } from './targets';
import { bare } from './text';
import { flatContains, FRAGMENT, isElement, isHtml, isTag, listOf, TEXT } from './trees';

/** The text of a host that the user could edit; placeholders and line numbers are not. */
function editableText(host: Element): string {
  let text = '';
  const todo: Node[] = [host];
  for (let n = todo.pop(); n !== undefined; n = todo.pop()) {
    if (nodeType(n) === TEXT) {
      const parent = parentNode(n);
      if (parent !== null && isElement(parent) && isEditable(parent)) text += nodeText(n) ?? '';
    } else if (isElement(n) && !(isHtml(n) && /^(script|style)$/.test(localName(n)))) {
      for (const child of listOf(firstChild(n)).reverse()) todo.push(child);
    }
  }
  return text;
}

const selectionFor = (host: Element): Selection | null => {
  const root = rootNode(host);
  if (nodeType(root) === FRAGMENT && canSelectInShadow) return shadowSelection(root);
  return getSelection(ownerDocument(host));
};

/** Selects all that a host holds and waits until editors have heard of it. */
async function selectAll(host: Element): Promise<void> {
  const doc = ownerDocument(host);
  const count = listOf(firstChild(host)).length;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      unlisten(doc, 'selectionchange', done);
      resolve();
    };
    listen(doc, 'selectionchange', done);
    void later(done, 100);
    selectionFor(host)?.setBaseAndExtent(host, 0, host, count);
  });
}

const MOVED = 'the focus left the editor while it was filled, so nothing more was typed: take a new page_snapshot';

/** Whether what is typed goes into a host: the selection is in it, and no other field has the focus. */
function holdsSelection(host: Element): boolean {
  const active = innermostActive();
  if (active !== null && active !== host && !flatContains(host, active) && (isEditable(active) || isTag(active, 'input') || isTag(active, 'textarea'))) return false;
  const at = selectionFor(host)?.anchorNode ?? null;
  for (let n: Node | null = at; n !== null; n = parentNode(n)) if (n === host) return true;
  return false;
}

const COMMANDS = { insertText: 'insertText', insertParagraph: 'insertParagraph', deleteContentBackward: 'delete' } as const;

/** One step of typing: offered to the editor first, done by the browser if it declines. */
function typeStep(host: Element, inputType: keyof typeof COMMANDS, data: string | null): void {
  const view = viewFor(host);
  const init: InputEventInit = { ...BASE, inputType, data };
  const range = selectionFor(host)?.rangeCount ? selectionFor(host)?.getRangeAt(0) : undefined;
  if (range !== undefined) init.targetRanges = [new view.StaticRange(range)];
  const offered = dispatch(host, new view.InputEvent('beforeinput', init));
  if (!offered) return;
  // The browser edits where the selection is, and the page may have moved it by now.
  if (!holdsSelection(host)) throw refuse(MOVED);
  execCommand(ownerDocument(host), COMMANDS[inputType], false, data ?? undefined);
}

async function typeValue(host: Element, value: string, alive: () => void): Promise<void> {
  if (value === '') {
    typeStep(host, 'deleteContentBackward', null);
    return;
  }
  const lines = value.split(/\r\n|\r|\n/);
  for (let i = 0; i < lines.length; i++) {
    if (i > 0) {
      typeStep(host, 'insertParagraph', null);
      await nextTask();
      alive();
    }
    const line = lines[i] ?? '';
    if (line === '') continue;
    typeStep(host, 'insertText', line);
    await nextTask();
    alive();
  }
}

function paste(host: Element, value: string): void {
  const view = viewFor(host);
  const clipboardData = new view.DataTransfer();
  clipboardData.setData('text/plain', value);
  dispatch(host, new view.ClipboardEvent('paste', { ...BASE, clipboardData }));
}

async function holds(host: Element, value: string, alive: () => void): Promise<boolean> {
  const wanted = bare(value);
  for (let waited = 0; ; waited += 25) {
    if (isConnected(host) && bare(editableText(host)) === wanted) return true;
    if (waited >= 500) return false;
    await pause(25);
    alive();
  }
}

/**
 * Draft hears of no `beforeinput`, and edits by the browser over several of its blocks pull nodes from
 * under React, which then takes the whole editor down. It follows a paste and the Backspace key.
 */
const isDraft = (host: Element): boolean => elementAll(host, '[data-contents="true"] [data-block="true"]').length > 0;

function typeForDraft(host: Element, value: string): void {
  if (value !== '') return;
  const view = viewFor(host);
  dispatch(host, new view.KeyboardEvent('keydown', { ...BASE, view, key: 'Backspace', code: 'Backspace', keyCode: 8, which: 8 }));
}

export async function fillEditor(host: Element, args: Target & { value: string }, alive: () => void): Promise<void> {
  if (!hasFocus(ownerDocument(host)))
    throw refuse(`${called(args)} is a rich text editor and needs its tab in front: call tab_focus, then page_fill again`);
  await selectAll(host);
  alive();
  const draft = isDraft(host);
  if (draft) typeForDraft(host, args.value);
  else await typeValue(host, args.value, alive);
  if (!(draft && args.value !== '') && (await holds(host, args.value, alive))) return;
  if (args.value !== '') {
    await selectAll(host);
    alive();
    paste(host, args.value);
    if (await holds(host, args.value, alive)) return;
  }
  throw refuse(`the editor at ${called(args)} did not follow and may hold something else now: take a new page_snapshot`);
}
