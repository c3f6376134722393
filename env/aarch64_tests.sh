#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The checks of a build for Linux on ARM, which run in the emulator (env/cross.sh aarch64 shell) and on a machine of that architecture:
#
#   env/aarch64_tests.sh BUILD [PART...]
#
#   units     the test programs of all modules; those of the CPU engine and of kernels are in the other parts
#   bits      the results that are recorded for every machine, by the interpreter, each level of the CPU engine and the software driver
#   examples  scenarios, recipes, models and kernels of examples/, with the software driver and the CPU engine; a program in C on the layer
#   engine    the CPU engine, in the emulator on several models of CPU and lengths of vectors: its own tests, and samples of the suites
#   devices   samples of the device suites with the software driver, whose subgroups have 4 invocations here
#
# Without arguments all of them. tests/aarch64_left_out.txt lists the tests that are left out, with the reason of each. Programs run 10 to
# 70 times slower in the emulator, so the suites of operators are sampled: without SLIPWAY_TOSA_SUITE=all, MatrixTest has each operator
# with one configuration for each pattern of values (three with the software driver), of more than 20,000 cases.
set -uo pipefail
build=$1
shift
[ $# -gt 0 ] || set -- units bits examples engine devices
. "$(dirname "$0")/checks.sh"
export VK_DRIVER_FILES=/usr/share/vulkan/icd.d/lvp_icd.json NODEVICE_SELECT=1
slipway=$build/bin/slipway

# A program that hangs ends after an hour. (A shell lets what it starts beside itself ignore interrupts.)
limited() { timeout -k 5 3600 env --default-signal=INT,QUIT "$@"; }

part_units() {
  local program name
  for program in "$build"/bin/*_test; do
    name=$(basename "$program")
    case $name in cpu_test | golden_test) continue ;; esac  # the parts `engine` and `bits`
    beside "$name" limited "$program" --gtest_brief=1 "--gtest_filter=-$(left_out "$name")"
  done
}

# On each model of CPU of the part `engine`: each has levels that the one before it lacks.
part_bits() {
  local cpu
  grep -q 'vendor_id' /proc/cpuinfo || { beside "recorded bits" limited "$slipway" doctor --bits; return; }  # (as below)
  for cpu in cortex-a53 cortex-a76 neoverse-n2 max; do beside "$cpu: recorded bits" limited env QEMU_CPU=$cpu "$slipway" doctor --bits; done
}

part_examples() {
  local file layer=$build/lib/slipway
  for file in examples/*/scenario.json; do beside "$file" limited "$slipway" run "$file"; done
  beside "saxpy_recipe" limited "$slipway" run examples/saxpy_recipe/recipe.json --profile examples/saxpy_recipe/profile.json
  beside "compile" limited "$slipway" compile examples/triangle/triangle.rpl --entry vertex=vertex_main --entry fragment=fragment_main -o "$scratch/triangle"
  beside "inspect" limited "$slipway" inspect examples/kernel_info/saxpy.zebin
  beside "model on the CPU engine" limited "$slipway" run tests/data/models/conv2d_rescale_unsigned.vgf --seed 5 --device cpu --compare reference
  beside "layer" limited env VK_ADD_LAYER_PATH="$layer" "$build/bin/layer_client" VK_LAYER_SLIPWAY_machine_learning
  try "convert" "$slipway" convert examples/mixed_model/model.graph -o "$scratch/model.vgf" --verify
  try "model" "$slipway" run "$scratch/model.vgf"
}

strategies='AttentionTest.AgreesWithTheInterpreter KernelStrategiesTest.AgreeWithTheInterpreter'
# A filter: these tests of kernels on an engine.
kernels() { local engine=$1; shift; printf "Kernels/%s/$engine:" "$@"; }

# The models of CPU have: neither products of bytes nor more; SDOT; USDOT and SVE2; and all that the emulator knows, with vectors of SVE2
# of 128, 256 and 512 bits, because code for a level must not depend on their length. A test is skipped where the CPU lacks its level.
# Each model runs every operator, strategy of kernels and block of networks; those with longer vectors, for which code is the same, the
# operators and blocks.
part_engine() {
  local pair cpu level tests models='cortex-a53:Neon cortex-a76:DotProd neoverse-n2:I8mm max,sve128=on:Sve2 max,sve256=on:Sve2 max,sve512=on:Sve2'
  grep -q 'vendor_id' /proc/cpuinfo || models='host:Neon host:DotProd host:I8mm host:Sve2' # (the emulator shows the host's file)
  for pair in $models; do
    cpu=${pair%:*} level=${pair#*:} tests='MatrixTest.* WholeGraphTest.GraphsOfModels'
    [ "$cpu" = host ] || export QEMU_CPU=$cpu
    case $cpu in
      *sve256* | *sve512*) ;;
      *)
        beside "$cpu: engine" limited "$build/bin/cpu_test" --gtest_brief=1
        tests+=" $strategies"
        ;;
    esac
    beside "$cpu: kernels, $level" limited "$build/bin/model_test" --gtest_brief=1 "--gtest_filter=$(kernels "$level" $tests)"
  done
  unset QEMU_CPU
}

part_devices() {
  local cpu
  beside "driver and engine compute the same" limited "$build/bin/model_test" --gtest_brief=1 "--gtest_filter=$(kernels Both 'MatrixTest.*')"
  beside "operators" limited "$build/bin/model_test" --gtest_brief=1 "--gtest_filter=$(kernels Device 'MatrixTest.*')"
  beside "strategies" limited "$build/bin/model_test" --gtest_brief=1 "--gtest_filter=$(kernels Device $strategies WholeGraphTest.GraphsOfModels)"
  # Machines that share a home directory. Code of the software driver for the first one has instructions that the second one lacks.
  printf 'graph net {\n  %%0 = input i32[64] "x"\n  %%1 = input i32[64] "y"\n  %%2 = INTDIV(%%0, %%1) i32[64]\n  output %%2\n}\n' >"$scratch/divide.graph"
  for cpu in neoverse-n2 cortex-a53; do
    try "$cpu: a cache that another machine has filled" env QEMU_CPU=$cpu "$slipway" run "$scratch/divide.graph" --seed 3 \
      --device llvmpipe --compare reference
  done
}

run_parts "$@"
