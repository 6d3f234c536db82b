"""Two different agents never share a row: who plays is part of what results are of."""

import functools
import json
import os
import random
import re
import runpy
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import heldout
from heldout import _source

LONG = os.environ.get("HELDOUT_LONG") in ("1", "all")

# An agent with everything that its source can consist of. Lines with [N] are what edits change.
AGENT = '''\
import argparse, functools, json, sys
import helpers
from helpers import shorten
import heldout
from heldout import _source

PROMPT = "Act."  # [1]
CONFIG = {"depth": 1}
CONFIG["width"] = 2  # [2]
LIMIT = 3
calls = []
count = 0

def parse(text):
    """Reads an action."""
    return text.strip()  # [3]

def unused():
    return 1  # [4]

def traced(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        return function(*arguments)  # [5]
    return wrapper

class Mind:
    style = "terse"  # [6]
    def __init__(self, depth):
        self.depth, self.turns, self.seen = depth, 0, []
    def think(self, text):
        self.turns += 1
        self.seen.append(text)
        return parse(text)[: self.depth]  # [7]

mind = Mind(4)  # [8]

def make(width):
    @traced
    def agent(conversations, sampling, size=10):  # [9]
        global count
        count += 1
        calls.append(len(conversations))
        from late import last
        said = mind.think(PROMPT) + shorten(helpers.tail("x" * width)) + last(json.dumps(CONFIG))
        return [said for _ in conversations]
    return agent

agent = make(int(ARGUMENT))  # [10]
seeds = 3  # [11]

if __name__ == "__main__":
    SOURCE = _source.of(agent)
    agent(["x"], {})  # what it remembers is no source
    assert _source.of(agent) == SOURCE
'''
FILES = {
    "helpers.py": "def shorten(text):\n    return text[:LONGEST]\n\nLONGEST = 5\n\ndef tail(text):\n    return text\n\n"
    "def other():\n    return 1\n",
    "late.py": "def last(text):\n    return text\n",
}
# Edits: the file, what is replaced, and by what.
SAME = [
    ("agent.py", "# [1]", "# another comment"),
    ("agent.py", "return 1  # [4]", "return 2"),
    ("agent.py", "seeds = 3  # [11]", "seeds = 5"),
    ("agent.py", "    return text.strip()  # [3]", "\n\n    return (text.strip())"),
    ("agent.py", "import argparse, functools", "import argparse\nimport os\nimport functools"),
    ("agent.py", 'PROMPT = "Act."  # [1]', "PROMPT = 'Act.'"),
    ("agent.py", "calls = []", "\n\n\ncalls = []"),
    ("agent.py", "LIMIT = 3", "LIMIT = 4"),
    ("helpers.py", "def other():\n    return 1", "def other():\n    return 2"),
]
OTHER = [
    ("agent.py", '"Act."', '"Act!"'),
    ("agent.py", '{"depth": 1}', '{"depth": 2}'),
    ("agent.py", '["width"] = 2', '["width"] = 3'),
    ("agent.py", "text.strip()", "text.rstrip()"),
    ("agent.py", "return function(*arguments)", "return function(*arguments) or []"),
    ("agent.py", '"terse"', '"long"'),
    ("agent.py", "[: self.depth]", "[self.depth :]"),
    ("agent.py", "Mind(4)", "Mind(5)"),
    ("agent.py", "size=10", "size=11"),
    ("agent.py", "make(int(ARGUMENT))", "make(int(ARGUMENT) + 1)"),
    ("agent.py", "ARGUMENT", "8"),
    ("helpers.py", "LONGEST = 5", "LONGEST = 6"),
    ("helpers.py", "def tail(text):\n    return text", "def tail(text):\n    return text + text"),
    ("late.py", "return text", "return text * 2"),
]


def source(folder: Path, *edits: tuple[str, str, str], argument: str = "7") -> _source.Source:
    """The source of the agent after edits, as a script that is started anew has it."""
    folder.mkdir()
    for name, text in {"agent.py": AGENT, **FILES}.items():
        for file, old, new in edits:
            assert file != name or old in text or len(edits) > 1  # of two edits of a line, the first is made
            text = text.replace(old, new) if file == name else text
        (folder / name).write_text(text)
    for module in ("helpers", "late"):
        sys.modules.pop(module, None)
    sys.path.insert(0, str(folder))
    try:
        found = runpy.run_path(str(folder / "agent.py"), {"ARGUMENT": argument}, "__main__")["SOURCE"]
    finally:
        sys.path.remove(str(folder))
    assert found.hash and not found.unseen
    return found


def test_edits(tmp_path):
    """A mended agent has another source; comments, layout and what it does not reach change nothing."""
    base = source(tmp_path / "base")
    assert {"agent", "parse", "PROMPT", "CONFIG", "Mind", "mind", "shorten", "LONGEST", "tail", "late"} <= {*base.parts}
    for i, edit in enumerate(SAME):
        assert source(tmp_path / f"same{i}", edit).hash == base.hash, edit
    for i, edit in enumerate(OTHER):
        assert source(tmp_path / f"other{i}", edit).hash != base.hash, edit
    assert source(tmp_path / "argument", argument="8").hash != base.hash
    draw = random.Random(1)
    for i in range(150 if LONG else 15):  # many edits at once
        same = draw.sample(SAME, draw.randint(0, 3))
        others = draw.sample(OTHER[:8], draw.randint(0, 2))
        edits = [e for e in same if not any(e[1] in o[1] or o[1] in e[1] for o in others)] + others
        assert (source(tmp_path / f"many{i}", *edits).hash == base.hash) == (not others), edits


KINDS = {
    "function": ("def agent(c, s):\n    return ['{}']\n", "agent", "agent"),
    "async function": ("async def agent(c, s):\n    return ['{}']\n", "agent", "agent"),
    "lambda": ("", "lambda c, s: ['{}']", "policy"),
    "one of two lambdas": ("", "[lambda c, s: [], lambda c, s: ['{}']][1]", "policy"),
    "partial": ("import functools\ndef f(what, c, s):\n    return [what]\n", "functools.partial(f, '{}')", "f"),
    "bound method": (
        "class A:\n    def __init__(self, what):\n        self.what = what\n"
        "    def go(self, c, s):\n        return [self.what]\n",
        "A('{}').go",
        "go",
    ),
    "callable": ("class A:\n    def __call__(self, c, s):\n        return ['{}']\n", "A()", "A"),
    "inherited": (
        "class B:\n    what = '{}'\n    def __call__(self, c, s):\n        return [self.what]\nclass A(B):\n    pass\n",
        "A()",
        "A",
    ),
    "dataclass": (
        "import dataclasses\n@dataclasses.dataclass\nclass A:\n    what: str\n"
        "    def __call__(self, c, s):\n        return []\n",
        "A('{}')",
        "A",
    ),
    "cached": ("import functools\n@functools.cache\ndef agent(c, s):\n    return ['{}']\n", "agent", "agent"),
    "static": ("class A:\n    @staticmethod\n    def go(c, s):\n        return ['{}']\n", "A.go", "go"),
    "class method": ("class A:\n    @classmethod\n    def go(cls, c, s):\n        return ['{}']\n", "A.go", "go"),
    "closure": ("def make(what):\n    return lambda c, s: [what]\n", "make('{}')", "policy"),
    "nested data": ("W = [dict(a=('{}', 1))]\ndef agent(c, s):\n    return W\n", "agent", "agent"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("where", ["file", "without a file"])
def test_kinds(kind, where, tmp_path):
    """Whatever can be called has a source, also where Python does not keep its text."""

    def made(what: str):
        text, expression, _ = KINDS[kind]
        code = text.replace("{}", what) + "AGENT = " + expression.replace("{}", what) + "\n"
        space = {"__name__": f"made_{len(what)}"}
        file = "<console>"
        if where == "file":
            (tmp_path / what).mkdir(exist_ok=True)
            file = str(tmp_path / what / "made.py")
            Path(file).write_text(code)
        exec(compile(code, file, "exec"), space)
        return _source.of(space["AGENT"]), _source.called(space["AGENT"])

    (one, name), (again, _), (two, _) = made("one"), made("one"), made("two")
    assert one.hash == again.hash and re.fullmatch("[0-9a-f]{64}", one.hash) and name == KINDS[kind][2]
    if (kind, where) != ("nested data", "without a file"):  # nothing shows that nothing changes the list
        assert one.hash != two.hash


def test_edited_while_it_runs(tmp_path):
    """A file that was edited after it was read is not the source of what runs."""
    file = tmp_path / "edited.py"
    file.write_text("def agent(c, s):\n    return ['one']\n")
    space = runpy.run_path(str(file))
    before = _source.of(space["agent"]).hash
    file.write_text("def agent(c, s):\n    return ['other']\n")
    after = _source.of(space["agent"]).hash  # of the code, as its text is gone
    assert after not in (before, _source.of(runpy.run_path(str(file))["agent"]).hash)


class Weights:
    """Stands for a model in process, of an installed package."""


Weights.__module__ = "torch.nn"
Weights.__init__ = functools.partialmethod(Weights.__init__)
WEIGHTS = Weights()


def test_what_does_not_show(tmp_path, capsys):
    """What has no source needs a name or a version; what does not show is said."""
    play = {"tasks": "gripper/gen0-01", "step_limit": 1}
    with pytest.raises(heldout.UsageError, match="the source of divmod is not to be had.*version, or a name"):
        heldout.evaluate(divmod, "pddl", out=tmp_path / "len", **play)
    for out, own in (("named", {"name": "mine"}), ("versioned", {"version": "1"})):
        with pytest.raises(TypeError):  # it is called
            heldout.evaluate(divmod, "pddl", out=tmp_path / out, progress=False, **own, **play)

    def agent(conversations, sampling):
        return [f"Action: look{WEIGHTS}" for _ in conversations]

    heldout.evaluate(agent, "pddl", out=tmp_path / "run", **play)
    assert "the source of agent does not show WEIGHTS (torch.Weights): say version" in capsys.readouterr().err


# A script with an agent, as its author runs it. It is killed after so many calls.
SCRIPT = '''\
import json, os, signal, sys
import heldout

options, kill = json.loads(sys.argv[1]), int(sys.argv[2])
made = 0

def parse(text):
    return "{variant}" + text  # {comment}

def agent(conversations, sampling):
    global made
    made += len(conversations)
    if kill and made > kill:
        os.kill(os.getpid(), signal.SIGKILL)
    return ["Action: " + parse(" look") for _ in conversations]

heldout.evaluate(agent, "pddl", tasks="gripper/gen0-01,gripper/gen0-02", step_limit=2, progress=False, **options)
'''


def rows(out: Path) -> dict[str, set[str]]:
    """What was played in each row of a run: of a condition but for its seed."""
    found: dict[str, set[str]] = {}
    if not (out / "run.json").exists():
        return found
    manifest = json.loads((out / "run.json").read_text())
    for group in manifest["groups"]:
        row = json.dumps({k: v for k, v in group["condition"].items() if k != "seed"}, sort_keys=True)
        for line in (out / "episodes.jsonl").read_text().splitlines():
            episode = json.loads(line)
            if episode["id"] in group["episodes"]:
                found.setdefault(row, set()).update(t["action"] for t in episode["trajectory"])
    return found


@pytest.mark.parametrize("seed", range(12 if LONG else 2))
def test_sessions_of_a_function(seed, tmp_path):
    """Start, mend, rename, sample otherwise, more seeds, another folder, a kill: no row has two agents.

    The oracle is the rule: a folder with results goes on with the same name, source or version, and sampling only.
    """
    draw = random.Random(seed)
    owners: dict[str, tuple] = {}
    results: dict[str, int] = {}
    for _ in range(8):
        folder, variant = draw.choice("aab"), draw.choice(["x", "x", "y"])
        name, version = draw.choice(["agent", "agent", "other"]), draw.choice([None, None, "1", "2"])
        temperature, seeds, kill = draw.choice([0, 0, 0.5]), draw.choice([1, 2]), draw.choice([0, 0, 3])
        out = tmp_path / folder
        script = tmp_path / "script.py"
        script.write_text(SCRIPT.replace("{variant}", variant).replace("{comment}", str(draw.random())))
        options = {"out": str(out), "name": name, "temperature": temperature, "seeds": seeds, "concurrency": 1}
        if version:
            options["version"] = version
        done = subprocess.run(
            [sys.executable, script, json.dumps(options), str(kill)], capture_output=True, text=True, timeout=300
        )
        who = (name, version or variant, temperature)
        before, now = results.get(folder, 0), len(list(heldout.episodes(out))) if (out / "run.json").exists() else 0
        refused = folder in owners and (owners[folder][:3] != who or owners[folder][3] > seeds)
        if refused:
            assert done.returncode == 1 and "another out" in done.stderr, done.stderr
            assert now == before
            continue
        assert done.returncode in (0, -signal.SIGKILL if kill else 0), done.stderr
        assert now >= before and (done.returncode or now == 2 * seeds)
        if now:
            owners[folder] = (*who, seeds)
        else:
            owners.pop(folder, None)
        results[folder] = now
        if version is None:  # with a version, its author says that it is one
            assert all(len(actions) <= 1 for actions in rows(out).values()), rows(out)


# A loop over a pool. It is killed after so many episodes, and fills a recording if it may.
LOOP = '''\
import json, os, signal, sys
import heldout

def act(text):
    return "{variant} look"  # {comment}

with heldout.Pool("pddl", tasks="gripper/gen0-01,gripper/gen0-02", step_limit=2, record={record}, **{options}) as pool:
    session, = pool.open()
    episodes = pool.left(seeds={seeds}) if {fills} else {seeds} * [{"index": 0}, {"index": 1}]
    for played, episode in enumerate(episodes):
        if played == {kill}:
            os.kill(os.getpid(), signal.SIGKILL)
        result = session.reset(**episode)
        while not result.done:
            result = session.step(act(result.text))
'''


@pytest.mark.parametrize("seed", range(12 if LONG else 2))
def test_sessions_of_a_loop(seed, tmp_path):
    """The same for recordings: the same player goes on, what is played again keeps its result, another is refused."""
    draw = random.Random(seed)
    owners: dict[str, tuple] = {}
    counts: dict[str, dict[tuple[str, int], str]] = {"a": {}, "b": {}}
    for _ in range(9):
        folder, variant = draw.choice("aab"), draw.choice(["x", "x", "y"])
        own = {"name": draw.choice(["mine", "mine", "other"])} if draw.random() < 0.7 else {}
        if draw.random() < 0.3:
            own["version"] = draw.choice(["1", "2"])
        if draw.random() < 0.2:
            own["sampling"] = {"temperature": draw.choice([0.5, 1])}
        seeds, fills, kill = draw.choice([1, 2]), draw.random() < 0.5, draw.choice([-1, -1, 1])
        script = tmp_path / draw.choice(["play.py", "play.py", "again.py"])
        text = LOOP
        for key, value in {
            "variant": variant, "comment": draw.random(), "record": repr(str(tmp_path / folder)), "options": repr(own),
            "seeds": seeds, "fills": fills, "kill": kill,
        }.items():
            text = text.replace("{" + key + "}", str(value))
        script.write_text(text)
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
        # What is in the script is its source, but for comments: here all that was replaced but the folder.
        code = own.get("version") or re.sub("#.*", "", text).replace(str(tmp_path), "")
        who = (own.get("name", script.stem), str(own.get("sampling")), code)
        run = tmp_path / folder / "pddl"
        first: dict[tuple[str, int], tuple[int, str]] = {}
        lines = list(heldout.episodes(run)) if (run / "run.json").exists() else []
        for e in lines:
            if e["outcome"] == "failure":
                key, found = (e["task"], e["seed"]), (e["attempt"], e["trajectory"][0]["action"])
                first[key] = min(first.get(key, found), found)
        found = {key: action for key, (_, action) in first.items()}
        if folder in owners and owners[folder] != who:
            assert done.returncode == 1 and "another folder" in done.stderr, (owners[folder], who, done.stderr)
            assert found == counts[folder]
            continue
        assert done.returncode in (0, -signal.SIGKILL if kill >= 0 else 0), done.stderr
        assert done.returncode or len(found) >= 2 * seeds
        assert counts[folder].items() <= found.items() and max((s for _, s in found), default=0) < 2
        assert ("goes on" in done.stderr) == bool(counts[folder])
        counts[folder] = found
        if lines:
            owners[folder] = who
        if "version" not in own:
            assert len(set(found.values())) <= 1
    for row in (rows(tmp_path / folder / "pddl") for folder in "ab"):
        assert len(row) <= 1  # one player


def test_mended(tmp_path, monkeypatch, capsys):
    """Without `out`, a mended function has a run of its own; with it, the run goes on if one says so, and is marked."""
    monkeypatch.chdir(tmp_path)
    play = {"tasks": "gripper/gen0-01,gripper/gen0-02", "step_limit": 1, "concurrency": 1}

    def versions(raises):
        def agent(conversations, sampling):
            if raises:
                raises.pop()
            return ["Action: look"] * len(conversations)

        def mended(conversations, sampling):
            return ["Action: look around"] * len(conversations)

        return agent, mended

    agent, mended = versions([1])
    one = heldout.evaluate(agent, "pddl", name="mine", **play).run
    capsys.readouterr()
    two = heldout.evaluate(mended, "pddl", name="mine", **play).run
    said = capsys.readouterr().err
    assert one != two and re.search(rf"{one} has 2 results of openai:mine as it was .*anew in {two}", said)
    assert heldout.evaluate(agent, "pddl", name="mine", **play).run == one
    heldout.evaluate(agent, "pddl", name="mine", out="run", **play)
    with pytest.raises(heldout.Error, match="source .* now source .*another out, or accept_changed_model") as refused:
        heldout.evaluate(mended, "pddl", name="mine", out="run", seeds=2, **play)
    assert "its source is that of mended" in str(refused.value)
    for seeds in (2, 3):  # accepted once, it goes on
        own = {"accept_changed_model": True} if seeds == 2 else {}
        run = heldout.evaluate(mended, "pddl", name="mine", out="run", seeds=seeds, **own, **play)
        assert re.search("mine: the player behind this name changed while\\s+run was\\s+played", str(run))
    with pytest.raises(heldout.UsageError, match="needs the out of the run"):
        heldout.evaluate(mended, "pddl", accept_changed_model=True, **play)


def test_environments_are_recorded(tmp_path):
    """`make` and `make_vec` record as pools do."""
    pytest.importorskip("gymnasium", reason="pip install gymnasium")
    for _ in range(2):
        env = heldout.make("pddl", record=tmp_path, name="one", version="1", step_limit=1)
        env.reset(seed=1)
        env.step("look around")
        env.close()
    with pytest.raises(heldout.UsageError, match="pddl is a recording of one, and this player is called three"):
        heldout.make_vec("pddl", 2, record=tmp_path, name="three", version="1")
    with pytest.raises(heldout.UsageError, match="version say who plays|version says who plays"):
        heldout.make("pddl", version="1")
    seeds = {(e["seed"], e["attempt"]) for e in heldout.episodes(tmp_path / "pddl")}
    assert seeds == {(0, 1), (0, 2)}
