/**
 * What the options page asks of the host beyond administration: the acts that cost a proof, and the
 * free lane of the policy (control.md 2.6, 6.2; extension.md 14.3).
 */
import {
  ClientPairResult,
  KillStatusResult,
  PolicyHistoryResult,
  PolicyRestrictResult,
  PolicyRollbackResult,
  PolicySetResult,
  type PolicyHistoryRow,
} from '@contract/frames';
import type { Overlay } from '@contract/policy';
import type { Clock } from '../clock';
import { createExchange, type Exchange } from '../link/exchange';
import type { Connection, Frame } from '../link/port';
import type { ClientAnchor, PresenceView, ServingState } from '../messages';
import type { Audit } from './audit';
import { valueOf, type Act, type Presence } from './presence';

const RESULTS = [
  'policy_restrict_result',
  'policy_set_result',
  'policy_history_result',
  'policy_rollback_result',
] as const;
type ResultTag = (typeof RESULTS)[number];

export interface Acts {
  /** The request to show, or null if the switch is released already. */
  release(): Promise<PresenceView | null>;
  pair(name: string, anchor: ClientAnchor): Promise<PresenceView | null>;
  restrict(overlay: Overlay): Promise<void>;
  grant(overlay: Overlay): Promise<PresenceView | null>;
  /** Null: it only tightens, and is done. */
  rollback(revision: number, entry?: string): Promise<PresenceView | null>;
  history(): Promise<PolicyHistoryRow[]>;
  /** Whether a state of the switch may answer: while a release is awaited, `killed` is only news. */
  takesKillStatus(killed: boolean): boolean;
  onAttach(): void;
  onDetach(): void;
  /** False: the frame answers nothing that was asked. */
  onFrame(frame: Frame): boolean;
}

export interface ActOptions {
  clock: Clock;
  lane(): Connection | null;
  presence: Presence;
  killExchange: Exchange;
  pairExchange: Exchange;
  /** State of extension.md section 1: without a pin nothing could verify what a grant leads to. */
  serving(): Promise<ServingState>;
  audit: Audit;
}

interface Settled {
  ok: boolean;
  error?: string;
}
interface Reader {
  parse(value: unknown): Settled;
}

const settling =
  (reader: Reader) =>
  (frame: Frame): void => {
    const result = reader.parse(frame);
    if (!result.ok) throw new Error(result.error);
  };

export function createActs(options: ActOptions): Acts {
  const { clock, lane, presence } = options;
  const exchanges = Object.fromEntries(RESULTS.map((tag) => [tag, createExchange(clock)])) as Record<ResultTag, Exchange>;
  const all = Object.values(exchanges);

  const act = (result: string, exchange: Exchange, reader: Reader): Act => ({
    exchange,
    replies: [result],
    result,
    settle: settling(reader),
  });

  const release: Act = {
    ...act('kill_status_result', options.killExchange, KillStatusResult as Reader),
    first: true,
    done: () => options.audit.record({ kind: 'kill_released' }),
  };
  const pair = act('client_pair_result', options.pairExchange, ClientPairResult as Reader);
  const set = act('policy_set_result', exchanges.policy_set_result, PolicySetResult as Reader);
  const roll = act('policy_rollback_result', exchanges.policy_rollback_result, PolicyRollbackResult as Reader);

  async function asked(which: Act, frame: Frame): Promise<PresenceView | null> {
    const started = await presence.start(which, frame);
    return 'request' in started ? started.request : null;
  }

  async function mayWrite(): Promise<void> {
    const serving = await options.serving();
    if (serving === 'unpaired') throw new Error('Pair this browser first: nothing could verify a policy before that.');
    if (serving === 'blocked') throw new Error('Nothing is served at present. Pair this browser again first.');
  }

  return {
    release: () => asked(release, { type: 'kill_release' }),
    pair: (name, anchor) => asked(pair, { type: 'client_pair', name, anchor }),

    async restrict(overlay) {
      await mayWrite();
      const frame = { type: 'policy_restrict', overlay };
      const replies = ['policy_restrict_result'];
      settling(PolicyRestrictResult as Reader)(
        valueOf(await exchanges.policy_restrict_result.ask(lane(), { frame, replies, read: (f) => f })),
      );
    },
    async grant(overlay) {
      await mayWrite();
      return asked(set, { type: 'policy_set', overlay });
    },
    async rollback(revision, entry) {
      await mayWrite();
      return asked(roll, { type: 'policy_rollback', revision, ...(entry === undefined ? {} : { entry: { id: entry } }) });
    },
    async history() {
      const result = valueOf(
        await exchanges.policy_history_result.ask(lane(), {
          frame: { type: 'policy_history' },
          replies: ['policy_history_result'],
          read: (f) => PolicyHistoryResult.parse(f),
        }),
      );
      if (!result.ok) throw new Error(result.error);
      return result.entries;
    },

    takesKillStatus: (killed) => !killed || !presence.busyWith(release),
    onAttach: () => all.forEach((e) => e.onAttach()),
    onDetach: () => all.forEach((e) => e.onDetach()),
    onFrame: (frame) => RESULTS.some((tag) => tag === frame.type && exchanges[tag].offer(frame)),
  };
}
