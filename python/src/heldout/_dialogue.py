"""How frameworks that know only messages see an environment."""

from __future__ import annotations

import functools
import re
from typing import Any

from ._pool import Observation, Pool, Session

INSTRUCTIONS = (
    "You act in a text environment. In each turn, write one line of reasoning that starts with `Thought:` "
    "and then one line that starts with `Action:` and holds exactly one action."
)

_LONGEST = 4000  # characters of an action


def shown(observation: Observation) -> str:
    """Returns what a model is shown: the goal, what is seen, and the available actions, as far as they are there."""
    goal, actions = observation.get("goal"), observation.get("actions")
    lines = [f"Goal: {goal}"] if goal else []
    lines.append(observation["text"])
    if actions:
        lines += ["Available actions:", *actions]
    return "\n".join(lines)


def action_of(reply: str) -> str:
    """Returns the action of a reply: what follows its last `Action:`, else the reply."""
    found = re.findall(r"^\s*Action:(.*)$", reply, re.MULTILINE)
    return found[-1].strip() if found else reply.strip()[-_LONGEST:]


@functools.cache
def _shared(mount: str, options: tuple[tuple[str, Any], ...]) -> Pool:
    return Pool(mount, **dict(options))


def session(mount: str, options: dict[str, Any]) -> Session:
    """Opens a session in the process that all sessions of these options share."""
    return _shared(mount, tuple(sorted(options.items()))).open(name_of(mount))[0]


def pool(mount: str, options: dict[str, Any]) -> Pool:
    """Returns that process."""
    return _shared(mount, tuple(sorted(options.items())))


def name_of(mount: str) -> str:
    """Returns the name of a mount: NAME=ENV,… or ENV,…"""
    first = mount.split(",")[0]
    return first.split("=")[0]
