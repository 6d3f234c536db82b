"""Plays two steps of task 1 through one of the client files, and prints what the framework shows as JSON.

    python frameworks.py NAME SERVER ACTION
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


def gymnasium(server, action):
    from heldout_gymnasium import HeldoutEnv

    env = HeldoutEnv(f"{server}/openenv/pddl", index=1, max_steps=2)
    first, _ = env.reset()
    (one, *_), (two, _, terminated, truncated, _) = env.step(action), env.step(action)
    env.close()
    return first, [one, two], truncated and not terminated


def vector(server, action):
    from heldout_gymnasium import HeldoutVectorEnv

    envs = HeldoutVectorEnv(server, "pddl", 3, index=1, max_steps=2)
    first, _ = envs.reset()
    (one, *_), (two, _, terminated, truncated, _) = envs.step([action] * 3), envs.step([action] * 3)
    again, *_ = envs.step([action] * 3)
    envs.close()
    alike = all(len(set(texts)) == 1 for texts in (first, one, two)) and again == first
    return first[0], [one[0], two[0]], alike and all(truncated) and not any(terminated)


def skyrl(server, action):
    import skyrl_gym

    skyrl_gym.register("heldout", entry_point="heldout_skyrl:HeldoutEnv")
    extras = {"index": 1, "max_steps": 2}
    env = skyrl_gym.make("heldout", env_config={"url": f"{server}/openenv/pddl"}, extras=extras)
    prompt, _ = env.init([{"role": "system", "content": "Play."}])
    one, two = env.step(f"Thought: I look.\nAction: {action}"), env.step(action)
    env.close()
    texts = [step["observations"][0]["content"] for step in (one, two)]
    return prompt[1]["content"], texts, two["done"] and not one["done"]


def textarena(server, action):
    from heldout_textarena import HeldoutEnv

    env = HeldoutEnv(f"{server}/openenv/pddl", index=1, max_steps=2)
    env.reset(num_players=1)
    first, texts = env.get_observation()[1], []
    for _ in range(2):
        done, _ = env.step(action)
        texts.append(env.get_observation()[1])
    rewards, _ = env.close()
    return first, texts, done and rewards == {0: 0.0}


def trl(server, action):
    from heldout_trl import HeldoutEnv

    env = HeldoutEnv()
    first = env.reset(prompt=[], index=1, max_steps=2).strip()
    texts = [env.act(action), env.act(action)]
    return first, texts, env.act(action) == "The episode is over." and env.get_reward() == 0.0


first, texts, ends = globals()[sys.argv[1]](*sys.argv[2:])
print(json.dumps({"first": first, "texts": texts, "ends": bool(ends)}))
