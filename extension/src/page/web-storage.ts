/** Web storage. */
import type { PageData } from '../page-channel';
import { getter, method } from './natives';
import { refuse } from './refusals';

const storageKey = method<[number], string | null>(Storage.prototype, 'key');
const storageItem = method<[string], string | null>(Storage.prototype, 'getItem');
const storageLength = getter<number>(Storage.prototype, 'length');

const MAX_ENTRIES = 500;

function webStorage(type: 'local' | 'session'): object {
  try {
    return type === 'local' ? window.localStorage : window.sessionStorage;
  } catch {
    throw refuse(`the browser keeps no ${type}Storage for this page: it is sandboxed, or the user blocks the data of this site`);
  }
}

export function readStorage({ type, key }: { type: 'local' | 'session'; key?: string | undefined }): PageData<'storage_get'> {
  const store = webStorage(type);
  if (key !== undefined) {
    const value = storageItem(store, key);
    return value === null ? { key, found: false } : { key, found: true, value };
  }
  const totalKeys = storageLength(store);
  const found: Array<[string, string]> = [];
  for (let i = 0; i < totalKeys && found.length < MAX_ENTRIES; i++) {
    const name = storageKey(store, i);
    const value = name === null ? null : storageItem(store, name);
    if (name !== null && value !== null) found.push([name, value]);
  }
  return { type, entries: Object.fromEntries(found), count: found.length, truncated: totalKeys > found.length, totalKeys };
}
