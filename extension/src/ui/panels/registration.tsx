/** Whether each browser of this user finds the host, and the way to put that right. */
import { useContext, useState } from 'react';
import type { RegistrationRow } from '@contract/frames';
import { send } from '../../browser/runtime';
import { t } from '../../i18n';
import type { RegistrationBrowser } from '../../messages';
import { useHost } from '../ask';
import { Alert, Card, Foreign, Pill, type Tone } from '../kit';
import { PageContext } from '../presence';
import { say } from '../say';
import { Doctor } from './doctor';
import { HostAnswer } from './host-answer';

/** Names of products, the same in every language. */
const NAMES: Readonly<Record<RegistrationBrowser, string>> = {
  chrome: 'Google Chrome',
  chromium: 'Chromium',
  brave: 'Brave',
  edge: 'Microsoft Edge',
  vivaldi: 'Vivaldi',
  opera: 'Opera',
};

type Kind = RegistrationRow['state']['kind'];
const TONES: Readonly<Record<Kind, Tone>> = { missing: 'wait', ok: 'on', stale: 'wait', foreign: 'stop', unreadable: 'stop' };

/** Files of others, and what cannot be read, are left alone (control.md 10.4). */
const repairable = (kind: Kind): boolean => kind === 'missing' || kind === 'stale';
const leftAlone = (kind: Kind): boolean => kind === 'foreign' || kind === 'unreadable';

function Row({ row, repair, busy }: { row: RegistrationRow; repair: () => void; busy: boolean }) {
  const { browser, detected, state, location } = row;
  const idle = state.kind === 'missing' && !detected;
  return (
    <li className="entry-row">
      <div className="wrap grow stack tight">
        <p className="row wrapping">
          <b>{NAMES[browser]}</b>
          <Pill tone={idle ? 'mute' : TONES[state.kind]}>{t(idle ? 'registration.absent' : `registration.${state.kind}`)}</Pill>
        </p>
        {'detail' in state ? (
          <p className="small wrap">
            <Foreign>{state.detail}</Foreign>
          </p>
        ) : null}
        <p className="soft mono wrap">
          <Foreign>{location}</Foreign>
        </p>
        {leftAlone(state.kind) ? <p className="soft small">{t('registration.left_alone')}</p> : null}
      </div>
      {repairable(state.kind) ? (
        <button data-act={`repair-${browser}`} className="slim" disabled={busy} aria-label={t('registration.repair_label', [NAMES[browser]])} onClick={repair}>
          {t('registration.repair')}
        </button>
      ) : null}
    </li>
  );
}

export function RegistrationPanel({ up }: { up: boolean }) {
  const page = useContext(PageContext);
  const asked = useHost('get_registration', up, page.turn);
  const [error, setError] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const repair = async (browsers?: [RegistrationBrowser]) => {
    setBusy(true);
    const reply = await send({ type: 'repair_registration', ...(browsers === undefined ? {} : { browsers }) });
    setBusy(false);
    setError(reply.ok ? undefined : say(reply.error));
    if (reply.ok) page.done(t('registration.repaired'));
    // What was written before the failure stays.
    else asked.again();
  };
  return (
    <Card
      id="registration"
      title={t('registration.title')}
      aside={
        up && asked.data !== null ? (
          <button data-act="repair-all" className="slim" disabled={busy} onClick={() => void repair()}>
            {t('registration.repair_all')}
          </button>
        ) : null
      }
    >
      <p className="soft small">{t('registration.text')}</p>
      <HostAnswer up={up} asked={asked} act="registration-again">
        {(rows) => (
          <ul className="entries">
            {rows.map((row) => (
              <Row key={row.browser} row={row} busy={busy} repair={() => void repair([row.browser])} />
            ))}
          </ul>
        )}
      </HostAnswer>
      <Alert>{error}</Alert>
      <Doctor up={up} />
    </Card>
  );
}
