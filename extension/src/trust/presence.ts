/**
 * Acts that need the person (extension.md 15, 10.5; control.md 6): the host asks, a page of ours
 * answers, by an authenticator where the request names any and by a click where it names none.
 *
 * Only the newest request is kept, and it goes with its connection. One that a window asked for is the
 * window's alone: the options page neither sees it nor grants anything while it is held.
 */
import { PresenceRequest, PresenceResult } from '@contract/frames';
import { LIMITS } from '@contract/host';
import type { Clock } from '../clock';
import { messageOf, ToolError } from '../errors';
import { createExchange, type Exchange, type ExchangeResult } from '../link/exchange';
import type { Connection, Frame } from '../link/port';
import type { Assertion, ConfirmPresence, PresenceView } from '../messages';
import { sentenceOf } from './refusals';

/** An act and the frames by which the host tells what became of it. */
export interface Act {
  readonly exchange: Exchange;
  /** Tags that answer the question instead of a request. */
  readonly replies: readonly string[];
  /** Tag of the act's own result after the proof; null: there is none. */
  readonly result: string | null;
  /** Throws what a frame that answered says against the act. */
  settle(frame: Frame): void;
  /** Grants give way to a window; a release goes first. */
  readonly first?: boolean;
  /** The act is done. */
  done?(): void;
}

export type Started = { request: PresenceView } | { answer: Frame };

export type PageAction = 'page_eval' | 'page_upload';

/** The request of one confirmation window. */
export interface PagePresence {
  readonly request: ConfirmPresence;
  /** One attempt: null is the software confirmation. Throws the denial. */
  answer(assertion: Assertion | null): Promise<void>;
  drop(): void;
}

export interface Presence {
  /** Asks for an act; throws what the host refuses before any request. */
  start(act: Act, frame: Frame): Promise<Started>;
  pending(): PresenceView | null;
  /** Both resolve once the act itself is done. */
  confirm(nonce: string): Promise<void>;
  assert(nonce: string, assertion: Assertion): Promise<void>;
  /** For a window; throws the denial. `onTaken`: the request is gone, for this reason. */
  page(action: PageAction, origin: string, onTaken: (why: ToolError) => void): Promise<PagePresence>;
  /** An engage empties the slot of the host, so ours too. */
  drop(): void;
  /** Whether the act is on its way, from the question to its result. */
  busyWith(act: Act): boolean;
  onAttach(): void;
  onDetach(): void;
  onFrame(frame: Frame, connection: Connection): void;
}

export interface PresenceOptions {
  clock: Clock;
  lane(): Connection | null;
  openOptions(): Promise<void>;
  log(message: string): void;
}

interface Pending {
  request: PresenceRequest;
  connection: Connection;
  act: Act | null;
  expiresAt: number;
}

/** What a window holds, from the question to its verdict. */
interface Held {
  connection: Connection;
  /** Why it was taken away. */
  gone: ToolError | null;
  onTaken(why: ToolError): void;
}

/** An act that the host was asked for. */
interface Begun {
  act: Act;
  frame: Frame;
  connection: Connection;
  /** An engage came behind it, so the host has dropped its request. */
  gone: boolean;
}

const RELEASED = 'The kill switch is being released, which goes first, so this call was denied. Call again.';
const REPLACED = 'Another request took the place of this one, so this call was denied.';
const ENDED = 'The native host went away while the user was asked, so nothing was done.';

const viewOf = ({ request, expiresAt }: Pending): PresenceView => ({
  nonce: request.nonce,
  action: request.action,
  challenge: request.challenge,
  allowedCredentialIds: request.allowed_credential_ids,
  expiresAt,
});

export function valueOf<T>(result: ExchangeResult<T>): T {
  if (!result.ok) throw new Error(result.refusal);
  return result.value;
}

/** The frame that answers a request: by what it names, not by what the page has. */
function answerFrame(request: PresenceRequest, assertion: Assertion | null): Frame {
  const tap = request.allowed_credential_ids.length > 0;
  if (tap !== (assertion !== null)) throw new Error(tap ? 'software_confirmation_not_allowed' : 'credential_not_enrolled');
  if (assertion === null) return { type: 'presence_confirm', nonce: request.nonce };
  return {
    type: 'presence_assert',
    credential_id: assertion.credentialId,
    authenticator_data: assertion.authenticatorData,
    client_data_json: assertion.clientDataJson,
    signature: assertion.signature,
  };
}

const PAGE_ACTION = /^page_(?:eval|upload) on /;

/** Whether a request is for the act that a frame asked for, by the texts of control.md 6.4. */
function isFor(action: string, frame: Frame): boolean {
  const anchor = (frame.anchor ?? {}) as Record<string, unknown>;
  switch (frame.type) {
    case 'kill_release':
      return action === 'release the kill switch';
    case 'client_pair':
      return action === `trust client ${String(frame.name)} (${String(anchor.kind)} ${String(anchor.value)})`;
    case 'policy_set':
      return action.startsWith('set policy: ');
    case 'policy_rollback':
      return action.startsWith(`roll policy back to revision ${String(frame.revision)}: `);
    case 'enroll_begin':
      return action.startsWith('enroll another credential for ');
    default:
      return false;
  }
}

const denied = (reason: string): ToolError => new ToolError('USER_DENIED', sentenceOf(reason));

export function createPresence(options: PresenceOptions): Presence {
  const { clock, lane, log } = options;
  const answers = createExchange(clock);
  let pending: Pending | null = null;
  let held: Held | null = null;
  /** The act of the options page whose request is awaited. */
  let starting: Act | null = null;
  /** What this connection was asked last: a request that comes late is for it, if it says so. */
  let begun: Begun | null = null;
  const underWay = new Map<Act, number>();

  async function counted<T>(act: Act | null, work: () => Promise<T>): Promise<T> {
    if (act === null) return work();
    underWay.set(act, (underWay.get(act) ?? 0) + 1);
    try {
      return await work();
    } finally {
      underWay.set(act, (underWay.get(act) ?? 1) - 1);
    }
  }

  function current(): Pending | null {
    if (pending !== null && (!pending.connection.live() || clock.now() >= pending.expiresAt)) pending = null;
    return pending;
  }

  function take(why: string): void {
    const was = held;
    held = null;
    if (was === null) return;
    was.gone = new ToolError('USER_DENIED', why);
    was.onTaken(was.gone);
  }

  async function begin(act: Act, frame: Frame): Promise<Started> {
    const connection = lane();
    if (connection === null) throw new Error('not-connected');
    if (starting !== null) throw new Error('busy');
    if (held !== null && act.first !== true) throw new Error('busy');
    take(RELEASED);
    const was = { begun, pending };
    const mine: Begun = { act, frame, connection, gone: false };
    starting = act;
    pending = null;
    begun = mine;
    try {
      const asked = await act.exchange.ask(connection, { frame, replies: ['presence_request', ...act.replies], read: (f) => f });
      // The host never heard of it, and still has what it had.
      if (!asked.ok && !asked.posted && begun === mine) ({ begun, pending } = was);
      const answer = valueOf(asked);
      if (answer.type !== 'presence_request') {
        act.settle(answer);
        return { answer };
      }
      const shown = current();
      if (shown === null) throw new Error(mine.gone ? 'no_request_outstanding' : 'failed');
      return { request: viewOf(shown) };
    } finally {
      starting = null;
    }
  }

  function onRequest(frame: Frame, connection: Connection): void {
    const parsed = PresenceRequest.safeParse(frame);
    const action = parsed.success ? parsed.data.action : '';
    const mine = begun !== null && begun.connection === connection && isFor(action, begun.frame) ? begun : null;
    // The host answers in order: a window that asked first is answered first.
    if ((mine === null || starting === null) && answers.offer(frame)) return;
    // Nobody waits for one of a window that is gone, nor for one that was asked for before the one awaited.
    if (parsed.success && (PAGE_ACTION.test(action) || (starting !== null && mine === null))) {
      log('presence: a request that comes too late');
      return;
    }
    if (mine?.gone) {
      starting?.exchange.offer(frame);
      return;
    }
    // The page was opened for the one that waits, and shows the newest when it is looked at.
    const shown = current() !== null;
    if (parsed.success) {
      take(REPLACED);
      pending = {
        request: parsed.data,
        connection,
        act: mine?.act ?? null,
        expiresAt: clock.now() + LIMITS.PRESENCE_MS,
      };
    } else log('presence: a request that makes no sense');
    if (starting?.exchange.offer(frame) || !parsed.success || shown) return;
    void options.openOptions().catch(() => log('presence: the options page could not be opened'));
  }

  /** Sends the answer of the options page; resolves once the act has its own result too. */
  async function send(mine: Pending, assertion: Assertion | null): Promise<void> {
    const { act, connection, request } = mine;
    const follow: { result?: Promise<ExchangeResult<Frame>> } = {};
    const asked = await answers.ask(connection, {
      frame: answerFrame(request, assertion),
      replies: ['presence_result'],
      read(frame) {
        const result = PresenceResult.parse(frame);
        // Within the turn of this frame, since the act's own follows at once.
        if (result.ok && act !== null && act.result !== null)
          follow.result = act.exchange.hold(connection, { replies: [act.result], read: (f) => f });
        return result;
      },
    });
    if ((asked.ok || asked.posted) && pending === mine) pending = null;
    const result = valueOf(asked);
    if (!result.ok) throw new Error(result.reason);
    if (act === null) return;
    if (follow.result !== undefined) act.settle(valueOf(await follow.result));
    act.done?.();
  }

  async function answer(nonce: string, assertion: Assertion | null): Promise<void> {
    const mine = current();
    if (mine === null) throw new Error('no_request_outstanding');
    if (mine.request.nonce !== nonce) throw new Error('request_mismatch');
    await counted(mine.act, () => send(mine, assertion));
  }

  // ------------------------------------------------------------------------------------------- //
  // Windows

  /** Asks the host on behalf of a window that is held from here on. */
  async function request(mine: Held, action: PageAction, origin: string): Promise<PresenceRequest> {
    const asked = await answers.ask(mine.connection, {
      frame: { type: 'presence_begin', action, origin },
      replies: ['presence_request', 'presence_result'],
      read(frame) {
        if (frame.type !== 'presence_request') return PresenceResult.parse(frame);
        // The host has one slot: what the options page was shown is gone.
        pending = null;
        return PresenceRequest.parse(frame);
      },
    });
    const refused = (reason: string): ToolError => new ToolError('EXECUTION_FAILED', sentenceOf(reason));
    if (!asked.ok) throw refused(asked.refusal);
    if (asked.value.type === 'presence_result') throw refused(asked.value.ok ? 'failed' : asked.value.reason);
    // One of another act that comes late would have its proof given in the name of this one.
    if (asked.value.action !== `${action} on ${origin}`) throw refused('request_mismatch');
    return asked.value;
  }

  async function give(mine: Held, got: PresenceRequest, assertion: Assertion | null): Promise<void> {
    if (mine.gone !== null) throw mine.gone;
    if (held !== mine) throw denied('no_request_outstanding');
    let frame: Frame;
    try {
      frame = answerFrame(got, assertion);
    } catch (error) {
      throw denied(messageOf(error));
    }
    const asked = await answers.ask(mine.connection, {
      frame,
      replies: ['presence_result'],
      read: (f) => PresenceResult.parse(f),
    });
    if (held === mine) held = null;
    if (mine.gone !== null) throw mine.gone;
    if (!asked.ok) throw denied(asked.refusal);
    if (!asked.value.ok) throw denied(asked.value.reason);
  }

  return {
    start: (act, frame) => counted(act, () => begin(act, frame)),
    pending() {
      const asked = current();
      return asked === null ? null : viewOf(asked);
    },
    confirm: (nonce) => answer(nonce, null),
    assert: (nonce, assertion) => answer(nonce, assertion),

    async page(action, origin, onTaken) {
      const connection = lane();
      if (connection === null) throw new ToolError('EXECUTION_FAILED', sentenceOf('not-connected'));
      // A request of the options page that is on its way would be taken for the answer to this one.
      if (held !== null || starting !== null) throw new ToolError('EXECUTION_FAILED', sentenceOf('busy'));
      const mine: Held = { connection, gone: null, onTaken };
      held = mine;
      try {
        const got = await request(mine, action, origin);
        if (mine.gone !== null) throw mine.gone;
        return {
          request: {
            nonce: got.nonce,
            challenge: got.challenge,
            allowedCredentialIds: got.allowed_credential_ids,
          },
          answer: (assertion) => give(mine, got, assertion),
          drop() {
            if (held === mine) held = null;
          },
        };
      } catch (error) {
        if (held === mine) held = null;
        throw error;
      }
    },

    drop() {
      pending = null;
      if (begun !== null) begun.gone = true;
      take('The kill switch of genkan was used, so this call was not carried out.');
    },
    busyWith: (act) => (underWay.get(act) ?? 0) > 0,
    onAttach: () => answers.onAttach(),
    onDetach() {
      pending = null;
      begun = null;
      take(ENDED);
      answers.onDetach();
    },
    onFrame(frame, connection) {
      if (frame.type === 'presence_request') onRequest(frame, connection);
      else if (frame.type !== 'presence_result' || !answers.offer(frame)) log(`presence: ${String(frame.type)} dropped`);
    },
  };
}
