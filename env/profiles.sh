#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs device tests as on smaller devices, and a sixteenth of the whole suites of TOSA operators and graphs:
#
#   env/profiles.sh DIRECTORY_OF_TEST_PROGRAMS [PROFILE...]
#
# The profiles are those of SLIPWAY_DEVICE_PROFILE (docs/running.md). `swiftshader` is another driver, which the ICD file in
# SLIPWAY_SWIFTSHADER describes: a device without numbers of 8, 16 and 64 bits. It is not packaged for Debian alone; the package
# `chromium` contains it.
set -uo pipefail
bin=$1
shift
if [ $# -eq 0 ]; then
  set -- small-gpu-4 small-gpu-8 mobile-gpu
  [ -z "${SLIPWAY_SWIFTSHADER:-}" ] || set -- "$@" swiftshader
fi

# Tests that need more than the profile has, because their own shaders do.
narrow='PlanModelTest.OpenDimensions*:PlanModelTest.TensorsOfCompute*:PlanModelTest.TensorsAndImages*:PlanSpirvGraphTest.Motion*'
narrow+=':GraphsTest.TensorsThatSeeImages:GraphsTest.ExampleIsRight*:TensorsTest.SmallFloats*:ArraysTest.BufferAddresses'
doubles='TensorsTest.RandomAccesses*:PlanBackendOnVulkan.ConstantsOfEveryKind*:*LayerClients.FormatsHave*'
doubles+=':NativeTest.ShadersHaveTensorsOfEveryType'
# Its graph has no intermediate value in kernels for GPUs.
doubles+=':*LayerQuality.MistakesAreReported*'
# Tests with the layer, which needs buffers by address.
layer='Native*:GraphDevice.UsesTheGraphsOfTheDriver:*NativeImages*:*NativeChoice*:PublicGraphs.UseThoseOfTheDriver:*/NativeGraphs'
engine='*/Both:*/Sse42:*/Avx*:*/Amx'  # no tests of a device

failed=0
# A name that has changed would leave out nothing.
IFS=: read -ra patterns <<<"$narrow:$doubles:$layer"
for pattern in "${patterns[@]}"; do
  tests=$(for program in gpu_test model_test scenario_test recipe_test layer_test; do
    "$bin/$program" --gtest_list_tests --gtest_filter="$pattern" 2>/dev/null
  done)
  [[ $tests == *$'\n  '* ]] || { echo "profiles: no test is named $pattern" >&2; failed=1; }
done
for profile in "$@"; do
  without=$engine:$doubles
  programs=(gpu_test model_test scenario_test recipe_test)
  export SLIPWAY_DEVICE_PROFILE=$profile
  case $profile in
    small-gpu-*) without+=":$layer:$narrow" ;;
    swiftshader)
      without+=":$layer:$narrow"
      programs=(gpu_test model_test)
      unset SLIPWAY_DEVICE_PROFILE
      export VK_DRIVER_FILES=$SLIPWAY_SWIFTSHADER
      ;;
    *) programs+=(layer_test) ;;
  esac
  for program in "${programs[@]}"; do
    echo "== $profile: $program"
    "$bin/$program" --gtest_brief=1 --gtest_filter="-$without" 2>&1 || failed=1
  done
  echo "== $profile: a sixteenth of the whole suites"
  SLIPWAY_TOSA_SUITE=all SLIPWAY_TOSA_PART=0/16 "$bin/model_test" --gtest_brief=1 \
    --gtest_filter='Kernels/*/Device:Kernels/*/Plain' 2>&1 || failed=1
done
exit $failed
