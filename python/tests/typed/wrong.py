"""What a user may get wrong. A checker flags each line that is marked, and no other."""

# pyright: strict

import heldout

run = heldout.evaluate("expert", "pddl", out="runs/a", tempreature=3)  # wrong
run = heldout.evaluate("expert", "pddl", out="runs/a", temperature="hot")  # wrong
run = heldout.evaluate("expert", "pddl", agent="reakt")  # wrong
run = heldout.evaluate(7)  # wrong
run.tables("rate")  # wrong
run.tables("rates", interval="runs")  # wrong
run.figure("rate")  # wrong
run.figure("rates", reference="expert", order="given")
run.report(ordre="given")  # wrong
heldout.read("runs/*", backend="numpy")  # wrong
heldout.read("runs/*", backend="polars").episodes().groupby("env")  # wrong
for episode in heldout.episodes("runs/a"):
    print(episode["sucess"])  # wrong
pool = heldout.Pool("pddl", rewrd="delta")  # wrong
pool = heldout.Pool("pddl", reward="both")  # wrong
session = pool.open()[0]
session.reset(task="x")  # wrong
session.step(3)  # wrong
session.step("look").observation["txet"]  # wrong
heldout.make("alfworld", max_step=3)  # wrong
heldout.make_vec("alfworld")  # wrong


def tells(episode: heldout.Episode) -> str:
    return episode.observatoin  # wrong


async def waits(episode: heldout.AsyncEpisode) -> None:
    await episode.step(3)  # wrong


heldout.evaluate(tells, "pddl")  # wrong
