/** The allowed sites, with the way to take each back. */
import { useState } from 'react';
import { send } from '../browser/runtime';
import { t } from '../i18n';
import type { AllowlistView } from '../messages';
import { Alert } from './kit';

export function Sites({ list }: { list: AllowlistView | null }) {
  const [error, setError] = useState<string | undefined>();
  const remove = async (glob: string) => {
    const reply = await send({ type: 'remove_allow', glob });
    if (!reply.ok) setError(reply.error);
    else setError(reply.data.permissionError === undefined ? undefined : t('sites.removed_permission_stays', [glob, reply.data.permissionError]));
  };
  const entries = list?.entries ?? [];
  return (
    <div className="stack tight">
      {list?.allowAllSites === true && list.allUrlsHeld ? <p className="small">{t('sites.all')}</p> : null}
      {entries.length === 0 ? <p className="soft small">{t('sites.none')}</p> : null}
      <ul className="stack tight">
        {entries.map((e) => (
          <li key={e.glob} className="row spread">
            <span className="wrap">
              <span className="mono">{e.glob}</span>
              {e.held ? null : <span className="soft small"> {t('sites.not_held')}</span>}
            </span>
            <button className="plain" data-act="site-remove" aria-label={t('sites.remove_label', [e.glob])} onClick={() => void remove(e.glob)}>
              {t('sites.remove')}
            </button>
          </li>
        ))}
      </ul>
      <Alert>{error}</Alert>
    </div>
  );
}
