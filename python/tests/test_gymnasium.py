import copy
import asyncio
import warnings

import pytest

gymnasium = pytest.importorskip("gymnasium", reason="pip install gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

import heldout  # noqa: E402
import heldout.gymnasium  # noqa: E402

LOOK = "look around"


def test_checker():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make("heldout/pddl-v0", render_mode="ansi")
        check_env(env.unwrapped)
        env.close()


def test_episode():
    env = heldout.make("pddl", step_limit=2)
    text, info = env.reset(options={"index": 0})
    assert text.startswith("Goal: ") and info["task_id"]
    assert env.reset(seed=5) == env.reset(seed=5)
    assert env.step("ünïcode\n")[3] is False
    *_, terminated, truncated, _ = env.step(LOOK)
    assert truncated and not terminated
    env.close()


def test_deepcopy_forks():
    env = heldout.make("pddl")
    env.reset(options={"index": 0, "keys": True, "actions": True})
    _, _, _, _, info = env.step(LOOK)
    fork = copy.deepcopy(env)
    moved = next(a for a in info["actions"] if a.startswith("Move"))
    *_, after = fork.step(moved)
    *_, same = env.step(LOOK)
    assert same["state_key"] == info["state_key"] != after["state_key"]
    assert fork.step(LOOK)[0] != env.step(LOOK)[0]
    fork.close()
    env.close()


def test_asyncio():
    """The asynchronous methods do what the others do."""
    env, envs = heldout.make("pddl"), heldout.make_vec("pddl", 2)

    async def play():
        first, step = await env.areset(seed=5), await env.astep(LOOK)
        assert first == env.reset(seed=5) and step == env.step(LOOK)
        texts, _ = await envs.areset(seed=5)
        assert texts == envs.reset(seed=5)[0]
        assert (await envs.astep([LOOK] * 2))[0] == envs.step([LOOK] * 2)[0]

    asyncio.run(play())
    env.close()
    envs.close()


@pytest.mark.parametrize("mode", AutoresetMode)
def test_vector(mode):
    envs = gymnasium.make_vec(
        "heldout/pddl-v0", 3, vectorization_mode="vector_entry_point", autoreset_mode=mode, step_limit=2
    )
    first, _ = envs.reset(seed=1)
    assert len(set(first)) > 1
    assert not envs.step([LOOK] * 3)[3].any()
    texts, _, _, truncated, infos = envs.step([LOOK] * 3)
    assert truncated.all()
    if mode is AutoresetMode.SAME_STEP:
        assert all(t.startswith("Goal: ") for t in texts) and not infos["final_obs"][0].startswith("Goal: ")
    elif mode is AutoresetMode.NEXT_STEP:
        texts, _, _, truncated, _ = envs.step([LOOK] * 3)
        assert all(t.startswith("Goal: ") for t in texts) and not truncated.any()
    else:
        with pytest.raises(heldout.StepError, match="reset_mask"):
            envs.step([LOOK] * 3)
        texts, _ = envs.reset(options={"reset_mask": [True, False, True]})
        assert [t.startswith("Goal: ") for t in texts] == [True, False, True]
    assert envs.metadata["autoreset_mode"] is mode
    envs.close()


@pytest.mark.parametrize("vectoriser", [gymnasium.vector.SyncVectorEnv, gymnasium.vector.AsyncVectorEnv])
def test_vectorisers(vectoriser):
    """Gymnasium's own vectorisers, as they are by default, show what the environments do."""
    actions = [LOOK, "ünïcode\n盒", ""]
    alone = [gymnasium.make("heldout/pddl-v0", step_limit=5) for _ in actions]
    envs = vectoriser([lambda: gymnasium.make("heldout/pddl-v0", step_limit=5) for _ in actions])
    texts, _ = envs.reset(seed=7)
    assert list(texts) == [env.reset(seed=7 + i)[0] for i, env in enumerate(alone)]
    for _ in range(5):
        texts, rewards, terminated, truncated, _ = envs.step(actions)
        for i, env in enumerate(alone):
            assert (texts[i], rewards[i], terminated[i], truncated[i]) == env.step(actions[i])[:4]
    assert truncated.all()
    for env in [envs, *alone]:
        env.close()
