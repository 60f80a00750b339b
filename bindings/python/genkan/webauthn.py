"""A relying party for authenticators: ES256, attestation "none".

::

    rp = RelyingParty("example.org", "https://example.org")
    challenge = rp.challenge()          # to the page, and into the session
    credential = rp.register(challenge, attestation_object, client_data_json)
    ...
    rp.verify(challenge, credential, authenticator_data, client_data_json,
              signature)                # raises Refused, or has counted
"""
from typing import NamedTuple, Optional, Union

from . import _genkan, errors
from ._core import Handle, core_of, error, wrong
from .context import Context

Buffer = Union[bytes, bytearray, memoryview]


class Refused(Exception):
    """An answer that is not accepted; ``code`` is the refusal's name.

    A verdict and no failure of the library, hence no GenkanError.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.code: str = _genkan.genkan_refusal_name(number)
        super().__init__(f"{self.code}: "
                         f"{_genkan.genkan_refusal_text(number)}")


class Credential(Handle):
    """What a relying party remembers of one credential.

    Store ``id``, ``public_key``, ``sign_count`` and ``backup_eligible``, and
    make it again from them.
    """

    _free = staticmethod(_genkan.genkan_credential_free)

    def __init__(self, id: Buffer, public_key: Buffer, sign_count: int = 0,
                 backup_eligible: bool = False,
                 context: Optional[Context] = None) -> None:
        core = core_of(context)
        core.make(self, _genkan.gk_credential_new, id, public_key,
                  sign_count, int(bool(backup_eligible)))

    @property
    def id(self) -> bytes:
        out: bytes = self._call(_genkan.gk_credential_id)
        return out

    @property
    def public_key(self) -> bytes:
        """65 bytes: 04, X, Y."""
        out: bytes = self._call(_genkan.gk_credential_public_key)
        return out

    @property
    def sign_count(self) -> int:
        out: int = self._call(_genkan.genkan_credential_sign_count)
        return out

    @property
    def backup_eligible(self) -> bool:
        return bool(self._call(_genkan.genkan_credential_backup_eligible))

    def counted(self, sign_count: int) -> None:
        """Takes a new counter over; OutOfRange for one that has not grown."""
        self._ask(_genkan.genkan_credential_counted, sign_count)


class RelyingParty:
    """Verifies registrations and assertions for one id and origin.

    Without them it is genkan's own extension.
    """

    def __init__(self, id: Optional[str] = None, origin: Optional[str] = None,
                 context: Optional[Context] = None) -> None:
        self._context = Context() if context is None else context
        core_of(self._context)		# it is one, and open
        self.id = id
        self.origin = origin

    def challenge(self) -> str:
        """A fresh challenge: base64url of 32 random bytes."""
        core = core_of(self._context)
        _, text = core.call(_genkan.gk_webauthn_nonce)
        out: str = text
        return out

    def register(self, challenge: str, attestation_object: Buffer,
                 client_data: Buffer) -> Credential:
        """The credential of a registration; raises Refused."""
        core = core_of(self._context)
        made = Credential.__new__(Credential)
        r = core.make(made, _genkan.gk_webauthn_register, self.id,
                      self.origin, challenge, attestation_object, client_data)
        if r > 0:
            raise Refused(r)
        return made

    def check(self, challenge: str, credential: Credential,
              authenticator_data: Buffer, client_data: Buffer,
              signature: Buffer) -> int:
        """The new counter of an assertion; raises Refused.

        Nothing is counted yet: store the counter, then credential.counted(),
        then act.
        """
        if not isinstance(credential, Credential):
            raise wrong("credential", "Credential", credential)
        core = core_of(self._context)
        with credential._lent(core), core:
            r, count = core.judge(_genkan.gk_webauthn_assert(
                core.held(), self.id, self.origin, challenge,
                credential._held(), authenticator_data, client_data,
                signature))
        if r > 0:
            raise Refused(r)
        out: int = count
        return out

    def verify(self, challenge: str, credential: Credential,
               authenticator_data: Buffer, client_data: Buffer,
               signature: Buffer) -> int:
        """check() and counted() in one, for credentials kept in memory."""
        count = self.check(challenge, credential, authenticator_data,
                           client_data, signature)
        credential.counted(count)
        return count


class AuthenticatorData(NamedTuple):
    """Authenticator data in parts, not judged."""

    rp_id_hash: bytes
    flags: int
    sign_count: int
    credential_id: Optional[bytes]
    public_key: Optional[bytes]


def parse_authenticator_data(data: Buffer, context: Optional[Context] = None
                             ) -> AuthenticatorData:
    """Takes authenticator data apart; raises Refused if it is malformed."""
    core = core_of(context)
    raw = core.call(_genkan.gk_webauthn_authdata, data)
    if raw[0] > 0:
        raise Refused(raw[0])
    return AuthenticatorData(*raw[1:])


def parse_attestation_object(data: Buffer) -> bytes:
    """The authenticator data in an attestation object; raises Refused."""
    r, out = _genkan.gk_webauthn_attestation(data)
    if r > 0:
        raise Refused(r)
    if r < 0:
        raise error(r)
    found: bytes = out
    return found


def statement_challenge(action: str, nonce: str, label: str = "",
                        enroll: bool = False,
                        context: Optional[Context] = None) -> str:
    """The challenge of a statement of genkan's own."""
    core = core_of(context)
    _, text = core.call(_genkan.gk_webauthn_challenge,
                        _genkan.GENKAN_CEREMONY_ENROLL if enroll else
                        _genkan.GENKAN_CEREMONY_PRESENCE, label, action,
                        nonce)
    out: str = text
    return out
