"""What documents show works."""

import ast
import doctest
import importlib
import importlib.util
import json
import re
from pathlib import Path

import pytest

import heldout

ROOT = Path(__file__).resolve().parents[2]


def test_notebook():
    """Every cell runs, and every last line has a value that a notebook shows."""
    pytest.importorskip("pandas", reason="pip install pandas pyarrow")
    names: dict = {}
    for cell in json.loads((ROOT / "examples/heldout.ipynb").read_text())["cells"]:
        if cell["cell_type"] != "code":
            continue
        *before, last = ast.parse("".join(cell["source"])).body
        exec(compile(ast.Module(before, []), "cell", "exec"), names)
        assert isinstance(last, ast.Expr)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        shows = [f for f in ("_repr_html_", "_repr_svg_") if getattr(value, f, None)]
        assert shows or isinstance(value, list)
        for f in shows:
            assert getattr(value, f)()


@pytest.mark.parametrize("page", ["python/README.md", "cmd/heldout/topics/python.md"])
def test_names(page):
    """Every name of the package that a page uses is there."""
    for name in re.findall(r"(?<!/)heldout\.([A-Za-z_]+)[(\s`]", (ROOT / page).read_text()):
        if name not in ("gymnasium", "openenv", "skyrl", "textarena", "textworld", "textworld_express", "trl", "verl"):
            assert hasattr(heldout, name) or importlib.util.find_spec(f"heldout.{name}"), name


@pytest.mark.parametrize("page", ["README.md", "python/README.md", "cmd/heldout/topics/python.md"])
def test_environments_open(page):
    """The environments that a page makes open on a machine without data."""
    pytest.importorskip("gymnasium", reason="pip install gymnasium")
    for call in re.findall(r"heldout\.make\([^\n)]*\)", (ROOT / page).read_text()):
        if "DIR" not in call:
            env = eval(call, {"heldout": heldout})
            assert env.reset(seed=1)[0]
            env.close()


MODULES = ["heldout", *(f"heldout.{name}" for name in ("_binary", "_environments", "_evaluate", "_pool", "_records"))]
FRAMEWORKS = {"gymnasium": "gymnasium", "openenv": "openenv", "skyrl": "skyrl_gym", "textarena": "textarena"}


@pytest.mark.parametrize("name", [*MODULES, *(f"heldout.{name}" for name in FRAMEWORKS)])
def test_examples(name, run, tmp_path, monkeypatch):
    """The examples of docstrings run, in a folder with one run."""
    short = name.rpartition(".")[2]
    if short == "_environments":
        pytest.importorskip("gymnasium", reason="pip install gymnasium")
    if short in FRAMEWORKS:
        pytest.importorskip(FRAMEWORKS[short], reason=f"pip install 'heldout[{short}]'")
    module = importlib.import_module(name)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "gripper").symlink_to(run)
    monkeypatch.chdir(tmp_path)
    found = doctest.DocTestFinder().find(module, name, extraglobs={"heldout": heldout})
    failed = sum(doctest.DocTestRunner().run(test).failed for test in found)
    assert failed == 0
