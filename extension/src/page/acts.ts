/** Pointing at an element, and scrolling. */
import type { PageData } from '../page-channel';
import { pointer } from './events';
import { bodyOf, scrollHeight, topElement } from './natives';
import { invalid } from './refusals';
import { roleOf } from './roles';
import { bringIntoView, spotOf } from './spot';
import { survey } from './survey';
import { find, type Target } from './targets';

export function hover(args: Target): PageData<'page_hover'> {
  survey();
  const el = find(args);
  bringIntoView(el);
  const spot = spotOf(el);
  const init = { clientX: spot?.x ?? 0, clientY: spot?.y ?? 0, button: -1, buttons: 0 };
  for (const name of ['pointerover', 'pointerenter', 'mouseover', 'mouseenter', 'mousemove'])
    pointer(el, name, name.startsWith('mouse') ? { ...init, button: 0 } : init);
  return { role: roleOf(el) };
}

export function scroll(args: { direction?: string | undefined; pixels?: number | undefined }): PageData<'page_scroll'> {
  const step = Math.round(window.innerHeight * 0.9);
  const by = args.pixels ?? (args.direction === 'up' ? -step : args.direction === 'down' ? step : undefined);
  if (by !== undefined) window.scrollBy({ top: by, left: 0, behavior: 'instant' });
  else if (args.direction === 'top') window.scrollTo({ top: 0, behavior: 'instant' });
  else if (args.direction === 'bottom') {
    const heights = [topElement(document), bodyOf(document)].map((el) => (el === null ? 0 : scrollHeight(el)));
    window.scrollTo({ top: Math.max(...heights), behavior: 'instant' });
  } else throw invalid('direction or pixels is needed: give one of them');
  return { scrollY: window.scrollY, scrollX: window.scrollX };
}
