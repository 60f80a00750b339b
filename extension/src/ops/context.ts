/** What an operation is given, and what the table says about each. */
import type { Sessions } from '../cdp/sessions';
import type { Clock } from '../clock';
import type { ExtOp } from '@contract/ops';
import type { Allowlist } from '../gate/allowlist';
import type { ConfirmRequest } from '../gate/confirm';
import type { Snapshot } from '../gate/gates';
import type { Tab } from '../browser/tabs';
import type { Args, Call } from '../link/requests';
import type { Descriptor } from '../page-channel';
import type { PageCaller } from './page-call';
import type { TabList } from './tab-list';

export interface Tools {
  clock: Clock;
  allowlist: Allowlist;
  page: PageCaller;
  /** Debugger sessions, those of CDP mode among them. */
  cdp: Sessions;
  tabList: TabList;
  /** Texts of the notice, in the user's language. */
  noticeWords(): { text: string; cancel: string };
  /** Settings of the browser (extension.md 18) that operations look at. */
  groupTabs(): Promise<boolean>;
  log(message: string): void;
}

/** One call on its way. `tab`, `origin` and `frameId` are what was checked, not what is there now. */
export interface Context {
  readonly call: Call;
  readonly args: Args;
  readonly signal: AbortSignal;
  readonly tools: Tools;
  readonly snapshot: Snapshot;
  /** In-page time that is left, user time not counted. */
  readonly budget: Budget;
  /** The target; `null` for operations without one. */
  tab: Tab | null;
  /** Origin of the document that is acted on; "" where there is none. */
  origin: string;
  /** 0 is the top document. */
  frameId: number;
  /** What was probed, and maybe confirmed: the act is bound to it. */
  expect: Descriptor | null;
}

/** In-page milliseconds of a call. */
export class Budget {
  constructor(public left: number) {}
}

export interface Operation {
  /** Rules that no schema states; throws INVALID_ARGUMENT. */
  check?(args: Args): void;
  target: 'tab' | 'none' | ((args: Args) => 'tab' | 'none');
  /** `page`: http and https documents only. `any`: whatever the tab shows but our own pages. */
  address: 'page' | 'any';
  /** Origin that needs approval: by default that of the page, for `any` none. */
  site?(args: Args, tab: Tab | null): string | null;
  budget?(args: Args): number;
  /** Runs after the site is approved: finds the document, probes, and says what is to be confirmed. */
  prepare?(context: Context): Promise<ConfirmRequest | null>;
  /** A wait for the user that is no confirmation (extension.md 10.7); null if none is due. */
  notice?(context: Context): (() => Promise<void>) | null;
  /** It takes no place in the queue of its tab, since it is what the call in front waits for. */
  unqueued?: true;
  /** Its act changes nothing in the browser. */
  looksOnly?: true;
  /** A dialog that opens under the act is part of its result, not its end. */
  takesDialog?: true;
  act(context: Context): Promise<unknown>;
}

export type Operations = Partial<Record<ExtOp, Operation>>;

export function theTab(context: Context): Tab {
  if (context.tab === null) throw new Error('an operation without a tab asked for it');
  return context.tab;
}
