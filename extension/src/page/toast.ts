/**
 * The notice before the debugger is attached (extension.md 10.7): text and one button, in a closed
 * shadow tree above the page. It goes by itself. It is no confirmation, since a page can hide it.
 */
import type { ShowToast } from '../page-channel';
import { makeElement, topElement } from './natives';

const STYLE = `
  .toast { position: fixed; top: 16px; right: 16px; z-index: 2147483647; max-width: 360px; display: flex; gap: 12px;
    align-items: center; padding: 12px 16px; border-radius: 8px; background: #1f2430; color: #f4f4f6;
    font: 14px/1.4 system-ui, sans-serif; box-shadow: 0 4px 16px rgb(0 0 0 / 35%); }
  button { flex: none; padding: 6px 12px; border: 1px solid currentColor; border-radius: 6px; background: none;
    color: inherit; font: inherit; cursor: pointer; }
`;

export const showToast: ShowToast = ({ text, cancel, ms }) =>
  new Promise((resolve) => {
    const host = makeElement(document, 'div');
    const root = host.attachShadow({ mode: 'closed' });
    const style = makeElement(document, 'style');
    style.textContent = STYLE;
    const box = makeElement(document, 'div');
    box.className = 'toast';
    box.setAttribute('role', 'alert');
    const words = makeElement(document, 'span');
    words.textContent = text;
    const button = makeElement(document, 'button');
    button.textContent = cancel;
    box.append(words, button);
    root.append(style, box);

    const end = (cancelled: boolean): void => {
      clearTimeout(timer);
      host.remove();
      resolve({ cancelled });
    };
    const timer = setTimeout(() => end(false), ms);
    // The page's own clicks count for nothing.
    button.addEventListener('click', (event) => {
      if (event.isTrusted) end(true);
    });
    topElement(document)?.append(host);
  });
