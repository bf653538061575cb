"""Signatures of callers and requests, made with hashlib and hmac."""

import base64
import hashlib
import hmac

from foreign import STDLIB, flipped, frame

SECRET = "0123456789abcdef0123456789abcdef"
OLD_SECRET = "an older secret of thirty-two bytes"
USER = "3f2b8c1e-7a61-4a0f-9a53-0d4cf1f0b0a1"
TENANT = "5a0c1f0e-4f0b-4d53-9d0e-0c6e6a3f5b11"


def hmac_hex(secret: str, message: bytes) -> str:
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()


def caller_signatures() -> dict:
    good = hmac_hex(SECRET, f"{USER}:{TENANT}".encode())
    old = hmac_hex(OLD_SECRET, f"{USER}:{TENANT}".encode())
    return {
        "madeBy": STDLIB,
        "secrets": [SECRET, OLD_SECRET],
        "signed": {"userId": USER, "tenantId": TENANT, "secret": SECRET, "signature": good},
        "valid": [
            caller("with prefix", "sha256=" + good),
            caller("bare", good),
            caller("upper-case hex", good.upper()),
            caller("by the older secret", "sha256=" + old),
            caller("user beyond ASCII", hmac_hex(SECRET, f"zoë:{TENANT}".encode()), user="zoë"),
        ],
        "invalid": invalid_callers(good),
    }


def caller(name: str, header: str, user: str = USER, tenant: str = TENANT, **more) -> dict:
    return {"name": name, "userId": user, "tenantId": tenant, "header": header, **more}


def invalid_callers(good: str) -> list:
    swapped = hmac_hex(SECRET, f"{TENANT}:{USER}".encode())
    return [
        caller("empty", "", why="no signature"),
        caller("prefix alone", "sha256=", why="no digits"),
        caller("another secret", hmac_hex("x" * 32, f"{USER}:{TENANT}".encode()), why="signed by an unknown secret"),
        caller("another user", good, user=USER[:-1] + "2", why="signed for another user"),
        caller("another tenant", good, tenant=TENANT[:-1] + "2", why="signed for another tenant"),
        caller("swapped", swapped, why="tenant and user change places"),
        caller("prefix signed too", hmac_hex(SECRET, f"sha256={USER}:{TENANT}".encode()), why="the prefix is part of the text"),
        caller("digit changed", flipped(bytes.fromhex(good), 0).hex(), why="one bit is flipped"),
        caller("digit missing", good[:-1], why="63 digits"),
        caller("digits more", good + "00", why="66 digits"),
        caller("another prefix", "sha512=" + good, why="a prefix that is not known"),
        caller("upper-case prefix twice", "sha256=sha256=" + good, why="the prefix twice"),
        caller("blank behind", good + " ", why="a blank"),
        caller("line end behind", good + "\n", why="a line end"),
        caller("base64", base64.b64encode(bytes.fromhex(good)).decode(), why="not hexadecimal"),
        caller("colon in the user id", hmac_hex(SECRET, f"a:b:{TENANT}".encode()), user="a:b", why="the text names two callers"),
    ]


FACTS = {"method": "POST", "path": "/api/v1/keys?query=a%20b", "body": b'{"name":"A"}'.hex(), "clientAddress": "203.0.113.7", "userId": USER, "tenantId": TENANT}
NOW = 1_800_000_000
NONCE = "Zm9yZWlnbi1ub25jZQ"


def request_header(facts: dict, time=NOW, nonce: str = NONCE, secret: str = SECRET, label: str = "keyferry request v2") -> str:
    body_hash = hashlib.sha256(bytes.fromhex(facts["body"])).digest()
    signed = frame(label, str(time), nonce, facts["method"], facts["path"], body_hash, facts["clientAddress"], facts["userId"], facts["tenantId"])
    return f"t={time};n={nonce};s={hmac_hex(secret, signed)}"


def request_signatures() -> dict:
    nobody = FACTS | {"clientAddress": "", "userId": "", "tenantId": "", "body": "", "method": "GET"}
    return {
        "madeBy": STDLIB,
        "secrets": [SECRET, OLD_SECRET],
        "nowSeconds": NOW,
        "windowSeconds": 30,
        "signed": {"facts": FACTS, "secret": SECRET, "nonce": NONCE, "header": request_header(FACTS)},
        "valid": [
            {"name": name, "facts": facts, "header": header, "nonce": header.split(";")[1][2:]}
            for name, facts, header in [
                ("with a body", FACTS, request_header(FACTS)),
                ("nobody signed in, no body", nobody, request_header(nobody)),
                ("path beyond ASCII", FACTS | {"path": "/é"}, request_header(FACTS | {"path": "/é"})),
                ("30 s old", FACTS, request_header(FACTS, NOW - 30)),
                ("30 s ahead", FACTS, request_header(FACTS, NOW + 30)),
                ("by the older secret", FACTS, request_header(FACTS, secret=OLD_SECRET)),
                ("longest nonce", FACTS, request_header(FACTS, nonce="n" * 64)),
            ]
        ],
        "invalid": invalid_requests(),
    }


def invalid_requests() -> list:
    good = request_header(FACTS)
    moved = FACTS | {"method": "POS", "path": "T" + FACTS["path"]}
    cases = [
        ("another method", FACTS | {"method": "PUT"}, good, "signed for another method"),
        ("another path", FACTS | {"path": "/api/v1/bundles"}, good, "signed for another path"),
        ("another query", FACTS | {"path": "/api/v1/keys?query=a+b"}, good, "signed for another query"),
        ("another body", FACTS | {"body": b'{"name":"B"}'.hex()}, good, "signed for another body"),
        ("no body", FACTS | {"body": ""}, good, "signed for a body"),
        ("another address", FACTS | {"clientAddress": "203.0.113.8"}, good, "signed for another client address"),
        ("no address", FACTS | {"clientAddress": ""}, good, "signed for a client address"),
        ("another user", FACTS | {"userId": TENANT}, good, "signed for another user"),
        ("another tenant", FACTS | {"tenantId": USER}, good, "signed for another tenant"),
        ("letters moved between fields", moved, good, "same letters, cut elsewhere"),
        ("31 s old", FACTS, request_header(FACTS, NOW - 31), "outside the window"),
        ("31 s ahead", FACTS, request_header(FACTS, NOW + 31), "outside the window"),
        ("another time", FACTS, good.replace(f"t={NOW}", f"t={NOW + 1}"), "time changed after signing"),
        ("another nonce", FACTS, good.replace(NONCE, NONCE[::-1]), "nonce changed after signing"),
        ("another secret", FACTS, request_header(FACTS, secret="x" * 32), "signed by an unknown secret"),
        ("another label", FACTS, request_header(FACTS, label="keyferry request v3"), "signed for another purpose"),
        ("leading zero", FACTS, request_header(FACTS, time=f"0{NOW}"), "a second spelling of the time"),
        ("plus sign", FACTS, request_header(FACTS, time=f"+{NOW}"), "a second spelling of the time"),
        ("short nonce", FACTS, request_header(FACTS, nonce="n" * 15), "nonce of 15 characters"),
        ("long nonce", FACTS, request_header(FACTS, nonce="n" * 65), "nonce of 65 characters"),
        ("upper-case hex", FACTS, good[:-64] + good[-64:].upper(), "a second spelling of the signature"),
        ("another order", FACTS, ";".join(reversed(good.split(";"))), "fields in another order"),
        ("field twice", FACTS, good + ";" + good.split(";")[2], "a field twice"),
        ("line end behind", FACTS, good + "\n", "a line end"),
        ("empty", FACTS, "", "no header"),
    ]
    return [{"name": n, "facts": f, "header": h, "why": why} for n, f, h, why in cases]
