"""heldout: benchmark LLM agents on text environments.

The binary does the work; this package starts it, plays its environments in process and reads what it recorded.
It needs nothing but the standard library.
"""

from __future__ import annotations

from ._binary import cli, find_bin
from ._errors import Error, Incomplete, ServerDied, StepError, UsageError, VersionMismatch
from ._pool import Observation, Pool, Reset, Result, Session, Task
from ._version import __version__

__all__ = [
    "Error",
    "Incomplete",
    "Observation",
    "Pool",
    "Reset",
    "Result",
    "ServerDied",
    "Session",
    "StepError",
    "Task",
    "UsageError",
    "VersionMismatch",
    "__version__",
    "cli",
    "find_bin",
]
