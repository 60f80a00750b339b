/** What the worker answers to its pages. Wiring of verdicts that are made elsewhere. */
import { PROTOCOL } from '@contract/host';
import type { Allowlist } from '../gate/allowlist';
import type { Confirmations } from '../gate/confirm';
import type { Gates } from '../gate/gates';
import type { KillGate } from '../gate/kill';
import type { Link } from '../link/port';
import type { EnrollmentView, KillView, PolicyView, StatusView } from '../messages';
import type { Acts } from '../trust/acts';
import type { Admin } from '../trust/admin';
import type { Audit } from '../trust/audit';
import type { LanguageSync } from '../trust/language';
import type { Pairing } from '../trust/pairing';
import type { PolicySync } from '../trust/policy';
import type { Presence } from '../trust/presence';
import type { WebAuthn } from '../trust/webauthn';
import type { Handlers } from './router';

export interface HandlerOptions {
  link: Link;
  gates: Gates;
  kill: KillGate;
  allowlist: Allowlist;
  confirmations: Confirmations;
  admin: Admin;
  acts: Acts;
  pairing: Pairing;
  policy: PolicySync;
  language: LanguageSync;
  presence: Presence;
  webauthn: WebAuthn;
  audit: Audit;
  confined(): string | null;
  identityOk(): boolean;
  version(): string;
}

/** The browser's sentence for a host that is not registered, or not where the registration says. */
const NO_HOST = /not found/i;

export function createHandlers(options: HandlerOptions): Handlers {
  const { link, gates, kill, allowlist, confirmations, admin, acts, pairing, policy, presence, webauthn, audit } = options;

  async function status(): Promise<StatusView> {
    const { posture, serving } = await gates.posture(link.current());
    const error = link.lastError();
    return {
      port: { state: link.current() === null ? 'down' : 'up', error, hostMissing: error !== null && NO_HOST.test(error), served: link.served() },
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
      ...(await pairing.notes()),
    };
  }

  function engage(): Promise<KillView> {
    kill.engage();
    presence.drop();
    return kill.view();
  }

  async function policyView(): Promise<PolicyView> {
    const { posture, serving } = await gates.posture(link.current());
    const blocked = posture.blocked !== null;
    return {
      serving,
      blocked: posture.blocked,
      effective: blocked ? null : { ...posture.policy, disabledTools: [...posture.policy.disabledTools] },
      revision: blocked ? null : posture.revision,
      refused: policy.refused(),
    };
  }

  /** For messages whose success says nothing more. */
  const done = async (work: Promise<void>): Promise<null> => {
    await work;
    return null;
  };

  return {
    get_status: status,

    get_enrollment: enrollment,
    enroll_pair: () => done(pairing.pair()),
    enroll_verify: () => done(pairing.verify()),
    enroll_approve: ({ keyId }) => done(pairing.approve(keyId)),
    enroll_reject: () => done(pairing.reject()),
    enroll_revoke: () => done(pairing.revoke()),

    get_policy: policyView,
    restrict_policy: ({ overlay }) => done(acts.restrict(overlay)),
    grant_policy: ({ overlay }) => acts.grant(overlay),
    rollback_policy: ({ revision, entry }) => acts.rollback(revision, entry),
    get_policy_history: () => acts.history(),

    webauthn_enroll_begin: () => webauthn.begin(),
    webauthn_enroll_finish: ({ attestationObject, clientDataJson }) => webauthn.finish(attestationObject, clientDataJson),
    webauthn_enrollment: () => webauthn.note(),
    webauthn_forget: () => done(webauthn.forget()),

    lang_choose: async ({ value }) => ({ sent: await options.language.choose(value) }),

    get_allowlist: () => allowlist.view(),
    resolve_allow: ({ id, allow }) => done(allowlist.resolve(id, allow)),
    add_allow: ({ glob }) => done(allowlist.add(glob)),
    remove_allow: ({ glob }) => allowlist.remove(glob),
    sweep_pending: () => done(allowlist.sweep()),

    get_kill: () => kill.view(),
    set_kill: engage,
    kill_release: async () => {
      const request = await acts.release();
      return request === null ? { state: 'done', kill: await kill.view() } : { state: 'presence', request };
    },

    get_clients: () => admin.clients(),
    pair_client: ({ name, anchor }) => acts.pair(name, anchor),
    revoke_client: ({ name }) => done(admin.revoke(name)),
    get_audit: () => audit.list(),
    get_host_audit: ({ limit }) => admin.trail(limit),
    get_doctor: () => admin.doctor(),
    get_registration: () => admin.registration(),
    repair_registration: ({ browsers }) => admin.repair(browsers),

    webauthn_presence_pending: () => presence.pending(),
    webauthn_presence_assert: ({ type: _type, nonce, ...assertion }) => done(presence.assert(nonce, assertion)),
    webauthn_presence_confirm: ({ nonce }) => done(presence.confirm(nonce)),

    confirm_ready: async ({ id }) => {
      const payload = await confirmations.ready(id);
      return payload === null ? { state: 'gone' } : { state: 'shown', payload };
    },
    confirm_resolve: ({ id, approved }) => {
      if (!confirmations.resolve(id, approved)) throw new Error('this request is no longer pending');
      return null;
    },
    confirm_presence: async ({ id, nonce, credentialId, authenticatorData, clientDataJson, signature }) => {
      const tapped =
        credentialId === undefined || authenticatorData === undefined || clientDataJson === undefined || signature === undefined
          ? null
          : { credentialId, authenticatorData, clientDataJson, signature };
      if (!(await confirmations.prove(id, nonce, tapped))) throw new Error('this request is no longer pending');
      return null;
    },
    // Deny first, then the latch: an older id still engages, since that only takes power away.
    confirm_deny_kill: ({ id }) => {
      confirmations.resolve(id, false);
      return engage();
    },
  };
}
