"""Environments in process: one binary behind pipes, any number of sessions."""

from __future__ import annotations

import json
import os
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypedDict, TypeVar, cast

from ._errors import Error, ServerDied, StepError, UsageError
from ._flags import flags, renamed
from ._threads import in_thread
from ._values import boolean, items, plain, text, whole

if TYPE_CHECKING:
    import asyncio

    from typing_extensions import Unpack

    from ._child import Child
    from .options import PoolOptions

Made = TypeVar("Made")
Reward = Literal["success", "progress", "delta"]

_MOST_ENTRIES = 8192  # of one line


class _Listed(TypedDict):
    id: str
    index: int
    type: str


class Task(_Listed, total=False):
    """A task of an environment."""

    difficulty: str


class _Seen(TypedDict):
    text: str
    task_id: str
    progress: float
    success: bool
    valid: bool
    truncated: bool


class Observation(_Seen, total=False):
    """What the environment returns. Only a reset has a goal; `actions` and keys are present if requested.

    Two moments of a task with the same `state_key` continue in the same way, apart from the steps that are left.
    """

    goal: str
    actions: list[str]
    state_key: str
    observation_key: str
    steps_left: int


class Result(NamedTuple):
    """The result of a step or a reset. If it failed, `error` says why and the observation is empty."""

    observation: Observation
    reward: float
    done: bool
    error: str | None = None

    @property
    def text(self) -> str:
        """The goal, if there is one, and the text of the observation."""
        goal = self.observation.get("goal")
        return (f"Goal: {goal}\n" if goal else "") + self.observation["text"]


class Reset(TypedDict, total=False):
    """The episode to start: a task by id, by index in a split, or by a seed.

    `rollout` is its seed in a recording; without it, the rollouts of a task count from 0.
    """

    task_id: str
    split: str
    index: int
    seed: int
    step_limit: int
    max_steps: int  # earlier name of step_limit
    rollout: int
    actions: bool
    keys: bool


class Sampled(str):
    """An action with the tokens that a policy sampled and their log-probabilities. Records of the pool keep both.

    >>> with heldout.Pool("pddl") as pool:
    ...     session, = pool.open()
    ...     _ = session.reset()
    ...     session.step(heldout.Sampled("look around", token_ids=[1820, 2212], logprobs=[-0.2, -1.5])).done
    False
    """

    token_ids: Sequence[int] | None
    logprobs: Sequence[float] | None

    def __new__(
        cls, action: str, *, token_ids: Sequence[int] | None = None, logprobs: Sequence[float] | None = None
    ) -> Sampled:
        """Adds tokens, log-probabilities or both to an action; with both, their numbers must be equal."""
        self = super().__new__(cls, action)
        self.token_ids, self.logprobs = token_ids, logprobs
        return self


Entry = tuple["Session", "str | Reset"]

_quoted = json.encoder.encode_basestring_ascii
_new: Callable[[type[Result], tuple[Any, ...]], Result] = cast("Any", tuple).__new__  # half the time of Result()
_NOTHING: dict[str, Any] = {}
_FOREIGN = "the session belongs to another process: after a fork, open new sessions from the pool"


class _Call:
    """The entries of one caller, and their results."""

    __slots__ = ("entries", "results", "error")

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = entries
        self.results: list[Result] | None = None
        self.error: Exception | None = None


class Pool:
    """One heldout process and its sessions.

    `mounts` are environments, as for `heldout serve`: `"pddl"`, `"alfworld,split=train"`, `"p1=pddl,perturb=P1"`.
    `options` are the flags of that command, with `_` for `-`: `Pool("pddl", step_limit=5)`.

    With `record=DIR`, episodes are recorded with `name` as their player, by default the name of the script. A
    recording goes on only with the same player: the same name, and the same `version` or else source of the code
    that makes the pool.
    An episode that is played again keeps its first result; `left` lists what has none.

    Threads and asyncio tasks may share a pool: what they send at the same time goes in one exchange.
    After `os.fork()`, the child process starts a process of its own. A pool is closed at exit.

    >>> with heldout.Pool("pddl") as pool:
    ...     session, = pool.open("pddl")
    ...     session.reset(index=0).observation["goal"][:8]
    'The goal'
    """

    _all: ClassVar[weakref.WeakSet[Pool]] = weakref.WeakSet()

    def __init__(self, *mounts: str, **options: Unpack[PoolOptions]) -> None:
        own, self._said = serving(cast("dict[str, Any]", options))
        self._arguments = [*mounts, *own]
        self._closed = False
        self._begin()
        Pool._all.add(self)

    def _begin(self) -> None:
        self._child: Child | None = None
        self._starting = threading.Lock()
        self._waiting: deque[_Call] = deque()
        self._later: list[tuple[Sequence[Entry], asyncio.Future[list[Result]]]] = []

    def _running(self) -> Child:
        if self._child is None:
            with self._starting:
                if self._closed:
                    raise ServerDied("the pool is closed: make a new one")
                if self._child is None:
                    child = _start(self._arguments)
                    if any(argument.startswith("--record=") for argument in self._arguments):
                        said = [*self._said, *child.ask({"said": {}})["said"]]
                        sys.stderr.write("".join(line + "\n" for line in said))
                    self._child = child
        return self._child

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        return self._running().ask(request)

    def envs(self) -> list[dict[str, Any]]:
        """Returns the environments: name, splits, settings, reward, step limit."""
        envs: list[dict[str, Any]] = self._ask({"envs": {}})["envs"]
        return envs

    def tasks(self, env: str, split: str | None = None) -> list[Task]:
        """Returns the tasks of a split in benchmark order; without `split`, those of the default split."""
        tasks: list[Task] = self._ask({"tasks": {"env": env, "split": split or ""}})["tasks"]
        return tasks

    def left(
        self, env: str = "", split: str | None = None, *, seeds: int = 1, step_limit: int | None = None
    ) -> list[Reset]:
        """Returns what a recording has no result of: a reset for each task and seed, in the order of the seeds.

        >>> with heldout.Pool("pddl", record="runs/mine", name="mine", version="1", tasks="gripper") as pool:
        ...     session, = pool.open()
        ...     for episode in pool.left()[:2]:
        ...         result = session.reset(**episode, step_limit=1)
        ...         while not result.done:
        ...             result = session.step("look around")
        ...     len(pool.left(step_limit=1))
        18
        """
        wanted = {"env": env, "split": split or "", "seeds": seeds, "step_limit": step_limit or 0}
        left: list[Reset] = self._ask({"left": wanted})["left"]
        return left

    def open(self, env: str = "", count: int = 1) -> list[Session]:
        """Opens sessions, all or none. A pool with one environment needs no name."""
        count = whole("count", count)
        if count < 1:
            raise UsageError(f"count is {count}, want at least 1")
        child = self._running()
        first: int = child.ask({"open": {"env": env, "count": count}})["first"]
        return [Session(self, child, number) for number in range(first, first + count)]

    def step(self, entries: Sequence[Entry]) -> list[Result]:
        """Carries out actions and resets in one exchange.

        Entries of one session run in order, and sessions run in parallel. An entry that fails gets an `error`; the
        others get their results.
        """
        child = self._running()
        if child.lock.acquire(False):
            try:
                if not self._waiting:
                    return _carry_out(child, entries)
            finally:
                child.lock.release()
        call = _Call(entries)
        self._waiting.append(call)
        with child.lock:  # who has it sends what all others wait for
            if call.results is None and call.error is None:
                self._carry_out_all(child)
        if call.error is not None:
            raise call.error
        assert call.results is not None
        return call.results

    def _carry_out_all(self, child: Child) -> None:
        calls: list[_Call] = []
        while self._waiting:
            calls.append(self._waiting.popleft())
        try:
            results = _carry_out(child, [entry for call in calls for entry in call.entries])
        except BaseException as error:
            for call in calls:
                call.error = error if isinstance(error, Exception) else Error("the exchange was interrupted")
            if isinstance(error, Exception):
                return
            raise
        at = 0
        for call in calls:
            call.results = results[at : at + len(call.entries)]
            at += len(call.entries)

    async def astep(self, entries: Sequence[Entry]) -> list[Result]:
        """Does the same without blocking the event loop."""
        import asyncio

        loop = asyncio.get_running_loop()
        future: asyncio.Future[list[Result]] = loop.create_future()
        self._later.append((entries, future))
        if len(self._later) == 1:  # what this turn of the loop sends goes together
            loop.call_soon(self._send_later, loop)
        return await future

    def _send_later(self, loop: asyncio.AbstractEventLoop) -> None:
        calls, self._later = self._later, []
        entries = [entry for call, _ in calls for entry in call]

        def deliver(done: asyncio.Future[list[Result]]) -> None:
            at = 0
            for call, future in calls:
                if future.cancelled():
                    pass
                elif error := done.exception():
                    future.set_exception(error)
                else:
                    future.set_result(done.result()[at : at + len(call)])
                at += len(call)

        in_thread(self.step, entries).add_done_callback(deliver)

    def fork(self, sessions: Sequence[tuple[Session, int]]) -> list[list[Session]]:
        """Forks each session the given number of times, all or none. A fork continues from the present step alone."""
        child = self._running()
        sessions = [(session, whole("count", count)) for session, count in sessions]
        if any(session.child is not child for session, _ in sessions):
            raise StepError(_FOREIGN)
        if not sessions or any(count < 1 for _, count in sessions):
            raise UsageError("a fork wants at least one session, and at least one copy of each")
        first: int = child.ask({"fork": [[session.number, count] for session, count in sessions]})["first"]
        forks: list[list[Session]] = []
        for session, count in sessions:
            forks.append([Session(self, child, number) for number in range(first, first + count)])
            first += count
            for fork in forks[-1]:
                fork.task_id = session.task_id
        return forks

    def actions(self, sessions: Sequence[Session]) -> list[list[str]]:
        """Returns the sorted valid actions of each session. This costs no step and changes nothing."""
        child = self._running()
        if any(session.child is not child for session in sessions):
            raise StepError(_FOREIGN)
        answer = child.ask({"actions": [session.number for session in sessions]})
        lists = cast("list[list[str] | dict[str, str]]", answer["actions"])
        listed: list[list[str]] = []
        for actions in lists:
            if isinstance(actions, dict):
                raise StepError(actions["error"])
            listed.append(actions)
        return listed

    def close_sessions(self, sessions: Sequence[Session]) -> None:
        """Closes sessions. Closing one twice is allowed."""
        child = self._child
        numbers = [session.number for session in sessions if session.child is child]
        if child is not None and numbers:
            child.ask({"close": numbers})

    def close(self) -> None:
        """Ends the process and all sessions."""
        with self._starting:
            self._closed, child, self._child = True, self._child, None
        if child is not None:
            child.close()

    async def aenvs(self) -> list[dict[str, Any]]:
        """Does what `envs` does without blocking the event loop."""
        return await in_thread(self.envs)

    async def atasks(self, env: str, split: str | None = None) -> list[Task]:
        """Does what `tasks` does without blocking the event loop."""
        return await in_thread(self.tasks, env, split)

    async def aopen(self, env: str = "", count: int = 1) -> list[Session]:
        """Does what `open` does without blocking the event loop, which starting the process would."""
        return await in_thread(self.open, env, count)

    async def afork(self, sessions: Sequence[tuple[Session, int]]) -> list[list[Session]]:
        """Does what `fork` does without blocking the event loop."""
        return await in_thread(self.fork, sessions)

    async def aactions(self, sessions: Sequence[Session]) -> list[list[str]]:
        """Does what `actions` does without blocking the event loop."""
        return await in_thread(self.actions, sessions)

    async def aclose_sessions(self, sessions: Sequence[Session]) -> None:
        """Does what `close_sessions` does without blocking the event loop."""
        await in_thread(self.close_sessions, sessions)

    async def aclose(self) -> None:
        """Does what `close` does without blocking the event loop."""
        await in_thread(self.close)

    async def __aenter__(self) -> Pool:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @staticmethod
    def after_fork() -> None:
        """Detaches the copies of pools in a forked process: sessions stay with the process that opened them."""
        for pool in list(Pool._all):
            if pool._child is not None:
                pool._child.forget()
            pool._begin()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._arguments,)


class Session:
    """A session plays one episode at a time."""

    __slots__ = ("pool", "child", "number", "task_id")

    def __init__(self, pool: Pool, child: Child, number: int) -> None:
        self.pool, self.child, self.number, self.task_id = pool, child, number, ""

    def reset(
        self,
        *,
        task_id: str | None = None,
        split: str | None = None,
        index: int | None = None,
        seed: int | None = None,
        step_limit: int | None = None,
        actions: bool | None = None,
        keys: bool | None = None,
        rollout: int | None = None,
        max_steps: int | None = None,
    ) -> Result:
        """Starts an episode of the chosen task, or of the next one. `max_steps` is the earlier name of `step_limit`."""
        choice = {name: value for name, value in locals().items() if name != "self"}
        return _whole(self.pool.step([(self, checked_reset(choice))])[0])

    def step(self, action: str) -> Result:
        """Carries out an action."""
        return _whole(self.pool.step([(self, action)])[0])

    def fork(self, count: int = 1) -> list[Session]:
        """Returns new sessions that continue from the present step of this one, each on its own.

        >>> with heldout.Pool("pddl") as pool:
        ...     session, = pool.open()
        ...     first = session.reset(index=0, keys=True).observation["state_key"]
        ...     fork, = session.fork()
        ...     fork.step("look around").observation["state_key"] == first
        True
        """
        return self.pool.fork([(self, count)])[0]

    def actions(self) -> list[str]:
        """Returns the valid actions, sorted. This costs no step and changes nothing."""
        return self.pool.actions([self])[0]

    async def areset(self, **reset: Unpack[Reset]) -> Result:
        """Does what `reset` does without blocking the event loop."""
        return _whole((await self.pool.astep([(self, checked_reset(reset))]))[0])

    async def astep(self, action: str) -> Result:
        """Does what `step` does without blocking the event loop."""
        return _whole((await self.pool.astep([(self, action)]))[0])

    def close(self) -> None:
        """Closes the session. An unfinished episode is discarded."""
        self.pool.close_sessions([self])

    async def afork(self, count: int = 1) -> list[Session]:
        """Does what `fork` does without blocking the event loop."""
        return (await self.pool.afork([(self, count)]))[0]

    async def aactions(self) -> list[str]:
        """Does what `actions` does without blocking the event loop."""
        return (await self.pool.aactions([self]))[0]

    async def aclose(self) -> None:
        """Does what `close` does without blocking the event loop."""
        await self.pool.aclose_sessions([self])


def serving(options: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Returns the flags of a server for options, where those of a recording say who plays, and what to say of that."""
    name, said = options.get("name"), list[str]()
    own = {key: options[key] for key in ("version", "sampling") if options.get(key) is not None}
    options = {key: value for key, value in options.items() if key not in ("name", "version", "sampling")}
    if options.get("record") is None:
        if own or name is not None:
            raise UsageError(f"{', '.join(own) or 'name'} says who plays, for record=DIR")
        return flags(options), said
    if "version" not in own:
        from ._source import of_caller

        script, source = of_caller()
        if source.hash:
            own["source"] = source.hash
        if script and name is None:
            name = script
            said.append(f"episodes are recorded with the script as their player, {script}; name= gives another name")
    return [*flags({**options, "player": own}), *([] if name is None else [f"--name={name}"])], said


def _start(arguments: list[str]) -> Child:
    from ._child import Child

    return Child(arguments)


_RESET: dict[str, Callable[[str, object], Any]] = {
    "task_id": text,
    "split": text,
    "index": whole,
    "seed": whole,
    "step_limit": whole,
    "max_steps": whole,
    "actions": boolean,
    "keys": boolean,
    "rollout": whole,
}


def checked_reset(options: Mapping[str, Any]) -> Reset:
    """Returns the options of a reset under their present names, without those that are None.

    An unknown option is an error that lists the options.
    """
    names = list(_RESET)
    for name in options:
        if name not in names:
            import difflib

            like = difflib.get_close_matches(name, names, 1)
            hint = f" (did you mean {like[0]}?)" if like else ""
            raise UsageError(f"a reset has no option {name!r}{hint}; there are {', '.join(names)}")
    given = {name: _RESET[name](name, value) for name, value in options.items() if value is not None}
    return cast(Reset, renamed(given))


def _carry_out(child: Child, entries: Sequence[Entry]) -> list[Result]:
    """Sends entries and returns their results. The caller holds the lock of the child."""
    if len(entries) > _MOST_ENTRIES:
        return _carry_out(child, entries[:_MOST_ENTRIES]) + _carry_out(child, entries[_MOST_ENTRIES:])
    lines: list[str] = []
    for session, what in entries:
        if session.child is not child:
            raise StepError(_FOREIGN)
        lines.append(f"[{session.number},{_quoted(what) if type(what) is str else _entry(what)}]")
    if not lines:
        return []
    rows = child.exchange('{"steps":[' + ",".join(lines) + "]}\n")["results"]
    results: list[Result] = []
    for (session, _), row in zip(entries, rows):
        if len(row) == 1:
            results.append(Result(cast(Observation, {}), 0.0, False, row["error"]))
            continue
        more: dict[str, Any] = row.pop() if len(row) == 8 else _NOTHING
        if "task_id" in more:
            session.task_id = more["task_id"]
        text, reward, done, progress, success, valid, truncated = row
        observation = {
            "text": text,
            "task_id": session.task_id,
            "progress": progress,
            "success": success,
            "valid": valid,
            "truncated": truncated,
            **more,
        }
        results.append(_new(Result, (observation, reward, done, None)))
    return results


def _entry(what: str | Reset) -> str:
    if isinstance(what, dict):
        return json.dumps(plain("a reset", what))
    if not isinstance(what, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UsageError(f"an entry is an action, which is a text, or the dict of a reset, and not {what!r}")
    sampled = {
        name: plain(name, items(name, values))
        for name in ("token_ids", "logprobs")
        if (values := getattr(what, name, None)) is not None
    }
    return _quoted(what) + ("," + json.dumps(sampled) if sampled else "")


def _whole(result: Result) -> Result:
    if result.error is not None:
        raise StepError(result.error)
    return result


def _restore(arguments: list[str]) -> Pool:
    return Pool(*arguments)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=Pool.after_fork)
