"""The exceptions. Each has the binary's own sentence as its text."""


class Error(Exception):
    """What the binary refused or could not do."""


class UsageError(Error):
    """Arguments that make no sense, such as an unknown environment."""


class Incomplete(Error):
    """A run ended, but some of its episodes have no result. `run` is its folder."""

    def __init__(self, message: str, run: str) -> None:
        super().__init__(message)
        self.run = run


class Overlap(Error):
    """An evaluation would play tasks that the model is trained on."""


class ServerDied(Error):
    """The process behind a pool has ended. The text has its last words."""


class StepError(Error):
    """A step or a reset that failed, such as a step before the first reset."""


class VersionMismatch(Error):
    """The binary on the path is of another version than this package."""
