#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds for another architecture in a root of its own, and runs programs of that architecture in an emulator:
#
#   env/cross.sh ARCHITECTURE root               makes the root if it is missing, and prints its path
#   env/cross.sh ARCHITECTURE build [TARGET...]  configures, and builds in build/ARCHITECTURE
#   env/cross.sh ARCHITECTURE shell COMMAND...   runs a command in the root, where programs of the architecture start as on a machine
#   env/cross.sh ARCHITECTURE host COMMAND...    runs a command of the host, which may start programs of the architecture
#   env/cross.sh ARCHITECTURE package KIND...    makes packages of the build, in build/packages (env/package.py)
#
# The only architecture is aarch64. The root, Debian forky with the packages of env/packages-cross.txt, is made once, in the user's
# cache, with the programs of the host that ./dev needs. SLIPWAY_ARCHIVE is the address of another archive. `shell` and `host` register
# QEMU's user mode in a user namespace of its own, which needs Linux 6.7; the host is not changed. QEMU_CPU chooses a model of CPU.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/slipway
list=$top/env/packages-cross.txt

usage() { sed -n '3,14s/^# \{0,1\}//p' "$0" >&2; exit 2; }
say() { echo "cross: $*" >&2; }
die() { say "$*"; exit 5; }

[ $# -ge 2 ] || usage
architecture=$1
command=$2
shift 2
# The name of the architecture for Debian, and what begins its executable files (binfmt_misc: magic number and mask).
case $architecture in
  aarch64)
    debian=arm64
    magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
    mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
    ;;
  *) say "unknown architecture \`$architecture\`; the only one is aarch64"; exit 2 ;;
esac
triplet=$architecture-linux-gnu
words() { sed "s/#.*//; s/TARGET/$debian/g; s/TRIPLET/$triplet/g" "$list" | xargs -n 1; }

# Prints packages of the architecture as dpkg's list of installed ones, and adds their hashes to the list of the root: env/sbom.py
# names the packages that the program contains.
record() {  # ROOT DEB...
  local root=$1 deb name version its
  shift
  for deb in "$@"; do
    read -r name version its < <(dpkg-deb -W --showformat='${Package} ${Version} ${Architecture}\n' "$deb")
    [ "$its" = "$debian" ] || [ "$its" = all ] || continue
    dpkg-deb -f "$deb" | sed '1a Status: install ok installed'
    echo
    echo "$name $version $its $(sha256sum "$deb" | cut -d' ' -f1)" >>"$root/etc/slipway-packages"
  done
}

# Debian testing with both architectures, unpacked.
make_root() {
  local making=$root.making.$$ log=$root.log deb lists
  say "making a root with a cross compiler in $root: once, about 600 MB to download and 2 GB of disk"
  rm -rf "$cache/cross-$architecture"-????????????????
  mmdebstrap --mode=fakechroot --variant=extract --architectures="amd64,$debian" --skip=download/empty,cleanup/apt \
    --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='APT::Install-Recommends "false"' \
    --include="$(words | grep -v '^+' | paste -sd,)" \
    forky "$making" ${SLIPWAY_ARCHIVE:-} >"$log" 2>&1 || { tail -n 20 "$log" >&2; rm -rf "$making"; die "mmdebstrap failed"; }
  record "$making" "$making"/var/cache/apt/archives/*.deb >"$making/etc/status"
  rm -rf "$making"/var/cache/apt/archives/*.deb
  (cd "$making/var/cache/apt/archives" && words | sed -n 's/^+//p' | xargs apt-get download -o Dir="$making" -o APT::Architecture=amd64 \
    -o APT::Architectures::=amd64 -o APT::Architectures::="$debian" -o Dir::State::status="$making/var/lib/dpkg/status" \
    -o Dir::Etc::Trusted=/etc/apt/trusted.gpg -o Dir::Etc::TrustedParts=/etc/apt/trusted.gpg.d -o Dir::Bin::methods=/usr/lib/apt/methods \
    -o Dir::Bin::solvers=/usr/lib/apt/solvers -o Dir::Bin::planners=/usr/lib/apt/planners -o APT::Sandbox::User= \
    -o Acquire::Check-Valid-Until=false) >>"$log" 2>&1 || { tail -n 20 "$log" >&2; rm -rf "$making"; die "apt-get download failed"; }
  for deb in "$making"/var/cache/apt/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$making" --keep-directory-symlink --no-same-owner --exclude='*.so*' --exclude='./usr/lib/llvm-*/bin'
  done
  record "$making" "$making"/var/cache/apt/archives/*.deb >>"$making/etc/status"
  mv "$making/etc/status" "$making/var/lib/dpkg/status"
  # (these files list what is linked)
  lists=("$top"/src/tosa/mlir_archives.txt "$top"/src/cpu_compiler/llvm_archives*.txt)
  find "$making"/usr/lib/llvm-*/lib -name '*.a' | grep -vFf <(cat "${lists[@]}" | sed 's|^|/|') | xargs rm -f
  rm -rf "$making"/var/cache/apt/archives/*.deb "$making"/var/lib/apt/lists/* "$making"/usr/share/{locale,man,info}
  find "$making/usr/share/doc" ! -type d ! -name copyright -delete
  mkdir -p "$making"/{proc,sys,dev,tmp,root}
  echo 'root:x:0:0:root:/root:/bin/bash' >"$making/etc/passwd"
  ln -sf mawk "$making/usr/bin/awk"
  ln -sf mold "$making/usr/bin/$triplet-ld.mold"  # the name that a cross compiler looks for
  bwrap --bind "$making" / --dev /dev --proc /proc --setenv PATH /usr/bin:/usr/sbin ldconfig
  touch "$making/etc/slipway-root"
  mv "$making" "$root"
  rm -f "$log"
}

inside() {
  bwrap --bind "$root" / --dev /dev --proc /proc --ro-bind /sys /sys --bind /tmp /tmp --bind "$top" "$top" --bind "$cache" "$cache" \
    --chdir "$top" --die-with-parent --setenv PATH /usr/bin:/usr/sbin --setenv HOME /root --setenv XDG_CACHE_HOME "$(dirname "$cache")" \
    --setenv CCACHE_DIR "$cache/ccache" --setenv CCACHE_BASEDIR "$top" \
    --setenv CCACHE_NOHASHDIR 1 --setenv CCACHE_PCH_EXTSUM 1 --setenv SLIPWAY_SOURCE_DIR "$top" \
    --setenv CCACHE_SLOPPINESS pch_defines,time_macros,include_file_mtime,include_file_ctime "$@"
}

# Runs a command of the host in a user namespace in which programs of the architecture are started by QEMU.
emulated() {
  exec unshare --user --map-root-user --mount bash -euc '
    mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
    printf "%s" "$1" >/proc/sys/fs/binfmt_misc/register
    shift
    exec "$@"' bash ":$architecture:M::$magic:$mask:$root/usr/bin/qemu-$architecture:F" "$@"
}

mkdir -p "$cache/ccache"
# The key of the root is what makes it.
root=$cache/cross-$architecture-$({ sed '/^ *#/d' "$list" "$top"/src/{tosa/mlir,cpu_compiler/llvm}_archives*.txt; declare -f record make_root; } | sha256sum | cut -c1-16)
[ -e "$root/etc/slipway-root" ] || make_root
case $command in
  root) echo "$root" ;;
  build)
    [ -e "build/$architecture/build.ninja" ] ||
      inside cmake --preset release -B "build/$architecture" --toolchain "cmake/$architecture.cmake" -DSLIPWAY_XRT=OFF >&2
    inside ninja -C "build/$architecture" "$@"
    ;;
  package)
    SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$top" log -1 --format=%ct 2>/dev/null || echo 0)}
    inside --setenv SOURCE_DATE_EPOCH "$SOURCE_DATE_EPOCH" env/package.py "$top" "$architecture" "$@"
    ;;
  shell)
    [ $# -gt 0 ] || set -- bash
    export -f inside
    export root top cache
    emulated bash -c 'inside "$@"' bash "$@"
    ;;
  host) emulated "$@" ;;
  *) usage ;;
esac
