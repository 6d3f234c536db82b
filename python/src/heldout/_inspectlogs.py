"""`python -m heldout inspect`: writes the episodes and calls that `heldout export --format inspect` sends as Inspect's logs."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportArgumentType=false, reportCallIssue=false, reportUnusedImport=false

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import IO, Any

from ._errors import Error, MissingPackage, UsageError
from ._values import nanoseconds

_USAGE = "want: python -m heldout inspect STAGING FOLDER [--force]"
_SCORES = {"success": "accuracy", "progress": "mean", "grounding": "mean", "unreadable": "share_of_replies"}
_STOPS = {"stop": "stop", "length": "max_tokens", "content_filter": "content_filter", "tool_calls": "tool_calls"}
_UNSAFE = {ord(c): "-" for c in '_/\\:+ *?"<>|'} | {n: "-" for n in range(32)}

Json = dict[str, Any]


def main(arguments: Sequence[str]) -> int:
    """Writes logs into the folder STAGING, and prints the name of each. A name in FOLDER is an error without --force."""
    try:
        if len(arguments) not in (2, 3) or arguments[2:] not in ([], ["--force"]):
            raise UsageError(_USAGE)
        _imported()
        answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)  # other packages print
        for log in _received(sys.stdin, arguments[1], force=len(arguments) == 3):
            log.write(arguments[0])
            print(log.name, file=answers, flush=True)
        return 0
    except Error as error:
        print(f"heldout: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1


def _imported() -> None:
    try:
        import inspect_ai.log  # noqa: F401
    except ImportError as error:
        lacks = f"logs of Inspect need the package {error.name or error}"
        raise MissingPackage(f"{lacks}: pip install 'heldout[inspect]'") from error


def _received(lines: IO[str], folder: str, *, force: bool) -> list[_Log]:
    """Returns the logs of what was sent: the conditions first, then their episodes."""
    logs: list[_Log] = []
    names: dict[str, str] = {}
    for line in lines:
        values = json.loads(line)
        if "record" in values:
            logs[values["condition"]].add(line)
            continue
        log = _Log(values)
        if log.name in names:
            raise UsageError(f"{values['run']} is the same run as {names[log.name]}: name one of them")
        if os.path.exists(os.path.join(folder, log.name)) and not force:
            raise UsageError(f"{os.path.join(folder, log.name)} exists; --force replaces it")
        names[log.name] = values["run"]
        logs.append(log)
    return logs


class _Log:
    """The log of a condition, with all its seeds. Its episodes wait in a file."""

    def __init__(self, of: Json) -> None:
        self._of = of
        self._condition: Json = of["condition"]
        self._spec = _spec(of)
        self._episodes = tempfile.SpooledTemporaryFile(1 << 20, "w+", encoding="utf-8")
        began, task = of["began"].replace("Z", "+00:00"), self._spec["task"].removeprefix("heldout/")
        self.name = "_".join([began.translate(_UNSAFE), task.translate(_UNSAFE), self._spec["task_id"]]) + ".eval"

    def add(self, line: str) -> None:
        self._episodes.write(line)

    def write(self, folder: str) -> None:
        from inspect_ai.log import EvalLog, write_eval_log

        with self._episodes:
            self._episodes.seek(0)
            samples = [_Sample(json.loads(line), self._of, self._spec["model"]).values() for line in self._episodes]
        order = {task: i for i, task in enumerate(self._of["tasks"])}
        samples.sort(key=lambda s: (s["epoch"], order[s["id"]]))
        plan = {
            "name": "plan",
            "config": self._spec["model_generate_config"],
            "steps": [{"solver": self._spec["solver"], "params": {"step_limit": self._condition["step_limit"]}}],
        }
        log: Json = {
            "version": 2,
            "status": _status(self._of),
            "eval": self._spec,
            "plan": plan,
            "results": self._results(samples),
            "stats": {"model_usage": _usage(self._of["spent"], self._condition, self._spec["model"])},
            "samples": samples,
            "reductions": [_reduction(name, samples, order) for name in _SCORES],
        }
        if samples:
            log["stats"]["started_at"] = min(s["started_at"] for s in samples)
            log["stats"]["completed_at"] = max(s["completed_at"] for s in samples)
        if log["status"] == "error":
            log["error"] = _error(_unfinished(self._of))
        write_eval_log(EvalLog.model_validate(log), os.path.join(folder, self.name), format="eval")

    def _results(self, samples: Sequence[Json]) -> Json:
        scores = []
        for name, mean in _SCORES.items():
            values = [s["value"] for s in _reduction(name, samples, {})["samples"]]
            metrics: dict[str, Json] = {}
            if name != "unreadable" and values:
                metrics = _metrics(mean, self._of[name], values)
            elif values and self._of["replies"]:
                metrics = {mean: {"name": mean, "value": self._of[name] / self._of["replies"]}}
            scores.append(
                {"name": name, "scorer": name, "scored_samples": len(values), "unscored_samples": 0, "metrics": metrics}
            )
        return {
            "total_samples": self._of["planned"],
            "completed_samples": self._of["finished"],
            "scores": scores,
            "headline": self._spec["headline_metric"],
        }


def _spec(of: Json) -> Json:
    """Returns what was evaluated, and how."""
    condition: Json = of["condition"]
    preset = condition.get("preset")
    name = preset["name"] if preset else condition["env"]
    if condition["perturbation"] != "none":
        name += "-" + condition["perturbation"]
    provider, served, model = condition["model"].partition(":")
    return {
        "eval_id": _identity("eval", of["identity"], of["key"]),
        "run_id": _identity("run", of["identity"]),
        "created": of["began"],
        "task": "heldout/" + name,
        "task_id": _identity("task", of["identity"], of["key"]),
        "task_version": of["data_sha256"][:12] if of.get("data_sha256") else condition["source"],
        "task_display_name": of["title"] if name == condition["env"] else f"{of['title']}, {name}",
        "task_args": condition.get("settings") or {},
        "solver": condition["agent"],
        "dataset": {
            "name": of["title"],
            "samples": len(of["tasks"]),
            "sample_ids": of["tasks"],
            "shuffled": False,
        },
        "model": f"{provider}/{model}" if served else "heldout/" + provider,
        "model_generate_config": _generation(condition.get("decoding"), of["seeds"]),
        "config": {
            "epochs": len(of["seeds"]),
            "epochs_reducer": ["mean"],
            "turn_limit": condition["step_limit"],
            "fail_on_error": False,
        },
        "packages": {"heldout": of["tool"]["version"]},
        "metadata": _metadata(of),
        "scorers": [
            {"name": name, "metrics": [{"name": m} for m in ([mean] if name == "unreadable" else [mean, "stderr"])]}
            for name, mean in _SCORES.items()
        ],
        "headline_metric": {"scorer": "success", "score": "success", "metric": "accuracy"},
    }


def _identity(*texts: str) -> str:
    return sha256("".join(f"{len(text.encode())} {text}" for text in texts).encode()).hexdigest()[:22]


def _generation(decoding: Json | None, seeds: Sequence[int]) -> Json:
    """Returns how replies were sampled. Each seed is an epoch."""
    if not decoding:
        return {}
    names = {"max_tokens": "max_tokens", "stop": "stop_seqs", "extra": "extra_body"}
    out = {to: decoding[of] for of, to in names.items() if decoding.get(of)}
    out |= {"top_p": decoding["top_p"], "temperature": decoding["temperature"]}
    return out | ({"seed": seeds[0]} if len(seeds) == 1 else {})


def _metadata(of: Json) -> Json:
    """Returns everything else that identifies the condition."""
    condition: Json = of["condition"]
    out = {
        "run": of["run"],
        "heldout_version": of["tool"]["version"],
        "behaviour": of["behaviour"],
        "environment": condition["env"],
        "seeds": of["seeds"],
        "planned_episodes": of["planned"],
        "finished_episodes": of["finished"],
        "commit": of["tool"].get("commit"),
        "prompt_sha256": condition.get("prompt_hash"),
        "perturbation_sha256": condition.get("perturbation_hash"),
    }
    out |= {name: condition[name] for name in ("source", "agent", "step_limit", "perturbation")}
    out |= {name: of.get(name) for name in ("data_sha256", "caveat", "stopped", "held_out", "server")}
    if preset := condition.get("preset"):
        out |= {"preset": preset["name"], "preset_sha256": preset["sha256"]}
    if player := condition.get("player"):
        out["player"] = player
    return {name: value for name, value in out.items() if value is not None and value != ""}


def _status(of: Json) -> str:
    """Returns how the evaluation ended. Samples with an error do not end it, but one that has no others failed."""
    unfinished = of.get("unfinished") or {}
    if of["going"]:
        return "started"
    if unfinished.get("", 0) + unfinished.get("cancelled", 0):
        return "cancelled"
    return "success" if of["finished"] else "error"


def _unfinished(of: Json) -> str:
    counts = ", ".join(f"{n} {outcome}" for outcome, n in sorted(of["unfinished"].items()))
    n = of["planned"] - of["finished"]
    return f"{n} planned episode{'' if n == 1 else 's'} without a result: {counts}"


def _error(message: str) -> Json:
    return {"message": message, "traceback": "", "traceback_ansi": ""}


def _usage(counts: Json, condition: Json, model: str) -> dict[str, Json]:
    return {model: _tokens(counts)} if condition.get("decoding") else {}


def _tokens(counts: Json) -> Json:
    """Returns counts of tokens. Those of prompts do not include the cached ones."""
    prompt, completion = counts.get("prompt_tokens", 0), counts.get("completion_tokens", 0)
    cached, reasoning = counts.get("cached_tokens", 0), counts.get("reasoning_tokens", 0)
    out = {"input_tokens": prompt - cached, "output_tokens": completion, "total_tokens": prompt + completion}
    out |= {"input_tokens_cache_read": cached} if cached else {}
    return out | ({"reasoning_tokens": reasoning} if reasoning else {})


def _metrics(mean: str, rate: Json, values: Sequence[float]) -> dict[str, Json]:
    """Returns the metrics of a rate. The interval is heldout's; stderr is Inspect's, over the tasks."""
    import statistics

    error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
    out: list[Json] = [{"name": mean, "value": rate["mean"]}, {"name": "stderr", "value": error}]
    for name, of in (("lower", "low"), ("upper", "high")):
        if of in rate:
            out.append({"name": name, "group": "heldout_ci95", "value": rate[of]})
    if "std" in rate:
        out.append({"name": "std_seeds", "value": rate["std"]})
    return {metric["name"]: metric for metric in out}


def _reduction(name: str, samples: Sequence[Json], order: Mapping[str, int]) -> Json:
    """Returns the means of a score over epochs, by task."""
    values: dict[str, list[float]] = {}
    for sample in samples:
        if "scores" in sample:
            value = sample["scores"][name]["value"]
            values.setdefault(sample["id"], []).append({"C": 1.0, "I": 0.0}.get(value, value))
    means = [{"sample_id": task, "value": sum(v) / len(v)} for task, v in values.items()]
    return {
        "scorer": name,
        "reducer": "mean",
        "samples": sorted(means, key=lambda mean: order.get(mean["sample_id"], 0)),
    }


class _Sample:
    """An attempt that counts."""

    def __init__(self, line: Json, of: Json, model: str) -> None:
        self._line = line
        self._record: Json = line["record"]
        self._condition: Json = of["condition"]
        self._model = model
        self._id = f"{self._record['id']}-{self._record.get('attempt', 0)}"
        self._known = 0  # messages with a number
        self._raw: list[Json] = []  # messages of the last call, as they came

    def values(self) -> Json:
        record = self._record
        steps = record["trajectory"]
        events, messages = self._events()
        if not self._line.get("calls"):
            messages = self._said(steps)
        out: Json = {
            "id": record["task"],
            "epoch": self._line["epoch"],
            "input": _task(record),
            "target": "",
            "metadata": self._metadata(),
            "model_usage": _usage(record, self._condition, self._model),
            "started_at": record["started"],
            "completed_at": record["ended"],
            "total_time": (nanoseconds(record["ended"]) - nanoseconds(record["started"])) / 1e9,
            "uuid": self._id,
            "turn_count": record["steps"],
            "messages": messages,
            "output": {"model": self._model, "choices": [], "completion": ""},
            "store": {},
            "events": events,
        }
        if steps:
            out["store"]["last_observation"] = steps[-1]["observation"]
            out["output"] = self._output(steps[-1], messages[-1], last=True)
        if record["outcome"] in ("success", "failure"):
            out["scores"] = self._scores()
        else:
            out["error"] = _error(record.get("error") or record["outcome"])
        if limit := self._limit():
            out["limit"] = limit
        return out

    def _metadata(self) -> Json:
        record = self._record
        out = {
            "kind": record["task_type"],
            "seed": record["seed"],
            "perturbation": record["perturbation"],
            "outcome": record["outcome"],
            "steps": record["steps"],
            "unreadable_replies": record["format_errors"],
            "attempt": record["attempt"],
        }
        more = {
            "difficulty": record.get("difficulty") or None,
            "reason": self._line.get("reason"),
            "preset_score": record.get("score"),
            "trimmed": record["trimmed"] or None,
        }
        if "unknown" in self._line:
            more["messages"] = "actions and observations: " + self._line["unknown"]
        return out | {name: value for name, value in more.items() if value is not None}

    def _scores(self) -> Json:
        record, steps = self._record, self._record["steps"]
        solved = {"value": "C", "explanation": f"solved in {steps} step{'' if steps == 1 else 's'}"}
        if not record["success"]:
            solved = {"value": "I", "explanation": f"{self._line['reason']}: {self._line['reason_means']}"}
        explained = {
            "progress": (record["progress"], "what was reached of the goal at the end"),
            "grounding": (record["grounding"], "the share of turns with a valid action"),
            "unreadable": (record["format_errors"], f"replies without an action, of {steps}"),
        }
        others = {name: {"value": value, "explanation": text} for name, (value, text) in explained.items()}
        return {"success": solved, **others}

    def _limit(self) -> Json | None:
        """Returns what ended the attempt before its task was solved."""
        record, most = self._record, self._condition["step_limit"]
        cut = record.get("cut")
        if record["outcome"] != "failure":
            return None
        if cut == "context_overflow":
            limit, reason = self._condition.get("context", 0), "the messages no longer fitted the context"
            return {"type": "context", "limit": float(limit), "reason": reason}
        if cut:
            return {"type": "custom", "limit": float(record["steps"]), "reason": f"ended early by the rule {cut}"}
        if record["steps"] >= most:
            return {"type": "turn", "limit": float(most), "reason": "the step limit was reached"}
        return None

    def _events(self) -> tuple[list[Json], list[Json]]:
        """Returns the calls and the steps in order, and the messages of the last call with its reply.

        Records do not say when a step was: its time is the start and the calls before it.
        """
        events: list[Json] = []
        calls: list[Json] = self._line.get("calls") or []
        sent: list[Json] = []
        seconds, next_call = 0.0, 0
        reply: Json | None = None
        for i, step in enumerate(self._record["trajectory"]):
            while next_call < len(calls) and calls[next_call]["step"] == i:
                before, call = calls[next_call - 1] if next_call else None, calls[next_call]
                sent = self._sent(call, before, sent, reply)
                reply = self._reply(call)
                next_call += 1
                last = next_call == len(calls) or calls[next_call]["step"] != i
                output = self._output(step, reply, last=last)
                about = {"model": self._model, "input": list(sent), "tools": [], "tool_choice": "none", "config": {}}
                if output.get("time"):
                    about["working_time"] = output["time"]
                events.append(self._event("model", len(events), seconds, about | {"output": output}))
            seconds += step.get("model_seconds", 0)
            did = {"step": i + 1, "action": step["action"], "valid": step["valid"], "progress": step["progress"]}
            did |= {"unreadable": True} if step.get("format_error") else {}
            did |= {"fault": step["fault"]} if step.get("fault") else {}
            events.append(self._event("info", len(events), seconds, {"source": "heldout", "data": did}))
        return events, sent + ([reply] if reply else [])

    def _event(self, kind: str, number: int, seconds: float, about: Json) -> Json:
        from datetime import datetime, timedelta, timezone

        passed = timedelta(microseconds=(nanoseconds(self._record["started"]) + int(seconds * 1e9)) // 1000)
        moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + passed
        at = {"timestamp": moment.isoformat(), "working_start": seconds}
        return {"uuid": f"{self._id}-e{number}", "event": kind, **at, **about}

    def _sent(self, call: Json, before: Json | None, sent: list[Json], reply: Json | None) -> list[Json]:
        """Returns the messages of a call. A message of the call before, and its reply, keep their ids."""
        raw, last = self._raw[: call.get("kept", 0)] + call["messages"], self._raw
        self._raw, out = raw, []
        for i, message in enumerate(raw):
            said = before is not None and reply is not None and message["role"] == "assistant" and i == len(sent)
            if i < len(sent) and last[i] == message:
                out.append(sent[i])
            elif said and before and reply and message["text"] == before.get("echo", before["reply"]["text"]):
                out.append(self._message(message, generated=True) if "echo" in before else reply)
                self._known += "echo" not in before
            else:
                out.append(self._message(message))
        return out

    def _reply(self, call: Json) -> Json:
        """Returns the reply to a call. Its id is that of the next message."""
        reply = self._message(call["reply"], generated=True)
        self._known -= 1
        return _reasoned(reply, self._record["trajectory"][call["step"]].get("reasoning"))

    def _message(self, message: Json, *, generated: bool = False) -> Json:
        out = {
            "id": f"{self._id}-{self._known}",
            "role": message["role"],
            "content": message["text"],
            "source": "generate" if generated else "input",
        }
        self._known += 1
        if generated:
            out["model"] = self._model
        tool = message.get("tool")
        if tool and message["role"] == "tool":
            out |= {"tool_call_id": tool.get("id", ""), "function": tool["name"]}
        elif tool:
            out["tool_calls"] = [_called(tool)]
        return out

    def _said(self, steps: Sequence[Json]) -> list[Json]:
        """Returns actions and observations, where no messages are known."""
        out = [self._message({"role": "user", "text": _task(self._record)})]
        for i, step in enumerate(steps):
            text = f"{step['thought']}\n{step['action']}" if step["thought"] else step["action"]
            said = self._message({"role": "assistant", "text": text}, generated=True)
            out.append(_reasoned(said, step.get("reasoning")))
            if i < len(steps) - 1:
                out.append(self._message({"role": "user", "text": step["observation"]}))
        return out

    def _output(self, step: Json, said: Json, *, last: bool) -> Json:
        """Returns a reply. What a step took is with the last one for it."""
        stop = _STOPS.get(step.get("finish_reason", ""), "unknown")
        content = said["content"]
        text = content if isinstance(content, str) else content[-1]["text"]
        out: Json = {"model": self._model, "choices": [{"message": said, "stop_reason": stop}], "completion": text}
        if self._condition.get("decoding") and last:
            out["usage"] = _tokens(step)
            if step.get("model_seconds"):
                out["time"] = step["model_seconds"]
        return out


def _task(record: Json) -> str:
    """Returns the task as the agent receives it."""
    return str(f"{record['goal']}\n\n{record['observation']}").strip()


def _reasoned(message: Json, reasoning: str | None) -> Json:
    if not reasoning:
        return message
    parts = [{"type": "reasoning", "reasoning": reasoning}, {"type": "text", "text": message["content"]}]
    return message | {"content": parts}


def _called(tool: Json) -> Json:
    out: Json = {"id": tool.get("id", ""), "function": tool["name"], "type": "function", "arguments": {}}
    try:
        out["arguments"] = json.loads(tool.get("arguments", ""))
        if not isinstance(out["arguments"], dict):
            raise ValueError("not an object")
    except ValueError as error:
        out |= {"arguments": {"arguments": tool.get("arguments", "")}, "parse_error": str(error)}
    return out
