// What a call of the Node package costs over the C call, as a JSON line.
//
//     bench.mjs PACKAGE
import { createRequire } from 'node:module';

const { native, errorName } = createRequire(import.meta.url)(process.argv[2]);
const N = 20000;

/** Microseconds for one, of the best of a few rounds. */
function best(fn) {
  let found = Infinity;
  for (let round = 0; round < 7; round++) {
    const began = process.hrtime.bigint();
    for (let i = 0; i < N; i++) fn();
    found = Math.min(found, Number(process.hrtime.bigint() - began) / N / 1e3);
  }
  return found;
}

const decoder = new native.Decoder();
const empty = best(() => undefined);
const rows = {
  error_name: () => errorName(-17),
  header: () => native.header(5),
  handle: () => decoder.eof(),
};
for (const [call, fn] of Object.entries(rows)) {
  console.log(JSON.stringify({ bench: 'binding_call_us', language: 'node',
    call, n: N, value: Number((best(fn) - empty).toFixed(3)), limit: 3 }));
}
