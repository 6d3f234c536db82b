"""Finds and runs the binary."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._errors import Error, NotFound, UsageError, VersionMismatch
from ._flags import hint
from ._version import __version__

if TYPE_CHECKING:
    import subprocess

_NAME = "heldout.exe" if os.name == "nt" else "heldout"
_USAGE = 2  # exit code of the binary for wrong arguments
_BUILD = "build one with `go build ./cmd/heldout` and set HELDOUT_BIN to its path"


def find_bin() -> str:
    """Returns the path of the binary.

    It is `$HELDOUT_BIN` if that is set; else the binary that came with this package.
    """
    import shutil
    import sysconfig
    from pathlib import Path

    own = os.environ.get("HELDOUT_BIN")
    if own:
        if not shutil.which(own):
            raise NotFound(f"HELDOUT_BIN is {own!r}, which is not a program: {_BUILD}, or unset it")
        return own
    here = Path(__file__).resolve().parent
    places = [
        Path(sysconfig.get_path("scripts")),
        Path(sysconfig.get_path("scripts", vars={"base": sys.base_prefix})),
        here.parents[2] / ("Scripts" if os.name == "nt" else "bin"),  # pip install --prefix
        here.parent / "bin",  # pip install --target
        Path(sysconfig.get_path("scripts", scheme=sysconfig.get_preferred_scheme("user"))),
    ]
    if len(here.parents) > 3:
        places.insert(2, here.parents[3] / "bin")  # lib/pythonX/site-packages/heldout
    for place in places:
        if (place / _NAME).is_file():
            return str(place / _NAME)
    raise NotFound(
        f"{_NAME} is not in {', '.join(dict.fromkeys(map(str, places)))}: install a wheel of heldout, or {_BUILD}"
    )


@functools.cache
def checked_bin() -> str:
    """Returns the path of the binary, and checks once that it is of this version, or built from sources."""
    import subprocess

    path = find_bin()
    try:
        words = subprocess.run([path, "version"], capture_output=True, text=True).stdout.split()
    except OSError as error:
        raise Error(f"{path} does not start ({error.strerror}): {_BUILD}") from None
    found = words[1].removeprefix("v") if len(words) > 1 else "of an unknown version"
    if found not in (__version__, "dev"):
        owner = "HELDOUT_BIN" if os.environ.get("HELDOUT_BIN") else "the installed binary"
        raise VersionMismatch(
            f"{owner}, {path}, is heldout {found}, and this package is {__version__}: "
            f"install the package again, or {_BUILD}"
        )
    return path


def hints(said: str) -> None:
    """Warns about the flags that the binary says have other names now."""
    for line in said.splitlines():
        if line.startswith("--") and "the next version forgets" in line:
            hint(line)


def leashed(env: Mapping[str, str] | None = None) -> dict[str, str]:
    """Returns the variables of a child process, which stops as by Ctrl-C when this process ends for any reason."""
    own = {"HELDOUT_PARENT": str(os.getpid()), "HELDOUT_PYTHON": sys.executable}  # it logs to trackers by this Python
    return {**os.environ, **(env or {}), **own}


def start(
    arguments: Sequence[str | os.PathLike[str]], env: Mapping[str, str] | None = None, **options: Any
) -> subprocess.Popen[Any]:
    """Starts the binary on a leash. `options` are those of `Popen`."""
    import subprocess

    return subprocess.Popen([checked_bin(), *arguments], env=leashed(env), **options)


def cli(
    *args: str | os.PathLike[str], check: bool = True, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs the binary and returns its output. With `check`, a failure raises an `Error` with its message.

    >>> heldout.cli("version").stdout.split()[0]
    'heldout'
    """
    done = _run(args, env)
    if check and done.returncode:
        raise failure(done.returncode, done.stderr)
    hints(done.stderr)
    return done


def ask(*args: str | os.PathLike[str]) -> str:
    """Runs the binary for a function, and returns what it printed. Errors name keywords instead of flags."""
    done = _run(args, None)
    if done.returncode:
        raise failure(done.returncode, done.stderr, keywords=True)
    return done.stdout


def _run(
    args: Sequence[str | os.PathLike[str]], env: Mapping[str, str] | None
) -> subprocess.CompletedProcess[str]:
    import subprocess

    return subprocess.run(
        [checked_bin(), *args], capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL, env=leashed(env)
    )


def failure(code: int, said: str, *, keywords: bool = False) -> Error:
    """Returns the error for an exit code and what the binary said on standard error."""
    _, named, last = f"\n{said}".rpartition("\nheldout: ")  # the error is the last that it says
    text = (last if named else said).strip() or f"heldout ended with exit code {code}"
    return (UsageError if code == _USAGE else Error)(_in_keywords(text) if keywords else text)


def _in_keywords(text: str) -> str:
    """Returns what the binary said of flags, but not of its other commands, in words of Python."""
    import re

    flag = r"heldout [a-z]+( --[a-z-]+)+|--(?:set )?([a-z][a-z-]*)"
    text = text.replace("unknown key: ", "unknown keyword ").replace("unknown flag: ", "unknown keyword ")
    text = text.replace("the same command", "the same call")
    return re.sub(flag, lambda found: found[2].replace("-", "_") if found[2] else found[0], text)
