/** Which MCP clients are admitted: the list, the way into it and out of it. */
import { useContext, useRef, useState, type FormEvent } from 'react';
import type { Client } from '@contract/frames';
import { label } from '@contract/kit';
import { send } from '../../browser/runtime';
import { t, type MessageKey } from '../../i18n';
import type { ClientAnchor } from '../../messages';
import { useHost } from '../ask';
import { Alert, Card, Foreign, Pill } from '../kit';
import { PageContext } from '../presence';
import { day, say } from '../say';
import { HostAnswer } from './host-answer';

const SIGNER_MAX = 512;

/** An anchor as the host takes it (control.md 5.2), or what is wrong with it. */
export function anchorOf(kind: ClientAnchor['kind'], text: string): ClientAnchor | MessageKey {
  const value = text.trim();
  if (kind === 'hash') {
    const hash = value.toLowerCase();
    return /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(hash) ? { kind, value: hash } : 'clients.bad_hash';
  }
  const size = new TextEncoder().encode(value).length;
  return size >= 1 && size <= SIGNER_MAX && !/\p{Cc}/u.test(value) ? { kind, value } : 'clients.bad_signer';
}

function Row({ client, revoke }: { client: Client; revoke: () => void }) {
  return (
    <li className="entry-row">
      <div className="wrap grow stack tight">
        <p className="row wrapping">
          <b className="wrap">{client.name}</b>
          <span className="soft small">{t('clients.added', [day(client.added_unix * 1000)])}</span>
        </p>
        <p className="soft small wrap">
          {t(`clients.kind.${client.anchor.kind}`)}{' '}
          <Foreign exact className="mono">{client.anchor.value}</Foreign>
        </p>
      </div>
      <button data-act="client-revoke" data-name={client.name} className="slim stop" aria-label={t('clients.revoke_label', [client.name])} onClick={revoke}>
        {t('clients.revoke')}
      </button>
    </li>
  );
}

function PairForm() {
  const page = useContext(PageContext);
  const [name, setName] = useState('');
  const [kind, setKind] = useState<ClientAnchor['kind']>('hash');
  const [value, setValue] = useState('');
  const [bad, setBad] = useState<'name' | 'value' | null>(null);
  const [error, setError] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const refuse = (what: 'name' | 'value' | null, text: string | undefined) => {
    setBad(what);
    setError(text);
  };
  const pair = async (e: FormEvent) => {
    e.preventDefault();
    const called = name.trim();
    if (!label.safeParse(called).success) return refuse('name', t('clients.bad_name'));
    const anchor = anchorOf(kind, value);
    if (typeof anchor === 'string') return refuse('value', t(anchor));
    setBusy(true);
    const reply = await send({ type: 'pair_client', name: called, anchor });
    setBusy(false);
    refuse(null, reply.ok ? undefined : say(reply.error));
    if (!reply.ok) return;
    if (reply.data === null) page.done(t('clients.paired', [called]));
    else page.ask(reply.data);
    setName('');
    setValue('');
  };
  return (
    <form className="stack tight divided" onSubmit={(e) => void pair(e)}>
      <h3>{t('clients.pair_title')}</h3>
      <p className="soft small">{t('clients.pair_text')}</p>
      <div className="fields">
        <label htmlFor="client-name" className="soft small">
          {t('clients.name')}
        </label>
        <input id="client-name" data-in="client-name" type="text" spellCheck={false} autoComplete="off" aria-invalid={bad === 'name'} aria-describedby="client-error" value={name} onChange={(e) => setName(e.target.value)} />
        <label htmlFor="client-kind" className="soft small">
          {t('clients.anchor')}
        </label>
        <select id="client-kind" data-in="client-kind" value={kind} onChange={(e) => setKind(e.target.value === 'signer' ? 'signer' : 'hash')}>
          <option value="hash">{t('clients.kind.hash')}</option>
          <option value="signer">{t('clients.kind.signer')}</option>
        </select>
        <label htmlFor="client-value" className="soft small">
          {t(`clients.value.${kind}`)}
        </label>
        <input id="client-value" data-in={`client-${kind}`} type="text" className="mono" spellCheck={false} autoComplete="off" aria-invalid={bad === 'value'} aria-describedby="client-error" value={value} onChange={(e) => setValue(e.target.value)} />
      </div>
      <Alert id="client-error">{error}</Alert>
      <div>
        <button data-act="client-pair" disabled={busy}>
          {t('clients.pair')}
        </button>
      </div>
    </form>
  );
}

export function ClientsPanel({ up }: { up: boolean }) {
  const page = useContext(PageContext);
  const asked = useHost('get_clients', up, page.turn);
  const [error, setError] = useState<string | undefined>();
  const shown = useRef<HTMLUListElement>(null);
  const revoke = async (name: string) => {
    const reply = await send({ type: 'revoke_client', name });
    setError(reply.ok ? undefined : say(reply.error));
    if (!reply.ok) return;
    // The button that had the focus is about to go.
    shown.current?.focus();
    page.done(t('clients.revoked', [name]));
  };
  const data = up ? asked.data : null;
  return (
    <Card
      id="clients"
      title={t('clients.title')}
      aside={data === null ? null : data.enrolled ? <Pill tone="on">{t('clients.pill.count', [String(data.clients.length)])}</Pill> : <Pill tone="wait">{t('clients.pill.open')}</Pill>}
    >
      <p className="soft small">{t('clients.text')}</p>
      <HostAnswer up={up} asked={asked} act="clients-again">
        {({ enrolled, clients }) => (
          <>
            {enrolled ? null : <p>{t('clients.open')}</p>}
            {enrolled && clients.length === 0 ? <p>{t('clients.none')}</p> : null}
            <ul ref={shown} className="entries" tabIndex={-1} hidden={clients.length === 0} aria-label={t('clients.title')}>
              {clients.map((client) => (
                <Row key={client.name} client={client} revoke={() => void revoke(client.name)} />
              ))}
            </ul>
          </>
        )}
      </HostAnswer>
      <Alert>{error}</Alert>
      {data === null ? null : <PairForm />}
    </Card>
  );
}
