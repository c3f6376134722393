#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Shows the progress of a build: ninja ... | env/progress.sh
#
# On a terminal it rewrites one line; otherwise it prints a line every ten seconds. The estimate of the remaining time assumes
# that steps take equally long; it appears after ten seconds and 5 % of the steps. Other output of ninja, such as warnings and
# errors, is passed on.
set -uo pipefail
begin=$SECONDS
shown=$SECONDS
[ -t 2 ] && every=0 || every=10
[ -t 2 ] && end='\033[K' || end='\n'
[ -t 2 ] && start='\r' || start=''
while IFS= read -r line; do
  if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\  ]]; then
    done=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]} elapsed=$((SECONDS - begin))
    if [ $((SECONDS - shown)) -ge "$every" ] && [ "$all" -gt 5 ]; then
      shown=$SECONDS left=
      if [ "$elapsed" -ge 10 ] && [ $((done * 20)) -ge "$all" ]; then
        left=$((elapsed * (all - done) / done))
        [ "$left" -lt 90 ] && left=", about $left s left" || left=", about $(((left + 30) / 60)) minutes left"
      fi
      printf "${start}dev: building: %d of %d steps, %d s%s$end" "$done" "$all" "$elapsed" "$left" >&2
    fi
  elif [[ $line != "ninja: "* || $line == "ninja: error"* ]]; then
    [ ! -t 2 ] || printf '\r\033[K' >&2
    printf '%s\n' "$line" >&2
  fi
done
[ ! -t 2 ] || printf '\r\033[K' >&2
