#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds and runs all benchmarks (`./dev bench`): bench/run.sh BUILD_DIRECTORY [ARGUMENTS]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1
shift
ninja -C "$build" --quiet bench
status=0
for part in foundation zeinfo models convert networks; do
  python3 "$here/$part.py" --build "$build" "$@" || status=$?
done
"$build/bin/bench_recipe" "$build/cpu_libraries" || status=$?
"$build/bin/bench_cpu_call" "$build/cpu_libraries/libarithmetic.so" || status=$?
"$build/bin/bench_graph" "$build/bin/slipway" || status=$?
"$build/bin/bench_roofline" --html "$build/roofline.html" && echo "all kernels, with charts: $build/roofline.html" || status=$?
"$build/bin/bench_roofline" --device cpu --html "$build/roofline_cpu.html" && echo "the CPU engine: $build/roofline_cpu.html" || status=$?
if python3 -c 'import torch; raise SystemExit(not torch.cuda.is_available())' 2>/dev/null; then
  python3 "$here/gpu_networks.py" --build "$build" || status=$?
fi
"$build/bin/bench_layer" || status=$?
"$build/bin/bench_rpl" --slipway "$build/bin/slipway" || status=$?
exit "$status"
