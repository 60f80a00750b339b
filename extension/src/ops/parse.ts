/** A bridge request, checked against the contract and then by the rules that no schema states. */
import { BridgeRequest } from '@contract/envelopes';
import { opArgs } from '@contract/ops';
import { messageOf } from '../errors';
import type { Frame } from '../link/port';
import type { Parsed } from '../link/requests';
import type { Operations } from './context';

interface Issue {
  path: PropertyKey[];
  message: string;
  code: string;
  keys?: string[];
}

/** Names the argument, which is what a caller can correct. */
function sentence(op: string, issues: readonly Issue[]): string {
  const [first] = issues;
  if (first === undefined) return `The arguments of ${op} do not fit.`;
  if (first.code === 'unrecognized_keys') return `${op} takes no argument ${(first.keys ?? []).join(', ')}.`;
  const name = first.path.map(String).join('.');
  return name === '' ? `${op}: ${first.message}` : `${op}: ${name}: ${first.message}`;
}

export function createParser(operations: Operations): (frame: Frame) => Parsed {
  return (frame) => {
    const request = BridgeRequest.safeParse(frame);
    if (!request.success) {
      const op = typeof frame.op === 'string' ? frame.op : 'the request';
      return { ok: false, error: `Not a request of this protocol: ${sentence(op, request.error.issues as Issue[])}` };
    }
    const { op } = request.data;
    const args = opArgs[op].safeParse(request.data.args);
    if (!args.success) return { ok: false, error: sentence(op, args.error.issues as Issue[]) };
    try {
      operations[op]?.check?.(args.data);
    } catch (error) {
      return { ok: false, error: messageOf(error) };
    }
    return { ok: true, op, args: args.data };
  };
}
