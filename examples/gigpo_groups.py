"""Groups of steps that begin in one state, as GiGPO compares them: a policy without a network, on one task.

The policy is a table of preferences for the actions of each state (`state_key`). In each iteration it plays a group of
rollouts of one task in one process. An episode's advantage compares its return with the group's; a step's advantage
compares its discounted return with those of all steps of the group that begin in the same state. The script prints the
share of solved rollouts with the first alone, as GRPO does, and with both.

    python examples/gigpo_groups.py --env babyai --index 0
"""

from __future__ import annotations

import argparse
import math
import random
from collections import defaultdict

import heldout
import heldout.gigpo

Table = dict[str, dict[str, float]]
"""Preferences of actions, by state."""


def draw(preferences: dict[str, float], actions: list[str], random: random.Random) -> str:
    """Draws an action by the softmax of its preference."""
    return random.choices(actions, [math.exp(preferences.get(action, 0.0)) for action in actions])[0]


def rollouts(pool: heldout.Pool, table: Table, index: int, group: int, steps: int, random: random.Random):
    """Plays a group side by side. Each rollout is a list of states, actions, the actions there were, and rewards."""
    sessions = pool.open(count=group)
    start: heldout.Reset = {"index": index, "step_limit": steps, "actions": True, "keys": True}
    seen = pool.step([(session, start) for session in sessions])
    played = [[] for _ in sessions]
    running = list(range(group))
    while running:
        chosen = []
        for i in running:
            observation = seen[i].observation
            action = draw(table[observation["state_key"]], observation["actions"], random)
            chosen.append((sessions[i], action))
        for i, (_, action), result in zip(running, chosen, pool.step(chosen)):
            observation = seen[i].observation
            played[i].append((observation["state_key"], action, observation["actions"], result.reward))
            seen[i] = result
        running = [i for i in running if not seen[i].done]
    pool.close_sessions(sessions)
    return played, [result.observation["success"] for result in seen]


def learn(table: Table, played, weight: float, rate: float, discount: float) -> tuple[int, int]:
    """Moves preferences along the advantages of a group. It returns the number of groups of states and of steps."""
    totals = [sum(reward for *_, reward in episode) for episode in played]
    episodes = heldout.gigpo.advantages([0] * len(totals), totals)
    keys, returns = [], []
    for episode in played:
        after = 0.0
        back = []
        for *_, reward in reversed(episode):
            after = reward + discount * after
            back.append(after)
        keys += [key for key, *_ in episode]
        returns += reversed(back)
    steps = iter(heldout.gigpo.advantages(keys, returns))
    for episode, whole in zip(played, episodes):
        for key, action, actions, _ in episode:
            advantage = whole + weight * next(steps)
            weights = {other: math.exp(table[key].get(other, 0.0)) for other in actions}
            total = sum(weights.values())
            for other in actions:  # the gradient of the logarithm of the softmax
                slope = (other == action) - weights[other] / total
                table[key][other] = table[key].get(other, 0.0) + rate * advantage * slope
    return len(set(keys)), len(keys)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--env", default="babyai")
    parser.add_argument("--index", type=int, default=0)
    parser.add_argument("--group", type=int, default=16)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--iterations", type=int, default=40)
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    with heldout.Pool(given.env, data="") as pool:
        for name, weight in (("episodes", 0.0), ("episodes and states", 1.0)):
            solved = [0.0] * given.iterations
            for seed in range(given.seeds):
                table: Table = defaultdict(dict)
                source = random.Random(seed)
                for i in range(given.iterations):
                    played, successes = rollouts(pool, table, given.index, given.group, given.steps, source)
                    groups, steps = learn(table, played, weight, rate=0.3, discount=0.95)
                    solved[i] += sum(successes) / len(successes) / given.seeds
            tenth = max(1, given.iterations // 8)
            curve = " ".join(f"{100 * sum(solved[i:i + tenth]) / tenth:3.0f}" for i in range(0, given.iterations, tenth))
            print(f"{name:20} solved, %: {curve}   last: {steps} steps begin in {groups} states")


if __name__ == "__main__":
    main()
