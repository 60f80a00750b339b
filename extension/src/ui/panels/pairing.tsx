/** Which host this browser serves. */
import { t } from '../../i18n';
import type { EnrollmentView } from '../../messages';
import { Card, Fingerprint } from '../kit';
import { when } from '../say';
import { pairingKey } from '../state';

export function PairingPanel({ pairing }: { pairing: EnrollmentView }) {
  const key = pairing.pin ?? pairing.pending;
  return (
    <Card id="pairing" title={t('pairing.title')}>
      <p>{t(pairingKey(pairing))}</p>
      {pairing.serving === 'blocked' ? <p className="soft small">{t('blocked.way_out')}</p> : null}
      {pairing.serving === 'unpaired' ? <p className="soft small">{t('unpaired.line')}</p> : null}
      {key === null ? null : <Fingerprint keyId={key.keyId} />}
      {pairing.lastVerifiedAt === null ? null : <p className="soft small">{t('pairing.verified', [when(pairing.lastVerifiedAt)])}</p>}
    </Card>
  );
}
