/** What the pill and the three dots say, from the worker's status. Pure. */
import { t, type MessageKey } from '../i18n';
import type { AllowlistView, BlockedReason, EnrollmentView, KillView, RuntimeReply, StatusView } from '../messages';
import type { Hop, Tone } from './kit';

export const isKilled = (s: { kill: KillView }): boolean => s.kill.state === 'killed' || s.kill.latched || s.kill.pending;

export const isBlocked = (s: StatusView): boolean => s.serving === 'blocked' || !s.identityOk || !s.storageOk;

/** A site can be allowed only while the switch is positively known to be off. */
export const mayAllow = (s: StatusView | null): boolean => s !== null && s.kill.state === 'alive' && !isKilled(s);

export const livePending = (list: AllowlistView | null, now: number): AllowlistView['pending'] =>
  (list?.pending ?? []).filter((p) => p.expiresAt > now);

/**
 * How far a question came: an open port is no evidence that a program behind it still runs. Nothing
 * is said to be connected before the answer of everything that it takes.
 */
export type Reach =
  | { to: 'asked' }
  /** The host did not answer in time. */
  | { to: 'nobody' }
  | { to: 'host'; server: 'silent' | 'absent' | 'unknown'; why: string }
  | { to: 'server' };

/** A refusal that is no answer yet: the port is new, or another page asks. */
const NOT_YET = ['not-connected', 'busy', 'detached', 'post-failed', 'failed'];

/** What the host's report, or its absence, says; null: to be asked again. */
export function reachOf(reply: RuntimeReply<'get_doctor'>): Reach | null {
  if (!reply.ok) {
    if (reply.error === 'timed-out') return { to: 'nobody' };
    return NOT_YET.includes(reply.error) ? null : { to: 'host', server: 'unknown', why: reply.error };
  }
  // The words of control.md 9.1; the host has asked the server just now.
  const { value, details } = reply.data.mcp_server;
  if (value === 'reachable') return { to: 'server' };
  return { to: 'host', server: value === 'not reachable' ? 'silent' : 'absent', why: details.join('; ') };
}

const whole = (s: StatusView, reach: Reach): boolean => s.port.state === 'up' && reach.to === 'server';

/** Asked and answered all the way, verified, and known not to be killed: the one state that may be green. */
const isLive = (s: StatusView, reach: Reach): boolean =>
  whole(s, reach) && s.serving === 'active' && s.kill.state === 'alive' && !isKilled(s) && !isBlocked(s);

/** The first that holds (extension.md 20.2). Without a connection there is none to be unverified. */
export function pillOf(s: StatusView, siteWaits: boolean, reach: Reach): { key: MessageKey; tone: Tone } {
  if (isKilled(s)) return { key: 'pill.killed', tone: 'stop' };
  if (isBlocked(s)) return { key: 'pill.blocked', tone: 'stop' };
  if (siteWaits) return { key: 'pill.needs_you', tone: 'wait' };
  if (s.pairingPending) return { key: 'pill.pair', tone: 'wait' };
  if (s.port.state === 'down') return { key: 'pill.offline', tone: 'mute' };
  if (reach.to === 'asked') return { key: 'pill.checking', tone: 'mute' };
  // A server that was there and is not found any more may drive this browser still.
  if (reach.to === 'host' && reach.server === 'absent' && !s.port.served) return { key: 'pill.offline', tone: 'mute' };
  if (reach.to !== 'server') return { key: 'pill.unverified', tone: 'wait' };
  if (isLive(s, reach)) return { key: 'pill.live', tone: 'live' };
  if (s.kill.state === 'unknown' || s.serving === 'unverified' || s.serving === 'active') return { key: 'pill.unverified', tone: 'wait' };
  return { key: 'pill.connected', tone: 'on' };
}

/** Of the client the extension sees nothing but the server that it started, and that only where it is missing. */
function clientHop(s: StatusView, reach: Reach): Hop {
  const name = t('hop.client');
  if (s.port.state === 'up' && reach.to === 'host' && reach.server !== 'unknown')
    return { name, tone: 'wait', state: t(reach.server === 'silent' ? 'hop.state.server_silent' : 'hop.state.no_server') };
  return { name, tone: 'mute', state: t('hop.state.idle') };
}

function hostHop(s: StatusView, reach: Reach): Hop {
  const name = t('hop.host');
  if (s.port.state === 'down') return { name, tone: 'mute', state: t('hop.state.down') };
  if (reach.to === 'asked') return { name, tone: 'mute', state: t('hop.state.asked') };
  if (reach.to === 'nobody') return { name, tone: 'wait', state: t('hop.state.silent') };
  return { name, tone: isLive(s, reach) ? 'live' : 'on', state: t('hop.state.up') };
}

export function hopsOf(s: StatusView, siteWaits: boolean, reach: Reach): Hop[] {
  const host = hostHop(s, reach);
  const name = t('hop.browser');
  const browser: Hop =
    isKilled(s) || isBlocked(s)
      ? { name, tone: 'stop', state: t('hop.state.stopped') }
      : siteWaits
        ? { name, tone: 'wait', state: t('hop.state.held'), held: true }
        : whole(s, reach)
          ? { name, tone: host.tone, state: host.state }
          : { name, tone: 'mute', state: t(s.port.state === 'up' && reach.to === 'asked' ? 'hop.state.asked' : 'hop.state.down') };
  return [clientHop(s, reach), host, browser];
}

/** What is broken between here and the server, if it is not the port itself. */
export function brokenHop(s: StatusView, reach: Reach): { title: MessageKey; text: MessageKey; why: string } | null {
  if (s.port.state === 'down' || reach.to === 'asked' || reach.to === 'server') return null;
  if (reach.to === 'nobody') return { title: 'reach.host', text: 'reach.host_text', why: '' };
  const { server, why } = reach;
  if (server === 'silent') return { title: 'reach.server', text: 'reach.server_text', why };
  if (server === 'unknown') return { title: 'reach.unknown', text: 'reach.unknown_text', why };
  return { title: 'reach.absent', text: s.port.served ? 'reach.served_text' : 'reach.absent_text', why };
}

/** The host alone releases, so it has to be there. */
export const mayRelease = (s: StatusView): boolean => isKilled(s) && s.port.state === 'up';

/** Why nothing is served, as the key of its sentence. */
export function blockedKey(s: StatusView): MessageKey {
  if (!s.identityOk) return 'blocked.identity';
  if (!s.storageOk) return 'blocked.storage';
  return reasonKey(s.blocked);
}

export const reasonKey = (reason: BlockedReason | null): MessageKey => `blocked.${reason ?? 'unreadable'}`;

/** What the options page says of the switch, and how it looks. */
export function killLine(s: StatusView, reach: Reach): { pill: MessageKey; tone: Tone; text: MessageKey } {
  if (s.kill.pending) return { pill: 'kill.pill.on', tone: 'stop', text: 'kill.pending' };
  if (isKilled(s)) return { pill: 'kill.pill.on', tone: 'stop', text: s.port.state === 'up' ? 'kill.engaged' : 'kill.severed' };
  if (s.kill.state === 'unknown') return { pill: 'kill.pill.unknown', tone: 'wait', text: 'kill.unknown' };
  if (s.kill.state === 'none') return { pill: 'kill.pill.unknown', tone: 'mute', text: 'kill.none' };
  if (s.port.state === 'down') return { pill: 'kill.pill.last', tone: 'mute', text: 'kill.last' };
  if (reach.to === 'asked') return { pill: 'kill.pill.last', tone: 'mute', text: 'kill.asking' };
  if (reach.to === 'nobody') return { pill: 'kill.pill.last', tone: 'wait', text: 'kill.silent' };
  return { pill: 'kill.pill.off', tone: 'on', text: 'kill.off' };
}

/** What leads out of a blocked state: a damaged policy belongs to the key it was signed with. */
export function wayOut(reason: BlockedReason | null): MessageKey {
  if (reason === 'policy_corrupt') return 'blocked.pair_other';
  return reason === null || reason === 'unreadable' ? 'blocked.way_out' : 'blocked.pair_again';
}

/** What the page says of the pairing when no fingerprint waits. */
export function pairingKey(e: EnrollmentView): MessageKey {
  if (e.serving === 'blocked') return reasonKey(e.blocked);
  return e.pin === null ? 'pairing.none' : 'pairing.paired';
}
