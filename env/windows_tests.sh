#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The checks of a build for Windows, in Wine without a display (env/windows.sh test): env/windows_tests.sh BUILD [PART...]
#
#   units        the test programs of all modules, one process for each
#   examples     scenarios, recipes, models and kernels of examples/, on the software driver
#   transcripts  the pages of tests/corpus/cli
#   layer        a program in C on the Vulkan layer, which the loader of Khronos finds in the registry
#   zip          the zip in build/packages, unpacked in a new prefix: the program, and a program in C with slipway.dll
#
# Without arguments all of them. The output of each check is in BUILD/checked. tests/windows_left_out.txt lists what is left out, with its reason.
set -uo pipefail
build=$1
shift
[ $# -gt 0 ] || set -- units examples transcripts layer zip
. "$(dirname "$0")/checks.sh"
export SLIPWAY_TESTS_WITHOUT_VALIDATION=1
slipway=$build/bin/slipway.exe

windows() { timeout -k 5 "${seconds:-300}" wine64 "$@"; }

part_units() {
  local program name
  for program in "$build"/bin/*_test.exe; do
    name=$(basename "$program" .exe)
    seconds=900 beside "$name" windows "$program" --gtest_brief=1 "--gtest_filter=-$(left_out "$name")"
  done
}

part_examples() {
  local example
  cp -r examples "$scratch/examples"
  for example in hello blur triangle fragment mips rpl_compute frames; do
    try "check $example" windows "$slipway" check "$scratch/examples/$example/scenario.json"
    try "run $example" windows "$slipway" run "$scratch/examples/$example/scenario.json"
  done
  try "run a recipe" windows "$slipway" run "$scratch/examples/saxpy_recipe/recipe.json" --profile "$scratch/examples/saxpy_recipe/profile.json"
  try "CPU functions" windows "$slipway" run "$scratch/examples/convert_pool/recipe.json" \
    --profile "$scratch/examples/convert_pool/profile.json"
  # (The pipe is closed before the first line comes; the program ends as with SIGPIPE, and prints nothing.)
  try "a closed output" bash -c '{ sleep 1; timeout -k 5 60 wine64 "$1" --help; echo "status $?" >&2; } 2>&1 >&3 3>&- | grep -x "status 141"' \
    bash "$slipway" 3> >(exec true)
  try "inspect a kernel" windows "$slipway" inspect "$scratch/examples/kernel_info/saxpy.zebin"
  try "compile" windows "$slipway" compile "$scratch/examples/triangle/triangle.rpl" --entry vertex=vertex_main \
    --entry fragment=fragment_main -o "$scratch/triangle"
  try "convert" windows "$slipway" convert "$scratch/examples/mixed_model/model.graph" -o "$scratch/model.vgf"
  try "run a model" windows "$slipway" run "$scratch/model.vgf"
  # (Such programs take the slashes in names for options.)
  try "reduce with a command" env -C "$scratch/examples/triangle" timeout -k 5 300 wine64 "$top/$slipway" reduce triangle.rpl \
    -o reduced.rpl --test 'C:\windows\system32\findstr.exe vertex_main {}'
  try "recorded bits" windows "$slipway" doctor --bits
  try "run models of TensorFlow Lite" windows "$slipway" run "$scratch"/examples/tflite/{keywords,segments}.tflite --compare reference
}

part_transcripts() {
  local page
  for page in tests/corpus/cli/*.md; do
    [ -n "$(left_out "$page")" ] || beside "$page" timeout -k 5 600 env SLIPWAY_SANDBOX=off python3 tests/console.py "$build" . "$page" --left-out tests/windows_left_out.txt
  done
}

part_layer() {
  local client=$scratch/layer/layer_client.exe key='HKLM\Software\Khronos\Vulkan' there=Z:${scratch//\//\\}'\layer'
  mkdir "$scratch/layer"
  cp "$build/bin/layer_client.exe" "$build"/lib/slipway/VkLayer_slipway_ml.* /usr/x86_64-w64-mingw32ucrt/bin/vulkan-1.dll "$scratch/layer/"
  # An implicit layer, which every program gets, names a variable that disables it.
  sed 's/"type": "GLOBAL",/& "disable_environment": {"SLIPWAY_LAYER_DISABLE": "1"},/' \
    "$build/lib/slipway/VkLayer_slipway_ml.json" >"$scratch/layer/implicit.json"
  # Wine's own loader knows no layers that are DLLs. That of Khronos finds Wine's driver in the registry, and may not ask for displays.
  export WINEDLLOVERRIDES="$WINEDLLOVERRIDES;vulkan-1=n" WINE_D3D_CONFIG=renderer=no3d
  register() { windows reg add "$key\\$1" /v "$2" /t REG_DWORD /d 0 /f; }
  try "register the driver" register Drivers 'C:\windows\system32\winevulkan.json'
  try "without a layer" bash -c 'timeout -k 5 60 wine64 "$1" 2>&1 | grep "the device has no data graphs"' bash "$client"
  try "register an explicit layer" register ExplicitLayers "$there\\VkLayer_slipway_ml.json"
  try "a graph through the explicit layer" windows "$client" VK_LAYER_SLIPWAY_machine_learning
  try "remove it" windows reg delete "$key\\ExplicitLayers" /va /f
  try "register an implicit layer" register ImplicitLayers "$there\\implicit.json"
  try "a graph through the implicit layer" windows "$client"
  try "remove it" windows reg delete "$key" /f
  WINEDLLOVERRIDES=${WINEDLLOVERRIDES%;*}
  unset WINE_D3D_CONFIG
}

part_zip() {
  local zip=("$top"/build/packages/slipway-*-windows-x86_64.zip) at
  export WINEPREFIX=$scratch/prefix
  at="$WINEPREFIX/drive_c/Program Files"
  try "a new prefix" bash -c 'mkdir -p "$WINEPREFIX/drive_c/windows/system32" &&
    cp /usr/x86_64-w64-mingw32/lib/zlib1.dll "$WINEPREFIX/drive_c/windows/system32/" && timeout -k 5 200 wine64 wineboot -i'
  try "unpack" cmake -E chdir "$at" cmake -E tar xf "${zip[0]}"
  at="$at/$(basename "${zip[0]}" .zip)"
  cp -r examples "$at/"
  slipway=bin/slipway.exe
  cd "$at" || return
  try "--version" windows "$slipway" --version
  try "doctor" windows "$slipway" doctor
  try "run" windows "$slipway" run examples/hello/scenario.json
  x86_64-w64-mingw32ucrt-gcc -std=c99 -Wall -Wextra -Werror -Iinclude "$top/examples/c_model/model.c" -o bin/model.exe lib/libslipway.dll.a ||
    failed=1
  printf 'graph net {\n  %%0 = input i32[2] "x"\n  %%1 = ADD(%%0, %%0) i32[2]\n  output %%1\n}\n' >net.graph
  try "a program in C" windows bin/model.exe net.graph
  grep -q 'sum 42' "$log" || { echo "it printed another sum"; failed=1; }
  cd "$top" || return
  timeout -k 5 60 wineserver64 -k
}

run_parts "$@"
