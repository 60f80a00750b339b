/** What the pill and the three dots say, from the worker's status. Pure. */
import { t, type MessageKey } from '../i18n';
import type { AllowlistView, BlockedReason, EnrollmentView, KillView, StatusView } from '../messages';
import type { Hop, Tone } from './kit';

export const isKilled = (s: { kill: KillView }): boolean => s.kill.state === 'killed' || s.kill.latched || s.kill.pending;

export const isBlocked = (s: StatusView): boolean => s.serving === 'blocked' || !s.identityOk || !s.storageOk;

/** A site can be allowed only while the switch is positively known to be off. */
export const mayAllow = (s: StatusView | null): boolean => s !== null && s.kill.state === 'alive' && !isKilled(s);

export const livePending = (list: AllowlistView | null, now: number): AllowlistView['pending'] =>
  (list?.pending ?? []).filter((p) => p.expiresAt > now);

/** Verified, and known not to be killed: the one state that may be green. */
const isLive = (s: StatusView): boolean =>
  s.port.state === 'up' && s.serving === 'active' && s.kill.state === 'alive' && !isKilled(s) && !isBlocked(s);

/** The first that holds (extension.md 20.2). Without a connection there is none to be unverified. */
export function pillOf(s: StatusView, siteWaits: boolean): { key: MessageKey; tone: Tone } {
  if (isKilled(s)) return { key: 'pill.killed', tone: 'stop' };
  if (isBlocked(s)) return { key: 'pill.blocked', tone: 'stop' };
  if (siteWaits) return { key: 'pill.needs_you', tone: 'wait' };
  if (s.pairingPending) return { key: 'pill.pair', tone: 'wait' };
  if (s.port.state === 'down') return { key: 'pill.offline', tone: 'mute' };
  if (isLive(s)) return { key: 'pill.live', tone: 'live' };
  if (s.kill.state === 'unknown' || s.serving === 'unverified' || s.serving === 'active') return { key: 'pill.unverified', tone: 'wait' };
  return { key: 'pill.connected', tone: 'on' };
}

/** Nothing is claimed about the client: the extension cannot see it. */
export function hopsOf(s: StatusView, siteWaits: boolean): Hop[] {
  const up = s.port.state === 'up';
  const tone: Tone = !up ? 'mute' : isLive(s) ? 'live' : 'on';
  const state = t(up ? 'hop.state.up' : 'hop.state.down');
  const browser = t('hop.browser');
  return [
    { name: t('hop.client'), tone: 'mute', state: t('hop.state.idle') },
    { name: t('hop.host'), tone, state },
    isKilled(s) || isBlocked(s)
      ? { name: browser, tone: 'stop', state: t('hop.state.stopped') }
      : siteWaits
        ? { name: browser, tone: 'wait', state: t('hop.state.held'), held: true }
        : { name: browser, tone, state },
  ];
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
export function killLine(s: StatusView): { pill: MessageKey; tone: Tone; text: MessageKey } {
  if (s.kill.pending) return { pill: 'kill.pill.on', tone: 'stop', text: 'kill.pending' };
  if (isKilled(s)) return { pill: 'kill.pill.on', tone: 'stop', text: s.port.state === 'up' ? 'kill.engaged' : 'kill.severed' };
  if (s.kill.state === 'unknown') return { pill: 'kill.pill.unknown', tone: 'wait', text: 'kill.unknown' };
  if (s.kill.state === 'none') return { pill: 'kill.pill.unknown', tone: 'mute', text: 'kill.none' };
  return s.port.state === 'up'
    ? { pill: 'kill.pill.off', tone: 'on', text: 'kill.off' }
    : { pill: 'kill.pill.last', tone: 'mute', text: 'kill.last' };
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
