/**
 * What the gates read over and over, held in memory: records of `storage.local`, and permissions that
 * are held. Every decision still reads all of its inputs; what changes one of them takes it out of here
 * first, and a worker that starts anew holds nothing.
 */
import type { Permissions } from './allowlist';
import type { TrustStore } from './keys';

/** Values by key, with a count of changes, so that what was read before one is not held after it. */
function createShelf<T>() {
  const values = new Map<string, T>();
  const changes = new Map<string, number>();
  const at = (key: string): number => changes.get(key) ?? 0;
  return {
    has: (key: string): boolean => values.has(key),
    get: (key: string): T | undefined => values.get(key),
    drop(keys: readonly string[]): void {
      for (const key of keys) {
        values.delete(key);
        changes.set(key, at(key) + 1);
      }
    },
    /** Taken before a read; what it gives then holds what was read, unless it changed meanwhile. */
    before(keys: readonly string[]): (key: string, value: T) => void {
      const seen = new Map(keys.map((key) => [key, at(key)]));
      return (key, value) => {
        if (seen.get(key) === at(key)) values.set(key, value);
      };
    },
  };
}

export interface HeldStore extends TrustStore {
  /** These keys changed, whoever changed them. */
  changed(keys: readonly string[]): void;
}

/**
 * A store that asks the browser once for each key, until it changes. A key that is absent is held too. What
 * fails is never held, and what is being written is read from the browser until it is.
 */
export function heldStore(store: TrustStore): HeldStore {
  const shelf = createShelf<{ value?: unknown }>();

  async function changing(keys: readonly string[], work: () => Promise<void>): Promise<void> {
    shelf.drop(keys);
    try {
      await work();
    } finally {
      shelf.drop(keys);
    }
  }

  return {
    async read(keys) {
      const out: Record<string, unknown> = {};
      if (keys.every(shelf.has)) {
        for (const key of keys) {
          const held = shelf.get(key);
          if (held !== undefined && Object.hasOwn(held, 'value')) out[key] = held.value;
        }
      } else {
        // All of them at once, so that records which are written together are never read apart.
        const hold = shelf.before(keys);
        Object.assign(out, await store.read(keys));
        for (const key of keys) hold(key, Object.hasOwn(out, key) ? { value: out[key] } : {});
      }
      // Whoever reads may do with it what they like.
      return structuredClone(out);
    },
    write: (items) => changing(Object.keys(items), () => store.write(items)),
    remove: (keys) => changing(keys, () => store.remove(keys)),
    changed: (keys) => shelf.drop(keys),
  };
}

export interface HeldPermissions extends Permissions {
  /** The browser gave something, or took something away. */
  changed(): void;
}

/** A permission that is held is looked up once, until any changes; one that is not, every time. */
export function heldPermissions(permissions: Permissions): HeldPermissions {
  const shelf = createShelf<true>();
  const known = new Set<string>();
  const changed = (): void => {
    shelf.drop([...known]);
  };
  return {
    async contains(pattern) {
      if (shelf.has(pattern)) return true;
      known.add(pattern);
      const hold = shelf.before([pattern]);
      const held = await permissions.contains(pattern);
      if (held) hold(pattern, true);
      return held;
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
