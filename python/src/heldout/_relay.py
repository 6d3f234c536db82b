"""The program that heldout starts for an environment or agent in another process: `_relay.py PORT VARIABLE`. It passes lines on."""

import os
import socket
import sys
import threading

_AT_ONCE = 1 << 16


def _forward(connection: socket.socket) -> None:
    while data := os.read(0, _AT_ONCE):
        connection.sendall(data)
    connection.shutdown(socket.SHUT_WR)


def _main() -> None:
    with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(os.environ[sys.argv[2]].encode() + b"\n")
        threading.Thread(target=_forward, args=(connection,), daemon=True).start()
        while data := connection.recv(_AT_ONCE):
            while data:
                data = data[os.write(1, data) :]


if __name__ == "__main__":
    _main()
