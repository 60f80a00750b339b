// src/page/create-page-api.ts and what it is made of -> page-api.js: the one DOM implementation as an
// expression, for the debugger backend to evaluate in the page. As a file of its own, since the worker
// that carries it as text would be half as large again for something that few users switch on.
import path from 'node:path';
import { build } from 'vite';

/** Every call of the function has modules of its own, and so a state of its own. */
const wrap = (bundle) => `(a,b,c)=>${bundle}.createPageApi(a,b,c)`;

/** The factory alone: `(refAttr, preciseAttr, rootOf) => ...`. */
export async function pageSource(srcDir) {
  const [{ output }] = await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    esbuild: {
      legalComments: 'none',
      tsconfigRaw: JSON.stringify({ compilerOptions: { target: 'esnext', useDefineForClassFields: true, verbatimModuleSyntax: true } }),
    },
    build: {
      write: false,
      target: 'chrome120',
      minify: 'esbuild',
      sourcemap: false,
      lib: { entry: path.resolve(srcDir, 'page', 'create-page-api.ts'), formats: ['iife'], name: 'made', fileName: 'page-api' },
      rollupOptions: { output: { exports: 'named', esModule: false, strict: false, generatedCode: { symbols: false } } },
    },
  });
  const bundle = /^var made=(\(?function\([\w$]+\)\{.*\}\)?\(\{\}\)\)?);$/s.exec(output[0].code.trim());
  if (output.length !== 1 || bundle === null) throw new Error('the page half is no longer one function that stands alone');
  return wrap(bundle[1]);
}
