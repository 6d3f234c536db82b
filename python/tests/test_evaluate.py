"""Runs from Python, with functions as models."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import heldout

OPTIONS = {"tasks": "gripper/gen0-01,gripper/gen0-02", "step_limit": 4, "max_tokens": 50, "progress": False}
TIMES = ("started", "ended", "model_seconds", "server", "servers", "checksum", "prompt_tokens", "completion_tokens")


def looking(conversations, sampling):
    return ["Thought: so\nAction: look around"] * len(conversations)


def played(run):
    """What was played, without times and what only a server counts."""
    rows = [{k: v for k, v in e.items() if k not in TIMES} for e in heldout.episodes(run)]
    for row in rows:
        row["trajectory"] = [{k: v for k, v in t.items() if k not in TIMES} for t in row["trajectory"]]
    return sorted(rows, key=lambda row: row["id"])


@pytest.mark.parametrize("form", [{}, {"completions": True}])
def test_as_a_server(tmp_path, server, form):
    """A function plays what a server plays that gives the same replies, in a chat or as the rest of a text."""
    url, _ = server
    options = {"seeds": 2, **form, **OPTIONS}
    by_server = heldout.evaluate("tiny", "pddl", out=tmp_path / "server", base_url=url, **options)
    by_function = heldout.evaluate(looking, "pddl", out=tmp_path / "function", name="tiny", **options)

    def alike(run):  # a function is not the server that says the same
        rows = sorted(played(run), key=lambda row: (row["task"], row["seed"]))
        return json.dumps([{k: v for k, v in row.items() if k != "id"} for row in rows])

    assert alike(by_server.run) == alike(by_function.run)


def test_batches(tmp_path):
    """What waits goes together, in the thread of the caller; replies end where the run says."""
    seen = []

    def policy(conversations, sampling):
        assert threading.current_thread() is threading.main_thread()
        seen.append((len(conversations), sampling))
        return [f"Action: look around\nObservation: {m[-1]['content']}" for m in conversations]

    run = heldout.evaluate(policy, "pddl", out=tmp_path / "run", seeds=4, temperature=0.7, agent="react", **OPTIONS)
    assert {t["action"] for e in heldout.episodes(run.run) for t in e["trajectory"]} == {"look around"}
    assert sum(count for count, _ in seen) == 8 * 4 and max(count for count, _ in seen) > 1
    assert all(s["temperature"] == 0.7 and s["max_tokens"] == 50 and len(s["seeds"]) == n for n, s in seen)


def test_without_blocking(tmp_path):
    async def both():
        play = {"tasks": "gripper/gen0-01", "progress": False}
        return await asyncio.gather(
            heldout.aevaluate("expert", "pddl", out=tmp_path / "a", **play),
            heldout.aevaluate(looking, "pddl", out=tmp_path / "b", **play),
        )

    expert, function = asyncio.run(both())
    assert expert.metrics()["heldout/pddl/success"] == 1 and function.metrics()["heldout/pddl/success"] == 0


def test_error_of_a_function(tmp_path):
    def broken(conversations, sampling):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        heldout.evaluate(broken, "pddl", out=tmp_path / "run", **OPTIONS)
    with pytest.raises(ValueError, match="the policy gave 0 replies to"):
        heldout.evaluate(lambda conversations, sampling: [], "pddl", out=tmp_path / "run", **OPTIONS)
    again = heldout.evaluate(looking, "pddl", out=tmp_path / "run", **OPTIONS)
    assert {e["id"] for e in played(again.run) if e["outcome"] == "failure"} == {e["id"] for e in played(again.run)}


def test_key(tmp_path):
    """Others of this machine cannot ask the function."""
    import urllib.error
    import urllib.request

    from heldout._endpoint import Endpoint

    endpoint = Endpoint(looking, "policy")
    try:
        for request in (endpoint.url + "/models", urllib.request.Request(endpoint.url + "/chat/completions", b"{}")):
            with pytest.raises(urllib.error.HTTPError, match="401"):
                urllib.request.urlopen(request)
    finally:
        endpoint.close()


def test_overlap():
    planned = heldout._evaluate.planned("pddl", tasks="gripper", temperature=0.5, base_url="http://127.0.0.1:9/v1")
    assert len(planned) == 20 and "gripper/gen0-01" in planned
    with pytest.raises(heldout.Overlap, match="1 of 20 tasks .* such as gripper/gen0-03"):
        heldout._evaluate.planned("pddl", tasks="gripper", without={"gripper/gen0-03", "other"})


class Shell:
    """A notebook, as far as IPython says that there is one."""

    kernel = True

    def __init__(self):
        self.lines = []
        self.display = self

    def get_ipython(self):
        return self

    def __call__(self, *_, **__):
        return self

    def update(self, shown, raw):
        self.lines.append(shown["text/plain"])


def test_progress_in_a_notebook(tmp_path, monkeypatch, capsys):
    shell = Shell()
    shell.display.display = shell
    monkeypatch.setitem(__import__("sys").modules, "IPython", shell)
    heldout.evaluate("random", "pddl", out=tmp_path / "run", **{**OPTIONS, "progress": True, "max_tokens": None})
    assert any(line.startswith("2/2 episodes") for line in shell.lines) and capsys.readouterr().err == ""


OWNER = """
import heldout, signal, sys, threading
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup, if the tests run under it, ignores it
calls = []
def looking(conversations, sampling):
    calls.append(None)
    if len(calls) > 6:  # the first episode is there, the second has begun
        print("waits", flush=True)
        threading.Event().wait()
    return ["Action: look around"] * len(conversations)
out, url, options = sys.argv[1], sys.argv[2], {options}
mine = {"base_url": url} if url else {"version": "1"}
heldout.evaluate("tiny" if url else looking, "pddl", out=out, concurrency=1, **mine, **options)
"""


def child_of(owner):
    """The process id of the only child."""
    (child,) = Path(f"/proc/{owner}/task/{owner}/children").read_text().split()
    return child


def ends(child):
    """Whether a process ends in ten minutes; a zombie has ended."""
    until = time.monotonic() + 600
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.02)
    return False


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="looks for processes in /proc")
@pytest.mark.parametrize("end", ["SIGTERM", "SIGHUP", "SIGKILL"])
@pytest.mark.parametrize("kind", ["function", "server"])
def test_end_of_the_owner(tmp_path, kind, end):
    """A run ends with the Python that started it, and the same call continues it."""
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes calls, and does not answer
        silent.settimeout(600)
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1" if kind == "server" else ""
        code = OWNER.replace("{options}", repr(OPTIONS))
        with subprocess.Popen([sys.executable, "-c", code, tmp_path / "run", url], stdout=subprocess.PIPE) as owner:
            if url:
                call, _ = silent.accept()
            else:
                assert owner.stdout.readline() == b"waits\n"
            child = child_of(owner.pid)
            owner.send_signal(getattr(signal, end))
            owner.wait(600)
        assert ends(child)
        if url:
            call.close()
    if kind == "function":
        (first,) = played(tmp_path / "run")
        again = heldout.evaluate(looking, "pddl", out=tmp_path / "run", concurrency=1, version="1", **OPTIONS)
        assert first in played(again.run) and len(played(again.run)) == 2
