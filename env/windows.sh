#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds for Windows in a root of its own, and runs programs of Windows in Wine:
#
#   env/windows.sh root               makes the root if it is missing, and prints its path
#   env/windows.sh build [TARGET...]  configures, and builds in build/windows
#   env/windows.sh package            makes build/packages/slipway-VERSION-windows-x86_64.zip, and its manifest for winget
#   env/windows.sh test [PART...]     checks both in Wine (env/windows_tests.sh)
#   env/windows.sh wine COMMAND...    runs a command in the root, which may start programs of build/windows with wine64
#   env/windows.sh shell COMMAND...   runs a command in the root
#
# The root, Debian forky with Wine of trixie and the packages of env/packages-windows.txt, is made once, in the user's cache. Debian
# has no packages of the libraries for mingw-w64: they are built in the root, once, from the sources of Debian. Several checkouts may
# use it at the same time. The prefix of Wine is build/wine, for one command at a time.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/slipway
list=$top/env/packages-windows.txt
archive=http://deb.debian.org/debian

usage() { sed -n '3,15s/^# \{0,1\}//p' "$0" >&2; exit 2; }
say() { echo "windows: $*" >&2; }
die() { say "$*"; exit 5; }

[ $# -ge 1 ] || usage
command=$1
shift
words() { sed 's/#.*//' "$list" | xargs -n 1; }

# A root without libraries, in $making.
make_system() {
  mmdebstrap --mode=fakechroot --variant=extract --architectures=amd64 \
    --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='APT::Install-Recommends "false"' \
    --include="$(words | paste -sd,)" \
    forky "$making" "deb $archive forky main" "deb $archive trixie main"
  mkdir -p "$making"/{proc,sys,dev,tmp,root}
  # A header alone, which is the same for every system.
  ln -s /usr/include/xxhash.h "$making/usr/x86_64-w64-mingw32ucrt/include/"
  ln -sf mawk "$making/usr/bin/awk"
  bwrap --bind "$making" / --dev /dev --proc /proc --setenv PATH /usr/bin:/usr/sbin ldconfig
}

inside() {
  bwrap --bind "${making:-$root}" / --dev /dev --proc /proc --ro-bind /sys /sys --bind /tmp /tmp --bind "$top" "$top" --bind "$cache" "$cache" \
    --chdir "$top" --die-with-parent --unshare-pid --setenv PATH /usr/bin:/usr/sbin:/usr/lib/wine --setenv HOME /root \
    --setenv XDG_CACHE_HOME "$(dirname "$cache")" --setenv CCACHE_DIR "$cache/ccache" --setenv CCACHE_BASEDIR "$top" \
    --setenv CCACHE_NOHASHDIR 1 --setenv CCACHE_PCH_EXTSUM 1 \
    --setenv WINEPREFIX "$top/build/wine" --setenv WINEDEBUG -all --setenv WINEDLLOVERRIDES 'mscoree,mshtml=' \
    --setenv XDG_RUNTIME_DIR /tmp --setenv VK_DRIVER_FILES /usr/share/vulkan/icd.d/lvp_icd.json "$@"
}

# Runs a command, and Wine for the programs that it starts. The server of Wine stays between them; it would otherwise start for each,
# and ends with the namespace of process ids. Its user32 needs zlib, which Debian has elsewhere.
in_wine() {
  mkdir -p "$top/build"
  exec 8>"$top/build/wine.lock"
  flock 8
  inside bash -c '
    system=$WINEPREFIX/drive_c/windows/system32
    mkdir -p "$system"
    cp -u /usr/x86_64-w64-mingw32/lib/zlib1.dll "$system"
    timeout -k 5 60 wineserver64 -p
    timeout -k 5 300 wine64 wineboot -i >/dev/null 2>&1  # (so that services hold no pipe of the command)
    "$@"' bash "$@" 8>&-
}

# Source packages of Debian, and hashes of the archives with the sources.
sources='
zlib=1:1.3.dfsg+really1.3.2-3          7b6903eb019983987b7112eccf90f1703f1c6c0e0cede36564bf611d19ca579d
libspng=0.7.4-2                        47ec02be6c0a6323044600a9221b049f63e1953faf816903e7383d4dc4234487
flatbuffers=23.5.26+dfsg-4             0d309fd2c47bbbebd450e68d1419c336d53d1b8f5ce47e1f1f7f28f452fc6f3b
simdjson=3.0.1-1                       156b1bc5eb0561b2bd166b46d191fd3d95a3e709cc63761477d3b7aec2b6e9ed
spirv-headers=1.6.1+1.4.309.0-1        64ea06bf123c5c063a6be01dd45adec6a30cc0862000781ca18f9104693b722c
spirv-tools=2025.1~rc1-1               6895160d5a842552eda6412440747cbadddd47005957bc43bb03926162686777
glslang=15.1.0+1.4.309.0-1             180f17ea51e6b71bf57b9e0fea78ba3ecd76e3ec8e4c91f0771b922eb22bf4b2
vulkan-loader=1.4.309.0-1              6e37284e5c8ef5f06cef273cc207f0b31cb3b63c1ea2875639e843b01da4e6d7
'
# Headers and CMake packages that are the same for every system.
headers='vulkan vk_video volk.h volk.c vk_mem_alloc.h spirv CL CLI'
packages='VulkanHeaders VulkanMemoryAllocator SPIRV-Headers OpenCLHeaders CLI11'

# Unpacks the archives, which stay in the cache under their hashes.
fetch_sources() {
  local apt=$work/apt kept=$cache/sources options=() package name sum option
  mkdir -p "$apt"/{lists/partial,archives/partial} "$kept"
  printf "deb-src $archive %s main\n" forky trixie bookworm >"$apt/sources.list"
  for option in State="$apt" State::lists="$apt/lists" Cache="$apt" Etc::sourcelist="$apt/sources.list" Etc::sourceparts=/dev/null; do
    options+=(-o "Dir::$option")
  done
  options+=(-o APT::Sandbox::User=root -o Acquire::Check-Valid-Until=false)
  while read -r package sum; do
    [ -n "$package" ] || continue
    name=${package%%=*}
    mkdir -p "$work/$name"
    if [ ! -e "$kept/$sum" ]; then
      [ -e "$apt/updated" ] || apt-get -qq "${options[@]}" update
      touch "$apt/updated"
      (cd "$work/$name" && apt-get -qq "${options[@]}" source --tar-only --download-only "$package")
      sha256sum --quiet --check <<<"$sum  $(echo "$work/$name"/*.orig.tar.*)"
      mv "$work/$name"/*.orig.tar.* "$kept/$sum"
    fi
    tar -C "$work/$name" -xf "$kept/$sum" --strip-components=1
  done <<<"$sources"
}

build_library() {  # NAME OPTIONS OF CMAKE...
  local name=$1
  shift
  echo "== $name"
  inside cmake -S "$work/$name" -B "$work/$name.build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$top/cmake/x86_64-windows.cmake" \
    -DCMAKE_INSTALL_PREFIX="$system" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="-O2 -DNDEBUG" \
    -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache \
    -DCMAKE_POLICY_VERSION_MINIMUM=3.5 -DBUILD_SHARED_LIBS=OFF "$@"
  inside ninja -j "$(nproc)" -C "$work/$name.build" install
}

# In $making. (The directory always has one name, so that the compiler's cache knows the sources.)
build_libraries() {
  local work=$cache/windows-libraries system=/usr/x86_64-w64-mingw32ucrt name
  rm -rf "$work"
  mkdir -p "$work"
  fetch_sources
  mkdir -p "$work/zlib/contrib"
  touch "$work/zlib/contrib/CMakeLists.txt" "$work"/zlib/doc/rfc195{0,1,2}.txt  # Debian's archive is without them
  for name in $headers; do ln -sfn "/usr/include/$name" "$making$system/include/"; done
  mkdir -p "$making$system/share/cmake"
  for name in $packages; do cp -r "$making/usr/share/cmake/$name" "$making$system/share/cmake/"; done
  build_library zlib -DZLIB_BUILD_SHARED=OFF -DZLIB_BUILD_TESTING=OFF
  ln -sf libzs.a "$making$system/lib/libz.a"
  build_library libspng -DSPNG_SHARED=OFF -DBUILD_EXAMPLES=OFF
  build_library flatbuffers -DFLATBUFFERS_BUILD_TESTS=OFF -DFLATBUFFERS_BUILD_FLATC=OFF -DFLATBUFFERS_BUILD_FLATHASH=OFF
  build_library simdjson -DSIMDJSON_DEVELOPER_MODE=OFF
  # What nothing here uses takes half of the time.
  sed -i -e '/^add_subdirectory(\(reduce\|fuzz\|link\|lint\|diff\))/d' -e 's/add_library(${SPIRV_TOOLS}-shared SHARED/& EXCLUDE_FROM_ALL/' \
    -e '/set(SPIRV_TOOLS_TARGETS/s/ ${SPIRV_TOOLS}-shared)$/)/' "$work/spirv-tools/source/CMakeLists.txt"
  build_library spirv-tools -DSPIRV-Headers_SOURCE_DIR="$work/spirv-headers" -DSPIRV_SKIP_TESTS=ON -DSPIRV_SKIP_EXECUTABLES=ON \
    -DSPIRV_WERROR=OFF -DSPIRV_TOOLS_USE_MIMALLOC=OFF
  build_library glslang -DALLOW_EXTERNAL_SPIRV_TOOLS=ON -DENABLE_GLSLANG_BINARIES=OFF \
    -DGLSLANG_TESTS=OFF -DENABLE_PCH=OFF -DENABLE_SPVREMAPPER=OFF
  build_loader
  for name in zlib libspng flatbuffers simdjson spirv-tools glslang; do
    mkdir -p "$making$system/share/licenses/$name"
    cp "$work/$name"/LICENSE* "$making$system/share/licenses/$name/"
  done
  rm -rf "$work"
}

# For tests of the layer. Debian's archive is without the sources that it generates.
build_loader() {
  mkdir "$work/vulkan-loader/loader/generated"
  inside python3 "$work/vulkan-loader/scripts/generate_source.py" --generated-version 1.4.309 "$work/vulkan-loader/vulkan-headers/registry"
  build_library vulkan-loader -DUSE_GAS=ON -DBUILD_TESTS=OFF
}

# Roots that no checkout has used for two weeks are removed.
make_root() {
  local making=$cache/windows.making log=$root.log
  find "$cache" -maxdepth 1 -name 'windows-????????????????' -mtime +14 -exec rm -rf {} +
  rm -rf "$making"
  say "making a root with mingw-w64, libraries and Wine in $root: once, about 500 MB to download and 3 GB of disk"
  # (In the background, because bash ignores -e on the left of `||`.)
  (make_system; build_libraries) >"$log" 2>&1 &
  wait $! || { tail -n 20 "$log" >&2; die "making the root failed; the whole log is $log"; }
  touch "$making/etc/slipway-root"
  mv "$making" "$root"
  rm -f "$log"
}

mkdir -p "$cache/ccache"
root=$cache/windows-$({ sed '/^ *#/d' "$list"; echo "$sources $headers $packages"; declare -f make_system build_library build_libraries build_loader; } |
  sha256sum | cut -c1-16)
exec 9>"$cache/windows.lock"
flock 9
[ -e "$root/etc/slipway-root" ] || make_root
touch "$root"
exec 9>&-
case $command in
  root) echo "$root" ;;
  build)
    [ -e "build/windows/build.ninja" ] || inside cmake --preset windows >&2
    inside ninja -C build/windows "$@"
    ;;
  test) in_wine env/windows_tests.sh build/windows "$@" ;;
  wine)
    [ $# -gt 0 ] || usage
    in_wine "$@"
    ;;
  package)
    version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$top/build/windows/CMakeCache.txt")
    packages=$top/build/packages name=slipway-$version-windows-x86_64
    rm -rf "${packages:?}/$name"* "$packages/winget"
    mkdir -p "$packages/winget"
    inside cmake --install build/windows --prefix "$packages/$name" --strip >/dev/null
    inside env/windows_licences.py "$top" build/windows "$packages/$name"
    (cd "$packages" && inside cmake -E chdir "$packages" cmake -E tar cf "$name.zip" --format=zip "$name")
    sum=$(sha256sum "$packages/$name.zip" | cut -c1-64)
    sed -e "s/@VERSION@/$version/g" -e "s/@SHA256@/${sum^^}/" -e "s/@NAME@/$name/g" "$top/env/winget.yaml.in" >"$packages/winget/slipway.yaml"
    rm -rf "${packages:?}/$name"
    echo "$packages/$name.zip"
    ;;
  shell)
    [ $# -gt 0 ] || set -- bash
    inside "$@"
    ;;
  *) usage ;;
esac
