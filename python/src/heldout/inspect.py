"""Tasks for Inspect. Needs inspect-ai.

    inspect eval heldout/pddl --model openai/MODEL
    inspect eval heldout/alfworld -T split=valid_seen -T data=DIR --model vllm/MODEL
"""

from __future__ import annotations

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, accuracy, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ._dialogue import INSTRUCTIONS, action_of, name_of, pool, session, shown
from ._flags import renamed


def environment(mount: str, split: str | None, step_limit: int, actions: bool, options: dict[str, Any]) -> Task:
    """Returns the tasks of a split as samples with heldout's task ids. `options` are those of `heldout.Pool`."""
    options = renamed(options, steps="step_limit")
    step_limit = options.pop("step_limit", step_limit)
    listed = pool(mount, options).tasks(name_of(mount), split)
    samples = [Sample(input=t["id"], id=t["id"], metadata={"kind": t["type"]}) for t in listed]
    return Task(
        MemoryDataset(samples, name=f"{mount}-{split or 'default'}"),
        solver=act(mount, step_limit, actions, options),
        scorer=[success(), progress()],
    )


@task
def alfworld(split: str | None = None, step_limit: int = 30, actions: bool = False, **options: Any) -> Task:
    """Household tasks of ALFWorld."""
    return environment("alfworld", split, step_limit, actions, options)


@task
def babyai(split: str | None = None, step_limit: int = 30, actions: bool = False, **options: Any) -> Task:
    """Levels of BabyAI as text."""
    return environment("babyai", split, step_limit, actions, options)


@task
def hotpotqa(split: str | None = None, step_limit: int = 30, actions: bool = False, **options: Any) -> Task:
    """Questions of HotpotQA with a search over Wikipedia."""
    return environment("hotpotqa", split, step_limit, actions, options)


@task
def jericho(split: str | None = None, step_limit: int = 30, actions: bool = False, **options: Any) -> Task:
    """Text games of Jericho."""
    return environment("jericho", split, step_limit, actions, options)


@task
def pddl(split: str | None = None, step_limit: int = 30, actions: bool = False, **options: Any) -> Task:
    """Games of PDDL: barman, blockworld, gripper and tyreworld."""
    return environment("pddl", split, step_limit, actions, options)


@task
def sciworld(split: str | None = None, step_limit: int = 30, actions: bool = False, **options: Any) -> Task:
    """Experiments of ScienceWorld."""
    return environment("sciworld", split, step_limit, actions, options)


@solver
def act(mount: str, step_limit: int, actions: bool, options: dict[str, Any]) -> Solver:
    """Plays one episode: generates a reply, reads its action, steps and shows the observation."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        env = session(mount, options)
        try:
            result = await env.areset(task_id=str(state.sample_id), step_limit=step_limit, actions=actions)
            state.messages = [
                ChatMessageSystem(content=INSTRUCTIONS),
                ChatMessageUser(content=shown(result.observation)),
            ]
            while not result.done and not state.completed:
                state = await generate(state)
                result = await env.astep(action_of(state.output.completion))
                state.messages.append(ChatMessageUser(content=shown(result.observation)))
            seen = result.observation
            state.store.set("success", seen["success"])
            state.store.set("progress", seen["progress"])
            state.store.set("truncated", seen["truncated"])
        finally:
            env.close()
        return state

    return solve


@scorer(metrics=[accuracy(), stderr()])
def success() -> Scorer:
    """1 if the task was solved."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=1 if state.store.get("success") else 0)

    return score


@scorer(metrics=[mean(), stderr()])
def progress() -> Scorer:
    """The environment's progress at the end, 0 to 1."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=state.store.get("progress") or 0.0)

    return score
