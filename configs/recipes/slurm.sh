#!/bin/bash
# A run in parts on a cluster with Slurm:
#
#   sbatch --array=1-8 slurm.sh --env pddl --data DIR --model vllm:NAME \
#          --base-url http://HOST:8000/v1 --seeds 0-9 --out DIR/runs/big
#   heldout merge DIR/runs/whole DIR/runs/big
#
# The nodes share the directory of --out; each part writes only to its own
# directory in it. A part whose node vanishes is queued again and resumes where it
# was, and so does one that reaches its time limit: it stops five minutes earlier and
# queues itself. A part with episodes that have no result ends with code 3; the same
# sbatch command tries them again.
#SBATCH --job-name=heldout
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --cpus-per-task=2
#SBATCH --mem=4G
#SBATCH --time=12:00:00
#SBATCH --signal=B:USR1@300
set -euo pipefail

# Before the time limit: a part that has not ended by itself is queued again.
again() {
  local code=0
  kill -TERM "$run" 2>/dev/null || true
  wait "$run" || code=$?
  [ "$code" -lt 128 ] || exec scontrol requeue "$SLURM_JOB_ID"
  exit "$code"
}

"${HELDOUT:-heldout}" run "$@" --set shard=auto --quiet &
run=$!
trap again USR1
# When Slurm ends a job, all its processes get the signal. The node is left once
# heldout has stopped.
trap 'wait "$run"' TERM
wait "$run"
