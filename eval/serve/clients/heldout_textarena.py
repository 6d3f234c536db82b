"""TextArena environment (one player) over a heldout server.

Protocol: OpenEnv WebSocket frames, openenv-core 0.2 or newer. Needs: pip install textarena openenv

    heldout serve jericho
    env = HeldoutEnv("http://127.0.0.1:8000/openenv/jericho")
    env.reset(num_players=1, seed=3)
    player, observation = env.get_observation()
    done, info = env.step(agent(observation))
    rewards, info = env.close()
"""

import textarena as ta
from openenv import GenericEnvClient


class HeldoutEnv(ta.Env):
    """One session. Keyword arguments go to each reset: task_id, split and index, max_steps, actions."""

    def __init__(self, url: str, **options):
        self._options, self._text, self._reward, self._info = options, "", 0.0, {}
        self._client = GenericEnvClient(base_url=url)
        self._client = self._client.sync() if hasattr(self._client, "sync") else self._client

    def reset(self, num_players: int = 1, seed=None):
        if num_players != 1:
            raise ValueError(f"heldout environments have one player, not {num_players}")
        arguments = dict(self._options) if seed is None else {**self._options, "seed": seed}
        self._reward = 0.0
        self._show(self._client.reset(**arguments).observation)

    def get_observation(self):
        return 0, self._text

    def step(self, action: str):
        result = self._client.step({"message": action})
        self._reward += float(result.reward)
        self._show(result.observation)
        return result.done, self._info

    def close(self):
        self._client.close()
        return {0: self._reward}, {0: self._info}

    def _show(self, observation):
        lines = [f"Goal: {observation['goal']}"] if observation.get("goal") else []
        lines.append(observation["text"])
        if observation.get("actions"):
            lines += ["Available actions:", *observation["actions"]]
        self._text = "\n".join(lines)
        self._info = {key: observation[key] for key in ("task_id", "progress", "success", "valid", "truncated")}
