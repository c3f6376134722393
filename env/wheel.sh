#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes the Python package, a wheel with the program and all its libraries but the C library, and tests it in a new virtual
# environment:
#
#   env/wheel.sh TOP PRESET [DIRECTORY]
#
# The wheel runs with the C library that its tag names or a newer one, and with Python 3.12 or newer.
set -euo pipefail
top=$1
build=$top/build/$2
directory=${3:-$top/build/wheel}
largest=60 # MB
newest=38  # of glibc 2, which docs/python.md names
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

cmake --install "$build" --prefix "$stage/prefix" >/dev/null
cp -r "$top/python" "$stage/python"
cp "$top/CMakeLists.txt" "$stage/"
package=$stage/python/slipway
mkdir -p "$package/bin" "$package/lib/slipway"
cp "$stage/prefix/bin/slipway" "$package/bin/"
cp -L "$stage"/prefix/lib*/libslipway.so.? "$package/lib/" 2>/dev/null || cp -L "$stage"/prefix/lib/*/libslipway.so.? "$package/lib/"
cp "$build"/lib/slipway/libslipway_cpu.so "$package/lib/slipway/" 2>/dev/null || true # a build without LLVM has none

# All libraries but those of the C library, and Vulkan's loader, which is the distribution's.
for file in "$package"/bin/* "$package"/lib/*.so* "$package"/lib/slipway/*.so; do
  [ -e "$file" ] || continue
  ldd "$file" | awk '$2 == "=>" {print $3}' | while read -r library; do
    name=$(basename "$library")
    case $name in
      libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | ld-linux* | libslipway.so.*) ;;
      *) [ -e "$package/lib/$name" ] || cp -L "$library" "$package/lib/" ;;
    esac
  done
done
find "$package/bin" "$package/lib" -type f -exec strip --strip-unneeded {} +
for file in "$package"/bin/*; do patchelf --set-rpath '$ORIGIN/../lib' "$file"; done
for file in "$package"/lib/*.so*; do patchelf --set-rpath '$ORIGIN' "$file"; done
for file in "$package"/lib/slipway/*.so; do [ ! -e "$file" ] || patchelf --set-rpath '$ORIGIN/..' "$file"; done

mkdir -p "$directory"
rm -f "$directory"/slipway-*.whl
CMAKE_ARGS="-DCMAKE_PREFIX_PATH=$stage/prefix" python3 -m build --no-isolation --wheel --outdir "$directory" "$stage/python" \
  >"$stage/log" 2>&1 || { tail -n 40 "$stage/log" >&2; exit 1; }
wheel=$(ls "$directory"/slipway-*.whl)
# The tag of the newest symbols of the C library that the files need: the wheel contains every other library.
python3 -m zipfile -e "$wheel" "$stage/unpacked"
glibc=$({ find "$stage/unpacked" -type f -exec objdump -T {} + 2>/dev/null || true; } | grep -o 'GLIBC_2\.[0-9]*' | cut -d. -f2 | sort -n | tail -n 1)
[ "$glibc" -le "$newest" ] || { echo "the wheel needs glibc 2.$glibc" >&2; exit 1; }
python3 -m wheel tags --remove --platform-tag "manylinux_2_${glibc}_$(uname -m)" "$wheel" >/dev/null
wheel=$(ls "$directory"/slipway-*.whl)
python3 "$top/tests/manylinux.py" --self-test
python3 "$top/tests/manylinux.py" "$wheel"
size=$(du -m "$wheel" | cut -f1)
echo "$wheel: $size MB"
[ "$size" -le "$largest" ] || { echo "the wheel is larger than $largest MB" >&2; exit 1; }

# numpy, pytest and the installer are the distribution's.
python3 -m venv --without-pip --system-site-packages "$stage/environment"
"$stage/environment/bin/python" -m installer "$wheel"
cd "$stage" # away from the sources
"$stage/environment/bin/slipway" --version
SLIPWAY_SOURCE_DIR=$top "$stage/environment/bin/python" -m pytest -q -p no:cacheprovider "$top/python/tests"
