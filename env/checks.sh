# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the checks of a build for another system share (env/aarch64_tests.sh, env/windows_tests.sh), which source this file with `build`
# set: the directory of the project, a scratch directory, `try`, `beside`, `left_out` and `run_parts`.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$top" || exit 5
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME=$scratch/cache SLIPWAY_SOURCE_DIR=$top
logs=$PWD/$build/checked
mkdir -p "$logs"
failed=0

# What is checked, and its command. The output is in `log`; its end is shown if the check fails.
try() {
  local what=$1 begin=$SECONDS counts status
  shift
  log=$logs/${what//[^A-Za-z0-9_.-]/_}.log
  "$@" >"$log" 2>&1 && status=0 || status=$?
  counts=$(sed -n 's/\r$//; s/^\[  \(PASSED \|SKIPPED\) \] \([0-9]*\) tests\?.*/\2 \L\1/p' "$log" | xargs | sed 's/passed /passed, /')
  printf '%4d s  %-6s  %s\n' $((SECONDS - begin)) "$([ $status = 0 ] && echo ok || echo FAILED)" "$what${counts:+: $counts}"
  [ $status = 0 ] || { echo "(exit status $status)"; tail -n 40 "$log"; failed=1; }
}

# The same beside other checks: as many at the same time as there are cores. The part ends when all have ended.
beside() {
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
  {
    text=$(try "$@"; exit $failed) || touch "$scratch/failed"
    echo "$text"
  } &
}

# The filter of the tests that tests/SYSTEM_left_out.txt names of a test program.
left_out() { awk -v of="$1" '$1 == of { print $2 }' "$top/tests/$(basename "$0" _tests.sh)_left_out.txt" | paste -sd:; }

# Runs the functions `part_NAME`, and ends with status 1 if a check failed.
run_parts() {
  local part begin
  for part in "$@"; do
    declare -F "part_$part" >/dev/null || { echo "$(basename "$0" .sh): unknown part \`$part\`" >&2; exit 2; }
    begin=$SECONDS
    "part_$part"
    wait
    [ ! -e "$scratch/failed" ] || failed=1
    printf '== %-12s %5d s\n' "$part" $((SECONDS - begin))
  done
  exit $failed
}
