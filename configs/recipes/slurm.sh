#!/bin/bash
# A run in parts on a cluster with Slurm:
#
#   sbatch --array=1-8 slurm.sh --env pddl --data DIR --model vllm:NAME \
#          --base-url http://HOST:8000/v1 --seeds 0-9 --out DIR/runs/big
#   heldout merge DIR/runs/whole DIR/runs/big
#
# The nodes share the directory of --out; each part writes only to its own
# directory in it. A part whose node vanishes is queued again and goes on where it
# was. A part with episodes that have no result ends with code 3; the same sbatch
# command tries them again.
#SBATCH --job-name=heldout
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --cpus-per-task=2
#SBATCH --mem=4G
#SBATCH --time=12:00:00
#SBATCH --signal=B:TERM@60
set -euo pipefail

# exec: Slurm's signals to the batch shell (B:) reach heldout itself.
exec "${HELDOUT:-heldout}" run "$@" --shard auto --quiet
