# shellcheck shell=bash
# What the keepers share: reads the call from standard input and the settings from keeper.conf beside the program.
# The server starts keepers with an empty environment; keeper.conf can export what a tool needs, such as HOME.
set -euo pipefail
umask 077
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
# shellcheck source=/dev/null
. "$(dirname "$0")/keeper.conf"

request=$(cat)
# shellcheck disable=SC2034
context=$(jq -er .context <<<"$request")

# The bytes of the call: a root key for wrap, what was wrapped for unwrap.
data() { jq -er .data <<<"$request" | base64 -d; }

# Writes the answer; the bytes come from standard input.
answer() { base64 -w 0 | jq -Rc '{data: .}'; }

case $(jq -er .call <<<"$request") in
  wrap) wrap | answer ;;
  unwrap) unwrap | answer ;;
  *) echo 'the call is neither wrap nor unwrap' >&2; exit 2 ;;
esac
