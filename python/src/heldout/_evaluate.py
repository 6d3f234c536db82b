"""Runs from Python."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from ._binary import ask, failure, start
from ._errors import Incomplete, Overlap, UsageError
from ._flags import flags, renamed, texts
from ._policy import Policy
from ._records import Records

if TYPE_CHECKING:
    import queue
    import subprocess

    from typing_extensions import Unpack

    from ._door import Door
    from ._endpoint import Endpoint
    from .environment import Environment
    from .options import RunOptions

_INCOMPLETE = 3  # exit code of a run with episodes without a result
_KEY = "HELDOUT_POLICY_KEY"  # variable with the key of a policy's endpoint
_ENVIRONMENT_KEY = "HELDOUT_ENVIRONMENT_KEY"  # and of what relays of an environment say first
# Options of `evaluate` that say how a model is asked, not what is played.
_OF_MODELS = {
    *("base_url", "context", "api_key_env", "timeout", "retries", "extra_body", "agent", "prompt", "progress"),
    *("name", "version", "player", "accept_changed_model"),
}
_POLL = 0.05  # seconds between looks at a run that a policy plays


class Evaluation(Records[Literal["pandas"]]):
    """A finished run: its records, and `run`, its folder."""

    def __init__(self, run: str) -> None:
        super().__init__([run])
        self.run = run

    def __repr__(self) -> str:
        return f"heldout.Evaluation({self.run!r})"


def evaluate(
    model: str | Sequence[str] | Policy | None = None,
    env: str | Sequence[str] | Environment | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    base_url: str | Sequence[str] | None = None,
    name: str | None = None,
    version: str | None = None,
    seeds: int | str | Sequence[int] | None = None,
    progress: bool = True,
    **options: Unpack[RunOptions],
) -> Evaluation:
    """Runs an evaluation, records it in the folder `out`, and returns the results. An unfinished run is resumed.

    Without `out`, the folder is below `runs`, and its name follows from what is played. `model` is as for
    `heldout run --model`; a name alone is a model of the server at `base_url`, which speaks the OpenAI protocol.

    It can also be a function that takes a list of conversations and the sampling settings, and returns the reply to
    each. The function runs in the calling thread, and records call it `name`, by default as it is called. A hash of
    its source is part of what results are of, or `version` if you give one: a run does not go on with another.

    `env` can be an environment of yours, a `heldout.environment.Environment`; its games run in other threads of this
    process.

    `options` are the other flags of `heldout run`, with `_` for `-`: `tasks`, `data`, `preset`, `temperature`,
    `max_tokens`, `concurrency`, … With `progress`, what the run says goes to standard error, or below the cell of a
    notebook.

    >>> run = heldout.evaluate("expert", "pddl", out="runs/expert", tasks="gripper", progress=False)
    >>> run.metrics()["heldout/pddl/success"]
    1.0
    >>> def looking(conversations, sampling):
    ...     return ["Action: look around" for messages in conversations]
    >>> run = heldout.evaluate(looking, "pddl", out="runs/looking", tasks="gripper", progress=False)
    >>> run.metrics()["heldout/pddl/success"]
    0.0
    """
    endpoint, parts = None, ""
    variables: dict[str, str] = {}
    keywords = cast("dict[str, Any]", options)
    if version is not None:
        keywords["player"] = {**(keywords.get("player") or {}), "version": version}
    if callable(model):
        tell = _teller() if progress else _silent
        name, player, parts = _identity(model, name, keywords.get("player"), tell)
        keywords["player"] = player
        endpoint = _endpoint(model, name)
        models, base_url = ["openai:" + name], endpoint.url
        variables[_KEY] = endpoint.key
        keywords = {"api_key_env": _KEY, "timeout": "1h", **keywords}
    else:
        models = _names(model)
    if base_url:
        models = [m if ":" in m else "openai:" + m for m in models]
    door = None
    if env is not None and not isinstance(env, str) and not isinstance(env, Sequence):
        door = _door(env)
        env, variables[_ENVIRONMENT_KEY] = door.name, door.key
    played = {"out": out, "model": models, "env": env, "base_url": base_url, "seeds": seeds, **keywords}
    try:
        code, said = _play(["run", "--format=json", *flags(played)], variables, endpoint, progress)
    finally:
        if door is not None:
            door.close()
        if endpoint is not None:
            endpoint.close()
    if code not in (0, _INCOMPLETE):
        changed = "is not the one with recorded results" in said and parts
        raise failure(code, said.rstrip() + (f"\nits source is that of {parts}" if changed else ""), keywords=True)
    run = os.fspath(out) if out is not None else _folder(said)
    if code == _INCOMPLETE:
        raise Incomplete(str(failure(code, said, keywords=True)), run)
    return Evaluation(run)


def _identity(
    policy: Policy, name: str | None, player: Mapping[str, Any] | None, tell: Callable[[str], None]
) -> tuple[str, Mapping[str, Any] | None, str]:
    """Returns what a function is called, what says that it is the same, and what its source is of.

    What says so is what its author says, or else a hash of its source.
    """
    from ._source import called, of

    player, parts = dict(player or {}), ""
    if not player:
        source = of(policy)
        parts = ", ".join(source.parts)
        if source.hash:
            player["source"] = source.hash
        elif name is None:
            raise UsageError(
                f"the source of {called(policy)} is not to be had, so nothing would show that it changed: "
                "give it a version, or a name"
            )
        if source.unseen:
            unseen = ", ".join(source.unseen)
            tell(f"the source of {called(policy)} does not show {unseen}: say version if that changes\n")
    return name or called(policy), player or None, parts


def _names(model: object) -> list[str]:
    """Returns the names of models, of which there is at least one."""
    names = [model] if isinstance(model, str) else texts(model)
    if not names or "" in names:
        raise UsageError(
            'evaluate needs a model: "vllm:NAME" with its base_url, a function, or a baseline such as "expert"'
        )
    return names


def _folder(said: str) -> str:
    """Returns the folder that a run says it has recorded in."""
    return [line.removeprefix("records: ") for line in said.splitlines() if line.startswith("records: ")][-1]


async def aevaluate(
    model: str | Sequence[str] | Policy | None = None,
    env: str | Sequence[str] | Environment | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    base_url: str | Sequence[str] | None = None,
    name: str | None = None,
    version: str | None = None,
    seeds: int | str | Sequence[int] | None = None,
    progress: bool = True,
    **options: Unpack[RunOptions],
) -> Evaluation:
    """Does what `evaluate` does in a thread, without blocking the event loop. A function as `model` runs there too.

    The run continues if the asyncio task is cancelled; the same call resumes or reads it.
    """
    import asyncio

    keywords = renamed(options)  # here, because a warning is for the line that calls this
    if callable(model) and version is None:  # and here are the functions around it
        name, keywords["player"], _ = _identity(model, name, keywords.get("player"), _teller() if progress else _silent)
    return await asyncio.to_thread(
        evaluate,
        model,
        env,
        out=out,
        base_url=base_url,
        name=name,
        version=version,
        seeds=seeds,
        progress=progress,
        **keywords,
    )


def _door(environment: Environment) -> Door:
    from ._door import Door

    return Door(environment)


def _endpoint(policy: Policy, name: str) -> Endpoint:
    from ._endpoint import Endpoint

    return Endpoint(policy, name)


def planned(env: str | Sequence[str] | None, *, without: Collection[str] = (), **options: Any) -> set[str]:
    """Returns the ids of the tasks that `evaluate` would play with these options. One of `without` is an `Overlap`."""
    played = {name: value for name, value in {"env": env, **options}.items() if name not in _OF_MODELS}
    plan = json.loads(ask("run", "--dry-run", "--format=json", "--model=random", *flags(played)))
    tasks = {task["id"] for environment in plan["environments"] for task in environment["tasks"]}
    shared = sorted(tasks & set(without))
    if shared:
        raise Overlap(
            f"{len(shared)} of {len(tasks)} tasks of the evaluation are in the training data, such as {shared[0]}: "
            "choose others, by `tasks` or the split, or set allow_overlap=True"
        )
    return tasks


def _play(
    arguments: list[str], environment: dict[str, str], endpoint: Endpoint | None, progress: bool
) -> tuple[int, str]:
    """Runs the binary, which takes long, and passes on what it says. Ctrl-C stops it as it does in a shell."""
    import queue
    import signal
    import subprocess
    import threading

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
    """Returns the next line, None after the last, or nothing so far. Meanwhile a policy answers."""
    import queue

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
