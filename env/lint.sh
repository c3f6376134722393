#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# clang-tidy over source files: env/lint.sh TOP PRESET [FILE...]; without files, over all in src
#
# What is read are the units of a build with clang, which finds generated headers in the build of the preset: most checks spend their
# time on the headers of a unit, and a unit is many files. Files that such a build does not compile, as those of another system, are left
# out.
set -euo pipefail
top=$1 preset=$2
shift 2
cd "$top"
cmake --preset lint >build/lint.log || { cat build/lint.log; exit 1; }
commands=build/lint/compile_commands.json
sed -i "s#build/lint/generated#build/$preset/generated#g" "$commands"
[ $# -gt 0 ] || { mapfile -t files < <(find src -name '*.cpp'); set -- "${files[@]}"; }
wanted=$(realpath --relative-to=. "$@")
mapfile -t units < <(sed -n 's/^ *"file": "\(.*\)",*$/\1/p' "$commands" | while read -r unit; do
  case $unit in
    */Unity/*) files=$(sed -n 's/^#include "\(.*\)"/\1/p' "$unit") ;;
    *) files=${unit#"$PWD"/} ;;
  esac
  if grep -Fxq "$wanted" <<<"$files"; then echo "$unit"; fi
done)
[ ${#units[@]} -gt 0 ] || { echo "lint: this build compiles none of these files" >&2; exit 2; }
printf '%s\0' "${units[@]}" | xargs -0 -P "$(nproc)" -n 1 clang-tidy -p build/lint --quiet
