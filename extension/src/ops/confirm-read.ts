/** The window of `cookie_get` and `storage_get` while the extension is unpaired (extension.md 10.1). */
import type { ConfirmRequest } from '../gate/confirm';
import { plain, spelled } from '../text';
import { confirmBase, TITLE_LIMIT } from './act';
import type { Context } from './context';

/** Calls without a tab share their grace among themselves. */
const NO_TAB = -1;

export interface Read {
  origin: string;
  store: 'cookies' | 'localStorage' | 'sessionStorage';
  host: string;
  /** The one name or key that is asked for. */
  entry: string | undefined;
}

/** Null once there is a pairing: then the policy alone decides. The detail is in no language. */
export function readConfirm(context: Context, { origin, store, host, entry }: Read): ConfirmRequest | null {
  const { snapshot, tab, call } = context;
  if (snapshot.serving !== 'unpaired') return null;
  const base =
    tab === null
      ? { tool: call.op, tabTitle: '', timeoutMs: snapshot.policy.clickToastTimeoutMs }
      : { ...confirmBase(context), tabTitle: plain(tab.title, TITLE_LIMIT) };
  return {
    ...base,
    kind: 'read',
    origin,
    detail: [store, spelled(host), ...(entry === undefined ? [] : [spelled(entry)])].join(' \u00b7 '),
    grace: { tabId: tab?.id ?? NO_TAB, action: 'read', forMs: snapshot.policy.confirmGraceMs },
  };
}
