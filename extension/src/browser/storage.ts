/** `storage.local`, news for our pages, and the confinement of both to our own contexts (extension.md 8). */
import { browser } from 'wxt/browser';

export type Stored = Record<string, unknown>;

export const read = (keys: readonly string[]): Promise<Stored> => browser.storage.local.get([...keys]);

export const write = (items: Stored): Promise<void> => browser.storage.local.set(items);

export const remove = (keys: readonly string[]): Promise<void> => browser.storage.local.remove([...keys]);

/** For the pages that are open, and gone with the browser: nothing reads it but `onChanged`. */
export const tell = (items: Stored): Promise<void> => browser.storage.session.set(items);

/** Keys of `storage.local` that changed, and those that were told. */
export function onChanged(listener: (keys: string[]) => void): () => void {
  const heard = (changes: Record<string, unknown>, area: string): void => {
    if (area === 'local' || area === 'session') listener(Object.keys(changes));
  };
  browser.storage.onChanged.addListener(heard);
  return () => browser.storage.onChanged.removeListener(heard);
}

/** Local first: it holds the trust state. Content scripts see neither afterwards. */
export async function confine(): Promise<void> {
  await browser.storage.local.setAccessLevel({ accessLevel: 'TRUSTED_CONTEXTS' });
  await browser.storage.session.setAccessLevel({ accessLevel: 'TRUSTED_CONTEXTS' });
}
