"""P16: twice as many requests as can be answered, in an open loop. Each costs
milliseconds: 1 MiB to inflate, reverse and deflate."""

import gzip
import json

from fault import PATH, Fault, pick, wire
from openloop import OpenLoop

SECONDS = pick(4, 60)
COUNT = 1 << 18


def costly():
    """The request and the body of its answer, checked by its size."""
    head = json.dumps({
        "parameters": {"binary_data_output": True},
        "inputs": [{"name": "input", "datatype": "FP32", "shape": [COUNT, 1],
                    "parameters": {"binary_data_size": 4 * COUNT}},
                   {"name": "sequence_lens", "datatype": "INT64", "shape": [1],
                    "data": [COUNT]}]}).encode()
    body = gzip.compress(head + bytes(4 * COUNT))
    request = wire.request("POST", PATH, body, [
        "Content-Encoding: gzip", "Accept-Encoding: gzip",
        f"Inference-Header-Content-Length: {len(head)}"])
    with wire.Wire() as one:
        one.send(request)
        reply = one.reply()
    wire.equal("the bytes of the answer", bytes(4 * COUNT),
               gzip.decompress(reply.body)[-4 * COUNT:])
    return request, reply.body


def attack(daemon):
    client = OpenLoop(*costly())
    peak = client.peak(8, pick(2, 10))
    normal = client.run(0.8 * peak.goodput, pick(3, 20))
    over = client.run(2 * peak.goodput, SECONDS)
    after = client.run(0.5 * peak.goodput, pick(2, 5))
    for name, result in ("80 %", normal), ("200 %", over), ("after", after):
        wire.true(f"{name}: {len(result.lost)} lost: {result.lost[:3]}",
                  not result.lost)
    slow = over.at(over.ok, 0.99)
    wire.true("nothing was refused", over.refused)
    wire.true(f"goodput fell from {peak.goodput} to {over.goodput}",
              over.goodput > 0.5 * peak.goodput)
    wire.true(f"accepted ones waited {slow} ms", slow < 2000 * wire.SCALE)
    return (f"peak {peak.goodput:.0f}/s; at 80 % p99 "
            f"{normal.at(normal.ok, 0.99):.0f} ms; at 200 % for {SECONDS} s "
            f"goodput {100 * over.goodput / peak.goodput:.0f} %, accepted p99 "
            f"{slow:.0f} ms, {len(over.refused)} times 503 with p99 "
            f"{over.at(over.refused, 0.99):.0f} ms; afterwards p99 "
            f"{after.at(after.ok, 0.99):.0f} ms, {len(after.refused)} refused")


Fault("P16", "overload").run(attack)
