/** The collaborators of the port: each control tag belongs to exactly one family. */
import { KillStatusResult, PolicyCurrent, type ControlTag } from '@contract/frames';
import { messageOf } from '../errors';
import type { Collaborator, Connection } from '../link/port';
import type { Exchange } from '../link/exchange';
import type { KillGate } from '../gate/kill';
import type { Acts } from './acts';
import type { Admin } from './admin';
import type { LanguageSync } from './language';
import type { Lanes } from './lanes';
import type { Pairing } from './pairing';
import type { PolicySync } from './policy';
import type { Presence } from './presence';
import type { WebAuthn } from './webauthn';

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
  acts: Acts;
  pairing: Pairing;
  policy: PolicySync;
  language: LanguageSync;
  presence: Presence;
  webauthn: WebAuthn;
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

function killFamily({ kill, killExchange, acts, log }: FamilyOptions): Collaborator {
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
      if (acts.takesKillStatus(frame.killed === true)) killExchange.offer(frame);
    },
  };
}

function policyFamily(options: FamilyOptions): Collaborator {
  const { acts, lanes, killExchange, pairing, policy, log } = options;

  /** The host has spoken: from here on it may be asked. */
  function open(connection: Connection): void {
    if (lanes.control(connection)) return;
    lanes.openControl(connection);
    askKillStatus(killExchange, connection, log);
    void pairing.onLane(connection).catch((error: unknown) => log(`pairing: ${messageOf(error)}`));
  }

  return {
    name: 'policy',
    tags: POLICY,
    onAttach: acts.onAttach,
    onDetach() {
      acts.onDetach();
      policy.onDetach();
    },
    // Awaited: pushes are judged one after the other.
    async onFrame(frame, connection) {
      if (frame.type !== 'policy_current') {
        if (!acts.onFrame(frame)) log(`policy: ${String(frame.type)} dropped`);
        return;
      }
      if (PolicyCurrent.safeParse(frame).success) open(connection);
      await policy.onFrame(frame, connection);
    },
  };
}

function languageFamily({ language }: FamilyOptions): Collaborator {
  return {
    name: 'language',
    tags: LANGUAGE,
    onAttach: nothing,
    onDetach: language.onDetach,
    onFrame: language.onFrame,
  };
}

function pairingFamily({ pairing }: FamilyOptions): Collaborator {
  return {
    name: 'pairing',
    tags: PAIRING,
    onAttach: pairing.onAttach,
    onDetach: pairing.onDetach,
    onFrame: pairing.onFrame,
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

function presenceFamily({ presence, webauthn, log }: FamilyOptions): Collaborator {
  return {
    name: 'presence',
    tags: PRESENCE,
    onAttach() {
      presence.onAttach();
      webauthn.onAttach();
    },
    onDetach() {
      presence.onDetach();
      webauthn.onDetach();
    },
    onFrame(frame, connection) {
      if (frame.type === 'presence_request' || frame.type === 'presence_result') presence.onFrame(frame, connection);
      // After a request for a further credential the host says `presence_required`, which is no news.
      else if (!webauthn.onFrame(frame)) log(`presence: ${String(frame.type)} dropped`);
    },
  };
}

export const createFamilies = (options: FamilyOptions): readonly Collaborator[] => [
  killFamily(options),
  policyFamily(options),
  languageFamily(options),
  pairingFamily(options),
  administrationFamily(options),
  presenceFamily(options),
];
