"""The exceptions. Each says what was wrong and what to do, mostly in the binary's own sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._printing import fitting

if TYPE_CHECKING:
    from .recorded import Episode


class Error(Exception):
    """The binary refused a request or failed."""

    def __str__(self) -> str:
        return fitting(Exception.__str__(self))


class UsageError(Error, ValueError):
    """Arguments that make no sense, such as an unknown environment."""


class NotFound(Error, FileNotFoundError):
    """A file, a folder or a program that is not there."""


class MissingPackage(Error, ImportError):
    """A package of another project that is not installed."""


class Incomplete(Error):
    """A run ended, but some of its episodes have no result. The text says why; `run` is its folder."""

    def __init__(self, message: str, run: str) -> None:
        super().__init__(message)
        self.run = run

    @property
    def episodes(self) -> list[Episode]:
        """The last attempts at the episodes that were tried and have no result, with their `error`."""
        from ._records import episodes

        last = {episode["id"]: episode for episode in episodes(self.run)}
        return [episode for episode in last.values() if episode["outcome"] not in ("success", "failure")]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (Exception.__str__(self), self.run)


class Overlap(Error):
    """An evaluation would play tasks of the model's training data."""


class ServerDied(Error):
    """The process behind a pool has ended. The text contains its last lines of output."""


class StepError(Error):
    """A step or a reset failed, such as a step before the first reset."""


class VersionMismatch(Error):
    """The binary is of another release than this package."""
