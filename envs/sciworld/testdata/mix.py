"""Measures a step of ScienceWorld: the episodes of BenchmarkMix, starts apart.

    go test ./envs/sciworld -run '^$' -bench Mix/scienceworld -args -mix-file FILE
    python mix.py FILE ROUNDS

FILE is an absolute path. The package works out with each step what is valid, so that its step is compared with
the benchmark's step and list. The time is the wall's, of Python and the JVM together: pin
both programs to the same core. The first round warms the JVM up. Wants the package
scienceworld.
"""
import json
import sys
import time

from scienceworld import ScienceWorldEnv

episodes, rounds = json.load(open(sys.argv[1])), int(sys.argv[2])
env = ScienceWorldEnv("", envStepLimit=1000)
for n in range(rounds):
    loads = steps = count = 0
    for e in episodes:
        task, variation = e["task"].rsplit("/", 1)
        began = time.perf_counter()
        env.load(task, int(variation))
        env.reset()
        loaded = time.perf_counter()
        for action in e["actions"]:
            env.step(action)
        steps += time.perf_counter() - loaded
        loads += loaded - began
        count += len(e["actions"])
    print(f"round {n}: {steps / count * 1e6:.0f} µs/step, {loads / len(episodes) * 1e6:.0f} µs/load", flush=True)
