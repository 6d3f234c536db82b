"""Runs the binary: `python -m heldout`. Of its own commands, `log` logs runs to trackers, and `inspect`, `parquet` and
`tensorboard` write what `heldout export` and `heldout run --log` send.
"""

import importlib
import io
import os
import subprocess
import sys

from ._binary import find_bin, leashed

_COMMANDS = {"log": "_log", "inspect": "_inspectlogs", "parquet": "_parquet", "tensorboard": "_tensorboard"}


def main() -> None:
    if module := _COMMANDS.get("".join(sys.argv[1:2])):
        for stream in (sys.stdin, sys.stdout, sys.stderr):  # the binary's, whatever the locale says
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(encoding="utf-8")
        sys.exit(importlib.import_module("." + module, __package__).main(sys.argv[2:]))
    path = find_bin()
    if os.name != "nt":
        os.execv(path, [path, *sys.argv[1:]])
    try:
        sys.exit(subprocess.run([path, *sys.argv[1:]], env=leashed()).returncode)
    except KeyboardInterrupt:
        sys.exit(130)


main()
