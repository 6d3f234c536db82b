"""The agent loop in verl's own worker, with its configuration, data set and registry; only the model is scripted."""

import asyncio
import importlib
import json
import subprocess
import sys

import pytest

import heldout

verl = pytest.importorskip("verl", reason="pip install 'heldout[verl]'")

ACTIONS = ["Pick up ball1 at rooma with arm left.", "Move from rooma to roomb.", "Drop ball1 at roomb with arm left."]


class Scripted:
    """A model that says the actions one after the other, and keeps the prompts."""

    def __init__(self, tok) -> None:
        self.tok, self.prompts, self.tokenizer = tok, {}, None

    async def generate(self, request_id, prompt_ids, sampling_params, **_):
        from verl.workers.rollout.replica import TokenOutput

        seen = self.prompts.setdefault(request_id, [])
        seen.append(self.tok.decode(prompt_ids))
        ids = self.tok(f"Action: {ACTIONS[len(seen) - 1]} <|im_end|>")["input_ids"]
        return TokenOutput(token_ids=ids, log_probs=[-0.5] * len(ids))


@pytest.fixture(scope="module")
def setting(tmp_path_factory):
    import hydra
    import tiny
    from omegaconf import open_dict

    folder = tmp_path_factory.mktemp("verl")
    tok = tiny.tokenizer()
    tok.save_pretrained(folder / "model")
    tiny.model(tok, 0).save_pretrained(folder / "model")
    assert importlib.import_module("heldout.verl").write("pddl", folder / "train.parquet", step_limit=3, reward="delta") == 60
    with hydra.initialize_config_module("verl.trainer.config", version_base=None):
        config = hydra.compose("ppo_trainer", overrides=[
            f"actor_rollout_ref.model.path={folder / 'model'}", "actor_rollout_ref.rollout.name=vllm",
            "actor_rollout_ref.rollout.prompt_length=400", "actor_rollout_ref.rollout.response_length=400",
            f"data.train_files={folder / 'train.parquet'}", "data.max_prompt_length=400", "data.max_response_length=400",
            "data.return_raw_chat=True",
        ])
    with open_dict(config):
        config.data.filter_overlong_prompts = False
    return config, tok


def test_worker(setting):
    from verl import DataProto
    from verl.experimental.agent_loop.agent_loop import AgentLoopWorker, _agent_loop_registry
    from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn

    config, tok = setting
    assert _agent_loop_registry["heldout"]["_target_"] == "heldout.verl.HeldoutAgentLoop"
    data = RLHFDataset(data_files=config.data.train_files, tokenizer=tok, config=config.data)
    batch = DataProto.from_single_dict(collate_fn([data[0], data[1]]))
    model = Scripted(tok)
    out = asyncio.run(AgentLoopWorker(config, model).generate_sequences(batch))
    with heldout.Pool("pddl", reward="delta") as pool:
        for i in range(2):
            (session,) = pool.open()
            first = session.reset(index=i)
            steps = [session.step(action) for action in ACTIONS]
            assert out.batch["rm_scores"][i].sum().item() == pytest.approx(sum(s.reward for s in steps))
            assert out.non_tensor_batch["progress"][i] == pytest.approx(steps[-1].observation["progress"])
            prompts = next(p for p in model.prompts.values() if words(first.observation["goal"]) in p[0])
            assert len(prompts) == 3 and words(steps[1].observation["text"]) in prompts[2]
            mask, response = out.batch["response_mask"][i].bool(), out.batch["responses"][i]
            assert tok.decode(response[mask]) == " ".join(f"Action: {action} <|im_end|>" for action in ACTIONS)
    assert set(json.loads(data[0]["extra_info"]["reset"])) == {"task_id", "step_limit", "actions"}


def words(text: str) -> str:
    return " ".join(text.split())


def test_found(installed):
    """verl loads the agent loop when it is imported."""
    code = "import verl, verl.experimental.agent_loop.agent_loop as a; print(a._agent_loop_registry['heldout']['_target_'])"
    done = subprocess.run([sys.executable, "-c", code], env=installed, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1:] == ["heldout.verl.HeldoutAgentLoop"], done.stderr
