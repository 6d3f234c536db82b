"""An environment for SkyRL-Gym. Needs skyrl-gym.

>>> import skyrl_gym, heldout.skyrl
>>> heldout.skyrl.register()  # before training: the environment "heldout"
>>> config = {"mount": "pddl", "reward": "progress"}
>>> env = skyrl_gym.make("heldout", env_config=config, extras={"index": 0, "max_turns": 20})
"""

# pyright: reportMissingImports=false, reportMissingTypeStubs=false, reportUntypedBaseClass=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# The framework has no types.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import skyrl_gym
from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from ._dialogue import action_of, session, shown

_CHOICE = ("task_id", "split", "index", "seed", "actions")


def register(name: str = "heldout") -> None:
    """Registers the environment under a name. Calling it again is allowed."""
    if name not in skyrl_gym.registry:
        skyrl_gym.register(name, entry_point="heldout.skyrl:HeldoutEnv")


class HeldoutEnv(BaseTextEnv):  # type: ignore[misc]
    """One episode.

    `env_config` has the mount and the options of `heldout.Pool`. `extras` chooses the task by task_id, by split and
    index, or by seed, and may have actions and max_turns. Environments with equal configurations share a process.
    """

    def __init__(self, env_config: Mapping[str, Any] | None = None, extras: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        config, extras = dict(env_config or {}), extras or {}
        self._reset = {key: extras[key] for key in _CHOICE if key in extras}
        if extras.get("max_turns"):
            self._reset["step_limit"] = extras["max_turns"]
        self._session = session(config.pop("mount", "pddl"), config)
        self._last: dict[str, Any] = {}

    def init(self, prompt: list[dict[str, str]]) -> tuple[list[dict[str, str]], dict[str, Any]]:
        """Appends the first observation to the prompt."""
        first = self._session.reset(**self._reset).observation
        self._last = dict(first)
        return [*prompt, {"role": "user", "content": shown(first)}], {"task_id": first["task_id"]}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Carries out the action of a reply."""
        self.turns += 1
        sent = action_of(action)
        result = self._session.step(sent)
        self._last = dict(result.observation)
        return BaseTextEnvStepOutput(
            observations=[{"role": "user", "content": shown(result.observation)}],
            reward=result.reward,
            done=result.done,
            metadata={key: self._last[key] for key in ("task_id", "progress", "success", "valid", "truncated")},
            postprocessed_action=sent,
        )

    def get_metrics(self) -> dict[str, float]:
        """Returns success and progress so far."""
        return {"success": float(self._last.get("success", False)), "progress": float(self._last.get("progress", 0.0))}

    def close(self) -> None:
        """Closes the session."""
        self._session.close()
