"""Environments and a callback for TRL. Needs trl.

    env = heldout.trl.env("pddl", reward="progress")
    trainer = GRPOTrainer(MODEL, train_dataset=heldout.trl.dataset("pddl"), environment_factory=env, args=…)

    callback = heldout.trl.EvaluateCallback(
        env=["alfworld", "pddl"], model="vllm:policy", base_url="http://localhost:8000/v1", every=500, out="runs/train")
    trainer.add_callback(callback.attach(trainer))
"""

# pyright: basic, reportMissingImports=false
# The framework has no types.

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from ._dialogue import name_of, pool, session, shown
from ._evaluate import Evaluation, evaluate

INSTRUCTIONS = "Solve the task. Call the tool `act` with one action at a time."

_CHOICE = ("task_id", "split", "index", "seed", "max_steps", "actions")


def env(mount: str, **options: Any) -> type:
    """Returns a class for `environment_factory`: an object is one rollout.

    `options` are those of `heldout.Pool`; all rollouts share a process. Columns of the data set choose the task:
    task_id, split, index, seed, max_steps, actions.
    """

    class HeldoutEnv:
        def __init__(self) -> None:
            self._session = session(mount, options)
            self._done, self._reward = False, 0.0

        def reset(self, **row: Any) -> str:
            self._done, self._reward = False, 0.0
            chosen = {key: row[key] for key in _CHOICE if row.get(key) is not None}
            return "\n\n" + shown(self._session.reset(**chosen).observation)

        def act(self, action: str) -> str:
            """
            Carries out one action in the environment.

            Args:
                action: The action as text.

            Returns:
                What happens.
            """
            if self._done:
                return "The episode is over."
            result = self._session.step(action)
            self._done, self._reward = result.done, self._reward + result.reward
            return shown(result.observation)

        def get_reward(self) -> float:
            """Returns the sum of the rewards of the rollout."""
            return self._reward

    HeldoutEnv.__name__ = HeldoutEnv.__qualname__ = "heldout_" + name_of(mount)
    return HeldoutEnv


def dataset(
    mount: str, split: str | None = None, *, repeat: int = 1, prompt: str = INSTRUCTIONS, **options: Any
) -> Any:
    """Returns a `datasets.Dataset` with a row for each task of a split: prompt, task_id, split, kind and difficulty."""
    from datasets import Dataset

    rows = [
        {
            "prompt": [{"role": "user", "content": prompt}],
            "task_id": t["id"],
            "kind": t["type"],
            "difficulty": t.get("difficulty", ""),
            **({"split": split} if split else {}),
        }
        for t in pool(mount, options).tasks(name_of(mount), split)
    ]
    return Dataset.from_list(rows * repeat)


class EvaluateCallback(TrainerCallback):  # type: ignore[misc]
    """Runs an evaluation every so many steps of a trainer, and logs its rates and limits.

    The model is served by the trainer's own server, or by another that has its weights. Each evaluation is a run
    directory `OUT/step-000500`, so `heldout compare` pairs two of them by task. Metrics have names such as
    `heldout/pddl/success_low`; they reach every tracker of the trainer once the callback is attached.
    """

    def __init__(
        self,
        *,
        model: str,
        env: str | Sequence[str],
        every: int,
        out: str | os.PathLike[str],
        prefix: str = "heldout/",
        **options: Any,
    ) -> None:
        if every < 1:
            raise ValueError(f"every is {every}, want at least 1")
        self._model, self._env, self._every, self._out = model, env, every, Path(out)
        self._prefix, self._options = prefix, options
        self._trainer: Any = None
        self.evaluations: dict[int, Evaluation] = {}

    def attach(self, trainer: Any) -> EvaluateCallback:
        """Says whose log gets the metrics."""
        self._trainer = trainer
        return self

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        if self._trainer is None:
            raise RuntimeError("attach the callback to the trainer: trainer.add_callback(callback.attach(trainer))")

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        if state.global_step % self._every or not state.is_world_process_zero:
            return
        out = self._out / f"step-{state.global_step:06d}"
        done = evaluate(self._model, self._env, out=out, **self._options)
        self.evaluations[state.global_step] = done
        self._trainer.log(done.metrics(self._prefix))
