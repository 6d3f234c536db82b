"""Measures a step of frotz's dumb terminal: the walkthroughs of the 20 games, starts apart.

    python frotz.py DFROTZ SUITE BINDINGS.json ROUNDS
    go test ./envs/jericho -run '^$' -bench Walkthrough -benchtime 1s

SUITE is the folder of the story files. The fastest round counts, by the processor's time.
The terminal is small, since frotz draws all of it in each step. What an instruction costs is
the slope over the games, with the instructions that the benchmark reports.
"""
import json
import os
import resource
import subprocess
import sys

dfrotz, suite, bindings, rounds = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
# What Jericho types before the first command.
intros = {"jewel": "bypass\nyes\n", "library": "\n", "snacktime": "\n", "loose": "\n", "huntdark": "\n\n"}


def spent():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def play(story, seed, typed):
    began = spent()
    command = [dfrotz, "-m", "-p", "-w", "80", "-h", "10", "-s", str(seed), story]
    subprocess.run(command, input=typed.encode(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return spent() - began


with open(bindings) as f:
    games = json.load(f)["games"]
for file in sorted(os.listdir(suite)):
    name = file.split(".")[0]
    if name not in games:
        continue
    game, story, intro = games[name], os.path.join(suite, file), intros.get(name, "")
    actions = game["walkthrough"].split("/")
    start = min(play(story, game["seed"], intro) for _ in range(rounds))
    whole = min(play(story, game["seed"], intro + "\n".join(actions) + "\n") for _ in range(rounds))
    print(f"{name} {(whole - start) / len(actions) * 1e6:.1f} µs/step", flush=True)
