"""Groups of steps that begin in one state, as group-in-group policy optimization (GiGPO) compares them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence


def groups(keys: Iterable[Hashable]) -> list[int]:
    """Numbers steps by the state that they begin in: equal keys, such as `state_key`, have one number.

    Numbers count from 0 in the order in which keys first appear.

    >>> heldout.gigpo.groups(["a", "b", "a", "c", "b"])
    [0, 1, 0, 2, 1]
    """
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def advantages(keys: Sequence[Hashable], returns: Sequence[float], *, scale: bool = True) -> list[float]:
    """Compares the return of each step with the mean of its group, in units of the group's standard deviation.

    `returns` are discounted returns from each step on. A step that is alone in its state has the advantage 0. Without
    `scale`, differences are not divided by the deviation.

    >>> heldout.gigpo.advantages(["a", "b", "a"], [1.0, 5.0, 0.0], scale=False)
    [0.5, 0.0, -0.5]
    """
    if len(keys) != len(returns):
        raise ValueError(f"there are {len(keys)} keys and {len(returns)} returns")
    numbers = groups(keys)
    members: dict[int, list[float]] = {}
    for number, value in zip(numbers, returns):
        members.setdefault(number, []).append(value)
    found: list[float] = []
    for number, value in zip(numbers, returns):
        values = members[number]
        mean = sum(values) / len(values)
        deviation = (sum((other - mean) ** 2 for other in values) / len(values)) ** 0.5
        found.append((value - mean) / (deviation if scale and deviation > 0 else 1.0))
    return found
