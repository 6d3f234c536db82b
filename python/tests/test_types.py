"""What an editor knows of the package."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import heldout

TYPED = Path(__file__).parent / "typed"
EXAMPLES = Path(__file__).parents[2] / "examples" / "agents"
SCRIPTS = [*TYPED.glob("*.py"), EXAMPLES / "react.py", EXAMPLES / "reasoning_bank.py"]
SOURCES = Path(heldout.__file__).parents[1]
PROJECT = Path(__file__).parents[1]


def python(*command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "MYPYPATH": str(SOURCES)}
    return subprocess.run([sys.executable, "-m", *command], env=environment, capture_output=True, text=True, cwd=PROJECT)


def by_mypy(folder: Path) -> set[tuple[str, int]]:
    done = python("mypy", "--cache-dir", str(folder / "cache"), "--output=json", *map(str, [SOURCES, *SCRIPTS]))
    assert done.returncode < 2, done.stdout + done.stderr
    return {(Path(found["file"]).name, found["line"]) for found in map(json.loads, done.stdout.splitlines())}


def by_pyright(folder: Path) -> set[tuple[str, int]]:
    if python("pyright", "--version").returncode:
        pytest.skip("pyright does not start here: it needs Node.js")
    shutil.copytree(SOURCES, folder / "src")
    (folder / "pyrightconfig.json").write_text(json.dumps({"extraPaths": ["src"], "strict": ["src"]}))
    for script in SCRIPTS:
        (folder / script.name).write_text(script.read_text())
    done = python("pyright", "--pythonpath", sys.executable, "--outputjson", "--project", str(folder))
    found = json.loads(done.stdout)["generalDiagnostics"]
    return {(Path(one["file"]).name, one["range"]["start"]["line"] + 1) for one in found}


@pytest.mark.parametrize("check", [by_mypy, by_pyright])
def test_checker(check, tmp_path):
    """A strict checker flags each wrong call and no right one, and nothing in the package."""
    pytest.importorskip(check.__name__[3:], reason="pip install mypy pyright")
    pytest.importorskip("pandas", reason="pip install pandas")
    pytest.importorskip("polars", reason="pip install polars")
    scripts = {path.name: path.read_text().splitlines() for path in SCRIPTS}
    wrong = {(name, n) for name, lines in scripts.items() for n, line in enumerate(lines, 1) if "# wrong" in line}
    assert check(tmp_path) == wrong and len(wrong) > 15


def test_light(tmp_path):
    """Importing takes less than 0.05 s of a processor, with compiled files as pip leaves them, and nothing else.

    A busy machine counts more seconds for the same work: there, it takes less than twice as long as three modules
    of the standard library.
    """
    code = (
        "import sys, time; start = time.process_time(); import {}; print(time.process_time() - start, "
        "[m for m in ('numpy', 'pandas', 'gymnasium', 'http', 'asyncio', 'heldout.options') if m in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def seconds(modules):
        command = [sys.executable, "-c", code.format(modules)]
        taken, loaded = subprocess.run(command, env=environment, capture_output=True, text=True).stdout.split(" ", 1)
        assert loaded.strip() == "[]"
        return float(taken)

    times = [(seconds("heldout"), seconds("inspect, subprocess, tempfile")) for _ in range(10)]
    assert min(own for own, _ in times) < max(0.05, 2 * min(theirs for _, theirs in times))
