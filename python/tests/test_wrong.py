"""Wrong calls end in exceptions of the package that say what to do."""

import asyncio
import os
import signal

import pytest

import heldout

gymnasium = pytest.importorskip("gymnasium", reason="pip install gymnasium")

HERE = os.path.dirname(__file__)


def env():
    return heldout.make("pddl")


def session():
    return heldout.Pool("pddl").open()[0]


def closed():
    pool = heldout.Pool("pddl")
    pool.close()
    return pool


def killed():
    one = session()
    one.reset(index=0)
    os.kill(one.child._process.pid, signal.SIGKILL)
    return one


def silent(conversations, sampling):
    return []


def played(*arguments, **keywords):
    return heldout.evaluate(*arguments, **{"tasks": "gripper/gen0-01", "progress": False, **keywords})


# What is called with a run, the exception, and what it says.
WRONG = {
    "make": (
        lambda run: heldout.make("alfwrld"),
        heldout.UsageError,
        'unknown environment "alfwrld" .did you mean alfworld',
    ),
    "make, keyword": (
        lambda run: heldout.make("pddl", max_step=3),
        heldout.UsageError,
        "^unknown keyword max_step; see heldout serve --help$",
    ),
    "make_vec": (lambda run: heldout.make_vec("pddl", 0), heldout.UsageError, "num_envs is 0, want at least 1"),
    "make_vec, environment": (lambda run: heldout.make_vec("pddle", 2), heldout.UsageError, "did you mean pddl"),
    "reset, option": (
        lambda run: env().reset(options={"task": "x"}),
        heldout.UsageError,
        "has no option 'task' .did you mean task_id.*; there are task_id, split, index",
    ),
    "reset, task": (lambda run: env().reset(options={"task_id": "x"}), heldout.StepError, 'no task "x" in split test'),
    "reset, index": (lambda run: session().reset(index=1000), heldout.StepError, "which has the tasks 0 to 59"),
    "reset, split": (lambda run: session().reset(split="trian"), heldout.StepError, "there are test, train"),
    "step, no reset": (lambda run: env().step("look"), heldout.StepError, "send reset first"),
    "step, type": (lambda run: session().step(3), heldout.UsageError, "an action, which is a text"),
    "evaluate": (lambda run: heldout.evaluate(), heldout.UsageError, 'needs a model: "vllm:NAME" with its base_url'),
    "evaluate, no models": (lambda run: heldout.evaluate([]), heldout.UsageError, "needs a model"),
    "evaluate, no name": (lambda run: heldout.evaluate(["expert", None]), heldout.UsageError, "needs a model"),
    "evaluate, number": (lambda run: heldout.evaluate(7), heldout.UsageError, "needs a model"),
    "evaluate, model": (lambda run: played("gpt", "pddl"), heldout.UsageError, "write vllm:NAME"),
    "evaluate, environment": (lambda run: played("expert", "alfwrld"), heldout.UsageError, "did you mean alfworld"),
    "evaluate, keyword": (
        lambda run: played("expert", "pddl", tempreature=3),
        heldout.UsageError,
        "^unknown keyword tempreature .did you mean temperature[?].; see",
    ),
    "evaluate, resume": (
        lambda run: played("expert", "pddl", resume=True),
        heldout.UsageError,
        "^unknown keyword resume: the same call resumes a run",
    ),
    "evaluate, value": (lambda run: played("expert", "pddl", temperature=-1), heldout.UsageError, "want at least 0"),
    "evaluate, type": (
        lambda run: played("expert", "pddl", timeout=30),
        heldout.UsageError,
        '^timeout is "30", want a time with its unit, such as 30s',
    ),
    "evaluate, seeds": (lambda run: played("expert", "pddl", seeds=0), heldout.UsageError, "write 0-0 for the seed 0"),
    "evaluate, tasks": (
        lambda run: played("expert", "pddl", tasks="x"),
        heldout.UsageError,
        'no task matches "x"; the first',
    ),
    "evaluate, preset": (
        lambda run: played("expert", preset="agentrefin"),
        heldout.UsageError,
        "did you mean agentrefine",
    ),
    "evaluate, data": (
        lambda run: played("expert", "pddl", data="/no"),
        heldout.UsageError,
        "/no does not exist; heldout data",
    ),
    "evaluate, server": (
        lambda run: played("vllm:x", "pddl", base_url="http://127.0.0.1:9/v1", retries=0, out="dead"),
        heldout.Error,
        "say where it is with base_url; .*, and wait_for_servers=10m waits",
    ),
    "evaluate, other run": (
        lambda run: played("expert", "babyai", tasks="0", out=run),
        heldout.Error,
        "or another out",
    ),
    "evaluate, function": (
        lambda run: played(silent, "pddl", out="silent"),
        heldout.UsageError,
        "gave 0 replies to 1 conversations: it returns a list with a text for each",
    ),
    "evaluate, no texts": (
        lambda run: played(lambda conversations, sampling: [None], "pddl", out="none"),
        heldout.UsageError,
        r"gave no list of texts \(replies.*\) to 1 conversations",
    ),
    "evaluate, one text": (
        lambda run: played(lambda conversations, sampling: "look", "pddl", out="one"),
        heldout.UsageError,
        r"gave no list of texts \(replies.*\) to 1 conversations",
    ),
    "read": (lambda run: heldout.read(run + "x"), heldout.NotFound, "x does not exist: give a run directory"),
    "read, pattern": (
        lambda run: heldout.read(run + "x*"),
        heldout.NotFound,
        "x. matches nothing: give a run directory",
    ),
    "read, nothing": (lambda run: heldout.read([]), heldout.UsageError, "at least one run directory"),
    "read, folder": (
        lambda run: heldout.read(HERE).tables(),
        heldout.Error,
        "not a run directory.*; heldout runs lists",
    ),
    "read, backend": (
        lambda run: heldout.read(run, backend="numpy"),
        heldout.UsageError,
        "there are pandas, polars, arrow",
    ),
    "episodes": (lambda run: heldout.episodes(run + "x"), heldout.NotFound, "give the directory of one run"),
    "table": (
        lambda run: heldout.read(run).tables("rate"),
        heldout.UsageError,
        "did you mean rates.*; there are headline",
    ),
    "table, others": (
        lambda run: heldout.read(run).tables("trials"),
        heldout.UsageError,
        "no table \"trials\"; they have",
    ),
    "table, value": (
        lambda run: heldout.read(run).tables("rates", interval="runs"),
        heldout.UsageError,
        "there are tasks, kinds, new-kinds",
    ),
    "figure": (
        lambda run: heldout.read(run).figure("rate"),
        heldout.UsageError,
        "did you mean rates.*; there are rates",
    ),
    "figure, others": (lambda run: heldout.read(run).figure("dose"), heldout.Error, "no run is a sweep"),
    "figure, file": (
        lambda run: heldout.read(run).figure("rates").save("a.pdf"),
        heldout.UsageError,
        "heldout plot. writes",
    ),
    "report": (lambda run: heldout.read(run).report("/no/a.html"), heldout.Error, "/no does not exist: make it first"),
    "pool, keyword": (
        lambda run: heldout.Pool("pddl", rewrd="delta").envs(),
        heldout.UsageError,
        "did you mean reward",
    ),
    "pool, reward": (
        lambda run: heldout.Pool("pddl", reward="both").envs(),
        heldout.UsageError,
        "there are success progress delta",
    ),
    "pool, open": (
        lambda run: heldout.Pool("pddl").open("babyai"),
        heldout.Error,
        "unknown environment .*; there are pddl",
    ),
    "pool, count": (lambda run: heldout.Pool("pddl").open(count=0), heldout.UsageError, "count is 0, want at least 1"),
    "pool, many": (lambda run: heldout.Pool("pddl").open(count=9999), heldout.Error, "count is 9999, want 1 to 4096"),
    "pool, split": (lambda run: heldout.Pool("pddl").tasks("pddl", "trian"), heldout.Error, "there are test, train"),
    "pool, fork": (lambda run: session().fork(0), heldout.UsageError, "want.* at least one copy"),
    "pool, closed": (lambda run: closed().open(), heldout.ServerDied, "the pool is closed: make a new one"),
    "pool, other": (
        lambda run: heldout.Pool("pddl").step([(session(), "look")]),
        heldout.StepError,
        "the session belongs to another process",
    ),
    "pool, dead": (lambda run: killed().step("look"), heldout.ServerDied, "exit code -9: make a new pool"),
    "cli": (lambda run: heldout.cli("rnu"), heldout.UsageError, 'unknown command "rnu"; did you mean run'),
}


@pytest.mark.parametrize("call", WRONG)
def test_wrong_call(run, tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    do, kind, says = WRONG[call]
    with pytest.raises(heldout.Error, match=says) as caught:
        do(run)
    assert type(caught.value) is kind and "/v1/envs" not in str(caught.value)


def test_missing_packages(run, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(heldout.MissingPackage, match="make needs Gymnasium: pip install gymnasium"):
        heldout.make("pddl")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(heldout.MissingPackage, match="pip install pandas"):
        heldout.read(run).episodes()


def test_renamed(tmp_path):
    """Earlier names of keywords work, with a hint at the line of the call. If both are given, the present one counts."""

    def cut(call, *arguments, **options):
        with pytest.warns(FutureWarning, match="max_steps is called step_limit now") as told:
            made = call(*arguments, **options)
        assert {hint.filename for hint in told} == {__file__}
        return made

    (one,) = cut(heldout.Pool, "pddl", max_steps=1).open()
    one.reset(index=0)
    assert one.step("look around").observation["truncated"]
    cut(one.reset, index=0, max_steps=1, step_limit=2)
    assert not one.step("look around").observation["truncated"]
    gym = env()
    cut(gym.reset, options={"index": 0, "max_steps": 1})
    assert gym.step("look around")[3]

    async def play():
        options = {"tasks": "gripper/gen0-01", "out": tmp_path, "progress": False}
        return await heldout.aevaluate("random", "pddl", max_steps=1, **options)

    run = cut(lambda: asyncio.run(play()))
    assert [len(episode["trajectory"]) for episode in heldout.episodes(run.run)] == [1]


def test_values():
    """What values become on a command line."""
    from heldout._flags import flags

    given = flags({"env": ["a", "b"], "stop": ["x,", "y"], "seeds": [0, 5], "data": None, "actions": False})
    assert set(given[::2]) == {"--set"}
    assert given[1::2] == ["env=a", "env=b", "stop=x,", "stop=y", "seeds=0-0,5-5", "actions=false"]
    given = flags({"held_in": {"m": ["a", "b"]}, "names": {"m": "M"}, "extra_body": {"top_k": 2}, "margin": 1.5})
    assert given[1::2] == ["held-in=m=a,b", "names=m=M", 'extra-body={"top_k": 2}', "margin=1.5"]
