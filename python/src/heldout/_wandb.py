"""Runs in wandb."""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false

from __future__ import annotations

import os
import tempfile
from typing import Any

from ._records import Paths, Records, Table
from ._trackers import Content, Logged, State, columns, load, logged

_DEFAULT = "heldout"
_ROWS = 10_000  # of a table that wandb shows


class Wandb:
    """The entry of runs in a project of wandb. It is opened at the first use."""

    def __init__(
        self, runs: Paths | Records[Any], project: str | None = None, *, series: bool = False, **settings: Any
    ) -> None:
        self.content = Content(runs, series)
        self._wandb = load("wandb")
        entity, _, name = (project or os.environ.get("WANDB_PROJECT") or _DEFAULT).rpartition("/")
        own = {"entity": entity or None, "project": name, "id": self.content.id, "name": self.content.name,
               "dir": os.path.abspath(os.environ.get("WANDB_DIR", "."))}  # wandb's process may be elsewhere
        self._settings: dict[str, Any] = {**own, **settings}
        self.id: str = self._settings["id"]
        self._offline = (settings.get("mode") or os.environ.get("WANDB_MODE")) == "offline"
        self._state = State(self.content, f"wandb {'offline ' if self._offline else ''}{entity}/{name}/{self.id}")
        self._done: dict[str, float] = {}  # the last value on each axis
        self._run: Any = None

    def open(self) -> Any:
        """Returns the run of wandb, which resumes where it was."""
        if self._run is None:
            quiet = {"silent": True, "console": "off", "disable_git": True, "disable_code": True,
                     "x_disable_stats": True, "x_disable_meta": True, "init_timeout": 30,
                     "x_save_requirements": False}  # fmt: skip
            self._run = self._wandb.init(
                resume="allow",
                reinit="create_new",  # beside a run of the caller
                config=self.content.config(),
                settings=self._wandb.Settings(**quiet),
                job_type="evaluation",
                **self._settings,
            )
            for axis in ("live/episodes", "curves/step"):
                self._run.define_metric(axis, hidden=True)
                self._run.define_metric(f"{axis.partition('/')[0]}/*", step_metric=axis)
                had = self._state.read() if self._offline else self._run.summary  # wandb's server knows best
                self._done[axis] = had.get(axis) or -1
        return self._run

    def live(self) -> None:
        """Logs the rates so far, if episodes have been finished since the last time."""
        finished, planned = self.content.look()
        if finished > 0:
            self.open()
            self._log("live/episodes", finished, {"live/planned": planned, **self.content.live()})

    def _log(self, axis: str, value: int, values: dict[str, float]) -> None:
        """Logs a point, unless it or a later one has been logged."""
        if value > self._done[axis]:
            self._run.log({axis: value, **values})
            self._done[axis] = value
            self._state.write(**{axis: value})

    def final(self, url: str | None = None, artifacts: bool = True) -> None:
        """Logs all of the runs, unless they have been logged as they are."""
        found = logged(self.content, url)
        if self._state.read().get("digest") != found.digest:
            self._log_all(found, artifacts)
            self.close()
            self._state.write(digest=found.digest)

    def _log_all(self, found: Logged, artifacts: bool) -> None:
        run = self.open()
        run.config.update(found.config, allow_val_change=True)
        if self._done["live/episodes"] > 0:
            self._log("live/episodes", int(found.summary["heldout/episodes"]), self.content.live())
        for step, values in found.curves:
            self._log("curves/step", step, values)
        run.log({f"tables/{name}": self._table(table) for name, table in found.tables.items()})
        run.summary.update(found.summary)
        if artifacts and not self.content.hides():
            with tempfile.TemporaryDirectory(prefix="heldout-") as folder:
                artifact = self._wandb.Artifact(f"heldout-{self.id}", type="evaluation")
                for name in self.content.files(folder):
                    artifact.add_file(os.path.join(folder, name), name)
                run.log_artifact(artifact)

    def _table(self, table: Table) -> Any:
        names = columns(table)
        rows = [[row.get(name) for name in names] for row in table.rows[:_ROWS]]
        return self._wandb.Table(columns=names, data=rows, allow_mixed_types=True)

    def close(self, code: int = 0) -> None:
        """Ends the process of wandb when all is sent."""
        if self._run is not None:
            self._run.finish(code)
            self._run = None
