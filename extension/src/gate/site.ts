/** Origins and allowlist entries as text (extension.md 9.1). Pure. */

export type Target =
  | { kind: 'web'; url: URL; origin: string }
  /** Not http or https, a gallery, one of our own pages, or no URL at all. */
  | { kind: 'unsupported'; why: string };

const GALLERIES: readonly (readonly [host: string, path: string])[] = [
  ['chromewebstore.google.com', '/'],
  ['chrome.google.com', '/webstore'],
  ['microsoftedge.microsoft.com', '/addons'],
];

const isBelow = (path: string, base: string): boolean =>
  base === '/' || path === base || path.startsWith(`${base}/`);

/** Whether page tools may act on a document of this address, before any allowlist is asked. */
export function classify(address: string): Target {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return { kind: 'unsupported', why: 'the tab shows no page with an address' };
  }
  if (url.protocol === 'chrome-extension:') return { kind: 'unsupported', why: 'pages of extensions are never acted on' };
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { kind: 'unsupported', why: `${url.protocol} pages cannot be acted on, only http and https` };
  if (url.hostname === '') return { kind: 'unsupported', why: 'the address has no host' };
  if (GALLERIES.some(([host, path]) => url.hostname === host && isBelow(url.pathname, path)))
    return { kind: 'unsupported', why: 'the browser lets no extension act on its extension gallery' };
  return { kind: 'web', url, origin: url.origin };
}

/** An absolute http or https URL with a host, or null. */
export function webUrl(text: string): URL | null {
  try {
    const url = new URL(text);
    return (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '' ? url : null;
  } catch {
    return null;
  }
}

/** The entry of an address: scheme, host, port unless it is the default. Null if it is none of ours. */
export function entryOf(address: string): string | null {
  const url = webUrl(address.trim().replace(/\*$/, ''));
  // `host` holds the port; user, path, query and fragment stay behind.
  return url === null || url.host.includes('*') ? null : `${url.protocol}//${url.host}/*`;
}

/** An entry as it is stored, nothing else. */
export const isEntry = (value: unknown): value is string => typeof value === 'string' && entryOf(value) === value;

/**
 * What the browser is asked for: the entry without its port. A permission with a port would be
 * granted as such and give out no cookies; the list enforces ports instead.
 */
export function permissionOf(entry: string): string {
  const url = new URL(entry.slice(0, -1));
  return `${url.protocol}//${url.hostname}/*`;
}

/** Equality, a trailing `/*` (base, or base and more below it), and a trailing `*` (prefix). */
export function matches(entry: string, href: string): boolean {
  if (entry.endsWith('/*')) {
    const base = entry.slice(0, -2);
    return href === base || href.startsWith(`${base}/`);
  }
  if (entry.endsWith('*')) return href.startsWith(entry.slice(0, -1));
  return href === entry;
}
