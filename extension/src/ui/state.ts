/** What the pill and the three dots say, from the worker's status. Pure. */
import type { AllowlistView, StatusView } from '../messages';
import { t, type MessageKey } from '../i18n';
import type { Hop, Tone } from './kit';

export const isKilled = (s: StatusView): boolean => s.kill.state === 'killed' || s.kill.latched || s.kill.pending;

export const isBlocked = (s: StatusView): boolean => s.serving === 'blocked' || !s.identityOk || !s.storageOk;

export const livePending = (list: AllowlistView | null, now: number): AllowlistView['pending'] =>
  (list?.pending ?? []).filter((p) => p.expiresAt > now);

/** The first that holds (extension.md 20.2). */
export function pillOf(s: StatusView, siteWaits: boolean): { key: MessageKey; tone: Tone } {
  if (isKilled(s)) return { key: 'pill.killed', tone: 'stop' };
  if (isBlocked(s)) return { key: 'pill.blocked', tone: 'stop' };
  if (siteWaits) return { key: 'pill.needs_you', tone: 'wait' };
  if (s.pairingPending) return { key: 'pill.pair', tone: 'wait' };
  if (s.port.state === 'up' && s.kill.state === 'unknown') return { key: 'pill.unverified', tone: 'wait' };
  if (s.serving === 'unverified') return { key: 'pill.unverified', tone: 'wait' };
  if (s.port.state === 'down') return { key: 'pill.offline', tone: 'mute' };
  return s.serving === 'active' ? { key: 'pill.live', tone: 'live' } : { key: 'pill.connected', tone: 'on' };
}

/** Nothing is claimed about the client: the extension cannot see it. */
export function hopsOf(s: StatusView, siteWaits: boolean): Hop[] {
  const stopped = isKilled(s) || isBlocked(s);
  const up = s.port.state === 'up';
  const verified = s.serving === 'active';
  return [
    { name: t('hop.client'), tone: 'mute', state: t('hop.state.idle') },
    { name: t('hop.host'), tone: up ? (verified && !stopped ? 'live' : 'on') : 'mute', state: t(up ? 'hop.state.up' : 'hop.state.down') },
    stopped
      ? { name: t('hop.browser'), tone: 'stop', state: t('hop.state.stopped') }
      : siteWaits
        ? { name: t('hop.browser'), tone: 'wait', state: t('hop.state.held') }
        : { name: t('hop.browser'), tone: up ? (verified ? 'live' : 'on') : 'mute', state: t(up ? 'hop.state.up' : 'hop.state.down') },
  ];
}

/** Why nothing is served, as the key of its sentence. */
export function blockedKey(s: StatusView): MessageKey {
  if (!s.identityOk) return 'blocked.identity';
  if (!s.storageOk) return 'blocked.storage';
  return `blocked.${s.blocked ?? 'unreadable'}`;
}
