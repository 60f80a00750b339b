import { describe, expect, it } from 'vitest';
import { fakeBrowser } from 'wxt/testing/fake-browser';
import { checkPath } from '../../src/ops/upload';
import { active, world, type World } from './world';

const ARGS = { selector: '#file', path: '/home/me/token=supersecret99.png' };

async function ready(policy: object = {}, fileAccess = true): Promise<World> {
  const w = world(await active({ cdpMode: true, fileUploadEnabled: true, presenceConfirm: false, ...policy }));
  (fakeBrowser as unknown as Record<string, unknown>).extension = { isAllowedFileSchemeAccess: async () => fileAccess };
  w.allow('https://a.example');
  w.addTab({ url: 'https://a.example/', title: 'Form' });
  Object.assign(w.debugger.answers, {
    'DOM.getDocument': { root: { nodeId: 1, documentURL: 'https://a.example/form' } },
    'DOM.querySelector': { nodeId: 7 },
    'DOM.describeNode': { node: { localName: 'input', attributes: ['id', 'file', 'type', 'FILE'] } },
  });
  return w;
}
async function allowed(w: World): Promise<Record<string, unknown>> {
  const id = w.request('page_upload', ARGS);
  expect(await w.payload()).not.toBe(null);
  await w.decide(true);
  for (let i = 0; i < 20 && w.answerOf(id) === undefined; i++) await w.clock.advance(1);
  return w.answerOf(id) ?? {};
}

describe('page_upload', () => {
  it('shows path and selector as they are, then puts the file in, inside one attach', async () => {
    const w = await ready();
    let sent: unknown;
    w.debugger.answers['DOM.setFileInputFiles'] = (p: unknown) => ((sent = p), {});
    const id = w.request('page_upload', ARGS);
    expect(await w.payload()).toMatchObject({ kind: 'upload', tool: 'page_upload', origin: 'https://a.example', tabTitle: 'Form', detail: '/home/me/token=supersecret99.png\n#file' });
    expect(w.debugger.log).toEqual([]);
    await w.decide(true);
    expect(w.answerOf(id)).toMatchObject({ data: { uploaded: '#file', path: ARGS.path } });
    expect(sent).toEqual({ nodeId: 7, files: [ARGS.path] });
    expect(w.debugger.log).toEqual(['attach 1', 'DOM.getDocument', 'DOM.querySelector', 'DOM.describeNode', 'DOM.setFileInputFiles', 'detach 1']);
  });

  it('asks every time', async () => {
    const w = await ready();
    expect(await allowed(w)).toMatchObject({ ok: true });
    const again = w.request('page_upload', ARGS);
    expect(await w.payload()).toMatchObject({ kind: 'upload' });
    await w.decide(false);
    expect(w.answerOf(again)).toMatchObject({ code: 'USER_DENIED' });
  });

  it('needs its grant before anything else is said', async () => {
    const w = await ready({ fileUploadEnabled: false });
    expect(await w.call('page_upload', { ...ARGS, path: 'x' })).toMatchObject({ code: 'TOOL_DISABLED', error: expect.stringContaining('fileUploadEnabled') });
  });

  it('needs the mode', async () => {
    expect(await (await ready({ cdpMode: false })).call('page_upload', ARGS)).toMatchObject({ code: 'TOOL_DISABLED' });
  });

  it('then an absolute path, before the tab is looked at', async () => {
    const w = await ready();
    expect(await w.call('page_upload', { ...ARGS, path: 'photo.png', tabId: 99 })).toMatchObject({ code: 'INVALID_ARGUMENT', error: expect.stringContaining('absolute') });
    expect(await w.call('page_upload', { ...ARGS, tabId: 99 })).toMatchObject({ code: 'TAB_NOT_FOUND' });
  });

  it.each(['/', '/a', 'C:\\x', 'c:/x', '\\\\server\\share'])('takes %s for absolute', (path) => {
    expect(() => checkPath({ path })).not.toThrow();
  });
  it.each(['', 'a', './a', '../a', '~/a', 'C:x', '\\a', 'file:///a', '\\\\'])('takes %s for none', (path) => {
    expect(() => checkPath({ path })).toThrow('absolute');
  });

  it('needs the browser to let it at files, and says which switch', async () => {
    const w = await ready({}, false);
    expect(await w.call('page_upload', ARGS)).toMatchObject({ code: 'HOST_PERMISSION_MISSING', error: expect.stringContaining('Allow access to file URLs') });
    expect(await w.payload()).toBe(null);
  });

  it.each([
    ['no such element', 'DOM.querySelector', { nodeId: 0 }, 'EXECUTION_FAILED', '#file'],
    ['no valid selector', 'DOM.querySelector', () => Promise.reject(new Error('DOM Error while querying')), 'INVALID_ARGUMENT', '#file'],
    ['another element', 'DOM.describeNode', { node: { localName: 'textarea', attributes: ['type', 'file'] } }, 'EXECUTION_FAILED', 'no file input'],
    ['another input', 'DOM.describeNode', { node: { localName: 'input', attributes: ['class', 'type', 'name', 'file'] } }, 'EXECUTION_FAILED', 'no file input'],
    ['another document', 'DOM.getDocument', { root: { nodeId: 1, documentURL: 'https://evil.example/' } }, 'EXECUTION_FAILED', 'another site'],
    ['no document', 'DOM.getDocument', {}, 'EXECUTION_FAILED', 'another site'],
  ])('%s: nothing is put in', async (_name, method, answer, code, text) => {
    const w = await ready();
    w.debugger.answers[method] = answer;
    expect(await allowed(w)).toMatchObject({ code, error: expect.stringContaining(text) });
    expect(w.debugger.log).not.toContain('DOM.setFileInputFiles');
    expect(w.debugger.attached).toEqual([]);
  });

  it('a tab that went elsewhere under the window gets nothing', async () => {
    const w = await ready();
    const id = w.request('page_upload', ARGS);
    await w.payload();
    w.tabs.get(1)!.url = 'https://evil.example/';
    await w.decide(true);
    expect(w.answerOf(id)).toMatchObject({ code: 'EXECUTION_FAILED' });
    expect(w.debugger.log).toEqual([]);
  });

  it('with presenceConfirm a click alone approves nothing', async () => {
    const w = await ready({ presenceConfirm: true });
    const id = w.request('page_upload', ARGS);
    await w.clock.advance(1);
    await expect(w.decide(true)).rejects.toThrow();
    expect(w.answerOf(id)).toBeUndefined();
    expect(w.debugger.log).toEqual([]);
  });
});
