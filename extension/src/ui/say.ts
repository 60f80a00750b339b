/** Errors and moments, as a person reads them. */
import type { EnclaveError } from '@contract/frames';
import { currentLanguage, t, type MessageKey } from '../i18n';
import { refusalText } from '../i18n/refusals';

/** Why an exchange with the host ended (extension.md 6). */
const EXCHANGE: Readonly<Record<string, MessageKey>> = {
  'not-connected': 'exchange.not_connected',
  busy: 'exchange.busy',
  'post-failed': 'exchange.post_failed',
  'timed-out': 'exchange.timed_out',
  detached: 'exchange.detached',
  failed: 'exchange.failed',
};

/** The `error` of a reply: a code of an exchange, a refusal, or a text that stands for itself. */
export function say(error: string): string {
  const exchange = Object.hasOwn(EXCHANGE, error) ? EXCHANGE[error] : undefined;
  return exchange === undefined ? (refusalText(error) ?? error) : t(exchange);
}

/** Why the host answered a challenge with no proof (control.md 2.4). */
type Reason = EnclaveError['reason'];
const REASONS: Readonly<Record<Reason, MessageKey>> = {
  unsupported_platform: 'enclave.unsupported_platform',
  not_enrolled: 'enclave.not_enrolled',
  invalid_challenge: 'enclave.invalid_challenge',
  key_invalid: 'enclave.key_invalid',
  keychain_error: 'enclave.keychain_error',
  signing_failed: 'enclave.signing_failed',
};

/** The same where the host's key was asked for: some words mean something else there. */
export const sayKey = (error: string): string => (Object.hasOwn(REASONS, error) ? t(REASONS[error as Reason]) : say(error));

const locale = (): string => currentLanguage().replace('_', '-');

/** A time that no calendar holds is shown as it came. */
function format(at: number, options: Intl.DateTimeFormatOptions): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toLocaleString(locale(), options);
}

export const when = (at: number): string => format(at, { dateStyle: 'medium', timeStyle: 'short' });

/** For a list of what happened: to the second. */
export const moment = (at: number): string => format(at, { dateStyle: 'short', timeStyle: 'medium' });

export const day = (at: number): string => format(at, { dateStyle: 'medium' });
