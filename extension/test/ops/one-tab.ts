// One tab of an approved site, and the simplest call for it.
import { pageHalf, world } from './world';

export const scrolled = { page_scroll: { scrollY: 1, scrollX: 0 } };
export const ready = () => {
  const w = world();
  w.allow('https://a.example');
  const tab = w.addTab();
  const page = pageHalf(scrolled);
  w.pages.set(tab.id, page);
  return { w, tab, page };
};
export const scroll = { pixels: 1 };
