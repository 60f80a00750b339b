/** Runs `work` while no other context of ours holds the lock of that name. */
export const withLock = <T>(name: string, work: () => Promise<T>): Promise<T> =>
  navigator.locks.request(name, work) as Promise<T>;
