/** The popup of the toolbar button: what waits for the person, and the way to stop. */
import { useState } from 'react';
import { request } from '../browser/permissions';
import { openOptions, send } from '../browser/runtime';
import { t } from '../i18n';
import type { AllowlistView, PendingAllowView, StatusView } from '../messages';
import { useAnswer, useLanguage, useNow } from './ask';
import { Alert, Card, hostOf, Pill, Pipeline } from './kit';
import { Sites } from './sites';
import { blockedKey, hopsOf, isBlocked, isKilled, livePending, pillOf } from './state';
import './popup.css';

/**
 * Allow is one click: the worker is told first, then the browser is asked. The browser's prompt
 * closes this popup, so nothing behind the request may matter for the verdict.
 */
async function allow(pending: PendingAllowView): Promise<void> {
  void send({ type: 'resolve_allow', id: pending.id, allow: true });
  const granted = await request(pending.permission).catch(() => false);
  if (!granted) void send({ type: 'resolve_allow', id: pending.id, allow: false });
}

function SiteCard({ pending, now, held }: { pending: PendingAllowView; now: number; held: boolean }) {
  return (
    <Card tone="wait" title={t('site.title')}>
      <p className="mono wrap entry">{pending.glob}</p>
      <p className="soft small">{t('site.text')}</p>
      {held ? <p className="small">{t('site.allow_held')}</p> : <p className="soft small">{t('site.browser_asks')}</p>}
      <div className="row spread wrapping">
        <span className="soft small" aria-live="off">
          {t('site.left', [String(Math.max(0, Math.ceil((pending.expiresAt - now) / 1000)))])}
        </span>
        <span className="row wrapping">
          <button data-act="site-deny" className="filled" autoFocus onClick={() => void send({ type: 'resolve_allow', id: pending.id, allow: false })}>
            {t('site.deny')}
          </button>
          <button data-act="site-allow" className="wrap" disabled={held} onClick={() => void allow(pending)}>
            {t('site.allow', [hostOf(pending.glob)])}
          </button>
        </span>
      </div>
    </Card>
  );
}

function Offline({ status }: { status: StatusView }) {
  return (
    <Card title={t('offline.title')}>
      <p className="small wrap">{t(status.port.hostMissing ? 'offline.missing' : 'offline.no_server')}</p>
      {status.port.error === null ? null : <p className="soft small wrap">{t('offline.reason', [status.port.error])}</p>}
    </Card>
  );
}

function KillRow({ done }: { done: () => void }) {
  const [error, setError] = useState<string | null>(null);
  const engage = async () => {
    const reply = await send({ type: 'set_kill', on: true });
    setError(reply.ok ? null : reply.error);
    done();
  };
  return (
    <div className="row spread kill">
      <span className="soft small">{t('kill.text')}</span>
      <button data-act="kill" className="stop" onClick={() => void engage()}>
        {t('kill.engage')}
      </button>
      <Alert>{error}</Alert>
    </div>
  );
}

function Body({ status, list, again }: { status: StatusView; list: AllowlistView | null; again: () => void }) {
  const now = useNow((list?.pending.length ?? 0) > 0);
  if (isKilled(status))
    return (
      <Card tone="stop" title={t('kill.engaged')}>
        <p className="small">{t(status.kill.pending ? 'kill.pending' : 'kill.release_hint')}</p>
      </Card>
    );
  if (isBlocked(status))
    return (
      <Card tone="stop" title={t('blocked.title')}>
        <p className="small">{t(blockedKey(status))}</p>
        {status.serving === 'blocked' ? <p className="soft small">{t('blocked.way_out')}</p> : null}
      </Card>
    );
  return (
    <>
      {status.kill.state === 'unknown' ? (
        <Card tone="wait">
          <p className="small">{t('kill.unknown')}</p>
        </Card>
      ) : null}
      {livePending(list, now).map((p) => (
        <SiteCard key={p.id} pending={p} now={now} held={status.kill.state !== 'alive'} />
      ))}
      {status.port.state === 'down' ? <Offline status={status} /> : null}
      <Card title={t('sites.title')}>
        <Sites list={list} />
      </Card>
      {status.serving === 'unpaired' ? <p className="soft small">{t('unpaired.line')}</p> : null}
      <KillRow done={again} />
    </>
  );
}

export function Popup() {
  useLanguage();
  const status = useAnswer('get_status');
  const list = useAnswer('get_allowlist');
  const waits = livePending(list.data, Date.now()).length > 0;
  const pill = status.data === null ? { key: 'pill.checking' as const, tone: 'mute' as const } : pillOf(status.data, waits);
  return (
    <main className="popup stack">
      <header className="row spread">
        <h1>genkan</h1>
        <span role="status">
          <Pill tone={pill.tone}>{t(pill.key)}</Pill>
        </span>
      </header>
      {status.data === null ? null : <Pipeline hops={hopsOf(status.data, waits)} />}
      {status.data === null ? null : <Body status={status.data} list={list.data} again={status.again} />}
      <Alert>{status.error === null ? undefined : t('error.unreachable', [status.error])}</Alert>
      <footer className="row spread">
        <button className="plain" data-act="settings" onClick={() => void openOptions()}>
          {t('footer.settings')}
        </button>
        {status.data === null ? null : (
          <span className="soft small">{t('footer.version', [status.data.versions.extension, String(status.data.versions.protocol)])}</span>
        )}
      </footer>
    </main>
  );
}
