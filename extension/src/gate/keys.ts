/** Keys of `storage.local` that the gates read (extension.md 8.2). */
export const KEY = {
  allowlist: 'allowlist',
  pendingAllow: 'pendingAllow',
  killMirror: 'bridgeKillMirror',
  policyState: 'bridgePolicyState',
  policyCutover: 'bridgePolicyCutover',
  priorPin: 'bridgePolicyPriorPin',
  everPinned: 'enclaveEverPinned',
  pin: 'enclavePin',
  pendingPin: 'enclavePending',
  compromised: 'enclaveCompromised',
  paused: 'enclavePairingPaused',
  lastError: 'enclaveLastError',
  lastVerifiedAt: 'enclaveLastVerifiedAt',
  revokePending: 'enclaveHostRevokePending',
} as const;

/** What the gates need of the browser's storage. */
export interface Store {
  read(keys: readonly string[]): Promise<Record<string, unknown>>;
  write(items: Record<string, unknown>): Promise<void>;
}

/** What transitions of pairing and policy need: some of them take something away. */
export interface TrustStore extends Store {
  remove(keys: readonly string[]): Promise<void>;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object with exactly these members. */
export const hasExactly = (value: unknown, names: readonly string[]): value is Record<string, unknown> =>
  isObject(value) && Object.keys(value).length === names.length && names.every((n) => Object.hasOwn(value, n));

export const isTime = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
