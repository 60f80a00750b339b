/** The popup of the toolbar button: what waits for the person, and the way to stop. */
import { useEffect, useRef, useState, type MouseEvent } from 'react';
import { request } from '../browser/permissions';
import { openOptions, send } from '../browser/runtime';
import { t } from '../i18n';
import type { AllowlistView, EnrollmentView, PendingAllowView, StatusView } from '../messages';
import { useAnswer, useLanguage, useNow, useReach, useSweep } from './ask';
import { Alert, BrokenHop, Card, hostTail, Mark, Pill, Pipeline, Words } from './kit';
import { Compare, PairButton } from './pairing-card';
import { say } from './say';
import { Sites } from './sites';
import { blockedKey, brokenHop, hopsOf, isBlocked, isKilled, livePending, mayAllow, pillOf, wayOut, type Reach } from './state';
import './popup.css';

/** Characters of a host that fit on a button as wide as the card. */
const BUTTON_HOST = 26;

/**
 * Allow is one click: the worker is told first, then the browser is asked. The browser's prompt
 * closes this popup, so nothing behind the request may matter for the verdict. Returns what there
 * is to say to a person who still sees the popup.
 */
async function allow({ id, permission }: PendingAllowView): Promise<string | undefined> {
  const told = send({ type: 'resolve_allow', id, allow: true });
  let granted: boolean;
  try {
    granted = await request(permission);
  } catch (error) {
    // The browser did not even ask, so nobody refused: the card stays.
    return t('site.not_asked', [error instanceof Error ? error.message : String(error)]);
  }
  if (!granted) await send({ type: 'resolve_allow', id, allow: false });
  const reply = await told;
  return reply.ok ? undefined : reply.error;
}

interface SiteCardProps {
  pending: PendingAllowView;
  now: number;
  first: boolean;
  held: boolean;
}

function SiteCard({ pending, now, first, held }: SiteCardProps) {
  const [error, setError] = useState<string | undefined>();
  const deny = useRef<HTMLButtonElement>(null);
  // The oldest has the focus, unless the person is somewhere else by now.
  useEffect(() => {
    if (first && (document.activeElement === null || document.activeElement === document.body)) deny.current?.focus();
  }, [first]);
  const onAllow = (e: MouseEvent) => {
    // The second half of a double click lands on whatever moved up: it answers nothing.
    if (e.detail <= 1) void allow(pending).then(setError);
  };
  return (
    <Card
      tone="wait"
      title={t('site.title')}
      aside={
        <span className="soft small steady" role="timer" aria-live="off">
          {t('site.left', [String(Math.max(0, Math.ceil((pending.expiresAt - now) / 1000)))])}
        </span>
      }
    >
      <p className="mono wrap entry">{pending.glob}</p>
      {first ? <p className="soft small">{t('site.text')}</p> : null}
      <div className="answers">
        <button
          ref={deny}
          data-act="site-deny"
          className="filled"
          aria-label={t('site.deny_label', [pending.glob])}
          onClick={() => void send({ type: 'resolve_allow', id: pending.id, allow: false })}
        >
          {t('site.deny')}
        </button>
        <button data-act="site-allow" className="wrap" disabled={held} onClick={onAllow}>
          {t('site.allow', [hostTail(pending.glob, BUTTON_HOST)])}
        </button>
      </div>
      {held ? <p className="small">{t('site.allow_held')}</p> : null}
      <Alert>{error}</Alert>
    </Card>
  );
}

function Offline({ status }: { status: StatusView }) {
  return (
    <Card title={t('offline.title')}>
      <p className="small wrap">
        <Words of={status.port.hostMissing ? 'offline.missing' : 'offline.no_server'} />
      </p>
      {status.port.error === null ? null : <p className="soft small wrap">{t('offline.reason', [status.port.error])}</p>}
    </Card>
  );
}

const PairingCard = ({ pairing, focus }: { pairing: EnrollmentView | null; focus: boolean }) =>
  pairing?.pending == null ? null : (
    <Card tone="wait" title={t('pairing.title')}>
      <Compare key={pairing.pending.keyId} pending={pairing.pending} focus={focus} />
    </Card>
  );

/** What happened, and the way out: the fingerprint that waits, or the question for one. */
function Blocked({ status, pairing }: { status: StatusView; pairing: EnrollmentView | null }) {
  const asks = status.serving === 'blocked' && pairing !== null && pairing.pending === null && status.blocked !== 'unreadable';
  return (
    <>
      <Card tone="stop" title={t('blocked.title')}>
        <p className="small">{t(blockedKey(status))}</p>
        {status.serving === 'blocked' ? (
          <p className="soft small">
            <Words of={wayOut(status.blocked)} />
          </p>
        ) : null}
        {asks ? <PairButton again disabled={status.port.state === 'down'} /> : null}
      </Card>
      {status.serving === 'blocked' ? <PairingCard pairing={pairing} focus /> : null}
    </>
  );
}

function KillRow({ done }: { done: () => void }) {
  const [error, setError] = useState<string | null>(null);
  const engage = async () => {
    const reply = await send({ type: 'set_kill', on: true });
    setError(reply.ok ? null : say(reply.error));
    done();
  };
  return (
    <div className="stack tight">
      <div className="row spread">
        <span className="soft small">{t('kill.text')}</span>
        <button data-act="kill" className="stop" onClick={() => void engage()}>
          {t('kill.engage')}
        </button>
      </div>
      <Alert>{error}</Alert>
    </div>
  );
}

interface BodyProps {
  status: StatusView;
  list: AllowlistView | null;
  pairing: EnrollmentView | null;
  pending: PendingAllowView[];
  now: number;
  reach: Reach;
}

function Body({ status, list, pairing, pending, now, reach }: BodyProps) {
  const broken = brokenHop(status, reach);
  if (isKilled(status))
    return (
      <Card tone="stop" title={t('kill.engaged')}>
        {status.kill.pending ? <p className="small">{t('kill.pending')}</p> : null}
        <p className="small">
          <Words of="kill.release_hint" />
        </p>
      </Card>
    );
  if (isBlocked(status)) return <Blocked status={status} pairing={pairing} />;
  return (
    <>
      {pending.map((p, i) => (
        <SiteCard key={p.id} pending={p} now={now} first={i === 0} held={!mayAllow(status)} />
      ))}
      <PairingCard pairing={pairing} focus={pending.length === 0} />
      {status.kill.state === 'unknown' ? (
        <Card tone="wait" title={t('kill.unknown_title')}>
          <p className="small">
            <Words of="kill.unknown" />
          </p>
        </Card>
      ) : null}
      {status.port.state === 'down' ? <Offline status={status} /> : null}
      {broken === null ? null : (
        <Card title={t(broken.title)}>
          <BrokenHop broken={broken} />
        </Card>
      )}
      <Card title={t('sites.title')}>
        <Sites list={list} />
      </Card>
      {status.serving === 'unpaired' ? (
        <p className="soft small">
          {t('unpaired.line')}{' '}
          <a href="/options.html#pairing" target="_blank" rel="noreferrer">
            {t('unpaired.more')}
          </a>
        </p>
      ) : null}
    </>
  );
}

export function Popup() {
  useLanguage('popup.title');
  useSweep();
  const status = useAnswer('get_status');
  const list = useAnswer('get_allowlist');
  const pairing = useAnswer('get_enrollment');
  const now = useNow((list.data?.pending.length ?? 0) > 0);
  const pending = livePending(list.data, now);
  const waits = pending.length > 0;
  const reach = useReach(status.data?.port.state === 'up', status.data === null || isKilled(status.data) ? null : status.data);
  const pill = status.data === null ? { key: 'pill.checking' as const, tone: 'mute' as const } : pillOf(status.data, waits, reach);
  return (
    <main className="popup stack">
      <header className="row spread">
        <h1 className="row">
          <Mark /> genkan
        </h1>
        <span role="status">
          <Pill tone={pill.tone}>{t(pill.key)}</Pill>
        </span>
      </header>
      {status.data === null ? null : <Pipeline hops={hopsOf(status.data, waits, reach)} />}
      {status.data === null ? null : (
        <Body status={status.data} list={list.data} pairing={pairing.data} pending={pending} now={now} reach={reach} />
      )}
      <Alert>{status.error === null ? undefined : t('error.unreachable', [status.error])}</Alert>
      <div className="bottom stack">
        {status.data === null || isKilled(status.data) || isBlocked(status.data) ? null : <KillRow done={status.again} />}
        <footer className="row spread">
          <button className="plain" data-act="settings" onClick={() => void openOptions()}>
            {t('footer.settings')}
          </button>
          {status.data === null ? null : (
            <span className="soft small">{t('footer.version', [status.data.versions.extension, String(status.data.versions.protocol)])}</span>
          )}
        </footer>
      </div>
    </main>
  );
}
