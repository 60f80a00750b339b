/**
 * Messages from our own pages to the worker, and what it answers.
 *
 * The answer of every message is `{ok:true, data}` or `{ok:false, error}`; `error` is a sentence for
 * the user, the bare code of an exchange that failed, or a refusal of the host (`code` or `code: detail`). A message that fails the union is answered `malformed runtime message`. Messages of the
 * confirmation window are taken from `/confirm.html` alone, all others from everywhere but there.
 * Bytes are base64url without padding, as on the frames.
 */
import { EXTENSION_AUDIT_KINDS } from '@contract/audit';
import type { AuditEntry, Client, PolicyHistoryRow, RegistrationRow, Report } from '@contract/frames';
import { LIMITS } from '@contract/host';
import { LANGUAGES } from '@contract/identity';
import { b64url, hexLower, int, label, text, textNoNul } from '@contract/kit';
import { Overlay, type PolicyField, type PolicyFields } from '@contract/policy';
import * as z from 'zod/mini';

// Our policy forbids code from strings; without this zod would try, and be reported for it.
z.config({ jitless: true });

// --------------------------------------------------------------------------------------------- //
// Requests

/** In the order of the host's rows. */
export const REGISTRATION_BROWSERS = ['chrome', 'chromium', 'brave', 'edge', 'vivaldi', 'opera'] as const satisfies readonly RegistrationRow['browser'][];
export type RegistrationBrowser = (typeof REGISTRATION_BROWSERS)[number];

const Anchor = z.strictObject({ kind: z.enum(['hash', 'signer']), value: z.string() });
export type ClientAnchor = z.infer<typeof Anchor>;

/** What an authenticator answered, as the host takes it (control.md 2.7). */
const assertion = {
  credentialId: b64url(0, 1023),
  authenticatorData: b64url(0, 4096),
  clientDataJson: b64url(0, 8192),
  signature: b64url(0, 72),
};
const Assertion = z.strictObject(assertion);
export type Assertion = z.infer<typeof Assertion>;

const ASSERTION = ['credentialId', 'authenticatorData', 'clientDataJson', 'signature'] as const;
const nonce = textNoNul(1, 256);

export const RuntimeMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('get_status') }),

  z.strictObject({ type: z.literal('get_allowlist') }),
  /** `allow:true` is sent before `permissions.request`, in the same click. */
  z.strictObject({ type: z.literal('resolve_allow'), id: z.string(), allow: z.boolean() }),
  /** Any http or https URL; the worker canonicalises. The page has requested the permission. */
  z.strictObject({ type: z.literal('add_allow'), glob: z.string() }),
  z.strictObject({ type: z.literal('remove_allow'), glob: z.string() }),
  /** The record of pending approvals holds something that the page cannot parse. */
  z.strictObject({ type: z.literal('sweep_pending') }),

  z.strictObject({ type: z.literal('get_enrollment') }),
  /** Asks the host for its key, also while pairing is paused or the pin is compromised. */
  z.strictObject({ type: z.literal('enroll_pair') }),
  /** Asks the host to prove the pinned key. */
  z.strictObject({ type: z.literal('enroll_verify') }),
  /** `keyId` is the fingerprint that the person compared. */
  z.strictObject({ type: z.literal('enroll_approve'), keyId: hexLower(64, 64) }),
  z.strictObject({ type: z.literal('enroll_reject') }),
  z.strictObject({ type: z.literal('enroll_revoke') }),

  z.strictObject({ type: z.literal('get_policy') }),
  /** Only what is tighter; the host keeps it beside the signed policy. */
  z.strictObject({ type: z.literal('restrict_policy'), overlay: Overlay }),
  z.strictObject({ type: z.literal('grant_policy'), overlay: Overlay }),
  z.strictObject({
    type: z.literal('rollback_policy'),
    revision: int(1, Number.MAX_SAFE_INTEGER),
    /** Id of a row of the history. */
    entry: z.optional(text(1, 128)),
  }),
  z.strictObject({ type: z.literal('get_policy_history') }),

  z.strictObject({ type: z.literal('get_kill') }),
  z.strictObject({ type: z.literal('set_kill'), on: z.literal(true) }),
  /** Asks the host for the request that a release takes; nothing here releases without it. */
  z.strictObject({ type: z.literal('kill_release') }),

  z.strictObject({ type: z.literal('get_clients') }),
  z.strictObject({ type: z.literal('pair_client'), name: label, anchor: Anchor }),
  z.strictObject({ type: z.literal('revoke_client'), name: z.string() }),

  z.strictObject({ type: z.literal('get_audit') }),
  z.strictObject({ type: z.literal('get_host_audit'), limit: z.optional(z.int().check(z.gte(1), z.lte(LIMITS.AUDIT_PAGE_MAX))) }),
  z.strictObject({ type: z.literal('get_doctor') }),
  z.strictObject({ type: z.literal('get_registration') }),
  z.strictObject({
    type: z.literal('repair_registration'),
    browsers: z.optional(z.array(z.enum(REGISTRATION_BROWSERS)).check(z.minLength(1))),
  }),

  z.strictObject({ type: z.literal('webauthn_enroll_begin') }),
  z.strictObject({
    type: z.literal('webauthn_enroll_finish'),
    attestationObject: b64url(0, 16384),
    clientDataJson: b64url(0, 8192),
  }),
  z.strictObject({ type: z.literal('webauthn_enrollment') }),
  z.strictObject({ type: z.literal('webauthn_forget') }),
  z.strictObject({ type: z.literal('webauthn_presence_pending') }),
  z.strictObject({ type: z.literal('webauthn_presence_assert'), nonce, ...assertion }),
  z.strictObject({ type: z.literal('webauthn_presence_confirm'), nonce }),

  /** The picker's gesture: the worker stores the choice and tells the host where it may. */
  z.strictObject({ type: z.literal('lang_choose'), value: z.enum(LANGUAGES) }),

  z.strictObject({ type: z.literal('confirm_ready'), id: z.string() }),
  z.strictObject({ type: z.literal('confirm_resolve'), id: z.string(), approved: z.boolean() }),
  /** Instead of an approving `confirm_resolve` where the payload has `presence`; without the assertion it is the software confirmation. */
  z
    .strictObject({
      type: z.literal('confirm_presence'),
      id: z.string(),
      nonce,
      credentialId: z.optional(assertion.credentialId),
      authenticatorData: z.optional(assertion.authenticatorData),
      clientDataJson: z.optional(assertion.clientDataJson),
      signature: z.optional(assertion.signature),
    })
    .check(z.refine((m) => new Set(ASSERTION.map((k) => m[k] === undefined)).size === 1, { error: 'half an assertion' })),
  z.strictObject({ type: z.literal('confirm_deny_kill'), id: z.string() }),
]);
export type RuntimeMessage = z.infer<typeof RuntimeMessage>;
export type RuntimeMessageType = RuntimeMessage['type'];

// --------------------------------------------------------------------------------------------- //
// Confirmation

const payload = {
  id: z.string(),
  tool: z.string(),
  /** Milliseconds since the epoch. */
  deadline: z.number(),
  /** Of the document that is acted on; a frame's where the ref names one. */
  origin: z.string(),
  tabTitle: z.string(),
  /** Page-influenced text: a text node, whatever it looks like. */
  detail: z.string(),
};

/**
 * What the window needs for an act that takes a presence proof (extension.md 10.5). With ids, Allow asks
 * an authenticator; without, Allow itself is the confirmation. Either is sent by `confirm_presence`.
 */
export const ConfirmPresence = z.strictObject({
  nonce: z.string(),
  challenge: z.string(),
  allowedCredentialIds: z.array(z.string()),
});
export type ConfirmPresence = z.infer<typeof ConfirmPresence>;

/** The kinds of extension.md 10.1; two of them may take a presence proof. */
export const ConfirmPayload = z.discriminatedUnion('kind', [
  z.strictObject({ ...payload, kind: z.literal('click') }),
  z.strictObject({ ...payload, kind: z.literal('press') }),
  z.strictObject({ ...payload, kind: z.literal('select') }),
  z.strictObject({ ...payload, kind: z.literal('tab_close') }),
  z.strictObject({ ...payload, kind: z.literal('fill') }),
  z.strictObject({ ...payload, kind: z.literal('read') }),
  z.strictObject({ ...payload, kind: z.literal('eval'), presence: z.optional(ConfirmPresence) }),
  z.strictObject({ ...payload, kind: z.literal('upload'), presence: z.optional(ConfirmPresence) }),
]);
export type ConfirmPayload = z.infer<typeof ConfirmPayload>;
export type ConfirmKind = ConfirmPayload['kind'];

/** Allow stays disabled for this long after the window shows (extension.md 10.4). */
export const CONFIRM_ARM_MS = LIMITS.CONFIRM_ARM_MS;

// --------------------------------------------------------------------------------------------- //
// Answers

/** State of extension.md section 1. */
export const SERVING_STATES = ['unpaired', 'preCutover', 'active', 'unverified', 'blocked'] as const;
export type ServingState = (typeof SERVING_STATES)[number];

/** Why nothing is served in state `blocked`. */
export type BlockedReason = 'pin_lost' | 'compromised' | 'rejected' | 'revoked' | 'policy_corrupt' | 'unreadable';

/**
 * The kill mirror as the gate sees it. Only `alive` is healthy; `none` means that no host ever told.
 * `latched`: Deny and kill was used and the host has not yet reported killed and then alive.
 * `pending`: an engage was asked for and has not been confirmed by the host.
 */
export interface KillView {
  state: 'alive' | 'killed' | 'unknown' | 'none';
  at: number | null;
  latched: boolean;
  pending: boolean;
}

export interface PortView {
  /**
   * `up` from the moment the port is open, which says nothing of the program behind it; a host that
   * cannot be started shows as `down` at once.
   */
  state: 'up' | 'down';
  /** The browser's reason for the last loss of the port, null while it is up. */
  error: string | null;
  /** The browser knows no such host: name `genkan doctor --fix`. */
  hostMissing: boolean;
  /** A server has sent a request through this port: there is one behind the host, or was. */
  served: boolean;
}

export interface StatusView {
  port: PortView;
  serving: ServingState;
  /** Set in state `blocked` only. */
  blocked: BlockedReason | null;
  /** A fingerprint waits to be compared. */
  pairingPending: boolean;
  /** False: this build has the wrong key, every gate is closed. */
  identityOk: boolean;
  /** False: storage could not be confined, every gate is closed. */
  storageOk: boolean;
  kill: KillView;
  versions: { extension: string; protocol: number };
}

export interface AllowEntryView {
  glob: string;
  /** The browser's permission behind the entry is held. */
  held: boolean;
}

export interface PendingAllowView {
  id: string;
  glob: string;
  expiresAt: number;
  /** What to hand to `permissions.request`: the entry without its port. */
  permission: string;
}

export interface AllowlistView {
  entries: AllowEntryView[];
  /** Oldest first; the page hides those past `expiresAt`. */
  pending: PendingAllowView[];
  allowAllSites: boolean;
  /** `<all_urls>` is really held. */
  allUrlsHeld: boolean;
}

export interface RemoveAllowResult {
  permissionRemoved: boolean;
  permissionError?: string;
}

export interface KeyView {
  /** SHA-256 of the public key, 64 lowercase hex: the fingerprint. */
  keyId: string;
  at: number;
}

export interface EnrollmentView {
  serving: ServingState;
  blocked: BlockedReason | null;
  pin: KeyView | null;
  pending: KeyView | null;
  lastVerifiedAt: number | null;
  /** What the host last answered instead of a proof: a reason of the contract, or foreign text cut to 64. */
  lastError: { reason: string; at: number } | null;
  /** The host has not yet acknowledged that its key goes. */
  revokePending: boolean;
}

export interface PolicyView {
  serving: ServingState;
  blocked: BlockedReason | null;
  /** What the tools are judged by; null while blocked. Before the first baseline these are the defaults. */
  effective: PolicyFields | null;
  /** Of the signed policy; null before the first. */
  revision: number | null;
  /** The newest push of this connection loosened fields that it does not name, so it was not taken. */
  refused: { fields: PolicyField[]; heal: Overlay; error: string } | null;
}

export interface EnrollOptionsView {
  challenge: string;
  nonce: string;
  userId: string;
  userName: string;
  excludeCredentialIds: string[];
}
/** `presence`: first a tap of a credential that is enrolled already, then `webauthn_enroll_begin` again. */
export type EnrollBeginView = { state: 'options'; options: EnrollOptionsView } | { state: 'presence'; request: PresenceView };

/** A note of this browser alone; the host is who knows. */
export type EnrollmentNote = { state: 'none' } | { state: 'enrolled'; credentialId: string; enrolledAt: number } | { state: 'unreadable' };

export type ConfirmReady = { state: 'shown'; payload: ConfirmPayload } | { state: 'gone' };

export interface ClientsView {
  /** False: there is no list, and every client may drive. */
  enrolled: boolean;
  clients: Client[];
}

/** What the person has to confirm for an act to happen. */
export interface PresenceView {
  nonce: string;
  /** The host's own text, shown as it is. */
  action: string;
  challenge: string;
  /** Empty: a confirmation with the text of the action instead of a tap. */
  allowedCredentialIds: string[];
  expiresAt: number;
}

export const RING_KINDS = [
  ...EXTENSION_AUDIT_KINDS,
  'client_revoked',
  'kill_engaged',
  'kill_released',
  'kill_status_changed',
  'policy_refused',
  'policy_compromised',
] as const;

/** One line of the audit ring of this browser. */
export interface RingEntry {
  at: number;
  kind: (typeof RING_KINDS)[number];
  outcome?: string;
  tool?: string;
  name?: string;
  detail?: string;
  cid?: string;
}

export interface HostAuditView {
  /** Newest first. */
  entries: AuditEntry[];
  /** Records left out. */
  older: number;
  path: string;
}

export type DoctorView = Report;
export type RegistrationView = RegistrationRow[];

/** What `data` of a success is, by message. */
export interface RuntimeAnswers {
  get_status: StatusView;
  get_allowlist: AllowlistView;
  resolve_allow: null;
  add_allow: null;
  remove_allow: RemoveAllowResult;
  sweep_pending: null;
  get_enrollment: EnrollmentView;
  /** An error is the code of an exchange, a reason of the host, or a sentence. */
  enroll_pair: null;
  enroll_verify: null;
  enroll_approve: null;
  enroll_reject: null;
  enroll_revoke: null;
  get_policy: PolicyView;
  restrict_policy: null;
  /** Null: done without asking, which no host of ours does for a grant. */
  grant_policy: PresenceView | null;
  rollback_policy: PresenceView | null;
  get_policy_history: PolicyHistoryRow[];
  get_kill: KillView;
  set_kill: KillView;
  kill_release: { state: 'presence'; request: PresenceView } | { state: 'done'; kill: KillView };
  get_clients: ClientsView;
  /** Null: the host took the client without asking. */
  pair_client: PresenceView | null;
  revoke_client: null;
  get_audit: RingEntry[];
  get_host_audit: HostAuditView;
  get_doctor: DoctorView;
  get_registration: RegistrationView;
  repair_registration: RegistrationView;
  webauthn_enroll_begin: EnrollBeginView;
  webauthn_enroll_finish: { credentialId: string };
  webauthn_enrollment: EnrollmentNote;
  webauthn_forget: null;
  webauthn_presence_pending: PresenceView | null;
  /** Resolved once the act itself is done. */
  webauthn_presence_assert: null;
  webauthn_presence_confirm: null;
  /** Whether the host was told too. */
  lang_choose: { sent: boolean };
  confirm_ready: ConfirmReady;
  confirm_resolve: null;
  confirm_presence: null;
  confirm_deny_kill: KillView;
}

export type RuntimeReply<T extends RuntimeMessageType = RuntimeMessageType> =
  | { ok: true; data: RuntimeAnswers[T] }
  | { ok: false; error: string };

export const MALFORMED = 'malformed runtime message';

// --------------------------------------------------------------------------------------------- //
// What pages may watch in storage (read only; the worker is the one writer)

export const WATCHED_KEYS = [
  'bridgePort',
  'pendingAllow',
  'allowlist',
  'bridgeKillMirror',
  'enclavePin',
  'enclavePending',
  'enclaveCompromised',
  'enclavePairingPaused',
  'enclaveEverPinned',
  'enclaveLastError',
  'enclaveLastVerifiedAt',
  'enclaveHostRevokePending',
  'bridgePolicyState',
  'bridgePolicyCutover',
  'webauthnEnrollment',
  'allowAllSites',
  'groupTabs',
  'uiLanguage',
] as const;

/** Settings as our pages read them. */
export const SETTINGS = {
  allowAllSites: z.boolean(),
  groupTabs: z.boolean(),
  uiLanguage: z.enum(LANGUAGES),
} as const;
export type SettingKey = keyof typeof SETTINGS;

/** What does not fit counts as not set. */
export const readSetting = (key: SettingKey, value: unknown): unknown => SETTINGS[key].safeParse(value).data;

/** What comes back from the worker, whatever was asked. */
export const RuntimeEnvelope = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), data: z.optional(z.unknown()) }),
  z.strictObject({ ok: z.literal(false), error: z.string() }),
]);
