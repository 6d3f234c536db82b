"""The environment heldout-v1 in verifiers' own evaluation, which finds it by name."""

import json
import subprocess
import sys

import pytest

from conftest import LOOK

pytest.importorskip("verifiers", reason="pip install 'heldout[verifiers]'")


def test_evaluation(played, tmp_path, server, installed):
    """Texts are those of the pool, and rewards, metrics and keys those of the episode."""
    url, requests = server
    command = "import sys; from verifiers.v1.cli.eval.main import main; sys.exit(main())"
    flags = ["-n", "2", "--no-push", "-m", "tiny", "--client.base-url", url, "-o", "out", "--env.taskset.step-limit", "2"]
    done = subprocess.run(
        [sys.executable, "-c", command, "heldout-v1", *flags],
        cwd=tmp_path, env=installed, capture_output=True, text=True,
    )
    assert done.returncode == 0, done.stderr
    (file,) = tmp_path.rglob("traces.jsonl")
    episodes = [json.loads(line) for line in file.read_text().splitlines()]
    traces = [t for e in episodes for t in e.get("traces", [e])]
    assert len(traces) == 2 and all(t["metrics"] == {"success": 0.0, "progress": 0.0} for t in traces)
    assert all(t["rewards"] == {"heldout": {"score": 0.0, "weight": 1.0}} for t in traces)
    asked = [[m["content"] for m in r["messages"] if m["role"] == "user"] for r in requests]
    said = [m["content"] for r in requests for m in r["messages"] if m["role"] == "assistant"]
    assert played[:2] in asked and LOOK in said[0]


def test_found():
    import verifiers.v1 as vf

    tasks = list(vf.load_taskset(vf.taskset_config_type("heldout-v1")(id="heldout-v1", mount="pddl")))
    assert len(tasks) == 60 and tasks[0].key == tasks[0].data.id == "gripper/gen0-01"
    assert vf.environment_class("heldout-v1").__name__ == "HeldoutEnv"
    assert vf.default_harness_id("heldout-v1") == "heldout-v1"
