"""`make` and `make_vec`, which import Gymnasium only when they are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .gymnasium import Env, VecEnv


def make(env: str, *, split: str | None = None, **options: Any) -> Env:
    """Returns an environment as a `gymnasium.Env`, in a process of its own.

    `options` are flags of `heldout serve`, with `_` for `-`: `data`, `reward`, `actions`, `step_limit`, `perturb`, …

    >>> env = heldout.make("pddl", step_limit=5)
    >>> text, info = env.reset(seed=1)
    >>> env.close()
    """
    from .gymnasium import Env

    return Env(env, split=split, **options)


def make_vec(env: str, num_envs: int, *, split: str | None = None, **options: Any) -> VecEnv:
    """Returns a `gymnasium.vector.VectorEnv`: one process steps all its environments in one exchange."""
    from .gymnasium import VecEnv

    return VecEnv(env, num_envs, split=split, **options)
