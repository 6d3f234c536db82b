"""Types at random into reading.z3 to reading.z8 in jericho 3.3.1, and writes the digests of what they show.

    python3 -m venv v && v/bin/pip install jericho==3.3.1
    v/bin/python envs/jericho/testdata/reading.py >envs/jericho/testdata/reading.sums

TestReading plays the same.
"""

import hashlib
import pathlib

import jericho

TURNS = (100, 1000)
PIECES = (
    "look,take,all,x,Take,LOOK,it, ,  ,.,;,?,!,\",',-,a,Z,0,>,é,É,Ä,ß,œ,æ,«,¿,×,Þ,ÿ,\xa0,€,日,😀,‘,’,“,”,‛,\u0085,\u009b,\t,"
    "\\_,\\\\,\\.,\\^,\\<,\\>,\\0,\\5,\\?,\\[,\\!,\\ ,\x1b,\x05"
).split(",")


def action(number):
    """Returns a number of 31 bits that follows another one, and the action that it means."""
    text = ""
    number = (number * 1103515245 + 12345) % 2**31
    for _ in range((number >> 8) % 12):
        number = (number * 1103515245 + 12345) % 2**31
        piece, times = (number >> 8) % len(PIECES), (number >> 16) % 40
        text += PIECES[piece] * max(times - 30, 1) + " " * (times % 2)
    return number, text


for version in (3, 4, 5, 8):
    story = pathlib.Path(__file__).with_name(f"reading.z{version}")
    env = jericho.FrotzEnv(str(story), seed=1)
    observation, _ = env.reset()
    digest = hashlib.sha256(observation.encode())
    print(version, end="")
    number = version
    for turn in range(1, max(TURNS) + 1):
        number, said = action(number)
        digest.update(env.step(said)[0].encode())
        if turn in TURNS:
            print("", digest.hexdigest()[:32], end="")
    print()
