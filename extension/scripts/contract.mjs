// Prints the contract tables into .contract/ anew, so that no task reads a stale copy.
//
// In a build folder the built gencontract lies beside us. In a source folder it is compiled from the
// tables. A copy of this folder alone keeps what it was given, and without that there is no build.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const out = path.join(here, '.contract');
const floor = path.resolve(here, '..', 'libgenkan', 'contract');

function compiled(dir) {
  if (!existsSync(path.join(floor, 'gencontract.c'))) return null;
  const bin = path.join(dir, 'gencontract');
  const sources = readdirSync(floor).filter((f) => /^(gencontract|gen_.*|schema(_.*)?)\.c$/.test(f));
  execFileSync(process.env.CC_FOR_BUILD ?? 'cc', ['-O1', `-I${floor}`, `-I${path.dirname(floor)}`, '-o', bin, ...sources.map((f) => path.join(floor, f))], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return bin;
}

const work = mkdtempSync(path.join(tmpdir(), 'genkan-contract-'));
try {
  const built = path.join(floor, 'gencontract');
  const bin = existsSync(built) ? built : compiled(work);
  if (bin === null) {
    if (existsSync(path.join(out, 'identity.ts'))) process.exit(0);
    throw new Error('no gencontract and no .contract/: run "make extension" in a build folder');
  }
  const fresh = path.join(work, 'ts');
  mkdirSync(fresh);
  execFileSync(bin, ['ts', fresh], { stdio: ['ignore', 'inherit', 'inherit'] });
  mkdirSync(out, { recursive: true });
  // Only what changed is written, so that watchers and caches stay quiet.
  const names = readdirSync(fresh);
  for (const name of readdirSync(out)) if (!names.includes(name)) rmSync(path.join(out, name), { recursive: true });
  for (const name of names) {
    const text = readFileSync(path.join(fresh, name));
    const to = path.join(out, name);
    if (existsSync(to) && readFileSync(to).equals(text)) continue;
    writeFileSync(`${to}.new`, text);
    renameSync(`${to}.new`, to);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
