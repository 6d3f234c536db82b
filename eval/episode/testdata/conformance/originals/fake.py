#!/usr/bin/env python3
"""A model server with scripted replies that writes down what it is asked.

    fake.py --replies FILE --record FILE [--port N] [--model NAME]

FILE of replies is a JSON list of texts, in the order of the calls; after its end
the last one is repeated. An entry may also be an object: {"tool": NAME,
"arguments": {...}} is a tool call, {"status": N, "error": TEXT} a refusal. Every
call becomes a line of the record: {"path": ..., "body": ...}. The server speaks
chat and text completions of OpenAI's protocol, streamed if asked for, and lists
one model. It prints its address once it listens.
"""

import argparse
import http.server
import json
import sys
import threading


class Script:
    """The replies, and the file that records the requests."""

    def __init__(self, replies, record):
        self.replies, self.record, self.calls = replies, record, 0
        self.lock = threading.Lock()

    def next(self, path, body):
        with self.lock:
            self.record.write(json.dumps({"path": path, "body": body}, ensure_ascii=False) + "\n")
            self.record.flush()
            reply = self.replies[min(self.calls, len(self.replies) - 1)]
            self.calls += 1
            return reply


def cut(text, stops):
    """Ends a text before the first stop string, as servers do."""
    for stop in [stops] if isinstance(stops, str) else stops or []:
        text = text.split(stop, 1)[0]
    return text


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, status, value):
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self):
        model = {"id": self.server.model, "object": "model", "owned_by": "fake"}
        self.answer(200, {"object": "list", "data": [model]} if self.path.endswith("/models") else {})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.path.endswith("/completions"):
            self.answer(404, {"error": {"message": "this server only completes"}})
            return
        reply = self.server.script.next(self.path, body)
        if isinstance(reply, dict) and "status" in reply:
            self.answer(reply["status"], {"error": {"message": reply.get("error", "refused")}})
            return
        chat = self.path.endswith("/chat/completions")
        finish, said = "stop", {"role": "assistant", "content": ""}
        if isinstance(reply, dict):
            call = {"name": reply["tool"], "arguments": json.dumps(reply.get("arguments", {}))}
            said["content"], finish = reply.get("content"), "tool_calls"
            said["tool_calls"] = [{"index": 0, "id": "call_%d" % self.server.script.calls, "type": "function", "function": call}]
        else:
            said["content"] = cut(reply, body.get("stop"))
        whole = {"id": "fake", "created": 0, "model": body.get("model"), "object": "chat.completion" if chat else "text_completion"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        if body.get("stream"):
            self.stream(whole, said, finish, chat, usage)
            return
        choice = {"index": 0, "finish_reason": finish, "logprobs": None}
        choice.update({"message": said} if chat else {"text": said["content"]})
        self.answer(200, dict(whole, choices=[choice], usage=usage))

    def stream(self, whole, said, finish, chat, usage):
        whole["object"] = "chat.completion.chunk" if chat else "text_completion"
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        first = {"delta": said} if chat else {"text": said["content"]}
        last = {"delta": {}} if chat else {"text": ""}
        for part, reason in (first, None), (last, finish):
            chunk = dict(whole, choices=[dict(part, index=0, finish_reason=reason)])
            self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        self.wfile.write(b"data: " + json.dumps(dict(whole, choices=[], usage=usage)).encode() + b"\n\ndata: [DONE]\n\n")
        self.close_connection = True


def serve(replies, record, port=0, model="scripted"):
    """Returns a server that runs in a thread of its own."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    server.script, server.model = Script(replies, record), model
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--replies", required=True)
    p.add_argument("--record", required=True)
    p.add_argument("--port", type=int, default=0)
    p.add_argument("--model", default="scripted")
    a = p.parse_args()
    with open(a.replies, encoding="utf-8") as f:
        replies = json.load(f)
    if not isinstance(replies, list) or not replies:
        sys.exit(a.replies + " holds no list of replies")
    with open(a.record, "w", encoding="utf-8") as record:
        server = serve(replies, record, a.port, a.model)
        print("http://127.0.0.1:%d/v1" % server.server_address[1], flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
