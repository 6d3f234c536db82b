"""Environments of your own. Needs only the standard library.

>>> from heldout.environment import Environment, Start, Step
>>> class Safe(Environment):
...     name, version, step_limit = "safe", "1", 10
...     instruction = "You open safes. A safe has a number from 1 to 100."
...     actions = ["dial {number}"]
...     def tasks(self):
...         return [f"safe-{i}" for i in range(20)]
...     def start(self, task, seed):
...         self.code = 1 + 37 * (int(task.split("-")[1]) + 1) % 100
...         return Start("The safe has a dial from 1 to 100.", goal="Open the safe.")
...     def step(self, action):
...         word, _, number = action.partition(" ")
...         if word != "dial" or not number.isdigit():
...             return Step("Nothing happens.", valid=False)
...         if int(number) == self.code:
...             return Step("The safe opens.", done=True, success=True)
...         return Step("Too low." if int(number) < self.code else "Too high.")
...     def expert(self):
...         return f"dial {self.code}"
>>> import heldout
>>> run = heldout.evaluate("expert", Safe(), out="runs/safe", progress=False)
>>> run.metrics()["heldout/exec:safe/success"]
1.0

`serve(Safe())` at the end of a file makes it a program for `heldout run --env "exec:python FILE"`.
"""

from __future__ import annotations

import copy
import hashlib
import inspect
import json
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast

from ._errors import Error, UsageError
from ._values import boolean, described, items, number, text, texts, whole

if TYPE_CHECKING:
    import gymnasium

_PROTOCOL = 1


class Start(NamedTuple):
    """What an agent is told before its first action.

    Here and in the answers of all methods, texts, numbers, truth values and lists may be of other libraries, such as
    numpy's; a set is taken in sorted order. What cannot be taken is an error that ends the episode without a result.
    """

    observation: str
    goal: str = ""
    progress: float | None = None


class Task(NamedTuple):
    """A task, its kind and what it is for: `train`, `dev` or `test`, which is what counts if nothing is said."""

    id: str
    kind: str = ""
    use: str = ""


class Step(NamedTuple):
    """The answer to an action. `progress` and `reward` are for environments that announce them, and needed there.

    The last step has a `success`, unless the environment leaves it to `success_threshold`.
    """

    observation: str
    done: bool = False
    success: bool | None = None
    progress: float | None = None
    reward: float | None = None
    valid: bool = True


class Environment:
    """Base of environments. Each game is played by a copy of the object: `start` sets all that changes in it.

    `version` and a hash of the classes' source and the object's attributes are part of what results are of. Set `hash`
    where attributes are not JSON, or data decide: 8 to 64 hex digits.
    """

    name: str
    version: str
    instruction: str
    step_limit: int = 30
    # Forms of all actions, which stand below the instruction in prompts.
    actions: Sequence[str] = ()
    # Steps say whether the task is solved; without it, `success_threshold` of the run decides.
    success: bool = True
    # Steps have a progress from 0 to 1, or a reward whose sum is from the first number of `returns` to the second.
    progress: bool = False
    returns: tuple[float, float] | None = None
    hash: str = ""

    def tasks(self) -> Sequence[str | tuple[str, str] | Task]:
        """Returns the tasks: ids, pairs of an id and a kind, or objects of `Task`."""
        raise NotImplementedError

    def start(self, task: str, seed: int) -> Start:
        """Begins a task. The same task, seed and actions give the same texts."""
        raise NotImplementedError

    def step(self, action: str) -> Step:
        """Takes an action; a wrong one has an observation that says so."""
        raise NotImplementedError

    def valid_actions(self) -> Sequence[str]:
        """Returns what can be done now, for the baseline random. An environment without it has none."""
        raise NotImplementedError

    def expert(self) -> str:
        """Returns what a competent player would do, for the baseline expert. An environment may lack it."""
        raise NotImplementedError

    def fork(self) -> Environment:
        """Returns a game that continues from this moment by itself, such as `copy.deepcopy(self)`. It may lack it."""
        raise NotImplementedError

    def state_key(self) -> str:
        """Returns a text that two games of a task share if they continue alike. An environment may lack it."""
        raise NotImplementedError

    def close(self) -> None:
        """Ends the game."""


def serve(environment: Environment) -> None:
    """Answers the lines of heldout on the standard streams. What the environment prints goes to standard error."""
    lines, out = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    answer_lines(environment, lines, out)


def answer_lines(environment: Environment, lines: Iterable[bytes], out: IO[bytes]) -> None:
    """Answers lines until they end."""
    games: dict[int, Environment] = {}
    for line in lines:
        request: dict[str, Any] = json.loads(line)
        try:
            answer = _answer(environment, games, request)
        except Error as error:
            answer = {"error": str(error)[:1000]}
        except Exception as error:
            _show(traceback.format_exc())
            answer = {"error": f"{type(error).__name__}: {error}"[:1000]}
        out.write(json.dumps({"id": request["id"], **answer}).encode() + b"\n")
        out.flush()
    for game in games.values():
        game.close()


_shown: set[str] = set()


def _show(trace: str) -> None:
    """Prints a traceback, the first time."""
    if trace not in _shown and sys.stderr is not None:  # pyright: ignore[reportUnnecessaryComparison]
        _shown.add(trace)
        with suppress(OSError, ValueError):  # it is closed
            sys.stderr.write(trace)


def _answer(environment: Environment, games: dict[int, Environment], request: dict[str, Any]) -> dict[str, Any]:
    world: int = request.get("world", 0)
    ask: str = request["ask"]
    if ask == "describe":
        return _describe(environment)
    if ask == "start":
        games[world] = copy.copy(environment)
        return _present(ask, games[world].start(request["task"], request["seed"]))
    if ask == "step":
        return _present(ask, games[world].step(request["action"]))
    if ask == "actions":
        return {"actions": texts("valid_actions", games[world].valid_actions())}
    if ask == "expert":
        advice = cast("str | None", games[world].expert())
        return {} if advice is None else {"action": text("expert", advice)}
    if ask == "fork":
        games[request["fork"]] = games[world].fork()
        return {}
    if ask == "state_key":
        return {"state_key": text("state_key", games[world].state_key())}
    games.pop(world, environment).close()
    return {}


_FIELDS: dict[str, Callable[[str, object], Any]] = {
    "observation": text,
    "goal": text,
    "progress": number,
    "reward": number,
    "done": boolean,
    "success": boolean,
    "valid": boolean,
}


def _present(method: str, answer: Start | Step) -> dict[str, Any]:
    """Returns the fields of an answer that are not None, as JSON has them."""
    if not hasattr(answer, "_asdict"):
        raise UsageError(f"{method} returns {described(answer)}; want a {method.capitalize()}")
    fields = answer._asdict()
    return {name: _FIELDS[name](name, value) for name, value in fields.items() if value is not None}


def _task(place: str, task: object) -> dict[str, str]:
    """Returns a task without the fields that it lacks."""
    parts: Any = task
    given = texts(place, parts) if isinstance(task, (tuple, list)) else [text(place, parts)]
    if len(given) > len(Task._fields):
        raise UsageError(f"{place} is {described(parts)}; want an id, a pair or a Task")
    return {name: value for name, value in zip(Task._fields, given) if value}


def _describe(environment: Environment) -> dict[str, Any]:
    can = {"actions": "valid_actions", "expert": "expert", "fork": "fork", "state_key": "state_key"}
    own = type(environment)
    found: dict[str, Any] = {
        "protocol": _PROTOCOL,
        **{name: text(name, getattr(environment, name)) for name in ("name", "version", "instruction")},
        "hash": text("hash", environment.hash) or _hash(environment),
        "tasks": [_task(f"tasks[{i}]", task) for i, task in enumerate(items("tasks", environment.tasks()))],
        "step_limit": whole("step_limit", environment.step_limit),
        "actions": texts("actions", environment.actions),
        "can": [name for name, method in can.items() if getattr(own, method) is not getattr(Environment, method)],
        **{name: boolean(name, getattr(environment, name)) for name in ("success", "progress")},
    }
    returns = [] if environment.returns is None else items("returns", environment.returns)
    if returns:
        found["return"] = [number(f"returns[{i}]", one) for i, one in enumerate(returns)]
    return found


def _hash(environment: Environment) -> str:
    """Returns a hash of the source of the classes and of the attributes."""
    name = type(environment).__name__
    try:
        parts = [inspect.getsource(c) for c in type(environment).__mro__ if not issubclass(Environment, c)]
        parts.append(json.dumps(vars(environment), sort_keys=True, allow_nan=False))
    except (OSError, TypeError, ValueError) as error:
        raise UsageError(f"{name} needs a hash, because its source or attributes are not to be had: {error}") from None
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


class Gymnasium(Environment):
    """A Gymnasium environment whose observations and actions are texts. Each task resets it with a seed of its own.

    `make` returns one, as `lambda: gymnasium.make(ID)` does. `returns` are the least and the largest sum of rewards.
    The key `success` of the last `info` says whether the task is solved; without one, `success_threshold` of the run does.
    """

    def __init__(
        self,
        make: Callable[[], gymnasium.Env[str, str]],
        *,
        name: str,
        version: str,
        instruction: str,
        returns: tuple[float, float],
        tasks: int = 20,
        step_limit: int = 30,
        success: str = "",
    ) -> None:
        tasks, step_limit = whole("tasks", tasks), whole("step_limit", step_limit)
        low, high = (number("returns", one) for one in items("returns", returns))
        self._make, self._count, self._key = make, tasks, success
        self.name, self.version, self.instruction, self.returns = name, version, instruction, (low, high)
        self.step_limit, self.success = step_limit, bool(success)
        asked = repr((self.returns, tasks, step_limit, success))
        source = [inspect.getsource(Gymnasium), name, version, instruction, asked]
        self.hash = hashlib.sha256("\0".join(source).encode()).hexdigest()

    def tasks(self) -> Sequence[str]:
        return [f"seed-{i}" for i in range(self._count)]

    def start(self, task: str, seed: int) -> Start:
        self._env = self._make()
        observation, _ = self._env.reset(seed=int(task.removeprefix("seed-")))
        return Start(observation)

    def step(self, action: str) -> Step:
        observation, reward, terminated, truncated, info = self._env.step(action)
        done = boolean("terminated", terminated) or boolean("truncated", truncated)
        success = info.get(self._key) if self._key else None
        if done and self._key and success is None:
            raise UsageError(f"the last info has no {self._key!r}, which says whether the task is solved")
        return Step(observation, done=done, success=success, reward=reward)  # type: ignore[arg-type]

    def close(self) -> None:
        if "_env" in vars(self):
            self._env.close()
