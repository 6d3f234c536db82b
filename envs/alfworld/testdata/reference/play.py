"""Plays games on the reference engine and prints what it says, as JSON Lines.

    python play.py GAME.tw-pddl... <actions.jsonl

Each line of the input is the list of commands for the game in its place, or null
for random play with --steps and --seed. A line of the output has the path of the
game, the text at the start, the commands that are admissible then, and for every
step the command, the answer, whether the game is won, and the admissible commands.
"""

import argparse
import json
import random
import sys

import textworld
from alfworld.agents.environment.alfred_tw_env import AlfredDemangler
from textworld.envs.pddl import PddlEnv


def play(path, commands, steps, rng):
    env = AlfredDemangler(PddlEnv(textworld.EnvInfos(won=True, admissible_commands=True)), shuffle=False)
    env.load(path)
    state = env.reset()
    out = {
        "game": path,
        "intro": state.feedback,
        "admissible0": list(state.admissible_commands),
        "steps": [],
    }
    admissible = out["admissible0"]
    for i in range(len(commands) if commands is not None else steps):
        action = commands[i] if commands is not None else rng.choice(admissible)
        state, _, _ = env.step(action)
        admissible = list(state.admissible_commands)
        out["steps"].append({"action": action, "obs": state.feedback, "won": bool(state.won), "admissible": admissible})
    env.close()
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("games", nargs="+")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    for path, line in zip(args.games, sys.stdin):
        json.dump(play(path, json.loads(line), args.steps, rng), sys.stdout)
        sys.stdout.write("\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
