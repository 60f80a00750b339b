/** What the host signs, checked by WebCrypto (control.md 3.2; extension.md 13.2, 14.1). */
import { DOMAIN_CHALLENGE, DOMAIN_POLICY } from '@contract/identity';
import { decodeBase64 } from '../gate/serving';

type Bytes = Uint8Array<ArrayBuffer>;

const utf8 = (text: string): Bytes => new TextEncoder().encode(text);
const NUL: Bytes = Uint8Array.of(0);

function joined(...parts: Bytes[]): Bytes {
  const whole = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** `domain 00 nonce 00 context`; an absent context is an empty one. */
export const challengeMessage = (nonce: string, context = ''): Bytes =>
  joined(utf8(DOMAIN_CHALLENGE), NUL, utf8(nonce), NUL, utf8(context));

/** `domain 00 document`, over the exact bytes. */
export const policyMessage = (document: Bytes): Bytes => joined(utf8(DOMAIN_POLICY), NUL, document);

/** Whether the 64 bytes `r s` are the key's signature of the message. Anything malformed is none. */
export async function isSigned(pubkeyB64: string, message: Bytes, sigB64: string): Promise<boolean> {
  const point = decodeBase64(pubkeyB64);
  const sig = decodeBase64(sigB64);
  if (point === null || point.length !== 65 || sig === null || sig.length !== 64) return false;
  try {
    const key = await crypto.subtle.importKey('raw', point, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['verify']);
    return await crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, sig, message);
  } catch {
    return false;
  }
}
