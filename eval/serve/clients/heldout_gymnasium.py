"""gymnasium environments over a heldout server.

Protocol: OpenEnv WebSocket frames, openenv-core 0.2 or newer; the vector form uses heldout's /v1 routes.
Needs: pip install gymnasium openenv

    heldout serve pddl
    env = HeldoutEnv("http://127.0.0.1:8000/openenv/pddl")
    text, info = env.reset(seed=3)
    text, reward, terminated, truncated, info = env.step("look around")

    envs = HeldoutVectorEnv("http://127.0.0.1:8000", "pddl", num_envs=256)
"""

import json
import string
import urllib.request

import gymnasium
import numpy
from gymnasium.spaces import Text
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from openenv import GenericEnvClient

LETTERS = frozenset(string.printable)
OBSERVATIONS = Text(65536, min_length=0, charset=LETTERS)
ACTIONS = Text(4096, min_length=0, charset=LETTERS)


class HeldoutEnv(gymnasium.Env):
    """One session. `options` go to each reset: task_id, split and index, max_steps, actions. Without a task, each
    episode plays one that the environment's random numbers choose."""

    metadata = {"render_modes": ["ansi"]}
    observation_space, action_space = OBSERVATIONS, ACTIONS

    def __init__(self, url: str, **options):
        self.render_mode = "ansi"
        self._options, self._text = options, ""
        client = GenericEnvClient(base_url=url)
        self._client = client.sync() if hasattr(client, "sync") else client

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        result = self._client.reset(**self._arguments(options))
        self._text = _text(result.observation)
        return self._text, result.observation

    def step(self, action):
        result = self._client.step({"message": action})
        observation, truncated = result.observation, bool(result.observation["truncated"])
        self._text = _text(observation)
        return self._text, float(result.reward), result.done and not truncated, truncated, observation

    def render(self):
        return self._text

    def close(self):
        self._client.close()

    def _arguments(self, options):
        return _choose({**self._options, **(options or {})}, self.np_random)


class HeldoutVectorEnv(VectorEnv):
    """Many sessions that step together, in one request. A finished one is reset by the next step."""

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self, server: str, env: str, num_envs: int, **options):
        self.num_envs, self._server, self._options = num_envs, server.rstrip("/"), options
        self.single_observation_space, self.single_action_space = OBSERVATIONS, ACTIONS
        self.observation_space, self.action_space = batch_space(OBSERVATIONS, num_envs), batch_space(ACTIONS, num_envs)
        self._sessions = self._call("POST", "/v1/sessions", {"env": env, "count": num_envs})["sessions"]
        self._over, self._more = numpy.zeros(num_envs, dtype=bool), {}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._more = options or {}
        texts, _, _, _, infos = self._send([self._reset_entry() for _ in self._sessions])
        return texts, infos

    def step(self, actions):
        return self._send(
            [self._reset_entry() if over else {"action": action} for action, over in zip(actions, self._over)]
        )

    def _reset_entry(self):
        return {"reset": _choose({**self._options, **self._more}, self.np_random)}

    def _send(self, entries):
        steps = [{"session": session, **entry} for session, entry in zip(self._sessions, entries)]
        results = self._call("POST", "/v1/step", {"steps": steps})["results"]
        infos = {}
        for i, result in enumerate(results):
            if "error" in result:
                raise RuntimeError(f"environment {i}: {result['error']['message']}")
            infos = self._add_info(infos, result["observation"], i)
        self._over = numpy.array([result["done"] for result in results], dtype=bool)
        truncated = numpy.array([result["observation"]["truncated"] for result in results], dtype=bool)
        rewards = numpy.array([result["reward"] or 0.0 for result in results])
        return tuple(_text(result["observation"]) for result in results), rewards, self._over & ~truncated, truncated, infos

    def close_extras(self, **_):
        for session in self._sessions:
            self._call("DELETE", f"/v1/sessions/{session}")

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._server + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=120) as reply:
            return json.load(reply)


def _choose(arguments, random):
    if not {"task_id", "index", "seed"} & arguments.keys():
        arguments["seed"] = int(random.integers(2**31))
    return arguments


def _text(observation) -> str:
    goal = observation.get("goal")
    return (f"Goal: {goal}\n" if goal else "") + observation["text"]
