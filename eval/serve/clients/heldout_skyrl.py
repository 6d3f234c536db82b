"""SkyRL-Gym environment over a heldout server.

Protocol: OpenEnv WebSocket frames, openenv-core 0.2 or newer. Needs: pip install skyrl-gym openenv

    heldout serve alfworld
    skyrl_gym.register("heldout", entry_point="heldout_skyrl:HeldoutEnv")
    env = skyrl_gym.make("heldout", env_config={"url": "http://127.0.0.1:8000/openenv/alfworld"}, extras={"task_id": ID})
"""

import re

from openenv import GenericEnvClient
from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

RESET = ("task_id", "split", "index", "seed", "max_steps", "actions")


class HeldoutEnv(BaseTextEnv):
    """One session. `extras` chooses the task: task_id, split and index, or seed; also max_steps and actions."""

    def __init__(self, env_config=None, extras=None):
        super().__init__()
        config, extras = env_config or {}, extras or {}
        self._reset = {key: extras[key] for key in RESET if key in extras}
        self._client = GenericEnvClient(base_url=config.get("url", "http://127.0.0.1:8000"))
        self._client = self._client.sync() if hasattr(self._client, "sync") else self._client
        self._last = {}

    def init(self, prompt):
        """Appends the first observation to the prompt."""
        self._last = self._client.reset(**self._reset).observation
        return prompt + [{"role": "user", "content": _text(self._last)}], {"task_id": self._last["task_id"]}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        self.turns += 1
        sent = _action(action)
        result = self._client.step({"message": sent})
        self._last = result.observation
        return BaseTextEnvStepOutput(
            observations=[{"role": "user", "content": _text(self._last)}],
            reward=float(result.reward),
            done=result.done,
            metadata={key: self._last[key] for key in ("task_id", "progress", "success", "valid", "truncated")},
            postprocessed_action=sent,
        )

    def get_metrics(self):
        return {"success": float(self._last.get("success", False)), "progress": float(self._last.get("progress", 0.0))}

    def close(self):
        self._client.close()


def _text(observation) -> str:
    lines = [f"Goal: {observation['goal']}"] if observation.get("goal") else []
    lines.append(observation["text"])
    if observation.get("actions"):
        lines += ["Available actions:", *observation["actions"]]
    return "\n".join(lines)


def _action(reply: str) -> str:
    found = re.findall(r"^\s*Action:(.*)$", reply, re.MULTILINE)
    return found[-1].strip() if found else reply.strip()
