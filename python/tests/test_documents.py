"""What documents show works."""

import ast
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
    for name in re.findall(r"heldout\.([A-Za-z_]+)[(\s`]", (ROOT / page).read_text()):
        if name not in ("gymnasium", "trl", "skyrl", "textarena"):
            assert hasattr(heldout, name), name
