/** Earlier policies, as far as the host keeps them, and the way back to each. */
import { useContext, useState } from 'react';
import type { PolicyHistoryRow } from '@contract/frames';
import type { PolicyFields } from '@contract/policy';
import { send } from '../../browser/runtime';
import { changedFields, looserFields } from '../../gate/policy';
import { t } from '../../i18n';
import { useHost } from '../ask';
import { Alert, Pill } from '../kit';
import { PageContext } from '../presence';
import { say, when } from '../say';
import { HostAnswer } from './host-answer';

interface RowProps {
  row: PolicyHistoryRow;
  effective: Readonly<PolicyFields>;
  busy: boolean;
  back: (revision: number, entry: string) => void;
}

function Row({ row: { id, signed, overlay_active, superseded_unix, held }, effective, busy, back }: RowProps) {
  const changed = held === undefined ? [] : changedFields(effective, held.effective);
  const looser = held === undefined ? [] : looserFields(effective, held.effective);
  return (
    <li className="entry-row">
      <div className="wrap grow stack tight">
        <p className="row wrapping">
          {held === undefined ? <Pill tone="stop">{t('policy.damaged')}</Pill> : <b>{t('policy.revision', [String(held.revision)])}</b>}
          {superseded_unix === undefined ? null : <span className="soft small">{t('policy.until', [when(superseded_unix * 1000)])}</span>}
          {signed ? null : <Pill tone="wait">{t('policy.unsigned')}</Pill>}
          {overlay_active ? <Pill tone="mute">{t('policy.restricted')}</Pill> : null}
        </p>
        {held === undefined ? null : changed.length === 0 ? (
          <p className="soft small">{t('policy.same')}</p>
        ) : (
          <p className="row wrapping mono">
            {changed.map((field) => (
              <span key={field} className={looser.includes(field) ? 'lost-inline' : 'soft'}>
                {field} {looser.includes(field) ? `(${t('policy.looser')})` : ''}
              </span>
            ))}
          </p>
        )}
        {looser.length === 0 ? null : <p className="soft small">{t('policy.needs_presence')}</p>}
      </div>
      {held === undefined ? null : (
        <button
          data-act="policy-rollback"
          data-revision={held.revision}
          className="slim"
          disabled={busy}
          aria-label={t('policy.rollback_label', [String(held.revision)])}
          onClick={() => back(held.revision, id)}
        >
          {t('policy.rollback')}
        </button>
      )}
    </li>
  );
}

export function History({ effective, up }: { effective: Readonly<PolicyFields>; up: boolean }) {
  const page = useContext(PageContext);
  const asked = useHost('get_policy_history', up, page.turn);
  const [error, setError] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const back = async (revision: number, entry: string) => {
    setBusy(true);
    const reply = await send({ type: 'rollback_policy', revision, entry });
    setBusy(false);
    setError(reply.ok ? undefined : say(reply.error));
    if (!reply.ok) return;
    if (reply.data === null) page.done(t('policy.rolled_back', [String(revision)]));
    else page.ask(reply.data);
  };
  return (
    <details data-act="policy-history" className="field">
      <summary>{t('policy.history')}</summary>
      <HostAnswer up={up} asked={asked} act="history-again">
        {(rows) =>
          rows.length === 0 ? (
            <p className="soft small">{t('policy.history_none')}</p>
          ) : (
            <ul className="entries">
              {[...rows].reverse().map((row) => (
                <Row key={row.id} row={row} effective={effective} busy={busy} back={(revision, entry) => void back(revision, entry)} />
              ))}
            </ul>
          )
        }
      </HostAnswer>
      <Alert>{error}</Alert>
    </details>
  );
}
