"""A software authenticator: P-256 with the integers of Python, authenticator
data, attestation objects of format none, client data.  Slow and unguarded: for
tests alone."""
import base64
import hashlib
import os

ORIGIN = "chrome-extension://fmkoengpgchbmogeaifdcdfpnnpgmcfl"

# SP 800-186, 3.2.1.3.
P = 2**256 - 2**224 + 2**192 + 2**96 - 1
N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551
G = (0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296,
     0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5)


def _add(a, b):
    if a is None or b is None:
        return a or b
    if a[0] == b[0]:
        if (a[1] + b[1]) % P == 0:
            return None
        slope = (3 * a[0] * a[0] - 3) * pow(2 * a[1], -1, P)
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, P)
    x = (slope * slope - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P


def _mul(k, point):
    total = None
    while k:
        if k & 1:
            total = _add(total, point)
        point = _add(point, point)
        k >>= 1
    return total


def b64u(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def unb64u(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def challenge(domain, label, action, nonce):
    """Section 7.1, by hand."""
    statement = b"\0".join(x.encode() for x in (domain, label, action, nonce))
    return b64u(hashlib.sha256(statement).digest())


def _der(number):
    raw = number.to_bytes(33, "big").lstrip(b"\0")
    if raw[0] & 0x80:
        raw = b"\0" + raw
    return b"\x02" + bytes([len(raw)]) + raw


class Key:
    """One credential.  .count is that of the last answer."""

    def __init__(self, idlen=32, count=0):
        self.id = os.urandom(idlen)
        self.secret = 1 + int.from_bytes(os.urandom(40), "big") % (N - 1)
        x, y = _mul(self.secret, G)
        self.x, self.y = x.to_bytes(32, "big"), y.to_bytes(32, "big")
        self.count = count

    @property
    def hash(self):
        return "webauthn:" + hashlib.sha256(self.id).hexdigest()

    def enrollment(self, label):
        """As it lies in the trust record."""
        return {"label": label, "credential": {
            "id": b64u(self.id), "public_key": b64u(b"\4" + self.x + self.y),
            "sign_count": self.count, "backup_eligible": False}}

    def data(self, flags, rp=ORIGIN):
        out = hashlib.sha256(rp.encode()).digest() + bytes([flags]) + \
            self.count.to_bytes(4, "big")
        if flags & 0x40:
            out += bytes(16) + len(self.id).to_bytes(2, "big") + self.id + \
                bytes.fromhex("a5010203262001215820") + self.x + \
                bytes.fromhex("225820") + self.y
        return out

    def sign(self, message):
        z = int.from_bytes(hashlib.sha256(message).digest(), "big")
        k = 1 + int.from_bytes(os.urandom(40), "big") % (N - 1)
        r = _mul(k, G)[0] % N
        s = pow(k, -1, N) * (z + r * self.secret) % N
        body = _der(r) + _der(s)
        return b"\x30" + bytes([len(body)]) + body

    def create(self, options, origin=ORIGIN, rp=ORIGIN, more=""):
        """enroll_finish for enroll_options."""
        self.count += 1
        data = self.data(0x45, rp)
        obj = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData"
        obj += (b"\x58" + len(data).to_bytes(1, "big") if len(data) < 256
                else b"\x59" + len(data).to_bytes(2, "big")) + data
        return {"type": "enroll_finish", "attestation_object": b64u(obj),
                "client_data_json": b64u(client_data(
                    "webauthn.create", options["challenge"], origin, more))}

    def get(self, request, origin=ORIGIN, rp=ORIGIN, flags=0x05, more=""):
        """presence_assert for presence_request."""
        self.count += 1
        data = self.data(flags, rp)
        cd = client_data("webauthn.get", request["challenge"], origin, more)
        return {"type": "presence_assert", "credential_id": b64u(self.id),
                "authenticator_data": b64u(data), "client_data_json": b64u(cd),
                "signature": b64u(self.sign(
                    data + hashlib.sha256(cd).digest()))}


def client_data(kind, text, origin, more=""):
    return (f'{{"type":"{kind}","challenge":"{text}","origin":"{origin}",'
            f'"crossOrigin":false{more}}}').encode()
