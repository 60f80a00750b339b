/**
 * The confirmation window. It renders the payload and nothing else; all that a page influences sits
 * as text in the one region that scrolls, above the buttons, so no page can push them away.
 */
import { useEffect, useRef, useState } from 'react';
import { send } from '../browser/runtime';
import { currentLanguage, t, type MessageKey } from '../i18n';
import { CONFIRM_ARM_MS, type ConfirmPayload, type ConfirmPresence } from '../messages';
import { useLanguage, useNow } from './ask';
import { ceremonyText, touch } from './ceremony';
import { Alert, Foreign, hostTail, Pill, Pipeline, Words } from './kit';
import { say } from './say';
import './confirm.css';

type State =
  | { at: 'asking' }
  | { at: 'shown'; payload: ConfirmPayload; shownAt: number }
  | { at: 'gone'; error?: string }
  | { at: 'killed' };

/** Where each sign of what is shown is one of what is done. */
const EXACT: readonly string[] = ['eval', 'upload', 'fill', 'press', 'read', 'select'];

/** Characters of a host that a headline has room for on a line. */
const HEADLINE_HOST = 30;

/** The worker closes the window at the deadline; one that stays open longer has lost its worker. */
const DEADLINE_GRACE_MS = 1_000;

/** What presses a button, or goes to the next. */
const PRESSING = ['Enter', ' ', 'Tab'];

/**
 * `armed` once what a person does here is meant for this window. It is not for a moment after it shows and
 * each time it comes to the front: then a key or a click may have been on its way to the page that lay
 * there before, and a page can make people type, or click twice, and take itself away in between.
 * The browser makes a click of a press that began on a disabled button and ends on one that no longer is:
 * `meant` is false for such a one.
 */
function useArmed(): { armed: boolean; meant(click: { detail: number }): boolean } {
  const [armed, setArmed] = useState(false);
  const ready = useRef(false);
  const pressed = useRef(false);
  useEffect(() => {
    let arming: ReturnType<typeof setTimeout> | undefined;
    const set = (to: boolean) => {
      ready.current = to;
      setArmed(to);
    };
    const arm = () => {
      clearTimeout(arming);
      set(false);
      pressed.current = false;
      arming = setTimeout(() => set(true), CONFIRM_ARM_MS);
    };
    const onSeen = () => {
      if (document.visibilityState === 'visible') arm();
    };
    const onPointer = () => {
      pressed.current = ready.current;
    };
    // Esc denies at any time; a key that is held down was pressed for something else.
    const onKey = (e: KeyboardEvent) => {
      if (!PRESSING.includes(e.key) || (ready.current && !e.repeat)) return;
      e.preventDefault();
      e.stopPropagation();
    };
    arm();
    addEventListener('focus', arm);
    document.addEventListener('visibilitychange', onSeen);
    addEventListener('keydown', onKey, true);
    addEventListener('pointerdown', onPointer, true);
    return () => {
      clearTimeout(arming);
      removeEventListener('focus', arm);
      document.removeEventListener('visibilitychange', onSeen);
      removeEventListener('keydown', onKey, true);
      removeEventListener('pointerdown', onPointer, true);
    };
  }, []);
  // A click of the keyboard has no number, and keys have their own rule.
  return { armed, meant: ({ detail }) => detail === 0 || pressed.current };
}

const requestId = (): string => new URLSearchParams(location.search).get('id') ?? '';

function Countdown({ payload, shownAt }: { payload: ConfirmPayload; shownAt: number }) {
  const now = useNow(true);
  const left = Math.ceil(Math.max(0, payload.deadline - now) / 1000);
  const whole = Math.max(1, Math.ceil((payload.deadline - shownAt) / 1000));
  return (
    <div className="stack tight">
      <span className="soft small steady" role="timer" aria-live="off">
        {t('confirm.left', [String(left)])}
      </span>
      <div className="bar" aria-hidden="true">
        <span style={{ transform: `scaleX(${Math.min(1, left / whole)})` }} />
      </div>
    </div>
  );
}

/**
 * What is asked for. The payload shrinks and scrolls by itself, so that the lines above it stay in
 * view; the whole scrolls only where a title and an address leave no room for it.
 */
function Said({ payload }: { payload: ConfirmPayload }) {
  return (
    <section className="said" aria-label={t('confirm.what')}>
      <p className="row wrapping small">
        <span className="chip">
          {t('confirm.via')} <span className="mono">{payload.tool}</span>
        </span>
        {payload.kind === 'click' ? <Pill tone="wait">{t('confirm.high_risk')}</Pill> : null}
      </p>
      <h1 id="headline" className="wrap">
        {t(`confirm.headline.${payload.kind}`, [hostTail(payload.origin, HEADLINE_HOST)])}
      </h1>
      <p id="origin" className="origin mono wrap">
        {payload.origin}
      </p>
      {payload.tabTitle === '' ? null : (
        <p className="title soft wrap">
          <Foreign>{t('confirm.quoted', [payload.tabTitle])}</Foreign>
        </p>
      )}
      <pre className={payload.kind === 'eval' ? 'payload mono code' : 'payload mono wrap'} tabIndex={0} aria-label={t('confirm.detail')} role="group">
        <Foreign exact={EXACT.includes(payload.kind)}>{payload.detail}</Foreign>
      </pre>
    </section>
  );
}

function Asked({ payload, shownAt, end }: { payload: ConfirmPayload; shownAt: number; end: (state: State) => void }) {
  const { armed, meant } = useArmed();
  const [error, setError] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const deny = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    deny.current?.focus();
    const over = setTimeout(() => end({ at: 'gone' }), Math.max(0, payload.deadline - Date.now()) + DEADLINE_GRACE_MS);
    return () => clearTimeout(over);
  }, [payload, end]);
  // A button that is not armed any more has lost the focus.
  useEffect(() => {
    const at = document.activeElement;
    if (!armed && (at === null || at === document.body || at.matches(':disabled'))) deny.current?.focus();
  }, [armed]);

  const presence = 'presence' in payload ? payload.presence : undefined;
  const { id } = payload;

  /** A proof by touch or by this very click; one attempt, so what fails is a denial. */
  async function prove({ nonce, ...asked }: ConfirmPresence) {
    if (asked.allowedCredentialIds.length === 0) return send({ type: 'confirm_presence', id, nonce });
    try {
      const assertion = await touch(asked, Math.max(0, payload.deadline - Date.now()));
      return await send({ type: 'confirm_presence', id, nonce, ...assertion });
    } catch (reason) {
      await send({ type: 'confirm_resolve', id, approved: false });
      end({ at: 'gone', error: ceremonyText(reason) });
      return { ok: true as const };
    }
  }
  const resolve = async (approved: boolean) => {
    if (busy || (approved && !armed)) return;
    setBusy(true);
    const reply = await (approved && presence !== undefined ? prove(presence) : send({ type: 'confirm_resolve', id, approved }));
    // After a success the worker closes the window. An answer that was not taken leaves nothing to answer.
    if (!reply.ok) end({ at: 'gone', error: t('confirm.failed', [say(reply.error)]) });
  };
  const kill = async () => {
    setBusy(true);
    const reply = await send({ type: 'confirm_deny_kill', id });
    if (reply.ok) return end({ at: 'killed' });
    setError(t('confirm.failed', [say(reply.error)]));
    setBusy(false);
  };
  // A disabled button has lost the focus.
  useEffect(() => {
    if (error !== undefined) deny.current?.focus();
  }, [error]);
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (e.key === 'Escape') void resolve(false);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });

  return (
    <main className="confirm">
      <div className="upper">
        <header className="strip">
          <Pipeline
            hops={[
              { name: t('hop.client'), tone: 'mute', state: t('hop.state.idle') },
              { name: t('hop.host'), tone: 'on', state: t('hop.state.up') },
              { name: t('hop.browser'), tone: 'wait', state: t('confirm.held'), held: true },
            ]}
          />
          <p className="soft small">{t('confirm.note')}</p>
        </header>
        <Said payload={payload} />
        <p id="consequence">
          {t(`confirm.consequence.${payload.kind}`)} {presence === undefined || presence.allowedCredentialIds.length === 0 ? null : t('confirm.touch')}
        </p>
      </div>
      <div className="decide stack">
        <Countdown payload={payload} shownAt={shownAt} />
        <Alert>{error}</Alert>
        <div className="answers" role="group" aria-labelledby="headline" aria-describedby="origin consequence">
          <button ref={deny} data-act="deny" className="filled" disabled={busy} onClick={() => void resolve(false)}>
            {t('confirm.deny')}
          </button>
          <button data-act="allow" disabled={busy || !armed} onClick={(click) => void (meant(click) && resolve(true))}>
            {t('confirm.allow')}
          </button>
        </div>
        <footer className="row spread">
          <span className="soft small wrap">
            {t('confirm.request', [payload.id.slice(0, 8)])} · {new Date(shownAt).toLocaleTimeString(currentLanguage().replace('_', '-'))}
          </span>
          <button data-act="kill" className="stop slim" disabled={busy} onClick={() => void kill()}>
            {t('confirm.kill')}
          </button>
        </footer>
      </div>
    </main>
  );
}

const Over = ({ title, text, error }: { title: MessageKey; text: MessageKey; error?: string | undefined }) => (
  <main className="over stack">
    <h1>{t(title)}</h1>
    <p className="soft">
      <Words of={text} />
    </p>
    <Alert>{error}</Alert>
    <div>
      <button data-act="close" autoFocus onClick={() => window.close()}>
        {t('confirm.close')}
      </button>
    </div>
  </main>
);

export function Confirm() {
  useLanguage('confirm.title');
  const [state, setState] = useState<State>({ at: 'asking' });
  const asked = useRef(false);
  useEffect(() => {
    if (asked.current) return;
    asked.current = true;
    const id = requestId();
    if (id === '') return setState({ at: 'gone' });
    void send({ type: 'confirm_ready', id }).then((reply) => {
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
      return <Over title="confirm.killed" text="kill.release_hint" />;
    default:
      return <Over title="confirm.gone" text="confirm.gone_text" error={state.error} />;
  }
}
