/**
 * Administration of the host from the options page: clients, trail, report, registration (control.md
 * 2.5). Each reply family has one exchange; `ok:false` is an answer, and its text the error.
 */
import {
  AuditReadResult,
  ClientListResult,
  ClientRevokeResult,
  DoctorReportResult,
  RegistrationStatusResult,
} from '@contract/frames';
import type { Clock } from '../clock';
import { createExchange, type Exchange } from '../link/exchange';
import type { Connection, Frame } from '../link/port';
import type { ClientsView, DoctorView, HostAuditView, RegistrationBrowser, RegistrationView } from '../messages';
import type { Audit } from './audit';

const RESULTS = [
  'client_list_result',
  'client_revoke_result',
  'client_pair_result',
  'audit_read_result',
  'doctor_report_result',
  'registration_status_result',
] as const;
type ResultTag = (typeof RESULTS)[number];

type Settled = { ok: true } | { ok: false; error: string };
interface Reader<T> {
  parse(value: unknown): T;
}

export interface Admin {
  clients(): Promise<ClientsView>;
  revoke(name: string): Promise<void>;
  trail(limit?: number): Promise<HostAuditView>;
  doctor(): Promise<DoctorView>;
  registration(): Promise<RegistrationView>;
  repair(browsers?: readonly RegistrationBrowser[]): Promise<RegistrationView>;
  /** Of `client_pair_result`, whose act goes through presence. */
  readonly pairing: Exchange;
  onAttach(): void;
  onDetach(): void;
  /** False: the frame answers nothing that was asked. */
  onFrame(frame: Frame): boolean;
}

export interface AdminOptions {
  clock: Clock;
  lane(): Connection | null;
  audit: Audit;
}

export function createAdmin({ clock, lane, audit }: AdminOptions): Admin {
  const exchanges = Object.fromEntries(RESULTS.map((tag) => [tag, createExchange(clock)])) as Record<ResultTag, Exchange>;
  const all = Object.values(exchanges);

  async function ask<T extends Settled>(tag: ResultTag, frame: Frame, reader: Reader<T>): Promise<Extract<T, { ok: true }>> {
    const result = await exchanges[tag].ask(lane(), { frame, replies: [tag], read: (answer) => reader.parse(answer) });
    if (!result.ok) throw new Error(result.refusal);
    const answer: Settled = result.value;
    if (!answer.ok) throw new Error(answer.error);
    return result.value as Extract<T, { ok: true }>;
  }

  /** Pages that are open side by side ask for the same; the report is for all of them. */
  let reporting: Promise<DoctorView> | null = null;
  function report(): Promise<DoctorView> {
    reporting ??= ask('doctor_report_result', { type: 'doctor_report' }, DoctorReportResult)
      .then((answer) => answer.report)
      .finally(() => {
        reporting = null;
      });
    return reporting;
  }

  return {
    async clients() {
      const { enrolled, clients } = await ask('client_list_result', { type: 'client_list' }, ClientListResult);
      return { enrolled, clients };
    },
    async revoke(name) {
      await ask('client_revoke_result', { type: 'client_revoke', name }, ClientRevokeResult);
      audit.record({ kind: 'client_revoked', name });
    },
    async trail(limit) {
      const frame = { type: 'audit_read', ...(limit === undefined ? {} : { limit }) };
      const { entries, older, path } = await ask('audit_read_result', frame, AuditReadResult);
      return { entries, older, path };
    },
    doctor: report,
    registration: async () =>
      (await ask('registration_status_result', { type: 'registration_status' }, RegistrationStatusResult)).browsers,
    async repair(browsers) {
      const frame = { type: 'registration_repair', ...(browsers === undefined ? {} : { browsers: [...browsers] }) };
      return (await ask('registration_status_result', frame, RegistrationStatusResult)).browsers;
    },
    pairing: exchanges.client_pair_result,
    onAttach: () => all.forEach((e) => e.onAttach()),
    onDetach: () => all.forEach((e) => e.onDetach()),
    onFrame: (frame) => RESULTS.some((tag) => tag === frame.type && exchanges[tag].offer(frame)),
  };
}
