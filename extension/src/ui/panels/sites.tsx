/** The allowed sites: list, add, all of them. */
import { useEffect, useState, type FormEvent } from 'react';
import { ALL_URLS, remove as removePermission, request, requestAll } from '../../browser/permissions';
import { send } from '../../browser/runtime';
import { entryOf, permissionOf } from '../../gate/site';
import { t } from '../../i18n';
import type { AllowlistView } from '../../messages';
import { useSetting } from '../ask';
import { Alert, Card } from '../kit';
import { Sites } from '../sites';

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
    // The browser takes those of the listed sites along, and gives them back in the same click, unasked.
    const listed = (list?.entries ?? []).map(({ glob }) => permissionOf(glob));
    if (listed.length > 0) await requestAll([...new Set(listed)]).catch(() => false);
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

/** `told`: the state of the kill switch is known, so there is something to say about it. */
export const SitesPanel = ({ list, may, told }: { list: AllowlistView | null; may: boolean; told: boolean }) => (
  <Card id="sites" title={t('sites.title')}>
    <Sites list={list} />
    <AddSite may={may} />
    {told && !may ? <p className="small">{t('site.allow_held')}</p> : null}
    <AllSites list={list} may={may} />
  </Card>
);
