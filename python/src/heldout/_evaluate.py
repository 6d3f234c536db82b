"""Runs from Python."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, cast

from ._binary import cli, failure, hints, start
from ._errors import Incomplete, Overlap
from ._policy import Policy
from ._records import Records

if TYPE_CHECKING:
    from ._endpoint import Endpoint

_INCOMPLETE = 3  # exit code of a run with episodes without a result
_KEY = "HELDOUT_POLICY_KEY"  # variable with the key of a policy's endpoint
# Options of `evaluate` that say how a model is asked, not what is played.
_OF_MODELS = {"base_url", "context", "api_key_env", "timeout", "retries", "extra_body", "agent", "prompt", "progress"}
_POLL = 0.05  # seconds between looks at a run that a policy plays

Option = str | int | float | bool | os.PathLike[str] | Sequence[str] | None


class Evaluation(Records):
    """A finished run: its records. `run` is its folder."""

    def __init__(self, run: str) -> None:
        super().__init__([run])
        self.run = run


def evaluate(
    model: str | Sequence[str] | Policy,
    env: str | Sequence[str] | None = None,
    *,
    out: str | os.PathLike[str],
    base_url: str | None = None,
    name: str = "policy",
    seeds: int | str | None = None,
    progress: bool = True,
    **options: Option,
) -> Evaluation:
    """Runs an evaluation, records it in the folder `out`, and returns the results. An unfinished run is resumed.

    `model` is as for `heldout run --model`. With `base_url`, it may be the name alone of a model on a server that
    speaks the OpenAI protocol.

    `model` may also be a function. It takes a list of conversations and the sampling settings, and returns a list of
    replies. It runs in the calling thread, and records list it as `name`.

    `options` are the other flags of `heldout run`, with `_` for `-`: `tasks`, `data`, `preset`, `step_limit`,
    `temperature`, `max_tokens`, `concurrency`, … With `progress`, messages of the run go to standard error, or below
    the cell of a notebook.

    >>> run = heldout.evaluate("expert", "pddl", out="runs/expert", tasks="gripper", progress=False)
    >>> run.metrics()["heldout/pddl/success"]
    1.0
    >>> def looking(conversations, sampling):
    ...     return ["Action: look around" for messages in conversations]
    >>> run = heldout.evaluate(looking, "pddl", out="runs/looking", tasks="gripper", progress=False)
    >>> run.metrics()["heldout/pddl/success"]
    0.0
    """
    endpoint = _endpoint(model, name) if callable(model) else None
    environment = None
    if endpoint is not None:
        models, base_url = ["openai:" + name], endpoint.url
        environment = {_KEY: endpoint.key}
        options = {"api_key_env": _KEY, "timeout": "1h", **options}
    else:
        models = [model] if isinstance(model, str) else list(cast("Sequence[str]", model))
    if base_url:
        models = [m if ":" in m else "openai:" + m for m in models]
        options["base_url"] = base_url
    arguments = ["run", "--out", os.fspath(out), "--format=json", *flags("model", models)]
    for option, value in {"env": env, "seeds": seeds, **options}.items():
        arguments += flags(option, value)
    try:
        code, said = _play(arguments, environment, endpoint, progress)
    finally:
        if endpoint is not None:
            endpoint.close()
    if not progress:
        hints(said)
    if code == _INCOMPLETE:
        raise Incomplete(str(failure(code, said)), os.fspath(out))
    if code:
        raise failure(code, said)
    return Evaluation(os.fspath(out))


async def aevaluate(
    model: str | Sequence[str] | Policy, env: str | Sequence[str] | None = None, **options: Any
) -> Evaluation:
    """Does what `evaluate` does in a thread, without blocking the event loop. A function as `model` runs there too.

    The run continues if the asyncio task is cancelled; the same call resumes or reads it.
    """
    return await asyncio.to_thread(evaluate, model, env, **options)


def _endpoint(policy: Policy, name: str) -> Endpoint:
    from ._endpoint import Endpoint

    return Endpoint(policy, name)


def planned(env: str | Sequence[str] | None, *, without: Collection[str] = (), **options: Any) -> set[str]:
    """Returns the ids of the tasks that `evaluate` would play. It raises `Overlap` if one of them is in `without`."""
    arguments = ["run", "--dry-run", "--format=json", "--model=random"]
    for option, value in {"env": env, **options}.items():
        if option not in _OF_MODELS:
            arguments += flags(option, value)
    plan = json.loads(cli(*arguments).stdout)
    tasks = {task["id"] for environment in plan["environments"] for task in environment["tasks"]}
    shared = sorted(tasks & set(without))
    if shared:
        raise Overlap(
            f"{len(shared)} of {len(tasks)} tasks of the evaluation are in the training data, such as {shared[0]}: "
            "choose others, by `tasks` or the split, or set allow_overlap=True"
        )
    return tasks


def _play(
    arguments: list[str], environment: dict[str, str] | None, endpoint: Endpoint | None, progress: bool
) -> tuple[int, str]:
    """Runs the binary and passes on its messages. Ctrl-C stops it as in a shell."""
    tell = _teller() if progress else _silent
    process: subprocess.Popen[str] = start(
        arguments,
        environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    listener = threading.Thread(target=_listen, args=(process, lines))
    listener.start()
    said: list[str] = []
    try:
        while (line := _line(lines, endpoint)) is not None:
            if line:
                said.append(line)
                tell(line)
        process.wait()
    except BaseException:
        if process.poll() is None:
            process.send_signal(signal.SIGINT if os.name != "nt" else signal.SIGTERM)
        if endpoint is not None:
            endpoint.close()
        process.wait()
        raise
    finally:
        listener.join()
    return process.returncode, "".join(said)


def _listen(process: subprocess.Popen[str], lines: queue.SimpleQueue[str | None]) -> None:
    assert process.stderr is not None
    with process.stderr:
        for line in process.stderr:
            lines.put(line)
    lines.put(None)


def _line(lines: queue.SimpleQueue[str | None], endpoint: Endpoint | None) -> str | None:
    """Returns the next line, an empty text if none has come, or None after the last. Meanwhile a policy answers."""
    if endpoint is None:
        return lines.get()
    endpoint.answer(_POLL)
    try:
        return lines.get_nowait()
    except queue.Empty:
        return ""


def _teller() -> Callable[[str], None]:
    """Returns a function that shows a line below the cell of a notebook, in place of the last, or on standard error."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None or not hasattr(shell, "kernel"):
        return lambda line: cast(None, sys.stderr.write(line))
    place: Any = sys.modules["IPython"].display.display({"text/plain": "starting"}, raw=True, display_id=True)
    return lambda line: cast(None, place.update({"text/plain": line.rstrip()}, raw=True))


def _silent(line: str) -> None:
    """Shows nothing."""


def flags(name: str, value: Any) -> list[str]:
    """Returns the flags for a value: several for a list, none for None."""
    flag = "--" + name.replace("_", "-")
    if value is None:
        return []
    if isinstance(value, bool):
        return [f"{flag}={str(value).lower()}"]
    if isinstance(value, (list, tuple)):
        return [f"{flag}={one}" for one in cast("Sequence[Any]", value)]
    return [f"{flag}={value}"]
