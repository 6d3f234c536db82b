"""Records of runs as data frames and tables."""

from __future__ import annotations

import glob
import hashlib
import html
import importlib
import importlib.util
import json
import os
import tempfile
import webbrowser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ._binary import cli
from ._errors import Error

Backend = Literal["pandas", "polars", "arrow"]
Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

_MODULES = {"pandas": "pandas", "polars": "polars", "arrow": "pyarrow"}


@dataclass(frozen=True)
class Table:
    """A table of `heldout compare`. `rows` map columns to values; rates are fractions. `notes` stand below it."""

    id: str
    title: str
    rows: list[dict[str, Any]]
    notes: list[str] = field(default_factory=list[str])

    def frame(self, backend: Backend | None = None) -> Any:
        """Returns the rows as a data frame."""
        chosen = _backend(backend)
        if chosen == "arrow":
            return importlib.import_module("pyarrow").Table.from_pylist(self.rows)
        return importlib.import_module(_MODULES[chosen]).DataFrame(self.rows)

    def _repr_html_(self) -> str:
        columns = list(self.rows[0]) if self.rows else []
        head = "".join(f"<th>{html.escape(c)}</th>" for c in columns)
        body = "".join("<tr>" + "".join(f"<td>{_cell(row[c])}</td>" for c in columns) + "</tr>" for row in self.rows)
        return _table(self.title, head, body) + _paragraphs(self.notes)


class Records:
    """One or more recorded runs. Printing them shows the table that compares them.

    >>> records = heldout.read("runs/*")
    >>> records.episodes().groupby("env")["success"].mean()  # doctest: +SKIP
    """

    def __init__(self, paths: Paths, backend: Backend | None = None) -> None:
        self.paths = _listed(paths)
        self._backend: Backend | None = backend
        self._folders: dict[tuple[bool, bool, bool], tempfile.TemporaryDirectory[str]] = {}

    def runs(self) -> Any:
        """Returns a row for each condition of each run: its settings, and how many episodes are done."""
        return self._frame("runs", steps=False, texts=False, attempts=False)

    def episodes(self, *, attempts: bool = False, texts: bool = False) -> Any:
        """Returns a row for each episode with a result; with `attempts`, a row for each attempt.

        The column `counts` marks the attempt that counts. With `texts`, the columns goal and observation are filled.
        """
        return self._frame("episodes", steps=False, texts=texts, attempts=attempts)

    def steps(self, *, attempts: bool = False, texts: bool = True) -> Any:
        """Returns a row for each step, with the keys `run`, `id` and `attempt` of its episode."""
        return self._frame("steps", steps=True, texts=texts, attempts=attempts)

    def tables(self, *names: str, **options: str | float | bool) -> dict[str, Table]:
        """Returns tables of `heldout compare` by id; without names, those of `--table all`.

        `options` are other flags of that command, such as `interval="new-kinds"` or `baseline="agentrefine"`.
        """
        flags = [f"--{k.replace('_', '-')}={str(v).lower() if isinstance(v, bool) else v}" for k, v in options.items()]
        chosen = [f"--table={name}" for name in names or ("all",)]
        printed = cli("compare", *self.paths, "--format=json", *chosen, *flags).stdout
        return {t["id"]: Table(t["id"], t["title"], t["rows"], t.get("notes") or []) for t in json.loads(printed)}

    def metrics(self, prefix: str = "heldout/") -> dict[str, float]:
        """Returns rates and the limits of their 95% intervals as a flat dict, for a tracker.

        Keys are `PREFIX[MODEL/]ENV/success`, `…_low` and `…_high`, and the same for `progress`. The model is omitted
        if there is only one.
        """
        found: dict[str, float] = {}
        for rate, name in (("SR", "success"), ("PR", "progress")):
            rows = self.tables("headline", rate=rate)["headline"].rows
            several = len({row["model"] for row in rows}) > 1
            for row in rows:
                place = prefix + (f"{row['model']}/" if several else "") + f"{row['environment']}/{name}"
                for suffix in ("", "_low", "_high"):
                    if row["value" + suffix] is not None:
                        found[place + suffix] = float(row["value" + suffix])
        return found

    def report(self, out: str | os.PathLike[str] = "report.html") -> Path:
        """Writes the report, an HTML page with all figures, tables and episodes, and returns its path."""
        cli("report", *self.paths, "--out", out)
        return Path(out)

    def show(self) -> Path:
        """Writes the report to a temporary file and opens it in the browser."""
        page = self.report(Path(tempfile.mkdtemp(prefix="heldout-")) / "report.html")
        webbrowser.open(page.as_uri())
        return page

    def figure(self, name: str) -> Figure:
        """Returns a figure of `heldout plot`, such as "rates", as SVG."""
        with tempfile.TemporaryDirectory(prefix="heldout-") as folder:
            out = Path(folder) / "figure.svg"
            cli("plot", *self.paths, "--figure", name, "--out", out)
            return Figure(out.read_text(encoding="utf-8"))

    def __str__(self) -> str:
        return cli("compare", *self.paths).stdout

    def __repr__(self) -> str:
        return f"heldout.read({self.paths!r})"

    def _repr_html_(self) -> str:
        printed = json.loads(cli("compare", *self.paths, "--format=json").stdout)
        if not printed or printed[0]["id"] != "headline":
            return f"<pre>{html.escape(str(self))}</pre>"
        claim = " ".join(str(self).split("\n─", 1)[0].split())  # it stands above the first rule
        notes = "".join(_paragraphs(t.get("notes") or []) for t in printed)
        return _paragraphs([claim]) + _headline(printed[0]) + notes

    def _frame(self, kind: str, *, steps: bool, texts: bool, attempts: bool) -> Any:
        backend = _backend(self._backend)
        key = (steps, texts, attempts)
        if key not in self._folders:
            folder = tempfile.TemporaryDirectory(prefix="heldout-")
            flags = [f"--steps={steps}".lower(), f"--texts={texts}".lower(), f"--attempts={attempts}".lower()]
            cli("export", *self.paths, "--format=parquet", "--out", folder.name, "--force", *flags)
            self._folders[key] = folder
        name = os.path.join(self._folders[key].name, kind + ".parquet")
        if backend == "arrow":
            return importlib.import_module("pyarrow.parquet").read_table(name, memory_map=False)
        module = importlib.import_module(_MODULES[backend])
        if backend == "pandas":
            return module.read_parquet(name, dtype_backend="pyarrow")
        return module.read_parquet(name)


@dataclass(frozen=True)
class Figure:
    """A figure as SVG. Jupyter shows it."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the figure to a file."""
        Path(path).write_text(self.svg, encoding="utf-8")


def read(paths: Paths, *, backend: Backend | None = None) -> Records:
    """Returns the records of run directories, or of all runs below folders. Patterns such as `runs/*` are expanded.

    `backend` is the library of data frames: "pandas", "polars" or "arrow"; by default, the first that is installed.
    """
    found: list[str] = []
    for path in _listed(paths):
        matches = sorted(glob.glob(path)) if glob.has_magic(path) and not os.path.exists(path) else [path]
        if not matches:
            raise FileNotFoundError(f"nothing is at {path}")
        found += matches
    return Records(found, backend)


def episodes(run: str | os.PathLike[str]) -> Iterator[dict[str, Any]]:
    """Yields the recorded attempts of a run directory with their steps, and verifies their checksums.

    This needs no data frame library. `read(…).episodes()` says which attempts count.
    """
    name = os.path.join(run, "episodes.jsonl")
    with open(name, "rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            body, _, rest = line.rpartition(b',"checksum":"')
            if not line.endswith(b"\n"):
                return  # a line that a crash left unfinished
            if rest != hashlib.sha256(body).hexdigest()[:16].encode() + b'"}\n':
                raise Error(f"{name}: line {number} is not what was written")
            episode: dict[str, Any] = json.loads(line)
            yield episode


def _listed(paths: Paths) -> list[str]:
    return [os.fspath(p) for p in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]


def _backend(wanted: Backend | None) -> Backend:
    if wanted is not None and wanted not in _MODULES:
        raise ValueError(f"backend is {wanted!r}; there are {', '.join(_MODULES)}")
    every: tuple[Backend, ...] = ("pandas", "polars", "arrow")
    for name in (wanted,) if wanted else every:
        if all(importlib.util.find_spec(m) for m in (_MODULES[name], *(["pyarrow"] if name == "pandas" else []))):
            return name
    raise ImportError(
        "a data frame needs pandas with pyarrow, polars or pyarrow: pip install 'heldout[pandas]'; "
        "heldout.episodes(run) needs none"
    )


def _headline(table: dict[str, Any]) -> str:
    """Returns a table of rates in percent by model and environment, with letters and the limits of intervals."""
    cells: dict[str, dict[str, str]] = {}
    for row in table["rows"]:
        rate = "" if row["value"] is None else f"{100 * row['value']:.1f} {html.escape(row['letters'] or '')}"
        if row["value_low"] is not None:
            rate += f"<br><small>{100 * row['value_low']:.0f}–{100 * row['value_high']:.0f}</small>"
        cells.setdefault(row["model"], {})[row["preset"] or row["environment"]] = rate
    places = list(dict.fromkeys(place for rates in cells.values() for place in rates))
    head = "".join(f"<th>{html.escape(h)}</th>" for h in [f"{table['rows'][0]['rate']}, %", *places])
    body = "".join(
        f"<tr><th>{html.escape(model)}</th>" + "".join(f"<td>{rates.get(p, '')}</td>" for p in places) + "</tr>"
        for model, rates in cells.items()
    )
    return _table(table["title"], head, body)


def _table(title: str, head: str, body: str) -> str:
    caption = f"<caption>{html.escape(title)}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _paragraphs(notes: Sequence[str]) -> str:
    return "".join(f"<p>{html.escape(note)}</p>" for note in notes)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else html.escape(str(value))
