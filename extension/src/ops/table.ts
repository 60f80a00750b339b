/**
 * The operations that this extension carries out, and what it therefore announces.
 *
 * One row a tool. A tool without a row is not announced, so the server refuses it; to add one, add
 * its row and nothing else.
 */
import { EXT_OPS, OP_NEEDS, type Capability, type ExtOp } from '@contract/ops';
import type { Sessions } from '../cdp/sessions';
import { actOperations } from './act';
import { clickOperations } from './click';
import { consoleOperations } from './console';
import type { Operations } from './context';
import { cookieOperations } from './cookie';
import { dialogOperations } from './dialog';
import { evalOperations } from './eval';
import { historyOperations } from './history';
import { decodeInWorker } from './image';
import { preciseOperations } from './precise';
import { readOperations } from './read';
import { shotOperations } from './shot';
import { storageOperations } from './storage';
import { tabOperations } from './tabs';
import { uploadOperations } from './upload';
import { waitOperations } from './wait';

export const createOperations = (cdp: Sessions): Operations => ({
  ...tabOperations,
  ...historyOperations,
  ...readOperations,
  ...actOperations,
  ...clickOperations,
  ...evalOperations(cdp),
  ...waitOperations,
  ...shotOperations(cdp, decodeInWorker),
  ...cookieOperations,
  ...storageOperations,
  ...preciseOperations(cdp),
  ...consoleOperations(cdp),
  ...dialogOperations(cdp),
  ...uploadOperations(cdp),
});

/** Capabilities all of whose tools have a row and a browser API behind them. */
export function capabilitiesOf(operations: Operations, available: (permission: string) => boolean): Capability[] {
  const served = (op: ExtOp): boolean => operations[op] !== undefined && available(OP_NEEDS[op].perm);
  const of = (op: ExtOp): Capability | null => OP_NEEDS[op].capability;
  return [...new Set(EXT_OPS.map(of))].filter(
    (c): c is Capability => c !== null && EXT_OPS.every((op) => of(op) !== c || served(op)),
  );
}
