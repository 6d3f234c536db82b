import json
import subprocess
import sys
from pathlib import Path

import pytest

import heldout

BACKENDS = ["pandas", "polars", "arrow"]


def rows(frame) -> list[dict]:
    if hasattr(frame, "to_pylist"):
        return frame.to_pylist()
    return frame.to_dicts() if hasattr(frame, "to_dicts") else frame.to_dict(orient="records")


@pytest.mark.parametrize("backend", BACKENDS)
def test_frames(run, backend):
    pytest.importorskip({"arrow": "pyarrow"}.get(backend, backend), reason=f"pip install {backend}")
    records = heldout.read(run, backend=backend)
    recorded = list(heldout.episodes(run))
    episodes, steps, runs = rows(records.episodes()), rows(records.steps()), rows(records.runs())
    assert len(episodes) == len(recorded) and len(steps) == sum(len(e["trajectory"]) for e in recorded)
    for row, record in zip(episodes, recorded):
        for key in ("id", "attempt", "env", "task", "model", "seed", "success", "progress", "steps", "prompt_tokens"):
            assert row[key] == record[key], key
    assert [s["observation"] for s in steps] == [t["observation"] for e in recorded for t in e["trajectory"]]
    assert sum(r["finished"] for r in runs) == sum(r["planned"] for r in runs) == len(recorded)


def test_columns(run):
    """Types are those of Parquet, and rates those of the tables."""
    arrow = pytest.importorskip("pyarrow", reason="pip install pyarrow")
    records = heldout.read(run, backend="arrow")
    time, words = arrow.timestamp("us", tz="UTC"), arrow.list_(arrow.field("element", arrow.string(), nullable=False))
    for frame, types in (
        (records.runs(), {"model": "string", "seed": "int64", "success_low": "double", "planned": "int32", "ended": time}),
        (records.episodes(), {"task": "string", "success": "bool", "started": time, "servers": words, "trial": "int32"}),
        (records.steps(), {"step": "int32", "observation": "string", "progress": "double", "repairs": words}),
    ):
        for name, kind in types.items():
            found = frame.schema.field(name).type
            found = found.value_type if arrow.types.is_dictionary(found) else found
            assert str(found) == str(kind), name
    runs = records.runs().to_pylist()
    headline = heldout.read(run).tables("headline")["headline"].rows
    for row in headline:
        mine = [r["success"] for r in runs if r["model"] == row["model"]]
        assert sum(mine) / len(mine) == pytest.approx(row["value"])
    assert {r["state"] for r in runs} == {"complete"} and {r["interval"] for r in runs} == {"kinds"}


def test_parquet(run, tmp_path):
    """Files have the columns and types that users' code depends on, and the rows of frames. A new column changes no other."""
    arrow = pytest.importorskip("pyarrow.parquet", reason="pip install pyarrow")
    heldout.cli("export", run, "--format=parquet", "--out", tmp_path)
    records, found = heldout.read(run, backend="arrow"), []
    for name in ("runs", "episodes", "steps"):
        table = arrow.read_table(tmp_path / f"{name}.parquet")
        found += [f"[{name}]", *(f"{f.name}: {f.type}{'' if f.nullable else ' not null'}" for f in table.schema)]
        assert table.schema.metadata == {b"heldout.schema": b"1"}
        shown = {"texts": True} if name == "episodes" else {}
        assert table.equals(getattr(records, name)(**shown), check_metadata=True)
    assert found == (Path(__file__).parent / "columns.txt").read_text().splitlines()
    assert "as written" in heldout.cli("export", "--check", tmp_path).stdout


@pytest.mark.parametrize("form", ["parquet", "inspect"])
def test_texts_in_any_locale(tmp_path, monkeypatch, form):
    """What the binary sends is UTF-8, whatever the locale says, as on Windows."""
    said = "ask — é ☃"
    package = {"parquet": "pyarrow.parquet", "inspect": "inspect_ai.log"}[form]
    reader = pytest.importorskip(package, reason=f"pip install {package.split('.')[0].replace('_', '-')}")

    def agent(episode):
        while not episode.done:
            episode.step(said)

    heldout.evaluate(agent, "pddl", out=tmp_path / "run", limit=1, step_limit=2)
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1")
    heldout.cli("export", tmp_path / "run", f"--format={form}", "--out", tmp_path / form)
    if form == "parquet":
        assert reader.read_table(tmp_path / form / "steps.parquet")["action"].to_pylist() == [said] * 2
    else:
        (log,) = reader.list_eval_logs(str(tmp_path / form))
        assert said in reader.read_eval_log(log).model_dump_json()


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """Episodes of a model that solves tasks in some seeds, as pairs and labels need."""
    path = tmp_path_factory.mktemp("mixed") / "run"
    heldout.cli("run", "--env=pddl", "--data=", "--limit=6", "--model=expert-errs", "--seeds=0-3", "--step-limit=12", "--out", path)
    return path


@pytest.mark.parametrize("form", "sharegpt openai trl axolotl agentgym prm dpo step-dpo kto".split())
def test_hub(run, mixed, tmp_path, form):
    """The Parquet file of a folder has the examples beside it."""
    arrow = pytest.importorskip("pyarrow.parquet", reason="pip install pyarrow")
    source, options = (mixed, []) if form in ("dpo", "step-dpo", "kto") else (run, ["--seeds=1", "--mask=none"])
    heldout.cli("export", source, f"--format={form}", "--out", tmp_path / "hub", "--allow-test-tasks", *options)
    (file,) = [f for f in (tmp_path / "hub").glob("data*.json*") if "manifest" not in f.name]
    (table,) = (tmp_path / "hub").glob("*.parquet")
    lines = [line.strip().rstrip(",") for line in file.read_text(encoding="utf-8").splitlines()]
    examples = [json.loads(line) for line in lines if line not in "[]"]
    rows = arrow.read_table(table).to_pylist()
    for message in [m for row in rows for m in row.get("messages", [])] if form == "openai" else []:
        if message["weight"] is None:
            del message["weight"]
    assert rows == examples and len(rows) > 0
    assert f"heldout export {Path(source).name} --allow-test-tasks true --format {form}" in (tmp_path / "hub" / "README.md").read_text()
    heldout.cli("export", "--check", tmp_path / "hub")


def test_tables(run):
    tables = heldout.read(run).tables()
    assert {"headline", "results"} <= tables.keys()
    headline = heldout.read(run).tables("headline")["headline"]
    expert = next(row for row in headline.rows if row["model"] == "expert")
    assert expert["value"] == 1 and 0 < expert["value_low"] < 1
    assert "<td>expert</td>" in headline._repr_html_()
    with pytest.raises(heldout.UsageError, match="nope"):
        heldout.read(run).tables("nope")


def test_metrics(run):
    metrics = heldout.read(run).metrics("x/")
    assert metrics["x/expert/pddl/success"] == 1.0 and "x/random/pddl/progress_low" in metrics
    assert metrics["x/random/pddl/success_std"] == 0.0 and "x/expert/pddl/success_std" not in metrics
    assert metrics["x/random/pddl/steps"] == 30 and metrics["x/random/pddl/grounding"] == 1.0
    assert not [name for name in metrics if " " in name]
    alone = heldout.read(run).metrics(names={"expert": "My expert"}, model="expert", interval="tasks")
    assert alone["heldout/pddl/success"] == 1.0
    both = heldout.read(run).metrics(names={"expert": "My expert"})
    assert both["heldout/My_expert/pddl/success"] == 1.0


def test_held_out(monkeypatch):
    """A held-out score is under a name of its own, with what stands behind it."""
    row = {"model": "m", "seeds": 2, "held-out_score_success": 0.5, "held-out_score_success_std": 0.1}
    tables = {"paper": heldout.Table("paper", "", [row]), "results": heldout.Table("results", "", [])}
    records = heldout.Records(["runs/a"])
    monkeypatch.setattr(records, "tables", lambda *_, **__: tables)
    assert records.metrics() == {"heldout/held_out/success": 0.5, "heldout/held_out/success_std": 0.1}


def test_shown(run, tmp_path):
    records = heldout.read(run)
    claim = "SR on PDDL (20 tasks, 2 seeds): random 0.0, expert 100.0: -100.0 points"
    assert str(records).startswith(claim) and "significant" in str(records)
    shown = records._repr_html_()
    assert "<th>expert</th><td>100.0 a<br><small>84–100</small></td>" in shown
    assert f"<p>{claim} (95% CI" in shown
    figure = records.figure("rates")
    assert "<svg" in figure._repr_svg_() and str(figure).startswith("<heldout.Figure rates: ") and len(str(figure)) < 100
    figure.save(tmp_path / "rates.svg")
    assert (tmp_path / "rates.svg").read_text(encoding="utf-8") == figure.svg
    table = records.tables("results")["results"]
    assert repr(table).startswith("Results (results)\nenvironment  ")
    assert repr(heldout.Evaluation(run)) == f"heldout.Evaluation({run!r})"
    assert records.report(tmp_path / "r.html").stat().st_size > 10_000


def test_paths(run, tmp_path):
    assert heldout.read(str(Path(run).parent / "*")).paths == [run]
    with pytest.raises(FileNotFoundError):
        heldout.read(str(tmp_path / "no*"))
    with pytest.raises(heldout.Error, match="does not exist"):
        heldout.read(tmp_path / "no").tables()


def test_changed_record(run, tmp_path):
    """A changed byte is an error, and a line that a crash cut off is none."""
    lines = Path(run, "episodes.jsonl").read_bytes()
    (tmp_path / "episodes.jsonl").write_bytes(lines[:-7])
    assert len(list(heldout.episodes(tmp_path))) == lines.count(b"\n") - 1
    (tmp_path / "episodes.jsonl").write_bytes(lines.replace(b'"success":true', b'"success":null', 1))
    with pytest.raises(heldout.Error, match="is not what was written"):
        list(heldout.episodes(tmp_path))


def test_evaluate(tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    named = heldout.evaluate("expert", "pddl", tasks=["gripper/gen0-01", "gripper/gen0-02"], seeds=[3], progress=False)
    assert named.run.startswith("runs/pddl-expert-") and [e["seed"] for e in heldout.episodes(named.run)] == [3, 3]
    out = tmp_path / "run"
    first = heldout.evaluate("random", "pddl", tasks="gripper", out=out, seeds=1)
    assert first.run == str(out) and len(list(heldout.episodes(out))) == 20
    heldout.evaluate("random", "pddl", tasks="gripper", out=out, seeds=2, progress=False)
    assert len(list(heldout.episodes(out))) == 40
    with pytest.raises(heldout.UsageError, match='unknown environment "chess"'):
        heldout.evaluate("random", "chess", out=out)
    with pytest.raises(heldout.Error, match="^http://127.0.0.1:9/v1/models gave no usable reply"):
        url = "http://127.0.0.1:9/v1"
        heldout.evaluate("vllm:x", "pddl", out=tmp_path / "dead", base_url=url, progress=False, retries=0)


def test_server(tmp_path, server):
    """A model behind a server is played and measured from Python."""
    url, requests = server
    done = heldout.evaluate("tiny", "pddl", base_url=url, tasks="gripper", out=tmp_path / "r", max_tokens=50, progress=False)
    assert done.metrics()["heldout/pddl/success"] == 0.0
    assert all(e["trajectory"] for e in heldout.episodes(done.run))
    assert any("messages" in request for request in requests)


def test_binary():
    assert heldout.cli("version").stdout.startswith("heldout ")
    done = subprocess.run([sys.executable, "-m", "heldout", "nope"], capture_output=True, text=True)
    assert done.returncode == 2 and 'unknown command "nope"' in done.stderr
