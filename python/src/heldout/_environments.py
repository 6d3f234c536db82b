"""`make` and `make_vec`, which import Gymnasium only when they are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._errors import MissingPackage

if TYPE_CHECKING:
    from gymnasium.vector import AutoresetMode
    from typing_extensions import Unpack

    from .gymnasium import Env, VecEnv
    from .options import PoolOptions


def make(env: str, *, render_mode: str | None = None, **options: Unpack[PoolOptions]) -> Env:
    """Returns an environment as a `gymnasium.Env`, in a process of its own.

    `options` are the flags of `heldout serve`, with `_` for `-`: `split`, `data`, `reward`, `step_limit`, …

    >>> env = heldout.make("pddl", step_limit=5)
    >>> text, info = env.reset(seed=1)
    >>> env.close()
    """
    _check_gymnasium("make")
    from .gymnasium import Env

    return Env(env, render_mode=render_mode, **options)


def make_vec(
    env: str,
    num_envs: int,
    *,
    autoreset_mode: AutoresetMode | str = "NextStep",
    render_mode: str | None = None,
    **options: Unpack[PoolOptions],
) -> VecEnv:
    """Returns many environments as a `gymnasium.vector.VectorEnv`, which step in one exchange with one process.

    `autoreset_mode` is "NextStep", "SameStep" or "Disabled"; `options` are those of `make`.
    """
    _check_gymnasium("make_vec")
    from .gymnasium import VecEnv

    return VecEnv(env, num_envs, autoreset_mode=autoreset_mode, render_mode=render_mode, **options)


def _check_gymnasium(name: str) -> None:
    try:
        import gymnasium  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ImportError:
        raise MissingPackage(
            f"heldout.{name} needs Gymnasium: pip install gymnasium; heldout.Pool plays without it"
        ) from None
