#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Packs the program, its loader and its libraries (not the driver) into a relocatable directory:
#
#   env/bundle.sh TOP PRESET [--tests] [--driver] [DIRECTORY]
#
# PRESET is the name of a preset or the path of a build. The bundle has the licences of everything in it and a list of its
# components (env/sbom.py). The program is started through the bundled dynamic loader, so that it runs on distributions older
# than the one it was built on; Vulkan drivers are those of the host. With --tests the bundle also has the device tests, the
# validation layer, and the corpora and data that the tests need. With --driver it has Mesa's software driver, which is used where the
# host has no driver. DIRECTORY/test runs the tests and the examples on the device
# of the machine; DIRECTORY/suites runs all cases of operators and graphs.
set -euo pipefail
top=$1
preset=$2
shift 2
tests=
driver=
if [ "${1:-}" = --tests ]; then tests=1; shift; fi
if [ "${1:-}" = --driver ]; then driver=1; shift; fi
directory=${1:-$top/build/slipway-bundle}
build=$top/build/$preset
[[ $preset != */* ]] || build=$preset
programs=$build/bin
largest=86 # MB, without the tests; 35 of them are the program, 35 the compiler of the CPU engine, 6 the Vulkan layer

rm -rf "$directory"
mkdir -p "$directory/lib"

# (a root with a cross compiler has it under the name of the other architecture only; it reads all)
readelf=$(command -v readelf || compgen -c | grep -m 1 -- '-readelf$')
# The architecture of the program, which may be another one than that of this machine (env/cross.sh).
case $($readelf -h "$programs/slipway") in
  *AArch64*) triplet=aarch64-linux-gnu ;;
  *X86-64*) triplet=x86_64-linux-gnu ;;
  *) echo "$programs/slipway is for an unknown architecture" >&2; exit 1 ;;
esac
strip=$triplet-strip
loader=$($readelf -l "$programs/slipway" | sed -n 's/.*program interpreter: \(.*\)\]/\1/p')

# The file of a library of the distribution.
find_library() {
  local place
  for place in /usr/lib/$triplet /lib/$triplet /usr/lib /lib; do
    [ ! -e "$place/$1" ] || { echo "$place/$1"; return; }
  done
  echo "the library $1 is missing" >&2
  return 1
}

# Adds a program or a library, and all libraries that it links.
add() {
  local library
  cp -L "$1" "$directory/lib/"
  for library in $($readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
    [ -e "$directory/lib/$library" ] || add "$(find_library "$library")"
  done
}

# Writes the script that starts a program of the bundle. The search path ends with the directories of the host, for the
# libraries that a driver needs. argv[0] is in DIRECTORY/libexec: the program searches CPU libraries in the directory above
# that of the file to which this name leads, which has examples/.
starter() {
  cat >"$directory/$1" <<SCRIPT
#!/bin/sh
here=\$(dirname "\$(readlink -f "\$0")")
name=\${0##*/}
[ -e "\$here/libexec/\$name" ] || name=$1
host=/usr/lib/$triplet:/lib/$triplet:/usr/lib64:/lib64:/usr/lib:/usr/local/nvidia/lib64:/usr/local/nvidia/lib
${driver:+export SLIPWAY_SOFTWARE_DRIVER="\$here/share/vulkan/software_driver.json"}
exec "\$here/lib/${loader##*/}" --library-path "\$here/lib:\${LD_LIBRARY_PATH:+\$LD_LIBRARY_PATH:}\$host" \\
  --argv0 "\$here/libexec/\$name" "\$here/lib/$1" "\$@"
SCRIPT
  chmod +x "$directory/$1"
  mkdir -p "$directory/libexec"
  ln -s "../lib/$1" "$directory/libexec/$1"
}

add "$programs/slipway"
[ -e "$directory/lib/${loader##*/}" ] || cp -L "$loader" "$directory/lib/"
# Opened at run time, not linked: the Vulkan loader, and a library that NVIDIA's driver opens even without a display.
for name in libvulkan.so.1 libEGL.so.1; do
  add "$(find_library $name)"
done
if [ -n "$driver" ]; then
  add "$(find_library libvulkan_lvp.so)"
  mkdir -p "$directory/share/vulkan"
  sed 's|"library_path": *"[^"]*"|"library_path": "../../lib/libvulkan_lvp.so"|' /usr/share/vulkan/icd.d/lvp_icd.json \
    >"$directory/share/vulkan/software_driver.json"
  largest=$((largest + 200))
fi
# Opened when the CPU engine compiles kernels.
[ ! -e "$build/lib/slipway/libslipway_cpu.so" ] || add "$build/lib/slipway/libslipway_cpu.so"
starter slipway
for name in scenario-runner xrt-runner xrt-replay vgf_dump vgf_updater model-converter model_converter; do
  ln -s slipway "$directory/$name"
  ln -s ../lib/slipway "$directory/libexec/$name"
done
cp -r "$top/examples" "$directory/"
rm -rf "$directory"/examples/*/output
# CPU libraries of examples: recipes name them relative to the parent of the program's directory.
for library in "$build"/examples/*/*.so; do
  [ ! -e "$library" ] || cp "$library" "$directory/examples/$(basename "$(dirname "$library")")/"
done

# What an installation has for users of the program beside it: manual pages, completions of shells.
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
for component in program Unspecified; do
  DESTDIR=$stage cmake --install "$build" --prefix /usr --component "$component" >/dev/null
done
[ ! -d "$stage/usr/share" ] || { mkdir -p "$directory/share" && cp -r "$stage/usr/share/." "$directory/share/"; }
cp -r "$top/schema" "$directory/"
# The Vulkan layer, for programs of the host.
mkdir -p "$directory/share/vulkan/explicit_layer.d"
cp "$build/lib/slipway/libVkLayer_slipway_ml.so" "$directory/lib/"
sed 's|"library_path": *"[^"]*"|"library_path": "../../../lib/libVkLayer_slipway_ml.so"|' \
  "$build/lib/slipway/VkLayer_slipway_ml.json" >"$directory/share/vulkan/explicit_layer.d/VkLayer_slipway_ml.json"
cp -r "$build/lib/slipway/emulation_names" "$directory/share/vulkan/explicit_layer.d/"

find "$directory/lib" -type f ! -name 'ld-linux*' -exec $strip --strip-unneeded {} +
"$top/env/sbom.py" "$top" "$build" "$directory"
size=$(du -sk --apparent-size "$directory" | cut -f1)  # on any file system
echo "$directory: $((size / 1024)) MB"
[ "$size" -le $((largest * 1024)) ] || { echo "the bundle is larger than $largest MB" >&2; exit 1; }
[ -n "$tests" ] || exit 0

device_tests='cpu_test vk_test gpu_test launch_test executors_test scenario_test model_test rpl_test recipe_test layer_test'
for name in $device_tests; do
  add "$programs/$name"
  starter "$name"
done
# Benchmarks of the device of the other machine: DIRECTORY/bench_recipe DIRECTORY/cpu_libraries, DIRECTORY/bench_gpu,
# DIRECTORY/bench_roofline --html PAGE, DIRECTORY/bench_layer, and with PyTorch DIRECTORY/gpu_networks.py --build DIRECTORY.
cp "$top"/bench/{gpu_networks,torch_networks}.py "$directory/"
for name in bench_recipe bench_gpu bench_roofline bench_layer make_networks; do
  [ -e "$programs/$name" ] || continue
  add "$programs/$name"
  starter "$name"
done
add "$(find_library libVkLayer_khronos_validation.so)"
mkdir -p "$directory/layers" "$directory/tests"
sed 's|"library_path": *"[^"]*"|"library_path": "../lib/libVkLayer_khronos_validation.so"|' \
  /usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json >"$directory/layers/VkLayer_khronos_validation.json"
cp -r "$top"/tests/{corpus,data} "$directory/tests/"
mkdir "$directory/tests/fuzz"
cp -r "$top/tests/fuzz/corpus" "$directory/tests/fuzz/"  # shaders that tests use, too
# CPU function libraries of the tests, which search them beside the corpora.
mkdir -p "$directory/cpu_libraries"
for library in "$build"/cpu_libraries/*.so; do
  add "$library"
  mv "$directory/lib/$(basename "$library")" "$directory/cpu_libraries/"
done
find "$directory/lib" -type f ! -name 'ld-linux*' -exec $strip --strip-unneeded {} +
cat >"$directory/test" <<'SCRIPT'
#!/bin/sh
# Runs the device tests and the examples on this machine's device.
here=$(dirname "$(readlink -f "$0")")
cd "$here" || exit 5
export SLIPWAY_SOURCE_DIR="$here" VK_LAYER_PATH="$here/layers" SLIPWAY_LAYER_DIRECTORY="$here/share/vulkan/explicit_layer.d"
# Tests create and destroy many instances, and some drivers allocate static thread-local memory each time they are loaded.
export GLIBC_TUNABLES=glibc.rtld.optional_static_tls=1048576
# At the end: some leave work on the device that never ends, and other work may wait for it.
time_outs='RunFailure.*:*TimeOut*'
status=0
./slipway devices || status=1
for name in ./*_test; do
  "$name" --gtest_brief=1 --gtest_filter="-$time_outs" || status=1
done
./slipway run --strict --validate examples/*/scenario.json || status=1
for recipe in convert_pool saxpy_recipe pipeline_depth; do
  ./slipway run "examples/$recipe/recipe.json" --profile "examples/$recipe/profile.json" || status=1
done
for name in ./*_test; do
  "$name" --gtest_brief=1 --gtest_filter="$time_outs" || status=1
done
exit $status
SCRIPT
cp "$top/env/suites.sh" "$directory/suites.sh"
cat >"$directory/suites" <<'SCRIPT'
#!/bin/sh
# Runs the whole suites of TOSA operators and graphs on this machine's device, with all cores: suites [FILTER [PROCESSES]]
here=$(dirname "$(readlink -f "$0")")
cd "$here" || exit 5
export SLIPWAY_SOURCE_DIR="$here" VK_LAYER_PATH="$here/layers" GLIBC_TUNABLES=glibc.rtld.optional_static_tls=1048576
exec ./suites.sh ./model_test "$@"
SCRIPT
chmod +x "$directory/test" "$directory/suites"
echo "with the tests: $(du -sm "$directory" | cut -f1) MB"
