#!/usr/bin/env bash
# Small models learn from experts of heldout, are served, and are measured: three arms on the same tasks, each trained
# with several seeds, in BabyAI and, if ENVS names pddl, in blockworld.
#
#   M  one interface
#   R  the interface drawn anew for each task, but for the words for things; the prompt tells it
#   E  one interface, with errors and their correction; the errors are masked
#
#   pip install torch transformers trl datasets gguf xllamacpp
#   examples/loop/loop.sh            all of it; or stages by name: data train measure show
#
# The numbers are those of docs/loop. To see that all works:
# ENVS='babyai pddl' SEEDS_PER_LEVEL=20 TABLES=10 SEEDS='0 1' STEPS=30.
set -euo pipefail

ENVS=${ENVS:-babyai} # or pddl, or both
ARMS=${ARMS:-M R E}
SEEDS=${SEEDS:-0 1 2} # of trainings
LEVELS=${LEVELS:-GoToObjS6 GoToLocalS8N7 GoToRedBlueBall PickupLoc PickupDistDebug OpenDoorLoc}
SEEDS_PER_LEVEL=${SEEDS_PER_LEVEL:-600} # small levels repeat worlds; export leaves copies out
TABLES=${TABLES:-600} # seeds of generated tasks of blockworld, ten tasks each
OUT=${OUT:-loop}
DATA=${DATA-}                   # folder of the official tasks, for AgentBoard's sub-goals
PORT=${PORT:-8901}
HELDOUT=${HELDOUT:-heldout} PYTHON=${PYTHON:-python3}
export STEPS=${STEPS:-500} # of training

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$OUT"/{experts,sft,models,runs}
kinds=$(printf ',BabyAI-%s-v0' $LEVELS)
official=(--env babyai --tasks "${kinds#,}") # of the benchmark
[[ -z $DATA ]] || official+=(--data "$DATA")

# Which baseline plays the tasks of an arm, and in which words.
player() { # ARM
  case $1 in
    M) echo --model expert ;;
    R) echo --model expert --perturb random:1:4-nouns ;;
    E) echo --model expert-errs ;;
  esac
}

# What experts play. A puzzle of more than eight steps is not solved, and so is no example.
played() { # ENV
  case $1 in
    babyai) echo --env babyai --tasks "@$OUT/tasks.txt" ;;
    pddl) echo --env pddl --tasks blockworld --generator-seed "1-$TABLES" --step-limit 8 ;;
  esac
}

# What models play: experts need two to four steps in BabyAI.
asked() { # ENV
  case $1 in
    babyai) echo --env babyai --step-limit 10 ;;
    pddl) echo --env pddl --generator-seed "1-$TABLES" --step-limit 12 ;;
  esac
}

data() {
  local level env arm first=10000 # the first seed that no benchmark plays
  for level in $LEVELS; do
    seq -f "BabyAI-$level-v0/%.0f" "$first" $((first + SEEDS_PER_LEVEL - 1))
  done >"$OUT/tasks.txt"
  for env in $ENVS; do
    for arm in $ARMS; do
      # shellcheck disable=SC2046 # several words
      $HELDOUT run --quiet $(played "$env") $(player "$arm") --out "$OUT/experts/$env-$arm"
      # One puzzle is in one part, in all arms, whatever its seed.
      $HELDOUT export "$OUT/experts/$env-$arm" --format axolotl --success --prompt "$here/$env.yaml" \
        --thoughts "$here/thoughts.yaml" --split train=0.95,unseen=0.05 --force --out "$OUT/sft/$env-$arm.jsonl"
    done
  done
}

train() {
  local env arm seed model
  for env in $ENVS; do
    $PYTHON "$here/train.py" tokenizer "$OUT/models/$env" "$OUT/sft/$env"-*.train.jsonl
  done
  for seed in $SEEDS; do
    for env in $ENVS; do
      for arm in $ARMS; do
        model=$OUT/models/$env-$arm-$seed
        mkdir -p "$model" && cp "$OUT/models/$env"/* "$model"
        SEED=$seed $PYTHON "$here/train.py" model "$model" "$OUT/sft/$env-$arm.train.jsonl"
        $PYTHON "$here/to_gguf.py" "$model" "$model.gguf"
      done
    done
  done
}

tasks_of() { # FILE: the names of its tasks
  grep -o '"task":"[^"]*"' "$1" | cut -d '"' -f 4
}

drawn() { # N FILE: N of its lines
  shuf -n "$1" --random-source=<(yes) "$2"
}

measure() {
  local env arm seed
  for env in $ENVS; do
    tasks_of "$OUT/sft/$env-M.unseen.jsonl" >"$OUT/$env.unseen.txt"
    tasks_of "$OUT/sft/$env-M.train.jsonl" >"$OUT/$env.train.txt"
    drawn "$(wc -l <"$OUT/$env.unseen.txt")" "$OUT/$env.train.txt" >"$OUT/$env.seen.txt"
    drawn 35 "$OUT/$env.unseen.txt" >"$OUT/$env.some.txt"
    # shellcheck disable=SC2046 # several words
    $HELDOUT run --quiet --model random $(asked "$env") --tasks "@$OUT/$env.unseen.txt" --out "$OUT/runs/$env-unseen/random"
  done
  $HELDOUT run --quiet --model random "${official[@]}" --step-limit 10 --seeds 0-2 --out "$OUT/runs/official/random"
  for seed in $SEEDS; do
    for env in $ENVS; do
      for arm in $ARMS; do
        $PYTHON "$here/serve.py" "$OUT/models/$env-$arm-$seed.gguf" "$PORT" "$arm-$seed" >"$OUT/server.log" 2>&1 &
        server=$!
        trap 'kill $server 2>/dev/null || true' EXIT
        measure_model "$env" "$arm-$seed"
        kill "$server" && wait "$server" || true
      done
    done
  done
}

measure_model() { # ENV NAME
  local of=(--model "vllm:$2" --base-url "http://127.0.0.1:$PORT/v1" --wait-for-servers 1m --concurrency 16
    --max-tokens 80 --prompt "$here/$1.yaml")
  # A model of a few steps of training may give no action at all: a failure, and no reason to stop.
  $HELDOUT doctor "${of[@]}" --env "$1" || true
  of+=(--quiet --allow-unusable)
  # shellcheck disable=SC2046 # several words
  local greedy=("${of[@]}" $(asked "$1") --temperature 0)
  $HELDOUT run "${greedy[@]}" --tasks "@$OUT/$1.unseen.txt" --out "$OUT/runs/$1-unseen/$2"
  $HELDOUT run "${greedy[@]}" --tasks "@$OUT/$1.seen.txt" --out "$OUT/runs/$1-seen/$2"
  # The same tasks with the interface rewritten. R was trained on all families but nouns.
  $HELDOUT sweep "${greedy[@]}" --tasks "@$OUT/$1.some.txt" --perturb verbs:2,arguments:1,names:2,nouns:2,goal:2 \
    --out "$OUT/runs/$1-robust/$2"
  # The tasks of the benchmark, in three tries each.
  if [[ $1 == babyai && $2 == *-0 ]]; then
    of+=("${official[@]}" --step-limit 10 --temperature 0.7)
    $HELDOUT run "${of[@]}" --seeds 0-2 --out "$OUT/runs/official/$2"
    $HELDOUT run "${of[@]}" --trials 3 --memory 0 --out "$OUT/runs/trials/$2"
  fi
}

show() {
  local runs=$OUT/runs arms='' pairs=''
  [[ $SEEDS != *\ * ]] || arms=trainings, pairs=trainings-paired,
  for env in $ENVS; do
    $HELDOUT compare "$runs/$env-seen"/*
    $HELDOUT compare "$runs/$env-unseen"/* --table "$arms${pairs}headline"
    $HELDOUT compare "$runs/$env-robust"/* --table "${arms}indices"
  done
  $HELDOUT compare "$runs/official"/* --table headline,pass-at-k
  $HELDOUT compare "$runs/trials"/* --table trials
  $HELDOUT plot "$runs/babyai-robust"/*-0 --figure families --out "$OUT/families.svg"
  $HELDOUT plot "$runs/babyai-unseen"/{*-0,random} --figure success --out "$OUT/success.svg"
  $HELDOUT compare "$runs/babyai-unseen"/{*-0,random} --table lost-steps
  $HELDOUT report "$runs/babyai-unseen"/* --out "$OUT/report.html"
}

for stage in ${*:-data train measure show}; do
  "$stage"
done
