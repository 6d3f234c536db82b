"""Tests of fake.py and compare.py: python3 -m unittest, in this folder."""

import io
import json
import unittest
import urllib.error
import urllib.request

import compare
import fake

ONE = {"model": "a", "temperature": 0.0, "messages": [{"role": "user", "content": "Go on.\n> "}]}


def changed(**fields):
    return dict(ONE, **fields)


def message(role="user", content="Go on.\n> "):
    return [{"role": role, "content": content}]


class Compare(unittest.TestCase):
    def found(self, ours, ignored=(), original=(ONE,), path="/v1/chat/completions"):
        return "; ".join(compare.compare([("/v1/chat/completions", b) for b in original], [(path, b) for b in ours], set(ignored)))

    def test_equal(self):
        self.assertEqual(self.found([ONE]), "")
        self.assertEqual(self.found([changed(temperature=0)]), "")
        self.assertEqual(self.found([changed(model="b")], ["model"]), "")

    def test_differences(self):
        for want, ours in [
            ("request 1: messages[0].content: byte 8 of 9 and 8", [changed(messages=message(content="Go on.\n>"))]),
            ("byte 1 of 9 and 10", [changed(messages=message(content="Gö on.\n> "))]),
            ("messages[0].role", [changed(messages=message(role="system"))]),
            ("messages: 1 entries, ours 2", [changed(messages=message() * 2)]),
            ("temperature: 0.0, ours 0.4", [changed(temperature=0.4)]),
            ("temperature: 0.0, ours false", [changed(temperature=False)]),
            ("seed: nothing, ours null", [changed(seed=None)]),
            ("messages: ", [changed(messages=None)]),
            ("1 requests, ours 2", [ONE, ONE]),
            ("1 requests, ours 0", []),
        ]:
            self.assertIn(want, self.found(ours))
        less = {k: v for k, v in ONE.items() if k != "temperature"}
        self.assertIn("temperature: 0.0, ours nothing", self.found([less]))
        self.assertIn("path ", self.found([ONE], path="/v1/completions"))
        self.assertIn("request 2: model", self.found([ONE, changed(model="b")], original=[ONE, ONE]))


class Fake(unittest.TestCase):
    def setUp(self):
        self.record = io.StringIO()
        self.server = fake.serve(["look\nand wait", {"tool": "act", "arguments": {"a": 1}}, {"status": 400, "error": "too long"}], self.record)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def ask(self, path, body):
        url = "http://127.0.0.1:%d/v1%s" % (self.server.server_address[1], path)
        with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode()), timeout=30) as answer:
            return answer.read().decode()

    def test_replies_in_order(self):
        first = json.loads(self.ask("/chat/completions", {"stop": ["\n"]}))
        self.assertEqual(first["choices"][0]["message"]["content"], "look")
        call = json.loads(self.ask("/chat/completions", {}))["choices"][0]
        self.assertEqual(call["finish_reason"], "tool_calls")
        self.assertEqual(call["message"]["tool_calls"][0]["function"], {"name": "act", "arguments": '{"a": 1}'})
        for _ in range(2):  # the last reply stays
            with self.assertRaises(urllib.error.HTTPError) as refused:
                self.ask("/chat/completions", {"x": "ü"})
            refused.exception.close()
            self.assertEqual(refused.exception.code, 400)
        lines = [json.loads(line) for line in self.record.getvalue().splitlines()]
        self.assertEqual([line["body"] for line in lines], [{"stop": ["\n"]}, {}, {"x": "ü"}, {"x": "ü"}])

    def test_other_forms(self):
        self.assertEqual(json.loads(self.ask("/completions", {}))["choices"][0]["text"], "look\nand wait")
        streamed = self.ask("/chat/completions", {"stream": True})
        self.assertIn('"tool_calls"', streamed)
        self.assertTrue(streamed.endswith("data: [DONE]\n\n"))


if __name__ == "__main__":
    unittest.main()
