/** The options page: kill switch, state, sites, tabs. */
import { useEffect, useState, type FormEvent } from 'react';
import { ALL_URLS, remove as removePermission, request } from '../browser/permissions';
import { send } from '../browser/runtime';
import { onChanged, read, write } from '../browser/storage';
import { t } from '../i18n';
import { LANGUAGES, NATIVE_NAMES } from '../i18n/names';
import type { AllowlistView, StatusView } from '../messages';
import { useAnswer, useLanguage } from './ask';
import { Alert, Card, Pill, Pipeline } from './kit';
import { Sites } from './sites';
import { blockedKey, hopsOf, isBlocked, isKilled, livePending, pillOf } from './state';
import './options.css';

/** One setting of the worker's, read and followed; the page is the one that writes it. */
function useSetting(key: 'groupTabs' | 'uiLanguage' | 'allowAllSites'): [unknown, (value: unknown) => Promise<void>] {
  const [value, setValue] = useState<unknown>(undefined);
  useEffect(() => {
    const load = () => void read([key]).then((stored) => setValue(stored[key]));
    load();
    return onChanged((keys) => {
      if (keys.includes(key)) load();
    });
  }, [key]);
  return [value, (next) => write({ [key]: next })];
}

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
  return (
    <Card title={t('kill.title')} {...(killed ? { tone: 'stop' as const } : {})}>
      <div className="row spread wrapping">
        <span className="small wrap">
          {killed ? t(status.kill.pending ? 'kill.pending' : 'kill.engaged') : status.kill.state === 'unknown' ? t('kill.unknown') : t('kill.text')}
        </span>
        {killed ? null : (
          <button data-act="kill" className="stop" onClick={() => void engage()}>
            {t('kill.engage')}
          </button>
        )}
      </div>
      {killed ? <p className="soft small">{t('kill.release_hint')}</p> : null}
      <Alert>{error}</Alert>
    </Card>
  );
}

function StatePanel({ status, list }: { status: StatusView; list: AllowlistView | null }) {
  const waits = livePending(list, Date.now()).length > 0;
  const pill = pillOf(status, waits);
  return (
    <Card
      title={
        <span className="row spread">
          {t('options.status.title')} <Pill tone={pill.tone}>{t(pill.key)}</Pill>
        </span>
      }
    >
      <Pipeline hops={hopsOf(status, waits)} />
      {isBlocked(status) ? <p className="small">{t(blockedKey(status))}</p> : null}
      {status.port.state === 'down' ? <p className="small wrap">{t(status.port.hostMissing ? 'offline.missing' : 'offline.no_server')}</p> : null}
      {status.port.error === null ? null : <p className="soft small wrap">{t('offline.reason', [status.port.error])}</p>}
      {status.serving === 'unpaired' ? <p className="soft small">{t('unpaired.line')}</p> : null}
    </Card>
  );
}

/** http or https, as the browser's permission for it: without a port. */
function permissionFor(text: string): { glob: string; permission: string } | null {
  try {
    const url = new URL(text.includes('://') ? text : `https://${text}`);
    if (!/^https?:$/.test(url.protocol) || url.hostname === '') return null;
    return { glob: url.href, permission: `${url.protocol}//${url.hostname}/*` };
  } catch {
    return null;
  }
}

function AddSite() {
  const [text, setText] = useState('');
  const [error, setError] = useState<string | undefined>();
  const add = async (e: FormEvent) => {
    e.preventDefault();
    const wanted = permissionFor(text.trim());
    if (wanted === null) return setError(t('options.sites.bad'));
    // First thing in the click, or the browser refuses to ask.
    const granted = await request(wanted.permission).catch(() => false);
    if (!granted) return setError(t('options.sites.refused'));
    const reply = await send({ type: 'add_allow', glob: wanted.glob });
    setError(reply.ok ? undefined : reply.error);
    if (reply.ok) setText('');
  };
  return (
    <form className="stack tight" onSubmit={(e) => void add(e)}>
      <label htmlFor="site" className="soft small">
        {t('options.sites.add_label')}
      </label>
      <div className="row">
        <input id="site" type="text" inputMode="url" spellCheck={false} autoComplete="off" className="grow mono" value={text} onChange={(e) => setText(e.target.value)} />
        <button data-act="add-site">{t('options.sites.add_button')}</button>
      </div>
      <Alert>{error}</Alert>
    </form>
  );
}

function AllSites({ list }: { list: AllowlistView | null }) {
  const [stored, setStored] = useSetting('allowAllSites');
  const [error, setError] = useState<string | undefined>();
  const on = stored === true && list?.allUrlsHeld === true;
  // The browser's permission went: the setting that stands alone is put right.
  useEffect(() => {
    if (stored === true && list !== null && !list.allUrlsHeld) void setStored(false);
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
    <div className="stack tight">
      <div className="row spread wrapping">
        <span className="small wrap grow">
          <b>{t('options.sites.all')}</b> <span className="soft">{t('options.sites.all_text')}</span>
        </span>
        <button data-act="all-sites" onClick={() => void (on ? turnOff() : turnOn())}>
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
        <span className="small">{t('options.tabs.group')}</span>
      </label>
    </Card>
  );
}

export function Options() {
  useLanguage();
  const status = useAnswer('get_status');
  const list = useAnswer('get_allowlist');
  useEffect(() => {
    document.title = t('options.title');
  });
  return (
    <main className="options stack">
      <header className="row spread wrapping">
        <h1>{t('options.title')}</h1>
        <LanguagePicker />
      </header>
      <Alert>{status.error === null ? undefined : t('error.unreachable', [status.error])}</Alert>
      {status.data === null ? null : (
        <>
          <KillPanel status={status.data} again={status.again} />
          <StatePanel status={status.data} list={list.data} />
        </>
      )}
      <Card title={t('sites.title')}>
        <Sites list={list.data} />
        <AddSite />
        <AllSites list={list.data} />
      </Card>
      <TabsPanel />
      {status.data === null ? null : (
        <footer className="soft small">{t('footer.version', [status.data.versions.extension, String(status.data.versions.protocol)])}</footer>
      )}
    </main>
  );
}
