// The tools that need a debugger session, on a browser on paper: what they send and what comes of it.
import { describe, expect, it } from 'vitest';
import { limitOf, lineOf } from '../../src/ops/console';
import { active, pageHalf, world, type World } from './world';
import { settle } from '../util';

const WHERE = { origin: 'https://a.example', url: 'https://a.example/', title: 'Shop "A"' };
const value = (v: unknown) => ({ result: { value: v } });

async function ready(policy: Parameters<typeof active>[0] = {}): Promise<World> {
  const w = world(await active({ cdpMode: true, handleDialogEnabled: true, warnPreciseSnapshot: false, ...policy }));
  w.allow('https://a.example');
  w.addTab({ url: 'https://a.example/', title: 'Shop' });
  return w;
}
/** Waits until something holds; the crypto of the platform takes turns of its own. */
async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 200 && !holds(); i++) await settle();
  expect(holds()).toBe(true);
}

describe('gate 7', () => {
  it.each(['page_snapshot_precise', 'console_get'])('%s needs cdpMode', async (op) => {
    const w = await ready({ cdpMode: false });
    expect(await w.call(op)).toMatchObject({ code: 'TOOL_DISABLED', error: expect.stringContaining('cdpMode') });
    expect(w.debugger.log).toEqual([]);
  });

  it('page_handle_dialog needs a grant of its own', async () => {
    const w = await ready({ handleDialogEnabled: false });
    expect(await w.call('page_handle_dialog', { action: 'accept' })).toMatchObject({ code: 'TOOL_DISABLED', error: expect.stringContaining('handleDialogEnabled') });
  });
});

describe('the notice', () => {
  const console_get = async (w: World, answer: unknown) => {
    w.pages.set(1, pageHalf({ _info_toast: answer }));
    return w.call('console_get');
  };

  it('is shown before the attach, is reported as waiting, and can be cancelled', async () => {
    const w = await ready({ warnPreciseSnapshot: true });
    expect(await console_get(w, { cancelled: true })).toMatchObject({ code: 'USER_DENIED' });
    expect(w.debugger.log).toEqual([]);
    expect(w.connection.posted).toContainEqual({ type: 'waiting', id: 1 });
  });

  it('that is not cancelled goes ahead', async () => {
    const w = await ready({ warnPreciseSnapshot: true });
    expect(await console_get(w, { cancelled: false })).toMatchObject({ ok: true });
    expect(w.debugger.log[0]).toBe('attach 1');
  });

  it('of a page that does not answer goes ahead after 8,000', async () => {
    const w = await ready({ warnPreciseSnapshot: true });
    w.pages.set(1, pageHalf({ _info_toast: () => new Promise(() => undefined) }));
    const id = w.request('console_get');
    await until(() => w.connection.posted.length > 0);
    await w.clock.advance(7999);
    expect(w.debugger.log).toEqual([]);
    await w.clock.advance(1);
    expect(w.debugger.log[0]).toBe('attach 1');
    await w.clock.advance(400);
    expect(w.answerOf(id)).toMatchObject({ ok: true });
  });

  it('is not due with a session, and not where the policy waives it', async () => {
    const w = await ready({ warnPreciseSnapshot: true });
    const page = pageHalf({ _info_toast: { cancelled: true } });
    w.pages.set(1, page);
    const allowed = { signal: new AbortController().signal, allowed: async () => undefined };
    await w.sessions.keep(1, allowed, async () => undefined);
    expect(await w.call('console_get')).toMatchObject({ ok: true });
    expect(page.heard).toEqual([]);
    const other = await ready({ warnPreciseSnapshot: false });
    expect(await other.call('console_get')).toMatchObject({ ok: true });
  });
});

describe('console_get', () => {
  const context = (id: number, origin: string, isDefault = true) =>
    ['Runtime.executionContextCreated', { context: { id, origin, name: '', auxData: { isDefault } } }] as const;
  const said = (text: string, at: number, id = 1, type = 'log') =>
    ['Runtime.consoleAPICalled', { type, args: [{ type: 'string', value: text }], executionContextId: id, timestamp: at, stackTrace: { callFrames: [{ url: 'https://a.example/app.js' }] } }] as const;

  const replay = (w: World, events: readonly (readonly [string, unknown])[]) => {
    w.debugger.answers['Runtime.enable'] = () => {
      for (const [method, params] of events) w.sessions.onEvent(1, method, params as Record<string, unknown>);
      return {};
    };
  };

  it('gives what the browser replays within 400, in the order of time', async () => {
    const w = await ready();
    replay(w, [context(1, 'https://a.example'), said('second', 2), said('first', 1, 1, 'warning')]);
    expect(await w.call('console_get')).toEqual({
      id: 1,
      ok: true,
      data: {
        count: 2,
        entries: [
          { level: 'warning', text: 'first', source: 'console-api', url: 'https://a.example/app.js' },
          { level: 'log', text: 'second', source: 'console-api', url: 'https://a.example/app.js' },
        ],
        truncated: false,
        url: 'https://a.example/',
      },
    });
    expect(w.debugger.log).toEqual(['attach 1', 'Runtime.enable', 'Log.enable', 'Runtime.disable', 'Log.disable', 'detach 1']);
  });

  it('masks texts and addresses', async () => {
    const w = await ready();
    w.tabs.get(1)!.url = 'https://a.example/?token=abcdefgh12345';
    replay(w, [context(1, 'https://a.example'), said('login token=supersecretvalue', 1)]);
    const data = (await w.call('console_get')).data as { entries: { text: string }[]; url: string };
    expect(data.entries[0]!.text).toBe('login \u2022\u2022\u2022\u2022[redacted]');
    expect(data.url).not.toContain('abcdefgh12345');
  });

  it('keeps the newest of many, and says so', async () => {
    const w = await ready();
    replay(w, [context(1, 'https://a.example'), ...[1, 2, 3].map((n) => said(`n${n}`, n))]);
    expect(await w.call('console_get', { limit: 2 })).toMatchObject({ data: { count: 2, entries: [{ text: 'n2' }, { text: 'n3' }], truncated: true } });
    expect(await w.call('console_get', { limit: 3 })).toMatchObject({ data: { count: 3, truncated: false } });
  });

  it('clamps limit', () => {
    expect([undefined, 0, -5, 1, 1000, 1001].map((limit) => limitOf({ limit }))).toEqual([100, 100, 100, 1, 1000, 1000]);
  });

  it('leaves out other extensions, frames of other sites, and contexts that are gone', async () => {
    const w = await ready();
    w.allow('https://ok.example');
    replay(w, [
      context(1, 'https://a.example'),
      context(2, 'https://b.example'),
      context(3, 'https://ok.example'),
      context(4, 'chrome-extension://other', false),
      ...[1, 2, 3, 4, 5].map((id) => said(`of ${id}`, id, id)),
    ]);
    expect(((await w.call('console_get')).data as { entries: { text: string }[] }).entries.map((e) => e.text)).toEqual(['of 1', 'of 3']);
  });

  describe('of what the browser itself says', () => {
    const added = (text: string, url?: string) =>
      ['Log.entryAdded', { entry: { source: 'network', level: 'error', text, timestamp: 1, ...(url === undefined ? {} : { url }) } }] as const;
    const notes = [
      added('own', 'https://a.example/x.png'),
      added('elsewhere', 'https://cdn.example/x.js'),
      added('allowed', 'https://ok.example/x.png'),
      added('nowhere'),
      added('odd', 'data:x'),
      ['Runtime.exceptionThrown', { timestamp: 2, exceptionDetails: { text: 'thrown', url: 'https://b.example/s.js' } }] as const,
    ];
    const texts = async (...origins: string[]) => {
      const w = await ready();
      w.allow('https://ok.example');
      replay(w, [...origins.map((origin, i) => context(i + 1, origin)), ...notes]);
      return ((await w.call('console_get')).data as { entries: { text: string }[] }).entries.map((e) => e.text);
    };

    it('gives all where every frame is of an approved site', async () => {
      expect(await texts('https://a.example', 'https://ok.example')).toEqual(['own', 'elsewhere', 'allowed', 'nowhere', 'odd', 'thrown']);
    });

    // The frame that asked for it may be gone, and the browser still holds the line.
    it('carries no address of a site that nobody approved', async () => {
      const w = await ready();
      replay(w, [
        context(1, 'https://a.example'),
        added('own', 'https://a.example/x.png'),
        added('elsewhere', 'https://cdn.example/account-4711.png'),
        added('see https://cdn.example/account-4711.png', 'https://cdn.example/account-4711.png'),
        added('see https://cdn.example/account-4711.png'),
        added('see https://cdn.example/', 'https://a.example/'),
      ]);
      expect(((await w.call('console_get')).data as { entries: { text: string; url?: string }[] }).entries.map((e) => [e.text, e.url])).toEqual([
        ['own', 'https://a.example/x.png'],
        ['elsewhere', undefined],
        ['see https://cdn.example/', 'https://a.example/'],
      ]);
    });

    it.each(['https://b.example', 'null', '://', ''])('gives only what is about an approved site where a frame is of %j', async (origin) => {
      expect(await texts('https://a.example', origin)).toEqual(['own', 'allowed']);
    });
  });

  it('in a session that stays has the browser replay anew, and disables nothing afterwards', async () => {
    const w = await ready();
    await w.sessions.keep(1, { signal: new AbortController().signal, allowed: async () => undefined }, async () => undefined);
    w.debugger.log.length = 0;
    await w.call('console_get');
    expect(w.debugger.log).toEqual(['Runtime.disable', 'Log.disable', 'Runtime.enable', 'Log.enable']);
  });

  it('gives nothing of a tab that went elsewhere meanwhile', async () => {
    const w = await ready();
    w.debugger.answers['Log.enable'] = () => {
      w.tabs.get(1)!.url = 'https://evil.example/';
      return {};
    };
    expect(await w.call('console_get')).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('another site') });
    expect(w.debugger.attached).toEqual([]);
  });

  it('ends when the policy takes the mode away, and detaches', async () => {
    const w = await ready();
    w.debugger.answers['Log.enable'] = () => new Promise(() => undefined);
    const id = w.request('console_get');
    await until(() => w.debugger.log.includes('Log.enable'));
    w.store.data.bridgePolicyState = (await active()).bridgePolicyState;
    await w.sessions.policyChanged();
    await settle();
    expect(w.answerOf(id)).toMatchObject({ code: 'TOOL_DISABLED' });
    expect(w.debugger.attached).toEqual([]);
  });

  it('of a page that never answers ends after its time, and detaches', async () => {
    const w = await ready();
    w.debugger.answers['Runtime.enable'] = () => new Promise(() => undefined);
    expect(await w.call('console_get')).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('dialog') });
    expect(w.debugger.attached).toEqual([]);
  });

  it.each([
    ['Runtime.consoleAPICalled', { type: 'log', args: [{ type: 'number', value: 7 }, { type: 'object', description: 'Object' }, { type: 'undefined' }, { type: 'object', value: null }, { type: 'bigint', unserializableValue: '9n' }], executionContextId: 1, timestamp: 1 }, '7 Object undefined null 9n'],
    ['Runtime.exceptionThrown', { timestamp: 1, exceptionDetails: { text: 'Uncaught', exception: { type: 'object', description: 'TypeError: x is no function\n    at f' } } }, 'Uncaught TypeError: x is no function'],
    ['Runtime.exceptionThrown', { timestamp: 1, exceptionDetails: { text: 'SyntaxError: bad' } }, 'SyntaxError: bad'],
    ['Log.entryAdded', { entry: { source: 'network', level: 'error', text: 'Failed to load', timestamp: 1, url: 'https://a/x' } }, 'Failed to load'],
  ])('%s %#', (method, params, text) => {
    expect(lineOf(method, params as Record<string, unknown>)?.text).toBe(text);
  });

  it('takes no other event for a line', () => {
    expect(lineOf('Page.loadEventFired', {})).toBe(null);
    expect(lineOf('Log.entryAdded', { entry: {} })).toBe(null);
  });
});

describe('page_snapshot_precise', () => {
  const ax = (nodeId: string, role: string, name: string, more: object = {}) => ({ nodeId, ignored: false, role: { value: role }, name: { value: name }, backendDOMNodeId: Number(nodeId), ...more });
  const facts = (ref: number | null, more: object = {}) => ({ ref, tag: 'button', value: '', hidden: false, options: null, origin: '', ...more });
  /** The page gives back the names that it was given. */
  const named = (stamped: object[]) => (p: { arguments: { value: unknown }[] }) =>
    value(stamped.map((one, i) => ({ ...one, name: (p.arguments[3]!.value as string[])[i] })));

  /** Where the document is, and what it holds before the tree is read. */
  const evaluated = (where: object) => (p: { returnByValue?: boolean }) => (p.returnByValue === true ? value(where) : { result: { objectId: 'held' } });

  /** Documents as nodes: what they are called, where they hang, and the kind of tree that they are in. */
  const shadows = (of: Record<string, [name: string, parent: number, kind?: string][]>) => {
    const strings: string[] = [];
    const text = (said: string) => (strings.includes(said) ? strings.indexOf(said) : strings.push(said) - 1);
    const documents = Object.entries(of).map(([id, nodes]) => {
      const inTrees = nodes.flatMap(([, , kind], i) => (kind === undefined ? [] : [[i, text(kind)] as const]));
      return {
        frameId: text(id),
        nodes: {
          shadowRootType: { index: inTrees.map(([i]) => i), value: inTrees.map(([, kind]) => kind) },
          parentIndex: nodes.map(([, parent]) => parent),
          nodeName: nodes.map(([name]) => text(name)),
          backendNodeId: nodes.map((_, i) => 70 + i),
        },
      };
    });
    return { strings, documents };
  };

  function page(w: World, nodes: unknown[], stamped: object[], more: Record<string, unknown> = {}) {
    const { 'Runtime.callFunctionOn': stamps = named(stamped), ...others } = more;
    Object.assign(w.debugger.answers, {
      'Page.getFrameTree': { frameTree: { frame: { id: 'TOP', loaderId: 'L1' }, childFrames: [{ frame: { id: 'CHILD', loaderId: 'L2' } }] } },
      'Page.createIsolatedWorld': { executionContextId: 3 },
      'Runtime.evaluate': evaluated(WHERE),
      'Accessibility.getFullAXTree': { nodes },
      'DOM.resolveNode': (p: { backendNodeId: number }) => ({ object: { objectId: `o${p.backendNodeId}` } }),
      'DOMSnapshot.captureSnapshot': shadows({ TOP: [] , CHILD: [] }),
      'Runtime.callFunctionOn': (p: { functionDeclaration: string }) => (p.functionDeclaration.includes('this.watch') ? { result: {} } : (stamps as (q: unknown) => unknown)(p)),
      'DOM.describeNode': { node: { frameId: 'F9' } },
      ...others,
    });
  }

  it('is an outline in the form of the other, from the tree', async () => {
    const w = await ready();
    page(
      w,
      [
        ax('1', 'RootWebArea', 'Shop', { childIds: ['2', '3', '6', '7'] }),
        ax('2', 'button', 'Pay "now"', { parentId: '1', properties: [{ name: 'focused', value: { value: true } }, { name: 'disabled', value: { value: true } }] }),
        ax('3', 'navigation', 'Main', { parentId: '1', childIds: ['4'] }),
        ax('4', 'treeitem', 'Menu', { parentId: '3', childIds: ['5'], properties: [{ name: 'expanded', value: { value: false } }] }),
        ax('5', 'link', 'Home', { parentId: '4' }),
        ax('6', 'Iframe', '', { parentId: '1' }),
        ax('7', 'textbox', 'Password', { parentId: '1' }),
      ],
      [facts(1), facts(2, { tag: 'li' }), facts(null, { tag: 'a' }), facts(3, { tag: 'iframe', origin: 'https://pay.example' }), facts(4, { tag: 'input', value: '*', hidden: true })],
    );
    expect(await w.call('page_snapshot_precise')).toEqual({
      id: 1,
      ok: true,
      data: {
        text: [
          'url: https://a.example/',
          'title: "Shop \\"A\\""',
          'button "Pay \\"now\\"" [ref=p1] [disabled] [focused]',
          'treeitem "Menu" [ref=p2] [collapsed]',
          '  link "Home"',
          'iframe [ref=p3] [frame=F9] origin="https://pay.example"',
          'textbox "Password" [ref=p4] value="\u2022\u2022\u2022\u2022\u2022\u2022"',
        ].join('\n'),
        refCount: 4,
        truncated: false,
      },
    });
    expect(w.debugger.log.at(-1)).toBe('detach 1');
  });

  it('looks at the page before and after the tree, closed roots and what vanished included', async () => {
    const w = await ready();
    const asked: unknown[] = [];
    const nodes = [
      ax('1', 'RootWebArea', '', { childIds: ['2', '3', '4'] }),
      ax('2', 'button', 'Go 7654', { parentId: '1' }),
      ax('3', 'spinbutton', 'Code', { parentId: '1', value: { value: 7654 } }),
      ax('4', 'textbox', 'Gone', { parentId: '1', value: { value: '31' } }),
    ];
    page(w, nodes, [], {
      'DOM.resolveNode': (p: { backendNodeId: number }) => (p.backendNodeId === 4 ? Promise.reject(new Error('No node')) : { object: { objectId: `o${p.backendNodeId}` } }),
      'DOMSnapshot.captureSnapshot': shadows({ CHILD: [['P', -1, 'closed']], TOP: [['DIV', -1], ['B', 0, 'closed'], ['I', 1, 'closed'], ['X-A', 0, 'closed'], ['U', 3, 'closed'], ['B', 0, 'open']] }),
      'Runtime.callFunctionOn': (p: { objectId: string; functionDeclaration: string; arguments: unknown[] }) => {
        asked.push(p.objectId, ...p.arguments.slice(3));
        return value([facts(1, { name: 'Go' }), null]);
      },
    });
    expect(await w.call('page_snapshot_precise')).toMatchObject({ data: { text: expect.stringMatching(/\nbutton "Go" \[ref=p1\]$/), refCount: 1 } });
    expect(asked).toEqual(['held', { value: ['Go 7654', 'Code'] }, { value: ['', '7654'] }, { value: ['31'] }, { value: 6 }, ...['o71', 'o73', 'o74', 'o71', 'o73', 'o74', 'o2', 'o3'].map((objectId) => ({ objectId }))]);
    const told = w.debugger.log.filter((said) => /AXTree|captureSnapshot|callFunctionOn|release/.test(said));
    expect(told).toEqual(['DOMSnapshot.captureSnapshot', 'Runtime.callFunctionOn', 'Accessibility.getFullAXTree', 'DOMSnapshot.captureSnapshot', 'Runtime.callFunctionOn', 'Runtime.releaseObjectGroup']);
  });

  it('gives nothing out where the browser does not tell of the roots of the document', async () => {
    const w = await ready();
    page(w, [ax('1', 'RootWebArea', '', { childIds: ['2'] }), ax('2', 'button', 'b', { parentId: '1' })], [facts(1)], { 'DOMSnapshot.captureSnapshot': shadows({ CHILD: [] }) });
    expect(await w.call('page_snapshot_precise')).toMatchObject({ code: 'EXECUTION_FAILED' });
  });

  it('leaves out ignored nodes, nodes without an element, native options, and what vanished', async () => {
    const w = await ready();
    page(
      w,
      [
        ax('1', 'RootWebArea', '', { childIds: ['2', '3', '4', '5', '6'] }),
        ax('2', 'button', 'ignored', { ignored: true, parentId: '1' }),
        ax('3', 'button', 'of no element', { backendDOMNodeId: undefined, parentId: '1' }),
        ax('4', 'combobox', 'Plan', { parentId: '1' }),
        ax('5', 'option', 'Small', { parentId: '1' }),
        ax('6', 'button', 'gone', { parentId: '1' }),
      ],
      [facts(1, { tag: 'select', value: 'Small', options: { labels: ['Small', 'L"arge'], rest: 3 } }), facts(2, { tag: 'option' })],
      { 'DOM.resolveNode': (p: { backendNodeId: number }) => (p.backendNodeId === 6 ? Promise.reject(new Error('No node')) : { object: { objectId: 'o' } }) },
    );
    const { text } = (await w.call('page_snapshot_precise')).data as { text: string };
    expect(text.split('\n').slice(2)).toEqual(['combobox "Plan" [ref=p1] value="Small" options=["Small","L\\"arge"] +3']);
  });

  it('says so where there is nothing', async () => {
    const w = await ready();
    page(w, [ax('1', 'RootWebArea', '')], []);
    expect(await w.call('page_snapshot_precise')).toMatchObject({ data: { text: expect.stringMatching(/\nnote: no interactive elements$/), refCount: 0 } });
  });

  it.each([[1999, false], [2000, false], [2001, true]])('of %i elements', async (many, truncated) => {
    const w = await ready();
    const ids = Array.from({ length: many }, (_, i) => String(i + 2));
    page(w, [ax('1', 'RootWebArea', '', { childIds: ids }), ...ids.map((id) => ax(id, 'button', `b${id}`, { parentId: '1' }))], ids.map((_, i) => facts(i + 1)));
    const data = (await w.call('page_snapshot_precise')).data as { text: string; refCount: number; truncated: boolean };
    expect([data.truncated, data.refCount]).toEqual([truncated, Math.min(many, 2000)]);
    if (truncated) expect(data.text.split('\n').at(-1)).toBe('note: 2000 of 2001 elements shown; page_snapshot with selector shows one part');
  });

  it('names the argument that it has where a frame could be read', async () => {
    const w = await ready();
    const ids = Array.from({ length: 2001 }, (_, i) => String(i + 2));
    const nodes = [ax('1', 'RootWebArea', '', { childIds: ids }), ...ids.map((id, i) => ax(id, i === 0 ? 'Iframe' : 'button', `b${id}`, { parentId: '1' }))];
    page(w, nodes, ids.map((_, i) => facts(i + 1)), { 'DOM.describeNode': () => ({ node: { frameId: 'F1' } }) });
    const data = (await w.call('page_snapshot_precise')).data as { text: string };
    expect(data.text.split('\n').at(-1)).toBe('note: 2000 of 2001 elements shown; pass frameId for the document of one frame');
  });

  it('gives numbers above all that it gave in this document, and begins anew in the next', async () => {
    const w = await ready();
    const asked: unknown[] = [];
    page(w, [ax('1', 'RootWebArea', '', { childIds: ['2'] }), ax('2', 'button', 'b', { parentId: '1' })], [], {
      'Runtime.callFunctionOn': (p: { arguments: { value: unknown }[] }) => {
        asked.push(p.arguments[1]!.value);
        return named([facts(7)])(p);
      },
    });
    await w.call('page_snapshot_precise');
    await w.call('page_snapshot_precise');
    w.debugger.answers['Page.getFrameTree'] = { frameTree: { frame: { id: 'TOP', loaderId: 'L9' } } };
    await w.call('page_snapshot_precise');
    expect(asked).toEqual([0, 7, 0]);
  });

  it('reads a frame of the same process whose site is approved, without refs', async () => {
    const w = await ready();
    const acting: unknown[] = [];
    page(w, [ax('1', 'RootWebArea', '', { childIds: ['2'] }), ax('2', 'button', 'Chat', { parentId: '1' })], [], {
      'Runtime.evaluate': evaluated({ ...WHERE, origin: 'https://chat.example', url: 'https://chat.example/' }),
      'Runtime.callFunctionOn': (p: { arguments: { value: unknown }[] }) => (acting.push(p.arguments[2]!.value), named([facts(null)])(p)),
    });
    expect(await w.call('page_snapshot_precise', { frameId: 'CHILD' })).toMatchObject({ code: 'SITE_NOT_ALLOWED' });
    expect(w.debugger.log).not.toContain('Accessibility.getFullAXTree');
    w.allow('https://chat.example');
    expect(await w.call('page_snapshot_precise', { frameId: 'CHILD' })).toMatchObject({ data: { text: expect.stringContaining('button "Chat"'), refCount: 0 } });
    expect(acting).toEqual([false]);
  });

  it('refuses a frame of another process, saying so', async () => {
    const w = await ready();
    page(w, [], []);
    expect(await w.call('page_snapshot_precise', { frameId: 'ELSEWHERE' })).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('cross-origin frames cannot be read') });
  });

  it('gives nothing of a document of another origin', async () => {
    const w = await ready();
    page(w, [], [], { 'Runtime.evaluate': value({ ...WHERE, origin: 'https://evil.example' }) });
    expect(await w.call('page_snapshot_precise')).toMatchObject({ code: 'EXECUTION_FAILED' });
    expect(w.debugger.log).not.toContain('Accessibility.getFullAXTree');
  });
});

describe('an open dialog', () => {
  const opening = { type: 'confirm', message: 'Leave? token=supersecret99' };
  const kept = async () => {
    const w = await ready();
    await w.sessions.keep(1, { signal: new AbortController().signal, allowed: async () => undefined }, async () => undefined);
    return w;
  };

  it('fails every other call on its tab at once, quoting it masked and naming the tool', async () => {
    const w = await kept();
    w.addTab({ id: 2, url: 'https://a.example/' });
    w.pages.set(2, pageHalf({ page_scroll: { scrollX: 0, scrollY: 1 } }));
    w.sessions.onEvent(1, 'Page.javascriptDialogOpening', opening);
    for (const [op, args] of [['page_scroll', { direction: 'up' }], ['tab_focus', { tabId: 1 }], ['page_reload', {}], ['page_screenshot', {}]] as const)
      expect(await w.call(op, { tabId: 1, ...args })).toMatchObject({
        code: 'EXECUTION_FAILED',
        error: expect.stringMatching(/confirm dialog, "Leave\? \u2022\u2022\u2022\u2022\[redacted\]".*page_handle_dialog/),
      });
    expect(await w.call('page_scroll', { tabId: 2, direction: 'up' })).toMatchObject({ ok: true });
  });

  it('fails the call that runs and those that wait', async () => {
    const w = await kept();
    w.pages.set(1, pageHalf({ page_text: () => new Promise(() => undefined) }));
    const running = w.request('page_text', { tabId: 1 });
    const queued = w.request('page_text', { tabId: 1 });
    await until(() => w.pages.size > 0);
    await settle();
    w.sessions.onEvent(1, 'Page.javascriptDialogOpening', opening);
    await until(() => w.answerOf(queued) !== undefined);
    for (const id of [running, queued]) expect(w.answerOf(id)).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('page_handle_dialog') });
  });

  it('is answered past the queue', async () => {
    const w = await kept();
    const sent: unknown[] = [];
    w.debugger.answers['Page.handleJavaScriptDialog'] = (p: unknown) => (sent.push(p), {});
    expect(await w.call('page_handle_dialog', { action: 'accept' })).toMatchObject({ code: 'EXECUTION_FAILED' });
    w.sessions.onEvent(1, 'Page.javascriptDialogOpening', opening);
    expect(await w.call('page_handle_dialog', { action: 'accept', promptText: 'Zo\u00eb' })).toMatchObject({ data: { handled: 'accept' } });
    expect(sent).toEqual([{ accept: true, promptText: 'Zo\u00eb' }]);
    expect(await w.call('page_handle_dialog', { action: 'dismiss' })).toMatchObject({ code: 'EXECUTION_FAILED' });
  });

  it('needs a session, and attaches none', async () => {
    const w = await ready();
    expect(await w.call('page_handle_dialog', { action: 'accept' })).toMatchObject({ code: 'EXECUTION_FAILED', error: expect.stringContaining('CDP mode') });
    expect(w.debugger.log).toEqual([]);
  });

  it('is not dismissed with a text', async () => {
    const w = await ready();
    expect(await w.call('page_handle_dialog', { action: 'dismiss', promptText: 'x' })).toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});
