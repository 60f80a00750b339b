import { describe, expect, it, vi } from 'vitest';
import type { StatusView } from '../../src/messages';
import { blockedKey, brokenHop, hopsOf as hops, isBlocked, isKilled, killLine as line, livePending, mayAllow, mayRelease, pairingKey, pillOf as pill, reachOf, wayOut, type Reach } from '../../src/ui/state';
import { kill, list, no, ok, pairing, report, status } from './browser';

// Keys instead of texts.
vi.mock('../../src/i18n', () => ({ t: (key: string) => key }));

const down = { state: 'down', error: 'gone', hostMissing: false, served: false } as const;

const SERVER: Reach = { to: 'server' };
const pillOf = (s: StatusView, waits: boolean, reach: Reach = SERVER) => pill(s, waits, reach);
const hopsOf = (s: StatusView, waits: boolean, reach: Reach = SERVER) => hops(s, waits, reach);
const killLine = (s: StatusView, reach: Reach = SERVER) => line(s, reach);

describe('the pill', () => {
  // In the order of the table; what comes first wins over all that follow.
  const table: [string, string, Partial<StatusView>, boolean?][] = [
    ['pill.killed', 'stop', { kill: kill({ state: 'killed' }) }],
    ['pill.blocked', 'stop', { serving: 'blocked', blocked: 'compromised' }],
    ['pill.needs_you', 'wait', {}, true],
    ['pill.pair', 'wait', { pairingPending: true }],
    ['pill.unverified', 'wait', { kill: kill({ state: 'unknown' }) }],
  ];

  it.each(table)('%s', (key, tone, is, waits = false) => {
    expect(pillOf(status(is), waits)).toEqual({ key, tone });
  });

  it('is the first that holds', () => {
    for (const [i, [key, tone, first, waits]] of table.entries())
      for (const [, , later, alsoWaits] of table.slice(i + 1))
        expect(pillOf(status({ ...later, ...first }), waits === true || alsoWaits === true), `${key} over later`).toEqual({ key, tone });
  });

  it.each([
    ['unpaired', 'pill.connected', 'on'],
    ['preCutover', 'pill.connected', 'on'],
    ['unverified', 'pill.unverified', 'wait'],
    ['active', 'pill.live', 'live'],
  ] as const)('%s with a port is %s', (serving, key, tone) => {
    expect(pillOf(status({ serving }), false)).toEqual({ key, tone });
  });

  it.each(['unpaired', 'preCutover', 'unverified', 'active'] as const)('%s without a port is offline', (serving) => {
    expect(pillOf(status({ serving, port: down }), false)).toEqual({ key: 'pill.offline', tone: 'mute' });
    expect(pillOf(status({ serving, port: down, kill: kill({ state: 'unknown' }) }), false).key).toBe('pill.offline');
  });

  it.each(['unknown', 'none'] as const)('is not live while the switch is %s', (state) => {
    expect(pillOf(status({ serving: 'active', kill: kill({ state }) }), false)).toEqual({ key: 'pill.unverified', tone: 'wait' });
  });

  it.each([kill({ state: 'killed' }), kill({ latched: true }), kill({ latched: true, pending: true })])('says killed for %j', (view) => {
    expect(isKilled({ kill: view })).toBe(true);
    expect(pillOf(status({ serving: 'active', kill: view }), true).key).toBe('pill.killed');
  });

  it.each([{ identityOk: false }, { storageOk: false }])('says blocked for %j', (is) => {
    expect(isBlocked(status(is))).toBe(true);
    expect(pillOf(status({ serving: 'active', ...is }), true).key).toBe('pill.blocked');
  });
});

describe('the dots', () => {
  const tones = (is: Partial<StatusView>, waits = false) => hopsOf(status(is), waits).map((h) => h.tone);

  it.each([
    ['unpaired', {}, ['mute', 'on', 'on']],
    ['live', { serving: 'active' }, ['mute', 'live', 'live']],
    ['unverified', { serving: 'unverified' }, ['mute', 'on', 'on']],
    ['active, switch unknown', { serving: 'active', kill: kill({ state: 'unknown' }) }, ['mute', 'on', 'on']],
    ['offline', { port: down }, ['mute', 'mute', 'mute']],
    ['active and offline', { serving: 'active', port: down }, ['mute', 'mute', 'mute']],
    ['killed', { serving: 'active', kill: kill({ state: 'killed' }) }, ['mute', 'on', 'stop']],
    ['blocked', { serving: 'blocked' }, ['mute', 'on', 'stop']],
  ] as const)('%s', (_, is, wanted) => {
    expect(tones(is as Partial<StatusView>)).toEqual(wanted);
  });

  it('mark the browser as held while a site waits, unless all is stopped', () => {
    expect(hopsOf(status(), true)[2]).toEqual({ name: 'hop.browser', tone: 'wait', state: 'hop.state.held', held: true });
    expect(hopsOf(status({ kill: kill({ state: 'killed' }) }), true)[2]).toMatchObject({ tone: 'stop', state: 'hop.state.stopped' });
  });

  it('claim nothing about the client', () => {
    for (const is of [status({ serving: 'active' }), status({ port: down }), status({ kill: kill({ state: 'killed' }) })])
      expect(hopsOf(is, true)[0]).toEqual({ name: 'hop.client', tone: 'mute', state: 'hop.state.idle' });
  });
});

describe('a way that is broken', () => {
  const asked: Reach = { to: 'asked' };
  const nobody: Reach = { to: 'nobody' };
  const at = (server: 'silent' | 'absent' | 'unknown'): Reach => ({ to: 'host', server, why: 'w' });
  const served = { port: { state: 'up', error: null, hostMissing: false, served: true } } as const;

  it.each([
    [asked, {}, 'pill.checking', 'mute'],
    [nobody, {}, 'pill.unverified', 'wait'],
    [at('silent'), {}, 'pill.unverified', 'wait'],
    [at('unknown'), {}, 'pill.unverified', 'wait'],
    [at('absent'), {}, 'pill.offline', 'mute'],
    [at('absent'), served, 'pill.unverified', 'wait'],
  ] as [Reach, Partial<StatusView>, string, string][])('%j is never connected or live', (reach, is, key, tone) => {
    for (const serving of ['unpaired', 'preCutover', 'active'] as const)
      expect(pillOf(status({ serving, ...is }), false, reach)).toEqual({ key, tone });
    expect(pillOf(status({ serving: 'active', kill: kill({ state: 'killed' }) }), false, reach).key).toBe('pill.killed');
    expect(pillOf(status({ port: down }), false, reach).key).toBe('pill.offline');
  });

  it.each([
    [asked, ['hop.state.idle', 'hop.state.asked', 'hop.state.asked'], ['mute', 'mute', 'mute']],
    [nobody, ['hop.state.idle', 'hop.state.silent', 'hop.state.down'], ['mute', 'wait', 'mute']],
    [at('silent'), ['hop.state.server_silent', 'hop.state.up', 'hop.state.down'], ['wait', 'on', 'mute']],
    [at('absent'), ['hop.state.no_server', 'hop.state.up', 'hop.state.down'], ['wait', 'on', 'mute']],
    [at('unknown'), ['hop.state.idle', 'hop.state.up', 'hop.state.down'], ['mute', 'on', 'mute']],
  ] as [Reach, string[], string[]][])('the dots of %j', (reach, states, tones) => {
    const shown = hopsOf(status({ serving: 'active' }), false, reach);
    expect(shown.map((h) => h.state)).toEqual(states);
    expect(shown.map((h) => h.tone)).toEqual(tones);
    expect(hopsOf(status({ port: down }), false, reach).map((h) => h.tone)).toEqual(['mute', 'mute', 'mute']);
  });

  it('is named', () => {
    expect(brokenHop(status(), SERVER)).toBeNull();
    expect(brokenHop(status(), asked)).toBeNull();
    expect(brokenHop(status({ port: down }), nobody)).toBeNull();
    expect(brokenHop(status(), nobody)).toEqual({ title: 'reach.host', text: 'reach.host_text', why: '' });
    expect(brokenHop(status(), at('silent'))).toEqual({ title: 'reach.server', text: 'reach.server_text', why: 'w' });
    expect(brokenHop(status(), at('absent'))).toEqual({ title: 'reach.absent', text: 'reach.absent_text', why: 'w' });
    expect(brokenHop(status(served), at('absent'))).toEqual({ title: 'reach.absent', text: 'reach.served_text', why: 'w' });
    expect(brokenHop(status(), at('unknown'))).toEqual({ title: 'reach.unknown', text: 'reach.unknown_text', why: 'w' });
  });

  it('leaves nothing but what was known of the switch', () => {
    expect(killLine(status(), asked)).toEqual({ pill: 'kill.pill.last', tone: 'mute', text: 'kill.asking' });
    expect(killLine(status(), nobody)).toEqual({ pill: 'kill.pill.last', tone: 'wait', text: 'kill.silent' });
    expect(killLine(status(), at('silent')).text).toBe('kill.off');
    expect(killLine(status({ kill: kill({ state: 'killed' }) }), nobody).text).toBe('kill.engaged');
  });

  it.each([
    [ok(report()), { to: 'server' }],
    [ok(report({ mcp_server: { value: 'not reachable', details: ['a', 'b'] } })), { to: 'host', server: 'silent', why: 'a; b' }],
    [ok(report({ mcp_server: { value: 'not probed', details: ['there is no readable lock'] } })), { to: 'host', server: 'absent', why: 'there is no readable lock' }],
    [ok(report({ mcp_server: { value: 'Reachable', details: [] } })), { to: 'host', server: 'absent', why: '' }],
    [no('timed-out'), { to: 'nobody' }],
    [no('out of memory'), { to: 'host', server: 'unknown', why: 'out of memory' }],
    [no('not-connected'), null],
    [no('busy'), null],
    [no('detached'), null],
  ] as const)('%j is read as %j', (reply, reach) => {
    expect(reachOf(reply as never)).toEqual(reach);
  });
});

describe('sentences', () => {
  it('of why nothing is served', () => {
    expect(blockedKey(status({ identityOk: false, serving: 'blocked', blocked: 'revoked' }))).toBe('blocked.identity');
    expect(blockedKey(status({ storageOk: false, serving: 'blocked', blocked: 'revoked' }))).toBe('blocked.storage');
    expect(blockedKey(status({ serving: 'blocked', blocked: 'revoked' }))).toBe('blocked.revoked');
    expect(blockedKey(status({ serving: 'blocked' }))).toBe('blocked.unreadable');
  });

  it.each([
    [{ kill: kill({ latched: true, pending: true }) }, 'kill.pending', 'stop'],
    [{ kill: kill({ state: 'killed' }) }, 'kill.engaged', 'stop'],
    [{ kill: kill({ latched: true }) }, 'kill.engaged', 'stop'],
    [{ kill: kill({ state: 'unknown' }) }, 'kill.unknown', 'wait'],
    [{ kill: kill({ state: 'none' }) }, 'kill.none', 'mute'],
    [{ kill: kill() }, 'kill.off', 'on'],
    [{ kill: kill(), port: down }, 'kill.last', 'mute'],
  ] as const)('of the kill switch in %j: %s', (is, key, tone) => {
    expect(killLine(status(is as Partial<StatusView>))).toMatchObject({ text: key, tone });
  });

  it('of pairing', () => {
    const key = { keyId: 'k', at: 0 };
    expect(pairingKey(pairing())).toBe('pairing.none');
    expect(pairingKey(pairing({ serving: 'preCutover', pin: key }))).toBe('pairing.paired');
    expect(pairingKey(pairing({ serving: 'active', pin: key, pending: key }))).toBe('pairing.paired');
    expect(pairingKey(pairing({ serving: 'blocked', blocked: 'rejected', pending: key }))).toBe('blocked.rejected');
  });
});

describe('the way out of a blocked state', () => {
  it.each([
    ['pin_lost', 'blocked.pair_again'],
    ['compromised', 'blocked.pair_again'],
    ['rejected', 'blocked.pair_again'],
    ['revoked', 'blocked.pair_again'],
    ['policy_corrupt', 'blocked.pair_other'],
    ['unreadable', 'blocked.way_out'],
    [null, 'blocked.way_out'],
  ] as const)('%s: %s', (reason, key) => {
    expect(wayOut(reason)).toBe(key);
  });
});

describe('releasing the switch', () => {
  it('takes a switch that is engaged and a host that is there', () => {
    expect(mayRelease(status())).toBe(false);
    expect(mayRelease(status({ kill: kill({ state: 'unknown' }) }))).toBe(false);
    expect(mayRelease(status({ kill: kill({ state: 'killed' }) }))).toBe(true);
    expect(mayRelease(status({ kill: kill({ state: 'killed' }), port: down }))).toBe(false);
  });
});

describe('allowing a site', () => {
  it('needs a switch that is positively off', () => {
    expect(mayAllow(null)).toBe(false);
    expect(mayAllow(status())).toBe(true);
    for (const view of [kill({ state: 'unknown' }), kill({ state: 'none' }), kill({ state: 'killed' }), kill({ latched: true }), kill({ pending: true })])
      expect(mayAllow(status({ kill: view })), JSON.stringify(view)).toBe(false);
  });

  it('is offered until the moment of its end', () => {
    const pending = [{ id: 'a', glob: 'https://a/*', expiresAt: 100, permission: 'https://a/*' }];
    expect(livePending(list({ pending }), 99)).toHaveLength(1);
    expect(livePending(list({ pending }), 100)).toHaveLength(0);
    expect(livePending(null, 0)).toEqual([]);
  });
});
