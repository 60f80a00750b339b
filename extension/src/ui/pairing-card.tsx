/** A fingerprint to compare, and the two answers to it. Reject is the default, as everywhere. */
import { useEffect, useRef, useState } from 'react';
import { send } from '../browser/runtime';
import { t } from '../i18n';
import type { KeyView } from '../messages';
import { Alert, Fingerprint, Words } from './kit';
import { sayKey } from './say';

interface Props {
  pending: KeyView;
  done?: (text: string) => void;
  /** Reject takes the focus, unless the person is somewhere else. */
  focus?: boolean;
}

export function Compare({ pending: { keyId }, done, focus = false }: Props) {
  const [error, setError] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const reject = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (focus && (document.activeElement === null || document.activeElement === document.body)) reject.current?.focus();
  }, [focus]);
  const answer = async (approved: boolean) => {
    setBusy(true);
    const reply = await send(approved ? { type: 'enroll_approve', keyId } : { type: 'enroll_reject' });
    setBusy(false);
    setError(reply.ok ? undefined : sayKey(reply.error));
    if (reply.ok) done?.(t(approved ? 'pairing.approved' : 'blocked.rejected'));
  };
  return (
    <div className="compare stack">
      <p>
        <Words of="pairing.pending" />
      </p>
      <Fingerprint keyId={keyId} />
      <p className="soft small">{t('pairing.reject_stops')}</p>
      <div className="answers">
        <button ref={reject} data-act="pair-reject" className="filled" disabled={busy} onClick={() => void answer(false)}>
          {t('pairing.reject')}
        </button>
        <button data-act="pair-approve" disabled={busy} onClick={() => void answer(true)}>
          {t('pairing.approve')}
        </button>
      </div>
      <Alert>{error}</Alert>
    </div>
  );
}

/** Asks the host for its key; what comes of it appears by itself. */
export function PairButton({ again, disabled, filled = false }: { again: boolean; disabled: boolean; filled?: boolean }) {
  const [error, setError] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const pair = async () => {
    setBusy(true);
    const reply = await send({ type: 'enroll_pair' });
    setBusy(false);
    setError(reply.ok ? undefined : sayKey(reply.error));
  };
  return (
    <div className="stack tight">
      <div>
        <button data-act="pair" className={filled ? 'filled' : undefined} disabled={disabled || busy} onClick={() => void pair()}>
          {t(again ? 'pairing.again' : 'pairing.pair')}
        </button>
      </div>
      <Alert>{error}</Alert>
    </div>
  );
}
