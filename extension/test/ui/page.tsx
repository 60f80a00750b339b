/** A page of ours in jsdom. */
import { act, type ComponentType } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, vi } from 'vitest';
import { resetCells } from '../../src/cell';
import { initLanguage } from '../../src/i18n';
import { fake, fetchBundle } from './browser';

(globalThis as Record<string, unknown>).IS_REACT_ACT_ENVIRONMENT = true;

let root: Root | null = null;

/** The modal part of a dialog, which jsdom does not have. */
HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
  this.open = true;
};

/** Every test starts with nothing stored, nothing rendered, and a clock that stands still. */
export function freshPages(): void {
  beforeEach(async () => {
    fake.reset();
    resetCells();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'], now: 1_700_000_000_000 });
    vi.stubGlobal('fetch', fetchBundle);
    history.replaceState(null, '', '/page.html');
    document.body.innerHTML = '<div id="root"></div>';
    await initLanguage();
  });
  afterEach(async () => {
    await act(async () => root?.unmount());
    root = null;
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
}

/** Lets promises and effects run. */
export const settle = (): Promise<void> => act(async () => void (await vi.advanceTimersByTimeAsync(0)));

export const pass = (ms: number): Promise<void> => act(async () => void (await vi.advanceTimersByTimeAsync(ms)));

export async function show(Page: ComponentType): Promise<void> {
  const made = createRoot(document.getElementById('root') as HTMLElement);
  root = made;
  await act(async () => made.render(<Page />));
  await settle();
}

export const text = (): string => document.body.textContent ?? '';
export const all = <E extends Element = HTMLElement>(selector: string): E[] => [...document.querySelectorAll<E>(selector)];

export function one<E extends Element = HTMLElement>(selector: string): E {
  const [found, more] = all<E>(selector);
  if (found === undefined || more !== undefined) throw new Error(`${all(selector).length} of ${selector} in: ${document.body.innerHTML}`);
  return found;
}

export const button = (act: string): HTMLButtonElement => one<HTMLButtonElement>(`[data-act="${act}"]`);

export async function click(target: string | Element, init: MouseEventInit = { detail: 1 }): Promise<void> {
  const element = typeof target === 'string' ? one(target) : target;
  // A disabled button takes no click, in jsdom by `click()` alone.
  if ((element as HTMLButtonElement).disabled) return;
  await act(async () => {
    // A hand presses before it clicks; keys (`detail` 0) do not.
    if (init.detail !== 0) element.dispatchEvent(new Event('pointerdown', { bubbles: true }));
    element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ...init }));
  });
  await settle();
}

export async function key(name: string): Promise<void> {
  await act(async () => void window.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true })));
  await settle();
}

/** Sends the one form of `within`. */
export async function submit(within: string): Promise<void> {
  const form = one(`${within} form`);
  await act(async () => void form.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true })));
  await settle();
}

/** Types as a person would, so that React hears of it. */
export async function type(input: HTMLInputElement | HTMLSelectElement, value: string): Promise<void> {
  const proto = input instanceof HTMLSelectElement ? HTMLSelectElement.prototype : HTMLInputElement.prototype;
  await act(async () => {
    Object.getOwnPropertyDescriptor(proto, 'value')?.set?.call(input, value);
    input.dispatchEvent(new Event(input instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }));
  });
  await settle();
}
