/** Whom this browser trusts: the host by its key, the person by an authenticator. */
import { useContext, useEffect, useRef, useState } from 'react';
import { send } from '../../browser/runtime';
import { t } from '../../i18n';
import type { EnrollmentView } from '../../messages';
import { Alert, Card, Fingerprint, Foreign, Words } from '../kit';
import { Compare, PairButton } from '../pairing-card';
import { PageContext } from '../presence';
import { sayKey, when } from '../say';
import { pairingKey, wayOut } from '../state';
import { Authenticator } from './authenticator';

/** Two clicks, the first of which says what the second does. */
function Unpair() {
  const page = useContext(PageContext);
  const [sure, setSure] = useState(false);
  const [error, setError] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const keep = useRef<HTMLButtonElement>(null);
  // The button that was clicked is gone; Enter again must not unpair.
  useEffect(() => {
    if (sure) keep.current?.focus();
  }, [sure]);
  const unpair = async () => {
    setBusy(true);
    const reply = await send({ type: 'enroll_revoke' });
    setBusy(false);
    setError(reply.ok ? undefined : sayKey(reply.error));
    if (!reply.ok) return;
    setSure(false);
    page.done(t('pairing.unpaired'));
  };
  return (
    <div className="stack tight">
      <p className={sure ? '' : 'soft small'}>{t('pairing.unpair_warning')}</p>
      <div className="row wrapping">
        {sure ? (
          <>
            <button ref={keep} data-act="unpair-keep" className="filled" disabled={busy} onClick={() => setSure(false)}>
              {t('pairing.unpair_keep')}
            </button>
            <button data-act="unpair-now" className="stop" disabled={busy} onClick={() => void unpair()}>
              {t('pairing.unpair_now')}
            </button>
          </>
        ) : (
          <button data-act="unpair" className="stop" onClick={() => setSure(true)}>
            {t('pairing.unpair')}
          </button>
        )}
      </div>
      <Alert>{error}</Alert>
    </div>
  );
}

function Paired({ pairing, up }: { pairing: EnrollmentView; up: boolean }) {
  const page = useContext(PageContext);
  const [error, setError] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const verify = async () => {
    setBusy(true);
    const reply = await send({ type: 'enroll_verify' });
    setBusy(false);
    setError(reply.ok ? undefined : sayKey(reply.error));
    page.done(reply.ok ? t('pairing.verified_now') : '');
  };
  return (
    <div className="paired">
      {pairing.pin === null ? null : <Fingerprint keyId={pairing.pin.keyId} />}
      <div className="stack">
        <div className="stack tight">
          {pairing.lastVerifiedAt === null ? null : <p className="soft small">{t('pairing.verified', [when(pairing.lastVerifiedAt)])}</p>}
          <div>
            <button data-act="pair-verify" disabled={busy || !up} onClick={() => void verify()}>
              {t('pairing.verify')}
            </button>
          </div>
          <Alert>{error}</Alert>
        </div>
        <Unpair />
      </div>
    </div>
  );
}

function Pairing({ pairing, up }: { pairing: EnrollmentView; up: boolean }) {
  const page = useContext(PageContext);
  const { serving, pin, pending, lastError } = pairing;
  const blocked = serving === 'blocked';
  const paired = pin !== null && !blocked;
  return (
    <>
      <h3>{t('pairing.title')}</h3>
      {pending === null || blocked ? <p>{t(pairingKey(pairing))}</p> : null}
      {blocked ? (
        <p className="soft small">
          <Words of={wayOut(pairing.blocked)} />
        </p>
      ) : null}
      {serving === 'unpaired' ? <p className="soft small">{t('unpaired.line')}</p> : null}
      {pairing.revokePending ? <p className="small">{t('pairing.revoke_pending')}</p> : null}
      {pending === null ? null : <Compare key={pending.keyId} pending={pending} done={page.done} />}
      {pending !== null || paired || (blocked && pairing.blocked === 'unreadable') ? null : (
        <>
          <p className="soft small">
            <Words of="pairing.how" />
          </p>
          <PairButton again={blocked} disabled={!up} />
        </>
      )}
      {paired ? <Paired pairing={pairing} up={up} /> : null}
      {lastError === null ? null : (
        <p className="soft small wrap">
          <Foreign>{t('pairing.error', [when(lastError.at), sayKey(lastError.reason).replaceAll('`', '')])}</Foreign>
        </p>
      )}
    </>
  );
}

export const IdentityPanel = ({ pairing, up }: { pairing: EnrollmentView; up: boolean }) => (
  <Card id="pairing" title={t('identity.title')}>
    <Pairing pairing={pairing} up={up} />
    <Authenticator up={up} />
  </Card>
);
