'use strict';
const addon = require('../genkan.node');
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
    const { lines } = await act('audit', limit);
    return lines.map((line) => JSON.parse(line));
  },
  pair: ({ name, hash = null, signer = null, thisParent = false }) =>
    act('pair', thisParent ? 1 : 0, [name, hash, signer]),
  revoke: (name) => act('revoke', 0, [name]),
  revokeBrowser: (label) => act('revokeBrowser', 0, [label]),
  revokeAll: () => act('revokeAll'),
  kill: () => act('kill'),
  unkill: () => act('unkill'),
  pairHostKey: ({ reset = false, fileStore = false } = {}) =>
    act('pairHostKey', (reset ? 1 : 0) | (fileStore ? 2 : 0)),
  hostKey: () => act('hostKey'),
};

function values(fields) {
  const names = addon.policyFields().map(([name]) => name);
  for (const name of Object.keys(fields)) {
    if (!names.includes(name)) {
      throw error('invalid-argument', `no field of the policy: ${name}`);
    }
  }
  return names.map((name) => fields[name] ?? null);
}

/** What the agents of this machine may do, and the language of the pages. */
const policy = {
  fields: () => Object.fromEntries(addon.policyFields()),
  show: () => act('policyShow'),
  history: () => act('policyHistory'),
  set: async (fields) => act('policySet', 0, values(fields)),
  restrict: async (fields) => act('policyRestrict', 0, values(fields)),
  rollback: ({ revision, entry = null }) =>
    act('policyRollback', revision, [entry]),
  language: () => act('language'),
  setLanguage: (value) => act('setLanguage', 0, [value]),
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
  register: ({ browsers, dir = null, programDir = null, ...rest } = {}) =>
    act('register', flags(rest), [browsers?.join(',') ?? null, dir],
      programDir),
  unregister: ({ dir = null, ...rest } = {}) =>
    act('unregister', flags(rest), [null, dir]),
};

module.exports = { trust, policy, local };
