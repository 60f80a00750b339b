// `npm install` of this folder: compiles the addon with the C compiler, against
// the libgenkan that pkg-config finds and the headers that node came with.  An
// addon that lies here and loads is left alone.
//
// CC, CFLAGS, PKG_CONFIG_PATH and NODE_INCLUDE (the folder of node_api.h) are
// looked at.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const addon = path.join(here, 'genkan.node');

function loads() {
  try {
    createRequire(import.meta.url)(addon);
    return true;
  } catch {
    return false;
  }
}

const words = (text) => text.trim().split(/\s+/).filter((w) => w !== '');
const pkgConfig = (option) => words(execFileSync('pkg-config',
  [option, 'genkan'], { encoding: 'utf8' }));

function build() {
  const include = process.env.NODE_INCLUDE ??
    path.resolve(process.execPath, '../../include/node');
  if (!existsSync(path.join(include, 'node_api.h'))) {
    throw new Error(`no node_api.h in ${include}; NODE_INCLUDE names another`);
  }
  const src = path.join(here, 'src');
  const files = readdirSync(src).filter((f) => f.endsWith('.c')).sort();
  // More than one word, as for "ccache gcc".
  const [cc, ...before] = words(process.env.CC || 'cc');
  execFileSync(cc, [...before,
    '-O2', '-fPIC', '-shared', '-fvisibility=hidden', '-DNAPI_VERSION=8',
    '-DNODE_GYP_MODULE_NAME=genkan', `-I${include}`,
    ...words(process.env.CFLAGS ?? ''), ...pkgConfig('--cflags'),
    ...files.map((f) => path.join(src, f)), ...pkgConfig('--libs'),
    '-o', addon], { stdio: 'inherit' });
}

if (!loads()) build();
