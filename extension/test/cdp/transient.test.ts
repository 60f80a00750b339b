import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/async';
import { Cancelled } from '../../src/errors';
import { createDebugger } from '../../src/cdp/transient';
import { outcome, refusal, settle } from '../util';

function setUp() {
  const log: string[] = [];
  const attached = new Set<number>();
  const gates = { attach: null as Promise<void> | null };
  const debug = createDebugger({
    attach: async (tab) => {
      log.push(`attach ${tab}`);
      if (gates.attach !== null) await gates.attach;
      if (attached.has(tab)) throw new Error('Another debugger is already attached to the tab with id: 1.');
      attached.add(tab);
    },
    detach: async (tab) => {
      log.push(`detach ${tab}`);
      attached.delete(tab);
    },
    command: async (_tab, method) => {
      log.push(method);
      return {};
    },
  });
  return { log, attached, gates, debug, signal: new AbortController().signal };
}
const fine = async (): Promise<void> => undefined;

describe('a transient attach', () => {
  it('attaches, works, detaches', async () => {
    const w = setUp();
    expect(await w.debug.during(1, w.signal, fine, async (command) => (await command('Page.x'), 7))).toBe(7);
    expect(w.log).toEqual(['attach 1', 'Page.x', 'detach 1']);
  });

  it('looks at the tab right before and right after, and detaches what it should not have', async () => {
    const w = setUp();
    expect(await refusal(w.debug.during(1, w.signal, async () => { throw new Error('ours'); }, fine))).toMatchObject({ message: 'ours' });
    expect(w.log).toEqual([]);
    let looks = 0;
    const second = async (): Promise<void> => {
      looks += 1;
      if (looks === 2) throw new Error('ours now');
    };
    expect(await refusal(w.debug.during(1, w.signal, second, async (c) => c('Page.x')))).toMatchObject({ message: 'ours now' });
    expect(w.log).toEqual(['attach 1', 'detach 1']);
  });

  it('detaches after work that fails', async () => {
    const w = setUp();
    await outcome(w.debug.during(1, w.signal, fine, async () => { throw new Error('broken'); }));
    expect(w.attached.size).toBe(0);
  });

  it('never attaches twice to one tab, and to two tabs at once', async () => {
    const w = setUp();
    const gate = deferred<void>();
    const first = w.debug.during(1, w.signal, fine, () => gate.promise);
    const second = w.debug.during(1, w.signal, fine, async () => 'second');
    const beside = w.debug.during(2, w.signal, fine, async () => 'beside');
    expect(await beside).toBe('beside');
    await settle();
    expect(w.log.filter((l) => l === 'attach 1')).toHaveLength(1);
    gate.resolve();
    await first;
    expect(await second).toBe('second');
    expect(w.attached.size).toBe(0);
  });

  it('cancelled while attaching detaches, and while waiting never attaches', async () => {
    const w = setUp();
    const gate = deferred<void>();
    w.gates.attach = gate.promise;
    const stop = new AbortController();
    const first = outcome(w.debug.during(1, stop.signal, fine, async () => 'never'));
    const second = outcome(w.debug.during(1, stop.signal, fine, async () => 'never'));
    await settle();
    stop.abort(new Cancelled());
    gate.resolve();
    expect(await first).toMatchObject({ error: expect.any(Cancelled) });
    expect(await second).toMatchObject({ error: expect.any(Cancelled) });
    expect(w.log).toEqual(['attach 1', 'detach 1']);
  });

  it('that is refused keeps the text and detaches nothing', async () => {
    const w = setUp();
    w.attached.add(1);
    expect(await refusal(w.debug.during(1, w.signal, fine, fine))).toMatchObject({
      code: 'UNSUPPORTED_PAGE',
      message: expect.stringContaining('Another debugger'),
    });
    expect(w.log).toEqual(['attach 1']);
  });
});
