#!/usr/bin/env python3
"""Compares the requests of TALES with those of heldout, game by game.

    compare_tales.py --python PYTHON --heldout BINARY --originals DIR --data DIR
                     [--alfworld DIR] [--unsolved] [--steps N] [--seed 1..5]
                     [GAME ...]

PYTHON is that of an environment with TALES (play_tales.py says which packages). GAME
is one of TALES' names; without any, every game of ScienceWorld, ALFWorld (unseen) and
heldout's 20 of Jericho is played. TALES plays its own solution, with other replies in
between; --unsolved is that of play_tales.py. heldout gets the same replies by the
preset tales-*. It prints a line per game: how many requests there are, if they are
equal, and the score of both. The status is 1 if there is any difference.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import compare
import fake

HERE = pathlib.Path(__file__).parent
STORIES = "jericho/z-machine-games-master/jericho-game-suite"
# top_p: heldout sends a neutral value for what the original leaves to the server.
IGNORED = {"model", "top_p"}
ALFWORLD = ["PickAndPlaceSimple", "LookAtObjInLight", "PickCleanThenPlaceInRecep", "PickHeatThenPlaceInRecep", "PickCoolThenPlaceInRecep", "PickTwoObjAndPlace"]


def settings():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("games", nargs="*", metavar="GAME")
    for name in ("python", "heldout", "originals", "data"):
        p.add_argument("--" + name, required=True)
    p.add_argument("--alfworld")
    p.add_argument("--unsolved", action="store_true")
    p.add_argument("--steps", type=int, default=100)
    p.add_argument("--seed", type=int, default=1)
    return p.parse_args()


def words(name, separator):
    """FindAnimal becomes find-animal; a number is a word of its own."""
    return re.sub(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[0-9])(?=[A-Z])", separator, name).lower()


def preset(game, seed):
    """Returns the preset's part and the task that stand for a game of TALES."""
    if game.startswith("ScienceWorld"):
        task = words(game[len("ScienceWorld"):].replace("NonLiving", "Non-Living"), "-")
        return "tales-sciworld:seed-%d" % seed, task
    if game.startswith("ALFWorld"):
        split = "unseen" if game.endswith("Unseen") else "seen"
        return "tales-alfworld:%s-%d" % (split, seed), words(game[len("ALFWorld"):-len(split)], "_")
    return "tales-jericho:seed-%d" % seed, game[len("JerichoEnv"):].lower()


def all_games(a):
    from_data = pathlib.Path(a.data) / STORIES
    stories = sorted("JerichoEnv" + f.stem.capitalize() for f in from_data.iterdir() if f.suffix.startswith(".z"))
    listed = subprocess.run([a.python, "-c", "import tales; print(*tales.envs_per_task['scienceworld'])"], capture_output=True, text=True, check=True)
    return listed.stdout.split() + ["ALFWorld%sUnseen" % t for t in ALFWORLD] + stories


def original(a, game, folder):
    command = [a.python, str(HERE / "play_tales.py"), "--game", game, "--seed", "20241106%d" % a.seed, "--walkthrough", "--steps", str(a.steps),
               "--replies", folder + "/replies.json", "--record", folder + "/original.jsonl", "--stories", str(pathlib.Path(a.data) / STORIES)]
    if a.alfworld:
        command += ["--alfworld", a.alfworld]
    if a.unsolved and game.startswith("ScienceWorld"):
        command.append("--unsolved")
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError("TALES: " + done.stderr.strip().splitlines()[-1])
    return json.loads(done.stdout.strip().splitlines()[-1])


def ours(a, game, folder, requests):
    """Has heldout play as many replies as the original, and returns its score."""
    part, task = preset(game, a.seed)
    with open(folder + "/replies.json", encoding="utf-8") as f:
        replies = json.load(f)
    with open(folder + "/ours.jsonl", "w", encoding="utf-8") as record:
        server = fake.serve(replies, record)
        command = [a.heldout, "run", "--preset", part, "--tasks", task, "--data", a.data, "--originals", a.originals, "--model", "openai:scripted",
                   "--base-url", "http://127.0.0.1:%d/v1" % server.server_address[1], "--step-limit", str(requests), "--allow-unusable",
                   "--out", folder + "/run", "--quiet", "--table", "presets", "--format", "json"]
        done = subprocess.run(command, capture_output=True, text=True)
        server.shutdown()
    if done.returncode != 0:
        raise RuntimeError("heldout: " + done.stderr.strip().splitlines()[-1])
    with open(folder + "/run/episodes.jsonl", encoding="utf-8") as f:
        return json.loads(f.readline())["score"]


def play(a, game):
    with tempfile.TemporaryDirectory() as folder:
        theirs = original(a, game, folder)
        requests = compare.read(folder + "/original.jsonl")
        score = ours(a, game, folder, len(requests))
        found = compare.compare(requests, compare.read(folder + "/ours.jsonl"), IGNORED)
        if not same_score(theirs, score):
            found.append("score %s of %s, ours %s" % (theirs["score"], theirs["of"], score))
        return len(requests), theirs, score, found


def same_score(theirs, score):
    return abs(max(0, theirs["score"]) / theirs["of"] - score) < 1e-9


def main():
    a = settings()
    failed = 0
    for game in a.games or all_games(a):
        try:
            n, theirs, score, found = play(a, game)
            print("%-50s %s; %d requests, score %s of %s, ours %.3f" % (game, "differs" if found else "equal", n, theirs["score"], theirs["of"], score), flush=True)
        except RuntimeError as e:
            found = [str(e)]
            print("%-50s not played" % game, flush=True)
        for line in found[:5]:
            print("    " + line, flush=True)
        failed += bool(found)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
