/**
 * The confirmation window. It renders the payload and nothing else; all that a page influences sits
 * as text in the one region that scrolls, above the buttons, so no page can push them away.
 */
import { useEffect, useRef, useState } from 'react';
import { send } from '../browser/runtime';
import { t } from '../i18n';
import { CONFIRM_ARM_MS, type ConfirmPayload } from '../messages';
import { useLanguage, useNow } from './ask';
import { Alert, hostOf, Pill, Pipeline } from './kit';
import './confirm.css';

type State = { at: 'asking' } | { at: 'shown'; payload: ConfirmPayload; shownAt: number } | { at: 'gone' } | { at: 'killed' };

const requestId = (): string => new URLSearchParams(location.search).get('id') ?? '';

/** Page text for a heading or a title: one line, nothing that reorders it. */
const Foreign = ({ children, className }: { children: string; className?: string }) => (
  <bdi dir="auto" className={className}>
    {children}
  </bdi>
);

function Countdown({ payload, shownAt, now }: { payload: ConfirmPayload; shownAt: number; now: number }) {
  const left = Math.max(0, payload.deadline - now);
  const whole = Math.max(1, payload.deadline - shownAt);
  return (
    <div className="stack tight">
      <span className="soft small" aria-live="off">
        {t('confirm.left', [String(Math.ceil(left / 1000))])}
      </span>
      <div className="bar" aria-hidden="true">
        <span style={{ transform: `scaleX(${Math.min(1, left / whole)})` }} />
      </div>
    </div>
  );
}

function Asked({ payload, shownAt, end }: { payload: ConfirmPayload; shownAt: number; end: (state: State) => void }) {
  const now = useNow(true);
  const [error, setError] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const deny = useRef<HTMLButtonElement>(null);
  const armed = now - shownAt >= CONFIRM_ARM_MS;
  useEffect(() => deny.current?.focus(), []);

  const resolve = async (approved: boolean) => {
    if (busy || (approved && Date.now() - shownAt < CONFIRM_ARM_MS)) return;
    setBusy(true);
    const reply = await send({ type: 'confirm_resolve', id: payload.id, approved });
    // The worker closes the window; one that stays has something to say.
    if (!reply.ok) setError(t('confirm.failed', [reply.error]));
    setBusy(false);
  };
  const kill = async () => {
    setBusy(true);
    const reply = await send({ type: 'confirm_deny_kill', id: payload.id });
    if (reply.ok) end({ at: 'killed' });
    else setError(t('confirm.failed', [reply.error]));
  };
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (e.key === 'Escape') void resolve(false);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });

  const host = hostOf(payload.origin);
  return (
    <main className="confirm">
      <header className="stack tight">
        <Pipeline
          hops={[
            { name: t('hop.client'), tone: 'mute', state: t('hop.state.idle') },
            { name: t('hop.host'), tone: 'on', state: t('hop.state.up') },
            { name: t('hop.browser'), tone: 'wait', state: t('confirm.held') },
          ]}
        />
        <p className="soft small">{t('confirm.note')}</p>
      </header>
      <section className="said stack" tabIndex={0} aria-label={t('confirm.what')}>
        <p className="row wrapping small">
          <span className="soft">{t('confirm.via')}</span>
          <span className="mono">{payload.tool}</span>
          {payload.kind === 'click' ? <Pill tone="wait">{t('confirm.high_risk')}</Pill> : null}
        </p>
        <h1 className="wrap">{t(`confirm.headline.${payload.kind}`, [host])}</h1>
        <p className="stack tight">
          <span className="origin mono wrap">{payload.origin}</span>
          <Foreign className="title soft small wrap">{`“${payload.tabTitle}”`}</Foreign>
        </p>
        <pre className="payload mono wrap">
          <Foreign>{payload.detail}</Foreign>
        </pre>
      </section>
      <footer className="stack">
        <p className="small">{t(`confirm.consequence.${payload.kind}`)}</p>
        <Countdown payload={payload} shownAt={shownAt} now={now} />
        <Alert>{error}</Alert>
        <div className="answers">
          <button ref={deny} data-act="deny" className="filled" disabled={busy} onClick={() => void resolve(false)}>
            {t('confirm.deny')}
          </button>
          <button data-act="allow" disabled={busy || !armed} onClick={() => void resolve(true)}>
            {t(armed ? 'confirm.allow' : 'confirm.arming')}
          </button>
        </div>
        <div className="row spread wrapping">
          <span className="soft small wrap">
            {t('confirm.request', [payload.id.slice(0, 8)])} · {new Date(shownAt).toLocaleTimeString()}
          </span>
          <button data-act="kill" className="stop" disabled={busy} onClick={() => void kill()}>
            {t('confirm.kill')}
          </button>
        </div>
      </footer>
    </main>
  );
}

const Over = ({ title, text }: { title: string; text?: string }) => (
  <main className="over stack">
    <h1>{title}</h1>
    {text === undefined ? null : <p className="soft">{text}</p>}
    <div>
      <button autoFocus onClick={() => window.close()}>
        {t('confirm.close')}
      </button>
    </div>
  </main>
);

export function Confirm() {
  useLanguage();
  const [state, setState] = useState<State>({ at: 'asking' });
  const asked = useRef(false);
  useEffect(() => {
    document.title = t('confirm.title');
    if (asked.current) return;
    asked.current = true;
    void send({ type: 'confirm_ready', id: requestId() }).then((reply) => {
      if (reply.ok && reply.data.state === 'shown') setState({ at: 'shown', payload: reply.data.payload, shownAt: Date.now() });
      else setState({ at: 'gone' });
    });
  }, []);
  switch (state.at) {
    case 'asking':
      return null;
    case 'shown':
      return <Asked payload={state.payload} shownAt={state.shownAt} end={setState} />;
    case 'killed':
      return <Over title={t('confirm.killed')} text={t('kill.release_hint')} />;
    default:
      return <Over title={t('confirm.gone')} text={t('confirm.gone_text')} />;
  }
}
