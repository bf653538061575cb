"""User codes, poll challenges and machine tokens, made with hashlib and zlib; password hashes, made with libsodium."""

import base64
import hashlib
import unicodedata
import zlib

from nacl import pwhash

from foreign import LIBSODIUM, STDLIB, frame, seeded


def user_codes() -> dict:
    cases = [(f"request {i}", seeded(f"request id {i}", 16).hex(), seeded(f"public key {i}", 32)) for i in range(20)]
    cases += [("empty request id", "", bytes(32)), ("request id beyond ASCII", "größe", bytes(range(32)))]
    made = [{"name": n, "requestId": r, "publicKey": k.hex(), "userCode": user_code(r, k)} for n, r, k in cases]
    return {"madeBy": STDLIB, "valid": made}


def user_code(request_id: str, public_key: bytes) -> str:
    alphabet = "BCDFGHJKLMNPQRSTVWXZ"
    digest = hashlib.sha256(frame("keyferry user code v1", request_id, public_key)).digest()
    number, letters = int.from_bytes(digest, "big") % 20**8, ""
    for _ in range(8):
        number, digit = divmod(number, 20)
        letters = alphabet[digit] + letters
    return f"{letters[:4]}-{letters[4:]}"


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def poll_challenges() -> dict:
    verifiers = [seeded(f"verifier {i}", 32) for i in range(5)] + [bytes(32), b"\xff" * 32]
    good = base64url(verifiers[0])
    spare = good[:-1] + chr(ord(good[-1]) + 1)
    refused = [
        ("empty", "", "no bytes at all"),
        ("31 bytes", base64url(verifiers[0][:31]), "a byte short"),
        ("33 bytes", base64url(verifiers[0] + b"\0"), "a byte too many"),
        ("padded", good + "=", "padding"),
        ("standard alphabet", base64.b64encode(b"\xff" * 32).decode().rstrip("="), "the other alphabet"),
        ("spare bits set", spare, "bits that stand for nothing are set"),
        ("line end behind", good + "\n", "a line end"),
        ("hexadecimal", verifiers[0].hex(), "64 digits"),
    ]
    return {
        "madeBy": STDLIB,
        "valid": [{"verifier": base64url(v), "challenge": base64url(hashlib.sha256(v).digest())} for v in verifiers],
        "hashOfText": {"verifier": good, "challenge": base64url(hashlib.sha256(good.encode()).digest())},
        "malformed": [{"name": n, "text": t, "why": why} for n, t, why in refused],
    }


def base62(number: int, length: int) -> str:
    alphabet, digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", ""
    while len(digits) < length:
        number, digit = divmod(number, 62)
        digits = alphabet[digit] + digits
    assert number == 0
    return digits


def machine_token(secret: bytes, checked_from: int = 0) -> str:
    text = "kfm_" + base62(int.from_bytes(secret, "big"), 43)
    return text + base62(zlib.crc32(text[checked_from:].encode()), 6)


def machine_tokens() -> dict:
    secrets = [seeded(f"machine token {i}", 32) for i in range(6)] + [bytes(32), b"\xff" * 32]
    good = machine_token(secrets[0])
    malformed = [
        ("empty", "", "no text"),
        ("checksum without the prefix", machine_token(secrets[0], 4), "the CRC covers the prefix"),
        ("a digit changed", good[:10] + ("a" if good[10] != "a" else "b") + good[11:], "the CRC differs"),
        ("the checksum changed", good[:-1] + ("a" if good[-1] != "a" else "b"), "the CRC differs"),
        ("a digit short", good[:-1], "52 characters"),
        ("a digit too many", good + "0", "54 characters"),
        ("another prefix", "kfx_" + good[4:], "another kind"),
        ("upper-case prefix", "KFM_" + good[4:], "another spelling"),
        ("line end behind", good + "\n", "a line end"),
        ("blank in front", " " + good, "a blank"),
        ("a character of base64", good[:20] + "-" + good[21:], "not base 62"),
    ]
    return {
        "madeBy": STDLIB,
        "valid": [{"secret": s.hex(), "token": machine_token(s)} for s in secrets],
        "malformed": [{"name": n, "text": t, "why": why} for n, t, why in malformed],
    }


def passwords() -> dict:
    cases = [("ASCII", "correct horse battery staple"), ("empty", ""), ("composed", "Zo\u00eb \u212b"), ("long", "p" * 300)]
    valid = [{"name": name, "password": text, "hash": password_hash(text, name)} for name, text in cases]
    good = valid[0]["hash"]
    tag = good.rsplit("$", 1)[1]
    malformed = [
        ("empty", "", "no hash"),
        ("argon2i", good.replace("argon2id", "argon2i"), "another algorithm"),
        ("another version", good.replace("v=19", "v=16"), "another version"),
        ("too costly in memory", good.replace("m=19456", "m=9999999"), "9 GiB"),
        ("too costly in passes", good.replace("t=2", "t=99"), "99 passes"),
        ("no pass at all", good.replace("t=2", "t=0"), "0 passes"),
        ("tag cut", good[:-1], "the tag lacks a character"),
        ("spare bits set", good[:-1] + "B", "bits that stand for nothing are set"),
        ("no salt", good.replace(good.split("$")[4], ""), "the salt is empty"),
        ("line end behind", good + "\n", "a line end"),
        ("bcrypt", "$2b$10$" + "a" * 53, "another scheme"),
    ]
    return {
        "madeBy": LIBSODIUM,
        "valid": valid,
        "normalised": {"password": "Zoe\u0308 A\u030a", "hash": valid[2]["hash"]},
        "invalid": [
            {"name": "another password", "password": "correct horse battery stapl", "hash": good, "why": "a letter short"},
            {"name": "tag changed", "password": cases[0][1], "hash": good[: -len(tag)] + changed_first(tag), "why": "one letter of the tag"},
        ],
        "malformed": [{"name": n, "hash": h, "why": why, "code": "bad_password_hash"} for n, h, why in malformed],
    }


def changed_first(text: str) -> str:
    return ("A" if text[0] != "A" else "B") + text[1:]


def password_hash(password: str, name: str) -> str:
    message = unicodedata.normalize("NFKC", password).encode()
    salt = seeded(f"salt for {name}", 16)
    tag = pwhash.argon2id.kdf(32, message, salt, opslimit=2, memlimit=19_456 * 1024)
    text = "$argon2id$v=19$m=19456,t=2,p=1$" + "$".join(base64.b64encode(b).decode().rstrip("=") for b in (salt, tag))
    assert pwhash.verify(text.encode(), message)
    return text
