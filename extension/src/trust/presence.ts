/**
 * Acts that need the person (extension.md 15; control.md 6): the host asks, the options page answers.
 *
 * Only the newest request is kept, and it goes with its connection. So far the answer is the software
 * confirmation, which the host takes where this browser has no authenticator enrolled; a request that
 * names authenticators is shown as one that this version cannot answer.
 */
import { ClientPairResult, KillStatusResult, PresenceRequest, PresenceResult } from '@contract/frames';
import { LIMITS } from '@contract/host';
import type { Clock } from '../clock';
import { createExchange, type Exchange, type ExchangeResult } from '../link/exchange';
import type { Connection, Frame } from '../link/port';
import type { ClientAnchor, PresenceView } from '../messages';
import type { Audit } from './audit';

export const NO_AUTHENTICATOR =
  'This request needs an authenticator, which this version of the page cannot ask. Use the terminal instead.';

export interface Presence {
  /** The request to show, or null if the switch is released already. */
  release(): Promise<PresenceView | null>;
  pair(name: string, anchor: ClientAnchor): Promise<PresenceView | null>;
  pending(): PresenceView | null;
  /** Resolves once the act itself is done. */
  confirm(nonce: string): Promise<void>;
  /** An engage empties the slot of the host, so ours too. */
  drop(): void;
  /** Whether a state of the switch may answer: while a release is awaited, `killed` is only news. */
  takesKillStatus(killed: boolean): boolean;
  onAttach(): void;
  onDetach(): void;
  onFrame(frame: Frame, connection: Connection): void;
}

export interface PresenceOptions {
  clock: Clock;
  lane(): Connection | null;
  killExchange: Exchange;
  pairExchange: Exchange;
  audit: Audit;
  openOptions(): Promise<void>;
  log(message: string): void;
}

interface Act {
  exchange: Exchange;
  result: 'kill_status_result' | 'client_pair_result';
  /** Throws what the host's own result says against it. */
  settle(frame: Frame): void;
}

interface Pending {
  request: PresenceRequest;
  connection: Connection;
  act: Act | null;
  expiresAt: number;
}

const viewOf = ({ request, expiresAt }: Pending): PresenceView => ({
  nonce: request.nonce,
  action: request.action,
  challenge: request.challenge,
  allowedCredentialIds: request.allowed_credential_ids,
  authenticator: request.allowed_credential_ids.length > 0,
  expiresAt,
});

function valueOf<T>(result: ExchangeResult<T>): T {
  if (!result.ok) throw new Error(result.refusal);
  return result.value;
}

export function createPresence(options: PresenceOptions): Presence {
  const { clock, lane, audit, log } = options;
  const answers = createExchange(clock);
  let pending: Pending | null = null;
  /** The act whose request is awaited. */
  let starting: Act | null = null;
  /** What this connection was asked last: a request that comes late is for it. */
  let begun: { act: Act; connection: Connection } | null = null;
  let releasing = 0;

  const release: Act = {
    exchange: options.killExchange,
    result: 'kill_status_result',
    settle(frame) {
      const report = KillStatusResult.parse(frame);
      if (!report.ok) throw new Error(report.error);
    },
  };
  const pair: Act = {
    exchange: options.pairExchange,
    result: 'client_pair_result',
    settle(frame) {
      const result = ClientPairResult.parse(frame);
      if (!result.ok) throw new Error(result.error);
    },
  };

  async function counted<T>(act: Act | null, work: () => Promise<T>): Promise<T> {
    if (act === release) releasing += 1;
    try {
      return await work();
    } finally {
      if (act === release) releasing -= 1;
    }
  }

  function current(): Pending | null {
    if (pending !== null && (!pending.connection.live() || clock.now() >= pending.expiresAt)) pending = null;
    return pending;
  }

  async function begin(act: Act, frame: Frame): Promise<PresenceView | null> {
    const connection = lane();
    if (connection === null) throw new Error('not-connected');
    if (starting !== null) throw new Error('busy');
    starting = act;
    pending = null;
    begun = { act, connection };
    try {
      const answer = valueOf(
        await act.exchange.ask(connection, { frame, replies: ['presence_request', act.result], read: (f) => f }),
      );
      if (answer.type !== 'presence_request') {
        act.settle(answer);
        return null;
      }
      const asked = current();
      if (asked === null) throw new Error('failed');
      return viewOf(asked);
    } finally {
      starting = null;
    }
  }

  function onRequest(frame: Frame, connection: Connection): void {
    const parsed = PresenceRequest.safeParse(frame);
    if (parsed.success)
      pending = {
        request: parsed.data,
        connection,
        act: begun?.connection === connection ? begun.act : null,
        expiresAt: clock.now() + LIMITS.PRESENCE_MS,
      };
    else log('presence: a request that makes no sense');
    if (starting?.exchange.offer(frame) || !parsed.success) return;
    void options.openOptions().catch(() => log('presence: the options page could not be opened'));
  }

  async function answer(mine: Pending): Promise<void> {
    const { act, connection, request } = mine;
    const follow: { result?: Promise<ExchangeResult<Frame>> } = {};
    const asked = await answers.ask(connection, {
      frame: { type: 'presence_confirm', nonce: request.nonce },
      replies: ['presence_result'],
      read(frame) {
        const result = PresenceResult.parse(frame);
        // Within the turn of this frame, since the act's own follows at once.
        if (result.ok && act !== null)
          follow.result = act.exchange.hold(connection, { replies: [act.result], read: (f) => f });
        return result;
      },
    });
    if ((asked.ok || asked.posted) && pending === mine) pending = null;
    const result = valueOf(asked);
    if (!result.ok) throw new Error(result.reason);
    if (act === null || follow.result === undefined) return;
    act.settle(valueOf(await follow.result));
    if (act === release) audit.record({ kind: 'kill_released' });
  }

  return {
    release: () => counted(release, () => begin(release, { type: 'kill_release' })),
    pair: (name, anchor) => begin(pair, { type: 'client_pair', name, anchor }),
    pending() {
      const asked = current();
      return asked === null ? null : viewOf(asked);
    },
    async confirm(nonce) {
      const mine = current();
      if (mine === null) throw new Error('no_request_outstanding');
      if (mine.request.nonce !== nonce) throw new Error('request_mismatch');
      if (mine.request.allowed_credential_ids.length > 0) throw new Error(NO_AUTHENTICATOR);
      await counted(mine.act, () => answer(mine));
    },
    drop() {
      pending = null;
    },
    takesKillStatus: (killed) => !killed || releasing === 0,
    onAttach: () => answers.onAttach(),
    onDetach() {
      pending = null;
      begun = null;
      answers.onDetach();
    },
    onFrame(frame, connection) {
      if (frame.type === 'presence_request') onRequest(frame, connection);
      else if (frame.type !== 'presence_result' || !answers.offer(frame)) log(`presence: ${String(frame.type)} dropped`);
    },
  };
}
