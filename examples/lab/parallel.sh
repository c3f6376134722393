#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# GNU parallel: COUNT shards, on this machine or on those of --sshlogin: parallel.sh COUNT DIRECTORY [OPTIONS OF PARALLEL]
#
# A shard whose process is killed is started again, and continues with the cases that it has not run.
set -euo pipefail
count=$1 cases=$2
shift 2
# Exit statuses 1, 3, 4 and 5 are verdicts of cases; a process that was killed has a status above 128.
parallel --retries 3 "$@" \
  "slipway run '$cases' --shard {}/$count --resume results.{}.jsonl --timeout 60 --quiet; status=\$?; [ \$status -lt 128 ]" \
  ::: $(seq "$count") 2>parallel.log
slipway results summary results.*.jsonl
