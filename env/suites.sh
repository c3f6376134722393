#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the whole suites of TOSA operators and graphs, divided among one process per core:
#
#   env/suites.sh MODEL_TEST [FILTER [PROCESSES]]
#
# FILTER is a filter of GoogleTest (`*RandomGraphs/Device`). SLIPWAY_TOSA_SEED, SLIPWAY_TOSA_GRAPHS and
# SLIPWAY_TOSA_CASES_OF_EACH choose other cases, or more. Prints the failures, and the time of each test in the slowest process.
program=$1
filter=${2:-Kernels/*}
processes=${3:-$(nproc)}
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
export SLIPWAY_TOSA_SUITE=all
seq 0 $((processes - 1)) | xargs -P "$processes" -I {} sh -c \
  'SLIPWAY_TOSA_PART=$1/$2 "$3" --gtest_filter="$4" >"$5/$1.log" 2>&1 || touch "$5/failed.$1"' \
  sh {} "$processes" "$program" "$filter" "$logs"
for failed in "$logs"/failed.*; do
  [ -e "$failed" ] || break
  part=${failed##*.}
  echo "part $part of $processes:"
  grep -v '^\[ *\(OK\|RUN\|SKIPPED\|-*\|=*\) *\]' "$logs/$part.log"
done
sed -n 's/^\[       OK \] \(.*\) (\([0-9]*\) ms)$/\1 \2/p' "$logs"/*.log |
  awk '{ if ($2 > most[$1]) most[$1] = $2 } END { for (name in most) printf "%8.1f s  %s\n", most[name] / 1000, name }' |
  sort -k 3
if ls "$logs"/failed.* >/dev/null 2>&1; then echo "failed"; exit 1; fi
echo "passed"
