"""What wandb and MLflow have of runs, read back from what their own packages wrote."""

import json
import shutil
import struct
from pathlib import Path

import pytest

import heldout

PYARROW = "pip install pyarrow"


@pytest.fixture()
def played(run, tmp_path, monkeypatch):
    """A copy of a finished run in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(run, "gripper")
    return "gripper"


@pytest.fixture()
def checkpoints(played):
    """Two runs whose models are steps of one training."""
    for step in (100, 200):
        heldout.evaluate("random", "pddl", tasks="gripper", limit=2, out=f"runs/step-{step}",
                         names={"random": f"mine-step-{step}"}, progress=False)  # fmt: skip
    return ["runs/step-200", "runs/step-100"]


@pytest.fixture()
def wandb(monkeypatch):
    pytest.importorskip("pyarrow", reason=PYARROW)
    monkeypatch.setenv("WANDB_MODE", "offline")
    return pytest.importorskip("wandb", reason="pip install wandb")


@pytest.fixture()
def client(played):
    pytest.importorskip("pyarrow", reason=PYARROW)
    pytest.importorskip("sqlalchemy", reason="pip install sqlalchemy alembic")
    mlflow = pytest.importorskip("mlflow", reason="pip install mlflow, or mlflow-skinny")
    return mlflow.MlflowClient("sqlite:///m.db")


def chunks(path):
    """The records of a file of wandb: those of LevelDB's log format behind a header of its own."""
    data, at, part = path.read_bytes(), 7, b""
    while at + 7 <= len(data):
        if (left := 32768 - at % 32768) < 7:
            at += left
            continue
        length, kind = struct.unpack("<HB", data[at + 4 : at + 7])
        part, at = part + data[at + 7 : at + 7 + length], at + 7 + length
        if kind in (1, 4):  # whole, or the last part
            yield part
            part = b""


def written(wandb):
    """What all files of wandb say: a run's id, its configuration, its points, its summary and its files."""
    records = pytest.importorskip("wandb.proto.wandb_internal_pb2")
    found = {"ids": [], "config": {}, "points": [], "summary": {}, "artifacts": {}, "axes": {}}
    for path in sorted(Path("wandb").glob("offline-run-*/*.wandb")):
        for chunk in chunks(path):
            record = records.Record.FromString(chunk)
            found["ids"] += [record.run.run_id] if record.run.run_id else []
            for update in [*record.run.config.update, *record.config.update]:
                found["config"][update.key] = json.loads(update.value_json)
            if record.history.item:
                found["points"].append(values(record.history.item))
            found["summary"] |= values(record.summary.update)
            if record.artifact.name:
                found["artifacts"][record.artifact.name] = [c.path for c in record.artifact.manifest.contents]
            if record.metric.glob_name:
                found["axes"][record.metric.glob_name] = record.metric.step_metric
    return found


def values(items):
    return {item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in items}


def test_wandb(wandb, played):
    name = heldout.log_wandb(played, "demo")
    found = written(wandb)
    metrics = heldout.read(played).metrics()
    assert found["ids"] == [name] and metrics.items() <= found["summary"].items()
    assert found["summary"]["heldout/episodes"] == 60 and found["summary"]["heldout/random/pddl/unreadable"] == 0
    random = [c for c in found["config"]["conditions"] if c["model"] == "random"]
    assert [c["seeds"] for c in random] == [[0, 1]] and found["config"]["heldout"]["run_id"] == name
    assert found["artifacts"][f"heldout-{name}"] == ["report.html", "runs.heldout"]
    tables = {k: json.loads(v.read_text()) for v in Path("wandb").glob("*/files/media/table/tables/*.json")
              for k in [v.name.partition("_")[0]]}  # fmt: skip
    assert {"headline", "results", "seeds", "kinds", "episodes"} <= tables.keys()
    episodes = [dict(zip(tables["episodes"]["columns"], row, strict=True)) for row in tables["episodes"]["data"]]
    assert len(episodes) == 60 and episodes[0]["page"].startswith("report.html#episode=gripper%2F")
    assert heldout.log_wandb(heldout.read(played), "demo") == name and written(wandb) == found  # nothing is doubled


def test_wandb_grows(wandb, checkpoints):
    """Curves go over the steps of a training, and a run that goes on stays one."""
    name = heldout.log_wandb(checkpoints, "demo", url="http://x:1/", artifacts=False)
    found = written(wandb)
    curves = [(p["curves/step"], p["curves/mine/pddl/success"]) for p in found["points"] if "curves/step" in p]
    assert curves == [(100, 0.0), (200, 0.0)] and found["axes"]["curves/*"] == "curves/step"
    assert not [n for n in found["artifacts"] if n.startswith("heldout-")]
    pages = "".join(p.read_text() for p in Path("wandb").glob("*/files/media/table/tables/episodes_*"))
    assert '"http://x:1/runs/step-200/episodes/' in pages
    heldout.evaluate("random", "pddl", tasks="gripper", limit=2, out="runs/step-300",
                     names={"random": "mine-step-300"}, progress=False)  # fmt: skip
    assert heldout.log_wandb("runs", "demo", artifacts=False) == name
    steps = [p["curves/step"] for p in written(wandb)["points"] if "curves/step" in p]
    assert steps == [100, 200, 300]


def test_mlflow(client, played):
    name = heldout.log_mlflow(played, "demo", tracking_uri="sqlite:///m.db")
    (experiment,) = [e for e in client.search_experiments() if e.name == "demo"]
    found = client.get_run(name)
    metrics = heldout.read(played).metrics()
    assert metrics.items() <= found.data.metrics.items() and found.info.status == "FINISHED"
    assert found.data.params["environments.pddl.step_limit"] == "30" and found.info.run_name == "gripper"
    assert {f.path for f in client.list_artifacts(name)} == {"config.json", "report.html", "runs.heldout", "tables"}
    episodes = json.loads(Path(client.download_artifacts(name, "tables/episodes.json")).read_text())
    assert len(episodes["data"]) == 60 and "page" in episodes["columns"]
    for _ in range(2):  # nothing is doubled
        assert heldout.log_mlflow(played, "demo", tracking_uri="sqlite:///m.db") == name
    assert [r.info.run_id for r in client.search_runs([experiment.experiment_id])] == [name]
    assert len(client.get_metric_history(name, "heldout/episodes")) == 1


def test_mlflow_grows(client, checkpoints):
    name = heldout.log_mlflow(checkpoints, tracking_uri="sqlite:///m.db", artifacts=False)
    history = client.get_metric_history(name, "curves/mine/pddl/success")
    assert [(p.step, p.value) for p in history] == [(100, 0.0), (200, 0.0)]


def test_secrets(wandb, client, played):
    """Settings that look like keys are not logged, nor files that would have them."""
    shutil.copytree(played, "plain")
    plan = Path(played, "run.json")
    plan.write_text(plan.read_text().replace('"agent": "random"', '"agent": "random", "api_key": "sekret"'))
    from heldout._trackers import Content

    content = Content(played)
    assert "sekret" not in json.dumps(content.config()) and content.hides() and not Content("plain").hides()


def test_missing(monkeypatch, played):
    import sys

    for name in ("wandb", "mlflow"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(heldout.MissingPackage, match=r"pip install 'heldout\[wandb\]'"):
        heldout.log_wandb(played)
    with pytest.raises(heldout.MissingPackage, match=r"pip install 'heldout\[mlflow\]'"):
        heldout.log_mlflow(played)
    with pytest.raises(heldout.NotFound):
        heldout.log_wandb("nothing")


def test_tensorboard(tmp_path):
    """TensorBoard reads the rates of every model, in percent, at the step that is asked for."""
    events = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator", reason="pip install tensorboard")
    heldout.cli("run", "--env=pddl", "--tasks=gripper", "--model=expert", "--model=random", "--limit=3",
                f"--out={tmp_path / 'r'}", "--set", "log-step=7", f"--log=tensorboard:{tmp_path / 'curves'}")  # fmt: skip
    files = [file.name for file in (tmp_path / "curves").iterdir()]
    assert all(name.startswith("events.out.tfevents.") and name.endswith(".heldout") for name in files)
    read = events.EventAccumulator(str(tmp_path / "curves")).Reload()
    rates = heldout.read(tmp_path / "r").metrics("")
    tags = read.Tags()["scalars"]
    assert {f"{model}/pddl/{rate}{end}" for model in ("expert", "random") for rate in ("success", "progress")
            for end in ("", "_low", "_high")} == set(tags)  # fmt: skip
    for tag in tags:
        assert [(e.step, e.value) for e in read.Scalars(tag)] == [(7, pytest.approx(100 * rates[tag], rel=1e-5))]
