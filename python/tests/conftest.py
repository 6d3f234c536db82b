import http.server
import json
import os
import threading
from pathlib import Path

import pytest

import heldout
from heldout._dialogue import shown

LOOK = "look around"


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A finished run: expert and random on one PDDL game, two seeds."""
    out = tmp_path_factory.mktemp("runs") / "gripper"
    heldout.evaluate(["expert", "random"], "pddl", tasks="gripper", seeds=2, out=out, progress=False)
    return str(out)


@pytest.fixture(scope="session")
def played() -> list[str]:
    with heldout.Pool("pddl") as pool:
        (session,) = pool.open()
        results = [session.reset(index=1, step_limit=2), session.step(LOOK), session.step(LOOK)]
    assert results[-1].observation["truncated"]
    return [shown(r.observation) for r in results]


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables of a process that finds this package with its entry points, as after `pip install`."""
    project = pytest.importorskip("tomllib", reason="Python 3.11").loads(
        (Path(__file__).parents[1] / "pyproject.toml").read_text()
    )["project"]
    found = tmp_path_factory.mktemp("installed") / "site-packages"
    about = found / "heldout-0.0.0.dist-info"
    about.mkdir(parents=True)
    for package in Path(heldout.__file__).resolve().parents[1].glob("heldout*"):
        (found / package.name).symlink_to(package)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: heldout\nVersion: 0.0.0\n")
    groups = [
        "\n".join([f"[{group}]", *(f"{name} = {module}" for name, module in entries.items())])
        for group, entries in project["entry-points"].items()
    ]
    (about / "entry_points.txt").write_text("\n".join(groups))
    return {**os.environ, "PYTHONPATH": str(found)}


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
            text = "Thought: so\nAction: look around"
            message = {"role": "assistant", "content": text}
            self.answer(
                {
                    "id": "1",
                    "object": "chat.completion",
                    "created": 1,
                    "model": "tiny",
                    "choices": [{"index": 0, "message": message, "text": text, "finish_reason": "stop"}],
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
