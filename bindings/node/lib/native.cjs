'use strict';
const { Console } = require('node:console');
const addon = require('../genkan.node');
const { error } = require('./errors.cjs');
const { Handle, contextOf } = require('./context.cjs');

const IN_MAX = addon.NATIVE_IN_MAX;
const OUT_MAX = addon.NATIVE_OUT_MAX;

/** The four bytes before a frame of so many bytes. */
const header = (length, max = OUT_MAX) =>
  addon.nativeHeader(length, max, Buffer.allocUnsafe(4));

/** Prefix and JSON in one piece. */
const encode = (bytes, max = OUT_MAX) => addon.nativeEncode(bytes, max);

/** Takes frames of one direction out of a stream of bytes. */
class Decoder extends Handle {
  constructor({ max = IN_MAX, context } = {}) {
    super(addon.decoderNew(contextOf(context), max));
  }

  /** The frames that these bytes complete; an error is final. */
  feed(bytes) {
    return addon.decoderFeed(this.raw, bytes);
  }

  /** What the end of the input means here. */
  eof() {
    return ['clean', 'prefix', 'body'][addon.decoderEof(this.raw)];
  }
}

/**
 * The two pipes of a native-messaging host of your own:
 *
 *     const host = new NativeHost();
 *     for await (const message of host) await host.send({ echo: message });
 *
 * Without an output it takes standard output and points `console` at standard
 * error, so that a stray console.log() damages nothing.
 */
class NativeHost {
  #decoder;
  #input;
  #output;

  constructor({ input = process.stdin, output, context } = {}) {
    this.#decoder = new Decoder({ context });
    this.#input = input;
    this.#output = output ?? process.stdout;
    if (output == null) globalThis.console = new Console(process.stderr);
  }

  /** Resolves once the message is with the system, or in its buffer. */
  async send(message) {
    const frame = encode(Buffer.from(JSON.stringify(message)));
    await new Promise((done, failed) => {
      this.#output.write(frame, (e) => (e ? failed(e) : done()));
    });
  }

  async* [Symbol.asyncIterator]() {
    for await (const chunk of this.#input) {
      for (const frame of this.#decoder.feed(chunk)) {
        let message;
        try {
          message = JSON.parse(frame.toString());
        } catch (e) {
          throw error('bad-json', e.message);
        }
        yield message;
      }
    }
    if (this.#decoder.eof() === 'body') throw error('frame-cut-short');
  }

  close() {
    this.#decoder.close();
  }
}

module.exports = { native: { IN_MAX, OUT_MAX, header, encode, Decoder,
  NativeHost } };
