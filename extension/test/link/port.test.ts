import { describe, expect, it } from 'vitest';
import type { RawPort } from '../../src/browser/port';
import { deferred } from '../../src/async';
import { claimant, createLink, type Collaborator, type Connection, type Frame } from '../../src/link/port';
import { settle, testClock } from '../util';

interface FakePort extends RawPort {
  posted: unknown[];
  disconnected: boolean;
  refuses: boolean;
  say(frame: unknown): void;
  lose(reason: string | null): void;
}

function fakePort(): FakePort {
  let onFrame = (_: unknown): void => undefined;
  let onLost = (_: string | null): void => undefined;
  const port: FakePort = {
    posted: [],
    disconnected: false,
    refuses: false,
    post: (frame) => {
      if (port.refuses) throw new Error('Attempting to use a disconnected port object');
      port.posted.push(frame);
    },
    disconnect: () => {
      port.disconnected = true;
    },
    onFrame: (listener) => {
      onFrame = listener;
    },
    onLost: (listener) => {
      onLost = listener;
    },
    say: (frame) => onFrame(frame),
    lose: (reason) => onLost(reason),
  };
  return port;
}

function setUp(collaborators: Collaborator[] = []) {
  const clock = testClock();
  const ports: FakePort[] = [];
  const seen = { requests: [] as Frame[], cancels: [] as Frame[], lost: [] as Connection[], log: [] as string[] };
  let failConnect: string | null = null;
  const link = createLink({
    connect: () => {
      if (failConnect !== null) throw new Error(failConnect);
      const port = fakePort();
      ports.push(port);
      return port;
    },
    clock,
    collaborators,
    hello: () => ({ type: 'hello' }),
    onRequest: (frame) => seen.requests.push(frame),
    onCancel: (frame) => seen.cancels.push(frame),
    onLost: (connection) => seen.lost.push(connection),
    log: (m) => seen.log.push(m),
  });
  return { clock, link, ports, seen, failConnect: (why: string | null) => (failConnect = why) };
}

function collaborator(name: string, tags: string[]): Collaborator & { events: string[]; frames: Frame[] } {
  const self = {
    name,
    tags,
    events: [] as string[],
    frames: [] as Frame[],
    onAttach: (c: Connection) => void self.events.push(`attach ${c.generation}`),
    onDetach: (c: Connection) => void self.events.push(`detach ${c.generation}`),
    onFrame: (frame: Frame): void | Promise<void> => void self.frames.push(frame),
  };
  return self;
}

describe('the port', () => {
  it('says hello first, once on every port', () => {
    const greeter = collaborator('g', []);
    greeter.onAttach = (c) => void c.post({ type: 'kill_engage' });
    const { link, ports } = setUp([greeter]);
    link.connect();
    expect(ports[0]?.posted).toEqual([{ type: 'hello' }, { type: 'kill_engage' }]);
    link.connect();
    expect(ports[1]?.posted[0]).toEqual({ type: 'hello' });
  });

  it('tears the old link down before the new one opens', () => {
    const c = collaborator('c', []);
    const { link, ports, seen } = setUp([c]);
    link.connect();
    const first = link.current();
    link.connect();
    expect(ports[0]?.disconnected).toBe(true);
    expect(first?.live()).toBe(false);
    expect(first?.post({})).toBe(false);
    expect(seen.lost).toEqual([first]);
    expect(c.events).toEqual(['attach 1', 'detach 1', 'attach 2']);
  });

  it('drops frames of a replaced port, and lets it take nothing down', () => {
    const { link, ports, seen, clock } = setUp();
    link.connect();
    link.connect();
    ports[0]?.say({ id: 1, op: 'tab_list' });
    ports[0]?.lose('gone');
    expect(seen.requests).toEqual([]);
    expect(link.current()?.generation).toBe(2);
    expect(clock.armed()).toBe(0);
  });

  it('knows whether a server was heard through it', () => {
    const { link, ports } = setUp();
    link.connect();
    ports[0]?.say({ type: 'policy_current' });
    expect(link.served()).toBe(false);
    ports[0]?.say({ id: 1, op: 'tab_list' });
    expect(link.served()).toBe(true);
    ports[0]?.lose('gone');
    expect(link.served()).toBe(false);
    link.connect();
    expect(link.served()).toBe(false);
  });

  it('redials after 2,000, every time the same', async () => {
    const { link, ports, clock } = setUp();
    link.connect();
    for (let i = 1; i <= 4; i++) {
      ports.at(-1)?.lose('Native host has exited.');
      expect(link.current()).toBeNull();
      expect(link.lastError()).toBe('Native host has exited.');
      await clock.advance(1_999);
      expect(ports).toHaveLength(i);
      await clock.advance(1);
      expect(ports).toHaveLength(i + 1);
      expect(link.lastError()).toBeNull();
    }
  });

  it('leaves nothing half alive when connecting throws, and dials again', async () => {
    const c = collaborator('c', []);
    const { link, ports, clock, failConnect } = setUp([c]);
    failConnect('no such host');
    link.connect();
    expect(link.current()).toBeNull();
    expect(link.lastError()).toBe('no such host');
    expect(c.events).toEqual([]);
    failConnect(null);
    await clock.advance(2_000);
    expect(ports).toHaveLength(1);
    expect(c.events).toEqual(['attach 2']);
  });

  it('is woken by the alarm only where nothing is there and nothing is due', async () => {
    const { link, ports, clock } = setUp();
    link.wake();
    link.wake();
    expect(ports).toHaveLength(1);
    ports[0]?.lose(null);
    link.wake();
    expect(ports).toHaveLength(1);
    await clock.advance(2_000);
    expect(ports).toHaveLength(2);
  });

  it('replaces a redial that is due', async () => {
    const { link, ports, clock } = setUp();
    link.connect();
    ports[0]?.lose(null);
    link.connect();
    await clock.advance(5_000);
    expect(ports).toHaveLength(2);
  });

  it('tells a post that fails from one that went out', () => {
    const { link, ports } = setUp();
    link.connect();
    const port = ports[0] as FakePort;
    expect(link.current()?.post({ a: 1 })).toBe(true);
    port.refuses = true;
    expect(link.current()?.post({ a: 2 })).toBe(false);
  });
});

describe('routing', () => {
  it('sends requests, cancels and control frames their ways and drops the rest', async () => {
    const kill = collaborator('kill', ['kill_status_result']);
    const { link, ports, seen } = setUp([kill]);
    link.connect();
    const port = ports[0] as FakePort;
    for (const frame of [
      { id: 1, op: 'tab_list', args: {} },
      { type: 'cancel', id: 1 },
      { type: 'kill_status_result', ok: true, killed: false },
      { type: 'kill_status_result', op: 'tab_list', id: 9 },
      { type: 'unheard_of' },
      { type: 7 },
      'text',
      null,
      [],
    ])
      port.say(frame);
    await settle();
    expect(seen.requests.map((f) => f.id)).toEqual([1, 9]);
    expect(seen.cancels).toEqual([{ type: 'cancel', id: 1 }]);
    expect(kill.frames).toEqual([{ type: 'kill_status_result', ok: true, killed: false }]);
  });

  it('keeps arrival order for a slow collaborator, and holds up no other', async () => {
    const slow = collaborator('slow', ['a']);
    const gate = deferred<void>();
    slow.onFrame = async (frame) => {
      if (frame.n === 1) await gate.promise;
      slow.frames.push(frame);
    };
    const quick = collaborator('quick', ['b']);
    const { link, ports } = setUp([slow, quick]);
    link.connect();
    ports[0]?.say({ type: 'a', n: 1 });
    ports[0]?.say({ type: 'a', n: 2 });
    ports[0]?.say({ type: 'b', n: 3 });
    await settle();
    expect(quick.frames).toHaveLength(1);
    expect(slow.frames).toEqual([]);
    gate.resolve();
    await settle();
    expect(slow.frames.map((f) => f.n)).toEqual([1, 2]);
  });

  it('gives up a host that sends more than can be heeded, and dials again', async () => {
    const slow = collaborator('slow', ['a']);
    const gate = deferred<void>();
    slow.onFrame = async (frame) => {
      slow.frames.push(frame);
      await gate.promise;
    };
    const { link, ports, clock, seen } = setUp([slow]);
    link.connect();
    for (let n = 0; n <= 64; n++) ports[0]?.say({ type: 'a', n });
    await settle();
    expect(link.current()).not.toBeNull();
    ports[0]?.say({ type: 'a', n: 65 });
    expect(link.current()).toBeNull();
    expect([ports[0]?.disconnected, seen.lost.length, link.lastError()]).toEqual([true, 1, 'the native host sent more than can be heeded']);
    for (let n = 0; n < 1000; n++) ports[0]?.say({ type: 'a', n });
    gate.resolve();
    await settle();
    expect(slow.frames.map((f) => f.n)).toEqual([0]);
    await clock.advance(2_000);
    expect(link.current()).not.toBeNull();
    ports[1]?.say({ type: 'a', n: 'anew' });
    await settle();
    expect(slow.frames.at(-1)).toMatchObject({ n: 'anew' });
  });

  it('takes any number from a host that waits for its answers', async () => {
    const slow = collaborator('slow', ['a']);
    slow.onFrame = async (frame) => void slow.frames.push(frame);
    const { link, ports } = setUp([slow]);
    link.connect();
    for (let n = 0; n < 200; n++) {
      ports[0]?.say({ type: 'a', n });
      await settle();
    }
    expect(slow.frames).toHaveLength(200);
    expect(link.current()).not.toBeNull();
  });

  it('hands over no frame of a connection that is gone meanwhile', async () => {
    const slow = collaborator('slow', ['a']);
    const gate = deferred<void>();
    slow.onFrame = async (frame) => {
      slow.frames.push(frame);
      await gate.promise;
    };
    const { link, ports } = setUp([slow]);
    link.connect();
    ports[0]?.say({ type: 'a', n: 1 });
    ports[0]?.say({ type: 'a', n: 2 });
    await settle();
    link.connect();
    gate.resolve();
    await settle();
    expect(slow.frames.map((f) => f.n)).toEqual([1]);
  });

  it('hands over what the host said last, although the port ends in the same turn', () => {
    const quick = collaborator('quick', ['a', 'b']);
    const { link, ports } = setUp([quick]);
    link.connect();
    ports[0]?.say({ type: 'a' });
    ports[0]?.say({ type: 'b' });
    ports[0]?.lose('Native host has exited.');
    ports[0]?.say({ type: 'a' });
    expect(quick.frames.map((f) => f.type)).toEqual(['a', 'b']);
    expect(link.current()).toBeNull();
  });

  it('survives a collaborator that throws, in every place', async () => {
    const bad: Collaborator = {
      name: 'bad',
      tags: ['a'],
      onAttach: () => { throw new Error('attach'); },
      onDetach: () => { throw new Error('detach'); },
      onFrame: () => { throw new Error('frame'); },
    };
    const good = collaborator('good', ['b']);
    const { link, ports } = setUp([bad, good]);
    link.connect();
    ports[0]?.say({ type: 'a' });
    ports[0]?.say({ type: 'b' });
    await settle();
    link.connect();
    expect(good.events).toEqual(['attach 1', 'detach 1', 'attach 2']);
    expect(good.frames).toHaveLength(1);
  });

  it('lets no collaborator claim a frame with op', () => {
    const c = collaborator('c', ['kill_status_result']);
    expect(claimant([c], { type: 'kill_status_result' })).toBe(c);
    expect(claimant([c], { type: 'kill_status_result', op: undefined })).toBeNull();
    expect(claimant([c], { type: { kill_status_result: null } })).toBeNull();
  });
});
