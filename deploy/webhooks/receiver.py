"""A receiver of Keyferry's webhooks for Python 3.8 and newer, without dependencies.
WEBHOOK_SECRET=whsec_... PORT=8080 python3 receiver.py"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = base64.b64decode(os.environ["WEBHOOK_SECRET"].split("whsec_", 1)[-1])
TOLERANCE_SECONDS = 300
MAX_BYTES = 256 * 1024
seen = set()


def is_genuine(headers, body):
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(SECRET, signed, hashlib.sha256).digest()).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected.encode(), each.encode()) for each in given)


def receive(message_id, message):
    if message_id in seen:  # A message can come twice.
        return
    seen.add(message_id)
    data = message["data"]
    keys = [key["name"] for key in data.get("keys", [])]
    bundle = [data["bundle"]["name"]] if "bundle" in data else []
    link = [data["url"]] if "url" in data else []
    print(" ".join([message["type"], *bundle, *keys, *link]), flush=True)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("content-length") or 0)
        body = self.rfile.read(length) if length <= MAX_BYTES else b""
        genuine = is_genuine(self.headers, body)
        # Answer first: work that takes longer than 15 s would count as a failure.
        self.send_response(204 if genuine else 401)
        self.end_headers()
        if genuine:
            try:
                receive(self.headers["webhook-id"], json.loads(body))
            except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
                # Later versions of Keyferry may send other messages.
                print(f"unexpected message: {error!r}", file=sys.stderr, flush=True)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Receiver)
print(f"ready {server.server_port}", flush=True)
server.serve_forever()
