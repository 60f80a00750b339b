/** What was asked and decided: in this browser, and on this machine as the host has recorded it. */
import { useContext, useEffect, type ReactNode } from 'react';
import { AUDIT_KINDS, AUDIT_OUTCOMES } from '@contract/audit';
import type { AuditEntry } from '@contract/frames';
import { onChanged } from '../../browser/storage';
import { t } from '../../i18n';
import { RING_KINDS, type RingEntry } from '../../messages';
import { useHost } from '../ask';
import { Alert, Card, Foreign, Pill, type Tone } from '../kit';
import { PageContext } from '../presence';
import { moment, say } from '../say';
import { HostAnswer } from './host-answer';

/** A kind of a newer host stands for itself. */
function kindText(kind: string): string {
  const known = [...AUDIT_KINDS, ...RING_KINDS].find((k) => k === kind);
  return known === undefined ? kind : t(`audit.kind.${known}`);
}

function outcomeText(outcome: string): string {
  const known = AUDIT_OUTCOMES.find((o) => o === outcome);
  return known === undefined ? outcome : t(`audit.outcome.${known}`);
}

const outcomeTone = (outcome: string): Tone => (outcome === 'ok' ? 'on' : outcome === 'unenrolled' ? 'wait' : 'stop');

/** Members that the eye looks for, in this order; the others follow by name. */
const FIRST = ['tool', 'name', 'code', 'detail'];
const HIDDEN = ['outcome', 'surface'];

const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function Facts({ fields }: { fields: Record<string, unknown> }) {
  const first = FIRST.filter((name) => name in fields).map((name) => <Foreign key={name}>{plain(fields[name])}</Foreign>);
  const rest = Object.entries(fields).filter(([name]) => !FIRST.includes(name) && !HIDDEN.includes(name));
  if (first.length + rest.length === 0) return null;
  return (
    <p className="small wrap facts">
      {first}
      {rest.map(([name, value]) => (
        <span key={name} className="soft">
          {name} <Foreign>{plain(value)}</Foreign>
        </span>
      ))}
    </p>
  );
}

function Row({ at, kind, fields }: { at: number; kind: string; fields: Record<string, unknown> }) {
  const { outcome } = fields;
  return (
    <li>
      <p className="row wrapping">
        <time className="soft small steady" dateTime={Number.isNaN(new Date(at).getTime()) ? undefined : new Date(at).toISOString()}>
          {moment(at)}
        </time>
        <span className="wrap">{kindText(kind)}</span>
        {typeof outcome === 'string' ? <Pill tone={outcomeTone(outcome)}>{outcomeText(outcome)}</Pill> : null}
      </p>
      <Facts fields={fields} />
    </li>
  );
}

function ringRow({ at, kind, ...fields }: RingEntry, key: number): ReactNode {
  return <Row key={key} at={at} kind={kind} fields={fields} />;
}

function trailRow(entry: AuditEntry, key: number): ReactNode {
  if (entry.entry === 'record') return <Row key={key} at={entry.ts_ms} kind={entry.kind} fields={entry.fields} />;
  return (
    <li key={key}>
      <Pill tone="wait">{t('audit.unrecognized')}</Pill>
      <p className="small mono wrap">
        <Foreign>{entry.text}</Foreign>
      </p>
    </li>
  );
}

/** A region of its own: it scrolls, so the keyboard must be able to reach it. */
const Trail = ({ name, rows, none }: { name: string; rows: ReactNode[]; none: string }) =>
  rows.length === 0 ? (
    <p className="soft small">{none}</p>
  ) : (
    <ul className="trail" tabIndex={0} aria-label={name}>
      {rows}
    </ul>
  );

export function AuditPanel({ up }: { up: boolean }) {
  const { turn } = useContext(PageContext);
  const ring = useHost('get_audit', true, turn);
  const trail = useHost('get_host_audit', up, turn);
  const { again } = ring;
  useEffect(
    () =>
      onChanged((keys) => {
        if (keys.includes('auditRing')) again();
      }),
    [again],
  );
  return (
    <Card
      id="audit"
      title={t('audit.title')}
      aside={
        <button
          data-act="audit-refresh"
          className="slim"
          onClick={() => {
            again();
            if (up) trail.again();
          }}
        >
          {t('audit.refresh')}
        </button>
      }
    >
      <h3>{t('audit.ring')}</h3>
      {ring.data === null ? null : <Trail name={t('audit.ring')} rows={ring.data.map(ringRow)} none={t('audit.ring_none')} />}
      <Alert>{ring.error === null ? undefined : say(ring.error)}</Alert>
      <div className="stack tight divided">
        <h3>{t('audit.trail')}</h3>
        <HostAnswer up={up} asked={trail} act="audit-again">
          {({ entries, older, path }) => (
            <>
              <Trail name={t('audit.trail')} rows={entries.map(trailRow)} none={t('audit.trail_none')} />
              <p className="soft small wrap">{older > 0 ? t('audit.older', [String(older), path]) : t('audit.path', [path])}</p>
            </>
          )}
        </HostAnswer>
      </div>
    </Card>
  );
}
