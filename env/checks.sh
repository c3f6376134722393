# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the checks of a build for another system share (env/aarch64_tests.sh, env/windows_tests.sh), which source this file with `build`
# set: the directory of the project, a scratch directory, `try`, `try_beside`, and `run_parts`.
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

# The same for checks that do not depend on each other: as many at once as there are CPUs, until `wait_for_all`.
try_beside() {
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
  (printed=$(try "$@"; exit $failed) || touch "$scratch/failed"; echo "$printed") &
}
wait_for_all() {
  wait
  [ ! -e "$scratch/failed" ] || failed=1
}

# Runs the functions `part_NAME`, and ends with status 1 if a check failed.
run_parts() {
  local part begin
  for part in "$@"; do
    declare -F "part_$part" >/dev/null || { echo "$(basename "$0" .sh): unknown part \`$part\`" >&2; exit 2; }
    begin=$SECONDS
    "part_$part"
    wait_for_all
    printf '== %-12s %5d s\n' "$part" $((SECONDS - begin))
  done
  exit $failed
}
