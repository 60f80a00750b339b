/** The golden vectors of the contract, through the verifiers that the extension uses. */
import { DOMAIN_POLICY, FIXTURE_KEY_ID } from '@contract/identity';
import { CHALLENGE_VECTORS, FIXTURE_KEY, POLICY_VECTORS } from '@contract/vectors';
import { describe, expect, it } from 'vitest';
import { keyIdOf } from '../../src/gate/serving';
import { parseDocument } from '../../src/trust/document';
import { challengeMessage, isSigned, policyMessage } from '../../src/trust/verify';
import { documentOf, newKey } from './world';

const { publicKey } = FIXTURE_KEY;
const hex = async (bytes: BufferSource): Promise<string> => Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex');
/** Another byte at the given place of a signature. */
const bent = (sig: string, at: number): string => {
  const bytes = Buffer.from(sig, 'base64');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes.toString('base64');
};

describe('the fixture key', () => {
  it('has the id of the contract, and is never an identity', async () => {
    expect(await hex(Buffer.from(publicKey, 'base64'))).toBe(FIXTURE_KEY_ID);
    expect(await keyIdOf(publicKey)).toBeNull();
  });
});

describe('challenges', () => {
  it.each([...CHALLENGE_VECTORS])('of $length bytes', async ({ nonce, context, sha256, sig, length }) => {
    const message = challengeMessage(nonce, context);
    expect(message).toHaveLength(length);
    expect(await hex(message)).toBe(sha256);
    expect(await isSigned(publicKey, message, sig)).toBe(true);
    expect(await isSigned(publicKey, message, bent(sig, 0))).toBe(false);
    expect(await isSigned(publicKey, message, bent(sig, 63))).toBe(false);
    expect(await isSigned(publicKey, challengeMessage(nonce, `${context}x`), sig)).toBe(false);
    expect(await isSigned((await newKey()).pubkeyB64, message, sig)).toBe(false);
    if (context === '') expect(challengeMessage(nonce)).toEqual(message);
  });

  it('do not run into each other', () => {
    expect(challengeMessage('ab', 'c')).not.toEqual(challengeMessage('a', 'bc'));
  });
});

describe('policy documents', () => {
  it.each([...POLICY_VECTORS])('$name', async ({ document, sha256, sig, length }) => {
    const bytes = new TextEncoder().encode(document);
    const message = policyMessage(bytes);
    expect(bytes).toHaveLength(length);
    expect(message).toHaveLength(length + DOMAIN_POLICY.length + 1);
    expect(await hex(bytes)).toBe(sha256);
    expect(await isSigned(publicKey, message, sig)).toBe(true);
    expect(await isSigned(publicKey, message, bent(sig, 5))).toBe(false);
    expect(await isSigned(publicKey, bytes, sig)).toBe(false);
    expect(parseDocument(bytes)).not.toBeNull();
  });

  it('are the ones that the tests here write', () => {
    expect(documentOf()).toBe(POLICY_VECTORS[0].document);
    expect(documentOf({
      revision: 2, touched: ['pageEvalEnabled', 'confirmGraceMs', 'disabledTools'],
      fields: { pageEvalEnabled: true, confirmGraceMs: 120000, disabledTools: ['page_upload'] },
    })).toBe(POLICY_VECTORS[1].document);
  });
});

describe('signatures', () => {
  it.each([
    ['an unpadded one', (sig: string) => sig.replace(/=+$/, '')],
    ['one of 63 bytes', (sig: string) => Buffer.from(sig, 'base64').subarray(1).toString('base64')],
    ['one of 65 bytes', (sig: string) => Buffer.concat([Buffer.from(sig, 'base64'), Buffer.of(0)]).toString('base64')],
    ['no base64', () => '*'],
    ['zeros', () => Buffer.alloc(64).toString('base64')],
  ])('%s is none', async (_name, spoil) => {
    const { nonce, context, sig } = CHALLENGE_VECTORS[0];
    expect(await isSigned(publicKey, challengeMessage(nonce, context), spoil(sig))).toBe(false);
  });

  it('need a point on the curve', async () => {
    const { nonce, context, sig } = CHALLENGE_VECTORS[0];
    const point = Buffer.from(publicKey, 'base64');
    point[64] = (point[64] ?? 0) ^ 1;
    expect(await isSigned(point.toString('base64'), challengeMessage(nonce, context), sig)).toBe(false);
    expect(await isSigned('', challengeMessage(nonce, context), sig)).toBe(false);
  });
});
