// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { showToast } from '@/page/toast';
import { shade } from '../shade';

let root: ShadowRoot | null = null;

beforeEach(() => {
  vi.useFakeTimers();
  const attach = Element.prototype.attachShadow;
  vi.spyOn(Element.prototype, 'attachShadow').mockImplementation(function (this: Element, init) {
    root = attach.call(this, init);
    return root;
  });
});
afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

const show = () => showToast({ text: 'The <b>debugger</b> comes', cancel: 'Cancel', ms: 8000 });
const press = (event: Event) => root!.querySelector('button')!.dispatchEvent(event);

describe('the notice', () => {
  it('shows its words as text, in a tree that the page does not get', async () => {
    const shown = show();
    expect(root!.mode).toBe('closed');
    expect(root!.querySelector('span')!.textContent).toBe('The <b>debugger</b> comes');
    expect(root!.querySelector('[role="alert"]')).not.toBe(null);
    await vi.advanceTimersByTimeAsync(8000);
    expect(await shown).toEqual({ cancelled: false });
  });

  it('is shown whatever a document has in the place of its members', async () => {
    const unshade = shade(document);
    const shown = show();
    unshade();
    expect(root!.host.parentNode).toBe(document.documentElement);
    await vi.advanceTimersByTimeAsync(8000);
    expect(await shown).toEqual({ cancelled: false });
  });

  it('goes by itself after its time, and not before', async () => {
    const over = vi.fn();
    void show().then(over);
    await vi.advanceTimersByTimeAsync(7999);
    expect(over).not.toHaveBeenCalled();
    expect(root!.host.isConnected).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(over).toHaveBeenCalledWith({ cancelled: false });
    expect(root!.host.isConnected).toBe(false);
  });

  it('takes no click of the page for one of the user', async () => {
    const shown = show();
    press(new MouseEvent('click'));
    await vi.advanceTimersByTimeAsync(8000);
    expect(await shown).toEqual({ cancelled: false });
  });
});
