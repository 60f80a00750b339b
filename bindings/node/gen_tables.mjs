// Prints what the package knows of the contract tables.
//
//     gen_tables.mjs cjs|dts contract.json
import { readFileSync } from 'node:fs';

const [, , what, file] = process.argv;
const contract = JSON.parse(readFileSync(file, 'utf8'));
const classes = { CALLER: 'caller', TRANSIENT: 'transient',
  CONN: 'connection', FATAL: 'fatal' };
const errors = contract.errors.map((e) => [e.number, e.wire,
  classes[e.class], e.text]);
const codes = contract.codes.map((c) => [c.number, c.code,
  c.category.toLowerCase(), c.retryable, c.text]);
const tools = contract.tools.map((t) => [t.name, t.render.toLowerCase()]);
const union = (name, doc, values) =>
  `/** ${doc} */\nexport type ${name} =\n  | ` +
  values.map((v) => `'${v}'`).join('\n  | ') + ';\n';

console.log('// Generated from the contract tables of libgenkan; do not edit.');
if (what === 'cjs') {
  console.log(`'use strict';\n
/** number, name, class, text */
exports.errors = ${JSON.stringify(errors, null, 1)};
/** number, name, category, retryable, text */
exports.codes = ${JSON.stringify(codes, null, 1)};
/** name, and what the text of a result is */
exports.tools = ${JSON.stringify(tools, null, 1)};`);
} else {
  console.log(union('ErrorCode', 'What the library could not do.',
    contract.errors.map((e) => e.wire)));
  console.log(union('ToolCode', 'How a call of a tool ended badly.',
    contract.codes.map((c) => c.code)));
  console.log(union('ToolName', 'The tools that this release knows.',
    contract.tools.map((t) => t.name)));
  console.log(union('RefusalCode', 'Why an authenticator was refused.',
    contract.refusals.map((r) => r.code)));
}
