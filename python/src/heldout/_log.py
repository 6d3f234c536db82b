"""`python -m heldout log`: logs runs, and follows one for `heldout run --log`."""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from ._errors import Error, UsageError
from ._mlflow import Mlflow
from ._trackers import load
from ._wandb import Wandb

_USAGE = "want: python -m heldout log wandb:PROJECT|mlflow:EXPERIMENT|mlflow:URI RUN…"
_FARTHEST = 60.0  # seconds between two looks at a run
_SHARE = 20  # looks take at most one part in so many of the time
_LAST = 5.0  # seconds to end in after the owner

Entry = Wandb | Mlflow


def main(arguments: Sequence[str]) -> int:
    """Runs the command."""
    try:
        following = arguments[:1] == ["--follow"]
        opener = _opener(arguments[following] if len(arguments) > following else "")
        if following:
            return _follow(opener)
        if len(arguments) < 2:
            raise UsageError(_USAGE)
        entry = opener(list(arguments[1:]), False)
        entry.final()
        print(entry.id)
        return 0
    except Error as error:
        print(f"heldout: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1


def _opener(place: str) -> Callable[[Sequence[str], bool], Entry]:
    """Returns what makes the entry of runs in a tracker, whose package is imported."""
    kind, _, rest = place.partition(":")
    if kind == "wandb" and rest:
        load("wandb")
        return lambda runs, series: Wandb(runs, rest, series=series)
    if kind == "mlflow" and rest:
        os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "2")  # its own 7 take minutes
        load("mlflow")
        uri = rest if ":" in rest or rest == "databricks" else None
        return lambda runs, series: Mlflow(runs, None if uri else rest, uri, series=series)
    raise UsageError(f"{place!r} is no tracker; {_USAGE}")


def _follow(opener: Callable[[Sequence[str], bool], Entry]) -> int:
    """Does what the owner asks for, line by line, until it closes standard input or ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)  # other packages print

    def answer(line: str) -> None:
        try:
            print(" ".join(line.split()), file=answers)
        except OSError:
            pass  # the owner has ended, and the reader sees it

    requests: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    answer("ready")
    _Follower(opener, answer).work(requests)
    return 0


def _listen(requests: queue.SimpleQueue[dict[str, Any] | None]) -> None:
    for line in sys.stdin:
        requests.put(json.loads(line))
    requests.put(None)
    time.sleep(_LAST)
    _end()


def _end() -> None:
    """Ends this process and those that a tracker has started."""
    import signal

    if os.name != "nt" and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


class _Follower:
    """Logs a run while it is played. What a tracker refuses is said once, and tried again at the end."""

    def __init__(self, opener: Callable[[Sequence[str], bool], Entry], answer: Callable[[str], None]) -> None:
        self._opener = opener
        self._answer = answer
        self._dir = ""
        self._entry: Entry | None = None
        self._failed = False
        self._complete = False

    def work(self, requests: queue.SimpleQueue[dict[str, Any] | None]) -> None:
        wait = 1.0
        while True:
            try:
                request = requests.get(timeout=wait if self._dir else None)
            except queue.Empty:
                began = time.monotonic()
                self._attempt(self._live)
                wait = min(max(2 * wait if wait < 10 else wait, _SHARE * (time.monotonic() - began)), _FARTHEST)
                continue
            if request is None:
                break
            if "follow" in request:
                self._dir, self._entry = request["follow"], None
            else:
                runs, series = request["log"], request["series"]
                self._complete = self._attempt(lambda: self._final(runs, series))  # noqa: B023
                self._answer("logged" if self._complete else "failed")
        if self._entry is not None:
            self._attempt(lambda: self._close())

    def _live(self) -> None:
        if self._entry is None and os.path.exists(os.path.join(self._dir, "run.json")):
            self._entry = self._opener([self._dir], False)
        if self._entry is not None:
            self._entry.live()

    def _final(self, runs: Sequence[str], series: bool) -> None:
        followed = self._entry if runs == [self._dir] and not series else None
        self._dir = ""
        (followed or self._opener(runs, series)).final()

    def _close(self) -> None:
        if self._entry is not None and not self._complete:
            self._entry.close(1)

    def _attempt(self, action: Callable[[], None]) -> bool:
        try:
            action()
        except Exception as error:  # whatever a tracker raises, the run continues
            if not self._failed:
                self._answer(f"warn not logged yet: {type(error).__name__}: {error}"[:300])
            self._failed = True
            return False
        return True
