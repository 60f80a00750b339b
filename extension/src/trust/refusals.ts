/** What the refusals of the host mean, for the answers of the worker; pages have theirs in their language. */
import { isRefusal, type RefusalCode } from '@contract/refusals';

/** A code without a sentence is a type error. */
const SENTENCES: Readonly<Record<RefusalCode, string>> = {
  encoding: 'The answer of the authenticator was not encoded as the host expects',
  authdata_too_short: 'The data of the authenticator is too short',
  authdata_reserved_flags: 'The authenticator set flags that are reserved',
  authdata_extensions: 'The authenticator sent extensions that nobody asked for',
  authdata_backup_state_without_eligibility: 'The authenticator says that a credential is backed up that cannot be',
  authdata_attested_truncated: 'The data of the new credential is cut short',
  authdata_trailing_bytes: 'The data of the authenticator has bytes left over',
  credential_id_invalid: 'The id of the credential has an impossible length',
  public_key_invalid: 'The key of the credential is not one that the host takes',
  unexpected_attested_credential: 'The authenticator made a new credential instead of using one',
  rp_id_mismatch: 'The answer of the authenticator is for somebody else',
  user_not_present: 'The authenticator did not see the user',
  sign_count_not_increased: 'The counter of the credential went back, so it may have been copied',
  backup_eligibility_changed: 'The credential changed whether it can be backed up',
  client_data_malformed: 'What the browser signed cannot be read',
  client_data_type: 'What the browser signed is for another act',
  challenge_mismatch: 'The answer is for another request',
  origin_mismatch: 'The answer comes from another page',
  cross_origin: 'The answer comes from a frame of another page',
  signature_malformed: 'The signature of the authenticator is malformed',
  signature_invalid: 'The signature of the authenticator does not hold',
  attestation_malformed: 'The statement of the new credential cannot be read',
  attestation_trailing_bytes: 'The statement of the new credential has bytes left over',
  attestation_format: 'The new credential came with a statement that was not asked for',
  attestation_statement_not_empty: 'The statement of the new credential should have been empty',
  no_attested_credential: 'The authenticator made no credential',
  not_interactive: 'This takes a terminal',
  declined: 'The user declined',
  io_error: 'The host could not read or write, or had no random numbers',
  credential_not_enrolled: 'This credential is not enrolled here',
  wrong_browser_label: 'This credential is enrolled for another browser',
  software_confirmation_not_allowed: 'A click is not enough here',
  request_mismatch: 'Another request is being answered by now',
  store_error: 'The trust record of the host cannot be read or written',
  presence_required: 'A credential that is enrolled has to approve this first',
  nonce: 'The answer names no possible request',
  no_request_outstanding: 'No request waits for an answer any more',
  no_enrollment_outstanding: 'No enrollment waits for an answer any more',
  machine_already_enrolled: 'Another credential was enrolled on this machine meanwhile',
  not_enrolled: 'This browser has no credential',
  invalid_action: 'The host does not know this act',
  invalid_origin: 'The host does not take this origin',
};

/** What became of a question to the host that got no answer. */
const LOST: Readonly<Record<string, string>> = {
  'not-connected': 'The host is not connected',
  busy: 'The host is being asked something else',
  'post-failed': 'The host could not be asked',
  'timed-out': 'The host did not answer',
  detached: 'The host went away',
  failed: 'The answer of the host makes no sense',
};

/** The sentence of a reason, bare or as `code: detail`, with the detail behind it. */
export function sentenceOf(reason: string): string {
  const at = reason.indexOf(': ');
  const code = at < 0 ? reason : reason.slice(0, at);
  const text = isRefusal(code) ? SENTENCES[code] : Object.hasOwn(LOST, code) ? LOST[code] : undefined;
  if (text === undefined) return reason;
  return at < 0 ? `${text}.` : `${text} (${reason.slice(at + 2)}).`;
}
