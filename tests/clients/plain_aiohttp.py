"""aiohttp, many requests at once over few connections.

Usage: plain_aiohttp.py ADDRESS"""

import asyncio
import json
import sys

import aiohttp
import numpy as np
import yarl

from check import equal, reverse_sequence, run

MODEL = "/v2/models/onnx.ReverseSequence/infer"
LENS = np.array([4, 3, 2, 1], np.int64)


def question(x, binary):
    data = {"parameters": {"binary_data_size": x.nbytes}} if binary else \
        {"data": x.ravel().tolist()}
    head = json.dumps({
        "parameters": {"binary_data_output": binary},
        "inputs": [
            {"name": "input", "datatype": "INT32", "shape": x.shape, **data},
            {"name": "sequence_lens", "datatype": "INT64", "shape": [4],
             "data": LENS.tolist()}]}).encode()
    headers = {"Inference-Header-Content-Length": str(len(head))}
    return head + (x.tobytes() if binary else b""), headers


async def in_pieces(body):
    for i in range(0, len(body), 100):
        yield body[i:i + 100]
        await asyncio.sleep(0)


async def ask(session, i):
    x = np.arange(i, i + 16, dtype=np.int32).reshape(4, 4)
    body, headers = question(x, i % 2 == 0)
    if i % 3 == 0:
        body = in_pieces(body)
    async with session.post(MODEL, data=body, headers=headers,
                            compress="deflate" if i % 5 == 0 else None,
                            ) as reply:
        got = await reply.read()
        what = f"request {i}: {got[:200]!r}"
        equal(what, 200, reply.status)
        size = int(reply.headers.get("Inference-Header-Content-Length",
                                     len(got)))
    output = json.loads(got[:size])["outputs"][0]
    want = reverse_sequence(x, LENS)
    if i % 2 == 0:
        equal(what, want.tobytes(), got[size:])
    else:
        equal(what, want.ravel().tolist(), output["data"])


async def main(url):
    few = aiohttp.TCPConnector(limit=8)
    async with aiohttp.ClientSession(url, connector=few) as session:
        await asyncio.gather(*(ask(session, i) for i in range(300)))
        async with session.get("/v2/models/none") as reply:
            equal("status", 404, reply.status)
            equal("error", ["error"], list(await reply.json()))
        escaped = yarl.URL(f"{url}/v2/models/fl%69p/ready?a=%2F", encoded=True)
        async with session.get(escaped) as reply:
            equal("an escaped name", 200, reply.status)
        async with session.head("/v2/health/ready") as reply:
            equal("HEAD", 200, reply.status)


run(main(f"http://{sys.argv[1]}"))
