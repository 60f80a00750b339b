/** The options page: kill switch, state, pairing, sites, tabs. */
import { useEffect, useState, type FormEvent } from 'react';
import { HOST_ID } from '@contract/identity';
import { ALL_URLS, remove as removePermission, request } from '../browser/permissions';
import { send } from '../browser/runtime';
import { entryOf, permissionOf } from '../gate/site';
import { currentLanguage, t } from '../i18n';
import { LANGUAGES, NATIVE_NAMES } from '../i18n/names';
import type { AllowlistView, EnrollmentView, StatusView } from '../messages';
import { useAnswer, useLanguage, useSetting } from './ask';
import { Alert, Card, Fingerprint, Mark, Pill, Pipeline, Words } from './kit';
import { Sites } from './sites';
import { blockedKey, hopsOf, isBlocked, isKilled, killLine, livePending, mayAllow, pairingKey, pillOf } from './state';
import './options.css';

const when = (at: number): string => new Date(at).toLocaleString(currentLanguage().replace('_', '-'), { dateStyle: 'medium', timeStyle: 'short' });

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

function KillPanel({ status, again }: { status: StatusView; again: () => void }) {
  const [error, setError] = useState<string | undefined>();
  const engage = async () => {
    const reply = await send({ type: 'set_kill', on: true });
    setError(reply.ok ? undefined : reply.error);
    again();
  };
  const killed = isKilled(status);
  const { pill, tone, text } = killLine(status);
  return (
    <Card title={t('kill.title')} aside={<Pill tone={tone}>{t(pill)}</Pill>} {...(killed ? { tone: 'stop' as const } : {})}>
      <div className="row spread wrapping">
        <p className="wrap grow">
          <Words of={text} subs={[status.kill.at === null ? '–' : when(status.kill.at)]} />
        </p>
        {killed ? null : (
          <button data-act="kill" className="stop" onClick={() => void engage()}>
            {t('kill.engage')}
          </button>
        )}
      </div>
      <p className="soft small">
        <Words of={killed ? 'kill.release_hint' : 'kill.text'} />
      </p>
      <Alert>{error}</Alert>
    </Card>
  );
}

function StatePanel({ status, list }: { status: StatusView; list: AllowlistView | null }) {
  const waits = livePending(list, Date.now()).length > 0;
  const pill = pillOf(status, waits);
  return (
    <Card title={t('options.status.title')} aside={<Pill tone={pill.tone}>{t(pill.key)}</Pill>}>
      <Pipeline hops={hopsOf(status, waits)} />
      {isBlocked(status) && status.serving !== 'blocked' ? <p>{t(blockedKey(status))}</p> : null}
      {waits && !isKilled(status) ? <p>{t('options.site_waits')}</p> : null}
      {status.port.state === 'down' ? (
        <p className="wrap">
          <Words of={status.port.hostMissing ? 'offline.missing' : 'offline.no_server'} />
        </p>
      ) : null}
      {status.port.error === null ? null : <p className="soft small wrap">{t('offline.reason', [status.port.error])}</p>}
    </Card>
  );
}

function PairingPanel({ pairing }: { pairing: EnrollmentView }) {
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

/** The entry that an address stands for; https where it names no scheme. */
function entryFor(text: string): string | null {
  const address = text.trim();
  return address === '' ? null : entryOf(address.includes('://') ? address : `https://${address}`);
}

function AddSite({ may }: { may: boolean }) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string | undefined>();
  const add = async (e: FormEvent) => {
    e.preventDefault();
    const entry = entryFor(text);
    if (entry === null) return setError(t('options.sites.bad'));
    // First thing in the click, or the browser refuses to ask.
    const granted = await request(permissionOf(entry)).catch(() => false);
    if (!granted) return setError(t('options.sites.refused'));
    const reply = await send({ type: 'add_allow', glob: entry });
    setError(reply.ok ? undefined : reply.error);
    if (reply.ok) setText('');
  };
  return (
    <form className="stack tight" onSubmit={(e) => void add(e)}>
      <label htmlFor="site" className="soft small">
        {t('options.sites.add_label')}
      </label>
      <div className="row wrapping">
        <input
          id="site"
          type="text"
          inputMode="url"
          spellCheck={false}
          autoComplete="off"
          className="grow mono"
          aria-invalid={error !== undefined}
          aria-describedby="site-error"
          value={text}
          onChange={(e) => setText(e.target.value)}
        />
        <button data-act="add-site" disabled={!may}>
          {t('options.sites.add_button')}
        </button>
      </div>
      <Alert id="site-error">{error}</Alert>
    </form>
  );
}

function AllSites({ list, may }: { list: AllowlistView | null; may: boolean }) {
  const [stored, setStored] = useSetting('allowAllSites');
  const [error, setError] = useState<string | undefined>();
  const on = stored === true && list?.allUrlsHeld === true;
  // The browser's permission went: the setting that stands alone is put right.
  useEffect(() => {
    if (stored === true && list?.allowAllSites === true && !list.allUrlsHeld) void setStored(false);
  }, [stored, list, setStored]);
  const turnOn = async () => {
    const granted = await request(ALL_URLS).catch(() => false);
    setError(granted ? undefined : t('options.sites.refused'));
    if (granted) await setStored(true);
  };
  const turnOff = async () => {
    await setStored(false);
    await removePermission(ALL_URLS).catch(() => false);
  };
  return (
    <div className="stack tight divided">
      <div className="row spread wrapping">
        <p className="wrap grow">
          <b>{t('options.sites.all')}</b>
          <br />
          <span className="soft small">{t('options.sites.all_text')}</span>
        </p>
        <button data-act="all-sites" disabled={!on && !may} onClick={() => void (on ? turnOff() : turnOn())}>
          {t(on ? 'options.sites.all_off' : 'options.sites.all_on')}
        </button>
      </div>
      <Alert>{error}</Alert>
    </div>
  );
}

function TabsPanel() {
  const [value, setValue] = useSetting('groupTabs');
  return (
    <Card title={t('options.tabs.title')}>
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
  useDeepLink(status.data !== null && pairing.data !== null);
  const may = mayAllow(status.data);
  return (
    <main className="options stack">
      <header className="row spread wrapping">
        <h1 className="row">
          <Mark /> {t('options.title')}
        </h1>
        <LanguagePicker />
      </header>
      <Alert>{status.error === null ? undefined : t('error.unreachable', [status.error])}</Alert>
      {status.data === null ? null : (
        <>
          <KillPanel status={status.data} again={status.again} />
          <StatePanel status={status.data} list={list.data} />
        </>
      )}
      {pairing.data === null ? null : <PairingPanel pairing={pairing.data} />}
      <Card title={t('sites.title')}>
        <Sites list={list.data} />
        <AddSite may={may} />
        {status.data !== null && !may ? <p className="small">{t('site.allow_held')}</p> : null}
        <AllSites list={list.data} may={may} />
      </Card>
      <TabsPanel />
      {status.data === null ? null : (
        <footer className="row spread wrapping soft small">
          <span>{t('options.host', [HOST_ID])}</span>
          <span>{t('footer.version', [status.data.versions.extension, String(status.data.versions.protocol)])}</span>
        </footer>
      )}
    </main>
  );
}
