#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The checks of a build for Linux on ARM, which run in the emulator (env/cross.sh aarch64 shell) and on a machine of that architecture:
#
#   env/aarch64_tests.sh BUILD [PART...]
#
#   units     the tests of modules without a device
#   bits      the results that are recorded for every machine, by the interpreter, each level of the CPU engine and the software driver
#   examples  scenarios, recipes, models and kernels of examples/, with the software driver and the CPU engine
#   engine    the CPU engine, in the emulator on several models of CPU: its own tests, and samples of the suites of operators
#   devices   samples of the device suites with the software driver, whose subgroups have 4 invocations here
#
# Without arguments all of them. An emulator cannot run what a sandbox asks of the kernel: the tests of that module are left out.
set -uo pipefail
build=$1
shift
[ $# -gt 0 ] || set -- units bits examples engine devices
. "$(dirname "$0")/checks.sh"
export VK_DRIVER_FILES=/usr/share/vulkan/icd.d/lvp_icd.json NODEVICE_SELECT=1
slipway=$build/bin/slipway

part_units() {
  local module without
  for module in base foreign json zeinfo tensor spirv shader vgf rpl rpl_c tosa importer executorch reference lower convert vk; do
    without=
    # Headers are compiled by `c++`, which the root of a cross build lacks; random programs take long.
    [ "$module" != rpl ] || without='--gtest_filter=-EmitHeader.*:*Generated*'
    # A filter of system calls, and files of other users: the user namespace of the emulator has one user.
    [ "$module" != base ] || without='--gtest_filter=-NetworkRules.*:StickyDirectory.*:TrustedFile.RefusesWhatOthersMayChange'
    [ ! -e "$build/bin/${module}_test" ] || try "$module" "$build/bin/${module}_test" --gtest_brief=1 $without
  done
}

# Of all levels: the emulator has every one with its default model of CPU.
part_bits() { try "recorded bits" "$slipway" doctor --bits; }

part_examples() {
  local file
  for file in examples/*/scenario.json; do try "$file" "$slipway" run "$file"; done
  try "saxpy_recipe" "$slipway" run examples/saxpy_recipe/recipe.json --profile examples/saxpy_recipe/profile.json
  try "compile" "$slipway" compile examples/triangle/triangle.rpl --entry vertex=vertex_main --entry fragment=fragment_main -o "$scratch/triangle"
  try "inspect" "$slipway" inspect examples/kernel_info/saxpy.zebin
  try "convert" "$slipway" convert examples/mixed_model/model.graph -o "$scratch/model.vgf" --verify
  try "model" "$slipway" run "$scratch/model.vgf"
  try "model on the CPU engine" "$slipway" run tests/data/models/conv2d_rescale_unsigned.vgf --seed 5 --device cpu --compare reference
}

# The models of CPU have: neither products of bytes nor more; SDOT; USDOT and SVE2; and all that the emulator knows. A test is skipped
# where the CPU lacks its level.
part_engine() {
  local pair cpu level models='cortex-a53:Neon cortex-a76:DotProd neoverse-n2:I8mm max:Sve2'
  grep -q 'vendor_id' /proc/cpuinfo || models='host:Neon host:DotProd host:I8mm host:Sve2' # (the emulator shows the host's file)
  for pair in $models; do
    cpu=${pair%:*} level=${pair#*:}
    [ "$cpu" = host ] || export QEMU_CPU=$cpu
    try "$cpu: engine" "$build/bin/cpu_test" --gtest_brief=1
    try "$cpu: operators, $level" "$build/bin/model_test" --gtest_brief=1 "--gtest_filter=Kernels/MatrixTest.*/$level"
    try "$cpu: networks, $level" "$build/bin/model_test" --gtest_brief=1 "--gtest_filter=Kernels/WholeGraphTest.GraphsOfModels/$level"
  done
  unset QEMU_CPU
}

part_devices() {
  try "driver and engine compute the same" "$build/bin/model_test" --gtest_brief=1 '--gtest_filter=Kernels/MatrixTest.*/Both'
  try "operators" "$build/bin/model_test" --gtest_brief=1 '--gtest_filter=Kernels/MatrixTest.*/Device'
}

run_parts "$@"
