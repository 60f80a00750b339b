import { describe, expect, it } from 'vitest';
import { composeOutline, composeText, type Cover } from '../../src/ops/compose';
import type { FoundFrame } from '../../src/ops/frames';
import type { FrameSlot, SnapshotData, TextData } from '../../src/page-channel';

const head: [string, string] = ['url: https://a/', 'title: "A"'];
const line = (text: string, depth = 0, ref = true) => ({ depth, text, ref });
const slot = (at: number, change: Partial<FrameSlot> = {}) => ({
  line: at,
  path: [0],
  address: 'https://b/',
  srcOrigin: 'https://b',
  focused: false,
  ...change,
});
const frame: FoundFrame = { frameId: 12, origin: 'https://b', address: 'https://b/', path: [0] };
const outline = (lines: SnapshotData['lines'], frames: SnapshotData['frames'] = [], total = lines.length): SnapshotData => ({
  head,
  lines,
  total,
  frames,
});
const none: Cover = async () => null;
const cover: Cover = async () => frame;

describe('the outline', () => {
  it('is head, lines and no note', async () => {
    const data = outline([line('link "x" [ref=e1]'), line('list', 0, false), line('button "y" [ref=e2]', 1)]);
    expect(await composeOutline(data, none, async () => null)).toEqual({
      text: 'url: https://a/\ntitle: "A"\nlink "x" [ref=e1]\nlist\n  button "y" [ref=e2]',
      refCount: 2,
      truncated: false,
    });
  });

  it('says where there is nothing', async () => {
    expect((await composeOutline(outline([]), none, async () => null)).text).toBe(
      'url: https://a/\ntitle: "A"\nnote: no interactive elements',
    );
  });

  it('puts a covered frame below its line, one level deeper, with the origin of its window', async () => {
    const data = outline([line('form', 0, false), line('iframe "Chat" [ref=e6]', 1), line('button "z" [ref=e7]')], [slot(1)]);
    const got = await composeOutline(data, cover, async () => outline([line('textbox "M" [ref=f12e1]'), line('link [ref=f12e2]', 1)]));
    expect(got.text.split('\n').slice(2)).toEqual([
      'form',
      '  iframe "Chat" [ref=e6] origin="https://b"',
      '    textbox "M" [ref=f12e1]',
      '      link [ref=f12e2]',
      'button "z" [ref=e7]',
    ]);
    expect(got.refCount).toBe(4);
  });

  it('shows a frame left out with the origin of its src, if it has one', async () => {
    const data = outline([line('iframe [ref=e1]'), line('iframe [ref=e2]')], [slot(0), slot(1, { srcOrigin: '' })]);
    expect((await composeOutline(data, none, async () => null)).text.split('\n').slice(2)).toEqual([
      'iframe [ref=e1] [left-out] origin="https://b"',
      'iframe [ref=e2] [left-out]',
    ]);
  });

  it('leaves out a frame that does not answer', async () => {
    const data = outline([line('iframe [ref=e1]')], [slot(0)]);
    expect((await composeOutline(data, cover, async () => null)).text).toContain('[left-out] origin="https://b"');
  });

  it('goes into frames of frames, each told its place and whether it has the focus', async () => {
    const asked: unknown[] = [];
    const inner: FoundFrame = { frameId: 13, origin: 'https://c', address: 'https://c/', path: [0, 4] };
    const places: (readonly number[])[] = [];
    const got = await composeOutline(
      outline([line('iframe [ref=e1]')], [slot(0, { focused: true })]),
      async (_slot, base) => {
        places.push(base);
        return base.length === 0 ? frame : inner;
      },
      async (f, limit, hasFocus) => {
        asked.push([f.frameId, limit, hasFocus]);
        return f === frame
          ? outline([line('iframe [ref=f12e1]')], [slot(0, { path: [4], focused: false })])
          : outline([line('button [ref=f13e1]')]);
      },
    );
    expect(places).toEqual([[], [0]]);
    expect(asked).toEqual([
      [12, 1999, true],
      [13, 1998, false],
    ]);
    expect(got.text.split('\n').at(-1)).toBe('    button [ref=f13e1]');
  });

  it('marks the focus on a frame left out, before left-out', async () => {
    const data = outline([line('iframe [ref=e1]')], [slot(0, { focused: true })]);
    expect((await composeOutline(data, none, async () => null)).text).toContain('iframe [ref=e1] [focused] [left-out]');
  });

  it('quotes the origin', async () => {
    const data = outline([line('iframe')], [slot(0, { srcOrigin: 'https://b"] [ref=e1' })]);
    expect((await composeOutline(data, none, async () => null)).text).toContain('origin="https://b\\"] [ref=e1"');
  });

  describe('within a number of bytes', () => {
    const many = (n: number, name: string) => outline(Array.from({ length: n }, (_, i) => line(`link "${name} ${i}" [ref=e${i + 1}]`)));
    const size = (text: string) => new TextEncoder().encode(text).length;

    it.each(['A chair, number', '\u6905\u5b50 \u6905\u5b50 \u6905\u5b50', 'x'.repeat(110)])('stops at the first line that does not fit, counts the rest and says so: %s', async (name) => {
      const data = many(2000, name);
      const got = await composeOutline(data, none, async () => null, 20_000);
      const shown = got.text.split('\n').slice(2, -1);
      expect(size(got.text)).toBeLessThanOrEqual(20_000);
      expect(size(got.text)).toBeGreaterThan(20_000 - 80 - 360);
      expect(shown).toEqual(data.lines.slice(0, shown.length).map((l) => l.text));
      expect(got.text.split('\n').at(-1)).toBe(`note: ${shown.length} of 2000 elements shown; pass selector to narrow`);
      expect([got.refCount, got.truncated]).toEqual([shown.length, true]);
    });

    it('shows a frame in which nothing has room as a line, and nothing behind it', async () => {
      const data = outline([line('iframe [ref=e1]'), line('button [ref=e2]')], [slot(0)]);
      const got = await composeOutline(data, cover, async () => outline([line(`link "${'x'.repeat(900)}" [ref=f12e1]`)]), 800);
      expect(got.text.split('\n').slice(2)).toEqual(['iframe [ref=e1] origin="https://b"', 'note: 1 of 3 elements shown; pass selector to narrow']);
      expect(got).toMatchObject({ refCount: 1, truncated: true });
    });

    it('is no hindrance to what fits', async () => {
      const data = many(300, 'Item');
      expect(await composeOutline(data, none, async () => null, 65_536)).toEqual(await composeOutline(data, none, async () => null));
    });
  });

  it('stops at 2,000 lines of all documents, and says of how many', async () => {
    const many = Array.from({ length: 1_500 }, (_, i) => line(`link [ref=e${i + 1}]`));
    const got = await composeOutline(
      outline([line('iframe [ref=e1]'), ...many], [slot(0)], 1_501),
      cover,
      async (_f, limit) => {
        expect(limit).toBe(1_999);
        return outline(Array.from({ length: 600 }, () => line('button [ref=f12e1]')));
      },
    );
    const lines = got.text.split('\n').slice(2);
    expect(lines).toHaveLength(2_001);
    expect(lines.at(-1)).toBe('note: 2000 of 2101 elements shown; pass selector to narrow');
    expect(got).toMatchObject({ refCount: 2_000, truncated: true });
  });

  it('reads no frame once the cap is reached', async () => {
    const many = Array.from({ length: 1_999 }, () => line('link [ref=e1]'));
    let reads = 0;
    const got = await composeOutline(outline([...many, line('iframe [ref=e9]')], [slot(1_999)]), cover, async () => {
      reads += 1;
      return outline([]);
    });
    expect(reads).toBe(0);
    expect(got.text).toContain('iframe [ref=e9] [left-out]');
    expect(got.truncated).toBe(false);
  });
});

describe('the text', () => {
  const text = (parts: TextData['parts'], truncated = false): TextData => ({ parts, url: 'https://a/', truncated });
  const place: FrameSlot = { path: [0], address: 'https://b/', srcOrigin: 'https://b', focused: false };

  it('joins its parts, frames on lines of their own', async () => {
    const got = await composeText(text(['before', place, 'after']), cover, async () => text(['inside']));
    expect(got).toEqual({ text: 'before\ninside\nafter', url: 'https://a/', truncated: false });
  });

  it('does not double the line breaks that are there', async () => {
    const got = await composeText(text(['before\n', place, '\nafter']), cover, async () => text(['inside\n']));
    expect(got.text).toBe('before\ninside\nafter');
  });

  it('names what is left out', async () => {
    const got = await composeText(text(['a', place, place]), none, async () => null);
    expect(got.text).toBe('a\n[frame left out: https://b]\n[frame left out: https://b]');
    const opaque = await composeText(text([{ ...place, srcOrigin: '' }]), none, async () => null);
    expect(opaque.text).toBe('[frame left out: null]');
  });

  it('is cut at 20,000 over all documents', async () => {
    let limit = 0;
    const got = await composeText(text(['x'.repeat(19_000), place, 'tail']), cover, async (_f, n) => {
      limit = n;
      return text(['y'.repeat(n)], true);
    });
    expect(limit).toBe(1_000);
    expect(got.text).toHaveLength(20_003);
    expect(got.text.endsWith('y...')).toBe(true);
    expect(got.truncated).toBe(true);
    const exact = await composeText(text(['x'.repeat(20_000)]), none, async () => null);
    expect(exact).toMatchObject({ truncated: false });
    expect(exact.text).toHaveLength(20_000);
    const cutInPage = await composeText(text(['x'.repeat(20_000)], true), none, async () => null);
    expect(cutInPage.text).toHaveLength(20_003);
    expect(cutInPage.truncated).toBe(true);
  });

  it('cuts no surrogate pair apart', async () => {
    const got = await composeText(text([`${'x'.repeat(19_999)}\u{1f600}`]), none, async () => null);
    expect(got.text).toBe(`${'x'.repeat(19_999)}...`);
    expect(got.text.isWellFormed()).toBe(true);
  });
});
