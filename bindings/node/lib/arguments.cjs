'use strict';
const { error } = require('./errors.cjs');

// What the addon does not see before it is used; it says the same of the rest.

const word = (v) => (v === null || v === undefined ? String(v) :
  typeof v === 'number' ? `the number ${v}` :
    Array.isArray(v) ? 'an array' :
      /^[aeiou]/.test(typeof v) ? `an ${typeof v}` : `a ${typeof v}`);

const expected = (name, what, v) =>
  new TypeError(`${name}: expected ${what}, not ${word(v)}`);

/** A text that there has to be. */
function text(name, v) {
  if (typeof v !== 'string') throw expected(name, 'a string', v);
  return optionalText(name, v);
}

/** One that may be left out: null then. */
function optionalText(name, v) {
  if (v === undefined || v === null) return null;
  if (typeof v !== 'string') throw expected(name, 'a string', v);
  if (v.includes('\0')) {
    throw error('invalid-argument', `${name}: text with U+0000 in it`);
  }
  return v;
}

function texts(name, v) {
  if (!Array.isArray(v) || !v.every((one) => typeof one === 'string')) {
    throw expected(name, 'an array of strings', v);
  }
  return v.map((one) => text(name, one));
}

/** An integer that is not negative. */
function count(name, v) {
  if (!Number.isSafeInteger(v)) throw expected(name, 'an integer', v);
  if (v < 0) throw error('invalid-argument', `${name}: below zero`);
  return v;
}

/** Milliseconds, 0 for no limit. */
function timeout(v) {
  if (typeof v !== 'number' || !(v <= Number.MAX_SAFE_INTEGER)) {
    throw expected('timeout', 'milliseconds', v);
  }
  return Math.ceil(v);
}

function optionalFunction(name, v) {
  if (v !== undefined && v !== null && typeof v !== 'function') {
    throw expected(name, 'a function', v);
  }
  return v ?? null;
}

/** Calls may wait on it: an AbortSignal, or what behaves as one. */
function optionalSignal(v) {
  if (v === undefined || v === null) return undefined;
  if (typeof v !== 'object' || typeof v.throwIfAborted !== 'function' ||
      typeof v.addEventListener !== 'function') {
    throw expected('signal', 'an AbortSignal', v);
  }
  return v;
}

/** The arguments of a tool, as JSON. */
function json(v) {
  if (typeof v !== 'object' || v === null || Array.isArray(v) ||
      typeof v.then === 'function') {
    throw expected('args', 'an object', v);
  }
  try {
    return JSON.stringify(v);
  } catch (e) {
    throw error('invalid-argument', `args: ${e.message}`);
  }
}

module.exports = { count, expected, json, optionalFunction, optionalSignal,
  optionalText, text, texts, timeout };
