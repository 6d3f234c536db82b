"""Nothing outlives a Python that started it."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

EACH = int(os.environ.get("HELDOUT_OWNERS", "2"))  # owners that are ended by each signal

OWNER = """
import heldout, sys, threading
out, url, serve = sys.argv[1:]
def play(model, name, **options):
    heldout.evaluate(model, "pddl", out=f"{out}/{name}", tasks="gripper", progress=False, **options)
def serving():
    heldout.cli("run", "--env=pddl", "--checkpoints", f"{out}/step-*", "--serve", f": > {out}/begun; {serve}", f"--out={out}/served")
for target in (serving, lambda: play("tiny", "server", base_url=url)):
    threading.Thread(target=target, daemon=True).start()
pool = heldout.Pool("pddl")
pool.open(count=4)
play(lambda conversations, sampling: threading.Event().wait(), "function")
"""

# Servers of a checkpoint: both have a child, and one ignores SIGTERM as its child does.
SERVERS = ["sleep 1000 & sleep 1000; : {} {port}", "trap '' TERM; sleep 1000 & sleep 1000; : {} {port}"]


def hear_hangups():
    """nohup, if the tests run under it, has them ignored."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def marked(mark):
    """The processes that have a variable."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            pass  # it has ended, or is another user's
    return found


def left(mark):
    """What is left of the processes with a variable after some minutes."""
    until = time.monotonic() + 300
    while (found := marked(mark)) and time.monotonic() < until:
        time.sleep(0.2)
    return found


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="looks for processes in /proc")
@pytest.mark.parametrize("end", ["SIGTERM", "SIGHUP", "SIGKILL"])
def test_nothing_is_left(tmp_path, end):
    """Runs, pools and served checkpoints end with their owner, which ends at any moment."""
    draw, long_ago, marks = random.Random(end), time.time() - 3600, []
    with socket.create_server(("127.0.0.1", 0)) as silent:  # it never answers
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        for i in range(EACH):
            folder = tmp_path / str(i)
            checkpoint = folder / "step-1"
            checkpoint.mkdir(parents=True)
            for name in ("config.json", "model.safetensors"):
                (checkpoint / name).write_text("{}")
                os.utime(checkpoint / name, (long_ago, long_ago))
            marks.append(f"HELDOUT_TEST_OWNER={folder}/")
            name, _, value = marks[-1].partition("=")
            code = [sys.executable, "-c", OWNER, folder, url, SERVERS[i % 2]]
            environment = {**os.environ, name: value}
            with subprocess.Popen(
                code, env=environment, stderr=subprocess.DEVNULL, preexec_fn=hear_hangups
            ) as owner:
                while i % 4 in (1, 2) and not (folder / "begun").exists() and owner.poll() is None:
                    time.sleep(0.01)
                time.sleep(draw.uniform(0, 2))
                assert owner.poll() is None
                owner.send_signal(getattr(signal, end))
    assert [left(mark) for mark in marks] == [[]] * EACH
