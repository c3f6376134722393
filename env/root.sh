#!/usr/bin/env bash
# Makes the private root: a directory with Debian forky and the packages of packages.txt.
#
#   env/root.sh DIRECTORY      makes DIRECTORY (which must not exist) or fails and leaves nothing
#
# Works as root and as an ordinary user without subordinate ids: the packages are unpacked, not configured
# (mmdebstrap's variant "extract" under fakechroot), and the few things that maintainer scripts would have done and
# that we need are done here. The host needs mmdebstrap, fakechroot, fakeroot and bubblewrap.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
target=$1
work=$target.making.$$
log=$target.log
trap 'rm -rf "$work"' EXIT
mkdir -p "$(dirname "$target")"

packages=$(sed 's/#.*//' "$here/packages.txt" | xargs | tr ' ' ,)

# The mirror's testing suite may be older than its validity date says; its signatures are checked all the same.
mmdebstrap --mode=fakechroot --variant=extract \
  --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='APT::Install-Recommends "false"' \
  --include='?essential' --include="$packages" \
  forky "$work" >"$log" 2>&1 || {
  tail -n 20 "$log" >&2
  echo "env/root.sh: mmdebstrap failed; the whole log is $log" >&2
  exit 1
}

# What maintainer scripts do elsewhere.
link() { [ -e "$work/$2" ] || ln -s "$1" "$work/$2"; }
link g++ usr/bin/c++
link gcc usr/bin/cc
link mawk usr/bin/awk
link clang-21 usr/bin/clang
link clang++-21 usr/bin/clang++
link clang-format-21 usr/bin/clang-format
link clang-tidy-21 usr/bin/clang-tidy
{
  echo 'root:x:0:0:root:/root:/bin/bash'
  [ "$(id -u)" = 0 ] || echo "builder:x:$(id -u):$(id -g):builder:${HOME:-/}:/bin/bash"
} >"$work/etc/passwd"
{
  echo 'root:x:0:'
  [ "$(id -g)" = 0 ] || echo "builder:x:$(id -g):"
} >"$work/etc/group"
mkdir -p "$work/proc" "$work/sys" "$work/dev"
# (libblas and libopenblas are alternatives, which only configured packages have)
echo /usr/lib/x86_64-linux-gnu/openblas-pthread >"$work/etc/ld.so.conf.d/openblas.conf"
bwrap --bind "$work" / --dev /dev --proc /proc --setenv PATH /usr/bin:/usr/sbin ldconfig
rm -rf "$work"/var/cache/apt/archives/*.deb "$work"/var/lib/apt/lists/*
touch "$work/etc/slipway-root"

mv "$work" "$target"
rm -f "$log"
