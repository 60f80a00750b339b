// Packs the built extension for the store: zip.mjs FILE
//
// The same sources give the same bytes on every machine: names in one order, one date, one mode,
// and a compressor that is part of what package-lock.json pins.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import JSZip from 'jszip';

const built = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '.output', 'chrome-mv3');
const out = process.argv[2];
if (out === undefined) {
  console.error('usage: zip.mjs FILE');
  process.exit(2);
}

// The first day that the format can say.
const options = { date: new Date(Date.UTC(1980, 0, 1)), unixPermissions: 0o644, createFolders: false };
const zip = new JSZip();
const files = readdirSync(built, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const names = files.map((entry) => path.relative(built, path.join(entry.parentPath ?? entry.path, entry.name)));
for (const name of names.map((n) => n.split(path.sep).join('/')).sort())
  zip.file(name, readFileSync(path.join(built, name)), options);

const bytes = await zip.generateAsync({
  type: 'nodebuffer',
  compression: 'DEFLATE',
  compressionOptions: { level: 9 },
  platform: 'UNIX',
});
writeFileSync(out, bytes);
console.log(`${path.basename(out)}: ${names.length} files, ${bytes.length} bytes`);
