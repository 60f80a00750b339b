import { browser, type Browser } from 'wxt/browser';

/** What we use of a tab; the addresses are "" where the browser tells none. */
export interface Tab {
  id: number;
  windowId: number;
  index: number;
  active: boolean;
  title: string;
  url: string;
  pendingUrl: string;
  groupId: number;
  loading: boolean;
}

export function tabOf(tab: Browser.tabs.Tab): Tab {
  return {
    id: tab.id ?? -1,
    windowId: tab.windowId,
    index: tab.index,
    active: tab.active,
    title: tab.title ?? '',
    url: tab.url ?? '',
    pendingUrl: tab.pendingUrl ?? '',
    groupId: tab.groupId ?? -1,
    loading: tab.status === 'loading',
  };
}

/** Null for a tab that is not there; ids beyond 32 bits make the browser throw a type error. */
export async function get(tabId: number): Promise<Tab | null> {
  if (!Number.isInteger(tabId) || tabId < 0 || tabId > 0x7fff_ffff) return null;
  try {
    return tabOf(await browser.tabs.get(tabId));
  } catch {
    return null;
  }
}

export const all = async (): Promise<Tab[]> => (await browser.tabs.query({})).map(tabOf);

export async function activeIn(windowId: number): Promise<Tab | null> {
  const [tab] = await browser.tabs.query({ windowId, active: true });
  return tab === undefined ? null : tabOf(tab);
}

export const open = async (windowId: number, url: string): Promise<Tab> =>
  tabOf(await browser.tabs.create({ windowId, url, active: true }));

export async function activate(tabId: number): Promise<void> {
  await browser.tabs.update(tabId, { active: true });
}

export async function navigate(tabId: number, url: string): Promise<void> {
  await browser.tabs.update(tabId, { url });
}

export const reload = (tabId: number): Promise<void> => browser.tabs.reload(tabId);
export const goBack = (tabId: number): Promise<void> => browser.tabs.goBack(tabId);
export const goForward = (tabId: number): Promise<void> => browser.tabs.goForward(tabId);
export const remove = (tabId: number): Promise<void> => browser.tabs.remove(tabId);

/** Closes every tab of ours that shows this page. */
export async function closeOwn(page: string): Promise<void> {
  const left = (await browser.tabs.query({})).filter((tab) => [tab.url, tab.pendingUrl].some((u) => u?.startsWith(page)));
  await browser.tabs.remove(left.flatMap((tab) => (tab.id === undefined ? [] : [tab.id])));
}

/** PNG of what the window shows, as a data URL. */
export const captureVisible = (windowId: number): Promise<string> =>
  browser.tabs.captureVisibleTab(windowId, { format: 'png' });

/** One message to one frame. Rejects without a listener, and hangs if the listener never answers. */
export const sendMessage = (tabId: number, frameId: number, message: unknown): Promise<unknown> =>
  browser.tabs.sendMessage(tabId, message, { frameId });

export interface TabChange {
  /** A new address: the navigation has committed. */
  url?: string;
  status?: string;
}

export function onUpdated(listener: (tabId: number, change: TabChange) => void): () => void {
  const heard = (tabId: number, info: { url?: string; status?: string }): void => {
    const change: TabChange = {};
    if (info.url !== undefined) change.url = info.url;
    if (info.status !== undefined) change.status = info.status;
    listener(tabId, change);
  };
  browser.tabs.onUpdated.addListener(heard);
  return () => browser.tabs.onUpdated.removeListener(heard);
}

/** Another tab is in front of a window now. */
export function onActivated(listener: (tabId: number, windowId: number) => void): () => void {
  const heard = ({ tabId, windowId }: { tabId: number; windowId: number }): void => listener(tabId, windowId);
  browser.tabs.onActivated.addListener(heard);
  return () => browser.tabs.onActivated.removeListener(heard);
}

export function onRemoved(listener: (tabId: number) => void): () => void {
  const heard = (tabId: number): void => listener(tabId);
  browser.tabs.onRemoved.addListener(heard);
  return () => browser.tabs.onRemoved.removeListener(heard);
}

export function onCreated(listener: (tab: Tab, openerTabId: number | null) => void): () => void {
  const heard = (tab: Browser.tabs.Tab): void => listener(tabOf(tab), tab.openerTabId ?? null);
  browser.tabs.onCreated.addListener(heard);
  return () => browser.tabs.onCreated.removeListener(heard);
}

export interface TabNews {
  /** Something changed the list of tabs, or anything that it says of one. */
  changed(): void;
  /** A tab shows another address. */
  moved(tabId: number): void;
  windowRemoved(windowId: number): void;
}

/**
 * The worker's own listener to everything that happens to tabs, one to each event. It stays: were those of calls,
 * which come and go, the only ones, the browser would write down each time that one came, and that it went.
 */
export function watch(news: TabNews): void {
  const { tabs, windows } = browser;
  const rest = [tabs.onCreated, tabs.onRemoved, tabs.onActivated, tabs.onMoved, tabs.onAttached, tabs.onDetached, tabs.onReplaced, windows.onCreated];
  for (const event of rest as { addListener(heard: () => void): void }[]) event.addListener(() => news.changed());
  tabs.onUpdated.addListener((tabId, info) => {
    news.changed();
    if (info.url !== undefined) news.moved(tabId);
  });
  windows.onRemoved.addListener((windowId) => {
    news.changed();
    news.windowRemoved(windowId);
  });
}

/** Puts the tab into the group of that title in its window, made if there is none; the group's id. */
export async function group(tab: Tab, title: string): Promise<number> {
  const found = (await browser.tabGroups.query({ windowId: tab.windowId })).find((g) => g.title === title);
  if (found !== undefined) return browser.tabs.group({ tabIds: [tab.id], groupId: found.id });
  const made = await browser.tabs.group({ tabIds: [tab.id], createProperties: { windowId: tab.windowId } });
  await browser.tabGroups.update(made, { title });
  return made;
}
