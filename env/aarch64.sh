#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds for Linux on ARM and runs unit tests in an emulator: env/aarch64.sh [MODULE...]
#
# The tests are those of the modules that need no device, or of the ones that are named. The root with the cross compiler is made
# once, in the user's cache, with the programs of the host that ./dev needs. SLIPWAY_ARCHIVE is the address of another archive.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/slipway
list=$top/env/packages-aarch64.txt
modules=(base json tensor zeinfo spirv shader vgf rpl tosa reference lower convert)
[ $# = 0 ] || modules=("$@")

say() { echo "aarch64: $*" >&2; }
die() { say "$*"; exit 5; }
words() { sed 's/#.*//' "$list" | xargs -n 1; }

# Debian testing with both architectures, unpacked.
make_root() {
  local making=$root.making.$$ log=$root.log deb
  say "making a root with a cross compiler in $root: once, about 500 MB to download and 1.6 GB of disk"
  rm -rf "$cache"/cross-????????????????
  mmdebstrap --mode=fakechroot --variant=extract --architectures=amd64,arm64 --skip=download/empty,cleanup/apt \
    --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='APT::Install-Recommends "false"' \
    --include="$(words | grep -v '^+' | paste -sd,)" \
    forky "$making" ${SLIPWAY_ARCHIVE:-} >"$log" 2>&1 || { tail -n 20 "$log" >&2; rm -rf "$making"; die "mmdebstrap failed"; }
  rm -rf "$making"/var/cache/apt/archives/*.deb
  (cd "$making/var/cache/apt/archives" && words | sed -n 's/^+//p' | xargs apt-get download -o Dir="$making" -o APT::Architecture=amd64 \
    -o APT::Architectures::=amd64 -o APT::Architectures::=arm64 -o Dir::State::status="$making/var/lib/dpkg/status" \
    -o Dir::Etc::Trusted=/etc/apt/trusted.gpg -o Dir::Etc::TrustedParts=/etc/apt/trusted.gpg.d -o Dir::Bin::methods=/usr/lib/apt/methods \
    -o Dir::Bin::solvers=/usr/lib/apt/solvers -o Dir::Bin::planners=/usr/lib/apt/planners -o APT::Sandbox::User= \
    -o Acquire::Check-Valid-Until=false) >>"$log" 2>&1 || { tail -n 20 "$log" >&2; rm -rf "$making"; die "apt-get download failed"; }
  for deb in "$making"/var/cache/apt/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$making" --keep-directory-symlink --no-same-owner --exclude='*.so*' --exclude='./usr/lib/llvm-*/bin'
  done
  # (mlir_archives.txt lists what is linked)
  find "$making"/usr/lib/llvm-*/lib -name '*.a' | grep -vFf <(sed 's|^|/|' "$top/src/tosa/mlir_archives.txt") | xargs rm -f
  rm -rf "$making"/var/cache/apt/archives/*.deb "$making"/var/lib/apt/lists/* "$making"/usr/share/{locale,man,info,doc}
  mkdir -p "$making"/{proc,sys,dev,tmp,root}
  echo 'root:x:0:0:root:/root:/bin/bash' >"$making/etc/passwd"
  bwrap --bind "$making" / --dev /dev --proc /proc --setenv PATH /usr/bin:/usr/sbin ldconfig
  mv "$making" "$root"
  rm -f "$log"
}

inside() {
  bwrap --bind "$root" / --dev /dev --proc /proc --bind /tmp /tmp --bind "$top" "$top" --bind "$cache" "$cache" --chdir "$top" --die-with-parent \
    --setenv PATH /usr/bin:/usr/sbin --setenv HOME /root --setenv CCACHE_DIR "$cache/ccache" --setenv CCACHE_BASEDIR "$top" \
    --setenv CCACHE_NOHASHDIR 1 --setenv CCACHE_PCH_EXTSUM 1 --setenv SLIPWAY_SOURCE_DIR "$top" \
    --setenv CCACHE_SLOPPINESS pch_defines,time_macros,include_file_mtime,include_file_ctime "$@"
}

mkdir -p "$cache/ccache"
# The key of the root is what makes it.
root=$cache/cross-$({ sed '/^ *#/d' "$list"; declare -f make_root; } | sha256sum | cut -c1-16)
[ -d "$root" ] || make_root
inside cmake --preset release -B build/aarch64 --toolchain cmake/aarch64.cmake -DSLIPWAY_XRT=OFF
inside ninja -C build/aarch64 "${modules[@]/%/_test}"
status=0
for module in "${modules[@]}"; do
  inside aarch64-linux-gnu-readelf -h "build/aarch64/bin/${module}_test" | grep -q 'Machine: *AArch64' || die "${module}_test is for another machine"
  inside qemu-aarch64 "build/aarch64/bin/${module}_test" --gtest_brief=1 || { say "${module}_test failed"; status=1; }
done
exit $status
