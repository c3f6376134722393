#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds for Windows in a root of its own, and runs programs of Windows in Wine:
#
#   env/windows.sh root               makes the root if it is missing, and prints its path
#   env/windows.sh build [TARGET...]  configures, and builds in build/windows
#   env/windows.sh test               runs the tests of build/windows in Wine, one process for each program
#   env/windows.sh shell COMMAND...   runs a command in the root
#
# The root, Debian forky with Wine of trixie and the packages of env/packages-windows.txt, is made once, in the user's cache.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/slipway
list=$top/env/packages-windows.txt
archive=http://deb.debian.org/debian

usage() { sed -n '3,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }
say() { echo "windows: $*" >&2; }
die() { say "$*"; exit 5; }

[ $# -ge 1 ] || usage
command=$1
shift
words() { sed 's/#.*//' "$list" | xargs -n 1; }

make_root() {
  local making=$root.making.$$ log=$root.log
  say "making a root with mingw-w64 and Wine in $root: once, about 500 MB to download and 2 GB of disk"
  rm -rf "$cache/windows"-????????????????
  mmdebstrap --mode=fakechroot --variant=extract --architectures=amd64 \
    --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='APT::Install-Recommends "false"' \
    --include="$(words | paste -sd,)" \
    forky "$making" "deb $archive forky main" "deb $archive trixie main" >"$log" 2>&1 ||
    { tail -n 20 "$log" >&2; rm -rf "$making"; die "mmdebstrap failed"; }
  mkdir -p "$making"/{proc,sys,dev,tmp,root}
  # A header alone, which is the same for every system.
  ln -s /usr/include/xxhash.h "$making/usr/x86_64-w64-mingw32ucrt/include/"
  ln -sf mawk "$making/usr/bin/awk"
  bwrap --bind "$making" / --dev /dev --proc /proc --setenv PATH /usr/bin:/usr/sbin ldconfig
  touch "$making/etc/slipway-root"
  mv "$making" "$root"
  rm -f "$log"
}

inside() {
  bwrap --bind "$root" / --dev /dev --proc /proc --ro-bind /sys /sys --bind /tmp /tmp --bind "$top" "$top" --bind "$cache" "$cache" \
    --chdir "$top" --die-with-parent --setenv PATH /usr/bin:/usr/sbin:/usr/lib/wine --setenv HOME /root \
    --setenv XDG_CACHE_HOME "$(dirname "$cache")" --setenv CCACHE_DIR "$cache/ccache" --setenv CCACHE_BASEDIR "$top" \
    --setenv CCACHE_NOHASHDIR 1 --setenv CCACHE_PCH_EXTSUM 1 \
    --setenv WINEPREFIX /root/wine --setenv WINEDEBUG -all --setenv WINEDLLOVERRIDES 'mscoree,mshtml=' "$@"
}

mkdir -p "$cache/ccache"
root=$cache/windows-$({ sed '/^ *#/d' "$list"; declare -f make_root; } | sha256sum | cut -c1-16)
[ -e "$root/etc/slipway-root" ] || make_root
case $command in
  root) echo "$root" ;;
  build)
    [ -e "build/windows/build.ninja" ] || inside cmake --preset windows >&2
    inside ninja -C build/windows "$@"
    ;;
  test)
    programs=("$top"/build/windows/bin/*_test.exe)
    [ -e "${programs[0]}" ] || die "there are no tests in build/windows"
    # The server of Wine stays between the programs; it would otherwise start for each. Its user32 needs zlib, which Debian has elsewhere.
    inside bash -c '
      system=$WINEPREFIX/drive_c/windows/system32
      mkdir -p "$system"
      cp -u /usr/x86_64-w64-mingw32/lib/zlib1.dll "$system"
      wineserver64 -p
      [ -e "$WINEPREFIX/system.reg" ] || wine64 wineboot -i >/dev/null 2>&1
      status=0
      for program in "$@"; do
        echo "== ${program##*/}"
        timeout 300 wine64 "$program" --gtest_brief=1 || status=1
      done
      wineserver64 -k
      exit $status' bash "${programs[@]}"
    ;;
  shell)
    [ $# -gt 0 ] || set -- bash
    inside "$@"
    ;;
  *) usage ;;
esac
