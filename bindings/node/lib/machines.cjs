'use strict';
const addon = require('../genkan.node');
const { texts } = require('./arguments.cjs');
const { error } = require('./errors.cjs');
const { Handle, contextOf, now, warn } = require('./context.cjs');
const { StoreCalls } = require('./store.cjs');

const WANT = { READ: 1, WRITE: 2, CLOSE: 4 };
const KINDS = ['none', 'job', 'listen', 'unlisten', 'serve', 'exit', 'state',
  'result', 'progress'];

/** One byte stream between the library and something outside. */
class Leg extends Handle {
  /** Hands over what arrived; how many bytes it took. */
  feed(bytes) { return addon.legFeed(this.raw, bytes); }
  /** The input has ended. */
  eof() { addon.legEof(this.raw); }
  /** The output has failed, or its reader is gone. */
  broken() { addon.legBroken(this.raw); }
  /** What to send next, null for nothing; say wrote() when it is gone. */
  output() { return addon.legOutput(this.raw); }
  /** Messages that wait, whole and together, at most so many bytes: for one
   * write in the place of many.  null if fewer than two wait or fit. */
  gather(most = 8192) { return addon.legGather(this.raw, most); }
  wrote(n) { addon.legWrote(this.raw, n); }
  /** Bits of WANT. */
  get wants() { return addon.legWants(this.raw); }
  /** When tick() is due, in monotonic milliseconds; null: never. */
  get deadline() { return addon.legDeadline(this.raw); }
  tick(ms = now()) { addon.legTick(this.raw, ms); }
}

/** Slow work: run() it, then done(). */
class Job extends Handle {
  /** Resolves when a thread of the pool has run it. */
  run() { return addon.jobRun(this.raw); }
  /** Hands it back; without run() before, it ends without effect. */
  done() {
    addon.jobDone(this.raw);
    this.close();
  }
}

/** What server, host and client have in common. */
class Machine extends Handle {
  #store;

  /** store: the StoreCalls that it was made with, if any. */
  constructor(raw, store = null) {
    super(raw);
    this.#store = store;
  }

  /** One event, null when there is none. */
  next() {
    this.#store?.rest();		// before it, so that no event is lost
    const ev = addon.next(this.raw);
    if (ev === null) return null;
    ev.kind = KINDS[ev.kind] ?? 'none';
    if (ev.leg !== undefined) ev.leg = new Leg(ev.leg);
    if (ev.job !== undefined) ev.job = new Job(ev.job);
    return ev;
  }

  /** When tick() is due, in monotonic milliseconds; null: never. */
  get deadline() { return addon.deadline(this.raw); }
  tick(ms = now()) {
    addon.tick(this.raw, ms);
    this.#store?.rest();
  }

  close() {
    super.close();
    // Nobody is left to throw it to.
    for (const e of this.#store?.take() ?? []) warn(e);
  }

  /** The leg of standard input and output; null at later calls. */
  stdio() {
    const raw = addon.stdio(this.raw);
    return raw === null ? null : new Leg(raw);
  }

  /** Leave now: an exit is the next event. */
  stop() { addon.stop(this.raw); }
}

/** Makes a machine with records of the program's own, or with none. */
function made(store, make) {
  const calls = store === undefined || store === null ? null :
    new StoreCalls(store);
  try {
    return [make(...calls?.functions ?? []), calls];
  } catch (e) {
    for (const raised of calls?.take() ?? []) throw raised;
    throw e;
  }
}

/** An MCP server, as broker or as relay. */
class Server extends Machine {
  constructor({ clientName = null, brokerOnly = false, store, context } = {}) {
    super(...made(store, (...functions) => addon.serverNew(
      contextOf(context), clientName, brokerOnly ? 1 : 0, ...functions)));
  }

  /** Takes one connection from the listener; was there one? */
  accept() { return addon.accept(this.raw); }
  /** electing, attached, broker or outdated */
  get role() { return addon.state(this.raw); }
}

/**
 * The broker alone, over connections of your own.  It has no stdio() and
 * nothing to stop().
 */
class Broker extends Machine {
  constructor({ secret, stay = false, store, context } = {}) {
    super(...made(store, (...functions) => addon.brokerNew(
      contextOf(context), secret, stay ? 1 : 0, ...functions)));
  }

  /** The leg of a connection whose other end is known: see queryPeer(). */
  accept({ hash = null, roles = 0, sameUser, pid = 0, path = null } = {}) {
    if (typeof sameUser !== 'boolean') {
      throw new TypeError('sameUser: true or false');
    }
    return new Leg(addon.brokerAccept(this.raw, sameUser ? 1 : 0, roles, pid,
      hash, path));
  }

  get clients() { return addon.brokerCount(this.raw, 0); }
  get browsers() { return addon.brokerCount(this.raw, 1); }
}

/** No host takes more than the addon does. */
function hostArguments(argv) {
  if (texts('argv', argv).length > addon.HOST_ARGS) {
    throw error('invalid-argument', `argv: more than ${addon.HOST_ARGS}`);
  }
  return argv;
}

/** The native-messaging host of one browser. */
class Host extends Machine {
  constructor({ argv = [], context } = {}) {
    super(addon.hostNew(contextOf(context), ...hostArguments(argv)));
  }

  get state() { return addon.state(this.raw); }
}

module.exports = { machines: { WANT, Leg, Job, Machine, Server, Broker,
  Host } };
