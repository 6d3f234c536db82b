"""An agent loop and a data set for verl. Needs verl 0.9 or newer, which finds the loop by itself.

    heldout.verl.write("pddl", "train.parquet")
    python -m verl.trainer.main_ppo data.train_files=train.parquet data.return_raw_chat=True \\
        actor_rollout_ref.rollout.agent.default_agent_loop=heldout …

Each row has the mount, the task and the options of `heldout.Pool` in `extra_info`. The first observation replaces the
last message of the prompt.
"""

# pyright: reportMissingImports=false, reportMissingTypeStubs=false, reportUntypedBaseClass=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUntypedFunctionDecorator=false, reportUntypedClassDecorator=false
# The framework has no types.

from __future__ import annotations

import importlib
import json
import os
from typing import Any
from uuid import uuid4

from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopOutput, register
from verl.utils.profiler import simple_timer

from ._dialogue import INSTRUCTIONS, Rollout, name_of, pool
from ._flags import renamed


def write(
    mount: str,
    path: str | os.PathLike[str],
    split: str | None = None,
    *,
    step_limit: int = 20,
    actions: bool = False,
    prompt: str = INSTRUCTIONS,
    **options: Any,
) -> int:
    """Writes the tasks of a split to a Parquet file for verl, and returns their number. It needs pyarrow.

    `options` are those of `heldout.Pool`, such as `reward`.
    """
    options = renamed(options)
    step_limit = options.pop("step_limit", step_limit)
    rows: list[dict[str, Any]] = []
    for t in pool(mount, options).tasks(name_of(mount), split):
        reset = {"task_id": t["id"], "step_limit": step_limit, "actions": actions}
        played = {"mount": mount, "options": json.dumps(options), "reset": json.dumps(reset)}
        rows.append(
            {
                "data_source": "heldout/" + name_of(mount),
                "agent_name": "heldout",
                "prompt": [{"role": "system", "content": prompt}, {"role": "user", "content": t["id"]}],
                "ability": t["type"],
                "reward_model": {"style": "rule", "ground_truth": ""},
                "extra_info": {"index": t["index"], "split": split or "", **played},
            }
        )
    table = importlib.import_module("pyarrow").Table.from_pylist(rows)
    importlib.import_module("pyarrow.parquet").write_table(table, path)
    return len(rows)


@register("heldout")
class HeldoutAgentLoop(AgentLoopBase):  # type: ignore[misc]
    """Plays one episode: each reply of the model holds one action.

    The reward is the sum over the episode. `success` and `progress` are extra information, which validation averages.
    An episode also ends where the next turn would exceed the response length.
    """

    async def run(self, sampling_params: dict[str, Any], **row: Any) -> Any:
        played = row["extra_info"]
        rollout = Rollout(played["mount"], json.loads(played["options"]))
        try:
            seen = await rollout.areset(**json.loads(played["reset"]))
            messages = [*row["raw_prompt"][:-1], {"role": "user", "content": seen}]
            return await self._play(rollout, messages, sampling_params)
        finally:
            rollout.session.close()

    async def _play(
        self, rollout: Rollout, messages: list[dict[str, Any]], sampling_params: dict[str, Any]
    ) -> Any:
        most, request = self.rollout_config.response_length, uuid4().hex
        metrics: dict[str, Any] = {}
        rewards: list[float] = []
        ids: list[int] = await self.ct_build_initial_tokens(messages)
        mask: list[int] = []
        logs: list[float] = []
        while True:
            with simple_timer("generate_sequences", metrics):
                made = await self.server_manager.generate(
                    request_id=request, prompt_ids=ids, sampling_params=sampling_params
                )
            merged, mask, logs = await self.ct_merge_assistant_token(
                ids, made.token_ids, mask, logs if made.log_probs else None, assistant_logprobs=made.log_probs or None
            )
            ids, logs = merged.token_ids, logs or []
            reply = self.tokenizer.decode(made.token_ids, skip_special_tokens=True)
            before = rollout.reward
            with simple_timer("tool_calls", metrics):
                seen = await rollout.aact(reply)
            rewards.append(rollout.reward - before)
            if rollout.done or len(mask) >= most:
                break
            heard = [*messages, {"role": "assistant", "content": reply}]
            messages = [*heard, {"role": "user", "content": seen}]
            longer, next_mask, next_logs = await self.ct_merge_context_msg(heard, messages, ids, mask, logs or None)
            if len(next_mask) >= most:
                break
            ids, mask, logs = longer.token_ids, next_mask, next_logs or []
        start = len(ids) - len(mask)
        return AgentLoopOutput(
            prompt_ids=ids[:start],
            response_ids=ids[start:][:most],
            response_mask=mask[:most],
            response_logprobs=logs[:most] or None,
            reward_score=rollout.reward,
            num_turns=1 + 2 * len(rewards),
            metrics=metrics,
            extra_fields={
                "turn_scores": rewards,
                "tool_rewards": [],
                "reward_extra_info": {"success": float(rollout.success), "progress": rollout.progress},
            },
        )
