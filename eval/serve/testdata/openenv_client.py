"""Plays an episode of the echo environment with the published OpenEnv client.

Usage: openenv_client.py URL... Any release from 0.2.0 on works, and the newest takes a token as the password in
an address. It prints "ok".
"""

import sys

from openenv.core import EnvClient

try:
    from openenv import GenericEnvClient as Client
except ImportError:  # 0.2.0 has no generic client: this one adds nothing either
    from openenv.core.client_types import StepResult

    class Client(EnvClient):
        def _step_payload(self, action):
            return action

        def _parse_result(self, payload):
            return StepResult(observation=payload["observation"], reward=payload["reward"], done=payload["done"])

        def _parse_state(self, payload):
            return payload


def connect(url):
    client = Client(base_url=url)
    return client.sync() if hasattr(client, "sync") else client


def play(env):
    try:
        env.step({"message": "too early"})
    except RuntimeError as error:
        assert "send reset first" in str(error) and "EXECUTION_ERROR" in str(error), error
    else:
        raise SystemExit("a step before the reset is accepted")
    result = env.reset(index=1, episode_id="ep")
    assert result.observation["text"] == "this is echo/1", result
    assert result.observation["goal"] == "say win" and result.reward is None and not result.done, result
    result = env.step({"message": "look"})
    assert result.observation["text"] == "echo look" and result.reward == 0 and not result.done, result
    try:
        env.step({"msg": "x"})
    except RuntimeError as error:
        assert "VALIDATION_ERROR" in str(error), error
    else:
        raise SystemExit("a wrong action is accepted")
    state = env.state()
    assert (state["step_count"] if isinstance(state, dict) else state.step_count) == 1, state
    result = env.step({"message": "win"})
    assert result.reward == 1 and result.done and result.observation["success"], result
    result = env.reset(seed=4)
    assert result.observation["task_id"] == "echo/1", result


for url in sys.argv[1:]:
    with connect(url) as env:
        play(env)
print("ok")
