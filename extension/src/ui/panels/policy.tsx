/**
 * The policy editor. Every direction is computed here, from our own table; what the host says of one
 * is not believed. Where nothing could be granted, the reason stands in the place of the controls.
 */
import { useContext, useState } from 'react';
import { OPS } from '@contract/ops';
import { POLICY_FIELDS, type Overlay, type PolicyField, type PolicyFields } from '@contract/policy';
import { send } from '../../browser/runtime';
import { t } from '../../i18n';
import type { PolicyView } from '../../messages';
import { useAnswer } from '../ask';
import { draftOf, NO_EDITS, type Draft, type Edits, type MsField, type SwitchField } from '../draft';
import { Alert, Card, Foreign, Pill } from '../kit';
import { PageContext } from '../presence';
import { say } from '../say';
import { History } from './policy-history';

const isMs = (row: { kind: string }): boolean => row.kind === 'ms';
const GRANTS = POLICY_FIELDS.filter((row) => row.kind === 'grant').map((row) => row.name as SwitchField);
const ASKS = POLICY_FIELDS.filter((row) => row.kind === 'bool').map((row) => row.name as SwitchField);
const TIMES = POLICY_FIELDS.filter(isMs).map((row) => row.name as MsField);
const TOOLS = OPS.map((op) => op.name as string);

export function valueText(value: boolean | number | readonly string[]): string {
  if (typeof value === 'boolean') return t(value ? 'policy.on' : 'policy.off');
  if (typeof value === 'number') return String(value);
  return value.length === 0 ? t('policy.nothing') : value.join(', ');
}

interface Editing {
  effective: Readonly<PolicyFields>;
  edits: Edits;
  draft: Draft;
  change(edits: Partial<Edits>): void;
}

/** What a changed field does; unchanged says nothing. */
const Direction = ({ field, draft }: { field: PolicyField; draft: Draft }) =>
  draft.looser.includes(field) ? <Pill tone="wait">{t('policy.looser')}</Pill> : draft.changed.includes(field) ? <Pill tone="on">{t('policy.tighter')}</Pill> : null;

function Switch({ field, effective, edits, draft, change }: Editing & { field: SwitchField }) {
  return (
    <li className="row field">
      <label className="row grow">
        <input
          data-field={field}
          type="checkbox"
          checked={edits.switches[field] ?? effective[field]}
          onChange={(e) => change({ switches: { ...edits.switches, [field]: e.target.checked } })}
        />
        <span className="wrap">{t(`policy.field.${field}`)}</span>
      </label>
      <Direction field={field} draft={draft} />
    </li>
  );
}

function Time({ field, effective, edits, draft, change }: Editing & { field: MsField }) {
  const bad = draft.bad.includes(field);
  return (
    <li className="stack tight field">
      <div className="row spread wrapping">
        <label htmlFor={`policy-${field}`} className="wrap grow">
          {t(`policy.field.${field}`)}
        </label>
        <Direction field={field} draft={draft} />
        <input
          id={`policy-${field}`}
          data-field={field}
          type="text"
          inputMode="numeric"
          autoComplete="off"
          className="number steady"
          aria-invalid={bad}
          aria-describedby={`policy-${field}-error`}
          value={edits.times[field] ?? String(effective[field])}
          onChange={(e) => change({ times: { ...edits.times, [field]: e.target.value } })}
        />
      </div>
      <Alert id={`policy-${field}-error`}>{bad ? t('policy.bad_number') : undefined}</Alert>
    </li>
  );
}

function Tools({ effective, edits, draft, change }: Editing) {
  const off = edits.tools ?? effective.disabledTools;
  // A policy may name tools of another version; they can be taken out, too.
  const all = [...TOOLS, ...effective.disabledTools.filter((name) => !TOOLS.includes(name))];
  const set = (name: string, on: boolean) => change({ tools: on ? [...off, name] : off.filter((n) => n !== name) });
  return (
    <details data-act="policy-tools" className="field">
      <summary>
        <span className="row spread">
          <span>{t('policy.field.disabledTools')}</span>
          <span className="row">
            <Direction field="disabledTools" draft={draft} />
            <span className="soft small steady">{t('policy.tools_count', [String(off.length), String(all.length)])}</span>
          </span>
        </span>
      </summary>
      <ul className="tools">
        {all.map((name) => (
          <li key={name}>
            <label className="row">
              <input data-field="disabledTools" data-tool={name} type="checkbox" checked={off.includes(name)} onChange={(e) => set(name, e.target.checked)} />
              <Foreign exact className="mono wrap">{name}</Foreign>
            </label>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** What saving will take, and the way to do it. One button, whose name says which lane it is. */
function Save({ draft, first, up, busy, save, reset }: { draft: Draft; first: boolean; up: boolean; busy: boolean; save: (grant: boolean) => void; reset: () => void }) {
  const none = draft.changed.length === 0;
  const grant = first || draft.looser.length > 0;
  const ready = !none && draft.bad.length === 0 && up && !busy;
  const text = none ? 'policy.no_change' : draft.looser.length > 0 ? 'policy.needs_presence' : first ? 'policy.needs_presence_first' : 'policy.only_tighter';
  return (
    <div className="row spread wrapping divided">
      <p role="status" className={none ? 'soft small grow' : 'small grow'}>
        {t(text)}
      </p>
      <div className="row">
        <button data-act="policy-reset" className="plain" disabled={none && draft.bad.length === 0} onClick={reset}>
          {t('policy.reset')}
        </button>
        <button data-act={grant ? 'policy-grant' : 'policy-restrict'} className="filled" disabled={!ready} onClick={() => save(grant)}>
          {t(grant ? 'policy.save_grant' : 'policy.save')}
        </button>
      </div>
    </div>
  );
}

/** Values of fields, each with its name as the command line knows it. */
export const Values = ({ overlay }: { overlay: Overlay }) => (
  <dl className="values">
    {POLICY_FIELDS.filter((row) => overlay[row.name] !== undefined).map(({ name }) => (
      <div key={name}>
        <dt className="mono">{name}</dt>
        <dd className="wrap">
          <Foreign exact>{valueText(overlay[name] ?? [])}</Foreign>
        </dd>
      </div>
    ))}
  </dl>
);

function Heal({ refused, up, grant, busy }: { refused: NonNullable<PolicyView['refused']>; up: boolean; grant: (overlay: Overlay) => void; busy: boolean }) {
  return (
    <div className="heal stack tight">
      <h3>{t('policy.heal_title')}</h3>
      <p className="small wrap">
        <Foreign>{refused.error}</Foreign>
      </p>
      <p className="small">{t('policy.heal')}</p>
      <Values overlay={refused.heal} />
      <div>
        <button data-act="policy-heal" disabled={busy || !up} onClick={() => grant(refused.heal)}>
          {t('policy.heal_send')}
        </button>
      </div>
    </div>
  );
}

function Editor({ policy, effective, up }: { policy: PolicyView; effective: Readonly<PolicyFields>; up: boolean }) {
  const page = useContext(PageContext);
  const [edits, setEdits] = useState<Edits>(NO_EDITS);
  const [error, setError] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const draft = draftOf(effective, edits);
  const first = policy.revision === null;
  const reset = () => {
    setEdits(NO_EDITS);
    setError(undefined);
  };
  const restrict = async () => {
    setBusy(true);
    const reply = await send({ type: 'restrict_policy', overlay: draft.overlay });
    setBusy(false);
    setError(reply.ok ? undefined : say(reply.error));
    if (!reply.ok) return;
    reset();
    page.done(t('policy.saved'));
  };
  const grant = async (overlay: Overlay) => {
    setBusy(true);
    const reply = await send({ type: 'grant_policy', overlay });
    setBusy(false);
    setError(reply.ok ? undefined : say(reply.error));
    if (!reply.ok) return;
    if (reply.data !== null) return page.ask(reply.data, reset);
    reset();
    page.done(t('policy.changed'));
  };
  const editing = { effective, edits, draft, change: (some: Partial<Edits>) => setEdits((was) => ({ ...was, ...some })) };
  return (
    <>
      {first ? <p>{t('policy.first')}</p> : null}
      {policy.serving === 'unverified' ? <p className="small">{t('policy.unverified')}</p> : null}
      {policy.refused === null ? null : <Heal refused={policy.refused} up={up} busy={busy} grant={(overlay) => void grant(overlay)} />}
      <fieldset>
        <legend>{t('policy.grants')}</legend>
        <ul>
          {GRANTS.map((field) => (
            <Switch key={field} field={field} {...editing} />
          ))}
        </ul>
      </fieldset>
      <fieldset>
        <legend>{t('policy.asks')}</legend>
        <ul>
          {ASKS.map((field) => (
            <Switch key={field} field={field} {...editing} />
          ))}
        </ul>
      </fieldset>
      <fieldset>
        <legend>{t('policy.times')}</legend>
        <ul>
          {TIMES.map((field) => (
            <Time key={field} field={field} {...editing} />
          ))}
        </ul>
      </fieldset>
      <Tools {...editing} />
      <Save draft={draft} first={first} up={up} busy={busy} reset={reset} save={(asks) => void (asks ? grant(draft.overlay) : restrict())} />
      <Alert>{error}</Alert>
      <History effective={effective} up={up} />
    </>
  );
}

export function PolicyPanel({ up }: { up: boolean }) {
  const { data: policy, error } = useAnswer('get_policy');
  const effective = policy?.effective ?? null;
  const open = policy !== null && policy.serving !== 'unpaired' && policy.serving !== 'blocked' && effective !== null;
  return (
    <Card
      id="policy"
      title={t('policy.title')}
      aside={policy?.revision == null ? null : <span className="soft small steady">{t('policy.revision', [String(policy.revision)])}</span>}
    >
      {open ? <p className="soft small">{t('policy.text')}</p> : null}
      {policy === null || open ? null : <p>{t(policy.serving === 'unpaired' ? 'policy.unpaired' : 'policy.blocked')}</p>}
      {open ? <Editor policy={policy} effective={effective} up={up} /> : null}
      <Alert>{error === null ? undefined : say(error)}</Alert>
    </Card>
  );
}
