"""1 000 000 FP32 numbers in JSON: each token keeps its text and moves to its
new index."""

import random
import re

from question import PATH, reverse_sequence
from wire import SCALE, Wire, equal, finish, request, true

TIME, BATCH = 1000, 1000


def token(dice):
    return dice.choice((
        lambda: str(dice.random()),
        lambda: str(dice.randint(-10 ** 9, 10 ** 9)),
        lambda: f"{dice.uniform(-1, 1):.3e}",
        lambda: f"{dice.uniform(-1, 1):.1E}",
        lambda: f"{dice.random():.30f}",
        lambda: "-0.0", lambda: "1e2", lambda: "0.10", lambda: "-0",
        lambda: "NaN", lambda: "-Infinity",
    ))()


dice = random.Random(11)
some = [token(dice) for _ in range(5003)]
tokens = [some[n * 31 % 5003] for n in range(TIME * BATCH)]
lens = [dice.randint(0, TIME) for _ in range(BATCH)]
expected = [row[0] for row in reverse_sequence(tokens, TIME, BATCH, 1, lens)]

# Numbers of one form, which the daemon scans on arrival.
plain = [str(n % 7919 / 8) for n in range(TIME * BATCH)]
plain_expected = [row[0]
                  for row in reverse_sequence(plain, TIME, BATCH, 1, lens)]

for tokens, expected, nested in ((tokens, expected, False),
                                 (tokens, expected, True),
                                 (plain, plain_expected, False)):
    text = ",".join(tokens)
    if nested:
        text = ",\n".join(
            "[" + ", ".join(tokens[t * BATCH:(t + 1) * BATCH]) + "]"
            for t in range(TIME))
    body = (
        '{"inputs":[{"name":"input","datatype":"FP32","shape":[1000,1000],'
        f'"data":[{text}]}},{{"name":"sequence_lens","datatype":"INT64",'
        f'"shape":[1000],"data":{lens}}}]}}').encode()
    with Wire() as wire:
        wire.socket.settimeout(30 * SCALE)
        wire.send(request("POST", PATH, body))
        reply = wire.reply()
    equal(f"nested={nested}: status of {reply}", 200, reply.status)
    data = re.search(rb'"data":\[([^\]]*)\]', reply.body)
    if true(f"nested={nested}: no flat data in {reply}", data):
        got = data.group(1).decode().split(",")
        if equal("numbers", len(expected), len(got)):
            wrong = [i for i in range(len(got)) if got[i] != expected[i]]
            true(f"{len(wrong)} tokens are wrong, the first is data"
                 f"{[(i, expected[i], got[i]) for i in wrong[:1]]}", not wrong)
finish()
