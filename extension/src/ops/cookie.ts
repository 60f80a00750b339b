/** `cookie_get` (tools.md 6.14). */
import { getCookies, type Cookie } from '../browser/cookies';
import { ToolError } from '../errors';
import type { ConfirmRequest } from '../gate/confirm';
import { webUrl } from '../gate/site';
import type { Args } from '../link/requests';
import { maskCookieValue } from '../mask';
import { readConfirm } from './confirm-read';
import type { Context, Operation, Operations } from './context';
import { checkUrl } from './tabs';
import { pageOrigin } from './target';

const HINT =
  'The browser gave no cookies. There may be none, or its permission for this host may be missing: ask the user to allow the site again.';

/** Trimmed, lower case, without the dots that cookies of a whole domain begin with. */
const domainOf = (args: Args): string | null =>
  typeof args.domain === 'string' ? args.domain.trim().toLowerCase().replace(/^\.+/, '') : null;

const urlOf = (args: Args): URL | null => (typeof args.url === 'string' ? webUrl(args.url) : null);

/** Neither is given: the address of the target tab stands for it. */
const ofTab = (args: Args): boolean => args.url === undefined && args.domain === undefined;

function check(args: Args): void {
  if (args.url !== undefined) checkUrl(args);
  const domain = domainOf(args);
  if (domain !== null && (domain === '' || /:\/\/|[/*]/.test(domain)))
    throw new ToolError('INVALID_ARGUMENT', 'domain must be a host name alone, such as example.com, without scheme, path or wildcard.');
}

/** What is asked of the browser, and the hosts whose cookies may come back. */
function wanted(context: Context): { url?: string; domain?: string; name?: string; hosts: string[] } {
  const { args, tab } = context;
  const url = ofTab(args) ? webUrl(tab?.url ?? '') : urlOf(args);
  const domain = domainOf(args);
  return {
    ...(url === null ? {} : { url: url.href }),
    ...(domain === null ? {} : { domain }),
    ...(typeof args.name === 'string' ? { name: args.name } : {}),
    hosts: [...(url === null ? [] : [url.hostname]), ...(domain === null ? [] : [domain])],
  };
}

/**
 * The host itself or a parent of it: the browser's own filter by domain lets subdomains in, of whose
 * approval nothing is known.
 */
export function reaches(cookieDomain: string, host: string): boolean {
  const bare = cookieDomain.replace(/^\.+/, '');
  return bare !== '' && (host === bare || host.endsWith(`.${bare}`));
}

const shown = (cookie: Cookie) => ({
  name: cookie.name,
  value: maskCookieValue(cookie.value),
  domain: cookie.domain,
  path: cookie.path,
  httpOnly: cookie.httpOnly,
  secure: cookie.secure,
  sameSite: cookie.sameSite,
  session: cookie.session,
  ...(cookie.expirationDate === undefined ? {} : { expirationDate: cookie.expirationDate }),
});

async function prepare(context: Context): Promise<ConfirmRequest | null> {
  const { args, tools } = context;
  const domain = domainOf(args);
  // Never asked for: what nobody visits can be named by anybody.
  const listed = domain === null ? null : await tools.allowlist.checkHost(domain);
  const { url, hosts, name } = wanted(context);
  return readConfirm(context, {
    origin: url === undefined ? (listed ?? '') : new URL(url).origin,
    store: 'cookies',
    host: hosts.at(-1) ?? '',
    entry: name,
  });
}

const cookieGet: Operation = {
  target: (args) => (ofTab(args) ? 'tab' : 'none'),
  address: 'page',
  check,
  site: (args, tab) => (ofTab(args) ? (tab === null ? null : pageOrigin(tab)) : (urlOf(args)?.origin ?? null)),
  prepare,
  async act(context) {
    const domain = domainOf(context.args);
    // The entry may have gone while a window was open.
    if (domain !== null) await context.tools.allowlist.checkHost(domain);
    const { hosts, ...filter } = wanted(context);
    const cookies = (await getCookies(filter)).filter((c) => hosts.every((host) => reaches(c.domain, host)));
    return { cookies: cookies.map(shown), count: cookies.length, ...(cookies.length === 0 ? { hint: HINT } : {}) };
  },
};

export const cookieOperations = { cookie_get: cookieGet } satisfies Operations;
