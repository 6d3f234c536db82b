"""What TALES' TextWorld and TextWorldExpress games have in common."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ._errors import Error
from .environment import Environment, Start, Step, serve

SEEDS = tuple(range(202411061, 202411066))


class Moment(NamedTuple):
    """What a game says of itself after an action."""

    observation: str
    score: int
    done: bool
    won: bool
    admissible: Sequence[str]


class TalesGames(Environment):
    """TALES' games of one kind, each with each of some seeds.

    As in TALES, a game that ends before 100 steps starts again, unless it was won with the highest score, progress is
    the best score so far, and an action is valid if the game lists it. Prompts are heldout's.
    """

    step_limit = 100
    progress = True

    def __init__(self, games: Iterable[str], seeds: Iterable[int], parts: Iterable[bytes]) -> None:
        self._tasks = [(f"{game}-{seed}", game) for game in games for seed in seeds]
        source = [inspect.getsource(sys.modules[c.__module__]).encode() for c in (TalesGames, type(self))]
        digests = [hashlib.sha256(part).digest() for part in [*source, repr(self._tasks).encode(), *parts]]
        self.hash = hashlib.sha256(b"".join(digests)).hexdigest()

    def tasks(self) -> Sequence[tuple[str, str]]:
        return self._tasks

    def start(self, task: str, seed: int) -> Start:
        game, _, game_seed = task.rpartition("-")
        self._now = self.begin(game, int(game_seed))
        self._best, self._plan = 0, self.walkthrough()
        return Start(self._now.observation, progress=0.0)

    def step(self, action: str) -> Step:
        valid = action in self._now.admissible
        self._plan = self._plan[1:] if self._plan[:1] == [action] else []
        self._now = now = self.act(action)
        self._best = max(self._best, now.score)
        progress, text = self._best / self.highest(), now.observation
        won = now.done and now.won and progress == 1
        if now.done and not won:
            self._now = self.again()
            self._plan = self.walkthrough()
            text += "\n\n-= Restarting =-\n" + self._now.observation
        return Step(text, done=won, success=won, progress=min(progress, 1.0), valid=valid)

    def valid_actions(self) -> Sequence[str]:
        return sorted(self._now.admissible)

    def expert(self) -> str:
        return next(iter(self._plan), "")

    def begin(self, game: str, seed: int) -> Moment:
        """Begins a game with a seed of TALES'."""
        raise NotImplementedError

    def again(self) -> Moment:
        """Begins the same game again."""
        raise NotImplementedError

    def act(self, action: str) -> Moment:
        """Takes an action."""
        raise NotImplementedError

    def highest(self) -> int:
        """Returns the highest score of the game."""
        raise NotImplementedError

    def walkthrough(self) -> list[str]:
        """Returns actions that win the game, or none."""
        raise NotImplementedError


def play(make: Callable[[], TalesGames]) -> None:
    """Serves games on the standard streams. What they lack is said in a line."""
    try:
        games = make()
    except Error as error:
        sys.exit(str(error))
    serve(games)
