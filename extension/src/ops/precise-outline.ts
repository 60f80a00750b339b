/** The accessibility tree as an outline (tools.md 6.4 in the form of 6.3). Pure. */
import { SNAPSHOT_LINES } from '../page-channel';
import { plain, quoted } from '../text';
import type { Outline } from './compose';
import type { StampedNode } from './precise-page';

export interface AxNode {
  nodeId: string;
  ignored: boolean;
  role?: { value?: unknown } | undefined;
  name?: { value?: unknown } | undefined;
  value?: { value?: unknown } | undefined;
  properties?: { name: string; value: { value?: unknown } }[] | undefined;
  parentId?: string | undefined;
  childIds?: string[] | undefined;
  backendDOMNodeId?: number | undefined;
}

export type Facts = StampedNode;

export interface Row {
  backendId: number;
  role: string;
  name: string;
  /** What the tree says that it holds: where an outline hides that, names are searched for it. */
  value: string;
  states: string[];
  /** Backend ids of the nodes around it that are rows too, outermost first. */
  around: number[];
}

const URL_LIMIT = 2000;
const TITLE_LIMIT = 200;
const NAME_LIMIT = 120;
const VALUE_LIMIT = 60;
const OPTION_LIMIT = 40;
const ORIGIN_LIMIT = 200;
const HIDDEN = '\u2022'.repeat(6);

const ROLES: ReadonlySet<string> = new Set(
  ('button link checkbox radio textbox searchbox menuitem menuitemcheckbox menuitemradio tab combobox listbox option switch treeitem ' +
    'spinbutton slider iframe').split(' '),
);

/** The browser's own names of what an outline calls otherwise. */
const ALIASES: Readonly<Record<string, string>> = {
  disclosuretriangle: 'button',
  disclosuretrianglegrouped: 'button',
  popupbutton: 'combobox',
  date: 'textbox',
  datetime: 'textbox',
  inputtime: 'textbox',
  colorwell: 'textbox',
  textfield: 'textbox',
};

const textOf = (value: { value?: unknown } | undefined): string => (typeof value?.value === 'string' ? value.value : '');
const spelled = (value: { value?: unknown } | undefined): string => (typeof value?.value === 'number' ? String(value.value) : textOf(value));

function roleOf(node: AxNode): string | null {
  const own = textOf(node.role).toLowerCase();
  const role = ALIASES[own] ?? own;
  return ROLES.has(role) ? role : null;
}

/** In the order of 6.3. */
function statesOf(node: AxNode): string[] {
  const of = new Map((node.properties ?? []).map(({ name, value }) => [name, value.value]));
  const is = (name: string): boolean => of.get(name) === true || of.get(name) === 'true';
  const states: [boolean, string][] = [
    [is('checked'), 'checked'],
    [of.get('checked') === 'mixed', 'mixed'],
    [is('pressed'), 'pressed'],
    [is('selected'), 'selected'],
    [is('expanded'), 'expanded'],
    [of.get('expanded') === false || of.get('expanded') === 'false', 'collapsed'],
    [is('disabled'), 'disabled'],
    [is('readonly'), 'readonly'],
    [is('required'), 'required'],
    [is('focused'), 'focused'],
  ];
  return states.filter(([holds]) => holds).map(([, name]) => name);
}

/** The nodes that have a line, in the order of the tree. */
export function rowsOf(nodes: readonly AxNode[]): Row[] {
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const rows: Row[] = [];
  const done = new Set<string>();
  const roots = nodes.filter((node) => node.parentId === undefined || !byId.has(node.parentId));
  // No recursion: pages choose the depth.
  const todo = roots.reverse().map((node) => ({ node, around: [] as number[] }));
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { node } = next;
    if (done.has(node.nodeId)) continue;
    done.add(node.nodeId);
    let { around } = next;
    const role = node.ignored || node.backendDOMNodeId === undefined ? null : roleOf(node);
    if (role !== null) {
      const backendId = node.backendDOMNodeId as number;
      rows.push({ backendId, role, name: textOf(node.name), value: spelled(node.value), states: statesOf(node), around });
      around = [...around, backendId];
    }
    for (const id of [...(node.childIds ?? [])].reverse()) {
      const child = byId.get(id);
      if (child !== undefined) todo.push({ node: child, around });
    }
  }
  return rows;
}

function lineOf(row: Row, facts: Facts, depth: number, frameId: string | undefined): string {
  const attrs = [
    ...(facts.ref === null ? [] : [`ref=p${facts.ref}`]),
    ...(frameId === undefined ? [] : [`frame=${frameId}`]),
    ...row.states,
  ];
  const value = facts.hidden && facts.value !== '' ? HIDDEN : facts.value;
  const options = facts.options?.labels.map((label) => plain(label, OPTION_LIMIT));
  return [
    `${'  '.repeat(depth)}${row.role}`,
    ...(plain(facts.name, NAME_LIMIT) === '' ? [] : [quoted(facts.name, NAME_LIMIT)]),
    ...attrs.map((attr) => `[${attr}]`),
    ...(plain(value, VALUE_LIMIT) === '' ? [] : [`value=${quoted(value, VALUE_LIMIT)}`]),
    ...(options === undefined ? [] : [`options=${JSON.stringify(options)}`]),
    ...(facts.options !== null && facts.options.rest > 0 ? [`+${facts.options.rest}`] : []),
    ...(facts.origin === '' ? [] : [`origin=${quoted(facts.origin, ORIGIN_LIMIT)}`]),
  ].join(' ');
}

/**
 * `looked` rows were looked at in the page: of these the ones without facts have vanished. The rest is
 * only counted.
 */
export function preciseText(
  head: { url: string; title: string },
  rows: readonly Row[],
  looked: number,
  facts: ReadonlyMap<number, Facts>,
  frames: ReadonlyMap<number, string>,
): Outline {
  const lines: string[] = [];
  const listed = new Set<number>();
  let refCount = 0;
  let total = 0;
  for (const [at, row] of rows.entries()) {
    const known = facts.get(row.backendId);
    if (at < looked ? known === undefined || known.tag === 'option' || known.tag === 'optgroup' : row.role === 'option') continue;
    total += 1;
    if (known === undefined || lines.length >= SNAPSHOT_LINES) continue;
    const depth = row.around.filter((id) => listed.has(id)).length;
    listed.add(row.backendId);
    if (known.ref !== null) refCount += 1;
    lines.push(lineOf(row, known, depth, frames.get(row.backendId)));
  }
  const truncated = total > lines.length;
  const note = truncated
    ? [`note: ${lines.length} of ${total} elements shown; ${frames.size > 0 ? 'pass frameId for the document of one frame' : 'page_snapshot with selector shows one part'}`]
    : lines.length === 0
      ? ['note: no interactive elements']
      : [];
  const top = [`url: ${head.url.slice(0, URL_LIMIT).toWellFormed()}`, `title: ${quoted(head.title, TITLE_LIMIT)}`];
  return { text: [...top, ...lines, ...note].join('\n'), refCount, truncated };
}
