"""Types of a Python function that plays as a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict


class Message(TypedDict):
    """One message of a conversation."""

    role: str
    content: str


class Sampling(TypedDict, total=False):
    """Sampling settings of a batch of requests. `seeds` has one seed for each conversation.

    A policy may ignore `stop`, because heldout cuts replies there.
    """

    temperature: float
    top_p: float
    max_tokens: int
    stop: list[str]
    seeds: list[int]


Policy = Callable[[list[list[Message]], Sampling], list[str]]
"""Takes conversations, or texts that a base model continues, and returns the model's reply to each, in order."""
