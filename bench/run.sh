#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds and runs benchmarks (`./dev bench`): bench/run.sh BUILD_DIRECTORY [PART...] [OPTIONS]
# Without parts, all run except `build`, which compiles the program from scratch, and `cost`, which is a check. --html FILE
# also writes what they print to a page, with what missed its goal first. Other options, such as --runs 3, are passed to each part
# that runs.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1
shift
all=(foundation zeinfo models convert import networks onnx_models bf16_networks recipe cpu_call graph roofline gpu_networks layer rpl python_call)

parts=()
while [ $# -gt 0 ] && [[ $1 != -* ]]; do
  if [[ " ${all[*]} build cost " != *" $1 "* ]]; then
    echo "bench: '$1' is not a benchmark; the benchmarks are ${all[*]} build cost" >&2
    exit 2
  fi
  parts+=("$1")
  shift
done
options=()
page=
while [ $# -gt 0 ]; do
  case $1 in
    --html) page=${2:?--html needs a file} && shift ;;
    --html=*) page=${1#--html=} ;;
    *) options+=("$1") ;;
  esac
  shift
done

run() {
  case $1 in
    build) python3 "$here/build.py" "${options[@]}" ;;
    foundation | cost | zeinfo | models | convert | import | networks | onnx_models | bf16_networks) python3 "$here/$1.py" --build "$build" "${options[@]}" ;;
    recipe) "$build/bin/bench_recipe" "$build/cpu_libraries" "${options[@]}" ;;
    cpu_call) "$build/bin/bench_cpu_call" "$build/cpu_libraries/libarithmetic.so" "${options[@]}" ;;
    graph) "$build/bin/bench_graph" "$build/bin/slipway" "${options[@]}" ;;
    roofline)
      "$build/bin/bench_roofline" --html "$build/roofline.html" "${options[@]}" &&
        echo "all kernels, with charts: $build/roofline.html" &&
        "$build/bin/bench_roofline" --device cpu --html "$build/roofline_cpu.html" "${options[@]}" &&
        echo "the CPU engine: $build/roofline_cpu.html"
      ;;
    gpu_networks)
      if python3 -c 'import torch; raise SystemExit(not torch.cuda.is_available())' 2>/dev/null; then
        python3 "$here/gpu_networks.py" --build "$build" "${options[@]}"
      else
        echo "gpu_networks: skipped, because PyTorch with a CUDA device was not found"
      fi
      ;;
    python_call) python3 "$here/python_call.py" --build "$build" "${options[@]}" ;;
    layer) "$build/bin/bench_layer" "${options[@]}" ;;
    rpl) "$build/bin/bench_rpl" --slipway "$build/bin/slipway" "${options[@]}" ;;
  esac
}

[ ${#parts[@]} -gt 0 ] || parts=("${all[@]}")
[[ "${parts[*]}" =~ ^(build|cost)$ ]] || ninja -C "$build" --quiet bench
status=0
printed=$(mktemp -d)
trap 'rm -rf "$printed"' EXIT
for part in "${parts[@]}"; do
  run "$part" 2>&1 | tee "$printed/$part" || {
    status=$?
    grep -qE "MISSED|TOO MUCH" "$printed/$part" || echo "FAILED: $part ended with status $status" | tee -a "$printed/$part"
  }
done
[ -z "$page" ] || (cd "$printed" && python3 "$here/page.py" "${parts[@]}") >"$page"
exit "$status"
