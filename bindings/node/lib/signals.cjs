'use strict';

/** One listener for all that waits on a signal: Node warns of more than ten. */
class Signals {
  #waiting = new Map();

  add(signal, stop) {
    let one = this.#waiting.get(signal);
    if (one === undefined) {
      const stops = new Set();
      one = { stops, listener: () => {
        this.#waiting.delete(signal);
        for (const each of [...stops]) each();
      } };
      signal.addEventListener('abort', one.listener, { once: true });
      this.#waiting.set(signal, one);
    }
    one.stops.add(stop);
  }

  remove(signal, stop) {
    const one = this.#waiting.get(signal);
    if (one === undefined) return;
    one.stops.delete(stop);
    if (one.stops.size > 0) return;
    signal.removeEventListener('abort', one.listener);
    this.#waiting.delete(signal);
  }
}

module.exports = { Signals };
