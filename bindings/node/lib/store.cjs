'use strict';
const { error } = require('./errors.cjs');

const NAMES = ['trust', 'policy'];
const NOENT = error('not-found').number;
const IO = error('io').number;

function number(value, what) {
  if (typeof value !== 'number') {
    throw new TypeError(`${what}: expected a number, not ${typeof value}`);
  }
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`${what}: out of range`);
  }
  return value;
}

function functionOf(store, name) {
  const fn = store[name];
  if (fn === undefined || fn === null) return null;
  if (typeof fn !== 'function') {
    throw new TypeError(`store.${name}: no function`);
  }
  return fn.bind(store);
}

/**
 * A store as the C half calls it: codes and values of the right types, and what
 * was thrown is kept until the library is at rest.
 */
class StoreCalls {
  #raised = [];
  #load;
  #version;

  constructor(store) {
    this.#load = functionOf(store, 'load');
    if (this.#load === null) throw new TypeError('store.load: no function');
    this.#version = functionOf(store, 'version');
    const audit = functionOf(store, 'audit');
    const unixMs = functionOf(store, 'unixMs');
    /** load, version, audit, unixMs; null for what there is not. */
    this.functions = [
      (record) => this.#guarded(() => this.#loaded(record), IO),
      this.#version && ((record) => this.#guarded(() => NAMES[record] ===
        undefined ? NOENT : this.#numberOf(NAMES[record]) ?? NOENT, IO)),
      audit && ((line) => this.#guarded(() => { audit(line); })),
      unixMs && (() => this.#guarded(() => number(unixMs(), 'unixMs')) ??
        Date.now()),
    ];
  }

  #guarded(fn, failed) {
    try {
      return fn();
    } catch (e) {
      if (this.#raised.length === 0) this.#raised.push(e);
      return failed;
    }
  }

  #numberOf(name) {
    const version = this.#version(name);
    return version === null || version === undefined ? null :
      number(version, 'version');
  }

  #loaded(record) {
    const name = NAMES[record];
    if (name === undefined) return NOENT;
    // The version first: one that is too old has it loaded once more.
    const version = this.#version === null ? 0 : this.#numberOf(name);
    const bytes = this.#load(name);
    if (bytes === null || bytes === undefined) return NOENT;
    if (!(bytes instanceof Uint8Array)) {
      throw new TypeError('load: expected a Uint8Array or null, and at once');
    }
    return [bytes, version ?? 0];
  }

  /** What was thrown first since it was last asked, in an array, or []. */
  take() {
    return this.#raised.splice(0);
  }

  /** The library is at rest: throws it. */
  rest() {
    for (const e of this.take()) throw e;
  }
}

module.exports = { StoreCalls };
