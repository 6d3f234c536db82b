"""Runs in trackers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._records import Paths, Records


def log_wandb(
    run: Paths | Records[Any],
    project: str | None = None,
    *,
    url: str | None = None,
    artifacts: bool = True,
    **settings: Any,
) -> str:
    """Logs runs to wandb, and returns the id of the run there, which follows from the run directory.

    `run` is a run, its folder, or several: checkpoints of a training become curves over its steps. Runs that were
    logged are not logged again; those that have gone on since are brought up to date.

    `project` is PROJECT or ENTITY/PROJECT; by default `$WANDB_PROJECT`, else "heldout". `url` is the address of a
    `heldout view` to which episodes link, instead of the report among the artifacts. `settings` are keywords of
    `wandb.init`, such as `mode="offline"`, `group` or `tags`.
    """
    from ._wandb import Wandb

    entry = Wandb(run, project, **settings)
    entry.final(url, artifacts)
    return entry.id


def log_mlflow(
    run: Paths | Records[Any],
    experiment: str | None = None,
    *,
    tracking_uri: str | None = None,
    url: str | None = None,
    artifacts: bool = True,
) -> str:
    """Logs runs to MLflow, and returns the id of the run there. Its tag heldout.run_id follows from the run directory.

    `run` is a run, its folder, or several: checkpoints of a training become curves over its steps. Runs that were
    logged are not logged again; those that have gone on since are brought up to date.

    `experiment` is by default `$MLFLOW_EXPERIMENT_NAME`, else "heldout". `tracking_uri` is that of MLflow, such as
    "sqlite:///mlflow.db". `url` is the address of a `heldout view` to which episodes link, instead of the report among
    the artifacts.
    """
    from ._mlflow import Mlflow

    entry = Mlflow(run, experiment, tracking_uri)
    entry.final(url, artifacts)
    return entry.id
