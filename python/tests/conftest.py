
import pytest

import heldout


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A finished run: expert and random on one PDDL game, two seeds."""
    out = tmp_path_factory.mktemp("runs") / "gripper"
    heldout.evaluate(["expert", "random"], "pddl", tasks="gripper", seeds=2, out=out, progress=False)
    return str(out)


@pytest.fixture()
def pool():
    with heldout.Pool("pddl") as pool:
        yield pool
