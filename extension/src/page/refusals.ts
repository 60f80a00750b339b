/** What a method answers when it does not do what it was asked. */
import type { PageErrorCode, PageFailure } from '../page-channel';
import { clean, plain, wellFormed } from './text';

class Refusal {
  readonly error: string;
  readonly code: PageErrorCode;

  constructor(error: string, code: PageErrorCode) {
    this.error = error;
    this.code = code;
  }
}

export const refuse = (error: string): Refusal => new Refusal(error, 'EXECUTION_FAILED');
export const invalid = (error: string): Refusal => new Refusal(error, 'INVALID_ARGUMENT');

/** The page may have replaced even `String.prototype` in its own world; what is said then is fixed. */
export function failure(reason: unknown): PageFailure {
  let error = 'the page could not be handled: take a new page_snapshot and try again';
  let code: PageErrorCode = 'EXECUTION_FAILED';
  try {
    if (reason instanceof Refusal) {
      code = reason.code;
      error = wellFormed(reason.error);
    } else {
      error = `the page could not be handled (${clean(plain(String((reason as Error | null)?.message ?? reason)), 200)}): take a new page_snapshot and try again`;
    }
  } catch {
    // the fixed sentence stands
  }
  return { ok: false, error: typeof error === 'string' ? error : '', code };
}
