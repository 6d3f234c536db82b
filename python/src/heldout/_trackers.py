"""What wandb and MLflow get of runs. All numbers are the binary's."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

from ._binary import ask
from ._errors import MissingPackage, NotFound, UsageError
from ._records import Paths, Records, Table, flat, read

# Values under names like these are not logged.
_SECRET = re.compile(
    r"(?i)secret|passw|credential|authorization|cookie|(api|access|auth|private|signing)[-_]?(key|token)"
)
_COLUMNS = ("env", "task", "task_type", "difficulty", "model", "agent", "preset", "perturbation", "seed", "trial",
            "attempt", "outcome", "success", "progress", "grounding", "steps", "format_errors", "prompt_tokens",
            "completion_tokens", "model_seconds")  # fmt: skip
_RATES = ("success", "success_low", "success_high", "progress", "progress_low", "progress_high")
_STATE = "trackers.json"  # in a run directory: what trackers have of it


def load(name: str) -> Any:
    """Imports the package of a tracker."""
    try:
        importlib.import_module("pyarrow")
        module = importlib.import_module(name)
        if module.__file__ is None:  # a folder of that name, such as the one that wandb writes to
            raise ImportError(name=name)
    except ImportError as error:
        lacks = f"logging to {name} needs the package {error.name or error}"
        raise MissingPackage(f"{lacks}: pip install 'heldout[{name}]'") from error
    return module


class Point(NamedTuple):
    """A point of curves: values by name, at a step."""

    step: int
    values: dict[str, float]


class Content:
    """Runs as a tracker shows them: one entry for one run or for a series, such as the checkpoints of a training."""

    def __init__(self, runs: Paths | Records[Any], series: bool = False) -> None:
        self.records: Records[Any] = read(runs.paths if isinstance(runs, Records) else runs, backend="arrow")
        self.folders = [folder for path in self.records.paths for folder in _folders(path)]
        if not self.folders:
            raise NotFound(f"{self.records.paths[0]} has no run directory: give one, or a folder of some")
        self.folders.sort(key=lambda folder: _start(_plan(folder)))
        self._plans = [_plan(folder) for folder in self.folders]
        self._series = series or len(self.folders) > 1
        self._lines: list[dict[str, Any]] = []

    @property
    def id(self) -> str:
        """The id follows from the start of the earliest run, so that it stays when folders move and a series grows."""
        return hashlib.sha256(f"{_start(self._plans[0])}{self._series}".encode()).hexdigest()[:16]

    @property
    def name(self) -> str:
        folders = [os.path.abspath(folder) for folder in self.folders]
        common = os.path.commonpath([os.path.dirname(f) for f in folders] if self._series else folders)
        return os.path.basename(common) or "heldout"

    def look(self) -> tuple[int, int]:
        """Reads how far the runs are. Returns how many episodes are finished, and how many are planned."""
        self._lines = [json.loads(ask("runs", folder, "--format=json")) for folder in self.folders]
        return sum(line["finished"] for line in self._lines), sum(line["planned"] for line in self._lines)

    def live(self) -> dict[str, float]:
        """Returns the rates so far, as of the last look."""
        rates = [rate for line in self._lines for rate in line["rates"]]
        several = len({rate["name"] for rate in rates}) > 1
        found: dict[str, float] = {}
        for rate in rates:
            place = (f"{rate['name']}/" if several else "") + _place(rate)
            found |= _numbers(f"live/{place}/", rate)
        return found

    def curves(self) -> list[Point]:
        """Returns points over the steps of a training, where models are called checkpoint-N, ckpt-N or step-N."""
        points: dict[int, dict[str, float]] = {}
        for rate in [rate for line in self._lines for rate in line["rates"]]:
            if "step" in rate and rate["planned"] == rate["finished"]:
                name = f"curves/{rate['curve']}/{_place(rate)}/"
                points.setdefault(rate["step"], {}).update(_numbers(name, rate))
        return [Point(step, points[step]) for step in sorted(points)]

    def config(self) -> dict[str, Any]:
        """Returns what makes the numbers what they are, without secrets, addresses and times."""
        conditions = [group["condition"] for plan in self._plans for group in plan["groups"]]
        merged: dict[str, dict[str, Any]] = {}
        for condition in conditions:
            same = {key: value for key, value in condition.items() if key != "seed"}
            merged.setdefault(json.dumps(same, sort_keys=True), same | {"seeds": []})
            seeds = merged[json.dumps(same, sort_keys=True)]["seeds"]
            seeds += [condition["seed"]] if condition["seed"] not in seeds else []
        first = self._plans[0]
        found: dict[str, Any] = _public({
            "heldout": {"run_id": self.id, "version": first["tool"]["version"], "behaviour": first.get("behaviour")},
            "tool": first["tool"],
            "environments": {
                env["name"]: env | {"tasks": len(env["tasks"])}
                for plan in self._plans
                for env in plan["environments"]
            },
            "conditions": list(merged.values()),
            "prompts": first.get("prompts"),
            "servers": first.get("servers"),
        })  # fmt: skip
        return found

    def hides(self) -> bool:
        """Reports whether the runs have settings that must not be logged, which files of them would have, too."""
        return any(found == _HIDDEN for plan in self._plans for found in _leaves(_public(plan["groups"])))

    def tables(self) -> dict[str, Table]:
        seeds = {group["condition"]["seed"] for plan in self._plans for group in plan["groups"]}
        more = self.records.tables("seeds") if len(seeds) > 1 else {}
        return self.records.tables() | self.records.tables("paper", "kinds", "usage") | more

    def episodes(self, url: str | None) -> Table:
        """Returns the episodes that count. Each has the place of its page: in the report, or in a viewer at `url`."""
        frame: Any = self.records.episodes()
        rows = [
            {**{name: row[name] for name in _COLUMNS}, "page": _page(row, url)}
            for row in frame.to_pylist()
            if row["counts"]
        ]
        return Table("episodes", "Episodes", rows)

    def files(self, folder: str) -> list[str]:
        """Writes the report and a bundle into a folder, and returns their names."""
        self.records.report(os.path.join(folder, "report.html"))
        ask("bundle", *self.folders, "--out", os.path.join(folder, "runs.heldout"))
        return ["report.html", "runs.heldout"]


class State:
    """What a tracker has of a run, so that nothing is logged twice. It is a file in the run directory."""

    def __init__(self, content: Content, place: str) -> None:
        self._file = os.path.join(content.folders[0], _STATE)
        self._place = place

    def read(self) -> dict[str, Any]:
        return self._all().get(self._place, {})

    def write(self, **values: Any) -> None:
        states = self._all()
        states[self._place] = {**states.get(self._place, {}), **values}
        try:
            with open(self._file + ".new", "w", encoding="utf-8") as file:
                json.dump(states, file)
            os.replace(self._file + ".new", self._file)
        except OSError:
            pass  # the folder may belong to somebody else

    def _all(self) -> dict[str, dict[str, Any]]:
        try:
            with open(self._file, encoding="utf-8") as file:
                found: dict[str, dict[str, Any]] = json.load(file)
        except (OSError, ValueError):
            return {}
        return found


class Logged(NamedTuple):
    """All that is logged of finished runs, and its digest."""

    config: dict[str, Any]
    summary: dict[str, float]
    curves: list[Point]
    tables: dict[str, Table]
    digest: str


def logged(content: Content, url: str | None) -> Logged:
    """Reads all that is logged of runs."""
    finished, planned = content.look()
    tables = content.tables()
    summary = {"heldout/episodes": float(finished), "heldout/planned": float(planned), **flat(tables, "heldout/")}
    tables = {name: table for name, table in tables.items() if table.rows}
    tables["episodes"] = content.episodes(url)
    config, curves = content.config(), content.curves()
    everything = json.dumps([config, summary, curves, tables], sort_keys=True, default=str)
    return Logged(config, summary, curves, tables, hashlib.sha256(everything.encode()).hexdigest())


def columns(table: Table) -> list[str]:
    """Returns the columns of a table, of which rows may lack some."""
    return list(dict.fromkeys(name for row in table.rows for name in row))


_HIDDEN = "(hidden)"


def _public(value: Any, name: str = "") -> Any:
    """Returns a value without what may be a secret."""
    if isinstance(value, dict):
        return {key: _public(one, key) for key, one in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        ones = cast("Sequence[Any]", value)
        return [_public(one, name) for one in ones]
    return _HIDDEN if _SECRET.search(name) and value else value


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(cast("dict[str, Any]", value).values())
    if isinstance(value, list):
        ones = cast("Sequence[Any]", value)
        for one in ones:
            yield from _leaves(one)
    else:
        yield value


def _folders(path: str) -> list[str]:
    if os.path.exists(os.path.join(path, "run.json")):
        return [path]
    return [json.loads(line)["dir"] for line in ask("runs", path, "--format=json").splitlines()]


def _plan(folder: str) -> dict[str, Any]:
    name = os.path.join(folder, "run.json")
    try:
        with open(name, encoding="utf-8") as file:
            plan: dict[str, Any] = json.load(file)
    except FileNotFoundError:
        raise NotFound(f"{name} is not there: give the directory of a run") from None
    except ValueError as error:
        raise UsageError(f"{name} cannot be read ({error}): heldout repair {folder} checks it") from None
    return plan


def _start(plan: dict[str, Any]) -> str:
    return str(plan["sessions"][0]["started"]) if plan["sessions"] else ""


def _place(rate: dict[str, Any]) -> str:
    return str(rate["place"]) + ("" if rate["perturbation"] == "none" else f"/{rate['perturbation']}")


def _numbers(prefix: str, rate: dict[str, Any]) -> dict[str, float]:
    return {(prefix + name).replace(" ", "_"): rate[name] for name in _RATES if rate[name] is not None}


def _page(row: dict[str, Any], url: str | None) -> str:
    from urllib.parse import quote

    run, name = row["run"], row["id"] + (f".{row['attempt']}" if row["attempt"] > 1 else "")
    if url:
        return f"{url.rstrip('/')}/runs/{quote(run)}/episodes/{name}"
    return f"report.html#episode={quote(f'{run}/{name}', safe='')}"
