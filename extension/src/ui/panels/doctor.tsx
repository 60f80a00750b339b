/** The host's own report, in the words of `genkan doctor`. */
import { useContext } from 'react';
import type { Report } from '@contract/frames';
import { t } from '../../i18n';
import { useHost } from '../ask';
import { Foreign, Pill } from '../kit';
import { PageContext } from '../presence';
import { HostAnswer } from './host-answer';

const ROWS = ['version', 'platform', 'directories', 'lock_file', 'mcp_server', 'kill_switch', 'policy_baseline', 'host_key'] as const;

function Row({ name, row }: { name: (typeof ROWS)[number]; row: Report[(typeof ROWS)[number]] }) {
  const { value, details } = typeof row === 'string' ? { value: row, details: [] } : row;
  return (
    <div>
      <dt className="soft small">{t(`doctor.${name}`)}</dt>
      <dd className="wrap">
        <Foreign>{value}</Foreign>
        {details.map((line, i) => (
          <p key={i} className="soft small wrap">
            <Foreign>{line}</Foreign>
          </p>
        ))}
      </dd>
    </div>
  );
}

export function Doctor({ up }: { up: boolean }) {
  const { turn } = useContext(PageContext);
  const asked = useHost('get_doctor', up, turn);
  return (
    <details data-act="doctor" className="field">
      <summary>{t('doctor.title')}</summary>
      <HostAnswer up={up} asked={asked} act="doctor-again">
        {(report) => (
          <div className="stack tight">
            <p className="row wrapping">
              <Pill tone={report.healthy ? 'on' : 'wait'}>{t(report.healthy ? 'doctor.healthy' : 'doctor.unhealthy')}</Pill>
              <Foreign className="wrap">{report.summary}</Foreign>
            </p>
            <dl className="values">
              {ROWS.map((name) => (
                <Row key={name} name={name} row={report[name]} />
              ))}
            </dl>
          </div>
        )}
      </HostAnswer>
    </details>
  );
}
