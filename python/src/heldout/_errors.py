"""The exceptions. The text of each is the message of the binary."""


class Error(Exception):
    """The binary refused a request or failed."""


class UsageError(Error):
    """Invalid arguments, such as an unknown environment."""


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
    """The binary and this package have different versions."""
