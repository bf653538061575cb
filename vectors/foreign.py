"""What the makers share: seeded bytes, the length-prefixed frame, and the names of the foreign implementations."""

import ctypes
import hashlib
import platform

import cryptography
import nacl

SODIUM = ctypes.CDLL("libsodium.so.23")
SODIUM.sodium_version_string.restype = ctypes.c_char_p

LIBSODIUM = f"libsodium {SODIUM.sodium_version_string().decode()} through PyNaCl {nacl.__version__}"
STDLIB = f"hashlib and hmac of Python {platform.python_version()}"
CRYPTOGRAPHY = f"python cryptography {cryptography.__version__} (OpenSSL), hashlib of Python {platform.python_version()}"


def seeded(label: str, size: int) -> bytes:
    """The same bytes in every run, different ones for every label."""
    return hashlib.shake_256(f"keyferry vectors: {label}".encode()).digest(size)


def frame(*parts) -> bytes:
    """Each part behind its own length (4 bytes, big-endian); text as UTF-8."""
    raw = [part.encode() if isinstance(part, str) else part for part in parts]
    return b"".join(len(part).to_bytes(4, "big") + part for part in raw)


def flipped(data: bytes, at: int, bit: int = 0) -> bytes:
    changed = bytearray(data)
    changed[at] ^= 1 << bit
    return bytes(changed)
