"""Measures a step of Jericho: the walkthroughs of the 20 games, starts apart.

    python steps.py SUITE SECONDS
    go test ./envs/jericho -run '^$' -bench Walkthrough -benchtime 1s

SUITE is the folder of the story files. Every game is played for some seconds of the
processor's time; the fastest round counts. Wants the package jericho.
"""
import os
import sys
import time
import types

sys.modules.setdefault("spacy", types.ModuleType("spacy"))  # which only lists of actions need
from jericho import FrotzEnv  # noqa: E402

suite, seconds = sys.argv[1], float(sys.argv[2])
for file in """905.z5 acorncourt.z5 afflicted.z8 balances.z5 dragon.z5 jewel.z5 library.z5 omniquest.z5
        reverb.z5 snacktime.z8 zenon.z5 zork1.z5 zork2.z5 zork3.z5 detective.z5 night.z5 pentari.z5
        weapon.z5 huntdark.z5 loose.z5""".split():
    env = FrotzEnv(os.path.join(suite, file))
    env.reset()
    actions = env.get_walkthrough()
    best = spent = 0.0
    while spent < seconds:
        env.reset()
        began = time.process_time()
        for action in actions:
            env.step(action)
        took = time.process_time() - began
        spent += took
        best = min(best or took, took)
    print(f"{file.split('.')[0]} {best / len(actions) * 1e6:.1f} µs/step", flush=True)
    env.close()
