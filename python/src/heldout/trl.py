"""Environments, rollouts and a callback for TRL. Needs trl.

A model that calls tools plays through `environment_factory`:

    env = heldout.trl.env("pddl", reward="delta")
    trainer = GRPOTrainer(MODEL, train_dataset=heldout.trl.dataset("pddl"), environment_factory=env, args=…)

A model that writes its action as text plays through `rollout_func`:

    trainer = GRPOTrainer(MODEL, train_dataset=heldout.trl.dataset("pddl", text=True), args=…,
                          rollout_func=heldout.trl.rollout("pddl", reward="delta"), reward_funcs=heldout.trl.reward)

Either is measured while it trains:

    callback = heldout.trl.EvaluateCallback(["alfworld", "pddl"], every=500, out="runs/train")
    trainer.add_callback(callback.attach(trainer))
"""

# pyright: reportMissingImports=false, reportMissingTypeStubs=false, reportUntypedBaseClass=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# The framework has no types.

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from accelerate.utils import broadcast_object_list
from transformers import Trainer, TrainerCallback
from trl.models import unwrap_model_for_generation

from ._flags import renamed
from ._dialogue import INSTRUCTIONS as TEXT_INSTRUCTIONS
from ._dialogue import Rollout, name_of, pool, session, shown
from ._evaluate import Evaluation, evaluate, planned
from ._policy import Message, Policy, Sampling

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import PoolOptions, RunOptions

    class EvaluateOptions(RunOptions, total=False):
        """Keywords of `heldout.evaluate`."""

        base_url: str | Sequence[str]
        name: str
        version: str
        seeds: int | str | Sequence[int]
        progress: bool


INSTRUCTIONS = "Solve the task. Call the tool `act` with one action at a time."

_CHOICE = ("task_id", "split", "index", "seed", "step_limit", "max_steps", "actions")
_DUMMY = [{"role": "user", "content": "dummy"}, {"role": "assistant", "content": "dummy"}]


def env(mount: str, **options: Unpack[PoolOptions]) -> type:
    """Returns a class for `environment_factory`: an object is one rollout.

    `options` are those of `heldout.Pool`. Columns of the data set choose the task: task_id, split, index, seed,
    step_limit, actions.
    """

    class HeldoutEnv:
        _tasks = staticmethod(lambda: _ids(mount, None, {**options}))

        def __init__(self) -> None:
            self._session = session(mount, {**options})
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
    mount: str,
    split: str | None = None,
    *,
    repeat: int = 1,
    text: bool = False,
    prompt: str | None = None,
    **options: Any,
) -> Any:
    """Returns a `datasets.Dataset` with a row for each task of a split.

    Columns are prompt, environment, task_id, split, kind and difficulty. The environment is the name of the mount,
    for a dict of factories. With `text`, each prompt names its task, as `rollout` needs it.
    """
    from datasets import Dataset

    instructions = prompt or (TEXT_INSTRUCTIONS if text else INSTRUCTIONS)
    rows = [
        {
            "prompt": _prompt(instructions, t["id"] if text else None),
            "environment": name_of(mount),
            "task_id": t["id"],
            "kind": t["type"],
            "difficulty": t.get("difficulty", ""),
            **({"split": split} if split else {}),
        }
        for t in pool(mount, options).tasks(name_of(mount), split)
    ]
    return Dataset.from_list(rows * repeat)


def _prompt(instructions: str, task: str | None) -> list[dict[str, str]]:
    if task is None:
        return [{"role": "user", "content": instructions}]
    return [{"role": "system", "content": instructions}, {"role": "user", "content": task}]


def _ids(mount: str, split: str | None, options: dict[str, Any]) -> set[str]:
    return {t["id"] for t in pool(mount, options).tasks(name_of(mount), split)}


def rollout(
    mount: str, *, step_limit: int = 20, actions: bool = False, **options: Any
) -> Callable[..., dict[str, Any]]:
    """Returns a function for `rollout_func`, for a model that writes one action per turn.

    The last message of a prompt is the id of its task, as in `dataset(…, text=True)`; the first observation replaces
    it. All rollouts of a batch step together, and tokens of the environment are masked (`env_mask`).

    A rollout ends with its episode, after a reply that was cut off, or where the next turn would exceed
    `max_completion_length`. `options` are those of `heldout.Pool`.
    """

    options = renamed(options)
    reset = {"step_limit": options.pop("step_limit", step_limit), "actions": actions}

    def play(prompts: list[list[dict[str, str]]], trainer: Any) -> dict[str, Any]:
        rollouts = [Rollout(mount, options) for _ in prompts]
        try:
            return _play(rollouts, prompts, trainer, reset)
        finally:
            pool(mount, options).close_sessions([one.session for one in rollouts])

    return play


def reward(prompts: Any, reward: list[float], success: list[bool], **others: Any) -> list[float]:
    """Returns the rewards of `rollout`, and logs the success and progress rates of the batch. For `reward_funcs`."""
    log: Callable[[str, float], None] | None = others.get("log_metric")
    if log is not None:
        log("heldout/success", sum(success) / len(success))
        log("heldout/progress", sum(others["progress"]) / len(success))
    return reward


def _play(
    rollouts: list[Rollout], prompts: list[list[dict[str, str]]], trainer: Any, reset: dict[str, Any]
) -> dict[str, Any]:
    tokenizer = trainer.processing_class
    first = Rollout.reset_all(rollouts, [{"task_id": p[-1]["content"], **reset} for p in prompts])
    begun = [[*p[:-1], {**p[-1], "content": text}] for p, text in zip(prompts, first)]
    heads = [_ids_of(tokenizer, messages, True) for messages in begun]
    replies: list[list[int]] = [[] for _ in prompts]
    masks: list[list[int]] = [[] for _ in prompts]
    logs: list[list[float]] = [[] for _ in prompts]
    most, ends = trainer.args.max_completion_length, set(trainer.eos_token_ids)
    live = list(range(len(prompts)))
    scored = False
    while live:
        made, chances = trainer._generate_single_turn([heads[i] + replies[i] for i in live], None, {}, 1)
        scored = chances is not None
        for at, i in enumerate(live):
            replies[i] += made[at]
            masks[i] += [1] * len(made[at])
            logs[i] += chances[at] if scored else []
        whole = [(i, ids) for i, ids in zip(live, made) if ids and ids[-1] in ends]
        shown_now = Rollout.act_all(
            [rollouts[i] for i, _ in whole], [tokenizer.decode(ids, skip_special_tokens=True) for _, ids in whole]
        )
        live = []
        for (i, _), text in zip(whole, shown_now):
            turn = _turn(tokenizer, text)
            if not rollouts[i].done and len(replies[i]) + len(turn) < most:
                replies[i] += turn
                masks[i] += [0] * len(turn)
                logs[i] += [0.0] * len(turn) if scored else []
                live.append(i)
    return {
        "prompt_ids": heads,
        "completion_ids": replies,
        "logprobs": logs if scored else None,
        "env_mask": masks,
        "reward": [one.reward for one in rollouts],
        "success": [one.success for one in rollouts],
        "progress": [one.progress for one in rollouts],
    }


def _ids_of(tokenizer: Any, messages: Sequence[Any], ask: bool) -> list[int]:
    ids: list[int] = tokenizer.apply_chat_template(
        messages, add_generation_prompt=ask, tokenize=True, return_dict=False
    )
    return ids


def _turn(tokenizer: Any, text: str) -> list[int]:
    """Returns the tokens between two replies: those of the environment's message."""
    before = _ids_of(tokenizer, _DUMMY, False)
    after = _ids_of(tokenizer, [*_DUMMY, {"role": "user", "content": text}], True)
    if tokenizer.eos_token_id in before:  # what a template writes after the end is not part of the reply
        before = before[: len(before) - before[::-1].index(tokenizer.eos_token_id)]
    if after[: len(before)] != before:
        raise ValueError("the chat template changes earlier messages when one follows; rollouts need one that does not")
    return after[len(before) :]


def policy(trainer: Any) -> Policy:
    """Returns the model of a trainer as a function for `heldout.evaluate`. Transformers generates the replies."""

    def reply(conversations: list[list[Message]], sampling: Sampling) -> list[str]:
        tokenizer, settings = trainer.processing_class, _settings(trainer, sampling)
        texts = [tokenizer.apply_chat_template(c, add_generation_prompt=True, tokenize=False) for c in conversations]
        with unwrap_model_for_generation(trainer.model_wrapped, trainer.accelerator) as model, torch.no_grad():
            was_training = model.training
            model.eval()
            inputs = tokenizer(
                texts, return_tensors="pt", padding=True, padding_side="left", add_special_tokens=False
            ).to(model.device)
            made = model.generate(**inputs, **settings)
            model.train(was_training)
        replies: list[str] = tokenizer.batch_decode(made[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
        return replies

    return reply


def _settings(trainer: Any, sampling: Sampling) -> dict[str, Any]:
    temperature = sampling.get("temperature", 1.0)
    drawn = {"temperature": temperature, "top_p": sampling.get("top_p", 1.0), "top_k": 0} if temperature else {}
    return {
        "do_sample": bool(temperature),
        "max_new_tokens": sampling.get("max_tokens", 256),
        "pad_token_id": trainer.processing_class.pad_token_id,
        **drawn,
    }


class EvaluateCallback(TrainerCallback):  # type: ignore[misc]
    """Runs an evaluation during training, and logs rates and the limits of their intervals.

    It runs every `every` steps, or by default at each evaluation of the trainer. In the latter case,
    `metric_for_best_model` may be one of its metrics, such as `eval_heldout/pddl/progress`.

    Each evaluation is a run directory `OUT/step-000500`, so `heldout compare` can pair two of them by task. Metrics
    have names such as `heldout/pddl/success_low`. They reach every tracker of the trainer once the callback is
    attached.

    `model` is as for `heldout.evaluate`. By default it is the trainer's vLLM server, with the weights of the last
    generation, or else the model in this process. `options` are those of `heldout.evaluate`.

    Tasks of the training data are refused unless `allow_overlap` is set. With several processes, the first evaluates
    and the others wait.
    """

    def __init__(
        self,
        env: str | Sequence[str],
        *,
        out: str | os.PathLike[str],
        every: int | None = None,
        model: str | Policy | None = None,
        allow_overlap: bool = False,
        prefix: str = "heldout/",
        **options: Unpack[EvaluateOptions],
    ) -> None:
        if every is not None and every < 1:
            raise ValueError(f"every is {every}, want at least 1")
        self._env, self._out, self._every, self._model = env, Path(out), every, model
        self._allow_overlap, self._prefix = allow_overlap, prefix
        self._options: dict[str, Any] = {**options}
        self._trainer: Any = None
        self.evaluations: dict[int, Evaluation] = {}

    def attach(self, trainer: Any) -> EvaluateCallback:
        """Sets the trainer whose model is evaluated and whose log gets the metrics."""
        self._trainer = trainer
        return self

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self._trainer is None:
            raise RuntimeError("attach the callback to the trainer: trainer.add_callback(callback.attach(trainer))")
        if self._model is None:
            self._model = self._own(args)
        if state.is_world_process_zero and not self._allow_overlap:
            planned(self._env, without=_trained_on(self._trainer), **self._options)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self._every is not None and state.global_step % self._every == 0:
            due = control.should_log
            self._evaluate(state)
            control.should_log = due  # an entry in the log makes the trainer leave out its own

    def on_evaluate(
        self,
        args: Any,
        state: Any,
        control: Any,
        metrics: dict[str, float] | None = None,
        **_: Any,
    ) -> None:
        if self._every is None:
            found = self._evaluate(state)
            if metrics is not None:
                metrics.update({f"eval_{name}": value for name, value in found.items()})

    def _evaluate(self, state: Any) -> dict[str, float]:
        found: list[dict[str, float]] = [{}]
        if state.is_world_process_zero:
            out = self._out / f"step-{state.global_step:06d}"
            assert self._model is not None
            options: dict[str, Any] = {"name": "policy", **self._options} if callable(self._model) else self._options
            done = evaluate(self._model, self._env, out=out, **options)
            self.evaluations[state.global_step] = done
            found = [done.metrics(self._prefix)]
        broadcast_object_list(found)
        # Trainers of TRL add their own metrics in `log`, which would end here what they gather up to their next entry.
        Trainer.log(self._trainer, found[0])
        return found[0]

    def _own(self, args: Any) -> str | Policy:
        """Returns the trainer's model: its name on the server, or a function."""
        trainer = self._trainer
        if getattr(args, "use_vllm", False) and args.vllm_mode == "server":
            url = args.vllm_server_base_url or f"http://{args.vllm_server_host}:{args.vllm_server_port}"
            self._options = {"base_url": url.rstrip("/") + "/v1", **self._options}
            return "vllm:" + str(trainer.model.config._name_or_path)
        if trainer.is_fsdp_enabled or trainer.is_deepspeed_enabled:
            raise RuntimeError("the weights lie in several processes: give `model` and `base_url` of a server")
        longest = trainer.model.config.get_text_config().max_position_embeddings
        self._options = {"context": longest, **self._options}
        return policy(trainer)


def _trained_on(trainer: Any) -> Collection[str]:
    """Returns the ids of the tasks that a trainer trains on, as far as its data or environments name them."""
    data = trainer.train_dataset
    if "task_id" in (getattr(data, "column_names", None) or []):
        return set(data["task_id"])
    factories = (getattr(trainer, "environment_factories", None) or {}).values()
    return {task for made in factories if hasattr(made, "_tasks") for task in made._tasks()}
