"""Sealed boxes and public keys, made with libsodium."""

import base64
import ctypes

from nacl import bindings

from foreign import LIBSODIUM, SODIUM, flipped, seeded

P = 2**255 - 19
ORDER_8 = [
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
]
LOW_ORDER = [
    ("zero", (0).to_bytes(32, "little")),
    ("one", (1).to_bytes(32, "little")),
    ("first point of order 8", bytes.fromhex(ORDER_8[0])),
    ("second point of order 8", bytes.fromhex(ORDER_8[1])),
    ("p - 1", (P - 1).to_bytes(32, "little")),
    ("p, a second spelling of zero", P.to_bytes(32, "little")),
    ("p + 1, a second spelling of one", (P + 1).to_bytes(32, "little")),
]


def public_of(secret: bytes) -> bytes:
    return bindings.crypto_scalarmult_base(secret)


def sealed(plaintext: bytes, public: bytes, ephemeral: bytes) -> bytes:
    """crypto_box_seal with a chosen ephemeral key, so that the box is the same in every run."""
    ephemeral_public = public_of(ephemeral)
    nonce = bindings.crypto_generichash_blake2b_salt_personal(ephemeral_public + public, digest_size=24)
    return ephemeral_public + bindings.crypto_box(plaintext, nonce, public, ephemeral)


def hsalsa20(key: bytes) -> bytes:
    out = ctypes.create_string_buffer(32)
    SODIUM.crypto_core_hsalsa20(out, bytes(16), key, None)
    return out.raw


def sealed_without_secret(plaintext: bytes, public: bytes, ephemeral_public: bytes) -> bytes:
    """What anyone can make for a low-order ephemeral key: the shared secret is all zero."""
    nonce = bindings.crypto_generichash_blake2b_salt_personal(ephemeral_public + public, digest_size=24)
    return ephemeral_public + bindings.crypto_secretbox(plaintext, nonce, hsalsa20(bytes(32)))


def sealed_boxes() -> dict:
    secret = seeded("recipient", 32)
    public = public_of(secret)
    other_public = public_of(seeded("other recipient", 32))
    return {
        "madeBy": LIBSODIUM,
        "recipient": {"secretKey": secret.hex(), "publicKey": public.hex()},
        "valid": [valid_box(name, text, secret, public) for name, text in box_plaintexts()],
        "invalid": invalid_boxes(secret, public, other_public),
    }


def box_plaintexts():
    yield "empty", b""
    for size in (1, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000, 4096):
        yield f"{size} bytes", seeded(f"plaintext of {size}", size)
    yield "a JSON map of names and values", '{"DATABASE_URL":"postgres://ü:p\'w$@db/x","EMPTY":""}'.encode()


def valid_box(name: str, plaintext: bytes, secret: bytes, public: bytes) -> dict:
    box = sealed(plaintext, public, seeded(f"ephemeral for {name}", 32))
    assert bindings.crypto_box_seal_open(box, public, secret) == plaintext
    return {"name": name, "sealedBox": box.hex(), "plaintext": plaintext.hex()}


def invalid_boxes(secret: bytes, public: bytes, other_public: bytes) -> list:
    text = b"the same text in every refused box"
    ephemeral = seeded("ephemeral for the refused", 32)
    box = sealed(text, public, ephemeral)
    cases = [
        ("empty", b"", "shorter than 48 bytes"),
        ("one byte short of the least", sealed(b"", public, ephemeral)[:47], "shorter than 48 bytes"),
        ("ephemeral key changed", flipped(box, 3), "one bit of the ephemeral key is flipped"),
        ("tag changed", flipped(box, 32), "first bit of the tag is flipped"),
        ("tag's end changed", flipped(box, 47, 7), "last bit of the tag is flipped"),
        ("ciphertext changed", flipped(box, 48), "one bit of the ciphertext is flipped"),
        ("last byte changed", flipped(box, len(box) - 1, 7), "last bit of the ciphertext is flipped"),
        ("last byte missing", box[:-1], "the ciphertext is a byte shorter"),
        ("one byte more", box + b"\0", "the ciphertext is a byte longer"),
        ("another's", sealed(text, other_public, ephemeral), "sealed to another public key"),
        ("keys in the wrong order", wrong_nonce(text, public, ephemeral), "nonce from recipient ‖ ephemeral"),
        ("not by HSalsa20", without_hsalsa(text, public, ephemeral), "the shared secret itself used as the key"),
    ]
    for name, point in LOW_ORDER:
        for spelled, encoding in ((name, point), (f"{name}, top bit set", flipped(point, 31, 7))):
            forged = sealed_without_secret(text, public, encoding)
            cases.append((f"ephemeral key {spelled}", forged, "low-order ephemeral key, otherwise right"))
    return [refused_box(name, box, why, secret, public) for name, box, why in cases]


def refused_box(name: str, box: bytes, why: str, secret: bytes, public: bytes) -> dict:
    try:
        bindings.crypto_box_seal_open(box, public, secret)
    except Exception:
        return {"name": name, "sealedBox": box.hex(), "why": why, "code": "bad_sealed_box"}
    raise AssertionError(f"libsodium opens: {name}")


def wrong_nonce(text: bytes, public: bytes, ephemeral: bytes) -> bytes:
    ephemeral_public = public_of(ephemeral)
    nonce = bindings.crypto_generichash_blake2b_salt_personal(public + ephemeral_public, digest_size=24)
    return ephemeral_public + bindings.crypto_box(text, nonce, public, ephemeral)


def without_hsalsa(text: bytes, public: bytes, ephemeral: bytes) -> bytes:
    ephemeral_public = public_of(ephemeral)
    nonce = bindings.crypto_generichash_blake2b_salt_personal(ephemeral_public + public, digest_size=24)
    shared = bindings.crypto_scalarmult(ephemeral, public)
    return ephemeral_public + bindings.crypto_secretbox(text, nonce, shared)


def public_keys() -> dict:
    return {"madeBy": LIBSODIUM, "valid": accepted_keys(), "invalid": refused_texts() + refused_points()}


def key_with_both_specials() -> bytes:
    """A key whose base64 has both characters in which the two alphabets differ."""
    candidates = (public_of(seeded(f"public key {i}", 32)) for i in range(10_000))
    return next(key for key in candidates if {"+", "/"} <= set(base64.b64encode(key).decode()))


def accepted_keys() -> list:
    key = key_with_both_specials()
    standard, url = base64.b64encode(key).decode(), base64.urlsafe_b64encode(key).decode()
    spellings = {
        "standard, padded": standard,
        "standard, unpadded": standard.rstrip("="),
        "url-safe, padded": url,
        "url-safe, unpadded": url.rstrip("="),
    }
    top = flipped(key, 31, 7)
    spellings_of_top = {"top bit set, which X25519 ignores": base64.b64encode(top).decode()}
    return [{"name": name, "text": text, "publicKey": key.hex()} for name, text in spellings.items()] + [
        {"name": name, "text": text, "publicKey": top.hex()} for name, text in spellings_of_top.items()
    ]


def refused_texts() -> list:
    key = key_with_both_specials()
    good = base64.b64encode(key).decode()
    spare = good[:-2] + chr(ord(good[-2]) + 1) + "="
    cases = [
        ("empty", "", "no bytes at all"),
        ("31 bytes", base64.b64encode(key[:31]).decode(), "a byte short"),
        ("33 bytes", base64.b64encode(key + b"\x01").decode(), "a byte too many"),
        ("hexadecimal", key.hex(), "48 bytes when read as base64"),
        ("both alphabets", good.replace("+", "-", 1), "one + written as -, the / kept"),
        ("blank in front", " " + good, "a blank"),
        ("line end behind", good + "\n", "a line end"),
        ("padding inside", good[:20] + "=" + good[20:-1], "padding that is not at the end"),
        ("too much padding", good + "=", "two padding characters where one belongs"),
        ("spare bits set", spare, "bits that stand for nothing are set"),
        ("letter from elsewhere", "é" + good[1:], "a letter of neither alphabet"),
    ]
    return [{"name": n, "text": t, "why": why, "code": "bad_public_key"} for n, t, why in cases]


def refused_points() -> list:
    cases = []
    for name, point in LOW_ORDER:
        for spelled, encoding in ((name, point), (f"{name}, top bit set", flipped(point, 31, 7))):
            require_refused_by_libsodium(encoding)
            text = base64.b64encode(encoding).decode()
            cases.append({"name": spelled, "text": text, "why": "low-order point", "code": "bad_public_key"})
    return cases


def require_refused_by_libsodium(point: bytes) -> None:
    try:
        bindings.crypto_scalarmult(seeded("any secret key", 32), point)
    except Exception:
        return
    raise AssertionError(f"libsodium accepts {point.hex()}")
