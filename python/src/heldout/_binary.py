"""Finds and runs the binary."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import sysconfig
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ._errors import Error, UsageError, VersionMismatch
from ._version import __version__

_NAME = "heldout" + (sysconfig.get_config_var("EXE") or "")
_USAGE = 2  # exit code of the binary for wrong arguments
_RENAMED = {"max_steps": "step_limit", "steps": "step_limit"}  # since the version before


def find_bin() -> str:
    """Returns the path of the binary: `$HELDOUT_BIN` if it is set, else the binary of this package."""
    own = os.environ.get("HELDOUT_BIN")
    if own:
        if not shutil.which(own):
            raise FileNotFoundError(f"HELDOUT_BIN is {own!r}, which is not a program")
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
    raise FileNotFoundError(
        f"{_NAME} is not in {', '.join(dict.fromkeys(map(str, places)))}; "
        "install a wheel of heldout, or set HELDOUT_BIN to a binary"
    )


@functools.cache
def checked_bin() -> str:
    """Returns the path of the binary, and checks its version once."""
    path = find_bin()
    words = subprocess.run([path, "version"], capture_output=True, text=True, check=True).stdout.split()
    found = words[1].removeprefix("v") if len(words) > 1 else ""
    if found != __version__:
        text = f"{path} is heldout {found}, but this package is {__version__}"
        if not os.environ.get("HELDOUT_BIN"):
            raise VersionMismatch(text + "; install the package again")
        if found != "dev":
            warnings.warn(text, stacklevel=3)
    return path


def hint(text: str) -> None:
    """Warns about an earlier name, at the line that calls this package."""
    depth, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__package__") == __package__:
        depth, frame = depth + 1, frame.f_back
    warnings.warn(text, DeprecationWarning, stacklevel=depth)


def renamed(options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns options under their present names. Earlier names work for one more version, with a warning."""
    for name in options.keys() & _RENAMED.keys():
        hint(f"{name} is called {_RENAMED[name]} now; the next version forgets {name}")
    return {_RENAMED.get(name, name): value for name, value in options.items()}


def hints(said: str) -> None:
    """Warns about the flags that the binary says have other names now."""
    for line in said.splitlines():
        if line.startswith("--") and "the next version forgets" in line:
            hint(line)


def leashed(env: Mapping[str, str] | None = None) -> dict[str, str]:
    """Returns the variables of a child process, which stops as by Ctrl-C when this process ends for any reason."""
    return {**os.environ, **(env or {}), "HELDOUT_PARENT": str(os.getpid())}


def start(
    arguments: Sequence[str | os.PathLike[str]], env: Mapping[str, str] | None = None, **options: Any
) -> subprocess.Popen[Any]:
    """Starts the binary, which ends with this process. `options` are those of `Popen`."""
    return subprocess.Popen([checked_bin(), *arguments], env=leashed(env), **options)


def cli(
    *args: str | os.PathLike[str], check: bool = True, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs the binary and returns its output. With `check`, a failure raises an `Error` with its message.

    >>> heldout.cli("version").stdout.split()[0]
    'heldout'
    """
    done = subprocess.run(
        [checked_bin(), *args],
        capture_output=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        env=leashed(env),
    )
    if check and done.returncode:
        raise failure(done.returncode, done.stderr)
    hints(done.stderr)
    return done


def failure(code: int, said: str) -> Error:
    """Returns the error for an exit code and the text that the binary wrote to standard error."""
    _, named, last = f"\n{said}".rpartition("\nheldout: ")  # the error is the last that it says
    text = (last if named else said).strip() or f"heldout ended with exit code {code}"
    return (UsageError if code == _USAGE else Error)(text)
