#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes the private root, a directory with Debian forky and the packages of packages.txt, or adds parts to it.
#
#   env/root.sh DIRECTORY         makes DIRECTORY (which must not exist) or fails and leaves nothing
#   env/root.sh DIRECTORY PART    adds the packages of packages-PART.txt to it
#
# Works as root and as an ordinary user without subordinate ids: the packages are unpacked, not configured
# (mmdebstrap's variant "extract" under fakechroot), and the few things that maintainer scripts would have done and
# that we need are done here. The host needs mmdebstrap, fakechroot, fakeroot and bubblewrap.
#
# SLIPWAY_ARCHIVE is the address of another archive, a dated one for example. DIRECTORY/etc/slipway-packages lists each package
# with its version and hash; `./dev lock` compares the list with env/lock.txt.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
target=$1
part=${2:-}
suite=forky
log=$(mktemp "${TMPDIR:-/tmp}/slipway-root.XXXXXX.log")
failed() {
  tail -n 20 "$log" >&2
  echo "env/root.sh: $1; the whole log is $log" >&2
  exit 1
}
say() { echo "dev: $*" >&2; }

# The keys that sign the archive, where distributions put them.
keyring=
for file in /usr/share/keyrings/debian-archive-keyring.{gpg,pgp} /etc/apt/trusted.gpg.d/debian-archive-*; do
  [ -e "$file" ] && { keyring=$file; break; }
done
[ -n "$keyring" ] || {
  echo "env/root.sh: the keys of Debian's archive are missing; install the package debian-archive-keyring" >&2
  exit 1
}

# Prints the names of the packages: the first alternative of each, or the next one if the first is in `missing`.
missing=()
packages_of() {
  local word name choice
  for word in $(sed 's/#.*//' "$1"); do
    [[ $word != -* ]] || continue
    choice=
    for name in ${word//|/ }; do
      [[ " ${missing[*]} " == *" $name "* ]] || { choice=$name; break; }
    done
    [ -n "$choice" ] || failed "the archive has none of ${word//|/, }"
    echo "$choice"
  done
}
# Finds the packages that the archive lacks, from the messages of apt in the log.
find_missing() {
  local found
  mapfile -t found < <(sed -nE "s/.*Unable to locate package ([^ ]+).*/\1/p; s/.*Package '?([^ ']+)'? has no installation candidate.*/\1/p" "$log" | sort -u)
  [ ${#found[@]} -gt 0 ] || return 1
  missing+=("${found[@]}")
}

# Shows the seconds and the size on disk: rewrites one line on a terminal, otherwise prints a line every ten seconds.
progress() {  # DIRECTORY WHAT MEGABYTES_EXPECTED
  local begin=$SECONDS pause=10 size
  [ -t 2 ] && pause=1
  while sleep "$pause"; do
    size=$(du -sm "$1" 2>/dev/null | cut -f1) || true  # files come and go while it counts
    if [ -t 2 ]; then
      printf '\rdev: %s: %d s, %d of about %d MB \033[K' "$2" $((SECONDS - begin)) "${size:-0}" "$3" >&2
    else
      say "$2: $((SECONDS - begin)) s, ${size:-0} of about $3 MB"
    fi
  done
}
stop_progress() {
  [ -z "${reporter:-}" ] || { kill "$reporter" 2>/dev/null || true; wait "$reporter" 2>/dev/null || true; reporter=; }
  [ ! -t 2 ] || printf '\r\033[K' >&2
}

# Whether the list has `-NAME`: nothing here uses the package, although another package depends on it.
unwanted() {  # LIST NAME
  local pattern
  for pattern in $(sed 's/#.*//' "$1" | tr ' ' '\n' | sed -n 's/^-//p'); do
    # shellcheck disable=SC2053
    [[ $2 != $pattern ]] || return 0
  done
  return 1
}

# Records the packages in DIRECTORY/var/cache/apt/archives as installed, with version and hash. Unwanted ones are removed
# again, and recorded in etc/slipway-removed, because another part may need them.
record() {  # DIRECTORY LIST
  local root=$1 deb name version architecture
  for deb in "$root"/var/cache/apt/archives/*.deb; do
    read -r name version architecture < <(dpkg-deb -W --showformat='${Package} ${Version} ${Architecture}\n' "$deb")
    {
      dpkg-deb -f "$deb" | sed '1a Status: install ok installed'
      echo
    } >>"$root/var/lib/dpkg/status"
    if unwanted "$2" "$name"; then
      dpkg-deb --fsys-tarfile "$deb" | tar -t | grep -v '/$' | (cd "$root" && xargs -d '\n' rm -f)
      echo "$name" >>"$root/etc/slipway-removed"
    else
      echo "$name $version $architecture $(sha256sum "$deb" | cut -d' ' -f1)" >>"$root/etc/slipway-packages"
    fi
  done
  rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/*
}

# Does what the maintainer scripts of the packages would do.
configure() {
  local root=$1 version
  link() { [ -e "$root/$2" ] || [ ! -e "$root/usr/bin/$1" ] || ln -s "$1" "$root/$2"; }
  link g++ usr/bin/c++
  link gcc usr/bin/cc
  link mawk usr/bin/awk
  for version in 21 22 23; do
    for name in clang clang++ clang-format clang-tidy; do link $name-$version usr/bin/$name; done
  done
  # (libblas and libopenblas are alternatives, which only configured packages have)
  [ ! -d "$root/usr/lib/x86_64-linux-gnu/openblas-pthread" ] ||
    echo /usr/lib/x86_64-linux-gnu/openblas-pthread >"$root/etc/ld.so.conf.d/openblas.conf"
  bwrap --bind "$root" / --dev /dev --proc /proc --setenv PATH /usr/bin:/usr/sbin ldconfig
}

# Removes files that are not used here: documents except licences, translations, the C++ bindings of Vulkan, Vulkan drivers for
# devices that no computer with this architecture has, and static libraries of LLVM and MLIR and dialects of MLIR that are not
# linked or included (src/tosa/mlir_archives.txt and src/cpu_compiler/llvm_archives*.txt name those that are). This is half of the
# size of the packages.
trim() {
  local root=$1 keep file lib=$1/usr/lib/x86_64-linux-gnu
  keep=" $(cat "$here/../src/tosa/mlir_archives.txt" "$here"/../src/cpu_compiler/llvm_archives*.txt | tr '\n' ' ') "
  for file in "$root"/usr/lib/llvm-*/lib/*.a; do
    [[ $keep == *" $(basename "$file") "* ]] || rm -f "$file"
  done
  for file in "$root"/usr/lib/llvm-*/include/mlir/Dialect/*; do
    case $(basename "$file") in Func | Quant | Tosa | *.h | *.h.inc) ;; *) rm -rf "$file" ;; esac
  done
  rm -rf "$root"/usr/share/{locale,man,info,zoneinfo,X11,vulkan/registry,cmake-*/Help} "$root"/usr/include/vulkan/*.{hpp,cppm} \
    "$root"/usr/libexec/gcc/*/*/lto1 "$root"/usr/bin/{*-lto-dump-*,cpack,spirv-{reduce,link,diff,lint,opt,objdump},*gp-*,*gprofng*} \
    "$root"/usr/lib/llvm-*/include/llvm/Testing "$root"/usr/include/llvm-*/llvm/Testing "$lib"/gprofng "$lib"/libgprofng* \
    "$lib"/libhwasan.so* "$root"/usr/lib/gcc/*/*/lib{hwasan,lsan,asan,tsan}.a "$lib"/lib{c,m-*,mvec}.a "$lib"/gconv/*.so
  find "$root"/usr/lib/linux/uapi -mindepth 1 -maxdepth 1 ! -name x86 -exec rm -r {} +
  for file in asahi freedreno gfxstream; do
    rm -f "$lib/libvulkan_$file.so" "$root/usr/share/vulkan/icd.d/$file"{,_vk}_icd.json
  done
  for file in "$lib"/lib{xrt,aiebu,cert_dtrace,xilinxopencl}*.a; do
    [ ! -e "$file" ] || : >"$file"  # XRT's CMake package wants the files to exist
  done
  find "$root/usr/share/doc" ! -type d ! -name copyright -delete
}

# Runs apt for the root from outside, with its directories there.
apt_in() {
  local root=$1
  shift
  DEBIAN_FRONTEND=noninteractive apt-get -o Dir="$root" -o Dir::State::status="$root/var/lib/dpkg/status" \
    -o Dir::Etc::Trusted=/etc/apt/trusted.gpg -o Dir::Etc::TrustedParts=/etc/apt/trusted.gpg.d \
    -o Dir::Bin::methods=/usr/lib/apt/methods -o Dir::Bin::solvers=/usr/lib/apt/solvers -o Dir::Bin::planners=/usr/lib/apt/planners \
    -o Dir::Bin::dpkg=/usr/bin/dpkg -o Dir::Log=/tmp -o APT::Sandbox::User= -o Debug::NoLocking=true \
    -o Acquire::Check-Valid-Until=false -o APT::Install-Recommends=false -o APT::Architecture=amd64 -y "$@" >>"$log" 2>&1
}

# The steps after the packages are unpacked.
finish() {
  record "$1" "$2"
  configure "$1"
  trim "$1"
}

if [ -z "$part" ]; then
  work=$target.making.$$
  trap 'stop_progress; rm -rf "$work"' EXIT
  mkdir -p "$(dirname "$target")"
  while :; do
    packages=$(packages_of "$here/packages.txt" | paste -sd,)
    progress "$work" "making the build environment (once)" 3100 &
    reporter=$!
    # The archive's testing suite may be older than its validity date says; its signatures are checked all the same.
    mmdebstrap --mode=fakechroot --variant=extract --skip=download/empty,cleanup/apt \
      --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='APT::Install-Recommends "false"' \
      --include='?essential' --include="$packages" \
      $suite "$work" ${SLIPWAY_ARCHIVE:-} >"$log" 2>&1 && break
    stop_progress
    find_missing || failed "mmdebstrap failed"
    rm -rf "$work"
  done
  stop_progress
  {
    echo 'root:x:0:0:root:/root:/bin/bash'
    [ "$(id -u)" = 0 ] || echo "builder:x:$(id -u):$(id -g):builder:${HOME:-/}:/bin/bash"
  } >"$work/etc/passwd"
  {
    echo 'root:x:0:'
    [ "$(id -g)" = 0 ] || echo "builder:x:$(id -g):"
  } >"$work/etc/group"
  mkdir -p "$work/proc" "$work/sys" "$work/dev"
  finish "$work" "$here/packages.txt"
  touch "$work/etc/slipway-root"
  mv -T "$work" "$target"
else
  trap stop_progress EXIT
  apt_in "$target" update || failed "apt-get update failed"
  while :; do
    mapfile -t packages < <(packages_of "$here/packages-$part.txt")
    while read -r name; do
      unwanted "$here/packages-$part.txt" "$name" || packages+=("$name")
    done <"$target/etc/slipway-removed"
    progress "$target" "adding what $part need (once)" "$(($(du -sm "$target" | cut -f1) + 1300))" &
    reporter=$!
    mkdir -p "$target/var/cache/apt/archives/partial"
    apt_in "$target" install --reinstall --download-only "${packages[@]}" && break
    stop_progress
    find_missing || failed "apt-get could not download the packages of packages-$part.txt"
  done
  # A link to a directory stays a link: /lib is one.
  for deb in "$target"/var/cache/apt/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$target" --keep-directory-symlink --no-same-owner 2>>"$log" ||
      failed "$deb could not be unpacked"
  done
  stop_progress
  finish "$target" "$here/packages-$part.txt"
  : >"$target/etc/slipway-removed"
  touch "$target/etc/slipway-part-$part"
fi
rm -f "$log"
