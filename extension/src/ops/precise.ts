/** `page_snapshot_precise` (tools.md 6.4): an outline from the browser's own accessibility tree. */
import * as z from 'zod/mini';
import type { Attached, Command, Sessions } from '../cdp/sessions';
import { ToolError } from '../errors';
import { classify } from '../gate/site';
import { PRECISE_ATTR, SNAPSHOT_LINES } from '../page-channel';
import { noticeBefore, whileAttached } from './attached';
import { theTab, type Context, type Operation, type Operations } from './context';
import { preciseText, rowsOf, type AxNode, type Facts, type Row } from './precise-outline';
import { hiddenFields } from './precise-fields';
import { stampNodes, whereAmI } from './precise-page';

const GROUP = 'genkan';
/** Besides custom elements, only these can have a shadow tree of the page's. */
const HOSTS = /^(?:article|aside|blockquote|body|div|footer|h[1-6]|header|main|nav|p|section|span|.*-.*)$/is;
/** Nodes that are resolved at a time. */
const BATCH = 200;

const AxValue = z.optional(z.object({ value: z.optional(z.unknown()) }));
const Tree = z.object({
  nodes: z.array(
    z.object({
      nodeId: z.string(),
      ignored: z.boolean(),
      role: AxValue,
      name: AxValue,
      value: AxValue,
      properties: z.optional(z.array(z.object({ name: z.string(), value: z.object({ value: z.optional(z.unknown()) }) }))),
      parentId: z.optional(z.string()),
      childIds: z.optional(z.array(z.string())),
      backendDOMNodeId: z.optional(z.number()),
    }),
  ),
});

const frame = { id: z.string(), loaderId: z.string() };
interface FrameTree {
  frame: { id: string; loaderId: string };
  childFrames?: FrameTree[] | undefined;
}
const FrameTree: z.ZodMiniType<FrameTree> = z.object({
  frame: z.object(frame),
  get childFrames() {
    return z.optional(z.array(FrameTree));
  },
});
const Frames = z.object({ frameTree: FrameTree });
const World = z.object({ executionContextId: z.number() });
const Resolved = z.object({ object: z.object({ objectId: z.string() }) });
const Kept = z.object({ result: z.object({ objectId: z.string() }) });
const Described = z.object({ node: z.object({ frameId: z.optional(z.string()) }) });
const Where = z.object({ origin: z.string(), url: z.string(), title: z.string() });
const Shadows = z.object({
  strings: z.array(z.string()),
  documents: z.array(
    z.object({
      frameId: z.int(),
      nodes: z.object({
        shadowRootType: z.object({ index: z.array(z.int()), value: z.array(z.int()) }),
        parentIndex: z.array(z.int()),
        nodeName: z.array(z.int()),
        backendNodeId: z.array(z.int()),
      }),
    }),
  ),
});
const Stamped = z.array(
  z.nullable(z.object({
    ref: z.nullable(z.int()),
    tag: z.string(),
    value: z.string(),
    hidden: z.boolean(),
    options: z.nullable(z.object({ labels: z.array(z.string()), rest: z.int() })),
    origin: z.string(),
    name: z.string(),
  })),
);

function read<T extends z.ZodMiniType>(schema: T, raw: unknown): z.infer<T> {
  const parsed = schema.safeParse(raw);
  if (!parsed.success) throw new ToolError('EXECUTION_FAILED', 'The browser gave an answer about the page that does not fit.');
  return parsed.data;
}

const Evaluated = z.object({ result: z.object({ value: z.optional(z.unknown()) }), exceptionDetails: z.optional(z.unknown()) });

function valueOf(raw: unknown): unknown {
  const { result, exceptionDetails } = read(Evaluated, raw);
  if (exceptionDetails !== undefined) throw new ToolError('EXECUTION_FAILED', 'The page changed while it was read. Take a new snapshot.');
  return result.value;
}

const findFrame = (tree: FrameTree, id: string): FrameTree['frame'] | null => {
  if (tree.frame.id === id) return tree.frame;
  for (const child of tree.childFrames ?? []) {
    const hit = findFrame(child, id);
    if (hit !== null) return hit;
  }
  return null;
};

interface Doc {
  frameId: string;
  loaderId: string;
  /** An isolated world of ours in it, which the page cannot tamper with. */
  world: number;
  isTop: boolean;
}

/** The document that is read: of the tab, or of a frame in the same process whose site is approved. */
async function aim(context: Context, command: Command): Promise<Doc> {
  const { frameTree } = read(Frames, await command('Page.getFrameTree'));
  const wanted = typeof context.args.frameId === 'string' ? context.args.frameId : frameTree.frame.id;
  const found = findFrame(frameTree, wanted);
  if (found === null)
    throw new ToolError(
      'EXECUTION_FAILED',
      `There is no frame ${wanted} that can be read: cross-origin frames cannot be read this way, others are shown with frame= in a new page_snapshot_precise.`,
    );
  const { executionContextId: world } = read(
    World,
    await command('Page.createIsolatedWorld', { frameId: found.id, worldName: GROUP }),
  );
  return { frameId: found.id, loaderId: found.loaderId, world, isTop: found.id === frameTree.frame.id };
}

async function look(command: Command, doc: Doc): Promise<z.infer<typeof Where>> {
  const raw = await command('Runtime.evaluate', {
    expression: `(${whereAmI.toString()})()`,
    contextId: doc.world,
    returnByValue: true,
  });
  return read(Where, valueOf(raw));
}

/** Makes `hiddenFields` in our world, which it never leaves. */
async function hiddenIn(command: Command, doc: Doc): Promise<string> {
  const raw = await command('Runtime.evaluate', {
    expression: `(${hiddenFields.toString()})()`,
    contextId: doc.world,
    objectGroup: GROUP,
  });
  return read(Kept, raw).result.objectId;
}

/**
 * Handles of nodes in the closed shadow trees of a document, at least one of each: no script gets there from
 * the hosts.
 */
async function inClosedTrees(command: Command, doc: Doc): Promise<string[]> {
  // Flat, since a tree of nodes that is too deep is not told at all.
  const { strings, documents } = read(Shadows, await command('DOMSnapshot.captureSnapshot', { computedStyles: [] }));
  const nodes = documents.find(({ frameId }) => strings[frameId] === doc.frameId)?.nodes;
  if (nodes === undefined) throw new ToolError('EXECUTION_FAILED', 'The page changed while it was read. Take a new snapshot.');
  const { index, value } = nodes.shadowRootType;
  const closed = index.filter((_, at) => strings[value[at] ?? -1] === 'closed');
  // What is below an element that has no tree of its own is in the same tree as that.
  const inside = new Set(closed);
  const first = closed.filter((at) => {
    const outer = nodes.parentIndex[at] ?? -1;
    return !inside.has(outer) || HOSTS.test(strings[nodes.nodeName[outer] ?? -1] ?? '');
  });
  return (await resolve(command, first.map((at) => nodes.backendNodeId[at] ?? 0), doc.world)).filter((id) => id !== null);
}

/** The origin of the document has to be the checked one, or that of a frame that is approved. */
async function checkOrigin(context: Context, doc: Doc, origin: string): Promise<void> {
  if (doc.isTop) {
    if (origin !== context.origin)
      throw new ToolError('EXECUTION_FAILED', 'The tab went to another site while it was read, so nothing is given out.');
    return;
  }
  if (classify(`${origin}/`).kind !== 'web')
    throw new ToolError('SITE_NOT_ALLOWED', 'This frame has no site that could be approved.');
  await context.tools.allowlist.check(origin, context.signal, null);
}

/** Object ids by node; null for those that vanished. */
async function resolve(command: Command, nodes: readonly number[], world: number): Promise<(string | null)[]> {
  const ids: (string | null)[] = [];
  for (let at = 0; at < nodes.length; at += BATCH)
    ids.push(
      ...(await Promise.all(
        nodes.slice(at, at + BATCH).map(async (backendNodeId) => {
          try {
            const raw = await command('DOM.resolveNode', { backendNodeId, executionContextId: world, objectGroup: GROUP });
            const resolved = Resolved.safeParse(raw);
            return resolved.success ? resolved.data.object.objectId : null;
          } catch {
            return null;
          }
        }),
      )),
    );
  return ids;
}

/** Ids of the frames behind Iframe lines. */
async function frameIds(command: Command, rows: readonly Row[]): Promise<Map<number, string>> {
  const ids = new Map<number, string>();
  for (const { role, backendId } of rows) {
    if (role !== 'iframe') continue;
    try {
      const described = Described.safeParse(await command('DOM.describeNode', { backendNodeId: backendId }));
      if (described.success && described.data.node.frameId !== undefined) ids.set(backendId, described.data.node.frameId);
    } catch {
      // gone: it has no frame to show
    }
  }
  return ids;
}

export function preciseOperations(cdp: Sessions) {
  /** The highest number given out in the document that a tab shows: refs never name another element. */
  const given = new Map<number, { loaderId: string; max: number }>();

  async function stamp(context: Context, command: Command, doc: Doc, held: string, closed: string[], rows: readonly Row[], ids: (string | null)[]): Promise<Map<number, Facts>> {
    const tabId = theTab(context).id;
    const last = given.get(tabId);
    const above = last?.loaderId === doc.loaderId ? last.max : 0;
    const told = rows.flatMap((row, at) => (ids[at] == null ? [] : [{ row, objectId: ids[at] }]));
    const raw = await command('Runtime.callFunctionOn', {
      // The page goes on only after both: what is looked at is what is given.
      functionDeclaration: `function (attribute, above, canAct, names, values, vanished, closed, ...nodes) {
        const elements = nodes.slice(closed);
        this.settle(nodes.slice(0, closed), elements, values, vanished);
        return (${stampNodes.toString()})(this, attribute, above, canAct, names, elements);
      }`,
      objectId: held,
      arguments: [
        { value: PRECISE_ATTR },
        { value: above },
        { value: doc.isTop },
        { value: told.map(({ row }) => row.name) },
        { value: told.map(({ row }) => row.value) },
        { value: rows.filter((_, at) => ids[at] == null).map((row) => row.value) },
        { value: closed.length },
        ...[...closed, ...told.map(({ objectId }) => objectId)].map((objectId) => ({ objectId })),
      ],
      returnByValue: true,
    });
    const stamped = read(Stamped, valueOf(raw));
    const max = Math.max(above, ...stamped.map((facts) => facts?.ref ?? 0));
    if (doc.isTop) given.set(tabId, { loaderId: doc.loaderId, max });
    return new Map(told.flatMap(({ row }, at) => (stamped[at] == null ? [] : [[row.backendId, stamped[at]] as const])));
  }

  async function outline(context: Context, { command }: Attached): Promise<unknown> {
    const doc = await aim(context, command);
    const before = await look(command, doc);
    await checkOrigin(context, doc, before.origin);
    let facts: Map<number, Facts>;
    let rows: Row[];
    let wanted: Row[];
    try {
      const held = await hiddenIn(command, doc);
      const closed = await inClosedTrees(command, doc);
      valueOf(
        await command('Runtime.callFunctionOn', {
          functionDeclaration: 'function (...closed) { this.watch(closed); }',
          objectId: held,
          arguments: closed.map((objectId) => ({ objectId })),
          returnByValue: true,
        }),
      );
      const { nodes } = read(Tree, await command('Accessibility.getFullAXTree', { frameId: doc.frameId }));
      rows = rowsOf(nodes as AxNode[]);
      // Options stand in the line of their select, so more rows may be wanted than lines are shown.
      wanted = rows.filter((row) => row.role !== 'option').length > SNAPSHOT_LINES ? rows.slice(0, 2 * SNAPSHOT_LINES) : rows;
      const ids = await resolve(command, wanted.map(({ backendId }) => backendId), doc.world);
      facts = await stamp(context, command, doc, held, [...closed, ...(await inClosedTrees(command, doc))], wanted, ids);
    } finally {
      await command('Runtime.releaseObjectGroup', { objectGroup: GROUP }).catch(() => undefined);
    }
    const frames = await frameIds(command, wanted.slice(0, SNAPSHOT_LINES));
    await checkOrigin(context, doc, (await look(command, doc)).origin);
    return preciseText(before, rows, wanted.length, facts, frames);
  }

  const page_snapshot_precise: Operation = {
    target: 'tab',
    address: 'page',
    notice: noticeBefore(cdp),
    act: (context) => whileAttached(context, cdp, (tab) => outline(context, tab)),
  };
  return { page_snapshot_precise } satisfies Operations;
}
