/** The allowed sites, with the way to take each back. */
import { useRef, useState } from 'react';
import { send } from '../browser/runtime';
import { t } from '../i18n';
import type { AllowlistView } from '../messages';
import { Alert } from './kit';

export function Sites({ list }: { list: AllowlistView | null }) {
  const [error, setError] = useState<string | undefined>();
  const shown = useRef<HTMLUListElement>(null);
  const remove = async (glob: string) => {
    const reply = await send({ type: 'remove_allow', glob });
    if (!reply.ok) setError(reply.error);
    else setError(reply.data.permissionError === undefined ? undefined : t('sites.removed_permission_stays', [glob, reply.data.permissionError]));
    // The button that had the focus is about to go.
    shown.current?.focus();
  };
  const entries = list?.entries ?? [];
  return (
    <>
      {list?.allowAllSites === true && list.allUrlsHeld ? <p className="small">{t('sites.all')}</p> : null}
      {list !== null && entries.length === 0 ? <p className="soft small">{t('sites.none')}</p> : null}
      <ul ref={shown} className="sites" tabIndex={-1} hidden={entries.length === 0} aria-label={t('sites.title')}>
        {entries.map((e) => (
          <li key={e.glob} className="row spread">
            <span className="wrap">
              <span className="mono">{e.glob}</span>
              {e.held ? null : <span className="lost small">{t('sites.not_held')}</span>}
            </span>
            <button className="plain" data-act="site-remove" aria-label={t('sites.remove_label', [e.glob])} onClick={() => void remove(e.glob)}>
              {t('sites.remove')}
            </button>
          </li>
        ))}
      </ul>
      <Alert>{error}</Alert>
    </>
  );
}
