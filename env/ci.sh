#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The long checks, which are not part of `./dev test`: env/ci.sh [--list | --record | PART...]
#
# A part is a line of `parts` below: its name, and what it does. Without arguments all parts run in this order, but those that
# `only_named` lists. A part that fails does not stop the next one; the last lines list the result and the time of each. A part
# that takes more than 40 minutes is ended and has failed: each one is for two cores and a build that exists but for the last
# changes. `cpu`, `aarch64` and `windows` have no limit: the last two make a root and build everything if their caches are empty. The
# logs are in build/ci.
#
# --list prints the parts, with the commit, the day and the time of the last run that passed (docs/reliability.md). Each part that
# passes in a tree without changes is noted in build/ci/passed; --record writes these notes into that page.
set -uo pipefail
cd "$(dirname "$0")/.."
limit=2400
logs=build/ci
mkdir -p "$logs"

parts='
test        all tests of the release build
sanitize-1  tests with the address and undefined-behaviour sanitizers: formats and languages
sanitize-2  the same: graphs, kernels and importers
sanitize-3  the same: models, launch and devices
sanitize-4  the same: scenarios, recipes and the library
sanitize-5  the same: the program, its pages, fuzzer corpora and everything else
thread      the tests of modules with threads of their own, with the thread sanitizer
fuzz-1      each fuzzer of the first half for 40 seconds (SLIPWAY_FUZZ_SECONDS)
fuzz-2      the same for the second half
torture     mutated files, failing calls, kills, power failures and damaged caches, for 20 minutes
cost        how CPU time and memory grow with inputs of each format (bench/cost.py)
clang       a build with clang
plain       a build without precompiled headers and unity files, with the benchmarks: every file includes what it uses
bundle      a bundle; its program runs outside the build environment
wheel       the Python package, with its tests in a new virtual environment here and in a clean root of Debian forky
packages    the tarball, the Debian package, the single file and the steps of Dockerfile.run, each in a clean root of Debian stable
onnx        the node tests of ONNX on the CPU engine and on a driver of Vulkan, all of them
profiles    device tests as on smaller devices, and with SwiftShader if SLIPWAY_SWIFTSHADER names its ICD file
lint-1      clang-tidy over the modules up to shader
lint-2      clang-tidy over the others
cpu         the CPU engine with each level of instructions: all suites, networks, random kernels (env/cpu.sh; hours)
aarch64     a cross build for Linux on ARM; tests and examples in an emulator; packages, each in a clean root of Debian stable for arm64
windows     a cross build for Windows, with mingw-w64; tests and examples in Wine, the zip (env/windows.sh)
'
only_named=' test cpu aarch64 windows '

# Groups of the tests with sanitizers, by the beginnings of the names of CTest; the last one has all others.
groups=('base|json|foreign|zeinfo|tensor|sandbox|spirv|rpl|shader|vgf' 'tosa|reference|lower|cpu|importer|convert'
  'model|launch|executors|gpu|vk|layer' 'scenario|recipe|model_jobs|c_api|xrt_module')

# Not with sanitizers, whose runtime needs much address space, descriptors and a file of its own, and takes signals: checks of limits
# of memory, of crashes and of interrupts, and what is made of release builds. Mesa's other drivers, which `doctor` opens, leak.
not_sanitized='^(bundle|consumer|interrupts|lab|files|confine|console\.tests/corpus/cli/(sandbox|outputs|reduce|doctor)\.md)$'

sanitize() {
  local group=${groups[$1 - 1]:-} all
  all=$(IFS='|'; echo "${groups[*]}")
  if [ -n "$group" ]; then
    local targets=() module
    IFS='|' read -ra modules <<<"$group"
    for module in "${modules[@]}"; do targets+=("${module}_test"); done
    ./dev build sanitize "${targets[@]}" && ./dev shell env/test.sh sanitize -R "^($group)\."
  else
    ./dev build sanitize && ./dev shell env/test.sh sanitize -E "^($all)\.|$not_sanitized"
  fi
}

# The files of modules before or after `shader` in layers.txt, with its bench and examples.
lint() {
  local first=1 module files=()
  while read -r module; do
    mapfile -t -O "${#files[@]}" files < <([ "$1" = "$first" ] && [ -d "src/$module" ] && find "src/$module" -name '*.cpp')
    [ "$module" != shader ] || first=2
  done < <(sed -n 's/^\([a-z_]*\):.*/\1/p' layers.txt)
  ./dev lint "${files[@]}"
}

fuzz() {
  local names half
  ./dev build fuzz fuzzers || return
  names=(build/fuzz/fuzz/*_fuzz)
  half=$(((${#names[@]} + 1) / 2))
  local status=0 name
  for name in "${names[@]:$((($1 - 1) * half)):$half}"; do
    ./dev fuzz "$(basename "$name")" "${SLIPWAY_FUZZ_SECONDS:-40}" || status=1
  done
  return $status
}

run_part() {
  case $1 in
    test) ./dev test ;;
    sanitize-*) sanitize "${1#*-}" ;;
    thread)
      ./dev build thread cpu_test layer_test model_jobs_test c_api_test &&
        ./dev shell env/test.sh thread -R '^(cpu|layer|model_jobs|c_api)\.'
      ;;
    fuzz-*) fuzz "${1#*-}" ;;
    torture) ./dev torture 20 --depths tests/torture_depths.txt ;;
    cost) ./dev build release slipway && ./dev shell python3 bench/cost.py --build build/release ;;
    clang) ./dev build clang ;;
    plain) ./dev build plain all bench ;;
    bundle)
      ./dev bundle "$PWD/$logs/bundle" && "$logs/bundle/slipway" check examples/hello/scenario.json &&
        "$logs/bundle/slipway" inspect examples/kernel_info/saxpy.zebin
      ;;
    packages) rm -rf build/packages && ./dev package tarball run deb tarball-full run-full && env/test_packages.sh build/packages ;;
    wheel) ./dev wheel && env/test_packages.sh build/wheel wheel ;;
    profiles)
      ./dev build release gpu_test model_test scenario_test recipe_test layer_test && ./dev shell env/profiles.sh build/release/bin
      ;;
    onnx)
      ./dev build release slipway && ./dev shell python3 tests/onnx_nodes.py build/release/bin/slipway . &&
        ./dev shell python3 tests/onnx_nodes.py build/release/bin/slipway . --device llvmpipe
      ;;
    cpu) ./dev build release model_test make_networks slipway && ./dev shell env/cpu.sh build/release ;;
    aarch64)
      env/cross.sh aarch64 build && env/cross.sh aarch64 shell env/aarch64_tests.sh build/aarch64 &&
        rm -f build/packages/*aarch64* build/packages/*arm64* && env/cross.sh aarch64 package tarball deb run &&
        env/test_packages.sh --architecture aarch64 build/packages tarball deb run image
      ;;
    windows) env/windows.sh build && env/windows.sh package && env/windows.sh test ;;
    lint-*) lint "${1#*-}" ;;
  esac
}

names=$(awk 'NF { print $1 }' <<<"$parts")
case ${1:-} in
  --part) run_part "$2"; exit ;;  # of this script itself, so that `timeout` can end it
  --list) exec python3 env/ci_table.py list "$parts" ;;
  --record) exec python3 env/ci_table.py record "$parts" ;;
esac
[ $# -gt 0 ] || for part in $names; do [[ $only_named == *" $part "* ]] || set -- "$@" "$part"; done
for part in "$@"; do
  grep -qx -- "$part" <<<"$names" || {
    echo "ci: unknown part \`$part\`; the parts are $(xargs <<<"$names")" >&2
    exit 2
  }
done

failed=0
results=()
for part in "$@"; do
  echo "== ci: $part" >&2
  begin=$SECONDS
  case $part in cpu | aarch64 | windows) longest=0 ;; *) longest=$limit ;; esac
  timeout --kill-after=30 "$longest" "$0" --part "$part" 2>&1 | tee "$logs/$part.log"
  case ${PIPESTATUS[0]} in
    0)
      result=ok
      [ -n "$(git status --porcelain)" ] ||
        printf '%s\t%s\t%s\t%d\n' "$part" "$(git rev-parse --short=10 HEAD)" "$(date +%F)" $((SECONDS - begin)) >>"$logs/passed"
      ;;
    124 | 137) result="FAILED: more than $((limit / 60)) minutes ($logs/$part.log)"; failed=1 ;;
    *) result="FAILED ($logs/$part.log)"; failed=1 ;;
  esac
  results+=("$(printf '%-10s %5d s  %s' "$part" $((SECONDS - begin)) "$result")")
done
printf '%s\n' "${results[@]}" >&2
exit $failed
