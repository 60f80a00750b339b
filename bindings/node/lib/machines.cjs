'use strict';
const addon = require('../genkan.node');
const { Handle, contextOf, now } = require('./context.cjs');

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
  wrote(n) { addon.legWrote(this.raw, n); }
  /** Bits of WANT. */
  get wants() { return addon.legWants(this.raw); }
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
  /** One event, null when there is none. */
  next() {
    const ev = addon.next(this.raw);
    if (ev === null) return null;
    ev.kind = KINDS[ev.kind] ?? 'none';
    if (ev.leg !== undefined) ev.leg = new Leg(ev.leg);
    if (ev.job !== undefined) ev.job = new Job(ev.job);
    return ev;
  }

  /** When tick() is due, in monotonic milliseconds; null: never. */
  get deadline() { return addon.deadline(this.raw); }
  tick(ms = now()) { addon.tick(this.raw, ms); }

  /** The leg of standard input and output; null at later calls. */
  stdio() {
    const raw = addon.stdio(this.raw);
    return raw === null ? null : new Leg(raw);
  }

  /** Leave now: an exit is the next event. */
  stop() { addon.stop(this.raw); }
}

/** An MCP server, as broker or as relay. */
class Server extends Machine {
  constructor({ clientName = null, brokerOnly = false, context } = {}) {
    super(addon.serverNew(contextOf(context), clientName,
      brokerOnly ? 1 : 0));
  }

  /** Takes one connection from the listener; was there one? */
  accept() { return addon.accept(this.raw); }
  /** electing, attached, broker or outdated */
  get role() { return addon.state(this.raw); }
}

/**
 * The broker alone, over connections of your own.  It has no stdio() and nothing
 * to stop().
 */
class Broker extends Machine {
  constructor({ secret, stay = false, context } = {}) {
    super(addon.brokerNew(contextOf(context), secret, stay ? 1 : 0));
  }

  /** The leg of a connection whose other end is known: see queryPeer(). */
  accept({ hash = null, roles = 0, sameUser, pid = 0, path = null }) {
    if (typeof sameUser !== 'boolean') {
      throw new TypeError('sameUser: true or false');
    }
    return new Leg(addon.brokerAccept(this.raw, sameUser ? 1 : 0, roles, pid,
      hash, path));
  }

  get clients() { return addon.brokerCount(this.raw, 0); }
  get browsers() { return addon.brokerCount(this.raw, 1); }
}

/** The native-messaging host of one browser. */
class Host extends Machine {
  constructor({ argv = [], context } = {}) {
    super(addon.hostNew(contextOf(context), ...argv));
  }

  get state() { return addon.state(this.raw); }
}

module.exports = { machines: { WANT, Leg, Job, Machine, Server, Broker, Host } };
