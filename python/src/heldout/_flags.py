"""Keywords as keys of the binary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ._values import is_a, plain


def flags(keywords: Mapping[str, object]) -> list[str]:
    """Returns what sets the keys for keywords: none for None, several for a list."""
    from .options import REPEATED

    found: list[str] = []
    for name, value in renamed(keywords).items():
        values = _texts(name, value)
        if name != "env" and name not in REPEATED and len(values) > 1:  # a command may have commas
            values = [",".join(values)]
        key = name.replace("_", "-")
        for text in values:
            found += ["--set", f"{key}={text}"]
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


def _texts(name: str, value: object) -> list[str]:
    """Returns the value of a flag as text, or those of a list."""
    if value is None:
        return []
    if isinstance(value, Mapping):
        return _mapped(name, cast("Mapping[str, object]", value))
    found = plain(name, value)
    if not is_a(found, list):
        return [_word(found)]
    return [f"{one}-{one}" if name == "seeds" and type(one) is int else _word(one) for one in found]


def _word(value: str | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _mapped(name: str, value: Mapping[str, object]) -> list[str]:
    if name in {"extra_body", "player"}:
        import json

        of = cast("dict[str, object]", plain(name, value))
        if name == "extra_body":
            return [json.dumps(of)]
        return [f"{key}={json.dumps(one) if isinstance(one, dict) else one}" for key, one in of.items()]
    return [f"{key}={','.join(_texts(name, one))}" for key, one in value.items()]
