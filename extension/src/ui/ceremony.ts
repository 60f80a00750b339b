/**
 * The two ceremonies of an authenticator (control.md 7; extension.md 15). The host is the relying
 * party; a page only carries its bytes to the authenticator and the answer back.
 */
import { NAME } from '@contract/identity';
import { LIMITS } from '@contract/host';
import { ownId } from '../browser/runtime';
import { t } from '../i18n';
import type { Assertion, EnrollOptionsView } from '../messages';

/** ECDSA on P-256 with SHA-256, the one algorithm that the host verifies. */
const ES256 = -7;

export function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
}

export function textOf(bytes: ArrayBuffer): string {
  let raw = '';
  for (const byte of new Uint8Array(bytes)) raw += String.fromCharCode(byte);
  return btoa(raw).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

const named = (ids: readonly string[]): PublicKeyCredentialDescriptor[] => ids.map((id) => ({ type: 'public-key', id: bytesOf(id) }));

/** A new credential, as the host takes it. */
export async function makeCredential(options: EnrollOptionsView): Promise<{ attestationObject: string; clientDataJson: string }> {
  const made = await navigator.credentials.create({
    publicKey: {
      rp: { id: ownId(), name: NAME },
      user: { id: bytesOf(options.userId), name: options.userName, displayName: options.userName },
      challenge: bytesOf(options.challenge),
      pubKeyCredParams: [{ type: 'public-key', alg: ES256 }],
      excludeCredentials: named(options.excludeCredentialIds),
      attestation: 'none',
      authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
      timeout: LIMITS.PRESENCE_MS,
    },
  });
  const { attestationObject, clientDataJSON } = (made as PublicKeyCredential).response as AuthenticatorAttestationResponse;
  return { attestationObject: textOf(attestationObject), clientDataJson: textOf(clientDataJSON) };
}

/** A touch of one of the credentials, within `timeout`. */
export async function touch(asked: { challenge: string; allowedCredentialIds: string[] }, timeout: number = LIMITS.PRESENCE_MS): Promise<Assertion> {
  const got = await navigator.credentials.get({
    publicKey: {
      rpId: ownId(),
      challenge: bytesOf(asked.challenge),
      allowCredentials: named(asked.allowedCredentialIds),
      userVerification: 'preferred',
      timeout,
    },
  });
  const { rawId, response } = got as PublicKeyCredential;
  const { authenticatorData, clientDataJSON, signature } = response as AuthenticatorAssertionResponse;
  return {
    credentialId: textOf(rawId),
    authenticatorData: textOf(authenticatorData),
    clientDataJson: textOf(clientDataJSON),
    signature: textOf(signature),
  };
}

/** Why there was no ceremony. The browser tells little, so that pages learn little. */
export function ceremonyText(error: unknown): string {
  const { name, message } = error instanceof Error ? error : { name: '', message: String(error) };
  if (name === 'InvalidStateError') return t('ceremony.already');
  if (name === 'NotAllowedError') return t(document.hasFocus() ? 'ceremony.not_allowed' : 'ceremony.focus');
  return t('ceremony.failed', [message]);
}
