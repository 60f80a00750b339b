/** The kill switch: engaged by one click from anywhere, released by the person alone. */
import { useContext, useState } from 'react';
import { send } from '../../browser/runtime';
import { t } from '../../i18n';
import type { StatusView } from '../../messages';
import { Alert, Card, Pill, Words } from '../kit';
import { PageContext } from '../presence';
import { say, when } from '../say';
import { isKilled, killLine, mayRelease, type Reach } from '../state';

export function KillPanel({ status, reach, again }: { status: StatusView; reach: Reach; again: () => void }) {
  const page = useContext(PageContext);
  const [error, setError] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const engage = async () => {
    const reply = await send({ type: 'set_kill', on: true });
    setError(reply.ok ? undefined : say(reply.error));
    again();
  };
  const release = async () => {
    setBusy(true);
    const reply = await send({ type: 'kill_release' });
    setBusy(false);
    setError(reply.ok ? undefined : say(reply.error));
    if (!reply.ok) return again();
    if (reply.data.state === 'presence') page.ask(reply.data.request);
    else page.done();
  };
  const killed = isKilled(status);
  const { pill, tone, text } = killLine(status, reach);
  return (
    <Card id="kill" title={t('kill.title')} aside={<Pill tone={tone}>{t(pill)}</Pill>} {...(killed ? { tone: 'stop' as const } : {})}>
      <div className="row spread wrapping">
        <p className="wrap grow">
          <Words of={text} subs={[status.kill.at === null ? '–' : when(status.kill.at)]} />
        </p>
        {killed ? (
          <button data-act="kill-release" disabled={busy || !mayRelease(status)} onClick={() => void release()}>
            {t('kill.release')}
          </button>
        ) : (
          <button data-act="kill" className="stop" onClick={() => void engage()}>
            {t('kill.engage')}
          </button>
        )}
      </div>
      <p className="soft small">
        <Words of={killed ? 'kill.release_here' : 'kill.text'} />
      </p>
      <Alert>{error}</Alert>
    </Card>
  );
}
