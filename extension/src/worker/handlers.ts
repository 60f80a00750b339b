/** What the worker answers to its pages. Wiring of verdicts that are made elsewhere. */
import { PROTOCOL } from '@contract/host';
import type { Allowlist } from '../gate/allowlist';
import type { Confirmations } from '../gate/confirm';
import type { Gates } from '../gate/gates';
import type { KillGate } from '../gate/kill';
import type { Link } from '../link/port';
import type { EnrollmentView, KillView, StatusView } from '../messages';
import type { Admin } from '../trust/admin';
import type { Audit } from '../trust/audit';
import type { Presence } from '../trust/presence';
import type { Handlers } from './router';

export interface HandlerOptions {
  link: Link;
  gates: Gates;
  kill: KillGate;
  allowlist: Allowlist;
  confirmations: Confirmations;
  admin: Admin;
  presence: Presence;
  audit: Audit;
  confined(): string | null;
  identityOk(): boolean;
  version(): string;
}

/** The browser's sentence for a host that is not registered, or not where the registration says. */
const NO_HOST = /not found/i;

export function createHandlers(options: HandlerOptions): Handlers {
  const { link, gates, kill, allowlist, confirmations, admin, presence, audit } = options;

  async function status(): Promise<StatusView> {
    const { posture, serving } = await gates.posture(link.current());
    const error = link.lastError();
    return {
      port: { state: link.current() === null ? 'down' : 'up', error, hostMissing: error !== null && NO_HOST.test(error) },
      serving,
      blocked: posture.blocked,
      pairingPending: posture.pending !== null,
      identityOk: options.identityOk(),
      storageOk: options.confined() === null,
      kill: await kill.view(),
      versions: { extension: options.version(), protocol: PROTOCOL },
    };
  }

  async function enrollment(): Promise<EnrollmentView> {
    const { posture, serving } = await gates.posture(link.current());
    const { pin } = posture;
    return {
      serving,
      blocked: posture.blocked,
      pin: pin === null ? null : { keyId: pin.keyId, at: pin.pinnedAt },
      pending: posture.pending,
      lastVerifiedAt: posture.lastVerifiedAt,
      lastError: null,
      revokePending: false,
    };
  }

  function engage(): Promise<KillView> {
    kill.engage();
    presence.drop();
    return kill.view();
  }

  const unbuilt = (): never => {
    throw new Error('not carried out by this version of the extension');
  };

  return {
    get_status: status,
    get_enrollment: enrollment,
    enroll_pair: unbuilt,
    enroll_verify: unbuilt,
    enroll_approve: unbuilt,
    enroll_reject: unbuilt,
    enroll_revoke: unbuilt,
    get_policy: unbuilt,
    restrict_policy: unbuilt,
    grant_policy: unbuilt,
    rollback_policy: unbuilt,
    get_policy_history: unbuilt,
    webauthn_enroll_begin: unbuilt,
    webauthn_enroll_finish: unbuilt,
    webauthn_enrollment: unbuilt,
    webauthn_forget: unbuilt,
    webauthn_presence_assert: unbuilt,
    lang_choose: unbuilt,
    confirm_presence: unbuilt,

    get_allowlist: () => allowlist.view(),
    resolve_allow: async ({ id, allow }) => {
      await allowlist.resolve(id, allow);
      return null;
    },
    add_allow: async ({ glob }) => {
      await allowlist.add(glob);
      return null;
    },
    remove_allow: ({ glob }) => allowlist.remove(glob),
    sweep_pending: async () => {
      await allowlist.sweep();
      return null;
    },

    get_kill: () => kill.view(),
    set_kill: engage,
    kill_release: async () => {
      const request = await presence.release();
      return request === null ? { state: 'done', kill: await kill.view() } : { state: 'presence', request };
    },

    get_clients: () => admin.clients(),
    pair_client: ({ name, anchor }) => presence.pair(name, anchor),
    revoke_client: async ({ name }) => {
      await admin.revoke(name);
      return null;
    },
    get_audit: () => audit.list(),
    get_host_audit: ({ limit }) => admin.trail(limit),
    get_doctor: () => admin.doctor(),
    get_registration: () => admin.registration(),
    repair_registration: ({ browsers }) => admin.repair(browsers),

    webauthn_presence_pending: () => presence.pending(),
    webauthn_presence_confirm: async ({ nonce }) => {
      await presence.confirm(nonce);
      return null;
    },

    confirm_ready: async ({ id }) => {
      const payload = await confirmations.ready(id);
      return payload === null ? { state: 'gone' } : { state: 'shown', payload };
    },
    confirm_resolve: ({ id, approved }) => {
      if (!confirmations.resolve(id, approved)) throw new Error('this request is no longer pending');
      return null;
    },
    // Deny first, then the latch: an older id still engages, since that only takes power away.
    confirm_deny_kill: ({ id }) => {
      confirmations.resolve(id, false);
      return engage();
    },
  };
}
