"""Records as columns, from the lines that `heldout export --format records` writes."""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ._values import nanoseconds

SCHEMA = 1  # the version of the columns; a new column does not change it

# The columns of tables, each with its type; those with a question mark are null where a record has nothing to say.
_COLUMNS = {
    "runs": """
        text run dir state env source settings model agent
        text? preset preset_sha256
        text perturbation
        int64 seed
        int32 step_limit
        text prompt_hash
        double? temperature top_p
        int32? max_tokens
        int32 planned finished failed_attempts
        double? success success_low success_high progress progress_low progress_high
        text interval
        int64 prompt_tokens completion_tokens
        double model_seconds
        time? started ended
        text tool_version commit
        text? server_software server_version model_digest player_version player_source
    """,
    "episodes": """
        text run id
        int32 attempt
        bool counts
        text env source task
        int32 task_index
        text task_type difficulty model agent
        int64 seed
        text perturbation
        int32? trial
        text? preset
        text outcome
        text? error
        bool success
        double progress
        double? score
        bool? loose_success
        double grounding
        int32 steps format_errors
        int32 faults_refused faults_cut_off faults_tool_calls faults_only_reasoning faults_no_content
        int32 faults_empty faults_no_action
        int32 trimmed forgotten
        int32? memory_count
        text? cut
        texts servers
        int64 prompt_tokens completion_tokens
        int32 calls requests
        double model_seconds
        time started ended
        text? goal observation
    """,
    "steps": """
        text run id
        int32 attempt step
        text env task model
        int64 seed
        text? thought action observation reply reasoning parsed
        double progress
        bool valid understood
        double? score
        bool format_error
        text? finish_reason fault old_form new_form
        texts repairs
        int32 prompt_tokens completion_tokens
        double model_seconds
        texts sent
    """,
}
_SAID = ("goal", "observation", "thought", "action", "reply", "reasoning", "parsed")
_NOTHING: dict[str, Any] = {"text": "", "int32": 0, "int64": 0, "double": 0.0, "bool": False, "texts": [], "time": 0}

Json = dict[str, Any]


class Column(NamedTuple):
    """A column; `kind` is a key of `_NOTHING`."""

    name: str
    kind: str
    optional: bool

    def value(self, row: Mapping[str, Any]) -> Any:
        """Returns the value of a row; times are microseconds since 1970."""
        found = row.get(self.name)
        if found is None:
            return None if self.optional else _NOTHING[self.kind]
        return nanoseconds(found) // 1000 if self.kind == "time" else found


def columns(table: str) -> list[Column]:
    """Returns the columns of "runs", "episodes" or "steps"."""
    found: list[Column] = []
    for line in _COLUMNS[table].split("\n"):
        kind, *names = line.split() or [""]
        found += [Column(name, kind.rstrip("?"), kind.endswith("?")) for name in names]
    return found


def rows(lines: Iterable[str], *, texts: bool) -> Iterator[tuple[str, Json]]:
    """Yields the rows of lines with the names of their tables. Without `texts`, what was said is left out."""
    for line in lines:
        values = json.loads(line)
        if "condition" in values:
            yield "runs", _condition(values)
            continue
        record: Json = values["record"]
        steps: list[Json] = record["trajectory"] or []
        for row in [] if texts else [record, *steps]:
            for name in _SAID:
                row.pop(name, None)
        faults = {f"faults_{name}": count for name, count in record.get("faults", {}).items()}
        memory = len(record.get("memory", [])) or None
        yield "episodes", {**record, **faults, "memory_count": memory, "run": values["run"], "counts": values["counts"]}
        keys = {name: record[name] for name in ("id", "attempt", "env", "task", "model", "seed")}
        for i, step in enumerate(steps):
            yield "steps", {**step, **keys, "run": values["run"], "step": i}


def _condition(line: Json) -> Json:
    condition: Json = line["condition"]
    preset, server = condition.get("preset") or {}, line["server"] or {}
    player: Json = condition.get("player") or {}
    settings = json.dumps(condition.get("settings") or {}, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    rates = {
        name + suffix: line[name][key]
        for name in ("success", "progress")
        for suffix, key in (("", "mean"), ("_low", "low"), ("_high", "high"))
    }
    return {
        **condition,
        **(condition.get("decoding") or {}),
        **line,
        **rates,
        "state": "complete" if line["complete"] else "incomplete",
        "settings": settings.translate({ord(c): f"\\u{ord(c):04x}" for c in "<>&"}),
        "preset": preset.get("name"),
        "preset_sha256": preset.get("sha256"),
        "tool_version": line["tool"]["version"],
        "commit": line["tool"].get("commit"),
        "server_software": server.get("software"),
        "server_version": server.get("version"),
        "model_digest": server.get("digest"),
        "player_version": player.get("version") or None,
        "player_source": player.get("source") or None,
    }


def arrow_schema(table: str) -> Any:
    import pyarrow

    kinds = {
        "text": pyarrow.string(),
        "int32": pyarrow.int32(),
        "int64": pyarrow.int64(),
        "double": pyarrow.float64(),
        "bool": pyarrow.bool_(),
        "texts": pyarrow.list_(pyarrow.field("element", pyarrow.string(), nullable=False)),
        "time": pyarrow.timestamp("us", tz="UTC"),
    }
    fields = [pyarrow.field(c.name, kinds[c.kind], nullable=c.optional) for c in columns(table)]
    return pyarrow.schema(fields, metadata={"heldout.schema": str(SCHEMA)})


def arrow(table: str, found: Iterable[Json]) -> Any:
    """Returns rows as a table of pyarrow."""
    import pyarrow

    return pyarrow.table(_gathered(table, found), schema=arrow_schema(table))


def pandas_frame(table: str, found: Iterable[Json]) -> Any:
    import pandas

    return arrow(table, found).to_pandas(types_mapper=pandas.ArrowDtype)


def polars_frame(table: str, found: Iterable[Json]) -> Any:
    import polars

    kinds: dict[str, Any] = {
        "text": polars.String,
        "int32": polars.Int32,
        "int64": polars.Int64,
        "double": polars.Float64,
        "bool": polars.Boolean,
        "texts": polars.List(polars.String),
        "time": polars.Datetime("us", "UTC"),
    }
    return polars.DataFrame(_gathered(table, found), schema={c.name: kinds[c.kind] for c in columns(table)})


def _gathered(table: str, found: Iterable[Json]) -> dict[str, list[Any]]:
    of = columns(table)
    values: dict[str, list[Any]] = {c.name: [] for c in of}
    for row in found:
        for c in of:
            values[c.name].append(c.value(row))
    return values
