/** An authenticator as a page has it: what it was asked, and what it answers. */
import { vi } from 'vitest';

const buffer = (text: string): ArrayBuffer => new TextEncoder().encode(text).buffer as ArrayBuffer;
const plain = (bytes: unknown): string => new TextDecoder().decode(bytes as ArrayBuffer);

export const authenticator = {
  asked: [] as unknown[],
  /** What it throws instead of an answer. */
  fails: null as unknown,

  /** To be put in the place of `navigator.credentials`. */
  install(): void {
    authenticator.asked = [];
    authenticator.fails = null;
    const answer = (response: Record<string, ArrayBuffer>) => (options: unknown) => {
      authenticator.asked.push(options);
      return authenticator.fails === null ? Promise.resolve({ rawId: buffer('raw'), response }) : Promise.reject(authenticator.fails as Error);
    };
    vi.stubGlobal('navigator', {
      ...globalThis.navigator,
      credentials: {
        create: answer({ attestationObject: buffer('ao'), clientDataJSON: buffer('{"c":1}') }),
        get: answer({ authenticatorData: buffer('ad'), clientDataJSON: buffer('{"g":1}'), signature: buffer('\u00ff\u00fe?>') }),
      },
    });
  },
  plain,
};

export const named = (name: string, message = ''): Error => Object.assign(new Error(message), { name });

/** What the stub answers, as the host takes it. */
export const ASSERTION = {
  credentialId: 'cmF3',
  authenticatorData: 'YWQ',
  clientDataJson: 'eyJnIjoxfQ',
  signature: 'w7_Dvj8-',
};
export const ATTESTATION = { attestationObject: 'YW8', clientDataJson: 'eyJjIjoxfQ' };
