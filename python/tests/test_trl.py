"""TRL's own trainer with a model of two layers: rollouts, evaluations on the way, and what reaches the log."""

import pytest

import heldout

pytest.importorskip("trl", reason="pip install 'heldout[trl]'")

import tiny
from transformers import TrainerCallback
from trl import GRPOConfig, GRPOTrainer

import heldout.trl

HELD_OUT = {"tasks": "blockworld/gen0-01,blockworld/gen0-02", "step_limit": 3, "max_tokens": 12, "progress": False}


@pytest.fixture(scope="module")
def tok():
    return tiny.tokenizer()


def trainer(tok, folder, **settings):
    options = {
        "max_steps": 2, "per_device_train_batch_size": 4, "num_generations": 2, "max_completion_length": 300,
        "logging_steps": 1, "save_strategy": "no", "use_cpu": True, "disable_tqdm": True, "report_to": [], **settings,
    }
    data = tiny.gripper(2)
    return GRPOTrainer(
        model=tiny.model(tok, 40), processing_class=tok, train_dataset=data.select([0, 1] * 8),
        rollout_func=heldout.trl.rollout("pddl", reward="delta", step_limit=3), reward_funcs=heldout.trl.reward,
        args=GRPOConfig(output_dir=str(folder), **options),
    )


def test_rollout(tok, tmp_path):
    """Tokens of the model are those that it wrote, tokens of the environment are masked, rewards are the episode's."""
    made = trainer(tok, tmp_path)
    prompts = [row["prompt"] for row in tiny.gripper(2) for _ in range(2)]
    out = made.rollout_func(prompts, made)
    with heldout.Pool("pddl", reward="delta") as pool:
        for i in range(4):
            (session,) = pool.open()
            first = session.reset(index=i // 2, step_limit=3)
            assert words(first.text) in tok.decode(out["prompt_ids"][i])
            turns, reward, text = replies(out["completion_ids"][i], out["env_mask"][i]), 0.0, ""
            assert len(turns) == 3
            for ids in turns:
                reply = tok.decode(ids, skip_special_tokens=True)
                step = session.step(heldout._dialogue.action_of(reply))
                reward, text = reward + step.reward, step.text
            assert out["reward"][i] == pytest.approx(reward) and step.observation["truncated"]
            assert words(text) not in tok.decode(turns[-1])


def replies(ids, mask):
    turns = [[]]
    for token, own in zip(ids, mask):
        if own:
            turns[-1].append(token)
        elif turns[-1]:
            turns.append([])
    return turns


def words(text):
    return " ".join(text.split())


def test_long_rollout(tok, tmp_path):
    made = trainer(tok, tmp_path, max_completion_length=60)
    out = made.rollout_func([tiny.gripper(1)[0]["prompt"]], made)
    assert len(out["completion_ids"][0]) < 60 and out["env_mask"][0][-1] == 1


def test_training_with_evaluation(tok, tmp_path):
    """The model in the process is evaluated every step; rates reach TensorBoard, and the trainer's own log stays."""
    made = trainer(tok, tmp_path / "out", report_to=["tensorboard"])
    callback = heldout.trl.EvaluateCallback("pddl", every=1, out=tmp_path / "runs", temperature=0, **HELD_OUT)
    made.add_callback(callback.attach(made))
    made.train()
    history = made.state.log_history
    assert [e["step"] for e in history if "heldout/pddl/success_low" in e] == [1, 2]
    assert [e["step"] for e in history if "rewards/reward/mean" in e] == [1, 2]
    steps = callback.evaluations[2].steps()
    assert len(steps) == 6 and callback.evaluations[2].run == str(tmp_path / "runs" / "step-000002")
    reader = "tensorboard.backend.event_processing.event_accumulator"
    events = pytest.importorskip(reader, reason="pip install tensorboard")
    board = events.EventAccumulator(str(next((tmp_path).rglob("events.out*")).parent))
    board.Reload()
    tag = next(t for t in board.Tags()["scalars"] if t.endswith("heldout/pddl/success_high"))
    assert [e.step for e in board.Scalars(tag)] == [1, 2]


def test_server(tok, tmp_path, server):
    """A server of the model is asked, and what it does wrong stops the training with the binary's sentence."""
    url, requests = server
    made = trainer(tok, tmp_path / "out", max_steps=1)
    callback = heldout.trl.EvaluateCallback(
        "pddl", every=1, out=tmp_path / "runs", model="tiny", base_url=url, **{**HELD_OUT, "max_tokens": 50}
    )
    made.add_callback(callback.attach(made))
    made.train()
    assert [e["heldout/pddl/success"] for e in made.state.log_history if "heldout/pddl/success" in e] == [0]
    assert len(requests) >= 6
    wrong = trainer(tok, tmp_path / "out", max_steps=1)
    gone = heldout.trl.EvaluateCallback(
        "pddl", every=1, out=tmp_path / "gone", model="tiny", base_url="http://127.0.0.1:9/v1", retries=0,
        **HELD_OUT,
    )
    wrong.add_callback(gone.attach(wrong))
    with pytest.raises(heldout.Error, match="^http://127.0.0.1:9/v1/models gave no usable reply in 1 attempt: .*\nstart "):
        wrong.train()


class Refused(TrainerCallback):
    def on_step_begin(self, *_, **__):
        raise AssertionError("training has begun")


def test_overlap(tok, tmp_path):
    made = trainer(tok, tmp_path)
    callback = heldout.trl.EvaluateCallback("pddl", every=1, out=tmp_path / "runs", tasks="gripper")
    with pytest.raises(RuntimeError, match="attach the callback"):
        callback.on_train_begin(made.args, made.state, made.control)
    made.add_callback(callback.attach(made))
    made.add_callback(Refused())
    with pytest.raises(heldout.Overlap, match=r"2 of 20 tasks .* such as gripper/gen0-01"):
        made.train()
    assert not (tmp_path / "runs").exists()


def test_best_model(tok, tmp_path):
    """Without `every`, the evaluations of the trainer carry the rates, under names that choose the best model."""
    made = trainer(tok, tmp_path)
    callback = heldout.trl.EvaluateCallback("pddl", out=tmp_path / "runs", temperature=0, **HELD_OUT).attach(made)
    callback.on_train_begin(made.args, made.state, made.control)
    metrics = {"eval_loss": 1.0}
    callback.on_evaluate(made.args, made.state, made.control, metrics=metrics)
    assert metrics["eval_heldout/pddl/progress"] == made.state.log_history[-1]["heldout/pddl/progress"]


def test_environments_of_two_mounts(tok, tmp_path):
    """A dict of factories: each class has a name of its own, and rows say whose they are."""
    rows = heldout.trl.dataset("pddl")
    made = {"pddl": heldout.trl.env("pddl"), "babyai": heldout.trl.env("babyai")}
    assert rows[0]["environment"] == "pddl"
    assert {m.__name__ for m in made.values()} == {"heldout_pddl", "heldout_babyai"}
    one = made["babyai"]()
    assert "Goal: " in one.reset(**heldout.trl.dataset("babyai")[0]) and one.get_reward() == 0
