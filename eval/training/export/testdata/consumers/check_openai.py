"""OpenAI's published rules for files of chats. Arguments: the reference, a file in the form
of openai."""
import json
import sys

from expected import conversations

reference, file = sys.argv[1:]
with open(file, encoding="utf-8") as f:
    rows = [json.loads(line) for line in f]
want = conversations(reference)
assert len(rows) == len(want), (len(rows), len(want))
trained = 0
for row, messages in zip(rows, want):
    assert isinstance(row, dict) and list(row) == ["messages"], list(row)
    for m, w in zip(row["messages"], messages, strict=True):
        assert set(m) <= {"role", "content", "name", "function_call", "weight"}, set(m)
        assert m["role"] in ("system", "user", "assistant", "function"), m["role"]
        assert isinstance(m["content"], str) and m["content"], "content is missing"
        assert ("weight" in m) == (m["role"] == "assistant"), m
        assert m.get("weight", 0) in (0, 1) and not isinstance(m.get("weight"), bool), m
        assert (m["role"], m["content"], bool(m.get("weight"))) == (w["role"], w["content"], w["train"])
        trained += m.get("weight", 0)
    assert row["messages"][-1]["role"] == "assistant" and row["messages"][-1]["weight"] == 1
    assert any(m["role"] == "user" for m in row["messages"])
print("openai: %d examples, %d trained turns, as expected" % (len(rows), trained))
