"""The process behind a pool: lines of JSON over pipes."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable
from typing import IO, Any

from ._binary import checked_bin
from ._errors import Error, ServerDied

_LAST_LINES = 20  # of standard error, in a ServerDied
_PATIENCE = 5.0  # seconds for the end of a process



def _json() -> tuple[Callable[[Any], bytes], Callable[[bytes], Any]]:
    """Returns a writer and a reader of JSON: orjson's, which are twice as fast, if it is there."""
    try:
        fast: Any = importlib.import_module("orjson")
    except ImportError:
        return lambda value: json.dumps(value, separators=(",", ":")).encode(), json.loads
    return fast.dumps, fast.loads


_dumps, _loads = _json()


class Child:
    """One process. It ends with this one, however that ends."""

    def __init__(self, arguments: list[str]) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()
        group = 0
        if sys.platform == "win32":
            group = subprocess.CREATE_NEW_PROCESS_GROUP
        self._process: subprocess.Popen[bytes] = subprocess.Popen(
            [checked_bin(), "serve", *arguments, "--stdio", "--parent", str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=os.name != "nt",  # Ctrl-C is for Python
            creationflags=group,
        )
        self._lock = threading.Lock()
        self._end = weakref.finalize(self, _end, self._process, self._errors)

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Sends a request, and returns the answer."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        with self._lock:
            try:
                stdin.write(_dumps(request) + b"\n")
                stdin.flush()
                line = stdout.readline()
            except (OSError, ValueError):  # a broken or closed pipe
                line = b""
        if not line.endswith(b"\n"):
            raise self._died()
        answer: dict[str, Any] = _loads(line)
        if "error" in answer:
            raise Error(answer["error"])
        return answer

    def close(self) -> None:
        """Ends the process."""
        self._end()

    def forget(self) -> None:
        """Lets go of the process after a fork: it belongs to the parent."""
        self._end.detach()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                os.close(pipe.fileno())
                pipe.detach()  # type: ignore[attr-defined]
        self._process.returncode = 0  # nothing waits for it

    def _died(self) -> ServerDied:
        if not self._end.alive:
            return ServerDied("the pool is closed")
        try:
            code: int | str = self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            code = "none"
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").splitlines()[-_LAST_LINES:]
        return ServerDied("\n".join([f"heldout serve has ended with exit code {code}", *said]))


def _end(process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
    """Closes the pipes of a process and waits for its end."""
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.close()
    except OSError:
        pass  # it has ended
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
    errors.close()
