"""Plays a rollout through the openreward package, as a trainer does."""

from openreward import OpenReward
from openreward.api.errors import ToolCallError

env = OpenReward(api_key="none").environments.get("echo")
assert env.list_splits() == ["train"], env.list_splits()
tasks = env.list_tasks("train")
assert [t.task_spec["id"] for t in tasks] == ["echo/0", "echo/1", "echo/2"], tasks
assert [t.name for t in env.list_tools()] == ["act"]

with env.session(task=tasks[1]) as session:
    assert session.get_prompt()[0].text == "say win\n\nthis is echo/1"
    for tool, arguments in (("zap", {}), ("act", {"wrong": 1})):
        try:
            session.call_tool(tool, arguments)
            raise SystemExit(f"{tool} {arguments} is accepted")
        except ToolCallError:
            pass
    long = "ä" * 2000
    answer = session.call_tool("act", {"action": long})
    assert answer.blocks[0].text == "echo " + long
    assert (answer.reward, answer.finished) == (0.0, False)
    answer = session.call_tool("act", {"action": "win"})
    assert (answer.reward, answer.finished, answer.metadata["success"]) == (1.0, True, True)

with env.session(split="train", index=2) as session:
    assert session.get_prompt()[0].text == "say win\n\nthis is echo/2"
print("ok")
