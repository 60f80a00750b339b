/** The options page: everything that can be seen and set, most urgent first (extension.md 20.3). */
import { useCallback, useEffect, useMemo, useState } from 'react';
import { HOST_ID } from '@contract/identity';
import { t } from '../i18n';
import { LANGUAGES, NATIVE_NAMES } from '../i18n/names';
import type { AllowlistView, StatusView } from '../messages';
import { useAnswer, useLanguage, useReturn, useSetting } from './ask';
import { Alert, Card, Mark, Pill, Pipeline, Words } from './kit';
import { AuditPanel } from './panels/audit';
import { ClientsPanel } from './panels/clients';
import { KillPanel } from './panels/kill';
import { PairingPanel } from './panels/pairing';
import { RegistrationPanel } from './panels/registration';
import { SitesPanel } from './panels/sites';
import { PageContext, PresenceDialog, useRequest } from './presence';
import { say } from './say';
import { blockedKey, hopsOf, isBlocked, isKilled, livePending, mayAllow, pillOf } from './state';
import './options.css';

function LanguagePicker() {
  const [value, setValue] = useSetting('uiLanguage');
  return (
    <label className="row">
      <span className="soft small">{t('options.language')}</span>
      <select data-act="language" value={typeof value === 'string' ? value : 'en'} onChange={(e) => void setValue(e.target.value)}>
        <option value="auto">{t('options.language.auto')}</option>
        {LANGUAGES.map((l) => (
          <option key={l} value={l} lang={l.replace('_', '-')}>
            {NATIVE_NAMES[l]}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Where the way from the client to the browser is open, and why it is not. */
function State({ status, list }: { status: StatusView; list: AllowlistView | null }) {
  const waits = livePending(list, Date.now()).length > 0;
  const pill = pillOf(status, waits);
  return (
    <section className="state stack tight" aria-label={t('options.status.title')}>
      <div className="row spread wrapping">
        <Pipeline hops={hopsOf(status, waits)} />
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
  useReturn(status.data?.port.state === 'down', status.again);
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
  const page = useMemo(() => ({ ask, done, turn }), [ask, done, turn]);
  const may = mayAllow(status.data);
  const up = status.data?.port.state === 'up';
  return (
    <PageContext value={page}>
      <main className="options stack">
        <header className="row spread wrapping">
          <h1 className="row">
            <Mark /> {t('options.title')}
          </h1>
          <LanguagePicker />
        </header>
        <Alert>{status.error === null ? undefined : t('error.unreachable', [say(status.error)])}</Alert>
        <p role="status" className={notice === '' ? 'hidden-text' : 'notice wrap'}>
          {notice}
        </p>
        {status.data === null ? null : (
          <>
            <State status={status.data} list={list.data} />
            <KillPanel status={status.data} again={status.again} />
          </>
        )}
        {pairing.data === null ? null : <PairingPanel pairing={pairing.data} />}
        <RegistrationPanel up={up} />
        <SitesPanel list={list.data} may={may} told={status.data !== null} />
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
          }}
        />
      )}
    </PageContext>
  );
}
