#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The long checks of the CPU engine, with the kernels of each level of instructions that this CPU has, or that tests emulate:
#
#   env/cpu.sh BUILD [CHECK...]
#
#   models  networks in 32-bit and 16-bit floats and 8-bit integers, against the interpreter
#   suites  all operators, all codes of small types, random cases, fusions, and 2,000 random graphs (fused, not fused, every
#           result returned), against the interpreter
#   fuzz    random cases of all operators on the engine and on Mesa's software driver, which must have the same results, for an
#           hour of CPU time (SLIPWAY_CPU_FUZZ_SECONDS); SLIPWAY_TOSA_SEED is the first seed
#
# BUILD is the directory of a build with slipway, make_networks and model_test. SLIPWAY_CPU_LEVELS selects levels
# ("avx2 sse4.2"). A failure prints how to repeat it, and the exit status is 1.
set -uo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
build=$1
shift
[ $# -gt 0 ] || set -- models suites fuzz
levels=${SLIPWAY_CPU_LEVELS:-amx avx512vnni avx512 avx2vnni avx2 sse4.2}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME=$scratch/cache VK_DRIVER_FILES=/usr/share/vulkan/icd.d/lvp_icd.json NODEVICE_SELECT=1
export SLIPWAY_SOURCE_DIR=$top
failed=0

# The name of a level in the tests.
test_name() {
  case $1 in
    sse4.2) echo Sse42 ;;
    avx2) echo Avx2 ;;
    avx2vnni) echo Avx2Vnni ;;
    avx512) echo Avx512 ;;
    avx512vnni) echo Avx512Vnni ;;
    amx) echo Amx ;;
    *) echo "cpu: unknown level \`$1\`" >&2; exit 2 ;;
  esac
}

models() {
  mkdir -p "$scratch/networks"
  "$build/bin/make_networks" "$scratch/networks" >/dev/null || return 1
  local model level result=0
  for model in "$scratch"/networks/*.vgf; do
    for level in $levels; do
      # Only tests emulate instructions that the CPU lacks.
      SLIPWAY_CPU_LEVEL=$level "$build/bin/slipway" devices --device cpu | grep -q "(CPU engine, $level)" || continue
      echo "$level: $(basename "$model")"
      SLIPWAY_CPU_LEVEL=$level "$build/bin/slipway" run "$model" --device cpu --compare reference || result=1
    done
  done
  return $result
}

suites() {
  local level result=0
  for level in $levels; do
    echo "$level:"
    "$top/env/suites.sh" "$build/bin/model_test" "Kernels/*/$(test_name "$level")" || result=1
  done
  return $result
}

# One part of the operators, until the time has passed.
fuzz_part() {
  local part=$1 seed=${SLIPWAY_TOSA_SEED:-1} end=$((SECONDS + $2)) cases=10
  while [ $SECONDS -lt "$end" ]; do
    if ! SLIPWAY_TOSA_PART=$part SLIPWAY_TOSA_SEED=$seed SLIPWAY_TOSA_CASES_OF_EACH=$cases "$build/bin/model_test" \
        --gtest_brief=1 --gtest_filter='*RandomCaseTest*/Both' >"$scratch/fuzz.${part%/*}" 2>&1; then
      cat "$scratch/fuzz.${part%/*}"
      echo "repeat it: SLIPWAY_TOSA_PART=$part SLIPWAY_TOSA_SEED=$seed SLIPWAY_TOSA_CASES_OF_EACH=$cases" \
        "$build/bin/model_test --gtest_filter='*RandomCaseTest*/Both'"
      return 1
    fi
    seed=$((seed + cases))
  done
  echo "part $part: seeds to $((seed - 1)) passed"
}

fuzz() {
  local count part pids=() result=0
  count=$(nproc)
  for part in $(seq 0 $((count - 1))); do
    fuzz_part "$part/$count" $((${SLIPWAY_CPU_FUZZ_SECONDS:-3600} / count)) &
    pids+=($!)
  done
  for part in "${pids[@]}"; do wait "$part" || result=1; done
  return $result
}

for check in "$@"; do
  case $check in
    models | suites | fuzz) echo "== cpu: $check"; "$check" || failed=1 ;;
    *) echo "cpu: unknown check \`$check\`; the checks are models, suites and fuzz" >&2; exit 2 ;;
  esac
done
[ $failed = 0 ] && echo "passed" || echo "failed"
exit $failed
