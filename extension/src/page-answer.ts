/** The page half's dispatch: one message in, one reply out, and never a throw across the channel. */
import { OTHER_INSTANCE, ToPage, type PageApi, type PageReplyOf, type PageOp, type ShowToast } from './page-channel';

type Reply = PageReplyOf<PageOp>;

const failed = (error: string): Reply => ({ ok: false, error, code: 'EXECUTION_FAILED' });

/** Strings, null and unknown ops are refused like everything else that does not fit. */
export async function answer(api: PageApi, token: string, toast: ShowToast, raw: unknown): Promise<Reply> {
  const message = ToPage.safeParse(raw);
  if (!message.success) return failed('the message does not fit the channel');
  const { v: _v, op, token: meant, ...body } = { token: undefined, ...message.data };
  if (op === 'ping') return { ok: true, data: { token } };
  if (message.data.op === '_info_toast') return { ok: true, data: await toast(message.data.args) };
  // Meant for a document that this one has replaced, after a step back for example.
  if (message.data.op === '_gone' && message.data.args.token !== undefined && message.data.args.token !== token)
    return { ok: true, data: {} };
  if (meant !== undefined && meant !== token) return failed(OTHER_INSTANCE);
  try {
    const method = api[op as Exclude<PageOp, 'ping' | '_info_toast'>] as (body: unknown) => Reply | Promise<Reply>;
    return await method(body);
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}
