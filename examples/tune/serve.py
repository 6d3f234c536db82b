"""Serves a GGUF file with llama.cpp's server until it is interrupted.

    python serve.py FILE.gguf PORT [NAME]

The same as `llama-server -m FILE.gguf --port PORT --alias NAME --jinja -np 16 -c 65536`, from a wheel that needs no
compiler.
"""

import os
import sys
import threading

import xllamacpp

SLOTS = 16  # episodes in flight
CONTEXT = 4096  # tokens of an episode
THREADS = int(os.environ.get("THREADS", "2"))


def main(file, port, name="tuned"):
    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = file, {name}
    params.hostnames, params.port = ["127.0.0.1"], int(port)
    params.n_parallel, params.n_ctx = SLOTS, SLOTS * CONTEXT
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = THREADS
    params.use_jinja, params.ui, params.warmup = True, False, False
    server = xllamacpp.Server(params)
    print("serves", server.listening_address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
