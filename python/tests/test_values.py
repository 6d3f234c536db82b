"""Whatever Python calls a number, a truth value, a text or a list, in answers of environments and in keywords."""

import json
import math
import random

import pytest

numpy = pytest.importorskip("numpy", reason="pip install numpy")

import heldout  # noqa: E402
from heldout import _values as values  # noqa: E402
from heldout.environment import Environment, Start, Step  # noqa: E402

NUMBERS = sorted({t for t in numpy.sctypeDict.values() if issubclass(t, (numpy.number, numpy.bool))}, key=str)
REAL = [t for t in NUMBERS if not issubclass(t, numpy.complexfloating)]


def test_numbers():
    """A number of any type of numpy is its value, and what is none is refused with its field and its type."""
    draw = random.Random(67)
    for _ in range(2000):
        kind = draw.choice(NUMBERS)
        plain = draw.choice([0, 1, 2, 7, 100, 0.5, 0.25, -1, -3.5, math.nan, math.inf])
        whole = math.isfinite(plain) and plain == int(plain)
        if issubclass(kind, (numpy.integer, numpy.bool)) and not (whole and plain >= 0):
            continue
        want = bool(plain) if kind is numpy.bool else plain
        for value in (kind(plain), numpy.array(kind(plain)), numpy.array([kind(plain)])):
            if kind not in REAL or not math.isfinite(plain):
                with pytest.raises(heldout.UsageError, match=r"^share is .*; want a (finite )?number$"):
                    values.number("share", value)
                continue
            assert values.number("share", value) == want
            if want in (0, 1):
                assert values.boolean("done", value) is bool(want)
            else:
                with pytest.raises(heldout.UsageError, match="^done is .*; want True or False$"):
                    values.boolean("done", value)
            if value.shape == ():
                assert json.loads(json.dumps(values.plain("info", value))) == want


def test_lists():
    """Arrays of any shape and type are lists in JSON, and those of one dimension lists of texts or numbers."""
    draw = random.Random(67)
    for _ in range(500):
        shape = [draw.randint(0, 3) for _ in range(draw.randint(1, 3))]
        array = (numpy.arange(math.prod(shape)) % 2).reshape(shape).astype(draw.choice(REAL))
        assert json.loads(json.dumps(values.plain("info", {"a": array}))) == {"a": array.tolist()}
        if len(shape) == 1:
            assert values.items("actions", array) == array.tolist()
        else:
            with pytest.raises(heldout.UsageError, match="^actions is .*; want a list$"):
                values.items("actions", array)
    words = ["go", "no\u0308rd", ""]
    for given in (numpy.array(words), numpy.array(words, dtype=object), [numpy.str_(w) for w in words], iter(words)):
        assert values.texts("actions", given) == words


class Counted(Environment):
    """Answers in numpy's types alone."""

    name, version, step_limit = numpy.str_("counted"), "1", numpy.int64(4)
    instruction = numpy.str_("Say go.")
    actions = numpy.array(["go"])

    def tasks(self):
        return [(numpy.str_(f"t{i}"), numpy.str_("t")) for i in numpy.arange(2)]

    def start(self, task, seed):
        self.steps = numpy.int32(0)
        return Start(numpy.str_("Here."), goal=numpy.str_("Go on."))

    def step(self, action):
        self.steps += 1
        over = self.steps == 3
        return Step(numpy.str_("On."), done=over, success=over, valid=numpy.True_)

    def valid_actions(self):
        return numpy.array(["go"])

    def expert(self):
        return numpy.str_("go")


def test_environment(tmp_path):
    """No episode is lost for numpy's types, in answers or in keywords."""
    given = {"seeds": numpy.arange(2), "step_limit": numpy.int64(4)}
    run = heldout.evaluate(["expert", "random"], Counted(), out=tmp_path / "run", progress=numpy.False_, **given)
    episodes = list(heldout.episodes(run.run))
    assert [(e["model"], e["steps"], e["success"]) for e in sorted(episodes, key=lambda e: e["model"])] == [
        (model, 3, True) for model, seeds in (("expert", 1), ("random", 2)) for _ in range(2 * seeds)
    ]
