/**
 * The list of all tabs, held while nothing happened to any (tools.md 5.1).
 *
 * Asking the browser costs as much as everything else that a `tab_list` takes in here. What was read is given
 * again only if no event of tabs or windows came since before it was read, if no act of ours began or ended
 * since, and for a while only: should an event ever be missing, the list is wrong for no longer than that.
 */
import type { Tab } from '../browser/tabs';
import type { Clock } from '../clock';

export const HELD_MS = 10_000;

export interface TabList {
  /** In window and tab order. */
  read(): Promise<readonly Tab[]>;
  /** Something happened, or is about to. */
  changed(): void;
}

export interface TabListOptions {
  clock: Clock;
  all(): Promise<Tab[]>;
  /** Ids of all windows in the browser's order. */
  windows(): Promise<number[]>;
}

export function createTabList({ clock, all, windows }: TabListOptions): TabList {
  let held: { tabs: readonly Tab[]; from: number } | null = null;
  let changes = 0;

  async function ask(): Promise<readonly Tab[]> {
    const tabs = await all();
    // The order of windows matters only where there are several.
    const order = tabs.every((tab) => tab.windowId === tabs[0]?.windowId) ? [] : await windows();
    return tabs.sort((a, b) => order.indexOf(a.windowId) - order.indexOf(b.windowId) || a.index - b.index);
  }

  return {
    async read() {
      const age = held === null ? -1 : clock.now() - held.from;
      // Below zero somebody has set the clock back.
      if (held !== null && age >= 0 && age < HELD_MS) return held.tabs;
      const before = changes;
      const from = clock.now();
      const tabs = await ask();
      // What was read while something changed may be of before or after it.
      held = before === changes ? { tabs, from } : null;
      return tabs;
    },
    changed: () => {
      changes += 1;
      held = null;
    },
  };
}
