"""The exceptions. Each says what was wrong and what to do, mostly in the binary's own sentence."""


class Error(Exception):
    """The binary refused a request or failed."""


class UsageError(Error, ValueError):
    """Arguments that make no sense, such as an unknown environment."""


class NotFound(Error, FileNotFoundError):
    """A file, a folder or a program that is not there."""


class MissingPackage(Error, ImportError):
    """A package of another project that is not installed."""


class Incomplete(Error):
    """A run ended, but some of its episodes have no result. `run` is its folder."""

    def __init__(self, message: str, run: str) -> None:
        super().__init__(message)
        self.run = run


class Overlap(Error):
    """An evaluation would play tasks of the model's training data."""


class ServerDied(Error):
    """The process behind a pool has ended. The text contains its last lines of output."""


class StepError(Error):
    """A step or a reset failed, such as a step before the first reset."""


class VersionMismatch(Error):
    """The binary is of another release than this package."""
