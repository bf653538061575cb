#!/bin/sh
# `npm run test:all`: from a clean clone on Debian or Ubuntu to one line of sums.
set -eu
cd "$(dirname "$0")/.."
sh test/programs.sh &
installing=$!
npm ci
wait "$installing"
# Two of its programs are written in Go: with one processor, and more memory before they tidy up, they take half the
# processor time.
GOMAXPROCS=1 GOGC=400 npm run check &
checking=$!
npm run build
wait "$checking"
# It ends with the line `N passed, N failed`.
export SLOWEST=20
exec npm test --silent
