"""Records Jericho's lists of valid actions at random moments of walkthroughs.

    python record.py SUITE ROUNDS SEED > moments.jsonl
    go test ./envs/jericho -run TestHelpMoments -v -moments moments.jsonl

SUITE is the folder of the story files. ROUNDS moments of every game are recorded,
one JSON line each. Wants the packages jericho and spacy, and spaCy's model en_core_web_sm.
"""
import json
import os
import random
import sys

from jericho import FrotzEnv

GAMES = """905.z5 acorncourt.z5 afflicted.z8 balances.z5 dragon.z5 jewel.z5 library.z5
omniquest.z5 reverb.z5 snacktime.z8 zenon.z5 zork1.z5 zork2.z5 zork3.z5 detective.z5
night.z5 pentari.z5 weapon.z5 huntdark.z5 loose.z5""".split()


def main(suite, rounds, seed):
    draw = random.Random(seed)
    for _ in range(rounds):
        for game in GAMES:
            env = FrotzEnv(os.path.join(suite, game))
            env.reset()
            walkthrough = env.get_walkthrough()
            step = int(draw.random() * len(walkthrough))
            for action in walkthrough[:step]:
                env.step(action)
            valid = env.get_valid_actions(use_parallel=False)
            print(json.dumps({"game": game.split(".")[0], "step": step, "valid": valid}), flush=True)
            env.close()


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
