"""Inspect task over a heldout server.

Protocol: OpenEnv WebSocket frames, openenv-core 0.3 or newer. Needs: pip install inspect-ai openenv

    heldout serve pddl
    inspect eval heldout_inspect.py -T url=http://127.0.0.1:8000/openenv/pddl --model openai/MODEL
"""

import json
import re
import urllib.request

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score, Target, accuracy, mean, scorer, stderr
from inspect_ai.solver import Generate, TaskState, solver
from openenv import GenericEnvClient

INSTRUCTIONS = (
    "You act in a text environment. In each turn, write one line of reasoning that starts with `Thought:` "
    "and then one line that starts with `Action:` and holds exactly one action."
)


@task
def heldout(url="http://127.0.0.1:8000/openenv/pddl", split="", limit=0, steps=30, actions=True):
    """One sample per task of the split; the first split of the server by default."""
    name = _call(url, "list_environments")[0]
    split = split or _call(url, f"{name}/splits")[0]["name"]
    tasks = _call(url, f"{name}/tasks", {"split": split})["tasks"]
    samples = [
        Sample(input=_call(url, "reset", {"task_id": t["id"]})["observation"]["goal"], id=t["id"])
        for t in tasks[: limit or None]
    ]
    return Task(MemoryDataset(samples, name=f"{name}-{split}"), solver=act(url, steps, actions), scorer=[success(), progress()])


@solver
def act(url: str, steps: int, actions: bool):
    """Plays one episode: generate, read the action, step, show the observation."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        async with GenericEnvClient(base_url=url) as env:
            result = await env.reset(task_id=state.sample_id, max_steps=steps, actions=actions)
            state.messages = [ChatMessageSystem(content=INSTRUCTIONS), ChatMessageUser(content=_text(result.observation))]
            while not result.done and not state.completed:
                state = await generate(state)
                result = await env.step({"message": _action(state.output.completion)})
                state.messages.append(ChatMessageUser(content=_text(result.observation)))
            for key in ("success", "progress", "truncated"):
                state.store.set(key, result.observation[key])
        return state

    return solve


@scorer(metrics=[accuracy(), stderr()])
def success():
    """1 if the task was solved."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=1 if state.store.get("success") else 0)

    return score


@scorer(metrics=[mean(), stderr()])
def progress():
    """The environment's progress at the end, 0 to 1."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=state.store.get("progress") or 0.0)

    return score


def _text(observation) -> str:
    lines = [f"Goal: {observation['goal']}"] if observation.get("goal") else []
    lines.append(observation["text"])
    if observation.get("actions"):
        lines += ["Available actions:", *observation["actions"]]
    return "\n".join(lines)


def _action(reply: str) -> str:
    found = re.findall(r"^\s*Action:(.*)$", reply, re.MULTILINE)
    return found[-1].strip() if found else reply.strip()[-4000:]


def _call(url: str, path: str, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{url.rstrip('/')}/{path}", data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)
