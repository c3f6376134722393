#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests the packages of a directory in clean roots of Debian, as an ordinary user and without a network:
#
#   env/test_packages.sh [--architecture ARCHITECTURE] DIRECTORY [KIND...]
#
# Packages of another architecture than that of this machine (aarch64) run in an emulator (env/cross.sh).
# The kinds are tarball, run, deb, image, tarball-full, run-full (all of them without arguments) and wheel. Those with `full` are tested
# in a root without a Vulkan loader and driver (env/packages-bare.txt). The root has the essential packages of Debian
# stable and those of env/packages-stable.txt; that of the wheel, which runs with the C library of the build environment, those of
# Debian forky and env/packages-wheel.txt. A root is made once, in the user's cache, with the programs of the host that ./dev needs
# (mmdebstrap, fakechroot, bubblewrap). SLIPWAY_STABLE_ARCHIVE and SLIPWAY_ARCHIVE are the addresses of other archives.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
architecture=$(uname -m)
if [ "${1:-}" = --architecture ]; then architecture=$2; shift 2; fi
packages=$(cd "$1" && pwd)
cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/slipway
mkdir -p "$cache"
work=$(mktemp -d "$cache/packages.XXXXXX")

say() { echo "packages: $*" >&2; }
die() {
  say "FAILED: $*"
  exit 1
}

case $architecture in
  x86_64) debian=amd64 ;;
  aarch64) debian=arm64 ;;
  *) say "unknown architecture \`$architecture\`; the architectures are x86_64 and aarch64"; exit 2 ;;
esac
# Starts bwrap for a root of the architecture.
sandbox() {
  if [ "$architecture" = "$(uname -m)" ]; then bwrap "$@"; else "$top/env/cross.sh" "$architecture" host bwrap "$@"; fi
}

# make_root ROOT SUITE LIST ARCHIVE: Debian, unpacked, with the state of dpkg that an installation has.
make_root() {
  local root=$1 suite=$2 list=$3 archive=$4 making=$1.making.$$ deb name
  say "making a root of Debian $suite for $debian in $root: once, about 120 MB to download and 500 MB of disk"
  rm -rf "${root%-*}"-????????????????
  mmdebstrap --mode=fakechroot --variant=extract --architectures="$debian" --skip=download/empty,cleanup/apt,check/qemu \
    --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='APT::Install-Recommends "false"' \
    --include='?essential' --include="$(sed 's/#.*//' "$list" | xargs | tr ' ' ,)" \
    "$suite" "$making" $archive >"$work/log" 2>&1 || { tail "$work/log" >&2; die "mmdebstrap failed"; }
  for deb in "$making"/var/cache/apt/archives/*.deb; do
    name=$(dpkg-deb -f "$deb" Package)
    { dpkg-deb -f "$deb" | sed '1a Status: install ok installed'; echo; } >>"$making/var/lib/dpkg/status"
    dpkg-deb --fsys-tarfile "$deb" | tar -t | sed 's|^\.||; s|/$||; s|^$|/.|' >"$making/var/lib/dpkg/info/$name.list"
  done
  rm -rf "$making"/var/cache/apt/archives/*.deb "$making"/var/lib/apt/lists/* "$making"/usr/share/{locale,man,info}
  printf 'root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/home/user:/bin/sh\n' >"$making/etc/passwd"
  printf 'root:x:0:\nuser:x:1000:\n' >"$making/etc/group"
  ln -sf mawk "$making/usr/bin/awk"
  # The implementation of an interface that numpy uses is chosen by the scripts of packages.
  for name in blas lapack; do
    deb=$(cd "$making" && ls usr/lib/*/$name/lib$name.so.3 2>/dev/null) || continue
    ln -sf "$name/lib$name.so.3" "$making/${deb%/$name/*}/"
  done
  mkdir -p "$making"/{proc,dev,tmp,home/user,packages,test,opt}
  # The list of certificates that pip reads at its start, without a network too.
  if [ -d "$making/usr/share/ca-certificates" ]; then
    cat "$making"/usr/share/ca-certificates/mozilla/*.crt >"$making/etc/ssl/certs/ca-certificates.crt"
  fi
  sandbox --bind "$making" / --dev /dev --proc /proc --setenv PATH /usr/bin:/usr/sbin ldconfig
  touch "$making/etc/slipway-root"
  mv "$making" "$root"
}

# use_root NAME SUITE LIST ARCHIVE: sets `root`, and makes it if it is missing. Its key is what makes it.
use_root() {
  local name=$1
  [ "$architecture" = x86_64 ] || name=$1-$architecture
  root=$cache/$name-$({ sed '/^ *#/d' "$3"; declare -f make_root; } | sha256sum | cut -c1-16)
  [ -e "$root/etc/slipway-root" ] || make_root "$root" "$2" "$3" "$4"
}

# as_user ROOT COMMAND...: what a user of ROOT sees: no network, a home directory of their own ($work/home), nothing of the host.
as_user() {
  local system=$1
  shift
  mkdir -p "$work/home"
  sandbox --unshare-user --uid 1000 --gid 1000 --unshare-net --unshare-ipc --die-with-parent --ro-bind "$system" / --dev /dev --proc /proc \
    --tmpfs /tmp --bind "$work/home" /home/user --ro-bind "$packages" /packages --clearenv --setenv HOME /home/user \
    --setenv PATH /usr/bin:/bin --chdir /home/user "$@"
}

# What every package must do; $1 is how a user starts the program, $2 where its examples are.
use='
set -eu
slipway=$1
examples=$2
rm -rf work && mkdir work && cp -rL "$examples" work/examples && cd work
[ "$(id -u)" = 1000 ]
"$slipway" --version
"$slipway" devices | tee devices.txt
grep -q llvmpipe devices.txt
"$slipway" run examples/hello/scenario.json
"$slipway" convert examples/mixed_model/model.graph -o model.vgf --verify
"$slipway" run model.vgf
"$slipway" run examples/sandwich/scenario.json
"$slipway" run examples/saxpy_recipe/recipe.json --profile examples/saxpy_recipe/profile.json
"$slipway" run "$examples/convert_pool/recipe.json" --profile "$examples/convert_pool/profile.json"
"$slipway" run examples/triangle/scenario.json
"$slipway" compile examples/triangle/triangle.rpl --entry vertex=vertex_main --entry fragment=fragment_main -o triangle
"$slipway" inspect examples/kernel_info/saxpy.zebin | tee zebin.txt
grep -q "kernel .saxpy.: simd 16" zebin.txt
# A check that must fail shows that success means something.
sed "s/\"dims\"/\"dimz\"/; s/\"size\"/\"sizf\"/" examples/hello/scenario.json >examples/hello/wrong.json
status=0; "$slipway" check examples/hello/wrong.json 2>/dev/null || status=$?
[ "$status" = 3 ]
'

# has_documents DIRECTORY [--part]: what must come with the program. With --part, libraries of the distribution are not inside.
has_documents() {
  local name
  for name in LICENSE NOTICE sbom.spdx.json licences schema/scenario.schema.json; do
    [ -e "$1/$name" ] || die "$1 has no $name"
  done
  "$top/dev" shell python3 "$top/tests/bundle.py" "$top" --check "$@" || die "$1 has a wrong list of components"
  "$top/dev" shell python3 "$top/tests/hardening.py" "$1/lib/slipway" || die "$1/lib/slipway lacks protections"
}

# The one file of the packages whose name has that end.
package() {
  local found=("$packages"/*"$1")
  [ ${#found[@]} = 1 ] && [ -f "${found[0]}" ] || die "$packages does not have one file *$1; remove old versions"
  basename "${found[0]}"
}

test_tarball() {
  local name
  name=$(package -linux-$architecture.tar.gz)
  rm -rf "$work/home"
  as_user "$root" tar -xzf "/packages/$name"
  name=${name%.tar.gz}
  has_documents "$work/home/$name"
  as_user "$root" sh -c "$use" sh "/home/user/$name/slipway" "/home/user/$name/examples"
  # It runs from another place, through a link, and under the name of another tool.
  mv "$work/home/$name" "$work/home/moved here"
  ln -s "moved here/slipway" "$work/home/linked"
  ln -s "moved here/slipway" "$work/home/scenario-runner"
  as_user "$root" ./linked run work/examples/hello/scenario.json
  as_user "$root" ./scenario-runner --version
}

# In a root with nothing: the driver of the package is used, and doctor says so. With a driver in the root that one is used.
test_tarball_full() {
  local name
  name=$(package -linux-$architecture-full.tar.xz)
  rm -rf "$work/home"
  [ -z "$(ls "$root"/usr/share/vulkan/icd.d "$root"/usr/lib/*/libvulkan.so.1 2>/dev/null)" ] || die "the root has a driver"
  as_user "$root" tar -xJf "/packages/$name"
  name=${name%-full.tar.xz}
  has_documents "$work/home/$name"
  as_user "$root" sh -c "$use" sh "/home/user/$name/slipway" "/home/user/$name/examples"
  as_user "$root" "$name/slipway" doctor >"$work/doctor"
  grep -q '^ok .*software driver: this machine has no other driver' "$work/doctor" || { cat "$work/doctor"; die "doctor does not name the driver"; }
  use_root stable stable "$top/env/packages-stable.txt" "${SLIPWAY_STABLE_ARCHIVE:-}"
  as_user "$root" "$name/slipway" doctor >"$work/doctor"
  ! grep -q 'software driver:' "$work/doctor" || die "the driver of the package is used although there is another one"
}

test_run_full() {
  local name
  name=$(package -linux-$architecture-full.run)
  rm -rf "$work/home"
  as_user "$root" "/packages/$name" --version
  as_user "$root" sh -c "$use" sh "/packages/$name" "/home/user/.cache/slipway/run/$(ls "$work/home/.cache/slipway/run")/examples"
}

test_run() {
  local name file pids=() pid status
  name=$(package -linux-$architecture.run)
  rm -rf "$work/home"
  # Four first starts at the same time.
  for _ in 1 2 3 4; do
    as_user "$root" "/packages/$name" --version >"$work/version.$_" &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || die "$name: a start beside others failed"; done
  file=$(ls "$work/home/.cache/slipway/run")
  [[ $file =~ ^[0-9a-f]{16}$ ]] || die "the cache has $file"
  [ "$(ls -A "$work/home/.cache/slipway/run")" = "$file" ] || die "the cache has more than one directory"
  as_user "$root" sh -c "$use" sh "/packages/$name" "/home/user/.cache/slipway/run/$file/examples"
  as_user "$root" sh -c 'ln -s "$1" vgf_dump && ./vgf_dump --help >/dev/null' sh "/packages/$name"
  # A damaged file is refused and leaves nothing; nothing to write to is a message.
  rm -rf "$work/home"
  mkdir "$work/home"
  head -c -1000 "$packages/$name" >"$work/home/damaged.run"
  status=0
  as_user "$root" sh damaged.run --version 2>"$work/message" || status=$?
  [ "$status" = 5 ] && grep -q 'is damaged' "$work/message" || die "a damaged file: status $status, $(cat "$work/message")"
  [ -z "$(ls -A "$work/home/.cache/slipway/run")" ] || die "a damaged file was unpacked"
  status=0
  as_user "$root" env XDG_CACHE_HOME=/usr "/packages/$name" --version 2>"$work/message" || status=$?
  [ "$status" = 5 ] && grep -q 'cannot make the directory' "$work/message" || die "no cache: status $status, $(cat "$work/message")"
}

test_deb() {
  local name system=$work/deb library owner
  name=$(package _$debian.deb)
  rm -rf "$work/home"
  cp -al "$root" "$system"
  as_root() {
    sandbox --unshare-user --uid 0 --gid 0 --unshare-net --die-with-parent --bind "$system" / --dev /dev --proc /proc --tmpfs /tmp \
      --ro-bind "$packages" /packages --clearenv --setenv HOME /root --setenv PATH /usr/bin:/usr/sbin --setenv DEBIAN_FRONTEND noninteractive "$@"
  }
  as_root dpkg --install "/packages/$name"
  [ "$(as_root dpkg-query -W -f '${db:Status-Status}' slipway)" = installed ] || die "$name is not installed"
  has_documents "$system/usr/lib/slipway" --part
  # What its files link is inside, or in a package that it depends on.
  as_root dpkg-query -W -f '${Depends}\n' slipway | tr , '\n' | sed 's/^ *//; s/ .*//' >"$work/depends"
  for library in $("$top/dev" shell sh -c 'readelf -dW "$1"/*' sh "$system/usr/lib/slipway/lib" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u) libvulkan.so.1; do
    [ ! -e "$system/usr/lib/slipway/lib/$library" ] || continue
    owner=$(as_root dpkg-query -S "*/$library" | sed 's/:.*//' | sort -u)
    grep -qFx "$owner" "$work/depends" || die "$name does not depend on $owner, which has $library"
    say "$library is from $owner"
  done
  as_user "$system" sh -c "$use" sh slipway /usr/share/doc/slipway/examples
  as_user "$system" scenario-runner --version
  as_root dpkg --purge slipway
  [ ! -e "$system/usr/lib/slipway" ] && [ ! -L "$system/usr/bin/slipway" ] || die "$name leaves files when it is removed"
  rm -rf "$system"
}

# The steps of Dockerfile.run, of which `apt-get install` has been done: what it installs is in the root.
test_image() {
  local system=$work/image line installed wanted entry user
  wanted=$(sed -n 's/^RUN apt-get update && apt-get install -y --no-install-recommends \([^&]*\) && .*/\1/p' "$top/Dockerfile.run" | xargs)
  [ -n "$wanted" ] && grep -q '^FROM debian:stable-slim$' "$top/Dockerfile.run" || die "Dockerfile.run: the first steps have another form"
  for installed in $wanted; do
    [ -e "$root/var/lib/dpkg/info/$installed.list" ] || die "Dockerfile.run installs $installed; add it to env/packages-stable.txt"
  done
  rm -rf "$work/home"
  cp -al "$root" "$system"
  tar -xzf "$packages/$(package -linux-$architecture.tar.gz)" -C "$system/opt" --no-same-owner
  grep -qFx 'ADD slipway-*-linux-*.tar.gz /opt/' "$top/Dockerfile.run" || die "Dockerfile.run adds another file"
  while IFS= read -r line; do
    sandbox --unshare-user --uid 0 --gid 0 --unshare-net --bind "$system" / --dev /dev --proc /proc --setenv PATH /usr/bin:/usr/sbin \
      sh -ec "$line" || die "Dockerfile.run: $line"
  done < <(sed -n 's/^RUN //p' "$top/Dockerfile.run" | grep -v '^apt-get ')
  entry=$(sed -n 's/^ENTRYPOINT \["\(.*\)"\]$/\1/p' "$top/Dockerfile.run")
  user=$(sed -n 's/^USER \([0-9]*\):.*/\1/p' "$top/Dockerfile.run")
  [ "$user" = 1000 ] || die "Dockerfile.run has no ordinary user"
  [ -w "$system/work" ] || die "Dockerfile.run has no directory to work in"
  as_user "$system" env PATH="$(sed -n 's/^ENV PATH=//p' "$top/Dockerfile.run")" sh -c "$use" sh "$entry" /opt/slipway/examples
  rm -rf "$system"
}

# The wheel in a virtual environment, installed with pip, and the tests of the package.
test_wheel() {
  local name
  name=$(package _$architecture.whl)
  rm -rf "$work/home"
  mkdir -p "$work/home"
  cp -r "$top/python/tests" "$work/home/tests"
  # The tests read files of these directories.
  mkdir "$work/home/project"
  cp -rL "$top/examples" "$top/docs" "$work/home/project/"
  as_user "$root" sh -euc '
    [ "$(id -u)" = 1000 ]
    python3 -m venv --system-site-packages environment
    environment/bin/pip install --quiet --no-index --no-deps "/packages/$1"
    environment/bin/slipway --version
    environment/bin/python -m slipway devices | tee devices.txt
    grep -q llvmpipe devices.txt
    environment/bin/python -c "import slipway; print(slipway.__version__, slipway.__file__)"
    SLIPWAY_SOURCE_DIR=/home/user/project environment/bin/python -m pytest -q -p no:cacheprovider tests
    environment/bin/pip uninstall --quiet --yes slipway
    ! environment/bin/python -c "import slipway" 2>/dev/null
    [ ! -e environment/bin/slipway ]' sh "$name"
}

kinds=("${@:2}")
[ ${#kinds[@]} -gt 0 ] || kinds=(tarball run deb image tarball-full run-full)
root=
trap '[ "$BASHPID" != $$ ] || rm -rf "$work" "$root.making.$$"' EXIT
for kind in "${kinds[@]}"; do
  declare -F "test_${kind//-/_}" >/dev/null || die "unknown kind \`$kind\`"
  if [ "$kind" = wheel ]; then
    use_root wheel forky "$top/env/packages-wheel.txt" "${SLIPWAY_ARCHIVE:-}"
  elif [[ $kind = *-full ]]; then
    use_root bare stable "$top/env/packages-bare.txt" "${SLIPWAY_STABLE_ARCHIVE:-}"
  else
    use_root stable stable "$top/env/packages-stable.txt" "${SLIPWAY_STABLE_ARCHIVE:-}"
  fi
  begin=$SECONDS
  # Not in a condition, in which a failure within would be ignored.
  set +e
  (set -e; "test_${kind//-/_}") >"$work/$kind.log" 2>&1
  status=$?
  set -e
  [ $status = 0 ] || { cat "$work/$kind.log" >&2; die "$kind"; }
  grep '^packages: ' "$work/$kind.log" >&2 || true
  say "$kind: ok, $((SECONDS - begin)) s"
done
