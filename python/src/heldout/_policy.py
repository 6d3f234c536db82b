"""What a Python function is that plays as a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict


class Message(TypedDict):
    """One message of a conversation."""

    role: str
    content: str


class Sampling(TypedDict, total=False):
    """What the requests of a batch say about sampling. `seeds` has one for each conversation.

    A policy need not look at `stop`: replies are cut there.
    """

    temperature: float
    top_p: float
    max_tokens: int
    stop: list[str]
    seeds: list[int]


Policy = Callable[[list[list[Message]], Sampling], list[str]]
"""Takes conversations and says what the model replies to each, in their order."""
