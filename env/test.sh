#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the tests of one build and ends with the counts: env/test.sh PRESET [CTEST ARGUMENTS]
set -uo pipefail
preset=$1
shift

# Tests run on the software driver only, so that results are the same on every machine. With SLIPWAY_TEST_DRIVER=host they
# use the drivers of the machine.
if [ "${SLIPWAY_TEST_DRIVER:-software}" = software ]; then
  export VK_DRIVER_FILES=/usr/share/vulkan/icd.d/lvp_icd.json NODEVICE_SELECT=1
fi
# A private cache directory, so that tests neither use nor fill the caches of the user.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME=$scratch/cache
mkdir -p "$XDG_CACHE_HOME"
# Leaks are attributed to libraries by name, for which they must be loaded at the end.
export LSAN_OPTIONS=suppressions=$PWD/tests/leaks.supp VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING=1
export TSAN_OPTIONS="suppressions=$PWD/tests/races.supp die_after_fork=0"  # a test forks

# A test that has not ended after half an hour hangs, also on a busy machine and with sanitizers.
ctest --test-dir "build/$preset" --timeout 1800 --output-on-failure --parallel "$(nproc)" "$@" 2>&1 | tee "$scratch/log"
status=${PIPESTATUS[0]}
counts=$(sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests\{0,1\} failed out of \([0-9]*\).*/\1 \2/p' "$scratch/log" | tail -n 1)
read -r failed total <<<"${counts:-0 0}"
skipped=$(grep -c '\*\*\*Skipped' "$scratch/log")
echo "tests: $((total - failed - skipped)) passed, $failed failed, $skipped skipped"
if [ "$total" = 0 ]; then echo "no test ran" >&2; exit 1; fi
exit "$status"
