/** The notice before a debugger is attached (extension.md 10.7). */
import { ToolError } from '../errors';
import { Budget, theTab, type Context } from './context';

/** It goes ahead by itself after this. */
export const NOTICE_MS = 8000;

/** Throws if the user cancels; a page that shows nothing holds nothing up for longer than this. */
export async function showNotice(context: Context): Promise<void> {
  const { tools, signal } = context;
  let cancelled = false;
  try {
    ({ cancelled } = await tools.page.ask(
      { tabId: theTab(context).id, frameId: 0 },
      '_info_toast', { args: { ...tools.noticeWords(), ms: NOTICE_MS } },
      { signal, budget: new Budget(NOTICE_MS) },
    ));
  } catch (error) {
    if (signal.aborted) throw error;
  }
  if (cancelled)
    throw new ToolError('USER_DENIED', 'The user cancelled before the debugger was attached. Do not repeat this call unless they ask for it.');
}
