#!/bin/sh
# `npm run test:programs`: installs the programs of programs.txt, which the tests use, on Debian or Ubuntu. With the word
# `trials`, it also installs the packages of e2e/tools, which only the trials use.
set -eu
cd "$(dirname "$0")/.."
if [ "${1-}" = trials ] && ! [ e2e/tools/node_modules/.package-lock.json -nt e2e/tools/package-lock.json ]; then
  (cd e2e/tools && npm ci)
fi
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
