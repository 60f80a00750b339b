/**
 * Bridge requests: parse, table of running operations, cancel, answers (extension.md 5).
 *
 * Whatever happens to a call in between, this is the one place that answers, so that there is one
 * answer, on the port the request came from, or none.
 */
import { Cancelled, messageOf, ToolError } from '../errors';
import { maskErrorMessage } from '../mask';
import { failure, success, TooLarge } from './outgoing';
import type { Connection, Frame } from './port';

export type Args = Readonly<Record<string, unknown>>;

export type Parsed = { ok: true; op: string; args: Args } | { ok: false; error: string };

export interface Call {
  readonly id: number;
  readonly op: string;
  readonly args: Args;
  readonly connection: Connection;
  /** Aborted with `Cancelled` or with the `ToolError` that the caller is to see. */
  readonly signal: AbortSignal;
  /** Marks that the act begins: from here on a closing gate refuses the call no more. */
  begin(): void;
}

export interface RequestsOptions {
  parse(frame: Frame): Parsed;
  run(call: Call): Promise<unknown>;
  log(message: string): void;
}

export interface Requests {
  onRequest(frame: Frame, connection: Connection): void;
  onCancel(frame: Frame, connection: Connection): void;
  onLost(connection: Connection): void;
  /** Refuses every call whose act has not begun. */
  refuseWaiting(error: ToolError): void;
  /** Ids that run on a connection. */
  running(connection: Connection): number[];
}

interface Entry {
  call: Call;
  abort: AbortController;
  begun: boolean;
}

const usableId = (id: unknown): id is number => Number.isSafeInteger(id);

export function createRequests(options: RequestsOptions): Requests {
  const { log } = options;
  const table = new Map<Connection, Map<number, Entry>>();

  const of = (connection: Connection): Map<number, Entry> => {
    let calls = table.get(connection);
    if (calls === undefined) table.set(connection, (calls = new Map()));
    return calls;
  };

  function refusal(id: number, error: unknown): Record<string, unknown> {
    if (error instanceof ToolError) return failure(id, error.code, maskErrorMessage(error.message));
    if (error instanceof TooLarge) return failure(id, 'PAYLOAD_TOO_LARGE', `The result is too large: ${error.message}.`);
    return failure(id, 'EXECUTION_FAILED', maskErrorMessage(messageOf(error)));
  }

  async function serve(entry: Entry): Promise<void> {
    const { call, abort } = entry;
    let answer: Record<string, unknown>;
    try {
      answer = success(call.id, await options.run(call));
    } catch (error) {
      answer = refusal(call.id, error);
    }
    // A call that was cancelled has left the table, whatever it came to since.
    const calls = table.get(call.connection);
    if (calls?.get(call.id) !== entry) return;
    calls.delete(call.id);
    if (abort.signal.reason instanceof Cancelled) return;
    if (!call.connection.post(answer) && call.connection.live())
      call.connection.post(refusal(call.id, new TooLarge('the browser does not take it')));
  }

  function cancel(entry: Entry): void {
    of(entry.call.connection).delete(entry.call.id);
    entry.abort.abort(new Cancelled());
  }

  return {
    onRequest(frame, connection) {
      const { id } = frame;
      if (!usableId(id)) {
        log('request without a usable id dropped');
        return;
      }
      if (of(connection).has(id)) {
        log(`request ${id} is running already; the second one is dropped`);
        return;
      }
      const parsed = options.parse(frame);
      if (!parsed.ok) {
        connection.post(failure(id, 'INVALID_ARGUMENT', maskErrorMessage(parsed.error)));
        return;
      }
      const abort = new AbortController();
      const entry: Entry = {
        abort,
        begun: false,
        call: {
          id,
          op: parsed.op,
          args: parsed.args,
          connection,
          signal: abort.signal,
          begin: () => {
            entry.begun = true;
          },
        },
      };
      of(connection).set(id, entry);
      void serve(entry);
    },

    onCancel(frame, connection) {
      const { id } = frame;
      if (!usableId(id) || Object.keys(frame).length !== 2) return;
      const entry = of(connection).get(id);
      if (entry !== undefined) cancel(entry);
    },

    onLost(connection) {
      for (const entry of [...of(connection).values()]) cancel(entry);
      table.delete(connection);
    },

    refuseWaiting(error) {
      for (const calls of table.values())
        for (const entry of calls.values()) if (!entry.begun) entry.abort.abort(error);
    },

    running: (connection) => [...(table.get(connection)?.keys() ?? [])],
  };
}
