/** Authenticators of this browser: enrolled by a ceremony here, known to the host alone. */
import { useContext, useState } from 'react';
import { send } from '../../browser/runtime';
import { t } from '../../i18n';
import type { EnrollmentNote, EnrollOptionsView } from '../../messages';
import { useAnswer } from '../ask';
import { ceremonyText, makeCredential } from '../ceremony';
import { Alert } from '../kit';
import { PageContext } from '../presence';
import { say, when } from '../say';

/** Enough of an id to tell two apart. */
const ID_SHOWN = 12;

function noteText(note: EnrollmentNote): string {
  if (note.state === 'enrolled') return t('authenticator.enrolled', [when(note.enrolledAt), `${note.credentialId.slice(0, ID_SHOWN)}…`]);
  return t(note.state === 'none' ? 'authenticator.none' : 'authenticator.unreadable');
}

export function Authenticator({ up }: { up: boolean }) {
  const page = useContext(PageContext);
  const { data: note, error: unread, again } = useAnswer('webauthn_enrollment');
  const [error, setError] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);

  async function finish(options: EnrollOptionsView): Promise<string | undefined> {
    let made: Awaited<ReturnType<typeof makeCredential>>;
    try {
      made = await makeCredential(options);
    } catch (reason) {
      return ceremonyText(reason);
    }
    const reply = await send({ type: 'webauthn_enroll_finish', ...made });
    if (!reply.ok) return say(reply.error);
    page.done(t('authenticator.enrolled_now'));
    again();
    return undefined;
  }

  async function enroll(): Promise<void> {
    setBusy(true);
    const begun = await send({ type: 'webauthn_enroll_begin' });
    if (!begun.ok) setError(say(begun.error));
    else if (begun.data.state === 'options') setError(await finish(begun.data.options));
    else {
      setError(undefined);
      // A credential that is enrolled agrees first; then the host takes the question anew.
      page.ask(begun.data.request, () => void enroll());
    }
    setBusy(false);
  }

  async function forget(): Promise<void> {
    setBusy(true);
    const reply = await send({ type: 'webauthn_forget' });
    setBusy(false);
    setError(reply.ok ? undefined : say(reply.error));
    again();
    if (reply.ok) page.done(t('authenticator.forgotten'));
  }

  return (
    <div id="authenticator" className="stack tight divided">
      <h3>{t('authenticator.title')}</h3>
      <p className="soft small">{t('authenticator.text')}</p>
      {note === null ? null : <p className="wrap">{noteText(note)}</p>}
      <div className="row wrapping">
        <button data-act="webauthn-enroll" disabled={busy || !up} onClick={() => void enroll()}>
          {t(note?.state === 'enrolled' ? 'authenticator.another' : 'authenticator.enroll')}
        </button>
        <button data-act="webauthn-forget" className="stop" disabled={busy || !up} onClick={() => void forget()}>
          {t('authenticator.forget')}
        </button>
      </div>
      {note === null || note.state === 'none' ? null : <p className="soft small">{t('authenticator.forget_text')}</p>}
      <Alert>{error ?? (unread === null ? undefined : say(unread))}</Alert>
    </div>
  );
}
