"""Runs in MLflow."""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false

from __future__ import annotations

import importlib
import json
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ._records import Paths, Records, Table
from ._trackers import Content, Logged, columns, load, logged

_DEFAULT = "heldout"
_ID, _DIGEST, _FINISHED, _STEP = "heldout.run_id", "heldout.digest", "heldout.finished", "heldout.step"
_LONGEST = 500  # characters of a parameter
_AT_ONCE = 1000  # metrics of a request


class Mlflow:
    """The entry of runs in an experiment of MLflow. It is opened at the first use."""

    def __init__(
        self,
        runs: Paths | Records[Any],
        experiment: str | None = None,
        tracking_uri: str | None = None,
        *,
        series: bool = False,
    ) -> None:
        self.content = Content(runs, series)
        self._mlflow = load("mlflow")
        self._client: Any = None
        self._uri = tracking_uri
        self._experiment = experiment or os.environ.get("MLFLOW_EXPERIMENT_NAME") or _DEFAULT
        self.id = ""
        self._tags: dict[str, str] = {}

    def open(self) -> Any:
        """Returns the client, once the run of MLflow is there. It resumes where it was."""
        if self._client is None:
            client = self._mlflow.MlflowClient(self._uri)
            experiment = self._experiment_id(client)
            own = f"tags.`{_ID}` = '{self.content.id}'"
            found = client.search_runs([experiment], own, max_results=1) or [
                client.create_run(experiment, tags={_ID: self.content.id}, run_name=self.content.name)
            ]
            self.id, self._tags = found[0].info.run_id, dict(found[0].data.tags)
            self._params(client, found[0].data.params)
            client.update_run(self.id, status="RUNNING")
            self._client = client
        return self._client

    def _experiment_id(self, client: Any) -> str:
        found = client.get_experiment_by_name(self._experiment)
        return str(found.experiment_id if found else client.create_experiment(self._experiment))

    def _params(self, client: Any, present: Mapping[str, str]) -> None:
        """Logs settings. Those that a resumed run has changed become tags: MLflow does not change parameters."""
        for name, value in _flat("", self.content.config()).items():
            text = str(value)[:_LONGEST]
            if name not in present:
                client.log_param(self.id, name, text)
            elif present[name] != text:
                self._tag(client, name, text)

    def _tag(self, client: Any, name: str, value: str) -> None:
        client.set_tag(self.id, name, value)
        self._tags[name] = value

    def live(self) -> None:
        """Logs the rates so far, if episodes have been finished since the last time."""
        finished, planned = self.content.look()
        if finished == 0:
            return
        client = self.open()
        self._log_point(client, _FINISHED, finished, {"live/planned": float(planned), **self.content.live()})

    def _log_point(self, client: Any, axis: str, step: int, values: Mapping[str, float]) -> None:
        """Logs a point, unless it or a later one has been logged."""
        if step > int(self._tags.get(axis, "-1")):
            self._metrics(client, values, step)
            self._tag(client, axis, str(step))

    def final(self, url: str | None = None, artifacts: bool = True) -> None:
        """Logs all of the runs, unless they have been logged as they are."""
        found = logged(self.content, url)
        client = self.open()
        if self._tags.get(_DIGEST) != found.digest:
            self._log(client, found, artifacts)
            self._tag(client, _DIGEST, found.digest)
        self.close()

    def _log(self, client: Any, found: Logged, artifacts: bool) -> None:
        if _FINISHED in self._tags:
            self._log_point(client, _FINISHED, int(found.summary["heldout/episodes"]), self.content.live())
        for step, values in found.curves:
            self._log_point(client, _STEP, step, values)
        self._metrics(client, found.summary, 0)
        client.log_text(self.id, json.dumps(found.config, indent=2), "config.json")
        names = [f"tables/{name}.json" for name in found.tables]
        for name, table in zip(names, found.tables.values(), strict=True):
            client.log_text(self.id, _table(table), name)
        shown = json.dumps([{"path": name, "type": "table"} for name in names])
        self._tag(client, "mlflow.loggedArtifacts", shown)
        if artifacts and not self.content.hides():
            with tempfile.TemporaryDirectory(prefix="heldout-") as folder:
                for name in self.content.files(folder):
                    client.log_artifact(self.id, os.path.join(folder, name))

    def _metrics(self, client: Any, values: Mapping[str, float], step: int) -> None:
        """Logs values at a step. Equal ones at equal times would be one, so all have one time."""
        entity: Any = importlib.import_module("mlflow.entities").Metric
        now = int(time.time() * 1000)
        metrics = [entity(name, value, now, step) for name, value in values.items()]
        for i in range(0, len(metrics), _AT_ONCE):
            client.log_batch(self.id, metrics=metrics[i : i + _AT_ONCE])

    def close(self, code: int = 0) -> None:
        """Ends the run of MLflow."""
        if self._client is not None:
            self._client.set_terminated(self.id, "FAILED" if code else "FINISHED")
            self._client = None


def _flat(prefix: str, value: Any) -> dict[str, Any]:
    """Returns nested settings under flat names."""
    items: Mapping[str, Any] = cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}
    if isinstance(value, list):
        ones = cast("Sequence[Any]", value)
        items = {str(i): one for i, one in enumerate(ones) if isinstance(one, dict)}
    if not items:
        return {prefix: value}
    found: dict[str, Any] = {}
    for name, one in items.items():
        clean = "".join(c if c.isalnum() or c in "_-. /" else "-" for c in name)
        found |= _flat(f"{prefix}.{clean}" if prefix else clean, one)
    return found


def _table(table: Table) -> str:
    names = columns(table)
    return json.dumps({"columns": names, "data": [[row.get(name) for name in names] for row in table.rows]})
