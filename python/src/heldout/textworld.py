"""TALES' TextWorld games: cooking in ten levels. Needs textworld, and the games that TALES downloads.

    pip install textworld
    heldout run --env "exec:python -m heldout.textworld FOLDER" --model vllm:NAME --base-url http://HOST:8000/v1

FOLDER has a folder `difficulty_level_1` to `difficulty_level_10` of `.z8` files with their `.json`: it is the folder
`test` of `rl.0.2.zip`, a release of github.com/xingdi-eric-yuan/GATA-public. Where TALES has played,
`~/.cache/tales/textworld/tw-cooking/test` is one, and the default.

>>> from heldout.textworld import Cooking
>>> run = heldout.evaluate("vllm:my-model", Cooking("test"), base_url="http://localhost:8000/v1")
"""

# pyright: reportMissingImports=false, reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportAttributeAccessIssue=false
# The package has no types.

from __future__ import annotations

import argparse
import importlib.metadata
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ._errors import MissingPackage, UsageError
from ._tales import SEEDS, Moment, TalesGames, play

try:
    import textworld
except ImportError:
    raise MissingPackage("heldout.textworld needs TextWorld: pip install textworld") from None

_LEVELS = range(1, 11)


class Cooking(TalesGames):
    """TALES' TextWorld games, `TWCookingLevel1` to `TWCookingLevel10`. A seed chooses one of a level's games."""

    name = "textworld"
    instruction = (
        "You play a text game. Read a recipe, prepare its ingredients and eat the meal. Write one command at a time, "
        "such as look, inventory, go north, open fridge, take knife, cook carrot with stove, prepare meal or eat meal."
    )

    def __init__(
        self, folder: str | os.PathLike[str] = "", levels: Iterable[int] = _LEVELS, seeds: Iterable[int] = SEEDS
    ) -> None:
        self.version = importlib.metadata.version("textworld")
        root, levels, seeds = Path(folder or _cache()), list(levels), list(seeds)
        self._files = {f"TWCookingLevel{level}": sorted(root.glob(f"difficulty_level_{level}/*.z8")) for level in levels}
        for level in levels:
            if not self._files[f"TWCookingLevel{level}"]:
                raise UsageError(f"no games of level {level}: {root / f'difficulty_level_{level}'} has no .z8 file")
        played = sorted({self._file(game, seed) for game in self._files for seed in seeds})
        parts = [file.read_bytes() for game in played for file in (game, game.with_suffix(".json"))]
        super().__init__(self._files, seeds, parts)

    def begin(self, game: str, seed: int) -> Moment:
        file = str(self._file(game, seed))
        asked = textworld.EnvInfos(score=True, max_score=True, won=True, feedback=True, extras=["walkthrough"])
        self._env: Any = textworld.start(file, asked)
        # A game that is asked for commands has more blank lines in its texts, so its twin is.
        self._twin: Any = textworld.start(file, textworld.EnvInfos(admissible_commands=True))
        return self.again()

    def again(self) -> Moment:
        self._state: Any = self._env.reset()
        return self._moment(self._twin.reset(), False)

    def act(self, action: str) -> Moment:
        self._state, _, done = self._env.step(action)
        return self._moment(self._twin.step(action)[0], done)

    def highest(self) -> int:
        return int(self._state["max_score"])

    def walkthrough(self) -> list[str]:
        return list(self._state.get("extra.walkthrough") or [])

    def close(self) -> None:
        if "_env" in vars(self):
            self._env.close()
            self._twin.close()

    def _file(self, game: str, seed: int) -> Path:
        return self._files[game][seed % len(self._files[game])]

    def _moment(self, twin: Any, done: bool) -> Moment:
        state = self._state
        admissible: Sequence[str] = twin["admissible_commands"] or ()
        return Moment(state["feedback"], int(state["score"]), done, bool(state["won"]), admissible)


def _cache() -> Path:
    """Returns the folder in which TALES keeps the games."""
    home = os.environ.get("TALES_CACHE_HOME", "~/.cache/tales")
    return Path(home).expanduser() / "textworld" / "tw-cooking" / "test"


def _main() -> None:
    parser = argparse.ArgumentParser(prog="python -m heldout.textworld", description="Plays TALES' TextWorld games.")
    parser.add_argument("folder", nargs="?", default="", help="the folder test of rl.0.2.zip; else that of TALES' cache")
    parser.add_argument("--levels", nargs="+", type=int, default=_LEVELS, help="default: 1 to 10")
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS, help="TALES' game seeds; default: its five")
    given = parser.parse_args()
    play(lambda: Cooking(given.folder, given.levels, given.seeds))


if __name__ == "__main__":
    _main()
