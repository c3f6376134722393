#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A Slurm job array: each task runs one shard of the cases on one GPU.
#
#   sbatch --array=1-4 slurm_array.sh DIRECTORY
#
# A task that is requeued after a failure of its node continues with the cases that it has not run.
#SBATCH --job-name=slipway
#SBATCH --gres=gpu:1
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=slipway.%a.log
exec slipway run "$@" --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
  --resume "results.$SLURM_ARRAY_TASK_ID.jsonl" --timeout 60 --quiet
