"""TALES' TextWorld and TextWorldExpress games, where their packages are."""

import copy
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import heldout
from heldout._tales import Moment, TalesGames

QUIET = {"progress": False}


class Cliff(TalesGames):
    """A game of three points: each step on is a point, a jump ends it, and three points win it."""

    name, version, instruction = "cliff", "1", "You walk."

    def begin(self, game, seed):
        self.place = f"{game} {seed}"
        return self.again()

    def again(self):
        self.points = 0
        return Moment(f"You are on the {self.place}.", 0, False, False, ["on", "jump"])

    def act(self, action):
        self.points += action == "on"
        self.points -= 2 * (action == "jump")
        done = self.points == 3 or action == "jump"
        return Moment(f"You {action}.", self.points, done, self.points == 3, ["on"] if done else ["on", "jump"])

    def highest(self):
        return 3

    def walkthrough(self):
        return ["on", "on", "on"]


def test_rules(tmp_path):
    """A lost game starts again, the best score counts, and a win with the highest score ends the episode."""
    game = copy.copy(Cliff(["cliff"], [7, 8], []))
    assert game.tasks() == [("cliff-7", "cliff"), ("cliff-8", "cliff")]
    assert game.start("cliff-7", 0).observation == "You are on the cliff 7."
    steps = [game.step(action) for action in ["on", "fly", "jump", "on", "on", "on"]]
    assert [round(3 * s.progress) for s in steps] == [1, 1, 1, 1, 2, 3]
    assert [s.valid for s in steps] == [True, False, True, True, True, True]
    assert [(s.done, s.success) for s in steps] == [(False, False)] * 5 + [(True, True)]
    assert steps[2].observation == "You jump.\n\n-= Restarting =-\nYou are on the cliff 7."
    assert Cliff(["cliff"], [7], []).hash != Cliff(["cliff"], [8], []).hash != Cliff(["cliff"], [8], [b"x"]).hash
    run = heldout.evaluate("expert", Cliff(["cliff"], [7], []), out=tmp_path / "run", **QUIET)
    assert run.metrics()["heldout/exec:cliff/success"] == 1


@pytest.fixture(scope="module")
def cooking(tmp_path_factory):
    """A folder of games like that of TALES: two of the first level, one of the second."""
    pytest.importorskip("textworld", reason="needs TextWorld: pip install textworld")
    root = tmp_path_factory.mktemp("cooking")
    make = Path(sys.executable).parent / "tw-make"
    for level, seed in [(1, 1), (1, 2), (2, 3)]:
        game = root / f"difficulty_level_{level}" / f"game-{seed}.z8"
        args = ["--recipe", str(level), "--take", str(level), "--go", "1", "--open", "--drop", "--seed", str(seed)]
        done = subprocess.run([make, "tw-cooking", *args, "--output", game], capture_output=True, text=True)
        assert game.exists(), done.stderr
    return root


def replay(game, task, again):
    """Plays an episode of random actions, and compares it with the package's own answers."""
    draw, world = random.Random(3), copy.copy(game)
    assert world.start(task, 0).observation == again()[0]
    for _ in range(game.step_limit):
        action = draw.choice([*world.valid_actions(), "dance"])
        step, (text, progress, done) = world.step(action), again(action)
        assert (step.observation, step.progress, step.done) == (text, progress, done)
        if done:
            break
    world.close()


def test_textworld(cooking):
    """The texts and scores are those of the package, and seeds choose files by their order."""
    import textworld

    from heldout.textworld import Cooking

    game = Cooking(cooking, levels=[1, 2], seeds=[4, 5])
    assert [task for task, _ in game.tasks()] == [f"TWCookingLevel{level}-{seed}" for level in (1, 2) for seed in (4, 5)]
    file = cooking / "difficulty_level_1" / "game-2.z8"  # the second of two, as 5 is odd
    env = textworld.start(str(file), textworld.EnvInfos(score=True, max_score=True, won=True, feedback=True))
    best = 0

    def again(action=None):
        nonlocal best
        if action is None:
            return env.reset()["feedback"], 0.0, False
        state, _, done = env.step(action)
        best, text = max(best, state["score"]), state["feedback"]
        won = done and state["won"] and best == state["max_score"]
        if done and not won:
            text += "\n\n-= Restarting =-\n" + env.reset()["feedback"]
        return text, best / state["max_score"], won

    replay(game, "TWCookingLevel1-5", again)
    env.close()


def test_textworld_program(cooking, tmp_path):
    """The program plays on the command line: the expert wins, and what is missing is said."""
    program = [sys.executable, "-m", "heldout.textworld", str(cooking)]
    with pytest.raises(heldout.Error, match="no games of level 3: .*difficulty_level_3 has no .z8 file"):
        heldout.evaluate("expert", "exec:" + " ".join(program), out=tmp_path / "none", **QUIET)
    play = "exec:" + " ".join([*program, "--levels", "1", "2", "--seeds", "1", "2"])
    run = heldout.evaluate("expert", play, out=tmp_path / "run", **QUIET)
    assert run.metrics()["heldout/exec:textworld/success"] == 1
    assert sorted(e["task"] for e in heldout.episodes(run.run)) == [
        f"TWCookingLevel{level}-{seed}" for level in (1, 2) for seed in (1, 2)
    ]
    assert "outside of heldout" in str(run)


@pytest.fixture(scope="module")
def express():
    pytest.importorskip("textworld_express", reason="needs TextWorldExpress: pip install textworld-express")
    if not shutil.which("java"):
        pytest.skip("TextWorldExpress needs Java: install a package such as default-jre-headless")
    from heldout import textworld_express

    return textworld_express


def test_express(express):
    """The texts and scores are those of the package, for the seeds of its test set."""
    import textworld_express as twx

    env = twx.TextWorldExpressEnv(envStepLimit=10**9)
    best = 0.0

    def again(action=None):
        nonlocal best
        reset = {"seed": 20061, "gameFold": "test", "gameName": "mapreader", "generateGoldPath": True}
        rules = "numLocations=2,maxDistanceApart=1,maxDistractorItemsPerLocation=2,includeDoors=0,limitInventorySize=0"
        if action is None:
            text, info = env.reset(gameParams=rules, **reset)
            return info["taskDescription"] + "\n\n" + text, 0.0, False
        text, _, done, info = env.step(action)
        best, won = max(best, int(info["score"] * 100)), info["tasksuccess"]
        if done and not won:
            text += "\n\n-= Restarting =-\n" + again()[0]
        return text, best / 100, done and won

    replay(express.Express(["MapReader"]), "TWXMapReader-202411061", again)
    env.close()


def test_express_games(express, tmp_path, monkeypatch):
    """All 16 games are there, and the expert solves them through the door."""
    assert len(express.Express().tasks()) == 16 * 5
    run = heldout.evaluate("expert", express.Express(["CoinCollector", "SimonSays10"], [1]), out=tmp_path / "r", **QUIET)
    assert run.metrics()["heldout/exec:textworld-express/success"] == 1
    with pytest.raises(heldout.UsageError, match="unknown game 'Chess'; there are: CookingWorld, "):
        express.Express(["Chess"])
    monkeypatch.setitem(os.environ, "PATH", str(tmp_path))
    with pytest.raises(heldout.MissingPackage, match="needs Java"):
        express.Express()
