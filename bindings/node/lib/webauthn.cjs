'use strict';
const addon = require('../genkan.node');
const { expected } = require('./arguments.cjs');
const { Refused } = require('./errors.cjs');
const { Handle, Context, contextOf } = require('./context.cjs');

/** What a relying party remembers of one credential. */
class Credential extends Handle {
  /** From a store: id, publicKey, signCount, backupEligible. */
  constructor({ id, publicKey, signCount = 0, backupEligible = false },
    context) {
    super(addon.credentialNew(contextOf(context), id, publicKey, signCount,
      backupEligible ? 1 : 0));
  }

  get id() { return addon.credentialGet(this.raw).id; }
  get publicKey() { return addon.credentialGet(this.raw).publicKey; }
  get signCount() { return addon.credentialGet(this.raw).signCount; }
  get backupEligible() { return addon.credentialGet(this.raw).backupEligible; }

  /** Takes a new counter over; out-of-range for one that has not grown. */
  counted(signCount) {
    addon.credentialCounted(this.raw, signCount);
  }
}

/** A verdict's number becomes an exception; anything else is passed on. */
function accepted(r) {
  if (typeof r === 'number') throw new Refused(r);
  return r;
}

/** Verifies registrations and assertions; without id and origin, of genkan's
 * own extension. */
class RelyingParty {
  #context;

  constructor({ id = null, origin = null, context = new Context() } = {}) {
    contextOf(context);		// it is one, and open
    this.id = id;
    this.origin = origin;
    this.#context = context;
  }

  /** A fresh challenge: base64url of 32 random bytes. */
  challenge() {
    return addon.webauthnNonce(this.#context.raw);
  }

  /** The credential of a registration. */
  register({ challenge, attestationObject, clientDataJSON }) {
    const raw = accepted(addon.webauthnRegister(this.#context.raw, this.id,
      this.origin, challenge, attestationObject, clientDataJSON));
    const made = Reflect.construct(Handle, [raw], Credential);
    return made;
  }

  /** The new counter of an assertion; nothing is counted yet. */
  check({ challenge, credential, authenticatorData, clientDataJSON,
    signature }) {
    if (!(credential instanceof Credential)) {
      throw expected('credential', 'a Credential', credential);
    }
    const [refusal, count] = addon.webauthnAssert(credential.raw, this.id,
      this.origin, challenge, authenticatorData, clientDataJSON, signature);
    if (refusal !== 0) throw new Refused(refusal);
    return count;
  }

  /** check() and counted(), for credentials that are kept in memory. */
  verify(answer) {
    const count = this.check(answer);
    answer.credential.counted(count);
    return count;
  }
}

const parseAuthenticatorData = (bytes, context) =>
  accepted(addon.webauthnAuthdata(contextOf(context), bytes));
const parseAttestationObject = (bytes) =>
  accepted(addon.webauthnAttestation(bytes));

/** The challenge of a statement of genkan's own. */
const statementChallenge = ({ action, nonce, label = '', enroll = false },
  context) => addon.webauthnChallenge(contextOf(context), enroll ? 1 : 0,
  label, action, nonce);

module.exports = { webauthn: { Credential, RelyingParty,
  parseAuthenticatorData, parseAttestationObject, statementChallenge } };
