/**
 * What the gates read over and over, held in memory: records of `storage.local`, and permissions that
 * are held. Every decision still reads all of its inputs; what changes one of them takes it out of here
 * first, and a worker that starts anew holds nothing.
 */
import type { Permissions } from './allowlist';
import type { TrustStore } from './keys';

export interface HeldStore extends TrustStore {
  /** Something in it changed, whoever changed it. */
  changed(): void;
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const member of Object.values(value)) freeze(member);
}

/**
 * A store that asks the browser once for the same keys, until anything changes: the same object is given to
 * all who ask, and nobody can change it. What fails is not held, nor what was read while something changed.
 */
export function heldStore(store: TrustStore): HeldStore {
  const answers = new Map<string, Record<string, unknown>>();
  let changes = 0;

  function changed(): void {
    changes += 1;
    answers.clear();
  }

  async function changing(work: () => Promise<void>): Promise<void> {
    changed();
    try {
      await work();
    } finally {
      changed();
    }
  }

  return {
    async read(keys) {
      const name = keys.join();
      const held = answers.get(name);
      if (held !== undefined) return held;
      const before = changes;
      const read = await store.read(keys);
      freeze(read);
      if (changes === before) answers.set(name, read);
      return read;
    },
    write: (items) => changing(() => store.write(items)),
    remove: (keys) => changing(() => store.remove(keys)),
    changed,
  };
}

export interface HeldPermissions extends Permissions {
  /** The browser gave something, or took something away. */
  changed(): void;
}

/** A permission that is held is looked up once, until any changes; one that is not, every time. */
export function heldPermissions(permissions: Permissions): HeldPermissions {
  const held = new Set<string>();
  let changes = 0;
  const changed = (): void => {
    changes += 1;
    held.clear();
  };
  return {
    async contains(pattern) {
      if (held.has(pattern)) return true;
      const before = changes;
      const has = await permissions.contains(pattern);
      if (has && changes === before) held.add(pattern);
      return has;
    },
    async remove(pattern) {
      changed();
      try {
        return await permissions.remove(pattern);
      } finally {
        changed();
      }
    },
    changed,
  };
}
