# Reads a JSON list of .env texts from standard input, and writes what python-dotenv reads: one object for each.
import io
import json
import sys

from dotenv import dotenv_values

texts = json.load(sys.stdin)
json.dump([dict(dotenv_values(stream=io.StringIO(text, newline=""))) for text in texts], sys.stdout)
