"""Environments for frameworks that exchange only messages."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any, cast

from ._errors import StepError
from ._pool import Observation, Pool, Reset, Result, Session

INSTRUCTIONS = (
    "You act in a text environment. In each turn, write one line of reasoning that starts with `Thought:` "
    "and then one line that starts with `Action:` and holds exactly one action."
)

_LONGEST = 4000  # characters of an action


def shown(observation: Observation) -> str:
    """Returns the text for a model: the goal, the observation and the available actions, as far as they are present."""
    goal, actions = observation.get("goal"), observation.get("actions")
    lines = [f"Goal: {goal}"] if goal else []
    lines.append(observation["text"])
    if actions:
        lines += ["Available actions:", *actions]
    return "\n".join(lines)


def action_of(reply: str) -> str:
    """Returns the action of a reply: the text after its last `Action:`, or the whole reply without one."""
    found = re.findall(r"^\s*Action:(.*)$", reply, re.MULTILINE)
    return (found[-1] if found else reply).strip()[-_LONGEST:]


@functools.cache
def _shared(mount: str, options: tuple[tuple[str, Any], ...]) -> Pool:
    return Pool(mount, **dict(options))


def session(mount: str, options: dict[str, Any]) -> Session:
    """Opens a session in the process shared by all sessions with these options."""
    return pool(mount, options).open(name_of(mount))[0]


def pool(mount: str, options: dict[str, Any]) -> Pool:
    """Returns the pool of that process."""
    return _shared(mount, tuple(sorted(options.items())))


def name_of(mount: str) -> str:
    """Returns the name of a mount: NAME=ENV,… or ENV,…"""
    first = mount.split(",")[0]
    return first.split("=")[0]


class Rollout:
    """One episode of a model that writes one action per turn. `reward` is the sum so far."""

    def __init__(self, mount: str, options: dict[str, Any]) -> None:
        self.session = session(mount, options)
        self.done, self.success, self.reward, self.progress = False, False, 0.0, 0.0

    def reset(self, **choice: Any) -> str:
        """Starts an episode, as `Session.reset` does, and returns the text for the model."""
        return self.reset_all([self], [choice])[0]

    def act(self, reply: str) -> str:
        """Carries out the action of a reply and returns the text for the model."""
        return self.act_all([self], [reply])[0]

    async def areset(self, **choice: Any) -> str:
        """Does what `reset` does without blocking the event loop."""
        return self._take(await self.session.areset(**choice), fresh=True)

    async def aact(self, reply: str) -> str:
        """Does what `act` does without blocking the event loop."""
        return self._take(await self.session.astep(action_of(reply)))

    @staticmethod
    def reset_all(rollouts: Sequence[Rollout], choices: Sequence[dict[str, Any]]) -> list[str]:
        """Starts many episodes in one exchange."""
        return Rollout._all(rollouts, [cast(Reset, choice) for choice in choices])

    @staticmethod
    def act_all(rollouts: Sequence[Rollout], replies: Sequence[str]) -> list[str]:
        """Carries out the actions of many episodes in one exchange."""
        return Rollout._all(rollouts, [action_of(reply) for reply in replies])

    @staticmethod
    def _all(rollouts: Sequence[Rollout], entries: Sequence[str | Reset]) -> list[str]:
        if not rollouts:
            return []
        results = rollouts[0].session.pool.step([(r.session, e) for r, e in zip(rollouts, entries)])
        return [
            rollout._take(result, fresh=not isinstance(entry, str))
            for rollout, result, entry in zip(rollouts, results, entries)
        ]

    def _take(self, result: Result, fresh: bool = False) -> str:
        if result.error is not None:
            raise StepError(result.error)
        seen = result.observation
        self.done, self.success, self.progress = result.done, seen["success"], seen["progress"]
        self.reward = result.reward if fresh else self.reward + result.reward
        return shown(seen)
