"""Serves a Python function as a model on the loopback interface. It loads an HTTP server, so it is imported late."""

from __future__ import annotations

import http.server
import json
import queue
import secrets
import threading
import time
from typing import Any, cast

from ._errors import UsageError
from ._policy import Message, Policy, Sampling
from ._values import texts

_GATHERING = 0.005  # seconds that a batch waits for more requests
_MOST = 64 << 20  # bytes of a request
_COMMON = ("temperature", "top_p", "max_tokens", "stop")  # fields that are equal in a batch


class _Call:
    """A request that waits for its reply."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.messages: list[Message] = request["messages"] if "messages" in request else request["prompt"]
        self.sampling = {key: request[key] for key in _COMMON if key in request}
        self.seed: int | None = request.get("seed")
        self.reply: str | None = None
        self.done = threading.Event()


class Endpoint:
    """Serves a policy with the OpenAI protocol on a free port of 127.0.0.1. Requests need its key.

    The policy runs in the thread that calls `answer`, with that thread's device and gradient mode.
    """

    def __init__(self, policy: Policy, name: str) -> None:
        self._policy, self.name = policy, name
        self._calls: queue.SimpleQueue[_Call] = queue.SimpleQueue()
        self.key = secrets.token_urlsafe(24)
        self._closed = False
        endpoint = self

        class Handler(_Handler):
            owner = endpoint

        self._server = _Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def url(self) -> str:
        """The address, as for `--base-url`."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def answer(self, patience: float) -> None:
        """Lets the policy answer the waiting requests. It returns if none arrives within `patience` seconds."""
        try:
            calls = [self._calls.get(timeout=patience)]
        except queue.Empty:
            return
        until = time.monotonic() + _GATHERING
        while (left := until - time.monotonic()) > 0:
            try:
                calls.append(self._calls.get(timeout=left))
            except queue.Empty:
                break
        while calls:
            batch = [call for call in calls if call.sampling == calls[0].sampling]
            calls = [call for call in calls if call.sampling != batch[0].sampling]
            self._reply(batch)

    def _reply(self, batch: list[_Call]) -> None:
        sampling = cast(Sampling, dict(batch[0].sampling))
        seeds = [call.seed for call in batch if call.seed is not None]
        if len(seeds) == len(batch):
            sampling["seeds"] = seeds
        given = self._policy([call.messages for call in batch], sampling)
        try:
            replies = texts("replies", given)
            gave = "" if len(replies) == len(batch) else f"{len(replies)} replies"
        except UsageError as error:
            replies, gave = [], f"no list of texts ({error})"
        if gave:
            raise UsageError(
                f"the policy gave {gave} to {len(batch)} conversations: it returns a list with a text for each"
            )
        for call, reply in zip(batch, replies):
            for stop in sampling.get("stop", []):
                reply = reply.partition(stop)[0]
            call.reply = reply
            call.done.set()

    def ask(self, request: dict[str, Any]) -> str | None:
        """Returns the reply to a request, or None if the endpoint closes first."""
        call = _Call(request)
        self._calls.put(call)
        while not call.done.wait(0.5):
            if self._closed:
                return None
        return call.reply

    def close(self) -> None:
        """Stops serving. Requests that are still waiting fail."""
        self._closed = True
        self._server.shutdown()
        self._server.server_close()


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 1024  # episodes in flight connect at once


class _Handler(http.server.BaseHTTPRequestHandler):
    owner: Endpoint
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if not self._allowed():
            return
        if self.path.endswith("/models"):
            self._say(200, {"object": "list", "data": [{"id": self.owner.name, "object": "model"}]})
        else:
            self._say(404, {"error": {"message": "a policy answers /v1/models and /v1/chat/completions"}})

    def do_POST(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        if size > _MOST:
            return self._say(413, {"error": {"message": f"a request has {_MOST} bytes at most"}})
        body = self.rfile.read(size)
        if not self._allowed():
            return None
        request = json.loads(body)
        if "tools" in request:
            return self._say(400, {"error": {"message": "a function gives texts: a model that calls tools needs a server"}})
        reply = self.owner.ask(request)
        if reply is None:
            self.close_connection = True  # nobody waits for it: the run is being stopped
            return None
        said: dict[str, Any] = {"message": {"role": "assistant", "content": reply}, "text": reply}
        choice = {"index": 0, "finish_reason": "stop", **said}
        return self._say(200, {"object": "chat.completion", "model": self.owner.name, "choices": [choice]})

    def _allowed(self) -> bool:
        if secrets.compare_digest(self.headers.get("Authorization", "").encode(), f"Bearer {self.owner.key}".encode()):
            return True
        self._say(401, {"error": {"message": "wrong key"}})
        return False

    def _say(self, status: int, value: dict[str, Any]) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        try:
            self.end_headers()
            self.wfile.write(body)
        except ConnectionError:  # the run was stopped
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Logs nothing: a run has its own log."""
