/** Storage confinement (extension.md 8.1): until it is done, every gate is closed. */
import { messageOf } from '../errors';

export interface Confinement {
  /** Null once done; a sentence while it is not, or has failed. */
  problem(): string | null;
  /** Comes due when it is settled, one way or the other. */
  settled: Promise<void>;
}

/** Started at once, and once in a worker's life. */
export function confineStorage(confine: () => Promise<void>): Confinement {
  let problem: string | null = 'The storage of genkan is not yet closed to pages. Call again in a moment.';
  const settled = Promise.resolve()
    .then(confine)
    .then(
      () => {
        problem = null;
      },
      (error: unknown) => {
        problem = `The storage of genkan could not be closed to pages, so nothing is served: ${messageOf(error)}`;
      },
    );
  return { problem: () => problem, settled };
}
