"""Two steps of task 1 through each framework: the texts are those of the pool."""

import importlib

import pytest

import heldout
from heldout._dialogue import action_of, shown

LOOK = "look around"


@pytest.fixture(scope="module")
def played() -> list[str]:
    with heldout.Pool("pddl") as pool:
        (session,) = pool.open()
        results = [session.reset(index=1, max_steps=2), session.step(LOOK), session.step(LOOK)]
    assert results[-1].observation["truncated"]
    return [shown(r.observation) for r in results]


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


def test_textarena(played):
    env = module("textarena", "textarena").HeldoutEnv("pddl", index=1, max_steps=2)
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
    texts = [made.reset(**row, max_steps=2).strip(), made.act(LOOK), made.act(LOOK)]
    assert texts == played and made.act(LOOK) == "The episode is over." and made.get_reward() == 0.0


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
