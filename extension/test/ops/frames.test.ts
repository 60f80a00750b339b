import { describe, expect, it, vi } from 'vitest';
import { fakeBrowser } from 'wxt/testing/fake-browser';
import { createFrameFinder, framesOf, match, type FoundFrame } from '../../src/ops/frames';
import type { FrameSlot } from '../../src/page-channel';
import { settle, testClock } from '../util';

const slot = (path: number[], address = 'https://b/'): FrameSlot => ({ path, address, srcOrigin: '', focused: false });
const found = (frameId: number, path: number[], origin = 'https://b', address = 'https://b/'): FoundFrame => ({
  frameId,
  origin,
  address,
  path,
});

describe('matching', () => {
  const all = [found(1, [0]), found(2, [1]), found(3, [1, 0]), found(4, [-1], 'https://b', 'https://s/'), found(5, [-1, 0])];

  it('goes by the path of indices, below the instance that met the frame', () => {
    expect(match(slot([1]), [], all, [])?.frameId).toBe(2);
    expect(match(slot([0]), [1], all, [])?.frameId).toBe(3);
    expect(match(slot([2]), [], all, [])).toBeNull();
  });

  it('goes by the address where a step has no index, if one frame and one slot have it', () => {
    const lone = slot([-1], 'https://s/');
    expect(match(lone, [], all, [lone])?.frameId).toBe(4);
    expect(match(lone, [], all, [lone, slot([-1], 'https://s/')])).toBeNull();
    const twice = [...all, found(6, [-1], 'https://b', 'https://s/')];
    expect(match(lone, [], twice, [lone])).toBeNull();
    const blank = slot([-1], '');
    expect(match(blank, [], [found(7, [-1], 'https://b', '')], [blank])).toBeNull();
  });

  it('never takes a frame that has a path for one that has none', () => {
    const lone = slot([-1], 'https://b/');
    expect(match(lone, [], [found(1, [0])], [lone])).toBeNull();
  });
});

describe('the finder', () => {
  const finder = (rows: { frameId: number; result: Omit<FoundFrame, 'frameId'> }[] | Promise<never>, allowed: string[]) => {
    const clock = testClock();
    let asked = 0;
    return {
      clock,
      asked: () => asked,
      finder: createFrameFinder(
        async () => {
          asked += 1;
          return rows;
        },
        { allows: async (origin) => allowed.includes(origin) },
        clock,
      ),
    };
  };
  const row = (frameId: number, origin: string, path: number[]) => ({ frameId, result: { origin, address: `${origin}/`, path } });

  it('covers a frame whose window has an approved http or https origin, and asks the browser once', async () => {
    const w = finder([row(1, 'https://b', [0]), row(2, 'https://c', [1])], ['https://b']);
    expect(await w.finder.cover(slot([0]), [], [])).toMatchObject({ frameId: 1 });
    expect(await w.finder.cover(slot([1]), [], [])).toBeNull();
    expect(w.asked()).toBe(1);
  });

  it.each(['null', '', 'chrome-extension://abc', 'file://'])('leaves out an origin like %s even if it were listed', async (origin) => {
    const w = finder([row(1, origin, [0])], [origin]);
    expect(await w.finder.cover(slot([0]), [], [])).toBeNull();
  });

  it('judges the window, not the address', async () => {
    const w = finder([{ frameId: 1, result: { origin: 'https://b', address: 'about:blank', path: [0] } }], ['https://b']);
    expect(await w.finder.cover(slot([0], ''), [], [])).toMatchObject({ origin: 'https://b' });
  });

  it('finds nothing where the browser fails or takes longer than 1,000', async () => {
    const failing = finder(Promise.reject(new Error('no access')), ['https://b']);
    expect(await failing.finder.all()).toEqual([]);
    const late = finder(new Promise<never>(() => undefined), ['https://b']);
    let got: unknown = 'waiting';
    void late.finder.cover(slot([0]), [], []).then((f) => (got = f));
    await late.clock.advance(999);
    expect(got).toBe('waiting');
    await late.clock.advance(1);
    await settle();
    expect(got).toBeNull();
  });
});

describe('what the frames of a tab answer', () => {
  it('is parsed: one whose answer does not fit is left out, the others are not', async () => {
    const fits = { origin: 'https://b', address: 'https://b/', path: [0] };
    const results = [1, null, { ...fits, path: ['0'] }, { ...fits, origin: 7 }, fits, undefined].map((result, frameId) => ({ frameId, documentId: 'd', result }));
    vi.spyOn(fakeBrowser.scripting, 'executeScript').mockResolvedValue(results as never);
    const finder = framesOf(1, { allowlist: { allows: async () => true }, clock: testClock() });
    expect(await finder.all()).toEqual([{ frameId: 4, ...fits }]);
  });
});
