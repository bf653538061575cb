"""Check a touch offline: the frame, SHA-256 and one of three signature algorithms are all that it needs."""

import base64
import hashlib
import json

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256


def frame(*parts: bytes) -> bytes:
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def challenge_of(nonce: bytes, statement: bytes) -> bytes:
    leaf = hashlib.sha256(frame(b"keyferry touch leaf v1", nonce, statement)).digest()
    return hashlib.sha256(frame(b"keyferry touch v1", leaf)).digest()


def item(data: bytes, at: int) -> tuple:
    """One number or byte string of CBOR, and where the next one begins."""
    major, size = data[at] >> 5, data[at] & 31
    width = {24: 1, 25: 2}.get(size, 0)
    size, at = int.from_bytes(data[at + 1 : at + 1 + width], "big") if width else size, at + 1 + width
    return (data[at : at + size], at + size) if major == 2 else (-1 - size if major else size, at)


def check_signature(cose: bytes, signature: bytes, message: bytes) -> None:
    key, at = {}, 1
    while at < len(cose):
        label, at = item(cose, at)
        key[label], at = item(cose, at)
    if key[3] == -8:
        ed25519.Ed25519PublicKey.from_public_bytes(key[-2]).verify(signature, message)
    elif key[3] == -7:
        numbers = ec.EllipticCurvePublicNumbers(int.from_bytes(key[-2], "big"), int.from_bytes(key[-3], "big"), ec.SECP256R1())
        numbers.public_key().verify(signature, message, ec.ECDSA(SHA256()))
    else:
        numbers = rsa.RSAPublicNumbers(int.from_bytes(key[-2], "big"), int.from_bytes(key[-1], "big"))
        numbers.public_key().verify(signature, message, padding.PKCS1v15(), SHA256())


def touch_fits(touch: dict, origin: str, rp_id: str) -> bool:
    """`touch`: as in a receipt, each part base64."""
    part = {name: base64.b64decode(text) for name, text in touch.items()}
    data, authenticator = json.loads(part["client_data"]), part["authenticator_data"]
    challenge = base64.urlsafe_b64encode(challenge_of(part["nonce"], part["statement"])).decode().rstrip("=")
    try:
        check_signature(part["public_key"], part["signature"], authenticator + hashlib.sha256(part["client_data"]).digest())
    except InvalidSignature:
        return False
    named = (data["type"], data["challenge"], data["origin"]) == ("webauthn.get", challenge, origin)
    own = not data.get("crossOrigin", False) and "topOrigin" not in data
    return named and own and authenticator[:32] == hashlib.sha256(rp_id.encode()).digest() and authenticator[32] & 5 == 5
