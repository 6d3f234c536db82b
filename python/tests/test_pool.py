import asyncio
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import pytest

import heldout

LOOK = "look around"


def children() -> set[int]:
    """The processes of this one, by their parent."""
    found = set()
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = open(f"/proc/{name}/stat").read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(stat[1]) == os.getpid() and stat[0] != "Z":
            found.add(int(name))
    return found


def test_episode(pool):
    (session,) = pool.open()
    first = session.reset(index=0)
    assert first.text.startswith("Goal: ") and first.observation["task_id"] == pool.tasks("pddl")[0]["id"]
    step = session.step(LOOK)
    assert step.reward == 0 and not step.done and "goal" not in step.observation
    assert session.reset(index=0) == first


def test_errors(pool):
    (session,) = pool.open()
    with pytest.raises(heldout.StepError, match="send reset first"):
        session.step(LOOK)
    with pytest.raises(heldout.Error, match="unknown environment"):
        pool.tasks("chess")
    with pytest.raises(heldout.StepError, match="index 999999 is not in split"):
        session.reset(index=999999)
    results = pool.step([(session, {"index": 0}), (session, LOOK), (session, {"index": -7})])
    assert [r.error is None for r in results] == [True, True, False]
    with pytest.raises(heldout.UsageError, match='unknown environment "chess"'):
        heldout.Pool("chess").envs()


def test_actions(pool):
    session, other = pool.open(count=2)
    with pytest.raises(heldout.StepError, match="send reset first"):
        session.actions()
    session.reset(index=0, keys=True)
    other.reset(index=1)
    mine, theirs = pool.actions([session, other])
    assert mine and mine != theirs and mine == session.actions()
    key = session.reset(index=0, keys=True).observation["state_key"]
    session.actions()
    assert session.step(LOOK).observation["state_key"] == key
    assert asyncio.run(session.aactions()) == mine


def test_sampled_actions_are_recorded(tmp_path):
    with heldout.Pool("pddl", record=tmp_path) as pool:
        (session,) = pool.open()
        session.reset(index=0, step_limit=2)
        session.step(heldout.Sampled(LOOK, token_ids=range(3), logprobs=[-0.5, -1, -1.25]))
        with pytest.raises(heldout.StepError, match="there are 1 token_ids and 2 logprobs"):
            session.step(heldout.Sampled(LOOK, token_ids=[1], logprobs=[-1, -2]))
        session.step(heldout.Sampled(LOOK, logprobs=[-1.0]))
    (episode,) = heldout.episodes(tmp_path / "pddl")
    one, two = episode["trajectory"]
    assert one["token_ids"] == [0, 1, 2] and one["logprobs"] == [-0.5, -1, -1.25] and one["action"] == LOOK
    assert "token_ids" not in two and two["logprobs"] == [-1.0]


def test_forks(pool):
    one, two = pool.open(count=2)
    pool.step([(one, {"index": 0, "keys": True}), (two, {"index": 1})])
    (a, b), (c,) = pool.fork([(one, 2), (two, 1)])
    first, _, _, third = pool.step([(s, LOOK) for s in (a, b, one, c)])
    assert first.observation["state_key"] and "state_key" not in third.observation
    assert first.observation["task_id"] != third.observation["task_id"]
    pool.close_sessions([one])
    assert a.fork()[0].step(LOOK).observation["state_key"] == first.observation["state_key"]
    with pytest.raises(heldout.Error, match="want"):
        a.fork(0)
    with pytest.raises(heldout.Error, match="closed"):
        one.fork()


def test_options():
    with heldout.Pool("p1=pddl,perturb=verbs:1", reward="delta", actions=True, step_limit=2) as pool:
        (session,) = pool.open()
        assert session.reset(index=1).observation["actions"]
        assert not session.step(LOOK).done and session.step(LOOK).observation["truncated"]


def test_many_at_once(pool):
    """Threads and tasks share a pool; each gets its own answers."""
    sessions = pool.open(count=40)
    tasks = [t["id"] for t in pool.tasks("pddl")]

    def play(i: int) -> None:
        for n in range(5):
            assert sessions[i].reset(index=(i + n) % 9).observation["task_id"] == tasks[(i + n) % 9]
            sessions[i].step(LOOK)

    threads = [threading.Thread(target=play, args=(i,)) for i in range(40)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()

    async def together() -> None:
        results = await asyncio.gather(*(s.areset(index=i % 9) for i, s in enumerate(sessions)))
        assert [r.observation["task_id"] for r in results] == [tasks[i % 9] for i in range(40)]
        late = asyncio.ensure_future(sessions[0].astep(LOOK))
        await asyncio.sleep(0)
        late.cancel()
        with pytest.raises(heldout.StepError):
            await sessions[1].areset(index=10**9)
        assert (await sessions[0].astep(LOOK)).error is None

    asyncio.run(together())


def test_asyncio():
    """Everything of a pool, while the loop goes on."""

    async def play() -> None:
        async with heldout.Pool("pddl") as pool:
            assert await pool.aenvs() == pool.envs() and await pool.atasks("pddl") == pool.tasks("pddl")
            first, second = await pool.aopen(count=2)
            assert (await first.areset(index=2)).observation["task_id"] == pool.tasks("pddl")[2]["id"]
            results = await pool.astep([(first, LOOK), (second, {"index": 1})])
            assert [r.error for r in results] == [None, None]
            (fork,) = await first.afork()
            assert (await fork.astep(LOOK)).observation == (await first.astep(LOOK)).observation
            await second.aclose()
            with pytest.raises(heldout.StepError, match="closed"):
                await second.astep(LOOK)
            process = pool._child._process
        assert process.poll() is not None

    asyncio.run(play())


def test_more_entries_than_a_line_takes(pool):
    sessions = pool.open(count=3)
    pool.step([(s, {"index": 0}) for s in sessions])
    results = pool.step([(s, {"index": 0}) for _ in range(3000) for s in sessions])
    assert len(results) == 9000 and all(r.error is None for r in results)


@pytest.mark.parametrize("where", ["_send", "_receive"])
@pytest.mark.parametrize("late", [False, True])
def test_interrupted(pool, where, late):
    """Ctrl-C during a step, before or after it was sent or answered: the next answer is that of the next request."""
    (session,) = pool.open()
    session.reset(index=0)
    child = pool._child
    real = getattr(child, where)

    def interrupted(argument):
        setattr(child, where, real)
        if late:
            real(argument)
        raise KeyboardInterrupt

    setattr(child, where, interrupted)
    with pytest.raises(KeyboardInterrupt):
        session.step(LOOK)
    assert session.reset(index=1).observation["task_id"] == pool.tasks("pddl")[1]["id"]


def test_interrupted_for_others(pool):
    """Who waits for the exchange of another thread that is interrupted gets an error, and no hang."""
    sessions = pool.open(count=2)
    pool.step([(s, {"index": 0}) for s in sessions])
    child, found = pool._child, []

    def other() -> None:
        try:
            sessions[1].step(LOOK)
        except heldout.Error as error:
            found.append(str(error))

    def interrupted(line):
        raise KeyboardInterrupt

    with child.lock:  # both wait
        threads = [threading.Thread(target=other) for _ in range(2)]
        for t in threads:
            t.start()
        while len(pool._waiting) < 2:
            time.sleep(0.001)
        child.exchange = interrupted
        with pytest.raises(KeyboardInterrupt):
            pool._carry_out_all(child)
        del child.exchange
    for t in threads:
        t.join()
    assert found == ["the exchange was interrupted"] * 2
    assert sessions[1].step(LOOK).error is None


def test_long_lines(pool):
    """Requests and answers that are longer than a pipe holds."""
    sessions = pool.open(count=2000)
    pool.step([(s, {"index": 0, "actions": True}) for s in sessions])
    results = pool.step([(s, "x" * 4000 + "é\n\ud800") for s in sessions])
    assert not any(r.observation["valid"] for r in results)


def test_dead_child(pool):
    sessions = pool.open(count=4)
    pool.step([(s, {"index": 0}) for s in sessions])
    os.kill(pool._child._process.pid, signal.SIGKILL)
    for _ in range(2):
        with pytest.raises(heldout.ServerDied, match="exit code -9"):
            sessions[0].step(LOOK)


def test_closed(pool):
    (session,) = pool.open()
    session.close()
    with pytest.raises(heldout.StepError, match="the session is closed"):
        session.step(LOOK)
    child = pool._child._process.pid
    pool.close()
    assert child not in children()
    with pytest.raises(heldout.Error, match="closed"):
        session.step(LOOK)


def test_pickle(pool):
    with pickle.loads(pickle.dumps(pool)) as copy:
        assert copy.envs()[0]["name"] == "pddl"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_fork(pool):
    """The copy has a process of its own, and the end of it does not touch the parent's."""
    (session,) = pool.open()
    session.reset(index=0)
    copy = os.fork()
    if copy == 0:
        try:
            with pytest.raises(heldout.StepError, match="another process"):
                session.step(LOOK)
            ok = pool.open()[0].reset(index=1).error is None
            with pytest.raises(heldout.StepError, match="another process"):
                session.step(LOOK)
        except BaseException:
            ok = False
        pool.close()
        os._exit(0 if ok else 1)
    assert os.waitpid(copy, 0)[1] == 0
    assert session.step(LOOK).error is None


PARENT = """
import heldout, os, sys, threading
pool = heldout.Pool("pddl")
pool.open()[0].reset(index=0)
if "fork" in sys.argv and os.fork() == 0:
    import time
    time.sleep(60)
print(pool._child._process.pid, flush=True)
{end}
"""
ENDS = {
    "kill": "os.kill(os.getpid(), 9)",
    "exit": "sys.exit(0)",
    "hard exit": "os._exit(0)",
    "thread": "threading.Thread(target=pool.open()[0].step, args=('x',)).start(); sys.exit(1)",
    "exception": "raise RuntimeError",
}


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="looks for processes in /proc")
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("fork", [False, True])
def test_no_child_is_left(end, fork):
    code = PARENT.format(end=ENDS[end])
    parent = subprocess.Popen(
        [sys.executable, "-c", code, *(["fork"] if fork else [])], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    child = int(parent.stdout.readline())
    parent.wait()
    while os.path.exists(f"/proc/{child}") and "Z" not in open(f"/proc/{child}/stat").read().rpartition(")")[2][:3]:
        time.sleep(0.05)  # until it has ended; a child that stays is a test that does not end
    parent.stdout.close()


def test_earlier_names(run, tmp_path):
    """Earlier names of keywords work for one more version, with a warning at the line that uses them."""
    calls = [
        lambda: heldout.Pool("pddl", max_steps=2).open()[0].reset(index=0),
        lambda: heldout.Pool("pddl").open()[0].reset(index=0, max_steps=2),
        lambda: heldout.read(run).tables("rates", task="gripper/*"),
        lambda: heldout.evaluate("random", "pddl", max_steps=2, tasks="gripper", out=tmp_path / "run", progress=False),
    ]
    for call in calls:
        with pytest.warns(FutureWarning, match="called (--)?(step.limit|tasks) now") as warned:
            call()
        assert warned[0].filename == __file__


def test_step_limit():
    for reset in ({"index": 0, "step_limit": 1}, {"index": 0, "max_steps": 1}):
        with heldout.Pool("pddl", step_limit=9) as pool:
            (session,) = pool.open()
            assert [r.done for r in pool.step([(session, reset), (session, LOOK)])] == [False, True]
