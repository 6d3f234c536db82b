"""Measures what a step costs from Python: over the pipe alone and in batches, beside HTTP and a bare echo.

    python benchmarks/steps.py [ROUNDS]

Each round measures all of them in turn. Printed are microseconds per step over the rounds: the median and the least of
what elapsed, and the median of the processor time of this process. The echo is the floor: `cat`, which sends back a line of the length of an answer.
"""

import atexit
import http.client
import json
import os
import statistics
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Callable

import heldout

LOOK = "look around"  # an action that PDDL games take at any time
MANY = 256


def timed(work: Callable[[], object], steps: int, seconds: float = 0.1) -> tuple[float, float]:
    """Returns microseconds per step, elapsed and of the processor."""
    began, busy, done = time.perf_counter(), time.process_time(), 0
    while time.perf_counter() - began < seconds:
        for _ in range(10):
            work()
        done += 10 * steps
    return (time.perf_counter() - began) / done * 1e6, (time.process_time() - busy) / done * 1e6


def echo(length: int) -> Callable[[], object]:
    process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert process.stdin is not None and process.stdout is not None
    send, receive, line = process.stdin.write, process.stdout.read, b"x" * length + b"\n"

    def exchange() -> None:
        send(line)
        while not receive(1 << 16).endswith(b"\n"):
            pass

    return exchange


def over_http(count: int) -> Callable[[], object]:
    server = subprocess.Popen(
        [heldout.find_bin(), "serve", "pddl", "--listen", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    atexit.register(server.terminate)
    assert server.stdout is not None
    address = urllib.parse.urlsplit(server.stdout.readline().decode().strip())
    connection = http.client.HTTPConnection(address.hostname or "", address.port)

    def ask(path: str, body: object) -> dict[str, list[str]]:
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer: dict[str, list[str]] = json.loads(connection.getresponse().read())
        return answer

    ids = ask("/v1/sessions", {"count": count})["sessions"]
    ask("/v1/step", {"steps": [{"session": id, "reset": {"index": i % 50, "step_limit": 1 << 30}} for i, id in enumerate(ids)]})
    steps = {"steps": [{"session": id, "action": LOOK} for id in ids]}
    return lambda: ask("/v1/step", steps)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    pool = heldout.Pool("pddl")
    sessions = pool.open(count=MANY)
    first = pool.step([(s, {"index": i % 50, "step_limit": 1 << 30}) for i, s in enumerate(sessions)])
    entries = [(s, LOOK) for s in sessions]
    length = len(first[0].text)
    ways: dict[str, tuple[Callable[[], object], int]] = {
        "echo": (echo(length), 1),
        "pipe": (lambda: sessions[0].step(LOOK), 1),
        "HTTP": (over_http(1), 1),
        f"echo of {MANY}": (echo(length * MANY), MANY),
        f"pipe, {MANY} at once": (lambda: pool.step(entries), MANY),
        f"HTTP, {MANY} at once": (over_http(MANY), MANY),
    }
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, (work, steps) in ways.items():
            found[name].append(timed(work, steps))
    print(f"{'':24}{'elapsed':>9}{'least':>9}{'Python':>9}   µs per step, {rounds} rounds, load {os.getloadavg()[0]:.1f}")
    for name, measured in found.items():
        elapsed, busy = zip(*measured)
        print(f"{name:24}{statistics.median(elapsed):9.1f}{min(elapsed):9.1f}{statistics.median(busy):9.1f}")


main()
