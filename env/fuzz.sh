#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the fuzzers: env/fuzz.sh TOP [NAME|all [SECONDS]]
#
# Inputs that reach new code are kept in build/fuzz/corpus. An input that makes a program fail is written beside them, and its
# path is printed.
set -uo pipefail
top=$1
name=${2:-all}
seconds=${3:-60}
work=$top/build/fuzz/corpus
failed=0
found=0
for program in "$top"/build/fuzz/fuzz/*_fuzz; do
  stem=$(basename "$program")
  [ "$name" = all ] || [ "$name" = "$stem" ] || [ "$name" = "${stem%_fuzz}" ] || continue
  found=1
  mkdir -p "$work/$stem"
  echo "== $stem, $seconds s"
  if ! (cd "$work" && "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$work/$stem-" "$work/$stem" "$top/tests/fuzz/corpus/$stem" 2>&1 |
    grep -E 'ERROR|SUMMARY|runtime error|Test unit written|stat::number_of_executed|DONE'; exit "${PIPESTATUS[0]}"); then
    echo "== $stem: a finding" >&2
    failed=1
  fi
done
[ "$found" = 1 ] || { echo "no fuzzer \`$name\`; there are: $(cd "$top/build/fuzz/fuzz" && echo *_fuzz)" >&2; exit 2; }
exit $failed
