"""Agents of one's own: whole episodes from Python."""

import ast
import asyncio
import difflib
import functools
import json
import os
import random
import re
import runpy
import signal
import subprocess
import sys
import textwrap
import threading
import time
import types
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import heldout
from heldout.environment import Environment, Start, Step

OPTIONS = {"tasks": "gripper/gen0-01,gripper/gen0-02", "step_limit": 4, "progress": False, "data": ""}


def first(episode: heldout.Episode) -> None:
    episode.note(f"I remember {episode.task}", "memory")
    while not episode.done:
        episode.step(episode.actions()[0], thought="so", reply="so it is", usage={"input_tokens": 7, "output_tokens": 2})
    assert [t.observation for t in episode.history][-1] == episode.observation and len(episode.history) == 4
    assert (episode.outcome, episode.success) == ("failure", False)


async def first_async(episode: heldout.AsyncEpisode) -> None:
    episode.note(f"I remember {episode.task}", "memory")
    while not episode.done:
        action, _ = (await episode.actions())[0], await asyncio.sleep(0)
        observation = await episode.step(action, thought="so", reply="so it is", usage={"prompt_tokens": 7, "completion_tokens": 2})
        assert observation == episode.observation == episode.history[-1].observation


class First:
    def start(self, episode):
        episode.note(f"I remember {episode.task}", "memory")

    def act(self, episode):
        return heldout.Move(episode.actions()[0], "so", "so it is", {"prompt_tokens": 7, "completion_tokens": 2})


class FirstAsync(First):
    async def act(self, episode):
        return heldout.Move((await episode.actions())[0], "so", "so it is", {"prompt_tokens": 7, "completion_tokens": 2})

    async def end(self, episode):
        assert episode.done


AGENTS = [first, first_async, First, FirstAsync, First(), functools.partial(first)]


@pytest.mark.parametrize("agent", AGENTS, ids=str)
def test_forms(tmp_path, agent):
    """All forms of an agent play alike, and records have what they say."""
    run = heldout.evaluate(agent, "pddl", out=tmp_path / "run", seeds=2, concurrency=3, name="mine", **OPTIONS)
    episodes = list(heldout.episodes(run.run))
    assert [(e["model"], e["agent"], e["steps"]) for e in episodes] == [("agent:mine", "own", 4)] * 4
    for episode in episodes:
        step = episode["trajectory"][0]
        assert (step["thought"], step["reply"], step["prompt_tokens"]) == ("so", "so it is", 7)
        assert step["notes"] == [{"title": "memory", "text": f"I remember {episode['task']}"}]
        assert episode["prompt_tokens"] == 28 and episode["calls"] == 4
    assert run.metrics()["heldout/pddl/success"] == 0


def test_told(tmp_path):
    """An agent is told what heldout's own agents are told, and which episode it plays."""
    told = []

    def looking(episode):
        told.append((episode.env, episode.task, episode.kind, episode.split, episode.seed, episode.step_limit))
        assert episode.goal and episode.observation and "grip" in episode.instruction.lower() and episode.examples
        episode.step("look around")

    run = heldout.evaluate(looking, "pddl", out=tmp_path / "run", seeds=2, **OPTIONS)
    want = [("pddl", f"gripper/gen0-0{i}", "gripper", "test", seed, 4) for i in (1, 2) for seed in (0, 1)]
    assert sorted(told) == want
    assert {(e["steps"], e["outcome"]) for e in heldout.episodes(run.run)} == {(1, "failure")}  # it gave up


def test_changed(tmp_path):
    """Another agent does not go on with a run, and the same one does."""
    heldout.evaluate(first, "pddl", out=tmp_path / "run", name="mine", **OPTIONS)
    heldout.evaluate(first, "pddl", out=tmp_path / "run", name="mine", seeds=2, **OPTIONS)
    with pytest.raises(heldout.Error, match="the player behind agent:mine is not the one with recorded results"):
        heldout.evaluate(First, "pddl", out=tmp_path / "run", name="mine", seeds=2, **OPTIONS)
    heldout.evaluate(first, "pddl", out=tmp_path / "versions", name="mine", version="1", **OPTIONS)
    with pytest.raises(heldout.Error, match="version 1, now version 2"):
        heldout.evaluate(first, "pddl", out=tmp_path / "versions", name="mine", version="2", **OPTIONS)


def test_async_run(tmp_path):
    async def both():
        return await asyncio.gather(
            heldout.aevaluate(first_async, "pddl", out=tmp_path / "a", **OPTIONS),
            heldout.aevaluate(first, "pddl", out=tmp_path / "b", **OPTIONS),
        )

    for run in asyncio.run(both()):
        assert len(list(heldout.episodes(run.run))) == 2


class Doors(Environment):
    name, version, step_limit, instruction = "doors", "1", 3, "Open the door."

    def tasks(self):
        return ["a", "b"]

    def start(self, task, seed):
        return Start("A door.", goal="Open it.")

    def step(self, action):
        return Step("Open." if action == "open" else "No.", done=action == "open", success=action == "open")


def test_own_environment(tmp_path):
    """An agent plays an environment of one's own, which lists no actions."""

    def opens(episode):
        with pytest.raises(heldout.UsageError, match="exec:doors does not list its valid actions"):
            episode.actions()
        assert episode.step("open") == "Open." and episode.done and episode.success

    run = heldout.evaluate(opens, Doors(), out=tmp_path / "run", progress=False)
    assert run.metrics()["heldout/exec:doors/success"] == 1


def returns_nothing(episode):
    pass


def steps_on(episode):
    while True:
        episode.step("look around")


async def steps_twice(episode):
    await asyncio.gather(episode.step("look around"), episode.step("look around"))


def raises(episode):
    episode.step("look around")
    raise KeyError("mine")


async def cancels(episode):
    await episode.step("look around")
    asyncio.current_task().cancel()
    await asyncio.sleep(1)


async def never_awaits(episode):
    while not episode.done:
        episode.step("look around")


def threads(episode):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: episode.step("look around"), range(8)))


def returns_text(episode):
    return "look around"


async def returns_text_async(episode):
    await episode.step("look around")
    return "look around"


def steps_with_a_number(episode):
    episode.step(7)


def says_a_wrong_usage(episode):
    episode.step("look around", usage=12)


def forks(episode):
    child = os.fork()
    if child == 0:
        try:
            episode.step("look around")
        except heldout.StepError:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    episode.step(7)


async def steps_elsewhere(episode):
    def work():
        async def step():
            await episode.step("look around")

        asyncio.run(step())

    await asyncio.to_thread(work)


def exits(episode):
    raise SystemExit(3)


def interrupts(episode):
    raise KeyboardInterrupt


async def interrupts_async(episode):
    await episode.step("look around")
    raise KeyboardInterrupt


async def exits_async(episode):
    await episode.step("look around")
    sys.exit(3)


def reads_input(episode):
    episode.step(input("What now? "))


def evaluates_inside(episode):
    heldout.evaluate(lambda inner: None, "pddl", out=os.devnull, **OPTIONS)


def steps_and_returns_a_coroutine(episode):
    return first_async(episode)


def steps_in_another_thread_after_the_end(episode):
    while not episode.done:
        episode.step("look around")
    with ThreadPoolExecutor(1) as pool:
        pool.submit(episode.step, "look around").result()


class ActsWithNothing:
    def act(self, episode):
        return None


class ActsWithANumber:
    def act(self, episode):
        return heldout.Move("look", usage=3)


class ActsAsync:
    async def act(self, episode):
        return ["look"]


class Raises:
    def act(self, episode):
        raise KeyError("mine")


class StartsAndSteps:
    def start(self, episode):
        episode.step("look around")

    async def act(self, episode):
        return "look around"


class EndsWithAStep:
    def act(self, episode):
        return "look around"

    def end(self, episode):
        episode.step("look around")


MISUSES = {
    returns_nothing: "the agent returned without a step: it plays with episode.step",
    steps_on: r"the episode has ended \(failure\): leave the loop once episode.done is true",
    steps_twice: "the step before is not over: an episode takes one at a time",
    raises: "KeyError: 'mine'",
    cancels: "the agent's task was cancelled",
    never_awaits: "await episode.step",
    # Threads overlap, or one of them comes after the last step.
    threads: "the step before is not over: an episode takes one at a time|the episode has ended",
    returns_text: "the agent returned 'look around', of the type str, which nobody reads",
    returns_text_async: "the agent returned 'look around', of the type str, which nobody reads",
    steps_with_a_number: "action is 7, of the type int; want a text",
    says_a_wrong_usage: "usage is 12, of the type int; want prompt_tokens and completion_tokens",
    forks: "action is 7, of the type int; want a text",
    steps_elsewhere: "an async agent steps in the event loop that runs it",
    exits: "SystemExit: 3",
    exits_async: "SystemExit: 3",
    interrupts: "KeyboardInterrupt",
    interrupts_async: "KeyboardInterrupt",
    reads_input: "EOFError|reading from stdin while output is captured",
    evaluates_inside: "is a file: name a folder",
    steps_and_returns_a_coroutine: "the agent returned a coroutine, which nobody awaits: give heldout the async function",
    steps_in_another_thread_after_the_end: r"the episode has ended \(failure\)",
    ActsWithNothing: "action is None, of the type NoneType; want a text",
    ActsWithANumber: "usage is 3, of the type int; want prompt_tokens",
    ActsAsync: r"action is \['look'\], of the type list; want a text",
    Raises: "KeyError: 'mine'",
    StartsAndSteps: "the step before is not over|await",
    EndsWithAStep: r"the episode has ended \(failure\)",
}


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize("agent", MISUSES, ids=lambda agent: agent.__name__)
def test_misuses(tmp_path, agent):
    """Whatever an agent does, its episode says in one sentence what was wrong."""
    with pytest.raises(heldout.Incomplete, match="episodes? without a result") as found:
        heldout.evaluate(agent, "pddl", out=tmp_path / "run", **OPTIONS)
    errors = [e["error"] for e in found.value.episodes]
    assert all(re.search(MISUSES[agent], error.splitlines()[0]) for error in errors), errors
    assert {e["outcome"] for e in found.value.episodes} == {"agent_error"}
    assert not any("_episode.py" in e or "_agent.py" in e for e in errors if agent is raises)


def yields(episode):
    yield "look around"


async def yields_async(episode):
    yield "look around"


class Yields:
    def act(self, episode):
        yield "look around"


class Needs(First):
    def __init__(self, model):
        self.model = model


@pytest.mark.parametrize(
    ("agent", "why"),
    [
        (yields, "the agent is a generator: it calls episode.step"),
        (yields_async, "the agent is a generator: it calls episode.step"),
        (Yields, "the agent is a generator: it calls episode.step"),
        (functools.partial(yields), "the agent is a generator: it calls episode.step"),
        (Needs, "the agent Needs cannot be made for an episode: missing a required argument: 'model'; give heldout functools"),
    ],
)
def test_refused(tmp_path, agent, why):
    """What can never play is refused before anything is played."""
    with pytest.raises(heldout.UsageError, match=why):
        heldout.evaluate(agent, "pddl", out=tmp_path / "run", **OPTIONS)
    assert not (tmp_path / "run").exists()


def decorated(function):
    @functools.wraps(function)
    def play(episode):
        return function(episode)

    return play


class Called:
    def __call__(self, episode):
        first(episode)

    def method(self, episode):
        first(episode)


@pytest.mark.parametrize(
    "agent",
    [lambda e: first(e), functools.partial(Needs, "m"), Needs("m"), Called(), Called().method, decorated(first)],
    ids=["lambda", "partial of a class", "object", "callable", "method", "decorated"],
)
def test_kinds(tmp_path, agent):
    """Whatever takes an episode plays."""
    run = heldout.evaluate(agent, "pddl", out=tmp_path / "run", version="1", **OPTIONS)
    assert [e["steps"] for e in heldout.episodes(run.run)] == [4, 4]


def test_programs_misuse(tmp_path):
    """Programs are told the same in a sentence each, and their episodes have no result."""
    answers = {
        '{}': "its answer to start has none of action, want, stop and error",
        '{"action": 7}': "in its answer to start, action is",
        '{"want": "goal"}': "it wants \"goal\", and only \"actions\" is to be had",
        '{"error": "KeyError: lamp"}': "the agent: KeyError: lamp",
        '{"action": "look", "usage": {"calls": -1}}': "it gives a usage of -1",
        '{"action": "look", "store": "abcdef0123"}': "it has a store, which needs",
        '{"action": "look", "store": "x"}': "it gives the store \"x\", want 8 to 64 hex digits",
        '{"step": "look"}': "no answer|unknown|step",
    }
    for number, (answer, why) in enumerate(answers.items()):
        program = tmp_path / "agent.py"
        program.write_text(
            "import json, sys\n"
            "for line in sys.stdin:\n"
            "    r = json.loads(line)\n"
            "    about = {'protocol': 1, 'name': 'mine', 'version': '1'}\n"
            f"    a = about if r['ask'] == 'describe' else {{}} if r['ask'] == 'end' else json.loads({answer!r})\n"
            "    print(json.dumps({'id': r['id'], **a}), flush=True)\n"
        )
        out = str(tmp_path / str(number))
        done = heldout.cli(
            "run", "--agent", f"exec:{sys.executable} {program}", "--env", "pddl", "--data", "", "--tasks",
            "gripper/gen0-01", "--quiet", "--out", out, check=False,
        )
        assert done.returncode and re.search(why, done.stderr.replace("\n  ", " ")), (answer, done.stderr)


def test_prints(tmp_path, capfd):
    """What an agent prints is its own."""

    def prints(episode):
        print("hello")
        os.write(1, b'{"id": 1}\n')
        first(episode)

    heldout.evaluate(prints, "pddl", out=tmp_path / "run", **OPTIONS)
    assert capfd.readouterr().out.count("hello") == 2


def test_no_version(tmp_path):
    """An agent without a source needs a version."""
    namespace = {}
    exec("def hidden(episode):\n    episode.step('look around')\n", namespace)
    hidden = namespace["hidden"]
    heldout.evaluate(hidden, "pddl", out=tmp_path / "run", version="1", **OPTIONS)


def test_slow(tmp_path):
    """An answer that takes too long costs its episode alone, and what it does later harms nobody."""
    freed = threading.Event()

    def slow(episode):
        if episode.task.endswith("1"):
            freed.wait(60)
            with pytest.raises(heldout.StepError, match="the episode was ended: .* has not answered"):
                episode.step("look around")
            assert episode.done
            return
        episode.step("look around")
        freed.set()
        first(episode) if not episode.done else None

    with pytest.raises(heldout.Incomplete, match="it has not answered \"start\" within 1s"):
        heldout.evaluate(slow, "pddl", out=tmp_path / "run", timeout="1s", concurrency=1, **OPTIONS)


def test_many(tmp_path):
    """A straggler holds nobody up: the others end while it waits for them."""
    ended, others = [], threading.Event()

    async def waits(episode):
        if episode.task == "gripper/gen0-01":
            await asyncio.to_thread(others.wait, 600)
        while not episode.done:
            await episode.step("look around")
        ended.append(episode.task)
        if len(ended) == 29:
            others.set()

    options = {**OPTIONS, "tasks": "gripper,blockworld"}
    run = heldout.evaluate(waits, "pddl", out=tmp_path / "run", concurrency=4, **options)
    assert len(list(heldout.episodes(run.run))) == len(ended) and ended[-1] == "gripper/gen0-01"


def test_signature():
    """How many parameters a function needs says what it is."""
    from heldout._agent import is_agent

    def policy(conversations, sampling=None):
        return []

    def tuned(episode, *, model="x", temperature=0.0):
        return None

    assert is_agent(tuned) and is_agent(first) and is_agent(First) and is_agent(First())
    assert is_agent(functools.partial(tuned, model="y")) and is_agent(lambda e: None)
    assert not is_agent(policy) and not is_agent(lambda c, s: []) and not is_agent("name") and not is_agent(print)


EXAMPLE = Path(__file__).parents[2] / "examples" / "agents" / "react.py"


def test_equal(tmp_path):
    """The example, which does what heldout's agent react does, makes the same requests and has the same results."""
    tasks = {"tasks": "gripper/gen0-0*,blockworld/gen0-0*", "data": "", "progress": False}
    expert = heldout.evaluate("expert", "pddl", out=tmp_path / "expert", **tasks)
    plans = {e["goal"] + e["observation"]: [t["action"] for t in e["trajectory"]] for e in heldout.episodes(expert.run)}
    (_, *lost), wrong = sorted(plans), ["look around", "check valid actions", "jump"]

    def scripted(messages):
        """Plays as the expert does in every task but one, in which it is wrong at times."""
        goal, _, observation = messages[0]["content"].rpartition("\nGoal: ")[2].partition("\nObservation: ")
        turn, plan = len(messages) // 2, plans[goal + observation]
        seen = messages[-1]["content"].splitlines()[-1]
        action = plan[turn] if goal + observation in lost and turn < len(plan) else wrong[turn % 3]
        return f"Thought: turn {turn}, after {seen[-40:].strip()}\nAction: {action}"

    asked = {"ours": [], "own": []}

    def policy(conversations, sampling):
        asked["ours"] += [json.dumps(messages) for messages in conversations]
        return [scripted(messages) for messages in conversations]

    react = runpy.run_path(str(EXAMPLE))["react"]

    def own(episode):
        def model(messages):
            asked["own"].append(json.dumps(messages))
            return scripted(messages), {"calls": 1}

        react(model, episode)

    def played(run):
        rows = sorted((e["task"], e["seed"], e) for e in heldout.episodes(run.run))
        fields = ("thought", "action", "observation", "progress", "valid")
        return [
            (task, seed, e["outcome"], e["progress"], e["grounding"], [[t[f] for f in fields] for t in e["trajectory"]])
            for task, seed, e in rows
        ]

    ours = played(heldout.evaluate(policy, "pddl", out=tmp_path / "ours", seeds=2, name="a", **tasks))
    theirs = played(heldout.evaluate(own, "pddl", out=tmp_path / "own", seeds=2, name="b", version="1", **tasks))
    assert ours == theirs and {"success", "failure"} == {row[2] for row in ours}
    assert sorted(asked["ours"]) == sorted(asked["own"]) and len(asked["own"]) > 100


KILLED = """
import sys, heldout
def first(episode):
    while not episode.done:
        episode.step(episode.actions()[len(episode.history) % 2], thought=f"{len(episode.history)}")
heldout.evaluate(first, "pddl", out=sys.argv[1], seeds=3, concurrency=8, data="", tasks="gripper,blockworld",
    version="1", progress=False)
"""
KILLS = int(os.environ.get("HELDOUT_AGENT_KILLS", 20 if os.environ.get("HELDOUT_LONG") else 6))


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="processes are found in /proc, which Linux has")
def test_kills(tmp_path):
    """The script of an agent, the run that it plays in and both are killed: no episode is lost, and none is there twice."""
    script = tmp_path / "agent.py"
    script.write_text(KILLED)

    def start(out):
        return subprocess.Popen([sys.executable, str(script), str(tmp_path / out)], stderr=subprocess.DEVNULL)

    def runner(owner):
        """Returns the binary of a script, once it runs."""
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                name, _, rest = path.read_text().rpartition(") ")
            except OSError:
                continue
            if int(rest.split()[1]) == owner and "heldout" in name:
                return int(path.parent.name)
        return None

    assert start("calm").wait() == 0
    draw = random.Random(7)
    for turn in range(KILLS):
        process = start("killed")
        until = time.monotonic() + draw.random() * 1.5
        while time.monotonic() < until and process.poll() is None:
            time.sleep(0.005)
        binary = runner(process.pid)
        for victim in [[process.pid], [binary], [binary, process.pid]][turn % 3]:
            if victim is not None and process.poll() is None:
                os.kill(victim, signal.SIGKILL)
        process.wait()
    for _ in range(50):
        if start("killed").wait() == 0:  # the last run may be there for a moment
            break
        time.sleep(0.1)

    def results(out):
        rows = [e for e in heldout.episodes(tmp_path / out) if e["outcome"] in ("success", "failure")]
        return sorted((e["id"], e["outcome"], json.dumps(e["trajectory"])) for e in rows)

    assert results("killed") == results("calm") and len(results("calm")) == 90


PAGE = Path(__file__).parents[2] / "cmd" / "heldout" / "topics" / "own-agent.md"


def test_page(tmp_path):
    """The Python of the page runs."""
    sections = dict(re.findall(r"\n([^\n]+)\n---+\n(.*?)(?=\n[^\n]+\n---|\Z)", PAGE.read_text(), re.DOTALL))

    def code(title):
        return textwrap.dedent("\n".join(re.findall(r"^    .*$|^$", sections[title], re.MULTILINE)))

    reply = types.SimpleNamespace(action="look around", thought="so", usage={"prompt_tokens": 2, "completion_tokens": 1})

    async def ask_async(*_):
        return reply

    played = []

    def evaluate(agent, env, **options):
        options = {**OPTIONS, **options, "version": "1", "out": tmp_path / agent.__name__, "limit": None}
        played.append(heldout.evaluate(agent, "pddl", **{k: v for k, v in options.items() if v is not None}))

    defined = re.split(r"\n(?=async def|class|heldout)", code("In Python: an agent is a function for an episode"))
    for part in defined[:3]:
        space = {"ask": ask_async if "await" in part else lambda *_: reply}
        exec(part, space)
        agent = space.get("Agent") or space["agent"]
        agent.__name__ = f"agent{len(played)}"
        exec(defined[3], {"agent": agent, "heldout": types.SimpleNamespace(evaluate=evaluate)})
    assert len(played) == 3

    space = {"re": re, "json": json, "difflib": difflib}
    exec(code("A custom parser: regex, JSON, an index, the nearest action"), space)
    actions = ["take mug 1", "go to desk 1"]
    for text in ("Thought: x\nAction: go to desk 1", '{"action": "go to desk 1"}', "go to the desk 1"):
        assert space["parsed"](text, actions) == "go to desk 1"


NOTEBOOK = EXAMPLE.parent / "own-agent.ipynb"


def test_notebook(tmp_path, monkeypatch):
    """The cells of the notebook run one after the other, in an event loop that runs."""
    monkeypatch.chdir(tmp_path)
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)
    space = {"__name__": "__main__"}

    async def run():
        for number, cell in enumerate(cells):
            if cell["cell_type"] == "code":
                code = compile("".join(cell["source"]), f"cell {number}", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
                waits = eval(code, space)
                if waits is not None:
                    await waits

    asyncio.run(run())
    assert len(list(heldout.episodes(space["run"].run))) == 2 and len(space["episode"]["trajectory"]) == 5


def test_sweep(tmp_path):
    """Perturbations are for an agent of one's own as for a model, and the names are those of the command line."""

    def agent(episode):
        while not episode.done:
            episode.step(episode.actions()[0])

    run = heldout.sweep(
        agent, "alfworld", out=tmp_path / "run", name="mine", limit=2, step_limit=3, data="", ind="none", progress=False
    )
    played = {(e["model"], e["perturbation"]) for e in heldout.episodes(run.run)}
    assert played == {("agent:mine", name) for name in ("none", "P1", "P2", "P3", "P4")}
    (row, *_) = run.tables("robustness")["robustness"].rows
    assert row["model"] == "mine" and None not in (row["condition_P1"], row["condition_P4"]), row
    with pytest.raises(heldout.UsageError, match="temperature says how heldout asks a model, and your agent asks its own"):
        heldout.evaluate(agent, "pddl", out=tmp_path / "sampled", temperature=0.5, **OPTIONS)
