"""The audit log: event MACs and chain hashes, made with hashlib and hmac; signed notes, made with python cryptography."""

import base64
import hashlib
import hmac

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from foreign import CRYPTOGRAPHY, flipped, frame, seeded

TENANT = "0198c2a1-0000-7000-8000-00000000000a"


def derived(seed: bytes, info: str) -> bytes:
    return HKDF(SHA256(), 32, None, info.encode()).derive(seed)


def bodies() -> list:
    return [
        ("plain", '{"id":"e1","at":"2026-01-31T12:00:00.000Z","action":"key.created"}', '{"ip":"192.0.2.1","salt":"s"}'),
        ("no origin", '{"id":"e2","action":"bundle.deleted"}', None),
        ("beyond ASCII", '{"id":"e3","data":{"names":["größe \U0001f511"]}}', '{"user":"Zoë","salt":"s"}'),
    ]


def events(mac_key: bytes) -> list:
    made, previous = [], "0" * 64
    for seq, (name, body, origin) in enumerate(bodies(), start=1):
        line = '{"seq":%d,%s' % (seq, body[1:])
        previous = hashlib.sha256(f"{previous}\n{line}".encode()).hexdigest()
        mac = hmac.new(mac_key, frame("keyferry event v1", TENANT, body, origin or ""), "sha256").hexdigest()
        made.append({"name": name, "body": body, "origin": origin, "mac": mac, "line": line, "hash": previous})
    return made


def note_key_id(name: str, public_key: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n\x01" + public_key).digest()[:4]


def note(text: str, name: str, private: Ed25519PrivateKey) -> str:
    public_key = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    signed = note_key_id(name, public_key) + private.sign(text.encode())
    return f"{text}\n\u2014 {name} {base64.b64encode(signed).decode()}\n"


def audit_logs() -> dict:
    seed = seeded("audit seed", 32)
    private = Ed25519PrivateKey.from_private_bytes(derived(seed, "keyferry audit note v1"))
    public_key = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    name, chain = "keyferry.example.com/audit", events(derived(seed, "keyferry audit mac v1"))
    head = base64.b64encode(bytes.fromhex(chain[-1]["hash"])).decode()
    text = f"keyferry chain v1\n{name}/{TENANT}\n{len(chain)}\n{head}\n1 2026-01-31T12:00:00.000Z\n"
    vkey = f"{name}+{note_key_id(name, public_key).hex()}+{base64.b64encode(bytes([1]) + public_key).decode()}"
    good, other = note(text, name, private), Ed25519PrivateKey.from_private_bytes(seeded("other note key", 32))
    first, signature = good.rsplit(" ", 1)
    changed = base64.b64encode(flipped(base64.b64decode(signature), 40)).decode()
    refused = [
        ("another text", good.replace("\n3\n", "\n4\n"), "the number was changed"),
        ("another key", note(text, name, other), "signed by another key of the same name"),
        ("another name", good.replace(f"\u2014 {name}", "\u2014 other.example.com/audit"), "another name signs"),
        ("changed signature", f"{first} {changed}\n", "one bit of the signature"),
        ("no signature", text + "\n", "no signature line"),
    ]
    return {
        "madeBy": CRYPTOGRAPHY,
        "seed": seed.hex(),
        "tenantId": TENANT,
        "chain": chain,
        "note": {"text": text, "name": name, "vkey": vkey, "signed": good},
        "invalid": [{"name": n, "note": made, "why": why} for n, made, why in refused],
    }
