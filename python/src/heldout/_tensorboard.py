"""`python -m heldout tensorboard DIR`: writes the event files of `heldout run --log tensorboard:DIR`."""

# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportMissingTypeStubs=false, reportAttributeAccessIssue=false, reportUnknownArgumentType=false

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from ._errors import Error, MissingPackage, UsageError


def main(arguments: Sequence[str]) -> int:
    """Writes the points on standard input, a line of JSON for each step, as a file of its own beside others in DIR."""
    try:
        if len(arguments) != 1:
            raise UsageError("want: python -m heldout tensorboard DIR")
        _write(arguments[0])
        return 0
    except Error as error:
        print(f"heldout: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1


def _write(folder: str) -> None:
    try:
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary
        from tensorboard.summary.writer.event_file_writer import EventFileWriter
    except ImportError as error:
        lacks = f"event files need the package {error.name or error}"
        raise MissingPackage(f"{lacks}: pip install 'heldout[tensorboard]'") from error
    points = [json.loads(line) for line in sys.stdin]
    if not points:  # whoever asks wants to know whether it works
        return
    writer = EventFileWriter(folder, filename_suffix=".heldout")
    for point in points:
        values = [Summary.Value(tag=tag, simple_value=value) for tag, value in point["values"].items()]
        writer.add_event(Event(wall_time=point["time"], step=point["step"], summary=Summary(value=values)))
    writer.close()
