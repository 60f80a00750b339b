'use strict';
const net = require('node:net');
const addon = require('../genkan.node');
const check = require('./arguments.cjs');
const { ToolError, GenkanError, error } = require('./errors.cjs');
const { contextOf, now, warn } = require('./context.cjs');
const { machines } = require('./machines.cjs');
const { Signals } = require('./signals.cjs');
const tables = require('./tables.cjs');

const RENDER = new Map(tables.tools);
const { WANT, Machine } = machines;
const ATTACHED = 2;

/** The machine itself: attach, call, cancel; no descriptor, no promise. */
class ClientMachine extends Machine {
  constructor({ programDir = null, context } = {}) {
    super(addon.clientNew(contextOf(context), programDir));
  }

  attach() { addon.clientAttach(this.raw); }
  /** Attaches over a connection that is there: the leg for it. */
  join(secret) { return new machines.Leg(addon.clientJoin(this.raw, secret)); }
  call(tool, args, timeout) {
    return addon.clientCall(this.raw, tool, args, timeout);
  }
  tools() { return addon.clientTools(this.raw); }
  cancel(id) { return addon.clientCancel(this.raw, id); }
  /** 0 detached, 1 attaching, 2 attached */
  get state() { return addon.state(this.raw); }
  get outstanding() { return addon.clientOutstanding(this.raw); }
}

machines.ClientMachine = ClientMachine;

/** What a call gave: the text as it is, and what it stands for. */
class Result {
  constructor(tool, ev) {
    this.tool = tool;
    this.text = ev.text;
    this.raw = ev.data === null ? null : JSON.parse(ev.data);
  }

  /** A parsed document, text, or the bytes of a picture. */
  get value() {
    const render = RENDER.get(this.tool) ?? (this.text === null ?
      'image' : 'text');
    if (render === 'image') {
      const item = this.raw?.content?.find((c) => c.type === 'image');
      return item === undefined ? null : { mimeType: item.mimeType,
        data: Buffer.from(item.data, 'base64') };
    }
    return render === 'json' && this.text !== null ?
      JSON.parse(this.text) : this.text;
  }
}

/**
 * A program of one's own that calls the tools of the user's browsers.
 *
 *     const client = await Client.connect();
 *     const { browsers } = await client.call('list_browsers');
 *     client.close();
 *
 * At most 127 calls are with the broker, the others wait in order.
 */
class Client {
  #machine;
  #leg = null;
  #socket = null;
  #held = null;		// read, but not taken by the leg yet
  #writing = false;
  #timer = null;
  #calls = new Map();
  #signals = new Signals();
  #attaching = null;
  #turning = false;
  #reason = null;

  constructor(options = {}) {
    this.#machine = new ClientMachine(options);
    this.#machine.tick();
  }

  /** Makes a client and attaches it. */
  static async connect(options = {}) {
    const client = new Client(options);
    try {
      await client.attach(options);
    } catch (e) {
      client.close();
      throw e;
    }
    return client;
  }

  get attached() {
    return !this.#machine.closed && this.#machine.state === ATTACHED;
  }

  /** Calls that have not ended. */
  get outstanding() {
    return this.#machine.closed ? 0 : this.#machine.outstanding;
  }

  /** Why it is not attached any more; null while it is. */
  get reason() { return this.#reason; }

  /** Finds the broker and attaches to it. */
  attach({ signal } = {}) {
    return new Promise((resolve, reject) => {
      check.optionalSignal(signal)?.throwIfAborted();
      this.#machine.tick();
      this.#machine.attach();
      const stop = () => {
        this.#attaching?.reject(signal.reason);
        this.close();
      };
      signal?.addEventListener('abort', stop, { once: true });
      const end = (fn) => (value) => {
        signal?.removeEventListener('abort', stop);
        this.#attaching = null;
        fn(value);
      };
      this.#attaching = { resolve: end(resolve), reject: end(reject) };
      this.#turn();
    });
  }

  /** Calls a tool; the value of its result.  Throws ToolError. */
  async call(tool, args = {}, options = {}) {
    return (await this.request(tool, args, options)).value;
  }

  /** Calls a tool; the whole result. */
  request(tool, args = {}, { signal, timeout = 0, onProgress } = {}) {
    return this.#begin(tool, signal, onProgress, () => this.#machine.call(
      check.text('tool', tool), check.json(args), check.timeout(timeout)));
  }

  /** The tools that the broker offers, as the protocol lists them. */
  async tools({ signal } = {}) {
    const { raw } = await this.#begin('tools', signal, undefined,
      () => this.#machine.tools());
    return raw.tools;
  }

  #begin(tool, signal, onProgress, start) {
    return new Promise((resolve, reject) => {
      check.optionalSignal(signal)?.throwIfAborted();
      check.optionalFunction('onProgress', onProgress);
      this.#machine.tick();
      const id = start();
      const call = { tool, resolve, reject, onProgress, signal, stop: null };
      if (signal !== undefined && signal !== null) {
        call.stop = () => {
          if (!this.#calls.delete(id)) return;
          if (!this.#machine.closed) {
            this.#machine.cancel(id);
            this.#turn();
          }
          reject(signal.reason);
        };
        this.#signals.add(signal, call.stop);
      }
      this.#calls.set(id, call);
      this.#turn();
    });
  }

  /** Detaches.  What is outstanding is rejected, and cancelled there. */
  close() {
    if (this.#machine.closed) return;
    clearTimeout(this.#timer);
    this.#drop();
    this.#machine.close();
    const gone = error('closed', 'the client was closed');
    this.#attaching?.reject(gone);
    for (const id of [...this.#calls.keys()]) this.#end(id)?.reject(gone);
  }

  [Symbol.dispose ?? Symbol.for('nodejs.dispose')]() {
    this.close();
  }

  /* ------------------------------------------------------------- the loop */

  /** Once round: events, output, deadline. */
  #turn() {
    if (this.#turning || this.#machine.closed) return;
    this.#turning = true;
    try {
      this.#machine.tick();
      do {
        for (let ev; !this.#machine.closed &&
            (ev = this.#machine.next()) !== null;) this.#event(ev);
      } while (!this.#machine.closed && this.#move());
    } finally {
      this.#turning = false;
    }
    if (!this.#machine.closed) this.#sleep();
  }

  #event(ev) {
    switch (ev.kind) {
    case 'job':
      void this.#work(ev.job);
      break;
    case 'serve':
      this.#serve(ev.fd, ev.leg);
      break;
    case 'state':
      this.#state(ev);
      break;
    case 'result': {
      const call = this.#end(ev.id);
      if (call === undefined) break;
      if (ev.code === 0) call.resolve(new Result(call.tool, ev));
      else call.reject(new ToolError(ev.code, ev.text ?? ''));
      break;
    }
    case 'progress':
      try {
        this.#calls.get(ev.id)?.onProgress?.(ev.text);
      } catch (e) {
        warn(e);
      }
      break;
    default:
    }
  }

  #state(ev) {
    if (ev.status === ATTACHED) {
      this.#reason = null;
      this.#attaching?.resolve();
    } else {
      this.#reason = new GenkanError(ev.code, ev.text ?? '');
      this.#attaching?.reject(this.#reason);
      // What waits would wait for another attach() that nobody has promised.
      for (const id of [...this.#calls.keys()]) {
        this.#machine.cancel(id);
        this.#end(id)?.reject(this.#reason);
      }
    }
  }

  #end(id) {
    const call = this.#calls.get(id);
    if (call === undefined) return undefined;
    this.#calls.delete(id);
    if (call.stop !== null) this.#signals.remove(call.signal, call.stop);
    return call;
  }

  async #work(job) {
    await job.run();
    if (this.#machine.closed) {
      job.close();
      return;
    }
    job.done();
    this.#turn();
  }

  #serve(fd, leg) {
    this.#leg = leg;
    this.#socket = new net.Socket({ fd, readable: true, writable: true });
    this.#socket.on('data', (bytes) => {
      this.#held = this.#held === null ? bytes :
        Buffer.concat([this.#held, bytes]);
      this.#turn();
    });
    this.#socket.on('end', () => {
      if (this.#leg === leg && !leg.closed) leg.eof();
      this.#turn();
    });
    this.#socket.on('error', () => {
      if (this.#leg === leg && !leg.closed) {
        leg.broken();
        leg.eof();
      }
      this.#turn();
    });
  }

  /** Moves bytes; true where the machine may have something to say. */
  #move() {
    const leg = this.#leg;
    if (leg === null) return false;
    let moved = this.#feed(leg);
    this.#write(leg);
    if ((leg.wants & WANT.CLOSE) !== 0 && !this.#writing &&
        leg.output() === null) {
      this.#drop();
      moved = true;
    }
    return moved;
  }

  #feed(leg) {
    if (this.#held === null) return false;
    let used;
    try {
      used = leg.feed(this.#held);
    } catch {
      used = this.#held.length;		// it wants to close now
    }
    this.#held = used === this.#held.length ? null :
      this.#held.subarray(used);
    if (this.#held !== null) this.#socket.pause();
    else if (this.#socket.isPaused()) this.#socket.resume();
    return used > 0;
  }

  #write(leg) {
    if (this.#writing) return;
    const bytes = leg.output();
    if (bytes === null) return;
    this.#writing = true;
    // From here on nobody gets them back: the leg has to know before anything
    // else happens to it, or it withdraws what is on its way.
    leg.wrote(bytes.length);
    this.#socket.write(bytes, (e) => {
      if (leg.closed) return;		// #writing is that of another
      this.#writing = false;
      if (e) leg.broken();
      this.#turn();
    });
  }

  #drop() {
    this.#socket?.destroy();
    this.#leg?.close();
    this.#leg = this.#socket = this.#held = null;
    this.#writing = false;
  }

  #sleep() {
    clearTimeout(this.#timer);
    this.#timer = null;
    const due = this.#machine.deadline;
    // Only what somebody waits for keeps the process alive.
    const busy = this.#calls.size > 0 || this.#attaching !== null;
    if (busy) this.#socket?.ref();
    else this.#socket?.unref();
    if (due === null) return;
    this.#timer = setTimeout(() => this.#turn(), Math.max(0, due - now()));
    if (!busy) this.#timer.unref();
  }
}

module.exports = { Client, ClientMachine, Result };
