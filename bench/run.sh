#!/usr/bin/env bash
# ./dev bench: builds the peers and runs the comparison: bench/run.sh BUILD_FOLDER [ARGUMENTS]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1
shift
ninja -C "$build" --quiet bench
"$build/bin/bench_rpl" --slipway "$build/bin/slipway"
exec python3 "$here/foundation.py" --build "$build" "$@"
