import { describe, expect, it } from 'vitest';
import { pageHalf, world } from './world';
import { settle } from '../util';

function ready(answer: unknown) {
  const w = world();
  w.allow('https://a.example');
  const tab = w.addTab();
  const page = pageHalf({ page_wait_for: answer });
  w.pages.set(tab.id, page);
  return { w, tab, page };
}
const matched = { matched: true, selector: '#x' };
const asked = (page: ReturnType<typeof pageHalf>) =>
  page.heard.filter((m) => m.op === 'page_wait_for').map((m) => (m as { args: { timeoutMs: number; totalMs: number } }).args);

describe('page_wait_for', () => {
  it('hands the page its conditions and its time', async () => {
    const { w, page } = ready(matched);
    expect(await w.call('page_wait_for', { selector: '#x', text: 'y', nav: true, timeoutMs: 500 })).toMatchObject({ data: matched });
    expect(asked(page)).toEqual([{ selector: '#x', text: 'y', nav: true, timeoutMs: 500, totalMs: 500 }]);
  });

  it.each([
    [undefined, 30_000],
    [0, 1],
    [-5, 1],
    [110_000, 110_000],
    [110_001, 110_000],
    [Number.MAX_SAFE_INTEGER, 110_000],
  ])('clamps %s to %s', async (timeoutMs, total) => {
    const { w, page } = ready(matched);
    await w.call('page_wait_for', { selector: '#x', ...(timeoutMs === undefined ? {} : { timeoutMs }) });
    expect(asked(page)[0]?.totalMs).toBe(total);
  });

  it('gives the time-out of the page', async () => {
    const { w } = ready({ ok: false, error: 'wait_for timed out after 500ms', code: 'EXECUTION_FAILED' });
    expect(await w.call('page_wait_for', { selector: '#x', timeoutMs: 500 })).toMatchObject({
      code: 'EXECUTION_FAILED',
      error: 'wait_for timed out after 500ms',
    });
  });

  it('goes on in the next document, within the same deadline', async () => {
    const { w, tab } = ready(() => new Promise(() => undefined));
    const id = w.request('page_wait_for', { text: 'done', timeoutMs: 10_000 });
    await w.clock.advance(4_000);
    tab.url = 'https://a.example/next';
    const next = pageHalf({ page_wait_for: { matched: true, text: 'done' } });
    w.pages.set(tab.id, next);
    w.breakChannel(tab.id);
    await w.clock.advance(100);
    expect(w.answerOf(id)).toMatchObject({ data: { matched: true, text: 'done' } });
    expect(asked(next)[0]).toMatchObject({ totalMs: 10_000 });
    expect(asked(next)[0]?.timeoutMs).toBeLessThanOrEqual(6_000);
  });

  it('goes on where the page itself notices that the origin changed', async () => {
    const { w, tab } = ready({ ok: false, error: 'the origin is another', code: 'EXECUTION_FAILED' });
    w.allow('https://b.example');
    const id = w.request('page_wait_for', { nav: true });
    tab.url = 'https://a.example/';
    await Promise.resolve();
    const next = pageHalf({
      page_wait_for: (m: unknown) =>
        (m as { expectOrigin: string }).expectOrigin === 'https://b.example'
          ? { matched: true, nav: true, url: 'https://b.example/', readyState: 'complete' }
          : ((tab.url = 'https://b.example/'), { ok: false, error: 'the origin is another', code: 'EXECUTION_FAILED' }),
    });
    w.pages.set(tab.id, next);
    await w.clock.advance(200);
    expect(w.answerOf(id)).toMatchObject({ data: { nav: true, url: 'https://b.example/' } });
  });

  it('for nav waits for a load that has begun, not for the document that it leaves', async () => {
    const done = { matched: true, nav: true, url: 'https://a.example/next', readyState: 'complete' };
    const { w, tab, page } = ready(done);
    Object.assign(tab, { pendingUrl: 'https://a.example/next', status: 'loading' });
    const id = w.request('page_wait_for', { nav: true, timeoutMs: 10_000 });
    await w.clock.advance(2_000);
    expect(w.answerOf(id)).toBeUndefined();
    expect(page.heard).toEqual([]);
    Object.assign(tab, { url: 'https://a.example/next', pendingUrl: undefined });
    await w.clock.advance(100);
    expect(w.answerOf(id)).toMatchObject({ data: done });
    expect(asked(page)[0]?.timeoutMs).toBeLessThanOrEqual(8_000);
  });

  it('for nav and more looks for the rest meanwhile', async () => {
    let there = false;
    const { w, tab, page } = ready(() =>
      there ? { matched: true, text: 'x' } : { ok: false, error: 'wait_for timed out after 10000ms', code: 'EXECUTION_FAILED' },
    );
    Object.assign(tab, { pendingUrl: 'https://a.example/next', status: 'loading' });
    const id = w.request('page_wait_for', { nav: true, text: 'x', timeoutMs: 10_000 });
    await w.clock.advance(1_000);
    expect(w.answerOf(id)).toBeUndefined();
    expect(asked(page)[0]).toMatchObject({ nav: false, timeoutMs: 300, totalMs: 10_000 });
    there = true;
    await w.clock.advance(100);
    expect(w.answerOf(id)).toMatchObject({ data: { matched: true, text: 'x' } });
  });

  it('for nav takes the document that is there where the load came to nothing', async () => {
    const done = { matched: true, nav: true, url: 'https://a.example/', readyState: 'complete' };
    const { w, tab } = ready(done);
    Object.assign(tab, { pendingUrl: 'https://a.example/file.zip', status: 'loading' });
    const id = w.request('page_wait_for', { nav: true });
    await w.clock.advance(500);
    Object.assign(tab, { pendingUrl: undefined, status: 'complete' });
    await w.clock.advance(100);
    expect(w.answerOf(id)).toMatchObject({ data: done });
  });

  it('for nav ends with its deadline where the load never commits', async () => {
    const { w, tab } = ready(matched);
    Object.assign(tab, { pendingUrl: 'https://a.example/slow', status: 'loading' });
    const id = w.request('page_wait_for', { nav: true, timeoutMs: 1_000 });
    await w.clock.advance(1_100);
    expect(w.answerOf(id)).toMatchObject({ code: 'EXECUTION_FAILED', error: 'wait_for timed out after 1000ms' });
  });

  it('does not go on in a document that is not approved, and asks nobody', async () => {
    const { w, tab } = ready(() => new Promise(() => undefined));
    const id = w.request('page_wait_for', { text: 'x' });
    await settle();
    tab.url = 'https://other.example/';
    w.breakChannel(tab.id);
    await w.clock.advance(100);
    expect(w.answerOf(id)).toMatchObject({ code: 'SITE_NOT_ALLOWED' });
    expect(w.store.data.pendingAllow).toBeUndefined();
  });

  it('does not go on where pages cannot be acted on', async () => {
    const { w, tab } = ready(() => new Promise(() => undefined));
    const id = w.request('page_wait_for', { text: 'x' });
    await settle();
    tab.url = 'chrome://settings/';
    w.breakChannel(tab.id);
    await w.clock.advance(100);
    expect(w.answerOf(id)).toMatchObject({ code: 'UNSUPPORTED_PAGE' });
  });

  it('ends with its deadline however often the page goes away', async () => {
    const { w, tab } = ready(() => new Promise(() => undefined));
    const id = w.request('page_wait_for', { text: 'x', timeoutMs: 1_000 });
    for (let i = 0; i < 12; i++) {
      await w.clock.advance(100);
      w.breakChannel(tab.id);
    }
    await w.clock.advance(200);
    expect(w.answerOf(id)).toMatchObject({ code: 'EXECUTION_FAILED', error: 'wait_for timed out after 1000ms' });
  });

  it('has 2,000 more than its time where the page does not answer at all', async () => {
    const { w } = ready(() => new Promise(() => undefined));
    const id = w.request('page_wait_for', { text: 'x', timeoutMs: 1_000 });
    await w.clock.advance(2_999);
    expect(w.answerOf(id)).toBeUndefined();
    await w.clock.advance(1);
    expect(w.answerOf(id)).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('dialog') });
  });
});
