/**
 * Messages from our own pages to the worker, and what it answers.
 *
 * The answer of every message is `{ok:true, data}` or `{ok:false, error}`; `error` is a sentence for
 * the user, the bare code of an exchange that failed, or a refusal of the host (`code` or `code: detail`). A message that fails the union is answered `malformed runtime message`. Messages of the
 * confirmation window are taken from `/confirm.html` alone, all others from everywhere but there.
 *
 * Later pieces (pairing, policy, authenticators) add their rows here.
 */
import { EXTENSION_AUDIT_KINDS } from '@contract/audit';
import type { AuditEntry, Client, RegistrationRow, Report } from '@contract/frames';
import { LIMITS } from '@contract/host';
import { label } from '@contract/kit';
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

  z.strictObject({ type: z.literal('webauthn_presence_pending') }),
  z.strictObject({ type: z.literal('webauthn_presence_confirm'), nonce: z.string() }),

  z.strictObject({ type: z.literal('confirm_ready'), id: z.string() }),
  z.strictObject({ type: z.literal('confirm_resolve'), id: z.string(), approved: z.boolean() }),
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

/** Kinds of extension.md 10.1 that are built; `eval`, `upload` and `read` come with their tools. */
export const ConfirmPayload = z.discriminatedUnion('kind', [
  z.strictObject({ ...payload, kind: z.literal('click') }),
  z.strictObject({ ...payload, kind: z.literal('press') }),
  z.strictObject({ ...payload, kind: z.literal('select') }),
  z.strictObject({ ...payload, kind: z.literal('tab_close') }),
  z.strictObject({ ...payload, kind: z.literal('fill') }),
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
  /** `up` from the moment the port is open; a host that cannot be started shows as `down` at once. */
  state: 'up' | 'down';
  /** The browser's reason for the last loss of the port, null while it is up. */
  error: string | null;
  /** The browser knows no such host: name `genkan doctor --fix`. */
  hostMissing: boolean;
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
}

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
  /** The host takes an authenticator only, which this version of the page cannot ask. */
  authenticator: boolean;
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
  webauthn_presence_pending: PresenceView | null;
  webauthn_presence_confirm: null;
  confirm_ready: ConfirmReady;
  confirm_resolve: null;
  confirm_deny_kill: KillView;
}

export type RuntimeReply<T extends RuntimeMessageType = RuntimeMessageType> =
  | { ok: true; data: RuntimeAnswers[T] }
  | { ok: false; error: string };

export const MALFORMED = 'malformed runtime message';

// --------------------------------------------------------------------------------------------- //
// What pages may watch in `storage.local` (read only; the worker is the one writer)

export const WATCHED_KEYS = [
  'pendingAllow',
  'allowlist',
  'bridgeKillMirror',
  'enclavePin',
  'enclavePending',
  'enclaveCompromised',
  'enclavePairingPaused',
  'enclaveEverPinned',
  'bridgePolicyState',
  'bridgePolicyCutover',
  'allowAllSites',
  'groupTabs',
  'uiLanguage',
] as const;
