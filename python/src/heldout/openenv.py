"""A server and a typed client for OpenEnv. Needs openenv 0.10 or newer.

>>> with heldout.openenv.serve("pddl") as url, heldout.openenv.HeldoutEnv(base_url=url).sync() as env:
...     first = env.reset(index=0)
...     result = env.step(heldout.openenv.HeldoutAction(message="look around"))
...     first.observation.goal[:8], result.observation.valid
('The goal', True)

The server is that of heldout and holds thousands of sessions. OpenEnv's `GenericEnvClient` works with it too.
"""

# pyright: reportMissingTypeStubs=false

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient
from openenv.core.env_server.types import Action, Observation, State

from ._binary import failure, start
from ._pool import serving

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import PoolOptions


class HeldoutAction(Action):  # type: ignore[misc]
    """An action as text."""

    message: str


class HeldoutObservation(Observation):  # type: ignore[misc]
    """What the environment returns. Only a reset has a goal, and `actions` are present if requested."""

    text: str
    task_id: str
    progress: float
    success: bool
    valid: bool
    truncated: bool
    goal: str | None = None
    actions: list[str] | None = None


class HeldoutEnv(EnvClient[HeldoutAction, HeldoutObservation, State]):  # type: ignore[misc]
    """One session. `reset` takes `task_id`, `split` and `index`, `seed`, `step_limit` and `actions`."""

    def _step_payload(self, action: HeldoutAction) -> dict[str, Any]:
        return {"message": action.message}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[HeldoutObservation]:
        reward, done = payload.get("reward"), bool(payload.get("done"))
        seen = HeldoutObservation.model_validate({**payload["observation"], "reward": reward, "done": done})
        return StepResult(observation=seen, reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State(**payload)


@contextmanager
def serve(mount: str, **options: Unpack[PoolOptions]) -> Generator[str]:
    """Starts a server on a free port of this machine, and yields the address for clients of the environment.

    `options` are the flags of `heldout serve`, with `_` for `-`.
    """
    own, lines = serving(cast("dict[str, Any]", options))
    sys.stderr.write("".join(line + "\n" for line in lines))
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        process: subprocess.Popen[str] = start(
            ["serve", mount, "--listen=127.0.0.1:0", *own],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=said,
            encoding="utf-8",
        )
        assert process.stdout is not None
        try:
            url = process.stdout.readline().strip()
            if not url:
                code = process.wait()
                said.seek(0)
                raise failure(code, said.read(), keywords=True)
            if options.get("record") is not None and hasattr(os, "pread"):  # which leaves the place of the server's
                begun = os.pread(said.fileno(), 1 << 16, 0).decode(errors="replace").splitlines(keepends=True)
                sys.stderr.writelines(line for line in begun if " goes on: " in line)
            yield url
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()
