"""`python -m heldout parquet`: writes the Parquet files of `heldout export`."""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnusedImport=false, reportUnknownLambdaType=false

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ._errors import Error, MissingPackage, UsageError
from ._frames import arrow, arrow_schema, rows

_USAGE = "want: python -m heldout parquet frames texts|numbers RUNS EPISODES [STEPS], or examples FORMAT FROM TO"
_TOGETHER = 1 << 15  # rows that are held in memory and compressed together
_TABLES = ("runs", "episodes", "steps")

Json = dict[str, Any]


def main(arguments: Sequence[str]) -> int:
    """Writes tables from the lines on standard input, or files of examples anew."""
    try:
        _imported()
        kind, named, files = "".join(arguments[:1]), "".join(arguments[1:2]), arguments[2:]
        if kind == "frames" and named in ("texts", "numbers") and len(files) in (2, 3):
            _frames(rows(sys.stdin, texts=named == "texts"), dict(zip(_TABLES, files)))
        elif kind == "examples" and len(files) == 2:
            _examples(named, *files)
        elif list(arguments) != ["examples"]:  # whoever asks so wants to know whether it works
            raise UsageError(_USAGE)
        return 0
    except Error as error:
        print(f"heldout: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1


def _imported() -> None:
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        raise MissingPackage(f"Parquet files need the package {error.name or error}: pip install pyarrow") from error


class _File:
    """A Parquet file whose rows are written in groups."""

    def __init__(self, name: str, schema: Any, gathered: Callable[[list[Json]], Any]) -> None:
        import pyarrow.parquet

        self._gathered = gathered
        self._rows: list[Json] = []
        self._writer = pyarrow.parquet.ParquetWriter(name, schema, compression="zstd", store_schema=False)
        if schema.metadata:
            self._writer.add_key_value_metadata(schema.metadata)

    def add(self, row: Json) -> None:
        self._rows.append(row)
        if len(self._rows) == _TOGETHER:
            self._flush()

    def _flush(self) -> None:
        self._writer.write_table(self._gathered(self._rows))
        self._rows = []

    def close(self) -> None:
        if self._rows:
            self._flush()
        self._writer.close()


def _frames(found: Iterable[tuple[str, Json]], names: dict[str, str]) -> None:
    def gathered(table: str) -> Callable[[list[Json]], Any]:
        return lambda together: arrow(table, together)

    files = {table: _File(name, arrow_schema(table), gathered(table)) for table, name in names.items()}
    for table, row in found:
        if table in files:
            files[table].add(row)
    for file in files.values():
        file.close()


def _examples(form: str, source: str, out: str) -> None:
    """Writes examples of a form, one a line, as a Parquet file."""
    import pyarrow

    schema = _schema(form)
    file = _File(out, schema, lambda together: pyarrow.Table.from_pylist(together, schema=schema))
    with open(source, encoding="utf-8") as lines:
        for line in lines:
            text = line.strip().rstrip(",")
            if text not in ("", "[", "]", "[]"):  # of AgentGym's list
                file.add(json.loads(text))
    file.close()


def _schema(form: str) -> Any:
    """Returns the columns of a format of `heldout export`."""
    import pyarrow as arrow

    text, flag, number, real = arrow.string(), arrow.bool_(), arrow.int64(), arrow.float64()

    def several(kind: Any) -> Any:
        return arrow.list_(arrow.field("element", kind, nullable=False))

    def record(optional: Sequence[str] = (), **kinds: Any) -> Any:
        return [arrow.field(name, kind, nullable=name in optional) for name, kind in kinds.items()]

    said = several(arrow.struct(record(role=text, content=text)))
    about = dict(id=text, env=text, task=text, kind=text, difficulty=text, perturbation=text, preset=text, model=text,
                 seed=number, outcome=text, progress=real, valid=several(flag), tokens=number, benchmark_use=text)  # fmt: skip
    trl = dict(about, turn=number, prompt=said, completion=said)
    pair = dict(about, rejected_id=text, turn=number, prompt=said, chosen=said, rejected=said)
    weighted = several(arrow.struct(record(["weight"], role=text, content=text, weight=number)))
    lossy = several(arrow.struct([arrow.field("from", text, nullable=False), *record(["loss"], loss=flag, value=text)]))
    from_value = several(arrow.struct([arrow.field("from", text, nullable=False), *record(value=text)]))
    forms = {
        "sharegpt": dict(about, turn=number, conversations=from_value),
        "openai": dict(messages=weighted),
        "trl": trl,
        "axolotl": dict(about, messages=several(arrow.struct(record(role=text, content=text, train=flag)))),
        "agentgym": dict(item_id=text, conversations=lossy, **about),
        "dpo": pair,
        "eto": pair,
        "step-dpo": pair,
        "kto": dict(trl, label=flag),
        "prm": dict(about, prompt=text, completions=several(text), labels=several(flag), progress_after=several(real)),
    }
    if form not in forms:
        raise UsageError(f"unknown format {form!r}; there are {', '.join(forms)}")
    return arrow.schema(record(**forms[form]))

