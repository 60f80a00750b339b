/** Tools that handle tabs as such. */
import * as tabs from '../browser/tabs';
import * as windows from '../browser/windows';
import { messageOf, ToolError } from '../errors';
import { webUrl } from '../gate/site';
import type { Args } from '../link/requests';
import { plain } from '../text';
import { theTab, type Context, type Operation, type Operations } from './context';
import { isOwn, pageOrigin } from './target';

const GROUP = 'genkan';
const DETAIL_LIMIT = 200;

/** `url` has to be absolute, http or https. */
export function checkUrl(args: Args): void {
  if (webUrl(String(args.url)) === null)
    throw new ToolError('INVALID_ARGUMENT', 'url must be an absolute http or https URL, such as https://example.com/.');
}

export const destination = (args: Args): URL => webUrl(String(args.url)) as URL;

const list: Operation = {
  target: 'none',
  address: 'any',
  looksOnly: true,
  async act({ tools }) {
    const all = (await tools.tabList.read()).filter((tab) => tab.id >= 0 && !isOwn(tab));
    return all.map((tab) => ({
      id: tab.id,
      title: tab.title,
      url: tab.url === '' ? tab.pendingUrl : tab.url,
      active: tab.active,
      windowId: tab.windowId,
      ...(tab.groupId >= 0 ? { groupId: tab.groupId } : {}),
    }));
  },
};

const focus: Operation = {
  target: 'tab',
  address: 'any',
  async act(context) {
    const tab = theTab(context);
    await tabs.activate(tab.id);
    await windows.focus(tab.windowId);
    return { focused: tab.id };
  },
};

/** Failing to group never fails the call. */
async function grouped(context: Context, tab: tabs.Tab): Promise<{ groupId?: number }> {
  try {
    if (!(await context.tools.groupTabs())) return {};
    return { groupId: await tabs.group(tab, GROUP) };
  } catch (error) {
    context.tools.log(`grouping: ${messageOf(error)}`);
    return {};
  }
}

const open: Operation = {
  target: 'none',
  address: 'any',
  check: checkUrl,
  site: (args) => destination(args).origin,
  async act(context) {
    const url = destination(context.args).href;
    const windowId = await windows.lastNormal();
    const tab = windowId === null ? await windows.openNormal(url) : await tabs.open(windowId, url);
    return { opened: tab.id, url, ...(await grouped(context, tab)) };
  },
};

const close: Operation = {
  target: 'tab',
  address: 'page',
  prepare: (context) => {
    const tab = theTab(context);
    if (!context.snapshot.policy.confirmTabClose) return Promise.resolve(null);
    return Promise.resolve({
      kind: 'tab_close',
      tool: 'tab_close',
      origin: pageOrigin(tab),
      tabTitle: plain(tab.title, DETAIL_LIMIT),
      // A title of nothing but what cannot be seen is none.
      detail: plain(tab.title, DETAIL_LIMIT) || plain(tab.url, DETAIL_LIMIT),
      timeoutMs: context.snapshot.policy.clickToastTimeoutMs,
    });
  },
  async act(context) {
    const tab = theTab(context);
    await tabs.remove(tab.id);
    return { closed: tab.id };
  },
};

export const tabOperations = {
  tab_list: list,
  tab_focus: focus,
  tab_open: open,
  tab_close: close,
} satisfies Operations;
