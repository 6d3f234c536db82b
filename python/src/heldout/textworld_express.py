"""TALES' TextWorldExpress games. Needs textworld-express, and Java.

    pip install textworld-express
    heldout run --env "exec:python -m heldout.textworld_express" --model vllm:NAME --base-url http://HOST:8000/v1

>>> from heldout.textworld_express import Express
>>> run = heldout.evaluate("vllm:my-model", Express(), base_url="http://localhost:8000/v1")
"""

# pyright: reportMissingImports=false, reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportAttributeAccessIssue=false
# The package has no types.

from __future__ import annotations

import argparse
import importlib.metadata
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ._errors import MissingPackage, UsageError
from ._tales import SEEDS, Moment, TalesGames, play

try:
    import textworld_express
    from textworld_express.constants import JAR_PATH
except ImportError:
    raise MissingPackage("heldout.textworld_express needs it: pip install textworld-express") from None

_SMALL = "numLocations=1, numDistractorItems=5, limitInventorySize=0"
# TALES' games: the game of TextWorldExpress, and its parameters.
GAMES = {
    "CookingWorld": ("cookingworld", f"{_SMALL}, numIngredients=2, includeDoors=0"),
    "TextWorldCommonsense": ("twc", "numLocations=1, numItemsToPutAway=1, includeDoors=0, limitInventorySize=0"),
    "CoinCollector": ("coin", _SMALL),
    "Arithmetic": ("arithmetic", ""),
    "MapReader": (
        "mapreader",
        "numLocations=2, maxDistanceApart=1, maxDistractorItemsPerLocation=2, includeDoors=0, limitInventorySize=0",
    ),
    "Sorting": ("sorting", ""),
    **{
        f"SimonSays{length}": ("simonsays", f"gameLength={length}, numDistractors=4, memorization=0")
        for length in (10, 50, 100)
    },
    **{
        f"SimonSaysWithMemory{length}{'Verbose' * verbose}": (
            "simonsays",
            f"gameLength={length}, numDistractors=4, memorization=1, verbose={verbose}",
        )
        for verbose in (0, 1)
        for length in (10, 50, 100)
    },
    "PeckingOrder": ("peckingorder", ""),
}


class Express(TalesGames):
    """TALES' 16 TextWorldExpress games. A seed chooses one of the 1,000 games of a test set."""

    name = "textworld-express"
    instruction = (
        "You play a text game that tells you its task. Write one command at a time, such as look around, inventory, "
        "open fridge, take coin, move north, put plate in cupboard or read map."
    )

    def __init__(self, games: Iterable[str] = GAMES, seeds: Iterable[int] = SEEDS) -> None:
        self.version = importlib.metadata.version("textworld-express")
        games = list(games)
        for game in games:
            if game not in GAMES:
                raise UsageError(f"unknown game {game!r}; there are: {', '.join(GAMES)}")
        if not shutil.which("java"):
            raise MissingPackage("heldout.textworld_express needs Java 8 or later, and there is no java on the PATH")
        rules = [repr(GAMES[game]).encode() for game in games]
        super().__init__([f"TWX{game}" for game in games], list(seeds), [*rules, Path(JAR_PATH).read_bytes()])

    def begin(self, game: str, seed: int) -> Moment:
        self._game = GAMES[game.removeprefix("TWX")]
        endless: Any = float("inf")
        self._env: Any = textworld_express.TextWorldExpressEnv(envStepLimit=endless)  # a Java process
        seeds = self._env.getValidSeedsTest()
        self._seed = seeds[seed % len(seeds)]
        return self.again()

    def again(self) -> Moment:
        game, parameters = self._game
        observation, info = self._env.reset(
            seed=self._seed, gameFold="test", gameName=game, gameParams=parameters, generateGoldPath=True
        )
        return _moment(info["taskDescription"] + "\n\n" + observation, False, info)

    def act(self, action: str) -> Moment:
        observation, _, done, info = self._env.step(action)
        return _moment(observation, done, info)

    def highest(self) -> int:
        return 100

    def walkthrough(self) -> list[str]:
        return list(self._env.getGoldActionSequence())

    def close(self) -> None:
        if "_env" in vars(self):
            self._env.close()


def _moment(observation: str, done: bool, info: dict[str, Any]) -> Moment:
    return Moment(observation, int(info["score"] * 100), done, bool(info["tasksuccess"]), info["validActions"])


def _main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m heldout.textworld_express", description="Plays TALES' TextWorldExpress games."
    )
    parser.add_argument("--games", nargs="+", default=GAMES, metavar="GAME", help="default: all 16")
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS, help="TALES' game seeds; default: its five")
    given = parser.parse_args()
    play(lambda: Express(given.games, given.seeds))


if __name__ == "__main__":
    _main()
