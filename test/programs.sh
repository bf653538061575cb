#!/bin/sh
# `npm run test:programs`: installs what tests use and `npm ci` does not: the packages of e2e/tools, and the programs of
# programs.txt, on Debian or Ubuntu.
set -eu
cd "$(dirname "$0")/.."
(
  cd e2e/tools
  [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci
)
list=$(cut -d' ' -f1 test/programs.txt)
if ! command -v apt-get >/dev/null; then
  echo "The tests use these Debian packages. Install their programs as your system does:" $list >&2
  exit 1
fi
missing=
for package in $list; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
$as_root apt-get update -qq
known= unknown=
for package in $missing; do
  if [ -n "$(apt-cache madison "$package")" ]; then known="$known $package"; else unknown="$unknown $package"; fi
done
[ -z "$unknown" ] || echo "This system has no package$unknown: their tests are skipped." >&2
[ -z "$known" ] || $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $known
