// The factory must refer to nothing outside itself but what every window has: its text is shipped.
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const file = path.resolve(__dirname, '../../src/page/create-page-api.ts');

function program(): { source: ts.SourceFile; checker: ts.TypeChecker } {
  const made = ts.createProgram([file], {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
    noEmit: true,
    skipLibCheck: true,
  });
  return { source: made.getSourceFile(file)!, checker: made.getTypeChecker() };
}

describe('create-page-api.ts', () => {
  it('refers to nothing outside its one function, types aside', { timeout: 60_000 }, () => {
    const { source, checker } = program();
    const statements = source.statements.filter((s) => !ts.isImportDeclaration(s));
    expect(statements).toHaveLength(1);
    const factory = statements[0]!;

    const outside: string[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
      if (ts.isIdentifier(node)) {
        const own = checker.getSymbolAtLocation(node);
        const declared = own?.declarations ?? [];
        const inside = declared.some((d) => d.getSourceFile() === source && d.getStart() >= factory.getStart());
        const global = declared.some((d) => d.getSourceFile().fileName.includes('/lib.'));
        const member = ts.isPropertyAccessExpression(node.parent) && node.parent.name === node;
        const property = ts.isPropertyAssignment(node.parent) && node.parent.name === node;
        if (!inside && !global && !member && !property && node.text !== 'undefined') outside.push(`${node.text} at ${node.getStart()}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(factory);
    expect(outside.filter((name) => !name.startsWith('createPageApi '))).toEqual([]);
  });

  it('imports types alone', () => {
    const { source } = program();
    const imports = source.statements.filter(ts.isImportDeclaration);
    expect(imports.length).toBeGreaterThan(0);
    expect(imports.every((i) => i.importClause?.isTypeOnly === true)).toBe(true);
  });

  it('tells elements apart without instanceof', () => {
    const { source } = program();
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword) found.push(node.right.getText());
      ts.forEachChild(node, visit);
    };
    visit(source);
    expect(found).toEqual(found.filter((name) => name === 'Refusal'));
  });
});
