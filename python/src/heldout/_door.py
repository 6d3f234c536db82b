"""Environments and agents of this process for a run of the binary: it starts relays, which connect to here."""

from __future__ import annotations

import hmac
import os
import secrets
import shlex
import socket
import sys
import threading
from collections.abc import Callable
from typing import IO


class Door:
    """A port at which relays of a run have lines answered, each in a thread of its own.

    `name` is what starts a relay, which has the key in that environment variable.
    """

    def __init__(self, answer: Callable[[IO[bytes], IO[bytes]], None], variable: str) -> None:
        self._answer, self.key = answer, secrets.token_hex(16)
        self._socket = socket.create_server(("127.0.0.1", 0))
        relay = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_relay.py")
        self.name = "exec:" + shlex.join([sys.executable, relay, str(self._socket.getsockname()[1]), variable])
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Takes no more relays. Those that are there end with the run."""
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:  # it is closed
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection, connection.makefile("rb") as lines, connection.makefile("wb") as out:
            if hmac.compare_digest(lines.readline(100).strip(), self.key.encode()):
                try:
                    self._answer(lines, out)
                except OSError:  # the relay is gone
                    return
