import { describe, expect, it } from 'vitest';
import { answer } from '../src/page-answer';
import { OTHER_INSTANCE, type PageApi } from '../src/page-channel';

function api(): PageApi & { heard: unknown[] } {
  const heard: unknown[] = [];
  const method = (body: unknown) => {
    heard.push(body);
    return { ok: true, data: {} };
  };
  const names = ['_probe', '_abort', '_focus', '_gone', 'page_snapshot', 'page_text', 'page_click', 'page_fill', 'page_select', 'page_press', 'page_hover', 'page_scroll', 'page_wait_for'];
  return { ...Object.fromEntries(names.map((n) => [n, method])), heard } as unknown as PageApi & { heard: unknown[] };
}
const hover = { v: 1, op: 'page_hover', call: 1, expectOrigin: 'https://a', args: { ref: 'e1' } };

const toast = async () => ({ cancelled: true });

describe('the page half', () => {
  it('shows the notice, which is none of the page API', async () => {
    const page = api();
    const message = { v: 1, op: '_info_toast', args: { text: 'x', cancel: 'c', ms: 8000 } };
    expect(await answer(page, 't', toast, message)).toEqual({ ok: true, data: { cancelled: true } });
    expect(page.heard).toEqual([]);
    expect(await answer(page, 't', toast, { ...message, call: 1 })).toMatchObject({ ok: false });
  });

  it('answers a ping with its token, and needs nobody for it', async () => {
    expect(await answer(api(), 'tok', toast, { v: 1, op: 'ping' })).toEqual({ ok: true, data: { token: 'tok' } });
  });

  it('answers for a document that it has replaced, and leaves its own to the page', async () => {
    const page = api();
    const gone = { v: 1, op: '_gone', call: 1, expectOrigin: 'https://a', args: { token: 'old' } };
    expect(await answer(page, 'tok', toast, gone)).toEqual({ ok: true, data: {} });
    expect(page.heard).toEqual([]);
    await answer(page, 'tok', toast, { ...gone, args: { token: 'tok', frame: 2 } });
    expect(page.heard).toEqual([{ call: 1, expectOrigin: 'https://a', args: { token: 'tok', frame: 2 } }]);
  });

  it('does nothing for a question that was meant for another instance', async () => {
    const page = api();
    for (const message of [{ ...hover, token: 'old' }, { v: 1, op: '_probe', call: 1, expectOrigin: 'https://a', token: 'old', args: { ref: 'e1', purpose: 'click' } }])
      expect(await answer(page, 'tok', toast, message)).toEqual({ ok: false, error: OTHER_INSTANCE, code: 'EXECUTION_FAILED' });
    expect(page.heard).toEqual([]);
    await answer(page, 'tok', toast, { ...hover, token: 'tok' });
    expect(page.heard).toEqual([{ call: 1, expectOrigin: 'https://a', args: { ref: 'e1' } }]);
  });

  it('calls the method of the op with the message below v and op', async () => {
    const page = api();
    expect(await answer(page, 't', toast, hover)).toEqual({ ok: true, data: {} });
    expect(page.heard).toEqual([{ call: 1, expectOrigin: 'https://a', args: { ref: 'e1' } }]);
  });

  it.each([
    'ping',
    null,
    undefined,
    7,
    [],
    {},
    { v: 2, op: 'ping' },
    { v: 1, op: 'ping', extra: 1 },
    { v: 1, op: 'toString' },
    { v: 1, op: 'page_eval', args: { code: '1' } },
    { ...hover, expectOrigin: '' },
    { ...hover, expectOrigin: undefined },
    { ...hover, args: { ref: 'e1', more: 1 } },
    { ...hover, extra: 1 },
    { v: 1, op: 'page_click', call: 1, expectOrigin: 'https://a', args: { ref: 'e1', button: 'left', count: 1, modifiers: [] } },
    { v: 1, op: '_probe', call: 1, expectOrigin: 'https://a', args: { ref: 'e1', purpose: 'eval' } },
    { v: 1, op: '_probe', args: { ref: 'e1', purpose: 'click' } },
  ])('refuses %j', async (message) => {
    const page = api();
    expect(await answer(page, 't', toast, message)).toMatchObject({ ok: false, code: 'EXECUTION_FAILED' });
    expect(page.heard).toEqual([]);
  });

  it('never throws across the channel', async () => {
    const page = { ...api(), page_hover: () => { throw new Error('null is not an object'); } } as PageApi;
    expect(await answer(page, 't', toast, hover)).toEqual({ ok: false, error: 'null is not an object', code: 'EXECUTION_FAILED' });
    const rejecting = { ...api(), page_hover: () => Promise.reject('x') } as PageApi;
    expect(await answer(rejecting, 't', toast, hover)).toEqual({ ok: false, error: 'x', code: 'EXECUTION_FAILED' });
  });
});
