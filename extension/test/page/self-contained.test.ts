// The page half must refer to nothing outside itself but what every window has: its text is shipped.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';

const ROOT = path.resolve(__dirname, '../..');
const SRC = path.join(ROOT, 'src');
/** The rest of its room is for what is still to come; it is sent anew to each document in CDP mode. */
const LIMIT = 48 * 1024;

/** Names that a script uses and does not declare, and that no window has. */
function strangers(script: string): string[] {
  const name = '/page-api.js';
  const options: ts.CompilerOptions = { target: ts.ScriptTarget.ESNext, lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'], types: [], allowJs: true, noEmit: true };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.getSourceFile = (file, ...rest) =>
    file === name ? ts.createSourceFile(name, script, ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS) : getSourceFile.call(host, file, ...rest);
  host.fileExists = (file) => file === name || fileExists.call(host, file);
  const made = ts.createProgram([name], options, host);
  const source = made.getSourceFile(name)!;
  const checker = made.getTypeChecker();
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node.text !== 'undefined') {
      const member = ts.isPropertyAccessExpression(node.parent) && node.parent.name === node;
      const property = (ts.isPropertyAssignment(node.parent) || ts.isMethodDeclaration(node.parent)) && node.parent.name === node;
      const pattern = ts.isBindingElement(node.parent) && node.parent.propertyName === node;
      const symbol = ts.isShorthandPropertyAssignment(node.parent) ? checker.getShorthandAssignmentValueSymbol(node.parent) : checker.getSymbolAtLocation(node);
      const declared = symbol?.declarations ?? [];
      const known = declared.some((d) => d.getSourceFile() === source || d.getSourceFile().fileName.includes('/lib.'));
      if (!member && !property && !pattern && !known) found.add(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found];
}

/** Each file of the page half, by its name in `src/`: what it imports, types aside. */
function modules(): Map<string, { source: ts.SourceFile; imports: string[] }> {
  const found = new Map<string, { source: ts.SourceFile; imports: string[] }>();
  const todo = [path.join(SRC, 'page/create-page-api.ts')];
  for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
    if (found.has(path.relative(SRC, file))) continue;
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
    const from = path.dirname(file);
    const imports = source.statements
      .filter(ts.isImportDeclaration)
      .filter((i) => i.importClause?.isTypeOnly !== true)
      .map((i) => path.resolve(from, `${(i.moduleSpecifier as ts.StringLiteral).text}.ts`));
    found.set(path.relative(SRC, file), { source, imports: imports.map((i) => path.relative(SRC, i)) });
    todo.push(...imports);
  }
  return found;
}

describe('the page half', () => {
  let text = '';

  beforeAll(() => {
    const script = `import { pageSource } from ${JSON.stringify(pathToFileURL(path.join(ROOT, 'scripts/page-source.mjs')).href)}; process.stdout.write(await pageSource('src'))`;
    text = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT, encoding: 'utf8' });
  });

  it('refers, as shipped, to nothing outside its one function', { timeout: 60_000 }, () => {
    // One look at both: what is added here is found, and nothing else is.
    expect(strangers(`(${text}, new MessageChanel(), browser.tabs, chrome, { LIMITS })`)).toEqual(['MessageChanel', 'browser', 'chrome', 'LIMITS']);
  });

  it('is small enough to be sent', () => {
    expect(text.length).toBeGreaterThan(30_000);
    expect(text.length).toBeLessThan(LIMIT);
  });

  it('is made of its folder and of cells alone', () => {
    const files = modules();
    expect([...files.keys()].filter((f) => !f.startsWith('page/'))).toEqual(['cell.ts']);
    const folder = readdirSync(path.join(SRC, 'page')).map((f) => `page/${f}`);
    expect(folder.filter((f) => !files.has(f))).toEqual(['page/toast.ts']);
  });

  it('tells elements apart without instanceof', () => {
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword) found.push(node.right.getText());
      ts.forEachChild(node, visit);
    };
    for (const { source } of modules().values()) visit(source);
    expect(found).toEqual(['Refusal']);
  });
});
