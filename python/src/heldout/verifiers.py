"""An environment for verifiers, and with it for prime-rl. Needs verifiers 0.4 or newer.

    vf-eval heldout-v1 --env.taskset.mount pddl -n 20 -m MODEL --no-push
    vf-eval heldout-v1 --env.taskset.mount alfworld,data=DIR --env.taskset.split valid_seen --env.taskset.step-limit 50

verifiers finds it by the module `heldout_v1`, which comes with this package.
"""

# pyright: reportMissingImports=false, reportMissingTypeStubs=false, reportUntypedBaseClass=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false
# The framework is not always there to be checked against.

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import verifiers.v1 as vf

from ._dialogue import INSTRUCTIONS, Rollout, name_of, pool
from ._pool import Reward


class HeldoutConfig(vf.TasksetConfig):  # type: ignore[misc]
    """The tasks to play, and how to play them."""

    mount: str = "pddl"
    """An environment, as for `heldout serve`: `alfworld`, `p1=pddl,perturb=P1`."""
    split: str | None = None
    """A split; the default split if it is not given."""
    reward: Reward = "success"
    """The reward of a step; that of an episode is their sum."""
    step_limit: int | None = None
    """The step limit of episodes; by default, that of the benchmark."""
    max_steps: int | None = None
    """The earlier name of `step_limit`."""
    actions: bool = False
    """Whether the available actions are shown."""
    data: str | None = None
    """Folder with the official task data."""

    def options(self) -> dict[str, Any]:
        """Returns the options of the pool that plays."""
        return {"reward": self.reward, "data": self.data}


class HeldoutData(vf.TaskData):  # type: ignore[misc]
    """A task: `id` and `name` are its id."""

    kind: str
    difficulty: str


class HeldoutTask(vf.Task[HeldoutData]):  # type: ignore[misc]
    """A task, identified by its id."""

    @property
    def key(self) -> str:
        return str(self.data.id)


class HeldoutTaskset(vf.Taskset[HeldoutTask, HeldoutConfig]):  # type: ignore[misc]
    """The tasks of a split, in the order of the benchmark."""

    def load(self) -> Iterator[HeldoutTask]:
        config = self.config
        for t in pool(config.mount, config.options()).tasks(name_of(config.mount), config.split):
            data = HeldoutData(
                id=t["id"],
                name=t["id"],
                kind=t["type"],
                difficulty=t.get("difficulty", ""),
                system_prompt=INSTRUCTIONS,
            )
            yield HeldoutTask(data, config.task)


class HeldoutHarnessConfig(vf.HarnessConfig):  # type: ignore[misc]
    """The settings of a harness; there are none of its own."""


class HeldoutHarness(vf.Harness[HeldoutHarnessConfig]):  # type: ignore[misc]
    """Asks the model from this process: one request per turn, without tools or another program."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: Any,
        trace: Any,
        runtime: Any,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: Any,
    ) -> Any:
        system, prompt = self.resolve_prompt(data)
        messages: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
        if isinstance(prompt, str):
            messages.append({"role": "user", "content": prompt})
        else:
            messages += [{"role": m.role, "content": m.content} for m in prompt or []]
        async with httpx.AsyncClient(timeout=None) as client:
            answer = await client.post(
                endpoint.rstrip("/") + "/chat/completions",
                headers={"Authorization": f"Bearer {secret}"},
                json={"model": ctx.model, "messages": messages},
            )
        return vf.ProgramResult(int(answer.is_error), "", answer.text if answer.is_error else "")


class HeldoutEnvConfig(vf.EnvConfig):  # type: ignore[misc]
    """The player: the model, asked from this process."""

    player: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class HeldoutEnv(vf.Env[HeldoutEnvConfig]):  # type: ignore[misc]
    """Plays an episode: the environment is the user, and each reply of the model holds one action."""

    async def run(self, task: Any, agents: Any) -> None:
        config = self.taskset.config
        rollout = Rollout(config.mount, config.options())
        limit = config.step_limit or config.max_steps
        choice = {"task_id": task.data.id, "step_limit": limit, "actions": config.actions or None}
        try:
            seen = await rollout.areset(**choice)
            async with agents.player.interaction(task) as interaction:
                segment = await interaction.turn(seen)
                while not segment.terminated:
                    seen = await rollout.aact(segment.last_reply)
                    if rollout.done:
                        break
                    segment = await interaction.turn(seen)
        finally:
            rollout.session.close()
        interaction.trace.record_reward("heldout", rollout.reward)
        interaction.trace.record_metric("success", float(rollout.success))
        interaction.trace.record_metric("progress", rollout.progress)
