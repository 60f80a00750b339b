// After a build: the worker stays small, and nothing but ours is in the folder.
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const LIMIT = 200 * 1024;
const built = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '.output', 'chrome-mv3');
const manifest = JSON.parse(readFileSync(path.join(built, 'manifest.json'), 'utf8'));
const worker = path.join(built, manifest.background.service_worker);
const { size } = statSync(worker);

if (size >= LIMIT) {
  console.error(`${path.basename(worker)} has ${size} bytes; ${LIMIT} are too many for a worker that starts often`);
  process.exit(1);
}
console.log(`${path.basename(worker)}: ${size} of ${LIMIT} bytes`);
