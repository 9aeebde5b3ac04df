"""Regions of shared memory, with tritonclient's own tools for them."""

import os

import numpy as np
from tritonclient.http import InferInput, InferRequestedOutput
from tritonclient.utils import np_to_triton_dtype
from tritonclient.utils import shared_memory as shm

from check import equal, refused, reverse_sequence, same, settle
from triton_types import LENS, tensors

SIZE = 1 << 16
HALF = SIZE // 2


async def regions(client):
    key = f"flipd-clients-{os.getpid()}"
    handle = shm.create_shared_memory_region("both", key, SIZE)
    try:
        await registered(client, f"/{key}")
        for x in tensors():
            if x.dtype != np.object_:
                await through(client, handle, x)
        await past_the_end(client)
        await unregistered(client)
    finally:
        shm.destroy_shared_memory_region(handle)


async def registered(client, key):
    register = client.register_system_shared_memory
    status = client.get_system_shared_memory_status
    await settle(client.unregister_system_shared_memory())
    equal("status of none", [], await settle(status()))
    await settle(register("both", key, SIZE))
    wanted = [{"name": "both", "key": key, "offset": 0, "byte_size": SIZE}]
    equal("status", wanted, await settle(status()))
    equal("status of one", wanted, await settle(status("both")))
    await refused("twice", lambda: register("both", key, SIZE), "400", "both")
    await refused("too much", lambda: register("b", key, SIZE * 4), "400")
    await refused("no such key", lambda: register("b", key + "-", SIZE), "400")
    await refused("status of another", lambda: status("other"), "404", "other")
    await settle(register("part of it", key, HALF, HALF))
    equal("an offset", HALF,
          (await settle(status("part of it")))[0]["offset"])
    await settle(client.unregister_system_shared_memory("part of it"))


def tensor(name, x, region, offset):
    one = InferInput(name, list(x.shape), np_to_triton_dtype(x.dtype))
    return one.set_shared_memory(region, x.nbytes, offset)


def placed(size, offset):
    output = InferRequestedOutput("Y")
    output.set_shared_memory("both", size, offset)
    return [output]


async def through(client, handle, x):
    shm.set_shared_memory_region(handle, [x])
    shm.set_shared_memory_region(handle, [LENS], 4096)
    given = [tensor("input", x, "both", 0),
             tensor("sequence_lens", LENS, "both", 4096)]
    want = reverse_sequence(x, LENS)
    # a region larger than the answer is no error
    for size in (x.nbytes, HALF):
        shm.set_shared_memory_region(handle, [np.zeros(HALF, np.uint8)], HALF)
        result = await settle(client.infer("onnx.ReverseSequence", given,
                                           outputs=placed(size, HALF)))
        same(f"{x.dtype} in a region", want, shm.get_contents_as_numpy(
            handle, x.dtype, list(x.shape), HALF))
        equal("no data beside it", False, "data" in result.get_output("Y"))
    result = await settle(client.infer("onnx.ReverseSequence", given))
    same(f"{x.dtype} out of a region", want, result.as_numpy("Y"))


async def past_the_end(client):
    x = np.zeros((4, 3), np.float32)
    lens = tensor("sequence_lens", LENS, "both", 4096)
    for region, offset, status in (("both", SIZE - 8, "400"),
                                   ("other", 0, "404")):
        given = [tensor("input", x, region, offset), lens]
        await refused(f"{region} at {offset}", lambda: client.infer(
            "onnx.ReverseSequence", given), status, region)
    given = [tensor("input", x, "both", 0), lens]
    await refused("an output too long", lambda: client.infer(
        "onnx.ReverseSequence", given, outputs=placed(8, HALF)), "400")


async def unregistered(client):
    unregister = client.unregister_system_shared_memory
    await settle(unregister("both"))
    await settle(unregister("both"))
    await settle(unregister())
    equal("none is left", [],
          await settle(client.get_system_shared_memory_status()))


async def cuda(client):
    """CUDA memory: none exists; the stock examples use the routes all the
    same."""
    await settle(client.unregister_cuda_shared_memory())
    await settle(client.unregister_cuda_shared_memory("g"))
    equal("CUDA", [], await settle(client.get_cuda_shared_memory_status()))
    await refused("CUDA", lambda: client.register_cuda_shared_memory(
        "g", b"handle", 0, 64), "501")
