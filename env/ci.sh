#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The long checks, which are not part of `./dev test`: env/ci.sh [STEP...]
#
#   sanitize  all tests with the address and undefined-behaviour sanitizers
#   thread    the tests of modules with threads of their own, with the thread sanitizer
#   fuzz      each fuzzer for 60 seconds (SLIPWAY_FUZZ_SECONDS)
#   torture   mutated files, failing calls, kills and damaged caches, for 5 minutes
#   clang     a build with clang
#   plain     a build without precompiled headers and unity files, with the benchmarks: checks that every file includes what it
#             uses
#   bundle    a bundle; checks that its program runs outside the build environment
#   wheel     the Python package, with its tests in a new virtual environment here and in a clean root of Debian forky
#   packages  the tarball, the Debian package, the single file and the steps of Dockerfile.run, each in a clean root of Debian stable;
#             those with a software driver in one without any driver
#   profiles  device tests as on smaller devices, and with SwiftShader if SLIPWAY_SWIFTSHADER names its ICD file
#   lint      clang-tidy over all sources
#   cpu       the CPU engine with each level of instructions: all suites, networks, and an hour of random kernels (env/cpu.sh; hours
#             on two cores, only when it is named)
#   aarch64   a cross build for Linux on ARM: the program, the library, the layer, the engine and packages; unit tests, examples and
#             samples of the device suites in an emulator (env/aarch64_tests.sh; only when it is named)
#
# Without arguments it runs all steps but the last two in this order. A step that fails does not stop the next one; the last
# lines list the result and the time of each step. The logs are in build/ci.
set -uo pipefail
cd "$(dirname "$0")/.."
all=(sanitize thread fuzz torture clang plain bundle wheel packages profiles lint)
logs=build/ci
mkdir -p "$logs"

step_sanitize() { SLIPWAY_PRESET=sanitize ./dev test; }
step_thread() {
  ./dev build thread cpu_test layer_test model_jobs_test c_api_test &&
    ./dev shell env/test.sh thread -R '^(cpu|layer|model_jobs|c_api)\.'
}
step_fuzz() { ./dev fuzz all "${SLIPWAY_FUZZ_SECONDS:-60}"; }
step_torture() { ./dev torture 5; }
step_clang() { ./dev build clang; }
step_plain() { ./dev build plain all bench; }
step_bundle() {
  ./dev bundle "$PWD/$logs/bundle" && "$logs/bundle/slipway" check examples/hello/scenario.json &&
    "$logs/bundle/slipway" inspect examples/kernel_info/saxpy.zebin
}
step_packages() { rm -rf build/packages && ./dev package tarball run deb tarball-full run-full && env/test_packages.sh build/packages; }
step_wheel() { ./dev wheel && env/test_packages.sh build/wheel wheel; }
step_profiles() {
  ./dev build release gpu_test model_test scenario_test recipe_test layer_test && ./dev shell env/profiles.sh build/release/bin
}
step_cpu() {
  ./dev build release model_test make_networks slipway && ./dev shell env/cpu.sh build/release
}
step_aarch64() {
  env/cross.sh aarch64 build && env/cross.sh aarch64 shell env/aarch64_tests.sh build/aarch64 &&
    env/cross.sh aarch64 package tarball deb run
}
step_lint() { ./dev lint; }

[ $# -gt 0 ] || set -- "${all[@]}"
for step in "$@"; do
  declare -F "step_$step" >/dev/null || {
    echo "ci: unknown step \`$step\`; the steps are ${all[*]} cpu aarch64" >&2
    exit 2
  }
done

failed=0
results=()
for step in "$@"; do
  echo "== ci: $step" >&2
  begin=$SECONDS
  if "step_$step" 2>&1 | tee "$logs/$step.log"; then result=ok; else result="FAILED ($logs/$step.log)"; failed=1; fi
  results+=("$(printf '%-9s %5d s  %s' "$step" $((SECONDS - begin)) "$result")")
done
printf '%s\n' "${results[@]}" >&2
exit $failed
