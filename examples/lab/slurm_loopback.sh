#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Starts a Slurm cluster of one node on the loopback interface, runs slurm_array.sh on it in four tasks, merges the
# results, and stops the cluster: slurm_loopback.sh DIRECTORY
#
# Needs slurmctld, slurmd and munged, and `slipway` in PATH. Run it as root, or in a container.
set -euo pipefail
cases=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
cd "$work"
mkdir -m 755 ctld d
dd if=/dev/urandom of=munge.key bs=1024 count=1 status=none
chmod 400 munge.key
chmod 755 "$work"
munged --foreground --force --key-file="$work/munge.key" --socket="$work/munge.socket" --pid-file="$work/munge.pid" \
  --seed-file="$work/munge.seed" >munged.out 2>&1 &
daemons=("$!")
cat >slurm.conf <<CONF
ClusterName=loopback
SlurmctldHost=$(hostname -s)(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$work/ctld
SlurmdSpoolDir=$work/d
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SelectType=select/cons_tres
GresTypes=gpu
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=$(nproc) Gres=gpu:$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
for ((i = 0; i < $(nproc); ++i)); do
  touch "gpu$i"  # in place of a device file
  echo "Name=gpu File=$work/gpu$i" >>gres.conf
done
export SLURM_CONF=$work/slurm.conf
stop() {
  kill "${daemons[@]}" 2>/dev/null || true
  wait
  rm -rf "$work"
}
trap stop EXIT
for _ in $(seq 100); do [ -S munge.socket ] && break; sleep 0.1; done
slurmctld -D -f "$SLURM_CONF" >slurmctld.out 2>&1 &
daemons+=("$!")
slurmd -D -f "$SLURM_CONF" >slurmd.out 2>&1 &
daemons+=("$!")
for _ in $(seq 100); do sinfo -h -t idle -o %n 2>/dev/null | grep -q . && break; sleep 0.2; done
sbatch --wait --array=1-4 "$here/slurm_array.sh" "$cases" ||
  { tail -n 20 slurmctld.log slurmd.log slipway.*.log; exit 1; }
slipway results merge results.*.jsonl --output all.jsonl
for shard in results.*.jsonl; do echo "$shard: $(grep -c '^{"case"' "$shard") cases"; done
slipway results summary all.jsonl
