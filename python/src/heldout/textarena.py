"""A one-player environment for TextArena. Needs textarena.

>>> env = heldout.textarena.HeldoutEnv("pddl", index=0)
>>> env.reset(num_players=1)
>>> player, observation = env.get_observation()
>>> done, info = env.step("look around")
>>> rewards, info = env.close()
"""

# pyright: reportMissingImports=false, reportMissingTypeStubs=false, reportUntypedBaseClass=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# The framework has no types.

from __future__ import annotations

from typing import Any

import textarena as ta

from ._dialogue import session, shown
from ._pool import Observation

_CHOICE = ("task_id", "split", "index", "step_limit", "max_steps", "actions")


class HeldoutEnv(ta.Env):  # type: ignore[misc]
    """One session of a mount.

    The options task_id, split, index, step_limit and actions are those of each reset; the others are those of
    `heldout.Pool`.
    """

    def __init__(self, mount: str, **options: Any) -> None:
        self._reset = {key: options.pop(key) for key in _CHOICE if key in options}
        self._session = session(mount, options)
        self._text, self._reward = "", 0.0
        self._info: dict[str, Any] = {}

    def reset(self, num_players: int = 1, seed: int | None = None) -> None:
        if num_players != 1:
            raise ValueError(f"heldout environments have one player, not {num_players}")
        chosen: dict[str, Any] = dict(self._reset) if seed is None else {**self._reset, "seed": seed}
        self._reward = 0.0
        self._show(self._session.reset(**chosen).observation)

    def get_observation(self) -> tuple[int, str]:
        return 0, self._text

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        result = self._session.step(action)
        self._reward += result.reward
        self._show(result.observation)
        return result.done, self._info

    def close(self) -> tuple[dict[int, float], dict[int, dict[str, Any]]]:
        self._session.close()
        return {0: self._reward}, {0: self._info}

    def _show(self, observation: Observation) -> None:
        self._text = shown(observation)
        whole: dict[str, Any] = dict(observation)
        self._info = {key: whole[key] for key in ("task_id", "progress", "success", "valid", "truncated")}
