"""Records of runs as data frames and tables."""

# pyright: reportMissingTypeStubs=false

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar, overload

from ._binary import ask
from ._errors import Error, MissingPackage, NotFound, UsageError
from ._flags import flags
from ._printing import fitting
from ._values import texts

if TYPE_CHECKING:
    import tempfile
    from pathlib import Path

    import pandas
    import polars
    from typing_extensions import Unpack

    from .options import CompareOptions, FigureName, PlotOptions, ReportOptions, TableName
    from .recorded import Episode

Backend = Literal["pandas", "polars", "arrow"]
Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
Library = TypeVar("Library", bound=Literal["pandas", "polars", "arrow"])

_MODULES = {"pandas": "pandas", "polars": "polars", "arrow": "pyarrow"}
_NONE: tuple[str, ...] = ()
_HELD_OUT = {"held-out_score": "held_out"}


_MOST_ROWS = 30  # of a table that is printed


def _cell_text(value: object) -> str:
    """Returns a value as a table prints it: a number with four significant digits."""
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


class Table(NamedTuple):
    """A table of `heldout compare`: `rows` are its cells by column, numbers as numbers and rates as fractions.

    `notes` are the sentences below it.
    """

    id: str
    title: str
    rows: list[dict[str, Any]]
    notes: Sequence[str] = _NONE

    @overload
    def frame(self, backend: Literal["pandas"] | None = None) -> pandas.DataFrame: ...
    @overload
    def frame(self, backend: Literal["polars"]) -> polars.DataFrame: ...
    @overload
    def frame(self, backend: Literal["arrow"]) -> Any: ...
    def frame(self, backend: Backend | None = None) -> Any:
        """Returns the rows as a data frame."""
        chosen = _backend(backend)
        if chosen == "arrow":
            return importlib.import_module("pyarrow").Table.from_pylist(self.rows)
        return importlib.import_module(_MODULES[chosen]).DataFrame(self.rows)

    def __repr__(self) -> str:
        heads = list(self.rows[0]) if self.rows else []
        shown = self.rows if len(self.rows) <= _MOST_ROWS else self.rows[: _MOST_ROWS - 1]
        lines = [heads, *([_cell_text(row[c]) for c in heads] for row in shown)]
        widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
        texts = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
        if len(shown) < len(self.rows):
            texts.append(f"… {len(self.rows) - len(shown)} more rows")
        return fitting("\n".join([f"{self.title} ({self.id})", *texts, *self.notes]))

    def _repr_html_(self) -> str:
        import html

        columns = list(self.rows[0]) if self.rows else []
        head = "".join(f"<th>{html.escape(c)}</th>" for c in columns)
        body = "".join("<tr>" + "".join(f"<td>{_cell(row[c])}</td>" for c in columns) + "</tr>" for row in self.rows)
        return _table(self.title, head, body) + _paragraphs(self.notes)


class Records(Generic[Library]):
    """Runs that were recorded, one or several. It prints as the table that compares them.

    Editors take frames for those of pandas, unless `read` is told another library.

    >>> records = heldout.read("runs/*")
    >>> records.episodes().groupby("env")["success"].mean()  # doctest: +SKIP
    """

    def __init__(self, paths: Paths, backend: Backend | None = None) -> None:
        self.paths = _listed(paths)
        self._backend: Backend | None = backend
        self._folders: dict[tuple[bool, bool], tempfile.TemporaryDirectory[str]] = {}

    @overload
    def runs(self: Records[Literal["polars"]]) -> polars.DataFrame: ...
    @overload
    def runs(self: Records[Literal["arrow"]]) -> Any: ...
    @overload
    def runs(self) -> pandas.DataFrame: ...
    def runs(self) -> Any:
        """Returns a row for each condition of each run: its settings, and how many episodes are done."""
        return self._frame("runs", steps=False, texts=False, attempts=False)

    @overload
    def episodes(
        self: Records[Literal["polars"]], *, attempts: bool = ..., texts: bool = ...
    ) -> polars.DataFrame: ...
    @overload
    def episodes(self: Records[Literal["arrow"]], *, attempts: bool = ..., texts: bool = ...) -> Any: ...
    @overload
    def episodes(self, *, attempts: bool = ..., texts: bool = ...) -> pandas.DataFrame: ...
    def episodes(self, *, attempts: bool = False, texts: bool = False) -> Any:
        """Returns a row for each episode with a result; with `attempts`, a row for each attempt.

        The column `counts` marks the attempt that counts. With `texts`, the columns goal and observation are filled.
        """
        return self._frame("episodes", steps=False, texts=texts, attempts=attempts)

    @overload
    def steps(self: Records[Literal["polars"]], *, attempts: bool = ..., texts: bool = ...) -> polars.DataFrame: ...
    @overload
    def steps(self: Records[Literal["arrow"]], *, attempts: bool = ..., texts: bool = ...) -> Any: ...
    @overload
    def steps(self, *, attempts: bool = ..., texts: bool = ...) -> pandas.DataFrame: ...
    def steps(self, *, attempts: bool = False, texts: bool = True) -> Any:
        """Returns a row for each step, with the keys `run`, `id` and `attempt` of its episode."""
        return self._frame("steps", steps=True, texts=texts, attempts=attempts)

    def tables(self, *ids: TableName, **options: Unpack[CompareOptions]) -> dict[str, Table]:
        """Returns tables of `heldout compare` by id.

        Without a name it returns "every" table that these runs have; "all" leaves out the long ones.
        `heldout help tables` explains each. Rates, intervals, differences and their corrections are the binary's.
        `options` are its flags, with `_` for `-`.

        >>> records = heldout.read("runs/*")
        >>> records.tables("results", interval="tasks", baseline="agentrefine")["results"].rows[0]["environment"]
        'pddl'
        """
        chosen = [f"--table={name}" for name in ids or ("every",)]
        printed = ask("compare", *self.paths, "--format=json", *chosen, *flags(options))
        return {t["id"]: Table(t["id"], t["title"], t["rows"], t.get("notes") or []) for t in json.loads(printed)}

    def metrics(self, prefix: str = "heldout/", **options: Unpack[CompareOptions]) -> dict[str, float]:
        """Returns numbers under flat names without blanks, for a tracker.

        Names are `PREFIX[MODEL/]ENV/success`, with the limits of its 95% interval `…_low` and `…_high`, and the
        standard deviation over seeds `…_std`; the same of `progress`, and of both in `held_out`, where there is a
        held-out score. `grounding` is the rate of valid actions; `steps`, `prompt_tokens`, `completion_tokens`, … are
        means of an episode. The model is left out if there is only one. `options` are those of `tables`.

        >>> sorted(heldout.read("runs/*").metrics(model="random"))[:3]
        ['heldout/pddl/grounding', 'heldout/pddl/progress', 'heldout/pddl/progress_high']
        """
        return flat(self.tables("paper", "results", "usage", **options), prefix)

    def report(self, out: str | os.PathLike[str] = "report.html", **options: Unpack[ReportOptions]) -> Path:
        """Writes the report, a page with all figures, tables and episodes."""
        from pathlib import Path

        ask("report", *self.paths, *flags({"out": out, **options}))
        return Path(out)

    def show(self) -> Path:
        """Writes the report to a temporary file and opens it in a browser."""
        import tempfile
        import webbrowser
        from pathlib import Path

        page = self.report(Path(tempfile.mkdtemp(prefix="heldout-")) / "report.html")
        webbrowser.open(page.as_uri())
        return page

    def figure(self, name: FigureName, **options: Unpack[PlotOptions]) -> Figure:
        """Returns a figure of `heldout plot` as SVG, such as "rates". `options` are its flags."""
        import tempfile
        from pathlib import Path

        with tempfile.TemporaryDirectory(prefix="heldout-") as folder:
            out = Path(folder) / "figure.svg"
            ask("plot", *self.paths, *flags({"figure": name, "out": out, **options}))
            return Figure(out.read_text(encoding="utf-8"), name)

    def __str__(self) -> str:
        return fitting(ask("compare", *self.paths))

    def __repr__(self) -> str:
        return fitting(f"heldout.read({self.paths!r})")

    def _repr_html_(self) -> str:
        import html

        printed = json.loads(ask("compare", *self.paths, "--format=json"))
        if not printed or printed[0]["id"] != "headline":
            return f"<pre>{html.escape(ask('compare', *self.paths))}</pre>"
        claim = " ".join(str(self).split("\n─", 1)[0].split())  # it stands above the first rule
        notes = "".join(_paragraphs(t.get("notes") or []) for t in printed)
        return _paragraphs([claim]) + _headline(printed[0]) + notes

    def _frame(self, kind: str, *, steps: bool, texts: bool, attempts: bool) -> Any:
        from . import _frames

        backend = _backend(self._backend)
        key = (steps, attempts)
        if key not in self._folders:
            import tempfile

            self._folders[key] = tempfile.TemporaryDirectory(prefix="heldout-")
            out = os.path.join(self._folders[key].name, "records.jsonl")
            chosen = flags({"steps": steps, "attempts": attempts})
            ask("export", *self.paths, "--format=records", "--out", out, "--force", *chosen)
        make = {"pandas": _frames.pandas_frame, "polars": _frames.polars_frame, "arrow": _frames.arrow}[backend]
        with open(os.path.join(self._folders[key].name, "records.jsonl"), encoding="utf-8") as lines:
            return make(kind, (row for table, row in _frames.rows(lines, texts=texts) if table == kind))


class Figure(NamedTuple):
    """A figure, which Jupyter shows."""

    svg: str
    name: str = "figure"

    def __repr__(self) -> str:
        return f"<heldout.Figure {self.name}: {len(self.svg)} characters of SVG; save(FILE) writes them>"

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the figure to a file that ends in .svg."""
        if not os.fspath(path).endswith(".svg"):
            raise UsageError(f"{os.fspath(path)} does not end in .svg; `heldout plot` writes .pdf and .png as well")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)


@overload
def read(paths: Paths, *, backend: Literal["pandas"] | None = None) -> Records[Literal["pandas"]]: ...
@overload
def read(paths: Paths, *, backend: Literal["polars"]) -> Records[Literal["polars"]]: ...
@overload
def read(paths: Paths, *, backend: Literal["arrow"]) -> Records[Literal["arrow"]]: ...
def read(paths: Paths, *, backend: Backend | None = None) -> Records[Any]:
    """Returns the records of run directories, or of all runs below folders; patterns such as `runs/*` are expanded.

    `backend` is the library of data frames: "pandas", "polars" or "arrow"; by default, the first that is installed.
    """
    import glob

    if backend is not None:
        _check_backend(backend)
    found: list[str] = []
    for path in _listed(paths):
        matches = [path] if os.path.exists(path) else sorted(glob.glob(path))
        if not matches:
            wrong = "matches nothing" if glob.has_magic(path) else "does not exist"
            raise NotFound(f"{path} {wrong}: give a run directory, a folder of some, or a pattern such as runs/*")
        found += matches
    if not found:
        raise UsageError("read needs at least one run directory, folder or pattern such as runs/*")
    return Records(found, backend)


def episodes(run: str | os.PathLike[str]) -> Iterator[Episode]:
    """Yields the attempts of a run directory with their steps, as they were recorded.

    This needs no data frame library. `read(…).episodes()` says which attempts count.
    """
    name = os.path.join(run, "episodes.jsonl")
    if not os.path.exists(name):
        raise NotFound(f"{name} is not there: give the directory of one run; heldout.read takes folders of several")
    return _lines(name)


def _lines(name: str) -> Iterator[Episode]:
    import hashlib

    with open(name, "rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            body, _, rest = line.rpartition(b',"checksum":"')
            if not line.endswith(b"\n"):
                return  # a line that a crash left unfinished
            if rest != hashlib.sha256(body).hexdigest()[:16].encode() + b'"}\n':
                folder = os.path.dirname(name)
                raise Error(f"{name}: line {number} is not what was written: heldout repair {folder} checks it")
            episode: Episode = json.loads(line)
            yield episode


def flat(tables: dict[str, Table], prefix: str) -> dict[str, float]:
    """Returns what `Records.metrics` says, and the share of unreadable replies if the table refinement is there."""
    models = [row["model"] for row in tables["paper"].rows]
    found: dict[str, float] = {}

    def add(model: str, name: str, value: float | None) -> None:
        if value is not None and model in models:
            name = (f"{model}/" if len(models) > 1 else "") + name
            found[prefix + name.replace(" ", "_")] = float(value)

    def rows(name: str) -> list[dict[str, Any]]:
        return [row for table in tables.values() if table.id == name for row in table.rows]

    for row in tables["paper"].rows:
        for name, value in row.items():
            place, rate, suffix = name.rpartition("_success" if "_success" in name else "_progress")
            if rate:
                add(row["model"], f"{_HELD_OUT.get(place, place)}/{rate[1:]}{suffix}", value)
    for row in [row for name, table in tables.items() if name.startswith("results") for row in table.rows]:
        add(row["model"], f"{row['environment']}/grounding", row["grounding"])
    for row in rows("usage"):
        add(row["model"], f"{row['environment']}/{row['quantity']}", row["mean"])
    for row in rows("refinement"):
        add(row["model"], f"{row['environment']}/unreadable", row["format_errors"])
    return found


def _listed(paths: Paths) -> list[str]:
    return texts("paths", [paths] if isinstance(paths, (str, bytes, os.PathLike)) else paths)


def _check_backend(wanted: str) -> None:
    if wanted not in _MODULES:
        raise UsageError(f"backend is {wanted!r}; there are {', '.join(_MODULES)}")


def _backend(wanted: Backend | None) -> Backend:
    import importlib.util

    if wanted is not None:
        _check_backend(wanted)
    every: tuple[Backend, ...] = ("pandas", "polars", "arrow")
    for name in (wanted,) if wanted else every:
        if all(importlib.util.find_spec(m) for m in (_MODULES[name], *(["pyarrow"] if name == "pandas" else []))):
            return name
    raise MissingPackage(
        f"a data frame needs {wanted or 'pandas with pyarrow, polars or pyarrow'}: "
        "pip install pandas pyarrow, or polars; heldout.episodes(run) needs neither"
    )


def _headline(table: dict[str, Any]) -> str:
    """Returns rates by model and environment in percent, with letters and the limits of their intervals."""
    import html

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
    import html

    caption = f"<caption>{html.escape(title)}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _paragraphs(notes: Sequence[str]) -> str:
    import html

    return "".join(f"<p>{html.escape(note)}</p>" for note in notes)


def _cell(value: Any) -> str:
    import html

    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else html.escape(str(value))
