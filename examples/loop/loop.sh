#!/usr/bin/env bash
# Small models learn from experts of heldout, are served, and are measured: three arms on the same tasks of BabyAI and
# ALFWorld.
#
#   M  one interface
#   R  the interface drawn anew for each task; the prompt tells it
#   E  one interface, with errors and their correction; the errors are masked
#
#   pip install torch transformers trl datasets gguf xllamacpp
#   examples/loop/loop.sh            all of it; or stages by name: data train measure show
#
# The numbers are those of `heldout help loop`. train.py reads SEED, EPOCHS, STEPS and THREADS. To see that all works:
# SEEDS_PER_LEVEL=20 HOUSES=1 STEPS=30, some ten minutes. An evening: SEEDS_PER_LEVEL=4000 HOUSES=1-60 EPOCHS=3, once
# for each of SEED=0, 1 and 2 with an OUT of its own.
set -euo pipefail

ARMS=${ARMS:-M R E}
LEVELS=${LEVELS:-GoToObjS6 GoToLocalS8N7 GoToRedBlueBall PickupLoc PickupDistDebug OpenDoorLoc}
HOUSES=${HOUSES:-1-7} # seeds of generated tasks of ALFWorld
SEEDS_PER_LEVEL=${SEEDS_PER_LEVEL:-600} # small levels repeat worlds; export leaves copies out
STEPS_PER_EPISODE=${STEPS_PER_EPISODE:-10} # of models; experts need two to four
OUT=${OUT:-loop}
DATA=${DATA-}                   # folder of the official tasks, for AgentBoard's sub-goals
PORT=${PORT:-8901}
HELDOUT=${HELDOUT:-heldout} PYTHON=${PYTHON:-python3}

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$OUT"/{experts,sft,models,runs}
kinds=$(printf ',BabyAI-%s-v0' $LEVELS)
official=(--tasks "${kinds#,}") # of the benchmark
[[ -z $DATA ]] || official+=(--data "$DATA")

# Which baseline plays the tasks of an arm, and in which words.
player() {
  case $1 in
    M) echo --model expert ;;
    R) echo --model expert --perturb random:1:4 ;;
    E) echo --model expert-errs ;;
  esac
}

# What is played: of ALFWorld the kinds of tasks with one object.
played() { # ENV
  case $1 in
    babyai) echo --tasks "@$OUT/tasks.txt" ;;
    alfworld) echo --generator-seed "$HOUSES" --tasks pick_and_place_simple,look_at_obj_in_light,$(
      printf 'pick_%s_then_place_in_recep,' clean heat)pick_cool_then_place_in_recep ;;
  esac
}

data() {
  local level first=10000 # the first seed that no benchmark plays
  for level in $LEVELS; do
    seq -f "BabyAI-$level-v0/%.0f" "$first" $((first + SEEDS_PER_LEVEL - 1))
  done >"$OUT/tasks.txt"
  for arm in $ARMS; do
    for env in babyai alfworld; do
      # shellcheck disable=SC2046 # several words
      $HELDOUT run --quiet --env "$env" $(played "$env") $(player "$arm") --out "$OUT/experts/$arm-$env"
      # One puzzle is in one part, in all arms, whatever its seed.
      $HELDOUT export "$OUT/experts/$arm-$env" --format axolotl --success --prompt "$here/$env.yaml" \
        --thoughts "$here/thoughts.yaml" --split train=0.95,unseen=0.05 --force --out "$OUT/sft/$arm-$env.jsonl"
    done
  done
}

train() {
  $PYTHON "$here/train.py" tokenizer "$OUT/models/tokenizer" "$OUT"/sft/*.train.jsonl
  for arm in $ARMS; do
    mkdir -p "$OUT/models/$arm" && cp "$OUT"/models/tokenizer/* "$OUT/models/$arm"
    $PYTHON "$here/train.py" model "$OUT/models/$arm" "$OUT/sft/$arm"-*.train.jsonl
    $PYTHON "$here/to_gguf.py" "$OUT/models/$arm" "$OUT/models/$arm.gguf"
  done
}

tasks_of() { # FILE: the names of its tasks
  grep -o '"task":"[^"]*"' "$1" | cut -d '"' -f 4
}

measure() {
  tasks_of "$OUT/sft/M-babyai.unseen.jsonl" >"$OUT/unseen.txt"
  tasks_of "$OUT/sft/M-alfworld.unseen.jsonl" >"$OUT/houses.txt"
  tasks_of "$OUT/sft/M-babyai.train.jsonl" | shuf -n "$(wc -l <"$OUT/unseen.txt")" --random-source=<(yes) >"$OUT/seen.txt"
  local random=(--model random --quiet --env babyai --step-limit "$STEPS_PER_EPISODE")
  $HELDOUT run "${random[@]}" --tasks "@$OUT/unseen.txt" --out "$OUT/runs/random-unseen"
  $HELDOUT run "${random[@]}" "${official[@]}" --seeds 0-2 --out "$OUT/runs/random-official"
  for arm in $ARMS; do
    $PYTHON "$here/serve.py" "$OUT/models/$arm.gguf" "$PORT" "$arm" >"$OUT/$arm.server.log" 2>&1 &
    server=$!
    trap 'kill $server 2>/dev/null || true' EXIT
    measure_arm "$arm"
    kill "$server" && wait "$server" || true
  done
}

measure_arm() { # ARM
  local to="$OUT/runs/$1"
  local of=(--model "vllm:$1" --base-url "http://127.0.0.1:$PORT/v1" --wait-for-servers 1m --concurrency 16
    --max-tokens 80)
  $HELDOUT run "${of[@]}" --quiet --allow-unusable --env alfworld --generator-seed "$HOUSES" \
    --tasks "@$OUT/houses.txt" --temperature 0 --prompt "$here/alfworld.yaml" --step-limit 15 --out "$to-houses"
  of+=(--env babyai --prompt "$here/babyai.yaml")
  # A model of a few steps of training may give no action at all: a failure, and no reason to stop.
  $HELDOUT doctor "${of[@]}" || true
  of+=(--quiet --allow-unusable --step-limit "$STEPS_PER_EPISODE")
  $HELDOUT run "${of[@]}" --tasks "@$OUT/unseen.txt" --temperature 0 --out "$to-unseen"
  # The same tasks with the interface rewritten; verbs:3 are words of no language.
  shuf -n 69 --random-source=<(yes) "$OUT/unseen.txt" >"$OUT/some.txt"
  $HELDOUT sweep "${of[@]}" --tasks "@$OUT/some.txt" --temperature 0 --out "$to-robust" \
    --perturb verbs:2,verbs:3,arguments:1,names:2,nouns:2,goal:2,order:2,layout:2,lines:2
  $HELDOUT run "${of[@]}" --tasks "@$OUT/seen.txt" --temperature 0 --out "$to-seen"
  # The tasks of the benchmark, in three tries each.
  $HELDOUT run "${of[@]}" "${official[@]}" --seeds 0-2 --temperature 0.7 --out "$to-official"
  $HELDOUT run "${of[@]}" "${official[@]}" --trials 3 --memory 0 --temperature 0.7 --out "$to-trials"
}

show() {
  local runs=$OUT/runs
  $HELDOUT compare "$runs"/?-seen
  $HELDOUT compare "$runs"/*-unseen
  $HELDOUT compare "$runs"/?-houses
  $HELDOUT compare "$runs"/*-official --table headline,best-of
  $HELDOUT compare "$runs"/?-trials --table trials
  $HELDOUT compare "$runs"/?-robust --table indices,families
  $HELDOUT plot "$runs"/?-robust --figure families --out "$OUT/families.svg"
  $HELDOUT plot "$runs"/*-unseen --figure success --out "$OUT/success.svg"
  $HELDOUT plot "$runs"/*-unseen --figure failures --out "$OUT/failures.svg"
  $HELDOUT report "$runs"/* --out "$OUT/report.html"
}

for stage in ${*:-data train measure show}; do
  "$stage"
done
