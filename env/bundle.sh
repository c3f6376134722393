#!/usr/bin/env bash
# Packs the program, its loader and its libraries (not the driver) into a relocatable folder: env/bundle.sh TOP PRESET [FOLDER]
#
# The program is started through the bundled dynamic loader, so that it runs on distributions older than the one it was
# built on; Vulkan drivers are the host's. The host's driver libraries find their own dependencies in the host's folders,
# which is why those stand behind the bundle's in the search path.
set -euo pipefail
top=$1
preset=$2
folder=${3:-$top/build/slipway-bundle}
program=$top/build/$preset/bin/slipway

rm -rf "$folder"
mkdir -p "$folder/lib"
strip -o "$folder/lib/slipway" "$program"
copy() { cp -L "$1" "$folder/lib/"; }
ldd "$program" | awk '$2 == "=>" {print $3} $1 ~ /^\// {print $1}' | while read -r library; do copy "$library"; done
# Opened at run time, not linked: the Vulkan loader and what it needs.
loader=$(ldconfig -p | awk '/libvulkan\.so\.1 / {print $NF; exit}')
copy "$loader"
ldd "$loader" | awk '$2 == "=>" {print $3}' | while read -r library; do [ -e "$folder/lib/$(basename "$library")" ] || copy "$library"; done

cat >"$folder/slipway" <<'SCRIPT'
#!/bin/sh
# Starts the bundled program with the bundled loader and libraries. A link to this file under one of the drop-in names
# (scenario-runner) behaves as that tool.
self=$(readlink -f "$0")
here=$(dirname "$self")
host=/usr/lib/x86_64-linux-gnu:/lib/x86_64-linux-gnu:/usr/lib64:/lib64:/usr/lib:/usr/local/nvidia/lib64:/usr/local/nvidia/lib
exec "$here/lib/ld-linux-x86-64.so.2" --library-path "$here/lib:${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$host" \
  --argv0 "$0" "$here/lib/slipway" "$@"
SCRIPT
chmod +x "$folder/slipway"
for name in scenario-runner; do ln -s slipway "$folder/$name"; done
cp -r "$top/examples" "$folder/"
rm -rf "$folder"/examples/*/output
size=$(du -sk "$folder" | cut -f1)
echo "$folder: $((size / 1024)) MB"
[ "$size" -le 40960 ] || { echo "the bundle is larger than 40 MB" >&2; exit 1; }
