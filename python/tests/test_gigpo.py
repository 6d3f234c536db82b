import os
import subprocess
import sys
from pathlib import Path

import pytest

import heldout
import heldout.gigpo


def test_groups_of_one_state(pool):
    """Two ways to one state meet in one group, and a state of another task is not in it."""
    sessions = pool.open(count=3)
    keys = [r.observation["state_key"] for r in pool.step([(s, {"index": i // 2, "keys": True})
                                                             for i, s in enumerate(sessions)])]
    numbers = heldout.gigpo.groups(keys)
    assert numbers == [0, 0, 1]


def test_advantages():
    keys, returns = ["a", "a", "b", "c", "c", "c"], [1.0, 0.0, 9.0, 2.0, 2.0, 2.0]
    assert heldout.gigpo.advantages(keys, returns) == [1.0, -1.0, 0.0, 0.0, 0.0, 0.0]
    assert heldout.gigpo.advantages(keys, returns, scale=False)[:2] == [0.5, -0.5]
    with pytest.raises(ValueError, match="1 keys and 2 returns"):
        heldout.gigpo.advantages(["a"], [1.0, 2.0])


def test_the_example_learns():
    """Advantages of states make the example learn no slower than those of episodes alone."""
    script = Path(__file__).resolve().parents[2] / "examples/gigpo_groups.py"
    source = str(Path(heldout.__file__).parents[1])
    run = subprocess.run([sys.executable, script, "--env", "pddl", "--steps", "30", "--iterations", "16", "--seeds", "2"],
                         env={**os.environ, "PYTHONPATH": source}, capture_output=True, text=True, check=True)
    plain, states = (list(map(int, line.split("%:")[1].split("last")[0].split())) for line in run.stdout.splitlines())
    assert sum(states) >= sum(plain) and states[-1] > states[0]
