#!/bin/bash
# Servers of vLLM on one node, each with a copy of the model on a GPU of its own:
#
#   vllm.sh MODEL [OPTION OF VLLM SERVE]...
#
# Once all answer, it prints --base-url with their addresses for heldout run. It ends
# when they have ended, and ends them when it is stopped. Each writes to
# vllm-PORT.log. heldout keeps an episode on one server, so prefix caches work, and
# plays on if a server fails.
#
# GPUS   the GPUs, one server each: "0 1 2 3". A server with several GPUs is
#        GPUS="0,1 2,3" and --tensor-parallel-size 2. By default all there are.
# HOST   where they listen, 127.0.0.1 by default. The name of the node lets other
#        machines in: give --api-key then.
# PORT   the port of the first, 8000 by default; the next ones follow.
set -euo pipefail
fail() {
  echo "vllm.sh: $*" >&2
  exit 1
}
model=${1:?usage: vllm.sh MODEL [OPTION OF VLLM SERVE]...}
shift
host=${HOST:-127.0.0.1} port=${PORT:-8000}
gpus=${GPUS:-${CUDA_VISIBLE_DEVICES:-$(nvidia-smi --query-gpu=index --format=csv,noheader)}} ||
  fail "nvidia-smi finds no GPU: set GPUS"
[ -n "${GPUS:-}" ] || gpus=${gpus//,/ }

# A server is a process group: it has processes of its own.
set -m
servers=()
signal() {
  for server in "${servers[@]}"; do kill "-$1" -- "-$server" 2>/dev/null || true; done
}
end() {
  trap 'signal KILL' INT TERM # a second Ctrl-C does not wait
  signal TERM
  wait
}
trap 'end 2>/dev/null' EXIT # without the shell's own words about each
trap 'exit 130' INT TERM

# What answers here would be taken for the new server.
taken=$port
for group in $gpus; do
  (: <"/dev/tcp/$host/$taken") 2>/dev/null && fail "port $taken is taken: set PORT"
  taken=$((taken + 1))
done
urls=()
for group in $gpus; do
  CUDA_VISIBLE_DEVICES=$group vllm serve "$model" "$@" --host "$host" --port "$port" \
    </dev/null >"vllm-$port.log" 2>&1 &
  servers+=($!)
  urls+=("http://$host:$port")
  port=$((port + 1))
done

for i in "${!urls[@]}"; do
  until curl --silent --fail --noproxy '*' --max-time 5 --output /dev/null "${urls[i]}/health"; do
    kill -0 "${servers[i]}" 2>/dev/null || fail "${urls[i]} ended: see vllm-${urls[i]##*:}.log"
    sleep 1
  done
done
(IFS=,; echo "--base-url ${urls[*]/%//v1}")
code=0
for server in "${servers[@]}"; do wait "$server" || code=$?; done
exit "$code"
