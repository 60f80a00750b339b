/**
 * Mutable state of a module, registered so that tests can reset it.
 *
 * The worker may vanish at any instruction, so such state is a cache and nothing more. Bare `let`
 * and bare collections at the top level are refused by the lint: a test that forgets one of them
 * passes or fails by the order of the files.
 */
export interface Cell<T> {
  get(): T;
  set(value: T): void;
  reset(): void;
}

// The one collection that the lint lets stand: it is what the rule is made of.
const registry: Cell<unknown>[] = [];

export function cell<T>(init: () => T): Cell<T> {
  let value = init();
  const made: Cell<T> = {
    get: () => value,
    set: (next) => {
      value = next;
    },
    reset: () => {
      value = init();
    },
  };
  registry.push(made as Cell<unknown>);
  return made;
}

/** For tests: every cell back to its first value. */
export function resetCells(): void {
  for (const each of registry) each.reset();
}
