"""Texts for streams that lack some characters, such as a console in ASCII or cp1252."""

from __future__ import annotations

import sys
from typing import Any

_PLAIN = {
    "─": "-", "–": "-", "—": "-", "…": "...", "±": "+-", "×": "x", "≠": "!=", "≤": "<=", "≥": ">=", "→": "->",
    "†": "+", "‡": "#", "§": "$", "¶": "&", "Δ": "D", "√": "sqrt", "°": "deg", "“": '"', "”": '"', "‘": "'", "’": "'",
}  # fmt: skip


def fitting(text: str, stream: Any = None) -> str:
    """Returns a text in the characters of a stream, which is by default standard output.

    Others become similar ones, or else their numbers.
    """
    encoding = getattr(sys.stdout if stream is None else stream, "encoding", None)
    if not isinstance(encoding, str) or text.isascii() or _has(encoding, text):
        return text
    return "".join(c if _has(encoding, c) else _PLAIN.get(c, ascii(c)[1:-1]) for c in text)


def tell(text: str) -> None:
    """Writes to standard error. One that is closed ends no run."""
    try:
        sys.stderr.write(fitting(text, sys.stderr))
    except (AttributeError, OSError, ValueError):
        pass


def _has(encoding: str, text: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeError:
        return False
    except LookupError:  # nobody knows the encoding
        return True
    return True
