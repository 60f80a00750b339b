/** `page_handle_dialog` (tools.md 6.13): answers a dialog that a session saw opening; never attaches. */
import type { Sessions } from '../cdp/sessions';
import { ToolError } from '../errors';
import { inTime } from './attached';
import { theTab, type Operation, type Operations } from './context';
import { until } from '../async';

const NONE =
  'No dialog is open in this tab that genkan has seen opening. It sees those of tabs on which a page tool was used in CDP mode before.';

export function dialogOperations(cdp: Sessions) {
  const page_handle_dialog: Operation = {
    target: 'tab',
    address: 'page',
    unqueued: true,
    check(args) {
      if (args.action === 'dismiss' && args.promptText !== undefined)
        throw new ToolError('INVALID_ARGUMENT', 'promptText answers a prompt and goes with action accept only.');
    },
    async act(context) {
      const { args } = context;
      const promptText = typeof args.promptText === 'string' ? args.promptText : undefined;
      const answered = await inTime(context, 'The browser did not take the answer to the dialog in time.', (signal) =>
        until(signal, cdp.answerDialog(theTab(context).id, args.action === 'accept', promptText)),
      );
      if (!answered) throw new ToolError('EXECUTION_FAILED', NONE);
      return { handled: args.action };
    },
  };
  return { page_handle_dialog } satisfies Operations;
}
