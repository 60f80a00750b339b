/** Failures that a caller sees: one code and one sentence (tools.md 4). */
import type { ExtCode } from '@contract/errors';

export class ToolError extends Error {
  constructor(
    readonly code: ExtCode,
    message: string,
  ) {
    super(message);
    this.name = 'ToolError';
  }
}

/** The caller is gone or has cancelled: nothing is answered. */
export class Cancelled extends Error {
  constructor() {
    super('cancelled');
    this.name = 'Cancelled';
  }
}

export const fail = (code: ExtCode, message: string): never => {
  throw new ToolError(code, message);
};

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
