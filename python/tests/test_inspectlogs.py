"""Logs for Inspect, read by Inspect itself."""

import json
import os
import shutil
import subprocess
import sys

import pytest

import heldout

pytest.importorskip("inspect_ai", reason="pip install inspect-ai")

SCORES = {"success": "accuracy", "progress": "mean", "grounding": "mean"}


@pytest.fixture(scope="module")
def logs(run, tmp_path_factory) -> str:
    out = str(tmp_path_factory.mktemp("inspect"))
    heldout.cli("export", run, "--format=inspect", "--out", out)
    return out


def test_logs(run, logs):
    """Metrics are what Inspect computes of the samples, and heldout's rates."""
    from inspect_ai import log as inspect_log
    from inspect_ai import scorer

    found = inspect_log.list_eval_logs(logs)
    assert {info.task for info in found} == {"pddl"}
    for info in found:
        log = inspect_log.read_eval_log(info)
        header = inspect_log.read_eval_log(info, header_only=True)
        assert (log.status, log.version, header.eval) == ("success", 2, log.eval)
        assert log.eval.task == "heldout/pddl"
        assert log.eval.dataset.samples == 20 and len(set(log.eval.dataset.sample_ids)) == 20
        assert len(log.samples) == log.results.total_samples == 20 * log.eval.config.epochs
        streamed = list(inspect_log.read_eval_log_samples(info))
        assert {(s.id, s.epoch) for s in streamed} == {(s.id, s.epoch) for s in log.samples}
        assert len(inspect_log.read_eval_log_sample_summaries(info)) == len(log.samples)
        rates = heldout.read(run).metrics("", model=log.eval.model.removeprefix("heldout/"))
        totals = {score.name: score for score in log.results.scores}
        for name, mean in SCORES.items():
            by_task = {}
            for sample in log.samples:
                by_task.setdefault(sample.id, []).append(sample.scores[name])
            reduced = [
                scorer.SampleScore(sample_id=task, score=scorer.mean_score()(scores))
                for task, scores in by_task.items()
            ]
            metrics = {key: metric.value for key, metric in totals[name].metrics.items()}
            assert metrics[mean] == pytest.approx(getattr(scorer, mean)()(reduced))
            assert metrics["stderr"] == pytest.approx(scorer.stderr()(reduced))
            assert metrics[mean] == pytest.approx(rates[f"pddl/{name}"])
            reductions = next(r for r in log.reductions if r.scorer == name)
            assert {r.sample_id: r.value for r in reductions.samples} == pytest.approx(
                {r.sample_id: r.score.as_float() for r in reduced}
            )


def test_messages(server, tmp_path):
    """Samples have the messages as sent, and their calls."""
    from inspect_ai import log as inspect_log

    address, requests = server
    run, logs = tmp_path / "run", str(tmp_path / "logs")
    heldout.evaluate(
        "openai:tiny", "pddl", base_url=address, limit=1, step_limit=3, out=run, progress=False, allow_unusable=True
    )
    heldout.cli("export", str(run), "--format=inspect", "--out", logs)
    (info,) = inspect_log.list_eval_logs(logs)
    log = inspect_log.read_eval_log(info, resolve_attachments="full")
    sample = log.samples[0]
    sent = [request["messages"] for request in requests if request.get("messages")][-3:]
    calls = [event for event in sample.events if event.event == "model"]
    assert [[(m.role, m.text) for m in call.input] for call in calls] == [
        [(m["role"], m["content"]) for m in messages] for messages in sent
    ]
    assert [m.text for m in sample.messages[:-1]] == [m.text for m in calls[-1].input]
    assert len({m.id for m in sample.messages}) == len(sample.messages)
    assert sample.messages[-1].text == sample.output.completion
    assert (log.eval.model, sample.limit.type, sample.limit.limit) == ("openai/tiny", "turn", 3)
    lines = tmp_path / "calls.jsonl"
    heldout.cli("export", str(run), "--format=calls", "--out", str(lines))
    episode = json.loads(lines.read_text().splitlines()[1])
    messages: list[dict[str, str]] = []
    for call, expected in zip(episode["calls"], sent, strict=True):
        messages = messages[: call.get("kept", 0)] + call["messages"]
        assert [(m["role"], m["text"]) for m in messages] == [(m["role"], m["content"]) for m in expected]


def test_files(run, logs, tmp_path):
    """A log that is there is kept without --force, and nothing else is left."""
    names = sorted(os.listdir(logs))
    with pytest.raises(heldout.Error, match="exists; --force replaces it"):
        heldout.cli("export", run, "--format=inspect", "--out", logs)
    heldout.cli("export", run, "--format=inspect", "--out", logs, "--force")
    assert sorted(os.listdir(logs)) == names and not os.path.exists(logs + ".heldout-unfinished")
    with pytest.raises(heldout.Error, match="is the same run as"):
        copy = shutil.copytree(run, tmp_path / "copy")
        heldout.cli("export", run, copy, "--format=inspect", "--out", str(tmp_path / "twice"))


def test_tables(logs):
    """Inspect's data frames and its command read the logs."""
    pytest.importorskip("pandas", reason="pip install pandas pyarrow")
    from inspect_ai.analysis import evals_df, samples_df

    assert len(evals_df(logs)) == 2
    samples = samples_df(logs)
    assert set(samples.score_success) <= {"C", "I"} and samples.metadata_kind.eq("gripper").all()
    command = [sys.executable, "-m", "inspect_ai", "log", "list", "--log-dir", logs]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert listed.count(".eval") == 2
