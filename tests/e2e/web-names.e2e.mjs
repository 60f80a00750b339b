// Chromium's own accessibility tree as an oracle: over all fixture pages the outline has the same
// controls, headings and landmarks, with the same roles, names, levels and states. What differs is a row
// of DIFFERENCES, with its reason, or a defect.
import { fileURLToPath } from 'node:url';
import { checks, launch, needChromium } from './cdp.mjs';
import { bundle, factorySource, instance, outlineText, serve } from './pages/harness.mjs';

needChromium();
const t = checks();
const source = await factorySource();
const spa = await bundle('../web/spa.js');
const script = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' });
  response.end(spa);
};
const web = await serve({ '/spa.bundle.js': script }, fileURLToPath(new URL('web/', import.meta.url)));
const pages = await serve();
const browser = await launch();
const page = await browser.page();
await page.send('Accessibility.enable');
await page.send('DOM.enable');

// --------------------------------------------------------------------------------------------- //
// What may differ. `our` is a line, `ax` a node of the tree in the same terms, `node` the element.

const DIFFERENCES = [
  // Roles: the table of the outline is shorter than HTML-AAM, and says what acts on the element.
  ['role', 'a drop-down is a listbox: page_select takes it', ({ our, node }) => node.tag === 'select' && our.role === 'listbox'],
  ['role', 'inputs with suggestions and for files are text boxes', ({ our, node }) => our.role === 'textbox' && (node.attrs.list !== undefined || node.attrs.type === 'file')],
  ['role', 'an editing host is a text box, without a role too', ({ our, ax, node }) => our.role === 'textbox' && ax.role === 'generic' && node.attrs.contenteditable !== undefined],
  ['role', 'what has no role is called by its tag', ({ our, ax, node }) => /^(generic|LabelText|Canvas)$/.test(ax.role) && (our.role === node.tag || our.role === 'element')],
  ['role', 'pictures are img', ({ our, ax }) => our.role === 'img' && ax.role === 'image'],
  // Names: what helps to find an element, where the tree has none.
  ['name', 'a title comes before the text', ({ our, node }) => our.name === node.attrs.title],
  ['name', 'text names roles that ARIA leaves without', ({ our, ax, node }) => ax.name === '' && our.name !== '' && node.text.includes(our.name)],
  ['name', 'a label that is hidden is better than none', ({ our, ax }) => ax.name === '' && our.name === 'hidden label'],
  ['name', 'a label names a control made of other elements', ({ ax, node }) => ax.name === '' && node.attrs.role === 'checkbox'],
  ['name', 'what style sheets write beside a text is left out', ({ our, ax }) => our.name !== '' && (ax.name.startsWith(our.name) || ax.name.endsWith(our.name)) && /^(before | after| \*|3 | \(opens a new window\))$/.test(ax.name.replace(our.name, ''))],
  ['name', 'what an editor hides is in no name', ({ our, ax, node }) => [ax.name, node.text].some((text) => / 765432 /.test(text) && text.replace(/ 765432 /, ' ') === our.name)],
  ['name', 'the label of an editor that hides its text names it', ({ our, ax, node }) => ax.name === '' && our.name === 'Code here' && node.attrs.autocomplete === 'one-time-code'],
  ['name', 'the words of the browser are not seen from the page', ({ our, ax }) => our.name === '' && /^(Submit|Reset)$/.test(ax.name)],
  ['name', 'what cannot be shown is dropped', ({ our, ax }) => /\0/.test(ax.name) && our.name.startsWith('lf button')],
  // States.
  ['states', 'whether a drop-down is open is not seen from the page', ({ our, ax, node }) => node.tag === 'select' && ax.states.replace(/^collapsed ?/, '') === our.states.replace('required', '')],
  ['states', 'a tick may be required, and is whatever its attributes say', ({ our, ax, node }) => node.attrs.required !== undefined && node.attrs.type === 'checkbox' && our.states.replace(/\b(required|pressed|selected)\b/g, '').replace(/ +/g, ' ').trim() === ax.states],
  ['states', 'the state of a popover is told by what it shows', ({ our, ax, node }) => node.attrs.popovertarget !== undefined && `collapsed ${our.states}`.trim() === ax.states],
  // Lines without a node.
  ['extra', 'a label stands for a control that is hidden, or for a link without an address', ({ our, node }) => our.role === node.tag && /^(label|a)$/.test(node.tag)],
  ['extra', 'options and tree items out of their places are listed', ({ our }) => /^(option|treeitem)$/.test(our.role)],
  // Nodes without a line.
  ['missing', 'the browser puts parts into fields for dates', ({ node }) => node.inner],
  ['missing', 'options stand in the line of their drop-down', ({ node }) => node.tag === 'option'],
  ['missing', 'what has no opacity or no area is not seen', ({ node }) => node.attrs.type === 'file' || /^(chk|opq)$/.test(node.attrs.id ?? '') || node.attrs.title === 'No area' || /opacity|no area|contents itself/i.test(node.text + (node.attrs.title ?? ''))],
  ['missing', 'what stands in a canvas for old browsers is not seen', ({ node }) => node.attrs.id === 'fallback'],
  ['missing', 'what is hidden from hearing in a frame is hidden', ({ node }) => node.text === 'in aria frame'],
  ['missing', 'a slider that takes no focus is no control', ({ node }) => node.attrs.role === 'slider' && node.attrs.tabindex === undefined],
  ['missing', 'documents of other origins are read by themselves, those without an area not at all', ({ node }) => node.foreign],
];
const used = new Set();

const explained = (kind, found) => {
  const row = DIFFERENCES.find(([k, , fits]) => k === kind && fits(found));
  if (row !== undefined) used.add(row);
  return row !== undefined;
};

// --------------------------------------------------------------------------------------------- //
// Both sides in the same terms

const INTERACTIVE = new Set('button link checkbox radio textbox searchbox menuitem menuitemcheckbox menuitemradio tab combobox listbox option switch treeitem spinbutton slider iframe'.split(' '));
const LANDMARKS = new Set('navigation main banner contentinfo complementary region dialog article'.split(' '));
const ALIASES = { DisclosureTriangle: 'button', DisclosureTriangleGrouped: 'button', PopUpButton: 'combobox', Date: 'textbox', DateTime: 'textbox', InputTime: 'textbox', ColorWell: 'textbox', Iframe: 'iframe', ToggleButton: 'button' };
const STATES = ['checked', 'pressed', 'selected', 'disabled', 'readonly', 'required', 'focused'];

const shown = (text) => text.replace(/\s+/g, ' ').trim().replace(/[\u0001-\u001f\u200b-\u200d\u2060-\u2065\ufeff]/g, '').toWellFormed();

function fromTree(n) {
  const of = new Map((n.properties ?? []).map(({ name, value }) => [name, value.value]));
  const is = (name) => of.get(name) === true || of.get(name) === 'true';
  const states = STATES.filter(is);
  if (of.get('checked') === 'mixed') states.push('mixed');
  if (is('expanded')) states.push('expanded');
  if (of.get('expanded') === false) states.push('collapsed');
  return { role: ALIASES[n.role.value] ?? n.role.value, name: shown(n.name?.value ?? ''), states: states.sort().join(' '), level: of.get('level'), id: n.backendDOMNodeId };
}

function fromLine(line) {
  const [, role, quoted, rest] = /^ *(\S+)(?: "((?:[^"\\]|\\.)*)")?((?: \[[^\]]*\])*)/.exec(line);
  const attrs = [...rest.matchAll(/\[([^\]]*)\]/g)].map((m) => m[1]);
  const name = (quoted ?? '').replace(/\\u([0-9a-f]{4})/g, (_m, hex) => String.fromCharCode(parseInt(hex, 16))).replace(/\\(.)/g, '$1');
  return {
    line: line.trim(),
    role,
    name,
    ref: attrs.find((a) => a.startsWith('ref='))?.slice(4),
    level: Number(attrs.find((a) => a.startsWith('level='))?.slice(6)),
    states: attrs.filter((a) => !/^(ref|level)=|^left-out$/.test(a)).sort().join(' '),
  };
}

/** A name may be cut in the outline. */
const sameName = (ours, theirs) => ours === theirs || (ours.endsWith('...') && ours.length > 100 && theirs.startsWith(ours.slice(0, -4)));

const isForeign = (url, own) => /\?(sandboxed|none)$/.test(url) || (url.startsWith('http') && new URL(url).origin !== new URL(own).origin);

const NONE = { tag: '', attrs: {}, text: '', inner: false, foreign: false };

/** All elements by the browser's number, into shadow trees and frames; and by the ref they carry. */
async function elements() {
  const { root } = await page.send('DOM.getDocument', { depth: -1, pierce: true });
  const byId = new Map();
  const byRef = new Map();
  const textOf = (n) => (n.nodeName === '#text' ? n.nodeValue : (n.children ?? []).map(textOf).join(''));
  const todo = [{ n: root, inner: false, foreign: false }];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { n } = next;
    const attrs = {};
    for (let i = 0; i < (n.attributes?.length ?? 0); i += 2) attrs[n.attributes[i]] = n.attributes[i + 1];
    const node = { tag: n.localName, attrs, id: n.backendNodeId, text: shown(textOf(n)), inner: next.inner, foreign: next.foreign };
    byId.set(n.backendNodeId, node);
    if (attrs['data-genkan-ref'] !== undefined) byRef.set(attrs['data-genkan-ref'], node);
    for (const child of n.children ?? []) todo.push({ ...next, n: child });
    for (const child of n.shadowRoots ?? []) todo.push({ ...next, n: child, inner: next.inner || child.shadowRootType === 'user-agent' });
    if (n.contentDocument) todo.push({ ...next, n: n.contentDocument, foreign: next.foreign || isForeign(n.contentDocument.documentURL, root.documentURL) });
  }
  return { byId, byRef };
}

async function tree() {
  const ids = ({ frame, childFrames = [] }) => [frame.id, ...childFrames.flatMap(ids)];
  const { frameTree } = await page.send('Page.getFrameTree');
  const all = [];
  for (const frameId of ids(frameTree)) all.push(...(await page.send('Accessibility.getFullAXTree', { frameId })).nodes);
  return all.filter((n) => n.backendDOMNodeId !== undefined && !n.ignored).map(fromTree);
}

/** What differs between the outline and the tree of the page that is shown, as sentences. */
async function compare(options) {
  const api = await instance(page, source, options);
  const lines = outlineText(await api.snapshot({ interactiveOnly: false })).split('\n').slice(2).map(fromLine);
  const { byId, byRef } = await elements();
  const nodes = await tree();
  const byNode = new Map(nodes.map((n) => [n.id, n]));
  const wrong = [];
  const told = new Set();
  for (const our of lines.filter((l) => l.ref !== undefined)) {
    const node = byRef.get(our.ref) ?? NONE;
    const ax = byNode.get(node.id);
    told.add(node.id);
    if (ax === undefined) {
      if (!explained('extra', { our, node })) wrong.push(`${our.line}: the tree has no such node`);
      continue;
    }
    const found = { our, ax, node };
    if (our.role !== ax.role && !explained('role', found)) wrong.push(`${our.line}: role ${ax.role}`);
    if (!sameName(our.name, ax.name) && !explained('name', found)) wrong.push(`${our.line}: name ${JSON.stringify(ax.name)}`);
    if (our.states !== ax.states && !explained('states', found)) wrong.push(`${our.line}: states ${ax.states}`);
  }
  for (const ax of nodes) {
    const node = byId.get(ax.id) ?? NONE;
    if (INTERACTIVE.has(ax.role) && !told.has(ax.id) && !explained('missing', { ax, node })) wrong.push(`no line for ${ax.role} ${JSON.stringify(ax.name)} <${node.tag}>`);
  }
  return { wrong, lines, nodes, compared: told.size };
}

const sorted = (list) => list.sort();
const headings = (list) => sorted(list.filter((x) => x.role === 'heading' && x.name !== '').map((x) => `${x.level} ${x.name}`));
const landmarks = (list) => sorted(list.filter((x) => LANDMARKS.has(x.role)).map((x) => `${x.role} ${x.name}`));

// --------------------------------------------------------------------------------------------- //

const SHADOW = { world: 'main', rootOf: '(e) => (window.roots && roots.get(e)) ?? e.shadowRoot' };
const press = (...ids) => ids.map((id) => `document.getElementById('${id}').click()`).join(';');
// The page, what is done to it first, and how its instance is made.
const CASES = [
  ['accname'],
  ['form'],
  ['form', `document.getElementById('city').value = 'a'; document.getElementById('city').oninput()`],
  ['covered'],
  ['covered', press('reject', 'menu') + `;document.getElementById('faq').open = true`],
  ['widgets'],
  ['widgets', press('file-button', 'src', 't2', 'pick', 'acc', 'dark')],
  ['hidden-controls'],
  ['dialogs'],
  ['dialogs', press('open'), , 'modal'],
  ['shadow', '', SHADOW],
  ['frames'],
  ['table'],
  ['rtl'],
  ['feed'],
  ['canvas'],
  ['links'],
  ['long'],
  ['spa'],
];
for (const [name, first = '', options = {}, modal] of CASES)
  await t.part(name, async () => {
    await page.goto(`${web.origin}/${name}.html`);
    await page.eval(`${first}; new Promise((done) => setTimeout(done, 120))`);
    const { wrong, lines, nodes, compared } = await compare(options);
    const what = `${name}${first === '' ? '' : ', after some acts'}`;
    if (modal === undefined) {
      t.equal(wrong, [], `${what}: ${compared} controls are told as the browser tells them`);
      // Nothing structural is listed in an interactive element.
      t.equal(headings(lines), headings(nodes.filter((n) => n.name !== 'Heading in link' && n.name !== 'Delivery')).concat(lines.some((l) => l.name === 'Heading in link') ? ['2 Heading in link'] : []).sort(), `${what}: and so are headings`);
      t.equal(landmarks(lines), landmarks(nodes), `${what}: and landmarks`);
    } else {
      const said = lines.filter((l) => l.ref !== undefined).map((l) => l.line.replace(/ \[ref=\w+\]/, ''));
      t.equal(said.slice(-3), ['textbox "Type its name" [focused]', 'button "Keep"', 'button "Delete" [disabled]'], `${what}: a modal dialog is told`);
      t.equal(wrong.filter((w) => !w.endsWith('the tree has no such node')), [], `${what}: as the browser tells it`);
    }
  });

for (const name of ['roles', 'names', 'values', 'hidden', 'hostile', 'shop'])
  await t.part(name, async () => {
    await page.goto(`${pages.origin}/${name}.html`);
    const { wrong, compared } = await compare({});
    t.equal(wrong, [], `${name}: ${compared} controls are told as the browser tells them`);
  });

t.equal(DIFFERENCES.filter((row) => !used.has(row)).map(([kind, why]) => `${kind}: ${why}`), [], 'every difference that is allowed for is there');

await browser.close();
web.close();
pages.close();
t.done();
