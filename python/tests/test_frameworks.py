"""Two steps of task 1 through each framework: the texts are those of the pool."""

import importlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import heldout
from conftest import LOOK
from heldout._dialogue import action_of


def module(name: str, framework: str):
    pytest.importorskip(framework, reason=f"pip install 'heldout[{name}]'")
    return importlib.import_module("heldout." + name)


def test_skyrl(played):
    module("skyrl", "skyrl_gym").register()
    import skyrl_gym

    env = skyrl_gym.make("heldout", env_config={"mount": "pddl"}, extras={"index": 1, "max_turns": 2})
    prompt, info = env.init([{"role": "system", "content": "x"}])
    texts = [prompt[-1]["content"]]
    for _ in range(2):
        out = env.step(f"Thought: so\nAction: {LOOK}")
        texts.append(out["observations"][0]["content"])
    assert texts == played and out["done"] and out["metadata"]["task_id"] == info["task_id"]
    assert env.get_metrics()["success"] == 0.0
    env.close()


def test_skyrl_in_threads(played):
    """As its generator does: many environments, each stepped by whatever thread is free."""
    module("skyrl", "skyrl_gym").register()
    import skyrl_gym

    def play(_):
        env = skyrl_gym.make("heldout", env_config={"mount": "pddl"}, extras={"index": 1, "max_turns": 2})
        texts = [env.init([])[0][-1]["content"], *(env.step(LOOK)["observations"][0]["content"] for _ in range(2))]
        env.close()
        return texts

    with ThreadPoolExecutor(32) as threads:
        assert list(threads.map(play, range(64))) == [played] * 64


def test_textarena(played):
    env = module("textarena", "textarena").HeldoutEnv("pddl", index=1, step_limit=2)
    env.reset(num_players=1)
    texts = [env.get_observation()[1]]
    for _ in range(2):
        done, _ = env.step(LOOK)
        texts.append(env.get_observation()[1])
    assert texts == played and done and env.close()[0] == {0: 0.0}


def test_trl(played):
    trl = module("trl", "trl")
    made = trl.env("pddl")()
    row = trl.dataset("pddl")[1]
    texts = [made.reset(**row, step_limit=2).strip(), made.act(LOOK), made.act(LOOK)]
    assert texts == played and made.act(LOOK) == "The episode is over." and made.get_reward() == 0.0


def test_openenv(played):
    openenv = module("openenv", "openenv")
    with openenv.serve("pddl", step_limit=2) as url, openenv.HeldoutEnv(base_url=url).sync() as env:
        seen = [env.reset(index=1), *(env.step(openenv.HeldoutAction(message=LOOK)) for _ in range(2))]
        texts = [heldout._dialogue.shown(s.observation.model_dump()) for s in seen]
        assert texts == played and seen[-1].done and seen[-1].observation.truncated and env.state().step_count == 2
    with pytest.raises(heldout.UsageError, match='unknown environment "chess"'), openenv.serve("chess"):
        pass


def test_inspect(played, tmp_path, server, monkeypatch):
    """The model sees the texts of the environment, and the scores are those of the episode."""
    module("inspect", "inspect_ai")
    from inspect_ai import eval as run

    url, requests = server
    monkeypatch.setenv("LOCAL_BASE_URL", url)
    monkeypatch.setenv("LOCAL_API_KEY", "x")
    task = importlib.import_module("heldout.inspect").pddl(steps=2)
    (log,) = run(task, model="openai-api/local/tiny", limit=(1, 2), log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    (sample,) = log.samples
    assert [m.text for m in sample.messages if m.role == "user"] == played and len(requests) == 2
    assert {s.name: s.metrics[next(iter(s.metrics))].value for s in log.results.scores} == {"success": 0, "progress": 0}


def test_inspect_finds_the_tasks(server, installed, tmp_path):
    """`inspect eval heldout/pddl` runs without a line of Python, and its samples have both scores."""
    module("inspect", "inspect_ai")
    url, _ = server
    command = [sys.executable, "-m", "inspect_ai", "eval", "heldout/pddl", "-T", "steps=2", "--limit", "2"]
    done = subprocess.run(
        [*command, "--model", "openai-api/local/tiny", "--log-dir", str(tmp_path), "--display", "none"],
        env={**installed, "LOCAL_BASE_URL": url, "LOCAL_API_KEY": "x"}, cwd=tmp_path, capture_output=True, text=True,
    )
    assert done.returncode == 0, done.stderr
    from inspect_ai.analysis import samples_df

    frame = samples_df(str(tmp_path))
    assert list(frame["score_success"]) == [0, 0] and list(frame["score_progress"]) == [0, 0]


@pytest.mark.parametrize(
    "reply, action",
    [
        ("Thought: a\nAction: go north", "go north"),
        ("Action: one\nAction: two ", "two"),
        ("go north", "go north"),
        ("  Action:", ""),
        ("", ""),
    ],
)
def test_action_of(reply, action):
    assert action_of(reply) == action
