// Rules that no compiler checks: layers, one door to the browser, module cells, CJK in its places.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { DOORS } from './doors.mjs';
import { FOREIGN, MAY_USE, PLACES } from './layers.mjs';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

export function filesBelow(dir, wanted) {
  if (!existsSync(dir)) return [];
  return readdirSync(dir).flatMap((name) => {
    const at = path.join(dir, name);
    return statSync(at).isDirectory() ? filesBelow(at, wanted) : wanted.test(name) ? [at] : [];
  });
}

const parse = (file, text) => ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);

function importsOf(source) {
  const found = [];
  const visit = (node) => {
    const from =
      (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier
        ? node.moduleSpecifier
        : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
          ? node.arguments[0]
          : undefined;
    if (from !== undefined && ts.isStringLiteral(from)) found.push(from.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function placeOf(file) {
  const hit = PLACES.filter(([prefix]) => file === prefix || (prefix.endsWith('/') && file.startsWith(prefix)));
  hit.sort((a, b) => b[0].length - a[0].length);
  return hit[0]?.[1] ?? null;
}

/** The layer that an import leads to; null for a file of its own folder that is no module (styles). */
function layerOf(file, specifier, root) {
  if (specifier.endsWith('.css') || specifier.endsWith('.json')) return null;
  if (specifier.startsWith('.') || specifier.startsWith('@/')) {
    const base = specifier.startsWith('@/')
      ? path.join(root, 'src', specifier.slice(2))
      : path.resolve(root, path.dirname(file), specifier);
    const full = ['', '.ts', '.tsx', '/index.ts', '/index.tsx'].map((end) => base + end).find((f) => existsSync(f) && statSync(f).isFile());
    return full === undefined ? `a missing file (${specifier})` : (placeOf(path.relative(root, full)) ?? `no layer (${specifier})`);
  }
  return FOREIGN[specifier.split('/')[0]] ?? `a foreign package (${specifier})`;
}

export function checkLayers(root, mayUse = MAY_USE) {
  const problems = [];
  const used = new Map(Object.keys(mayUse).map((layer) => [layer, new Set()]));
  for (const full of filesBelow(path.join(root, 'src'), /\.tsx?$/)) {
    const file = path.relative(root, full);
    const layer = placeOf(file);
    if (layer === null) {
      problems.push(`${file}: belongs to no layer of scripts/layers.mjs`);
      continue;
    }
    for (const specifier of importsOf(parse(file, readFileSync(full, 'utf8')))) {
      const to = layerOf(file, specifier, root);
      if (to === null || to === layer) continue;
      used.get(layer)?.add(to);
      if (!(mayUse[layer] ?? []).includes(to)) problems.push(`${file}: ${layer} may not use ${to}`);
    }
  }
  for (const [layer, allowed] of Object.entries(mayUse))
    for (const to of allowed) if (!used.get(layer).has(to)) problems.push(`scripts/layers.mjs: ${layer} does not use ${to} any more`);
  return problems;
}

/** `chrome` and `browser` as globals would be a second door. */
export function checkGlobals(file, text) {
  if (file.startsWith('src/browser/')) return [];
  const problems = [];
  const visit = (node) => {
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'chrome')
      problems.push(`${file}: reaches the browser beside src/browser/: ${node.getText().slice(0, 40)}`);
    ts.forEachChild(node, visit);
  };
  visit(parse(file, text));
  return problems;
}

/** Calls that bring in what others wrote. `src/browser/` hands most of it on as it came, unknown. */
const ENTRANCES = [
  { what: 'storage', call: /^(store|storage|browserStorage)\.read$|^browser\.storage\.\w+\.get$/ },
  { what: 'storage', call: /^read$/, from: '/browser/storage' },
  { what: 'answer', call: /^browser\.sendMessage$|^tabs\.sendMessage$|^browser\.runtime\.sendMessage$/ },
  { what: 'script', call: /(^|\.)runIn(Frame|Page|AllFrames)$/ },
  // By the name of the command, since a function may give several.
  { what: 'command', call: /(^|\.)command$/, named: true },
];
/** Functions that are handed what others wrote, by the name of the parameter that every one of them has. */
const HANDED = [
  { what: 'message', file: 'src/worker/router.ts', name: 'createRouter' },
  { what: 'message', file: 'src/page-answer.ts', name: 'answer' },
  { what: 'frame', file: 'src/ops/parse.ts', name: 'createParser' },
];
const HANDS_ON = new Set(['src/browser/storage.ts', 'src/browser/tabs.ts', 'src/gate/memory.ts']);
/** The one that gives the commands of others: a name that is not written out is theirs to declare. */
const GIVES = 'src/cdp/sessions.ts';

/** The name of a function: declared, assigned, or a member of an object; undefined for others. */
const nameOf = (n) =>
  ts.isFunctionDeclaration(n) || ts.isMethodDeclaration(n)
    ? n.name?.getText()
    : (ts.isVariableDeclaration(n) || ts.isPropertyAssignment(n)) && n.initializer !== undefined && ts.isArrowFunction(n.initializer)
      ? n.name.getText()
      : undefined;

/** The nearest function around a node that has a name. */
function functionAround(node) {
  for (let n = node.parent; n !== undefined; n = n.parent) if (nameOf(n) !== undefined) return { name: nameOf(n), text: n.getText() };
  return null;
}

/** Whether a text calls the function of that name: not an object's of the same name, nor one whose name ends with it. */
const calls = (text, name) => new RegExp(`(?<!\\w|(?<!\\.\\.)\\.)${name.replaceAll('.', '\\.')}\\(`).test(text);

/** What every function of a file that can be got to from one of them says, by its name. */
function reached(source, from) {
  const all = new Map();
  const visit = (node) => {
    const name = nameOf(node);
    if (name !== undefined) all.set(name, `${all.get(name) ?? ''}\n${node.getText()}`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  const found = new Map();
  const todo = [from];
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    if (found.has(name) || !all.has(name)) continue;
    found.set(name, all.get(name));
    for (const [called] of all) if (calls(all.get(name), called)) todo.push(called);
  }
  return found;
}

/** Only waits, and gives on what it waited for. */
const WAITS = /^(until|within|Promise\.race)$/;
const NOTHING = /^\(\) => (undefined|null)$/;

/**
 * What becomes of the value of a call as far as its own statement goes: nobody looks at it, somebody says
 * what it is without having looked, or it is used.
 */
function fateOf(call) {
  for (let n = call; ; n = n.parent) {
    const { parent } = n;
    if (ts.isExpressionStatement(parent)) return 'dropped';
    if (ts.isAsExpression(parent) || ts.isNonNullExpression(parent) || ts.isTypeAssertionExpression(parent)) return 'believed';
    if (ts.isPropertyAccessExpression(parent) && ts.isCallExpression(parent.parent)) {
      if (parent.name.text === 'then' && NOTHING.test(parent.parent.arguments[0]?.getText() ?? '')) return 'dropped';
      if (parent.name.text !== 'catch') return 'used';
    } else if (ts.isCallExpression(parent)) {
      if (parent.expression !== n && !WAITS.test(parent.expression.getText())) return 'used';
    } else if (!(ts.isAwaitExpression(parent) || ts.isVoidExpression(parent) || ts.isParenthesizedExpression(parent) || ts.isArrayLiteralExpression(parent))) return 'used';
  }
}

/** Places of one file where something comes in. */
function entrancesOf(file, text) {
  if (HANDS_ON.has(file)) return [];
  const source = parse(file, text);
  const found = [];
  const imported = importsOf(source);
  const visit = (node) => {
    if (ts.isCallExpression(node)) {
      const callee = node.expression.getText();
      const hit = ENTRANCES.find(({ call, from }) => call.test(callee) && (from === undefined || imported.some((i) => i.endsWith(from))));
      // The question of an exchange has a reader of the same name.
      if (hit !== undefined) {
        const inside = functionAround(node);
        const [first, second] = node.arguments;
        const said = hit.named ? (callee === 'browser.command' ? second : first) : undefined;
        const literal = said !== undefined && ts.isStringLiteral(said);
        const what = hit.named ? (literal ? said.text : 'a command of any name') : hit.what;
        const fate = fateOf(node);
        const ofOthers = file === GIVES && hit.named && !literal;
        if (fate !== 'dropped' && !ofOthers) found.push({ what, name: inside?.name ?? '(top level)', text: inside?.text ?? '', believed: fate === 'believed' });
      }
    }
    if (ts.isFunctionDeclaration(node) && node.name !== undefined) {
      const handed = HANDED.find((h) => h.file === file && h.name === node.name.text);
      if (handed !== undefined) found.push({ what: handed.what, name: handed.name, text: node.getText() });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** `files`: name and text of each. Every entrance is declared with a parser, which its function calls. */
export function checkDoors(files, doors = DOORS) {
  const problems = [];
  const used = new Set();
  for (const { file, text } of files)
    for (const { what, name, text: body, believed } of entrancesOf(file, text)) {
      if (believed) problems.push(`${file}: ${name} says what ${what} is before a schema has seen it`);
      const door = doors.find((d) => d[0] === file && d[1] === name && d[2] === what);
      if (door === undefined) {
        problems.push(`${file}: ${name} takes in ${what} that no schema is declared for in scripts/doors.mjs`);
        continue;
      }
      used.add(door);
      const [, , , parser, by] = door;
      if (by === undefined) {
        if (!calls(body, parser)) problems.push(`${file}: ${name} takes in ${what} and does not call ${parser}`);
        continue;
      }
      const bodies = reached(parse(file, text), by);
      if (!bodies.has(name) || ![...bodies.values()].some((b) => calls(b, parser)))
        problems.push(`${file}: ${name} hands ${what} on, and ${by} does not call it and ${parser}`);
    }
  for (const door of doors) if (!used.has(door)) problems.push(`scripts/doors.mjs: ${door[0]}: ${door[1]} takes in no ${door[2]} any more`);
  return problems;
}

/** Control frames: whoever is handed one parses it, or hands it to a function of the file, or an exchange, that does. */
export function checkFrames(file, text) {
  if (!file.startsWith('src/trust/') || file === 'src/trust/families.ts') return [];
  const problems = [];
  const functions = new Map();
  const handlers = [];
  const visit = (node) => {
    if (ts.isFunctionDeclaration(node) && node.name !== undefined) functions.set(node.name.text, node.getText());
    if ((ts.isMethodDeclaration(node) || ts.isPropertyAssignment(node)) && node.name.getText() === 'onFrame') handlers.push(node.getText());
    ts.forEachChild(node, visit);
  };
  visit(parse(file, text));
  const PARSES = /\.safeParse\(frame\b|\.offer\(frame\b/;
  const parsed = (body, seen) => {
    if (PARSES.test(body)) return true;
    const next = [...body.matchAll(/(?<!\.)\b(\w+)\(frame\b/g)].map((m) => m[1]).filter((name) => functions.has(name) && !seen.has(name));
    return next.length > 0 && next.every((name) => parsed(functions.get(name), new Set([...seen, name])));
  };
  for (const body of handlers) if (!parsed(body, new Set())) problems.push(`${file}: onFrame believes a frame that no schema has seen`);
  return problems;
}

const COLLECTIONS = new Set(['Map', 'Set', 'WeakMap', 'WeakSet', 'Array']);

/** A module variable that can change, and is no cell. */
export function checkCells(file, text) {
  const problems = [];
  for (const statement of parse(file, text).statements) {
    if (!ts.isVariableStatement(statement)) continue;
    const isConst = (statement.declarationList.flags & ts.NodeFlags.Const) !== 0;
    for (const { name, initializer, type } of statement.declarationList.declarations) {
      const what = `${file}: ${name.getText()}`;
      if (!isConst) problems.push(`${what} is a bare variable of the module: use cell()`);
      if (initializer === undefined) continue;
      const readonly = type !== undefined && /^(readonly|Readonly)/.test(type.getText());
      const empty =
        (ts.isArrayLiteralExpression(initializer) && initializer.elements.length === 0) ||
        (ts.isObjectLiteralExpression(initializer) && initializer.properties.length === 0);
      const made = ts.isNewExpression(initializer) && COLLECTIONS.has(initializer.expression.getText()) && !readonly;
      if (empty || made) problems.push(`${what} is a bare collection of the module: use cell()`);
    }
  }
  return problems;
}

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303f\uff00-\uffef]/u;
const CJK_PLACES = ['src/i18n/locales/', 'src/i18n/names.ts'];

export function checkScript(file, text) {
  if (CJK_PLACES.some((p) => file === p || (p.endsWith('/') && file.startsWith(p)))) return [];
  return text.split('\n').flatMap((line, at) => (CJK.test(line) ? [`${file}:${at + 1}: CJK text outside the locale files`] : []));
}

/** The registry of the cells is what the rule of the cells is made of. */
const REGISTRY = 'src/cell.ts';

export function lint(root = ROOT) {
  const problems = checkLayers(root);
  problems.push(...checkDoors(filesBelow(path.join(root, 'src'), /\.tsx?$/).map((full) => ({ file: path.relative(root, full), text: readFileSync(full, 'utf8') }))));
  for (const full of filesBelow(path.join(root, 'src'), /\.tsx?$/)) {
    const file = path.relative(root, full);
    const text = readFileSync(full, 'utf8');
    problems.push(...checkGlobals(file, text));
    problems.push(...checkFrames(file, text));
    if (file !== REGISTRY) problems.push(...checkCells(file, text));
  }
  for (const dir of ['src', 'test', 'scripts'])
    for (const full of filesBelow(path.join(root, dir), /\.(tsx?|mjs|css|html|json)$/))
      problems.push(...checkScript(path.relative(root, full), readFileSync(full, 'utf8')));
  return problems;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = lint();
  for (const p of problems) console.error(p);
  if (problems.length > 0) process.exit(1);
  console.log('lint: layers, doors, cells, script, schemas');
}
