#!/usr/bin/python3
"""Make every file of vectors here, the same in each run. `--check` compares instead of writing.

Needs Debian's python3-nacl and python3-cryptography; uses nothing of Keyferry's own code.
"""

import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True

import audit
import blobs
import boxes
import signatures
import text_codes
import touches

FILES = {
    "sealed-box.json": boxes.sealed_boxes,
    "public-key.json": boxes.public_keys,
    "value-cipher.json": blobs.stored_values,
    "tenant-key.json": blobs.tenant_keys,
    "caller-signature.json": signatures.caller_signatures,
    "request-signature.json": signatures.request_signatures,
    "user-code.json": text_codes.user_codes,
    "poll-challenge.json": text_codes.poll_challenges,
    "password.json": text_codes.passwords,
    "audit-log.json": audit.audit_logs,
    "machine-token.json": text_codes.machine_tokens,
    "touch.json": touches.touches,
}


def without_maker(made: dict) -> dict:
    return {name: value for name, value in made.items() if name != "madeBy"}


def differs(path: Path, made: dict) -> bool:
    return without_maker(json.loads(path.read_text())) != without_maker(made)


def main() -> int:
    folder, checking = Path(__file__).parent, "--check" in sys.argv
    stale = []
    for name, make in FILES.items():
        made = make()
        if not checking:
            (folder / name).write_text(json.dumps(made, indent=2, ensure_ascii=False) + "\n")
        elif differs(folder / name, made):
            stale.append(name)
    print("differs: " + ", ".join(stale) if stale else f"{len(FILES)} files")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
