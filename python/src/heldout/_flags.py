"""Keywords as flags of the binary."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast


def flags(keywords: Mapping[str, object]) -> list[str]:
    """Returns the flags for keywords: none for None, several for a list."""
    from .options import REPEATED

    found: list[str] = []
    for name, value in renamed(keywords).items():
        values = _texts(name, value)
        if name != "env" and name not in REPEATED and len(values) > 1:  # a command may have commas
            values = [",".join(values)]
        found += [f"--{name.replace('_', '-')}={text}" for text in values]
    return found


def renamed(keywords: Mapping[str, object], **earlier: str) -> dict[str, Any]:
    """Returns keywords under their present names. Earlier names work for one more version, with a warning.

    `earlier` has those that only the caller had, by name. If both names are given, the present one counts.
    """
    from .options import RENAMED

    names = RENAMED | earlier
    old = [name for name in keywords if name in names]
    for name in old:
        hint(f"{name} is called {names[name]} now; the next version forgets {name}")
    return {names[name]: keywords[name] for name in old} | {k: v for k, v in keywords.items() if k not in names}


def hint(text: str) -> None:
    """Warns about an earlier name, at the line that calls this package."""
    import inspect
    import warnings

    depth, frame = 1, inspect.currentframe()
    while frame and frame.f_back and frame.f_globals.get("__package__") == __package__:
        depth, frame = depth + 1, frame.f_back
    warnings.warn(text, FutureWarning, stacklevel=depth)


def texts(values: object) -> list[str] | None:
    """Returns a sequence of texts as a list; None for anything else, such as one text."""
    if isinstance(values, str) or not isinstance(values, Sequence):
        return None
    found = list(cast("Sequence[object]", values))
    return cast("list[str]", found) if all(isinstance(one, str) for one in found) else None


def _texts(name: str, value: Any) -> list[str]:
    """Returns the value of a flag as text, or those of a list."""
    if value is None:
        return []
    if isinstance(value, bool):
        return [str(value).lower()]
    if isinstance(value, (str, os.PathLike)):
        return [os.fspath(cast("str | os.PathLike[str]", value))]
    if isinstance(value, Mapping):
        return _mapped(name, cast("Mapping[str, Any]", value))
    if isinstance(value, (Sequence, set, frozenset)):
        values = cast("Iterable[Any]", value)
        return [f"{one}-{one}" if name == "seeds" and isinstance(one, int) else os.fspath(one) for one in values]
    return [str(value)]


def _mapped(name: str, value: Mapping[str, Any]) -> list[str]:
    if name == "extra_body":
        import json

        return [json.dumps(value)]
    if name == "player":
        import json

        return [f"{key}={json.dumps(one) if isinstance(one, Mapping) else one}" for key, one in value.items()]
    return [f"{key}={','.join(_texts(name, one))}" for key, one in value.items()]
