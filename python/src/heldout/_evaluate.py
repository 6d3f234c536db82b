"""Runs from Python."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any, cast

from ._binary import checked_bin, failure
from ._errors import Incomplete
from ._records import Records

_INCOMPLETE = 3  # exit code of a run with episodes without a result


class Evaluation(Records):
    """A finished run: its records, and `run`, its folder."""

    def __init__(self, run: str) -> None:
        super().__init__([run])
        self.run = run


def evaluate(
    model: str | Sequence[str],
    env: str | Sequence[str] | None = None,
    *,
    out: str | os.PathLike[str],
    base_url: str | None = None,
    seeds: int | str | None = None,
    progress: bool = True,
    **options: str | int | float | bool | os.PathLike[str] | Sequence[str] | None,
) -> Evaluation:
    """Plays, records in the folder `out`, and returns the results. A folder with a part of the same run is continued.

    `model` is as for `heldout run --model`; a name alone is that of a server at `base_url` that speaks the OpenAI
    protocol. `options` are the other flags of `heldout run`, with `_` for `-`: `tasks`, `data`, `preset`,
    `temperature`, `max_tokens`, `concurrency`, … With `progress`, what the run says goes to standard error.

    >>> heldout.evaluate("expert", "pddl", out="runs/expert", tasks="gripper").metrics()["heldout/pddl/success"]
    1.0
    """
    models = [model] if isinstance(model, str) else list(model)
    if base_url:
        models = [m if ":" in m else "openai:" + m for m in models]
        options["base_url"] = base_url
    arguments = ["run", "--out", os.fspath(out), "--format=json", *_each("model", models)]
    for name, value in {"env": env, "seeds": seeds, **options}.items():
        arguments += _each(name, value)
    code, said = _play([checked_bin(), *arguments], progress)
    if code == _INCOMPLETE:
        raise Incomplete(str(failure(code, said)), os.fspath(out))
    if code:
        raise failure(code, said)
    return Evaluation(os.fspath(out))


def _play(command: list[str], progress: bool) -> tuple[int, str]:
    """Runs a command that takes long, and passes on what it says. Ctrl-C stops it as it does in a shell."""
    process: subprocess.Popen[str] = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8"
    )
    lines: list[str] = []

    def listen() -> None:
        assert process.stderr is not None
        for line in process.stderr:
            lines.append(line)
            if progress:
                sys.stderr.write(line)

    listener = threading.Thread(target=listen)
    listener.start()
    try:
        process.wait()
    except BaseException:
        if process.poll() is None:
            process.send_signal(signal.SIGINT if os.name != "nt" else signal.SIGTERM)
        process.wait()
        raise
    finally:
        listener.join()
    return process.returncode, "".join(lines)


def _each(name: str, value: Any) -> list[str]:
    """Returns the flags for a value: several for a list, none for None."""
    flag = "--" + name.replace("_", "-")
    if value is None:
        return []
    if isinstance(value, bool):
        return [f"{flag}={str(value).lower()}"]
    if isinstance(value, (list, tuple)):
        return [f"{flag}={one}" for one in cast("Sequence[Any]", value)]
    return [f"{flag}={value}"]
