/** The options page: everything that can be seen and set, most urgent first (extension.md 20.3). */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { HOST_ID, type Language } from '@contract/identity';
import { send } from '../browser/runtime';
import { t } from '../i18n';
import { LANGUAGES, NATIVE_NAMES } from '../i18n/names';
import type { AllowlistView, PresenceView, StatusView } from '../messages';
import { useAnswer, useLanguage, useEvery, useReach, useReturn, useSetting } from './ask';
import { Alert, BrokenHop, Card, Mark, Pill, Pipeline, Words } from './kit';
import { AuditPanel } from './panels/audit';
import { ClientsPanel } from './panels/clients';
import { IdentityPanel } from './panels/identity';
import { KillPanel } from './panels/kill';
import { PolicyPanel } from './panels/policy';
import { RegistrationPanel } from './panels/registration';
import { SitesPanel } from './panels/sites';
import { PageContext, PresenceDialog, useRequest } from './presence';
import { say } from './say';
import { blockedKey, brokenHop, hopsOf, isBlocked, isKilled, livePending, mayAllow, pillOf, type Reach } from './state';
import './options.css';

/** The worker stores the choice, and shares it with a host that this browser is paired with. */
function LanguagePicker({ shared }: { shared: boolean }) {
  const [value, keep] = useSetting('uiLanguage');
  const choose = async (next: Language) => {
    const reply = await send({ type: 'lang_choose', value: next });
    // Whatever keeps the worker from it, this person reads this page in this language.
    if (!reply.ok) await keep(next);
  };
  return (
    <div className="language">
      <label className="row">
        <span className="soft small">{t('options.language')}</span>
        <select data-act="language" value={typeof value === 'string' ? value : 'en'} onChange={(e) => void choose(e.target.value as Language)}>
          <option value="auto">{t('options.language.auto')}</option>
          {LANGUAGES.map((l) => (
            <option key={l} value={l} lang={l.replace('_', '-')}>
              {NATIVE_NAMES[l]}
            </option>
          ))}
        </select>
      </label>
      {shared ? <p className="soft small">{t('options.language.shared')}</p> : null}
    </div>
  );
}

/** This page may stay open for days, and nobody tells when a program is stopped. */
const LOOK_MS = 15_000;

/** Where the way from the client to the browser is open, and why it is not. */
function State({ status, list, reach }: { status: StatusView; list: AllowlistView | null; reach: Reach }) {
  const broken = brokenHop(status, reach);
  const waits = livePending(list, Date.now()).length > 0;
  const pill = pillOf(status, waits, reach);
  return (
    <section className="state stack tight" aria-label={t('options.status.title')}>
      <div className="row spread wrapping">
        <Pipeline hops={hopsOf(status, waits, reach)} />
        <span role="status">
          <Pill tone={pill.tone}>{t(pill.key)}</Pill>
        </span>
      </div>
      {isBlocked(status) && status.serving !== 'blocked' ? <p>{t(blockedKey(status))}</p> : null}
      {waits && !isKilled(status) ? <p>{t('options.site_waits')}</p> : null}
      {status.port.state === 'down' ? (
        <p className="wrap">
          <Words of={status.port.hostMissing ? 'offline.missing' : 'offline.no_server'} />
        </p>
      ) : null}
      {broken === null ? null : (
        <>
          <p>{t(broken.title)}</p>
          <BrokenHop broken={broken} />
        </>
      )}
      {status.port.error === null ? null : <p className="soft small wrap">{t('offline.reason', [status.port.error])}</p>}
    </section>
  );
}

function TabsPanel() {
  const [value, setValue] = useSetting('groupTabs');
  return (
    <Card id="tabs" title={t('options.tabs.title')}>
      <label className="row">
        <input data-act="group-tabs" type="checkbox" checked={value !== false} onChange={(e) => void setValue(e.target.checked)} />
        <span>{t('options.tabs.group')}</span>
      </label>
    </Card>
  );
}

/** A link into the page: its target is there only after the first answer. */
function useDeepLink(ready: boolean): void {
  useEffect(() => {
    if (ready && location.hash !== '') document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, [ready]);
}

export function Options() {
  useLanguage('options.title');
  const status = useAnswer('get_status');
  const list = useAnswer('get_allowlist');
  const pairing = useAnswer('get_enrollment');
  const [request, ask] = useRequest();
  const [turn, setTurn] = useState(0);
  const [notice, setNotice] = useState('');
  useDeepLink(status.data !== null && pairing.data !== null);
  const reach = useReach(status.data?.port.state === 'up', status.data === null || isKilled(status.data) ? null : status.data);
  useEvery(LOOK_MS, status.again);
  // An engaged switch severs the host, and another one takes its place.
  useReturn(status.data !== null && (status.data.port.state === 'down' || isKilled(status.data)), status.again);
  const { again: lookAtStatus } = status;
  const { again: lookAtPairing } = pairing;
  const done = useCallback(
    (text = '') => {
      setNotice(text);
      setTurn((n) => n + 1);
      lookAtStatus();
      lookAtPairing();
    },
    [lookAtStatus, lookAtPairing],
  );
  /** What follows the request that is shown. */
  const after = useRef<{ nonce: string; then: (() => void) | undefined } | null>(null);
  const page = useMemo(() => {
    const begin = (asked: PresenceView, then?: () => void) => {
      after.current = { nonce: asked.nonce, then };
      ask(asked);
    };
    return { ask: begin, done, turn };
  }, [ask, done, turn]);
  const may = mayAllow(status.data);
  const up = status.data?.port.state === 'up';
  return (
    <PageContext value={page}>
      <main className="options stack">
        <header className="row spread wrapping">
          <h1 className="row">
            <Mark /> {t('options.title')}
          </h1>
          <LanguagePicker shared={pairing.data !== null && pairing.data.pin !== null && pairing.data.serving !== 'blocked'} />
        </header>
        <Alert>{status.error === null ? undefined : t('error.unreachable', [say(status.error)])}</Alert>
        <p role="status" className={notice === '' ? 'hidden-text' : 'notice wrap'}>
          {notice}
        </p>
        {status.data === null ? null : (
          <>
            <State status={status.data} list={list.data} reach={reach} />
            <KillPanel status={status.data} reach={reach} again={status.again} />
          </>
        )}
        {pairing.data === null ? null : <IdentityPanel pairing={pairing.data} up={up} />}
        <RegistrationPanel up={up} />
        <SitesPanel list={list.data} may={may} told={status.data !== null} />
        <PolicyPanel up={up} />
        <ClientsPanel up={up} />
        <TabsPanel />
        <AuditPanel up={up} />
        {status.data === null ? null : (
          <footer className="row spread wrapping soft small">
            <span>{t('options.host', [HOST_ID])}</span>
            <span>{t('footer.version', [status.data.versions.extension, String(status.data.versions.protocol)])}</span>
          </footer>
        )}
      </main>
      {request === null ? null : (
        <PresenceDialog
          key={request.nonce}
          request={request}
          close={() => ask(null)}
          done={() => {
            ask(null);
            done(t('presence.done', [request.action]));
            if (after.current?.nonce === request.nonce) after.current.then?.();
          }}
        />
      )}
    </PageContext>
  );
}
