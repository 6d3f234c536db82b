"""make and make_vec, which load Gymnasium only when they are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .gymnasium import Env, VecEnv


def make(env: str, *, split: str | None = None, **options: Any) -> Env:
    """Returns an environment as a `gymnasium.Env`, in a process of its own.

    `options` are the flags of `heldout serve`, with `_` for `-`: `data`, `reward`, `actions`, `max_steps`, `perturb`, …

    >>> env = heldout.make("pddl", max_steps=5)
    >>> text, info = env.reset(seed=1)
    >>> env.close()
    """
    from .gymnasium import Env

    return Env(env, split=split, **options)


def make_vec(env: str, num_envs: int, *, split: str | None = None, **options: Any) -> VecEnv:
    """Returns many environments as a `gymnasium.vector.VectorEnv`, which step in one exchange with one process."""
    from .gymnasium import VecEnv

    return VecEnv(env, num_envs, split=split, **options)
