'use strict';
const addon = require('../genkan.node');
const check = require('./arguments.cjs');
const { error } = require('./errors.cjs');

/** Does an act on a thread of the pool; a report of what it had to say. */
async function act(name, number = 0, texts = [], programDir = null) {
  const { status, text, warnings, json } =
    await addon.report(name, number, texts, programDir);
  return { status, ok: status === 0, text, warnings,
    lines: text === '' ? [] : text.replace(/\n$/, '').split('\n'),
    data: json === '' ? null : JSON.parse(json) };
}

/** Who may drive the browser, and what was decided. */
const trust = {
  clients: () => act('clients'),
  async audit({ limit = 200 } = {}) {
    const { lines } = await act('audit', check.count('limit', limit));
    return lines.map((line) => JSON.parse(line));
  },
  pair: async ({ name, hash, signer, thisParent = false } = {}) =>
    act('pair', thisParent ? 1 : 0, [check.text('name', name),
      check.optionalText('hash', hash), check.optionalText('signer', signer)]),
  revoke: async (name) => act('revoke', 0, [check.text('name', name)]),
  revokeBrowser: async (label) =>
    act('revokeBrowser', 0, [check.text('label', label)]),
  revokeAll: () => act('revokeAll'),
  kill: () => act('kill'),
  unkill: () => act('unkill'),
  pairHostKey: ({ reset = false, fileStore = false } = {}) =>
    act('pairHostKey', (reset ? 1 : 0) | (fileStore ? 2 : 0)),
  hostKey: () => act('hostKey'),
};

function values(fields) {
  if (typeof fields !== 'object' || fields === null) {
    throw check.expected('fields', 'an object', fields);
  }
  const names = addon.policyFields().map(([name]) => name);
  for (const name of Object.keys(fields)) {
    if (!names.includes(name)) {
      throw error('invalid-argument', `no field of the policy: ${name}`);
    }
  }
  return names.map((name) => check.optionalText(name, fields[name]));
}

/** What the agents of this machine may do, and the language of the pages. */
const policy = {
  fields: () => Object.fromEntries(addon.policyFields()),
  show: () => act('policyShow'),
  history: () => act('policyHistory'),
  set: async (fields) => act('policySet', 0, values(fields)),
  restrict: async (fields) => act('policyRestrict', 0, values(fields)),
  rollback: async ({ revision, entry } = {}) =>
    act('policyRollback', check.count('revision', revision),
      [check.optionalText('entry', entry)]),
  language: () => act('language'),
  setLanguage: async (value) =>
    act('setLanguage', 0, [check.text('value', value)]),
};

const flags = ({ all = false, system = false }) =>
  (all ? 1 : 0) | (system ? 2 : 0);

/** This machine: health, registration, where the files lie. */
const local = {
  doctor: ({ programDir = null } = {}) => act('doctor', 0, [], programDir),
  browsers: ({ programDir = null } = {}) =>
    act('browsers', 0, [], programDir),
  async paths() {
    const { lines } = await act('paths');
    return Object.fromEntries(lines.map((line) => {
      const i = line.indexOf(': ');
      return [line.slice(0, i), line.slice(i + 2)];
    }));
  },
  register: async ({ browsers, dir, programDir = null, ...rest } = {}) =>
    act('register', flags(rest), [browsers === undefined || browsers === null ?
      null : check.texts('browsers', browsers).join(','),
    check.optionalText('dir', dir)], programDir),
  unregister: async ({ dir, ...rest } = {}) =>
    act('unregister', flags(rest), [null, check.optionalText('dir', dir)]),
};

module.exports = { trust, policy, local };
