"""The scripts of examples/loop: experts' episodes become a model, the model a server, and the server a table."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import heldout

for module in ("torch", "transformers", "trl", "gguf", "xllamacpp"):
    pytest.importorskip(module, reason="pip install torch transformers trl datasets gguf xllamacpp")

HERE = Path(__file__).resolve().parents[2] / "examples" / "loop"


@pytest.fixture(scope="module")
def conversations(tmp_path_factory):
    """Fifty episodes of experts that err on purpose, as training data."""
    folder = tmp_path_factory.mktemp("data")
    names = folder / "names.txt"
    names.write_text("\n".join(f"{level}/{seed}" for level in range(1, 11) for seed in range(10000, 10006)))
    heldout.cli("run", "--quiet", "--env", "babyai", "--tasks", f"@{names}", "--model", "expert-errs", "--out", folder / "runs")
    heldout.cli(
        "export", folder / "runs", "--format", "axolotl", "--success", "--per-kind", "5", "--prompt", HERE / "babyai.yaml",
        "--thoughts", HERE / "thoughts.yaml", "--out", folder / "train.jsonl",
    )
    return folder / "train.jsonl"


@pytest.fixture(scope="module")
def model(conversations, tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    for what in ("tokenizer", "model"):
        script("train.py", what, folder, conversations, STEPS="20")
    return folder


def script(name, *args, **settings):
    env = {**os.environ, **settings, "HF_HOME": str(args[1]), "HF_HUB_OFFLINE": "1"}
    subprocess.run([sys.executable, HERE / name, *map(str, args)], check=True, env=env, stdout=subprocess.DEVNULL)


def test_mask(conversations, model):
    """The loss is on the turns that the export says, with the mark that ends them, and on nothing else."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    rows = [json.loads(line)["messages"] for line in conversations.open()]
    assert any(m["role"] == "assistant" and not m["train"] for messages in rows for m in messages)
    for messages in rows:
        made = tokenizer.apply_chat_template(messages, return_dict=True, return_assistant_tokens_mask=True)
        trained = [i for i, on in zip(made["input_ids"], made["assistant_masks"]) if on]
        assert tokenizer.decode(trained) == "".join(m["content"] + "<|im_end|>" for m in messages if m["train"])


def test_served(model, tmp_path):
    """What twenty steps make is a model whose replies end, and it plays."""
    file = tmp_path / "model.gguf"
    script("to_gguf.py", model, file)
    server = subprocess.Popen([sys.executable, HERE / "serve.py", file, "0", "tiny"], stdout=subprocess.PIPE, text=True)
    try:
        url = next(m[1] for line in server.stdout if (m := re.match(r"serves (http\S+)", line)))
        run = heldout.evaluate(
            "vllm:tiny", "babyai", base_url=f"{url}/v1", out=tmp_path / "run", tasks="0-3", step_limit=3, temperature=0,
            prompt=str(HERE / "babyai.yaml"), max_tokens=60, allow_unusable=True, progress=False,
        )
        assert len(run.episodes()) == 4 and all(e["outcome"] != "error" for e in heldout.episodes(run.run))
        assert all(0 < t["completion_tokens"] <= 60 for e in heldout.episodes(run.run) for t in e["trajectory"])
    finally:
        server.kill()
        server.wait()
