"""ECDSA verification over P-256, by the book and slow, so that what the
programs sign is judged by something else than their own library."""
import hashlib

P = 2 ** 256 - 2 ** 224 + 2 ** 192 + 2 ** 96 - 1
N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551
B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b
G = (0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296,
     0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5)


def add(a, b):
    if a is None or b is None:
        return a or b
    if a[0] == b[0]:
        if (a[1] + b[1]) % P == 0:
            return None
        m = (3 * a[0] * a[0] - 3) * pow(2 * a[1], -1, P)
    else:
        m = (b[1] - a[1]) * pow(b[0] - a[0], -1, P)
    x = (m * m - a[0] - b[0]) % P
    return x, (m * (a[0] - x) - a[1]) % P


def mul(k, a):
    r = None
    while k:
        if k & 1:
            r = add(r, a)
        a = add(a, a)
        k >>= 1
    return r


def public(scalar):
    """04, X, Y of a scalar's bytes."""
    x, y = mul(int.from_bytes(scalar, "big"), G)
    return b"\4" + x.to_bytes(32, "big") + y.to_bytes(32, "big")


def verifies(pub, message, sig):
    q = tuple(int.from_bytes(pub[i:i + 32], "big") for i in (1, 33))
    r, s = (int.from_bytes(sig[i:i + 32], "big") for i in (0, 32))
    if len(pub) != 65 or pub[0] != 4 or len(sig) != 64 or \
            (q[1] ** 2 - q[0] ** 3 + 3 * q[0] - B) % P or \
            not (0 < r < N and 0 < s < N):
        return False
    z = int.from_bytes(hashlib.sha256(message).digest(), "big")
    w = pow(s, -1, N)
    point = add(mul(z * w % N, G), mul(r * w % N, q))
    return point is not None and point[0] % N == r
