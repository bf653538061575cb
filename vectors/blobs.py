"""Stored values and wrapped tenant keys, made with python cryptography."""

import base64
import hashlib

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from foreign import CRYPTOGRAPHY, flipped, frame, seeded

PREAMBLE = b"KF\x01\x01"
CONTEXT = {
    "tenantId": "5a0c1f0e-4f0b-4d53-9d0e-0c6e6a3f5b11",
    "table": "keys",
    "rowId": "e2b7a1f4-9f3d-4a52-8a43-1d9a6f1f7c20",
    "column": "value",
    "version": 1,
    "name": "DATABASE_URL",
    "isSecret": True,
}


def key_id(key: bytes) -> bytes:
    return hashlib.sha256(frame("keyferry key id v1", key)).digest()[:8]


def blob(plaintext: bytes, key: bytes, context: bytes, seed: str, preamble: bytes = PREAMBLE) -> bytes:
    header = preamble + key_id(key)
    subkey = HKDF(algorithm=SHA256(), length=32, salt=None, info=context).derive(key)
    nonce = seeded(f"nonce for {seed}", 12)
    return header + nonce + AESGCM(subkey).encrypt(nonce, plaintext, header + context)


def value_context(context: dict) -> bytes:
    texts = [context[part] for part in ("tenantId", "table", "rowId", "column")]
    mark = "secret" if context["isSecret"] else "public"
    return frame("keyferry value v1", *texts, str(context["version"]), context["name"], mark)


def tenant_key_context(tenant_id: str) -> bytes:
    return frame("keyferry tenant key v1", tenant_id)


def stored_values() -> dict:
    key = seeded("tenant key", 32)
    return {
        "madeBy": CRYPTOGRAPHY,
        "tenantKey": key.hex(),
        "valid": [valid_value(name, text, context, key) for name, text, context in value_cases()],
        "invalid": invalid_values(key),
    }


def value_cases():
    yield "plain text", "postgres://app:s3cret@db/app", CONTEXT
    yield "empty", "", CONTEXT
    yield "quotes, newlines, unicode", "it's \"£5\"\r\n`$HOME` \U0001f511", CONTEXT
    yield "leading byte order mark", "\ufeffvalue", CONTEXT
    yield "1,023 letters", "x" * 1023, CONTEXT | {"version": 2}
    yield "greatest version", "v", CONTEXT | {"version": 2**53 - 1}
    yield "version 0", "v", CONTEXT | {"version": 0}
    yield "names that run together", "v", CONTEXT | {"table": "key", "rowId": "s" + CONTEXT["rowId"]}
    yield "empty names", "v", {"tenantId": "", "table": "", "rowId": "", "column": "", "version": 0, "name": "", "isSecret": False}
    yield "not secret", "v", CONTEXT | {"isSecret": False}
    yield "names beyond ASCII", "v", CONTEXT | {"rowId": "rivière", "column": "値", "name": "naïve"}


def valid_value(name: str, text: str, context: dict, key: bytes) -> dict:
    made = blob(text.encode(), key, value_context(context), f"value: {name}")
    return {"name": name, "context": context, "blob": made.hex(), "plaintext": text}


def invalid_values(key: bytes) -> list:
    good = blob(b"the value", key, value_context(CONTEXT), "refused values")
    other = blob(b"the value", seeded("other tenant key", 32), value_context(CONTEXT), "refused values")
    cases = [
        *[refusal(name, changed, why) for name, changed, why in changed_blobs(good)],
        *[refusal(f"another {n}", good, f"read with another {n}", context=CONTEXT | c) for n, c in other_contexts()],
        refusal("names that run together", good, "same letters, cut elsewhere", context=CONTEXT | {"table": "key", "rowId": "s" + CONTEXT["rowId"]}),
        refusal("another tenant key", other, "made under another key, and says so", code="wrong_key"),
        refusal("another tenant key, relabelled", other[:4] + key_id(key) + other[12:], "made under another key, labelled with this one's id"),
        refusal("a wrapped tenant key", blob(key, key, tenant_key_context(CONTEXT["tenantId"]), "confused"), "made for another purpose"),
        refusal("not text", blob(b"\xff\xfe", key, value_context(CONTEXT), "not text"), "the plaintext is not UTF-8", code="bad_text"),
        refusal("negative version", good, "read with version -1", context=CONTEXT | {"version": -1}, code="bad_context"),
        refusal("version beyond exact numbers", good, "read with version 2^53", context=CONTEXT | {"version": 2**53}, code="bad_context"),
        refusal("broken version", good, "read with version 1.5", context=CONTEXT | {"version": 1.5}, code="bad_context"),
    ]
    return cases


def changed_blobs(good: bytes):
    yield "empty", b"", "shorter than 40 bytes"
    yield "too short", good[:39], "shorter than 40 bytes"
    yield "another magic", other_preamble(b"kf\x01\x01"), "not a blob of ours, otherwise right"
    yield "another format", other_preamble(b"KF\x02\x01"), "a format that is not known, otherwise right"
    yield "another algorithm", other_preamble(b"KF\x01\x02"), "an algorithm that is not known, otherwise right"
    yield "preamble changed", flipped(good, 3), "one bit of the algorithm is flipped"
    yield "nonce changed", flipped(good, 12), "one bit of the nonce is flipped"
    yield "ciphertext changed", flipped(good, 24), "one bit of the ciphertext is flipped"
    yield "tag changed", flipped(good, len(good) - 1), "one bit of the tag is flipped"
    yield "tag cut short", good[:-1], "the tag lacks a byte"
    yield "one byte more", good + b"\0", "a byte follows the tag"
    yield "no associated data", without_associated_data(), "the header and context are not authenticated"


def other_preamble(preamble: bytes) -> bytes:
    return blob(b"the value", seeded("tenant key", 32), value_context(CONTEXT), "other preamble", preamble)


def without_associated_data() -> bytes:
    key, context, nonce = seeded("tenant key", 32), value_context(CONTEXT), seeded("nonce alone", 12)
    subkey = HKDF(algorithm=SHA256(), length=32, salt=None, info=context).derive(key)
    return PREAMBLE + key_id(key) + nonce + AESGCM(subkey).encrypt(nonce, b"the value", None)


def other_contexts():
    yield "tenant", {"tenantId": "00000000-0000-4000-8000-000000000000"}
    yield "table", {"table": "bundle_items"}
    yield "row", {"rowId": "e2b7a1f4-9f3d-4a52-8a43-1d9a6f1f7c21"}
    yield "column", {"column": "description"}
    yield "version", {"version": 2}
    yield "name", {"name": "DATABASE_URI"}
    yield "mark", {"isSecret": False}


def refusal(name: str, made: bytes, why: str, context: dict = CONTEXT, code: str = "bad_blob") -> dict:
    return {"name": name, "context": context, "blob": made.hex(), "why": why, "code": code}


def tenant_keys() -> dict:
    roots = [seeded(f"root key {i}", 32) for i in range(3)]
    tenant_id, tenant_key = CONTEXT["tenantId"], seeded("tenant key", 32)
    wrapped = [blob(tenant_key, root, tenant_key_context(tenant_id), f"wrap {i}") for i, root in enumerate(roots)]
    return {
        "madeBy": CRYPTOGRAPHY,
        "rootKeys": [{"text": base64.b64encode(root).decode(), "id": key_id(root).hex()} for root in roots[:2]],
        "tenantId": tenant_id,
        "tenantKey": tenant_key.hex(),
        "valid": [{"name": f"by root key {i}", "blob": wrapped[i].hex(), "rootKeyId": key_id(roots[i]).hex()} for i in range(2)],
        "invalid": invalid_tenant_keys(roots, wrapped, tenant_id),
    }


def invalid_tenant_keys(roots: list, wrapped: list, tenant_id: str) -> list:
    context = tenant_key_context(tenant_id)
    another = blob(seeded("tenant key", 32), roots[0], tenant_key_context("another"), "wrap for another")
    relabelled = wrapped[0][:4] + key_id(roots[1]) + wrapped[0][12:]
    cases = [
        ("root key not in the ring", wrapped[2], "wrapped by a third root key", "wrong_key"),
        ("root key relabelled", relabelled, "wrapped by the first root key, labelled with the second's id", "bad_blob"),
        ("another tenant's", another, "wrapped for another tenant", "bad_blob"),
        ("changed", flipped(wrapped[0], 30), "one bit of the ciphertext is flipped", "bad_blob"),
        ("a value", blob(seeded("tenant key", 32), roots[0], value_context(CONTEXT), "a value"), "made for another purpose", "bad_blob"),
        ("31 bytes inside", blob(bytes(31), roots[0], context, "short key"), "the wrapped key is a byte short", "bad_tenant_key"),
        ("empty", b"", "no bytes at all", "bad_blob"),
    ]
    return [{"name": n, "blob": made.hex(), "why": why, "code": code} for n, made, why, code in cases]
