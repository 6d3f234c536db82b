#!/usr/bin/env python3
"""Plays a game of TALES with its own agent and environment, against fake.py.

    play_tales.py --game NAME --seed N --replies FILE --record FILE
                  [--walkthrough] [--unsolved] [--steps N] [--stories DIR] [--alfworld DIR]

NAME is one of TALES' environments, such as ScienceWorldBoil. --walkthrough first
writes the game's own solution, with replies of other kinds in between, to --replies.
--unsolved then plays ScienceWorld without having the simulator make that solution:
TALES always has it made, which changes orders and draws in some tasks. The package from PyPI
has agent and environments, but not the script benchmark.py that joins them: this
script calls them instead, one step after the other, and ends with the game. What
benchmark.py adds (a line when a game starts again, the answer to a reply of two
lines) is not part of the comparison.

It needs Python 3.12 and

    pip install tale-suite==1.0.0rc2
    pip uninstall llm-gemini llm-anthropic llm-azure-openai
    pip install llm==0.27.1

With the newest llm, 0.36, TALES' agent sends only the last exchange and no system
message. Stories are copied from --stories, the folder jericho-game-suite, and the
games of ALFWorld from --alfworld, a folder with valid_seen and valid_unseen, which
get the grammar of the installed package; without them TALES downloads its own.
"""

import argparse
import importlib
import json
import os
import pathlib
import re
import shutil
import tempfile
import zipfile

import fake


def settings():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--game", required=True)
    p.add_argument("--seed", type=int, required=True)
    p.add_argument("--replies", required=True)
    p.add_argument("--record", required=True)
    p.add_argument("--walkthrough", action="store_true")
    p.add_argument("--unsolved", action="store_true")
    p.add_argument("--steps", type=int, default=100)
    p.add_argument("--stories")
    p.add_argument("--alfworld")
    return p.parse_args()


def local_stories(folder):
    """Has TALES copy stories instead of downloading them."""

    def copy(url, dst, **_):
        os.makedirs(dst, exist_ok=True)
        story = os.path.join(folder, url.rsplit("/", 1)[-1])
        if os.path.exists(story):
            shutil.copy(story, dst)

    importlib.import_module("tales.jericho.jericho_data").download = copy


def local_games(folder):
    """Has TALES unpack games from a folder, in the dialect of the package."""

    def pack(url, dst, **_):
        os.makedirs(dst, exist_ok=True)
        if not url.endswith(".zip"):
            return
        import alfworld
        grammar = (pathlib.Path(alfworld.__file__).parent / "data" / "alfred.twl2").read_text()
        domain = (pathlib.Path(alfworld.__file__).parent / "data" / "alfred.pddl").read_text()
        with zipfile.ZipFile(os.path.join(dst, url.rsplit("/", 1)[-1]), "w") as archive:
            for path in sorted(pathlib.Path(folder).rglob("game.tw-pddl")):
                game = json.loads(path.read_text())
                goal = re.search(r"Your task is to: ([^\"]*)", game["grammar"]).group(1)
                game["grammar"] = grammar.replace("UNKNOWN GOAL.", goal)
                game["pddl_domain"] = domain
                archive.writestr("json_2.1.1/" + str(path.relative_to(folder)), json.dumps(game))

    importlib.import_module("tales.alfworld.alfworld_data").download = pack


def main():
    a = settings()
    home = tempfile.mkdtemp()
    os.environ.update(LLM_USER_PATH=home, TALES_CACHE_HOME=home, OPENAI_API_KEY="none")
    if a.stories:
        local_stories(a.stories)
    if a.alfworld:
        local_games(a.alfworld)
    import gymnasium
    import tales  # registers the environments

    assert tales
    env = gymnasium.make("tales/%s-v0" % a.game, disable_env_checker=True)
    observation, infos = env.reset(seed=a.seed)
    if a.walkthrough:
        with open(a.replies, "w", encoding="utf-8") as f:
            json.dump(mixed(infos["extra.walkthrough"])[: a.steps], f)
    if a.unsolved:
        env.close()
        without_solution()
        env = gymnasium.make("tales/%s-v0" % a.game, disable_env_checker=True)
        observation, infos = env.reset(seed=a.seed)
    with open(a.replies, encoding="utf-8") as f:
        replies = json.load(f)
    with open(a.record, "w", encoding="utf-8") as record:
        server = fake.serve(replies, record)
        with open(os.path.join(home, "extra-openai-models.yaml"), "w") as f:
            f.write("- model_id: scripted\n  model_name: scripted\n  api_base: http://127.0.0.1:%d/v1\n" % server.server_address[1])
        play(a, env, observation, infos, min(a.steps, len(replies)))
    shutil.rmtree(home)


def without_solution():
    """Has the simulator of ScienceWorld make no solution."""
    import scienceworld

    load = scienceworld.ScienceWorldEnv.load

    def unsolved(env, *args, **named):
        return load(env, *args[:3], **dict(named, generateGoldPath=False))

    scienceworld.ScienceWorldEnv.load = unsolved


def mixed(solution):
    """Adds replies that no solution has: unknown, empty, with white space, repeated."""
    odd = ["look", "", "  inventory \n", "xyzzy the frob", "look", "look", "> wait", "Thought: wait"]
    out = []
    for i, action in enumerate(solution):
        out.append(action)
        if i % 6 == 5:
            out.append(odd[i // 6 % len(odd)])
    return out


def play(a, env, observation, infos, steps):
    import agents.llm

    agents.llm.get_token_counter = lambda model: lambda *_, **__: 0  # it would download a tokenizer
    options = agents.llm.build_argparser().parse_args(["--llm", "scripted", "--conversation"])
    agent = agents.llm.LLMAgent(**vars(options))
    task = infos.get("variationIdx", infos.get("extra.gamefile", ""))
    agent.reset(observation, infos, env)
    reward, done, best = 0, False, infos["score"]
    for _ in range(steps):
        action, _stats = agent.act(observation, reward, done, infos)
        observation, reward, done, infos = env.step(action)
        best = max(best, infos["score"])
        if done:
            break
    print(json.dumps({"game": a.game, "task": str(task), "score": best, "of": infos["max_score"], "done": done}))


if __name__ == "__main__":
    main()
