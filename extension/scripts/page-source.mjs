// src/page/create-page-api.ts -> page-api.js: the one DOM implementation as an expression, for the
// debugger backend to evaluate in the page. As a file of its own, since the worker that carries it as
// text would be half as large again for something that few users switch on.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { transformWithEsbuild } from 'vite';

const HEAD = /^export const createPageApi\s*=\s*/;

/** The factory alone: `(refAttr, preciseAttr, rootOf) => ...`. */
export async function pageSource(srcDir) {
  const file = path.join(srcDir, 'page', 'create-page-api.ts');
  const { code } = await transformWithEsbuild(readFileSync(file, 'utf8'), file, {
    loader: 'ts',
    target: 'chrome120',
    minify: true,
    // A name that is exported stays, and everything in the function may go.
    format: 'esm',
    sourcemap: false,
    legalComments: 'none',
    tsconfigRaw: { compilerOptions: { target: 'esnext', useDefineForClassFields: true } },
  });
  const match = /^const (\w+)=(.*);export\{\1 as createPageApi\};?\s*$/s.exec(code.trim());
  const body = match === null ? code.trim().replace(HEAD, '').replace(/;$/, '') : match[2];
  if (!/^\(\w+,\w+,\w+\)=>\{/.test(body)) throw new Error('create-page-api.ts is no longer one function that stands alone');
  return body;
}
