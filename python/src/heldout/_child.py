"""The process behind a pool. It exchanges lines of JSON over pipes."""

from __future__ import annotations

import importlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable
from typing import IO, Any

from ._binary import failure, start
from ._errors import Error, ServerDied

_LAST_LINES = 20  # of standard error, in a ServerDied
_USAGE = 2  # exit code of a process that refused its arguments
_PATIENCE = 5.0  # seconds for the end of a process
_AT_ONCE = 1 << 16  # bytes of a read


def _reader() -> Callable[[bytes], Any]:
    """Returns a JSON parser: that of orjson, which is twice as fast, if it is installed."""
    try:
        fast: Any = importlib.import_module("orjson")
    except ImportError:
        read = json.JSONDecoder().raw_decode
        return lambda line: read(line.decode())[0]
    loads: Callable[[bytes], Any] = fast.loads
    return loads


_loads = _reader()


class Child:
    """A child process. It ends when this process ends for any reason."""

    def __init__(self, arguments: list[str]) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()
        group = 0
        if sys.platform == "win32":
            group = subprocess.CREATE_NEW_PROCESS_GROUP
        self._process: subprocess.Popen[bytes] = start(
            ["serve", *arguments, "--stdio"],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=os.name != "nt",  # Ctrl-C is for Python
            creationflags=group,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._send: Callable[[bytes], int] = self._process.stdin.write  # of what it can, as these are not buffered
        self._receive: Callable[[int], bytes] = self._process.stdout.read
        self.lock = threading.Lock()  # held from a request to its answer
        self._interrupted = False  # an exchange was not finished
        self._interruptions = itertools.count()
        self._end = weakref.finalize(self, _end, self._process, self._errors)

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Sends a request and returns the answer."""
        with self.lock:
            answer: dict[str, Any] = self.exchange(json.dumps(request) + "\n")
        return answer

    def exchange(self, line: str) -> Any:
        """Sends a line and returns the answer. The caller holds the lock."""
        if self._interrupted:
            self._catch_up()
        self._interrupted = True  # Ctrl-C can come between any two lines of these
        try:
            self._write(line.encode())
            answer = self._receive(_AT_ONCE)
            if answer[-1:] != b"\n":
                answer = self._rest(answer, b"\n")
        except (OSError, ValueError):  # a broken or closed pipe
            raise self._died() from None
        self._interrupted = False
        found = _loads(answer)
        if "error" in found:
            raise Error(found["error"])
        return found

    def _write(self, line: bytes) -> None:
        sent = self._send(line)
        while sent < len(line):
            sent += self._send(line[sent:])

    def _rest(self, answer: bytes, end: bytes) -> bytes:
        """Reads up to the end of an answer."""
        parts = [answer]
        while not answer.endswith(end):
            part = self._receive(_AT_ONCE)
            if not part:
                raise BrokenPipeError
            parts.append(part)
            answer = part if len(part) >= len(end) else b"".join(parts)
        return b"".join(parts)

    def _catch_up(self) -> None:
        """Reads past the answer to a request that was interrupted."""
        number = next(self._interruptions)
        try:
            self._write(b'\n{"sync":%d}\n' % number)
            self._rest(b"", b'{"sync":%d}\n' % number)
        except (OSError, ValueError):
            raise self._died() from None

    def close(self) -> None:
        """Ends the process."""
        self._end()

    def forget(self) -> None:
        """Detaches the process after a fork: it belongs to the parent."""
        self._end.detach()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.returncode = 0  # nothing waits for it

    def _died(self) -> Error:
        if not self._end.alive:
            return ServerDied("the pool is closed: make a new one")
        try:
            code: int | str = self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            code = "none"
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace")
        if code == _USAGE:
            return failure(_USAGE, said, keywords=True)
        last = said.splitlines()[-_LAST_LINES:]
        return ServerDied("\n".join([f"heldout serve has ended with exit code {code}: make a new pool", *last]))


def _end(process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
    """Closes the pipes of a process and waits until it ends."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.close()
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
    errors.close()
