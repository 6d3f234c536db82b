"""Gymnasium environments. Needs gymnasium 1.1 or newer.

Importing this module registers `heldout/alfworld-v0` and so on:

>>> import gymnasium, heldout.gymnasium
>>> env = gymnasium.make("heldout/pddl-v0")
>>> text, info = env.reset(seed=3)
>>> text, reward, terminated, truncated, info = env.step("look around")
>>> env.close()
"""

from __future__ import annotations

import copy
import multiprocessing
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast, overload

import gymnasium
import numpy
from gymnasium.spaces import Text
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import (
    batch_space,
    create_shared_memory,  # pyright: ignore[reportUnknownVariableType]
    read_from_shared_memory,
    write_to_shared_memory,
)
from numpy.typing import NDArray

from ._dialogue import name_of
from ._errors import StepError, UsageError
from ._pool import Pool, Reset, Result, checked_reset
from ._threads import in_thread
from ._values import items, whole

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import PoolOptions

NAMES = ("alfworld", "babyai", "hotpotqa", "jericho", "pddl", "sciworld")

_KINDS = {"text": None, "task_id": None, "progress": float, "success": bool, "valid": bool, "truncated": bool}
_ENDS = {"task_id", "index", "seed"}  # each of them chooses the task of a reset


class AnyText(Text):
    """Texts of any characters up to a length. Samples are letters and digits."""

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and self.min_length <= len(x) <= self.max_length

    def __repr__(self) -> str:
        return f"AnyText({self.min_length}, {self.max_length})"


# The shared memory of AsyncVectorEnv has a place for each text: the number of its bytes in UTF-8, and the bytes. For
# other texts, Gymnasium's has numbers of the characters of their set, and AnyText has no set.
_HEAD = 8  # bytes of that number


def _place(space: AnyText) -> int:
    return _HEAD + 4 * space.max_length  # a character has 4 bytes at most


@create_shared_memory.register(AnyText)
def _create_shared(space: AnyText, n: int = 1, ctx: Any = multiprocessing) -> Any:
    return ctx.Array("c", n * _place(space))


@write_to_shared_memory.register(AnyText)
def _write_shared(space: AnyText, index: int, value: str, shared_memory: Any) -> None:
    text = value.encode("utf-8", "surrogatepass")
    start = index * _place(space)
    memory = memoryview(shared_memory.get_obj()).cast("B")
    memory[start : start + _HEAD + len(text)] = len(text).to_bytes(_HEAD, "little") + text


class _Shared(Sequence[str]):
    """The texts that are in the memory now. AsyncVectorEnv asks for them once, and gives copies, which are tuples."""

    def __init__(self, space: AnyText, shared_memory: Any, n: int = 1) -> None:
        self._memory, self._place, self._count = shared_memory.get_obj(), _place(space), n

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(self._count)))
        memory = memoryview(self._memory).cast("B")
        start = range(self._count)[index] * self._place
        first = start + _HEAD
        size = int.from_bytes(memory[start:first], "little")
        return bytes(memory[first : first + size]).decode("utf-8", "surrogatepass")

    def __deepcopy__(self, memo: dict[int, Any]) -> tuple[str, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        return repr(tuple(self))


@read_from_shared_memory.register(AnyText)
def _read_shared(space: AnyText, shared_memory: Any, n: int = 1) -> Any:
    return _Shared(space, shared_memory, n)


OBSERVATIONS = AnyText(1 << 18, min_length=0)
ACTIONS = AnyText(4096, min_length=0)


class Env(gymnasium.Env[str, str]):
    """One session. Observations are texts; `info` has the other fields of the observation.

    `mount` and `options` are those of `heldout.Pool`. `reset` takes the options `task_id`, `split` with `index`,
    `step_limit` and `actions`. Without a task, the random numbers of this object choose one.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self, mount: str, *, pool: Pool | None = None, render_mode: str | None = None, **options: Unpack[PoolOptions]
    ) -> None:
        self.observation_space, self.action_space = OBSERVATIONS, ACTIONS
        self.render_mode = render_mode
        self._own = None if pool else Pool(mount, **options)
        self._session = (pool or self._own or Pool()).open(name_of(mount))[0]
        self._text = ""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        super().reset(seed=seed)
        return self._begun(self._session.reset(**_choice(options, self.np_random)))

    async def areset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Does what `reset` does without blocking the event loop."""
        super().reset(seed=seed)
        return self._begun(await self._session.areset(**_choice(options, self.np_random)))

    def _begun(self, result: Result) -> tuple[str, dict[str, Any]]:
        self._text = result.text
        return self._text, _info(result)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        return self._gone_on(self._session.step(action))

    async def astep(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Does what `step` does without blocking the event loop."""
        return self._gone_on(await self._session.astep(action))

    def _gone_on(self, result: Result) -> tuple[str, float, bool, bool, dict[str, Any]]:
        self._text = result.text
        truncated = result.observation["truncated"]
        return self._text, result.reward, result.done and not truncated, truncated, _info(result)

    def render(self) -> Any:
        return self._text if self.render_mode == "ansi" else None

    def __deepcopy__(self, memo: dict[int, Any]) -> Env:
        """Returns a fork. It continues from the present step, and lives as long as the environment it was made from."""
        fork = copy.copy(self)
        memo[id(self)] = fork
        fork._own, fork._session = None, self._session.fork()[0]
        fork._np_random = copy.deepcopy(self._np_random, memo)
        return fork

    def close(self) -> None:
        if self._own is not None:
            self._own.close()
        else:
            self._session.close()


class VecEnv(VectorEnv[tuple[str, ...], Sequence[str], NDArray[Any]]):
    """Many sessions of one process, which step in one exchange.

    `autoreset_mode` says when a finished session is reset: in the next step, in the same step, or never. In the same
    step, its last observation is in `infos["final_obs"]`.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        mount: str,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **options: Unpack[PoolOptions],
    ) -> None:
        num_envs = whole("num_envs", num_envs)
        if num_envs < 1:
            raise UsageError(f"num_envs is {num_envs}, want at least 1")
        self.num_envs, self.render_mode = num_envs, render_mode
        self._mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self._mode}
        self.single_observation_space, self.single_action_space = OBSERVATIONS, ACTIONS
        self.observation_space, self.action_space = batch_space(OBSERVATIONS, num_envs), batch_space(ACTIONS, num_envs)
        self._pool = Pool(mount, **options)
        self._sessions = self._pool.open(name_of(mount), num_envs)
        self._over = numpy.zeros(num_envs, dtype=bool)
        self._options: dict[str, Any] = {}
        self._texts: list[str] = [""] * num_envs

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[tuple[str, ...], dict[str, Any]]:
        options = dict(options or {})
        chosen = options.pop("reset_mask", None)
        mask = numpy.ones(self.num_envs, dtype=bool) if chosen is None else numpy.asarray(chosen, dtype=bool)
        self._options = options
        seeds: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if seed is None or getattr(seed, "ndim", 0) == 0 and not isinstance(seed, (list, tuple)):
            super().reset(seed=None if seed is None else whole("seed", seed))
        else:
            given = items("seed", seed)
            if len(given) != self.num_envs:
                raise UsageError(f"there are {len(given)} seeds, and {self.num_envs} environments")
            seeds = [{} if one is None else {"seed": one} for one in given]
        which: list[int] = numpy.flatnonzero(mask).tolist()
        results = self._send([(i, _choice({**seeds[i], **options}, self.np_random)) for i in which])
        infos = self._take(which, results, {})
        self._over[which] = False
        return tuple(self._texts), infos

    def step(
        self, actions: Sequence[str]
    ) -> tuple[tuple[str, ...], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        over = self._over.copy()
        if self._mode is AutoresetMode.DISABLED and over.any():
            raise StepError("a finished environment needs reset, with options={'reset_mask': …}")
        which = range(self.num_envs)
        results = self._send([(i, self._again() if over[i] else actions[i]) for i in which])
        rewards = numpy.array([result.reward for result in results])
        truncated = numpy.array([result.observation["truncated"] for result in results], dtype=bool)
        done = numpy.array([result.done for result in results], dtype=bool)
        self._over = done.copy()
        if self._mode is AutoresetMode.SAME_STEP and done.any():
            infos = self._start_again(numpy.flatnonzero(done).tolist(), results)
        else:
            infos = self._take(which, results, {})
        return tuple(self._texts), rewards, done & ~truncated, truncated, infos

    def _start_again(self, which: list[int], ended: list[Result]) -> dict[str, Any]:
        """Resets finished sessions in the same step."""
        infos: dict[str, Any] = {}
        for i in which:
            final = {"final_obs": ended[i].text, "final_info": _info(ended[i])}
            infos = self._add_info(infos, final, i)
        results = list(ended)
        for i, result in zip(which, self._send([(i, self._again()) for i in which])):
            results[i] = result
        self._over[:] = False
        return self._take(range(self.num_envs), results, infos)

    def _again(self) -> Reset:
        return _choice({k: v for k, v in self._options.items() if k not in _ENDS}, self.np_random)

    def _send(self, entries: Sequence[tuple[int, str | Reset]]) -> list[Result]:
        results = self._pool.step([(self._sessions[i], what) for i, what in entries])
        for (i, _), result in zip(entries, results):
            if result.error is not None:
                raise StepError(f"environment {i}: {result.error}")
        return results

    def _take(self, which: Sequence[int], results: list[Result], infos: dict[str, Any]) -> dict[str, Any]:
        """Stores the texts of some environments and adds the other fields to the infos, column by column."""
        mask = numpy.zeros(self.num_envs, dtype=bool)
        mask[which] = True
        for key, kind in _KINDS.items():
            column = numpy.zeros(self.num_envs, dtype=kind) if kind else numpy.full(self.num_envs, None)
            column[which] = [_info(result)[key] for result in results]
            infos[key], infos["_" + key] = column, mask.copy()
        for i, result in zip(which, results):
            self._texts[i] = result.text
            if len(result.observation) > len(_KINDS):
                more = {key: value for key, value in result.observation.items() if key not in _KINDS}
                infos = self._add_info(infos, more, i)
        return infos

    async def areset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[tuple[str, ...], dict[str, Any]]:
        """Does what `reset` does without blocking the event loop."""
        return await in_thread(self.reset, seed=seed, options=options)

    async def astep(
        self, actions: Sequence[str]
    ) -> tuple[tuple[str, ...], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Does what `step` does without blocking the event loop."""
        return await in_thread(self.step, actions)

    def render(self) -> tuple[str, ...] | None:
        return tuple(self._texts) if self.render_mode == "ansi" else None

    def close_extras(self, **_: Any) -> None:
        self._pool.close()


def _info(result: Result) -> dict[str, Any]:
    return cast("dict[str, Any]", result.observation)


def _choice(options: dict[str, Any] | None, random: numpy.random.Generator) -> Reset:
    chosen = checked_reset(options or {})
    if not _ENDS & chosen.keys():
        chosen["seed"] = int(random.integers(2**31))
    return chosen


for _env in NAMES:
    gymnasium.register(  # pyright: ignore[reportUnknownMemberType]
        f"heldout/{_env}-v0",
        entry_point="heldout.gymnasium:Env",
        vector_entry_point="heldout.gymnasium:VecEnv",
        kwargs={"mount": _env},
    )
