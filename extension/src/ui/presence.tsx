/**
 * What the host asks of the person (extension.md 15): its own text, word for word, and two buttons.
 *
 * One request at a time, in a dialog over the whole page, since it may have been raised from anywhere.
 * Cancel has the focus and is the way out of Esc; a request that was refused is not tried again.
 */
import { createContext, useCallback, useEffect, useRef, useState } from 'react';
import { send } from '../browser/runtime';
import { t } from '../i18n';
import { CONFIRM_ARM_MS, type PresenceView } from '../messages';
import { useNow, useSeen } from './ask';
import { ceremonyText, touch } from './ceremony';
import { Alert, Foreign } from './kit';
import { say } from './say';

/** What the panels have of the page around them. */
export interface Page {
  /** Shows a request of the host; `after` follows once the act is done. */
  ask(request: PresenceView, after?: () => void): void;
  /** Says at the top of the page what was done, and lets every panel ask anew. */
  done(text?: string): void;
  /** Moves with everything that was done. */
  turn: number;
}
const nothing = (): void => undefined;
export const PageContext = createContext<Page>({ ask: nothing, done: nothing, turn: 0 });

/** The request to show: one that a panel got, or the newest that waits in the worker. */
export function useRequest(): [PresenceView | null, (request: PresenceView | null) => void] {
  const [request, setRequest] = useState<PresenceView | null>(null);
  const closed = useRef<string | null>(null);
  const look = useCallback(() => {
    void send({ type: 'webauthn_presence_pending' }).then((reply) => {
      if (!reply.ok || reply.data === null || reply.data.nonce === closed.current) return;
      const { data } = reply;
      setRequest((was) => (was?.nonce === data.nonce ? was : data));
    });
  }, []);
  useEffect(() => {
    look();
    addEventListener('focus', look);
    return () => removeEventListener('focus', look);
  }, [look]);
  useSeen(look);
  const show = useCallback((next: PresenceView | null) => {
    setRequest((was) => {
      if (next === null && was !== null) closed.current = was.nonce;
      return next;
    });
  }, []);
  return [request, show];
}

export function PresenceDialog({ request, close, done }: { request: PresenceView; close: () => void; done: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  const [armed, setArmed] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [trouble, setTrouble] = useState<string | undefined>();
  const now = useNow(error === null);
  const left = Math.max(0, Math.ceil((request.expiresAt - now) / 1000));
  const over = error !== null || (left === 0 && !busy);
  const byTouch = request.allowedCredentialIds.length > 0;

  useEffect(() => {
    dialog.current?.showModal();
    cancel.current?.focus();
    // A click that was meant for the page below comes too early to count.
    const arming = setTimeout(() => setArmed(true), CONFIRM_ARM_MS);
    return () => clearTimeout(arming);
  }, []);
  // The button that had it is gone or disabled.
  useEffect(() => {
    if (over) cancel.current?.focus();
  }, [over]);

  /** Null: the authenticator was not used, which the host never hears of, so there may be another try. */
  async function touched() {
    try {
      return await touch(request);
    } catch (reason) {
      setTrouble(ceremonyText(reason));
      return null;
    }
  }
  const confirm = async () => {
    setBusy(true);
    setTrouble(undefined);
    const { nonce } = request;
    const assertion = byTouch ? await touched() : undefined;
    if (assertion === null) return setBusy(false);
    const reply = await (assertion === undefined ? send({ type: 'webauthn_presence_confirm', nonce }) : send({ type: 'webauthn_presence_assert', nonce, ...assertion }));
    if (reply.ok) return done();
    setBusy(false);
    setError(t('presence.failed', [say(reply.error)]));
  };
  const said = error ?? (over ? t('presence.over') : trouble);

  return (
    <dialog
      ref={dialog}
      className="asked"
      aria-labelledby="asked-title"
      aria-describedby="asked-text asked-action"
      onCancel={(e) => {
        e.preventDefault();
        if (!busy) close();
      }}
    >
      <div className="stack">
        <div className="row spread">
          <h2 id="asked-title">{t('presence.title')}</h2>
          <span className="soft small steady" role="timer" aria-live="off">
            {over ? null : t('presence.left', [String(left)])}
          </span>
        </div>
        <p id="asked-text">{t('presence.text')}</p>
        <p id="asked-action" className="act wrap">
          <Foreign exact>{request.action}</Foreign>
        </p>
        <p className="soft small">
          {t('presence.not_yours')} {byTouch ? t('presence.touch') : null}
        </p>
        <Alert>{said}</Alert>
        <div className="row end">
          {over ? null : (
            <button data-act="presence-confirm" disabled={!armed || busy} onClick={() => void confirm()}>
              {t('presence.confirm')}
            </button>
          )}
          <button ref={cancel} data-act="presence-deny" className="filled" disabled={busy} onClick={close}>
            {t(over ? 'presence.close' : 'presence.cancel')}
          </button>
        </div>
      </div>
    </dialog>
  );
}
