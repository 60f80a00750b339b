import { describe, expect, it } from 'vitest';
import { deferred, type Deferred } from '../../src/async';
import { heldPermissions, heldStore } from '../../src/gate/memory';

/** A store whose reads and writes can be held up. */
function slowStore(data: Record<string, unknown>) {
  const reads: string[][] = [];
  let gate: Deferred<void> | null = null;
  const browser = {
    data,
    async read(keys: readonly string[]) {
      reads.push([...keys]);
      // What is there when the browser looks, told when the browser gets to it.
      const seen = structuredClone(Object.fromEntries(keys.filter((k) => k in browser.data).map((k) => [k, browser.data[k]])));
      await gate?.promise;
      return seen;
    },
    async write(items: Record<string, unknown>) {
      await gate?.promise;
      Object.assign(browser.data, structuredClone(items));
    },
    async remove(keys: readonly string[]) {
      for (const key of keys) delete browser.data[key];
    },
  };
  const hold = () => {
    gate = deferred();
    const mine = gate;
    return () => {
      if (gate === mine) gate = null;
      mine.resolve();
    };
  };
  return { browser, reads, hold, held: heldStore(browser) };
}

describe('a held store', () => {
  it('asks the browser once for the same keys, absent ones included', async () => {
    const { reads, held } = slowStore({ a: 1 });
    expect(await held.read(['a', 'b'])).toEqual({ a: 1 });
    expect(await held.read(['a', 'b'])).toEqual({ a: 1 });
    expect(reads).toEqual([['a', 'b']]);
  });

  it('reads all keys of a question at once, so that records which are written together are never read apart', async () => {
    const { reads, held } = slowStore({ a: 1, b: 2 });
    await held.read(['a']);
    await held.read(['a', 'b']);
    expect(reads).toEqual([['a'], ['a', 'b']]);
  });

  it('forgets what it writes and removes, before and after', async () => {
    const { browser, held, reads, hold } = slowStore({ a: 1 });
    await held.read(['a']);
    const release = hold();
    const written = held.write({ a: 2 });
    // While the browser has it: what is read now is the browser's to say, and is not held.
    const during = held.read(['a']);
    release();
    expect(await during).toEqual({ a: 1 });
    await written;
    expect(await held.read(['a'])).toEqual({ a: 2 });
    await held.remove(['a']);
    expect(await held.read(['a'])).toEqual({});
    expect(browser.data).toEqual({});
    expect(reads).toHaveLength(4);
  });

  it('does not hold what changed while it was read', async () => {
    const { browser, held, hold } = slowStore({ a: 1 });
    const release = hold();
    const old = held.read(['a']);
    await Promise.resolve();
    browser.data.a = 2;
    held.changed();
    release();
    expect(await old).toEqual({ a: 1 });
    expect(await held.read(['a'])).toEqual({ a: 2 });
  });

  it('hears of what others change', async () => {
    const { browser, held } = slowStore({ a: 1, b: 1 });
    await held.read(['a', 'b']);
    browser.data = { a: 2, b: 2 };
    expect(await held.read(['a', 'b'])).toEqual({ a: 1, b: 1 });
    held.changed();
    expect(await held.read(['a', 'b'])).toEqual({ a: 2, b: 2 });
  });

  it('holds no failure', async () => {
    const { browser, held } = slowStore({ a: 1 });
    const { read } = browser;
    browser.read = () => Promise.reject(new Error('storage cannot be read'));
    await expect(held.read(['a'])).rejects.toThrow('cannot be read');
    browser.read = read;
    expect(await held.read(['a'])).toEqual({ a: 1 });
    browser.write = () => Promise.reject(new Error('full'));
    await expect(held.write({ a: 2 })).rejects.toThrow('full');
    browser.data.a = 3;
    expect(await held.read(['a'])).toEqual({ a: 3 });
  });

  it('gives all readers the same object, which none of them can change', async () => {
    const { held } = slowStore({ list: [{ n: 1 }] });
    const first = await held.read(['list']);
    expect(() => (first.list as { n: number }[]).push({ n: 2 })).toThrow(TypeError);
    expect(() => ((first.list as { n: number }[])[0]!.n = 9)).toThrow(TypeError);
    expect(() => (first.more = 1)).toThrow(TypeError);
    expect(await held.read(['list'])).toBe(first);
    held.changed();
    expect(await held.read(['list'])).not.toBe(first);
  });
});

describe('held permissions', () => {
  function setUp() {
    const granted = new Set<string>();
    const asked: string[] = [];
    let gate: Deferred<void> | null = null;
    const held = heldPermissions({
      async contains(pattern) {
        asked.push(pattern);
        const has = granted.has(pattern);
        await gate?.promise;
        return has;
      },
      remove: async (pattern) => granted.delete(pattern),
    });
    return { granted, asked, held, hold: () => ((gate = deferred()), () => gate?.resolve()) };
  }

  it('are looked up once while they last, and missing ones every time', async () => {
    const { granted, asked, held } = setUp();
    granted.add('https://a/*');
    expect([await held.contains('https://a/*'), await held.contains('https://a/*')]).toEqual([true, true]);
    expect([await held.contains('https://b/*'), await held.contains('https://b/*')]).toEqual([false, false]);
    expect(asked).toEqual(['https://a/*', 'https://b/*', 'https://b/*']);
    granted.add('https://b/*');
    expect(await held.contains('https://b/*')).toBe(true);
  });

  it('are gone with what the browser takes away, whichever it was', async () => {
    const { granted, held } = setUp();
    granted.add('https://a/*');
    await held.contains('https://a/*');
    granted.clear();
    held.changed();
    expect(await held.contains('https://a/*')).toBe(false);
  });

  it('are gone once removed', async () => {
    const { granted, held } = setUp();
    granted.add('https://a/*').add('<all_urls>');
    await held.contains('https://a/*');
    expect(await held.remove('https://a/*')).toBe(true);
    expect(await held.contains('https://a/*')).toBe(false);
  });

  it('are not held if they changed while they were looked up', async () => {
    const { granted, held, hold } = setUp();
    granted.add('https://a/*');
    const release = hold();
    const old = held.contains('https://a/*');
    await Promise.resolve();
    granted.clear();
    held.changed();
    release();
    expect(await old).toBe(true);
    expect(await held.contains('https://a/*')).toBe(false);
  });
});
