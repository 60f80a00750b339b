"""The relying party, against a ceremony that Chromium recorded."""
import json

import pytest
from genkan import errors, webauthn

ORIGIN = "chrome-extension://iamokonadojkdahbakmadaljenafghfg"
MADE = "6gMWLVz3Y4j3mH1ZY6DLZW4KfyVvEGQG9NiU03Q9q0M"
USED = "CnZlVu47uyJjmhqTZsUZ9BjfONGu4THSawDijMrgY-0"
OBJECT = bytes.fromhex(
    "a363666d74646e6f6e656761747453746d74a068617574684461746158a42668"
    "2712068e0ce8a1db4dc9e04fc7a37b4571b2dc06e918bbab29bfc0f5ec9b4500"
    "0000010102030405060708010203040506070800202ae79e304489c8fa20a939"
    "81dc63bd055e86959a54457ab4234acd5f3bc84845a5010203262001215820d7"
    "5d0cf3988d7945423010c21246a806d04b7deffb05d096550c16cd8364d95622"
    "58205a586fab00c23dbbe13bb7a2afdaf4fbc1764d53a0fd106b87a4c9bd16bf"
    "1785")
DATA = bytes.fromhex(
    "26682712068e0ce8a1db4dc9e04fc7a37b4571b2dc06e918bbab29bfc0f5ec9b"
    "0500000002")
SIGNATURE = bytes.fromhex(
    "304402207202d88fd72aebe76225c5f64f5d87559ef5fa2c3d82375896fdebab"
    "af8aaf5602200a57d094f048d937c631cbf1a68bd5fd5361428aa585dfdbba46"
    "ca948f9fa4d5")


def client(kind, challenge, origin=ORIGIN):
    return json.dumps({"type": kind, "challenge": challenge, "origin": origin,
                       "crossOrigin": False},
                      separators=(",", ":")).encode()


@pytest.fixture
def rp():
    return webauthn.RelyingParty(ORIGIN, ORIGIN)


def test_a_ceremony_is_accepted_once(rp):
    cred = rp.register(MADE, OBJECT, client("webauthn.create", MADE))
    assert cred.sign_count == 1 and len(cred.id) == 32
    assert cred.public_key[0] == 4 and len(cred.public_key) == 65
    args = (USED, cred, DATA, client("webauthn.get", USED), SIGNATURE)
    assert rp.check(*args) == 2 and cred.sign_count == 1
    assert rp.verify(*args) == 2 and cred.sign_count == 2
    with pytest.raises(webauthn.Refused) as e:
        rp.verify(*args)
    assert e.value.code == "sign_count_not_increased"
    with pytest.raises(errors.OutOfRange):
        cred.counted(2)


def test_a_credential_out_of_a_store_is_the_same(rp):
    cred = rp.register(MADE, OBJECT, client("webauthn.create", MADE))
    again = webauthn.Credential(cred.id, cred.public_key, cred.sign_count,
                                cred.backup_eligible)
    cred.close()
    assert rp.verify(USED, again, DATA, client("webauthn.get", USED),
                     SIGNATURE) == 2
    with pytest.raises(errors.Closed):
        rp.verify(USED, cred, DATA, client("webauthn.get", USED), SIGNATURE)


@pytest.mark.parametrize("code, args", [
    ("origin_mismatch", (MADE, OBJECT, client("webauthn.create", MADE,
                                              "https://example.com"))),
    ("challenge_mismatch", (USED, OBJECT, client("webauthn.create", MADE))),
    ("client_data_type", (MADE, OBJECT, client("webauthn.get", MADE))),
    ("attestation_trailing_bytes", (MADE, OBJECT + b"\0",
                                    client("webauthn.create", MADE))),
])
def test_each_refusal_has_its_name(rp, code, args):
    with pytest.raises(webauthn.Refused) as e:
        rp.register(*args)
    assert e.value.code == code


def test_a_signature_of_somebody_else_is_refused(rp):
    cred = rp.register(MADE, OBJECT, client("webauthn.create", MADE))
    bad = bytearray(SIGNATURE)
    bad[-1] ^= 1
    with pytest.raises(webauthn.Refused) as e:
        rp.verify(USED, cred, DATA, client("webauthn.get", USED), bad)
    assert e.value.code == "signature_invalid"


def test_keys_that_are_no_points_are_errors():
    with pytest.raises(errors.BadEncoding):
        webauthn.Credential(bytes(32), b"\4" + bytes(64))
    with pytest.raises(errors.InvalidArgument):
        webauthn.Credential(bytes(32), b"\4")


def test_the_parts_are_readable():
    data = webauthn.parse_attestation_object(OBJECT)
    parts = webauthn.parse_authenticator_data(data)
    assert (parts.flags, parts.sign_count) == (0x45, 1)
    assert parts.rp_id_hash == DATA[:32] and len(parts.credential_id) == 32
    assert webauthn.parse_authenticator_data(DATA).credential_id is None
    with pytest.raises(webauthn.Refused):
        webauthn.parse_authenticator_data(DATA[:36])


def test_challenges_are_fresh_and_statements_repeat(rp):
    assert len({rp.challenge() for _ in range(50)}) == 50
    one = webauthn.statement_challenge("unkill", "n", "work")
    assert one == webauthn.statement_challenge("unkill", "n", "work")
    assert one != webauthn.statement_challenge("unkill", "n", "work",
                                               enroll=True)
    with pytest.raises(errors.InvalidArgument):
        webauthn.statement_challenge("", "n")
