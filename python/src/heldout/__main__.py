"""Runs the binary: `python -m heldout`. Of its own commands, `log` logs runs to trackers, and `inspect`, `parquet` and
`tensorboard` write what `heldout export` and `heldout run --log` send.
"""

import os
import subprocess
import sys

from ._binary import find_bin, leashed


def main() -> None:
    if sys.argv[1:2] == ["log"]:
        from ._log import main as log

        sys.exit(log(sys.argv[2:]))
    if sys.argv[1:2] == ["inspect"]:
        from ._inspectlogs import main as inspect

        sys.exit(inspect(sys.argv[2:]))
    if sys.argv[1:2] == ["parquet"]:
        from ._parquet import main as parquet

        sys.exit(parquet(sys.argv[2:]))
    if sys.argv[1:2] == ["tensorboard"]:
        from ._tensorboard import main as tensorboard

        sys.exit(tensorboard(sys.argv[2:]))
    path = find_bin()
    if os.name != "nt":
        os.execv(path, [path, *sys.argv[1:]])
    try:
        sys.exit(subprocess.run([path, *sys.argv[1:]], env=leashed()).returncode)
    except KeyboardInterrupt:
        sys.exit(130)


main()
