'use strict';
const addon = require('../genkan.node');
const { expected, optionalFunction } = require('./arguments.cjs');
const { error } = require('./errors.cjs');

const now = () => Math.floor(performance.now());

/** Something of the C library that is closed once; twice is harmless. */
class Handle {
  #raw;

  constructor(raw) {
    this.#raw = raw;
  }

  /** The handle for the addon. */
  get raw() {
    if (this.#raw === null) {
      throw error('closed', `this ${this.constructor.name} is closed`);
    }
    return this.#raw;
  }

  get closed() {
    return this.#raw === null;
  }

  /** Frees it; what it was made from goes on. */
  close() {
    if (this.#raw === null) return;
    const raw = this.#raw;
    this.#raw = null;
    addon.close(raw);
  }

  [Symbol.dispose ?? Symbol.for('nodejs.dispose')]() {
    this.close();
  }
}

/** Of what was thrown where nobody could catch it. */
const warn = (e) => process.emitWarning(e instanceof Error ? e : String(e));

/** A function of the user's, called in the middle of the library's work: what
 * it throws becomes a warning. */
function guarded(fn, name) {
  if (optionalFunction(name, fn) === null) return null;
  return (...args) => {
    try {
      return fn(...args);
    } catch (e) {
      warn(e);
      return undefined;
    }
  };
}

/**
 * What the library must not take from the process it lives in: log, randomness,
 * time.  Everything made from a context keeps it alive.
 */
class Context extends Handle {
  constructor({ log, logLevel = 2, random, programDir } = {}) {
    super(addon.contextNew(guarded(log, 'log'), logLevel,
      guarded(random, 'random'), programDir ?? null));
    this.setTime();
  }

  /** Tells what time it is: monotonic milliseconds, by default now. */
  setTime(ms = now()) {
    addon.contextTime(this.raw, ms);
  }

  get lastError() {
    return addon.contextLastError(this.raw);
  }
}

/** The handle of a context; of a new one for undefined. */
function contextOf(context) {
  if (context === undefined || context === null) return new Context().raw;
  if (!(context instanceof Context)) {
    throw expected('context', 'a Context', context);
  }
  return context.raw;
}

/** Who is at the other end of a connected unix socket. */
function queryPeer(fd, dir, context) {
  return addon.peerQuery(contextOf(context), fd, dir);
}

module.exports = { Handle, Context, contextOf, queryPeer, now, warn };
