"""What Python calls a text, a number, a truth value or a list, as JSON has it.

All that users hand to this package goes through here: scalars and arrays of numpy, pandas, torch and others, which are
known by their protocols (`item`, `tolist`, `__index__`, `__float__`, `__iter__`), decimals, fractions, members of
enumerations, paths, bytes, sets and generators. What cannot be taken is an error that names the field, the value and
its type.
"""

from __future__ import annotations

import enum
import math
import numbers
import os
from collections.abc import Mapping
from typing import Any, NoReturn

from ._errors import UsageError

_LONGEST = 60  # characters of a value in an error
_EXACT = 1 << 53  # below it, a float has every whole number


def text(field: str, value: Any) -> str:
    """Returns a text; bytes are UTF-8, and half of a surrogate pair becomes U+FFFD."""
    found: Any = _single(value)
    if is_a(found, os.PathLike):
        found = found.__fspath__()
    if is_a(found, bytes, bytearray, memoryview):
        try:
            found = bytes(found).decode()
        except UnicodeDecodeError:
            _refuse(field, value, "a text; these bytes are not UTF-8")
    if not is_a(found, str):
        _refuse(field, value, "a text")
    try:
        found.encode()
    except UnicodeEncodeError:
        found = found.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return str.__str__(found)


def number(field: str, value: Any) -> float:
    """Returns a finite number; True and False are 1 and 0. A text is none."""
    found = _number(_single(value))
    if found is None:
        _refuse(field, value, "a number")
    if not math.isfinite(found):
        _refuse(field, value, "a finite number")
    return found


def whole(field: str, value: Any) -> int:
    """Returns a whole number, which may be of a type for others, such as 3.0."""
    found = _number(_single(value))
    if found is None or not math.isfinite(found) or found != int(found):
        _refuse(field, value, "a whole number")
    return int(found)


def boolean(field: str, value: Any) -> bool:
    """Returns True or False, of which any 1 and 0 are other words. A text is neither."""
    found = _number(_single(value))
    if found not in (0, 1):
        _refuse(field, value, "True or False")
    return bool(found)


def items(field: str, value: Any) -> list[Any]:
    """Returns what a list, a tuple, a range, a generator, an array of one dimension, … has, and a set in sorted order.

    A text is no list of its letters, and a mapping no list of its keys.
    """
    if is_a(value, str, bytes, bytearray, Mapping) or getattr(value, "ndim", 1) != 1:
        _refuse(field, value, "a list")
    as_list: Any = getattr(value, "tolist", None)
    try:
        found: list[Any] = list(value if as_list is None else as_list())
    except TypeError:
        if hasattr(value, "__next__"):  # the error is of who wrote a generator
            raise
        _refuse(field, value, "a list")
    if is_a(value, set, frozenset):  # in another process its own order is another one
        try:
            found.sort()
        except TypeError:
            found.sort(key=str)
    return found


def texts(field: str, value: Any) -> list[str]:
    """Returns a list of texts."""
    return [text(f"{field}[{i}]", one) for i, one in enumerate(items(field, value))]


def plain(field: str, value: Any) -> Any:
    """Returns a value of any shape as `json.dumps` takes it."""
    if value is None or type(value) in (bool, int, str):
        return value
    if is_a(value, enum.Enum):
        return plain(field, value.value)
    if is_a(value, Mapping):
        return {text(field, key): plain(f"{field}.{key}", one) for key, one in value.items()}
    if is_a(value, str, bytes, bytearray, memoryview, os.PathLike):
        return text(field, value)
    as_list = getattr(value, "tolist", None)
    if getattr(value, "ndim", 0) and callable(as_list):
        return plain(field, as_list())
    single = _single(value)
    if is_a(single, bool, str):
        return single
    if _number(single) is not None:
        return number(field, value)
    if not hasattr(value, "__iter__"):
        _refuse(field, value, "a text, a number, True, False, or a list or mapping of them")
    return [plain(f"{field}[{i}]", one) for i, one in enumerate(items(field, value))]


def described(value: Any) -> str:
    """Returns a value with its type, for an error."""
    if is_a(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "infinite"
    shown = " ".join(repr(value).split())
    kind = value.__class__
    where = "" if kind.__module__ in ("builtins", "__main__") else kind.__module__.partition(".")[0] + "."
    shown = shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"
    return f"{shown}, of the type {where}{kind.__qualname__}"


def _refuse(field: str, value: Any, want: str) -> NoReturn:
    raise UsageError(f"{field} is {described(value)}; want {want}") from None


def is_a(value: Any, *kinds: type) -> bool:
    """Does what `isinstance` does, without a word to checkers of types, which know no elements of these kinds."""
    return isinstance(value, kinds)


def _single(value: Any) -> Any:
    """Returns the value of a member of an enumeration, and that of an array with one; anything else as it is."""
    while is_a(value, enum.Enum):
        value = value.value
    take = getattr(value, "item", None)
    if not callable(take) or is_a(value, Mapping):
        return value
    try:
        return take()
    except Exception:  # each library has its own for several values
        return value


def _number(value: Any) -> int | float | None:
    """Returns a number; None for what is none."""
    if is_a(value, numbers.Complex) and not is_a(value, numbers.Real):  # numpy's take a float of their real part
        return None
    for special in ("__index__", "__float__"):
        if hasattr(value, special):
            try:
                found = getattr(value, special)()
            except Exception:  # an array with several, a missing value of pandas, …
                return None
            return found if abs(found) <= _EXACT else _float(found)
    return None


def _float(value: int | float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def nanoseconds(time: str) -> int:
    """Returns a time in UTC with any number of decimals as nanoseconds since 1970."""
    from datetime import datetime

    text, _, rest = time.removesuffix("Z").partition(".")
    return int(datetime.fromisoformat(text + "+00:00").timestamp()) * 10**9 + int(f"{rest:0<9}")
