/**
 * Messages of our own pages (extension.md 7). Parsed against one strict union, taken from our pages
 * alone, those of the confirmation window from that page alone; every failure is answered.
 */
import type { Sender } from '../browser/runtime';
import { messageOf } from '../errors';
import {
  MALFORMED,
  RuntimeMessage,
  type RuntimeAnswers,
  type RuntimeMessageType,
  type RuntimeReply,
} from '../messages';

type Of<T extends RuntimeMessageType> = Extract<RuntimeMessage, { type: T }>;

export type Handlers = {
  [T in RuntimeMessageType]: (message: Of<T>) => RuntimeAnswers[T] | Promise<RuntimeAnswers[T]>;
};

const CONFIRM_PAGE = '/confirm.html';

const refused = (error: string): RuntimeReply => ({ ok: false, error });

/** Path of one of our pages; null for every other sender, content scripts with the page's URL among them. */
function pathOf(sender: Sender, id: string): string | null {
  const origin = `chrome-extension://${id}`;
  if (sender.id !== id || sender.url === undefined || !sender.url.startsWith(`${origin}/`)) return null;
  try {
    const url = new URL(sender.url);
    return url.origin === origin || url.href.startsWith(`${origin}/`) ? url.pathname : null;
  } catch {
    return null;
  }
}

export function createRouter(id: string, handlers: Handlers): (message: unknown, sender: Sender) => Promise<RuntimeReply> {
  return async (raw, sender) => {
    const path = pathOf(sender, id);
    if (path === null) return refused('not a page of genkan');
    const parsed = RuntimeMessage.safeParse(raw);
    if (!parsed.success) return refused(MALFORMED);
    const message = parsed.data;
    if (message.type.startsWith('confirm_') !== (path === CONFIRM_PAGE))
      return refused(`${message.type} is not taken from this page`);
    try {
      const handle = handlers[message.type] as (m: RuntimeMessage) => unknown;
      return { ok: true, data: (await handle(message)) as RuntimeAnswers[RuntimeMessageType] };
    } catch (error) {
      return refused(messageOf(error));
    }
  };
}
