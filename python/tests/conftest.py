import http.server
import json
import threading


import pytest

import heldout


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A finished run: expert and random on one PDDL game, two seeds."""
    out = tmp_path_factory.mktemp("runs") / "gripper"
    heldout.evaluate(["expert", "random"], "pddl", tasks="gripper", seeds=2, out=out, progress=False)
    return str(out)


@pytest.fixture()
def pool():
    with heldout.Pool("pddl") as pool:
        yield pool


@pytest.fixture()
def server():
    """A model behind the OpenAI protocol that always looks around. It keeps the requests."""
    requests: list[dict] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.answer({"object": "list", "data": [{"id": "tiny", "owned_by": "vllm", "max_model_len": 9000}]})

        def do_POST(self) -> None:
            requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            message = {"role": "assistant", "content": "Thought: so\nAction: look around"}
            self.answer(
                {
                    "id": "1",
                    "object": "chat.completion",
                    "created": 1,
                    "model": "tiny",
                    "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18},
                }
            )

        def answer(self, value: dict) -> None:
            body = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        threading.Thread(target=made.serve_forever).start()
        yield f"http://127.0.0.1:{made.server_port}/v1", requests
        made.shutdown()
