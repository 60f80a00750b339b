/**
 * The collaborators of the port: each control tag belongs to exactly one family.
 *
 * Pairing is claimed, so that its frames are never taken for anything else, and dropped: nothing could
 * verify them yet. Of policy and language only the opening of the lanes is built.
 */
import { KillStatusResult, LangCurrent, PolicyCurrent, type ControlTag } from '@contract/frames';
import type { Collaborator, Connection, Frame } from '../link/port';
import type { Exchange } from '../link/exchange';
import type { KillGate } from '../gate/kill';
import type { Admin } from './admin';
import type { Lanes } from './lanes';
import type { Presence } from './presence';

const KILL = ['kill_status', 'kill_engage', 'kill_release', 'kill_status_result'] as const;

const POLICY = [
  'policy_get',
  'policy_current',
  'policy_restrict',
  'policy_restrict_result',
  'policy_set',
  'policy_set_result',
  'policy_history',
  'policy_history_result',
  'policy_rollback',
  'policy_rollback_result',
] as const;

const LANGUAGE = ['lang_get', 'lang_set', 'lang_current'] as const;

const PAIRING = ['enclave_challenge', 'enclave_proof', 'enclave_error', 'enclave_revoke', 'enclave_revoked'] as const;

const ADMINISTRATION = [
  'client_list',
  'client_list_result',
  'client_pair',
  'client_pair_result',
  'client_revoke',
  'client_revoke_result',
  'doctor_report',
  'doctor_report_result',
  'registration_status',
  'registration_status_result',
  'registration_repair',
  'audit_event',
  'audit_read',
  'audit_read_result',
] as const;

const PRESENCE = [
  'enroll_begin',
  'enroll_options',
  'enroll_finish',
  'enroll_result',
  'presence_begin',
  'presence_request',
  'presence_assert',
  'presence_confirm',
  'presence_result',
  'browser_revoke',
  'browser_revoke_result',
] as const;

type Claimed =
  | (typeof KILL)[number]
  | (typeof POLICY)[number]
  | (typeof LANGUAGE)[number]
  | (typeof PAIRING)[number]
  | (typeof ADMINISTRATION)[number]
  | (typeof PRESENCE)[number];

/** A tag that no family has is a type error here. */
type Unclaimed = Exclude<ControlTag, Claimed>;
const noneLeft: [Unclaimed] extends [never] ? true : never = true;
void noneLeft;

const nothing = (): void => undefined;

export interface FamilyOptions {
  kill: KillGate;
  killExchange: Exchange;
  lanes: Lanes;
  admin: Admin;
  presence: Presence;
  log(message: string): void;
}

/** Asks for the state once the lane is open; the mirror is written from the frame, not from here. */
function askKillStatus(exchange: Exchange, connection: Connection, log: (message: string) => void): void {
  void exchange
    .ask(connection, { frame: { type: 'kill_status' }, replies: ['kill_status_result'], read: (frame) => frame })
    .then((result) => {
      if (!result.ok) log(`kill_status: ${result.refusal}`);
    });
}

function killFamily({ kill, killExchange, presence, log }: FamilyOptions): Collaborator {
  return {
    name: 'kill',
    tags: KILL,
    onAttach(connection) {
      killExchange.onAttach();
      kill.onAttach(connection);
    },
    onDetach: () => killExchange.onDetach(),
    // Not awaited: the latch goes by arrival, and must not stand behind a write.
    onFrame(frame) {
      if (frame.type !== 'kill_status_result') return;
      const report = KillStatusResult.safeParse(frame);
      void kill.onReport(report.success ? report.data : { ok: false }).then((written) => {
        if (!written) log('the kill mirror could not be written');
      });
      if (presence.takesKillStatus(frame.killed === true)) killExchange.offer(frame);
    },
  };
}

function policyFamily(options: FamilyOptions): Collaborator {
  const { lanes, killExchange, log } = options;
  return {
    name: 'policy',
    tags: POLICY,
    onAttach: nothing,
    onDetach: nothing,
    onFrame(frame, connection) {
      if (frame.type !== 'policy_current' || !PolicyCurrent.safeParse(frame).success) return;
      const first = !lanes.control(connection);
      lanes.openControl(connection);
      if (first) askKillStatus(killExchange, connection, log);
    },
  };
}

function languageFamily({ lanes }: FamilyOptions): Collaborator {
  return {
    name: 'language',
    tags: LANGUAGE,
    onAttach: nothing,
    onDetach: nothing,
    onFrame(frame, connection) {
      if (LangCurrent.safeParse(frame).success) lanes.openLanguage(connection);
    },
  };
}

function administrationFamily({ admin, log }: FamilyOptions): Collaborator {
  return {
    name: 'administration',
    tags: ADMINISTRATION,
    onAttach: admin.onAttach,
    onDetach: admin.onDetach,
    onFrame(frame) {
      if (!admin.onFrame(frame)) log(`administration: ${String(frame.type)} dropped`);
    },
  };
}

function presenceFamily({ presence }: FamilyOptions): Collaborator {
  return {
    name: 'presence',
    tags: PRESENCE,
    onAttach: presence.onAttach,
    onDetach: presence.onDetach,
    onFrame: presence.onFrame,
  };
}

function unbuilt(name: string, tags: readonly ControlTag[], log: (message: string) => void): Collaborator {
  return {
    name,
    tags,
    onAttach: nothing,
    onDetach: nothing,
    onFrame: (frame: Frame) => log(`${name}: ${String(frame.type)} dropped`),
  };
}

export const createFamilies = (options: FamilyOptions): readonly Collaborator[] => [
  killFamily(options),
  policyFamily(options),
  languageFamily(options),
  unbuilt('pairing', PAIRING, options.log),
  administrationFamily(options),
  presenceFamily(options),
];
