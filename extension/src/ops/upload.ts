/** `page_upload` (tools.md 6.12). */
import * as z from 'zod/mini';
import { mayReadFiles } from '../browser/extension';
import type { Attached, Sessions } from '../cdp/sessions';
import { ToolError } from '../errors';
import type { ConfirmRequest } from '../gate/confirm';
import { classify } from '../gate/site';
import type { Args } from '../link/requests';
import { spelled } from '../text';
import { confirmBase } from './act';
import { whileAttached } from './attached';
import type { Context, Operation, Operations } from './context';

const ABSOLUTE = /^(?:\/|[A-Za-z]:[\\/]|\\\\[^\\])/;

export function checkPath({ path }: Args): void {
  if (typeof path !== 'string' || !ABSOLUTE.test(path))
    throw new ToolError('INVALID_ARGUMENT', 'path must be absolute, such as /home/me/photo.png or C:\\Users\\me\\photo.png.');
}

async function prepare(context: Context): Promise<ConfirmRequest> {
  const { args, snapshot } = context;
  if (!(await mayReadFiles()))
    throw new ToolError(
      'HOST_PERMISSION_MISSING',
      'The browser lets genkan at no files. Ask the user to turn on "Allow access to file URLs" for genkan on the page of extensions (chrome://extensions).',
    );
  return {
    ...confirmBase(context),
    kind: 'upload',
    detail: `${spelled(String(args.path))}\n${spelled(String(args.selector))}`,
    ...(snapshot.policy.presenceConfirm ? { presence: 'page_upload' as const } : {}),
  };
}

const Root = z.object({ root: z.object({ nodeId: z.int(), documentURL: z.string() }) });
const Found = z.object({ nodeId: z.int() });
const Described = z.object({ node: z.object({ localName: z.string(), attributes: z.optional(z.array(z.string())) }) });

function typeOf(attributes: readonly string[]): string {
  for (let at = 0; at + 1 < attributes.length; at += 2)
    if (attributes[at] === 'type') return (attributes[at + 1] ?? '').toLowerCase();
  return '';
}

const failed = (text: string): ToolError => new ToolError('EXECUTION_FAILED', text);

async function put(context: Context, { command }: Attached): Promise<void> {
  const selector = String(context.args.selector);
  const root = Root.safeParse(await command('DOM.getDocument', { depth: 0 }));
  const at = root.success ? classify(root.data.root.documentURL) : null;
  if (!root.success || at?.kind !== 'web' || at.origin !== context.origin)
    throw failed('The tab went to another site before the file was put in, so nothing was done.');
  const found = await command('DOM.querySelector', { nodeId: root.data.root.nodeId, selector }).then(
    (raw) => Found.safeParse(raw),
    () => {
      throw new ToolError('INVALID_ARGUMENT', `selector ${selector} is no valid CSS selector.`);
    },
  );
  if (!found.success || found.data.nodeId === 0) throw failed(`no element matches ${selector}: take a new page_snapshot`);
  const { nodeId } = found.data;
  const described = Described.safeParse(await command('DOM.describeNode', { nodeId }));
  const input = described.success && described.data.node.localName === 'input' ? typeOf(described.data.node.attributes ?? []) : '';
  if (input !== 'file') throw failed(`${selector} is no file input: give the selector of an input of type file`);
  await command('DOM.setFileInputFiles', { nodeId, files: [String(context.args.path)] });
}

export function uploadOperations(cdp: Sessions) {
  const page_upload: Operation = {
    // The grant comes before the path: what is not granted says nothing about arguments.
    target: (args) => {
      checkPath(args);
      return 'tab';
    },
    address: 'page',
    prepare,
    async act(context) {
      await whileAttached(context, cdp, async (tab) => {
        try {
          await put(context, tab);
        } finally {
          // Ids of nodes are held as long as this is enabled.
          if (!tab.fresh) await tab.command('DOM.disable').catch(() => undefined);
        }
      });
      return { uploaded: context.args.selector, path: context.args.path };
    },
  };
  return { page_upload } satisfies Operations;
}
