"""Touches, made with python cryptography; ECDSA with its own nonce, so that each run makes the same signature."""

import base64
import hashlib
import hmac
import json

from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from foreign import CRYPTOGRAPHY, flipped, frame, seeded
from verify_touch import challenge_of, touch_fits

ORIGIN, RP_ID = "https://keyferry.example.com", "keyferry.example.com"
ROOT_KEY = seeded("touch root key", 32)
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
STATEMENTS = [
    ("plain", '{"act":"approve","person":"sam"}'),
    ("empty", ""),
    ("beyond ASCII", '{"act":"grantBundle","machine":"größe \U0001f511"}'),
    ("two leaves' text in one", "a" * 300),
]
PRESENT, VERIFIED, MAY_SYNC, SYNCED, HAS_KEY, EXTENDED = 1, 4, 8, 16, 64, 128


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def nonce_of(name: str) -> bytes:
    return (1_800_000_000_000).to_bytes(8, "big") + seeded(f"touch nonce {name}", 24)


def token(nonce: bytes, statement: bytes) -> str:
    key = HKDF(algorithm=SHA256(), length=32, salt=None, info=frame("keyferry touch token key v1")).derive(ROOT_KEY)
    proof = hmac.new(key, frame("keyferry touch token v1", nonce, statement), hashlib.sha256).digest()
    return f"{base64url(nonce)}.{base64url(proof)}"


def number(value: int) -> bytes:
    return head(0, value) if value >= 0 else head(1, -1 - value)


def head(major: int, size: int) -> bytes:
    if size < 24:
        return bytes([major << 5 | size])
    return bytes([major << 5 | 24, size]) if size < 256 else bytes([major << 5 | 25]) + size.to_bytes(2, "big")


def cose(*members) -> bytes:
    parts = [number(label) + (number(v) if isinstance(v, int) else head(2, len(v)) + v) for label, v in members]
    return head(5, len(members)) + b"".join(parts)


def prime(label: str) -> int:
    """The first probable prime of 1,024 bits after a seeded number, with 3 modulo 65,537 avoided."""
    candidate = int.from_bytes(seeded(label, 128), "big") | (3 << 1022) | 1
    while candidate % 65_537 == 1 or any(pow(base, candidate - 1, candidate) != 1 for base in (2, 3, 5, 7, 11)):
        candidate += 2
    return candidate


class Ed:
    def __init__(self, name: str):
        self.key = ed25519.Ed25519PrivateKey.from_private_bytes(seeded(f"touch key {name}", 32))
        public = self.key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.cose = cose((1, 1), (3, -8), (-1, 6), (-2, public))

    def sign(self, message: bytes) -> bytes:
        return self.key.sign(message)


class P256:
    def __init__(self, name: str):
        self.secret = int.from_bytes(seeded(f"touch key {name}", 32), "big") % ORDER
        self.numbers = ec.derive_private_key(self.secret, ec.SECP256R1()).public_key().public_numbers()
        x, y = (part.to_bytes(32, "big") for part in (self.numbers.x, self.numbers.y))
        self.cose = cose((1, 2), (3, -7), (-1, 1), (-2, x), (-3, y))

    def sign(self, message: bytes) -> bytes:
        digest = hashlib.sha256(message).digest()
        once = int.from_bytes(hashlib.sha512(seeded("once", 32) + digest).digest(), "big") % ORDER
        r = ec.derive_private_key(once, ec.SECP256R1()).public_key().public_numbers().x % ORDER
        s = pow(once, -1, ORDER) * (int.from_bytes(digest, "big") + r * self.secret) % ORDER
        return utils.encode_dss_signature(r, s)


class Rsa:
    def __init__(self, name: str):
        p, q, e = prime(f"touch key {name} p"), prime(f"touch key {name} q"), 65_537
        d = pow(e, -1, (p - 1) * (q - 1))
        public = rsa.RSAPublicNumbers(e, p * q)
        parts = rsa.rsa_crt_dmp1(d, p), rsa.rsa_crt_dmq1(d, q), rsa.rsa_crt_iqmp(p, q)
        self.key = rsa.RSAPrivateNumbers(p, q, d, *parts, public).private_key()
        self.cose = cose((1, 3), (3, -257), (-1, (p * q).to_bytes(256, "big")), (-2, b"\x01\x00\x01"))

    def sign(self, message: bytes) -> bytes:
        return self.key.sign(message, padding.PKCS1v15(), SHA256())


def client_data(challenge: bytes, **changed) -> bytes:
    data = {"type": "webauthn.get", "challenge": base64url(challenge), "origin": ORIGIN, "crossOrigin": False} | changed
    return json.dumps({k: v for k, v in data.items() if v is not None}, separators=(",", ":")).encode()


def authenticator_data(flags: int, counter: int = 7, rp_id: str = RP_ID) -> bytes:
    return hashlib.sha256(rp_id.encode()).digest() + bytes([flags]) + counter.to_bytes(4, "big")


def touch(key, data: bytes, authenticator: bytes) -> dict:
    signature = key.sign(authenticator + hashlib.sha256(data).digest())
    return {"clientData": data.hex(), "authenticatorData": authenticator.hex(), "signature": signature.hex()}


def case(name: str, key, flags: int = PRESENT | VERIFIED, counter: int = 7, data=None, extra: bytes = b"", rp_id: str = RP_ID, **more):
    authenticator = authenticator_data(flags, counter, rp_id) + extra
    expected = {"isSynced": False, "counter": 6, "publicKey": key.cose.hex()}
    return {"name": name, **expected, **touch(key, data or client_data(CHALLENGE), authenticator), **more}


NONCE, STATEMENT = nonce_of("signed"), STATEMENTS[0][1].encode()
CHALLENGE = challenge_of(NONCE, STATEMENT)


def touches() -> dict:
    keys = {"EdDSA": Ed("a"), "ES256": P256("a"), "RS256": Rsa("a")}
    valid = list(valid_touches(keys))
    for each in valid:
        assert touch_fits(receipt_form(each), ORIGIN, RP_ID), each["name"]
    return {
        "madeBy": CRYPTOGRAPHY,
        "rootKey": ROOT_KEY.hex(),
        "challenges": [challenge_case(name, text.encode()) for name, text in STATEMENTS],
        "expected": {"challenge": CHALLENGE.hex(), "origin": ORIGIN, "rpId": RP_ID},
        "fingerprints": [{"publicKey": key.cose.hex(), "fingerprint": fingerprint(key.cose)} for key in keys.values()],
        "valid": valid,
        "invalid": list(invalid_touches(keys["ES256"])),
        "malformedKeys": list(malformed_keys(keys)),
    }


def receipt_form(made: dict) -> dict:
    parts = {"nonce": NONCE, "statement": STATEMENT} | {
        name: bytes.fromhex(made[field])
        for name, field in [("client_data", "clientData"), ("authenticator_data", "authenticatorData"), ("signature", "signature"), ("public_key", "publicKey")]
    }
    return {name: base64.b64encode(data).decode() for name, data in parts.items()}


def challenge_case(name: str, statement: bytes) -> dict:
    nonce, body = nonce_of(name), f"body {name}".encode()
    return {
        "name": name,
        "nonce": nonce.hex(),
        "statement": statement.hex(),
        "token": token(nonce, statement),
        "challenge": challenge_of(nonce, statement).hex(),
        "body": body.hex(),
        "bodyDigest": hashlib.sha256(frame(nonce, body)).hexdigest(),
    }


def fingerprint(public_key: bytes) -> str:
    alphabet, letters = "BCDFGHJKLMNPQRSTVWXZ", ""
    value = int.from_bytes(hashlib.sha256(frame("keyferry approval key v1", public_key)).digest(), "big")
    for _ in range(20):
        value, digit = divmod(value, 20)
        letters = alphabet[digit] + letters
    return "-".join(letters[at : at + 4] for at in range(0, 20, 4))


def valid_touches(keys: dict):
    for name, key in keys.items():
        yield case(name, key)
    key = keys["ES256"]
    yield case("synced key", key, PRESENT | VERIFIED | MAY_SYNC | SYNCED, isSynced=True)
    yield case("key that can be synced and is not", key, PRESENT | VERIFIED | MAY_SYNC, isSynced=True)
    yield case("key without a counter", key, counter=0) | {"counter": 0}
    yield case("without crossOrigin", key, data=client_data(CHALLENGE, crossOrigin=None))
    yield case("with extensions", key, PRESENT | VERIFIED | EXTENDED, extra=b"\xa0")


def invalid_touches(key):
    def told(name: str, why: str, *args, **more):
        return case(name, key, *args, **more) | {"why": why}

    both = PRESENT | VERIFIED
    yield told("another challenge", "signed for another act", data=client_data(challenge_of(NONCE, b"{}")))
    yield told("another port", "origin", data=client_data(CHALLENGE, origin=ORIGIN + ":8443"))
    yield told("a subdomain", "origin", data=client_data(CHALLENGE, origin="https://a.keyferry.example.com"))
    yield told("http", "origin", data=client_data(CHALLENGE, origin="http://keyferry.example.com"))
    yield told("made, not used", "type", data=client_data(CHALLENGE, type="webauthn.create"))
    yield told("payment", "type", data=client_data(CHALLENGE, type="payment.get"))
    yield told("in a frame without a top origin", "crossOrigin", data=client_data(CHALLENGE, crossOrigin=True))
    yield told("in a frame with a top origin", "topOrigin", data=client_data(CHALLENGE, crossOrigin=True, topOrigin=ORIGIN))
    yield told("top origin alone", "topOrigin", data=client_data(CHALLENGE, topOrigin=ORIGIN))
    yield told("crossOrigin as text", "crossOrigin", data=client_data(CHALLENGE, crossOrigin="false"))
    yield told("client data is a list", "no object", data=b"[]")
    yield told("client data is not JSON", "no JSON", data=client_data(CHALLENGE) + b"}")
    yield told("client data is not UTF-8", "a lone byte", data=client_data(CHALLENGE)[:-1] + b',"x":"\xff"}')
    yield told("another host name", "rp id", rp_id="example.com")
    yield told("not present", "UP", VERIFIED)
    yield told("not verified", "UV", PRESENT)
    yield told("became synced", "BE", both | MAY_SYNC)
    yield told("became bound", "BE", both) | {"isSynced": True}
    yield told("synced and cannot be", "BS without BE", both | SYNCED)
    yield told("counter stands still", "counter", counter=6)
    yield told("counter goes back", "counter", counter=5)
    yield told("counter is gone", "counter", counter=0)
    yield told("holds a new key", "AT", both | HAS_KEY)
    yield told("extensions without their flag", "ED", extra=b"\xa0")
    yield told("extension flag without extensions", "ED", both | EXTENDED)
    yield told("another key's signature", "signature") | {"publicKey": P256("b").cose.hex()}
    good = case("", key)
    for part in ("clientData", "authenticatorData", "signature"):
        changed = flipped(bytes.fromhex(good[part]), 3).hex()
        yield good | {"name": f"{part} changed", part: changed, "why": "one bit is flipped"}
        yield good | {"name": f"{part} is empty", part: "", "why": "empty"}


def malformed_keys(keys: dict):
    ed, ec2 = keys["EdDSA"].cose, keys["ES256"].cose
    x, y = ec2[10:42], ec2[45:]
    yield {"name": "empty", "publicKey": "", "why": "no bytes"}
    yield {"name": "cut", "publicKey": ec2[:-1].hex(), "why": "a byte is missing"}
    yield {"name": "a byte behind", "publicKey": (ec2 + b"\0").hex(), "why": "a byte too many"}
    yield {"name": "another key type", "publicKey": cose((1, 3), (3, -7), (-1, 1), (-2, x), (-3, y)).hex(), "why": "kty"}
    yield {"name": "another algorithm", "publicKey": cose((1, 2), (3, -35), (-1, 1), (-2, x), (-3, y)).hex(), "why": "alg"}
    yield {"name": "another curve", "publicKey": cose((1, 2), (3, -7), (-1, 8), (-2, x), (-3, y)).hex(), "why": "crv"}
    yield {"name": "no type", "publicKey": cose((3, -7), (-1, 1), (-2, x), (-3, y)).hex(), "why": "kty is missing"}
    yield {"name": "a member more", "publicKey": cose((1, 2), (3, -7), (-1, 1), (-2, x), (-3, y), (4, 2)).hex(), "why": "key_ops"}
    yield {"name": "a member twice", "publicKey": cose((1, 2), (3, -7), (-1, 1), (-2, x), (-2, x)).hex(), "why": "x twice"}
    yield {"name": "not on the curve", "publicKey": cose((1, 2), (3, -7), (-1, 1), (-2, x), (-3, x)).hex(), "why": "no point"}
    yield {"name": "a long number", "publicKey": (ed[:1] + b"\x18\x01" + ed[2:]).hex(), "why": "1 in two bytes"}
    yield {"name": "short RSA", "publicKey": cose((1, 3), (3, -257), (-1, b"\xc1" * 128), (-2, b"\1\0\1")).hex(), "why": "1,024 bits"}
