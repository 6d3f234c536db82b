"""gymnasium environment over a heldout server.

Protocol: OpenEnv WebSocket frames, openenv-core 0.2 or newer; the vector form needs heldout's /v1 routes.
Needs: pip install gymnasium openenv

    heldout serve pddl
    env = HeldoutEnv("http://127.0.0.1:8000/openenv/pddl")
    text, info = env.reset(seed=3)
    text, reward, terminated, truncated, info = env.step("look around")
"""

import json
import string
import urllib.request

import gymnasium
from gymnasium.spaces import Text
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space
from openenv import GenericEnvClient

LETTERS = frozenset(string.printable)


class HeldoutEnv(gymnasium.Env):
    """One session. `options` of reset go to the server: task_id, split and index, max_steps, actions."""

    metadata = {"render_modes": ["ansi"]}

    def __init__(self, url: str, **options):
        self.observation_space = Text(65536, min_length=0, charset=LETTERS)
        self.action_space = Text(4096, min_length=0, charset=LETTERS)
        self.render_mode = "ansi"
        self._options, self._text = options, ""
        self._client = GenericEnvClient(base_url=url)
        self._client = self._client.sync() if hasattr(self._client, "sync") else self._client

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        arguments = {**self._options, **(options or {})}
        if seed is not None:
            arguments["seed"] = seed
        result = self._client.reset(**arguments)
        return self._show(result.observation), result.observation

    def step(self, action):
        result = self._client.step({"message": action})
        observation = result.observation
        truncated = bool(observation["truncated"])
        return self._show(observation), float(result.reward), result.done and not truncated, truncated, observation

    def render(self):
        return self._text

    def close(self):
        self._client.close()

    def _show(self, observation):
        self._text = observation["text"]
        return self._text
