"""Regions of shared memory over gRPC, with tritonclient's own tools for them."""

import os

import numpy as np
from tritonclient.grpc import InferInput, InferRequestedOutput
from tritonclient.utils import np_to_triton_dtype
from tritonclient.utils import shared_memory as shm

from check import equal, refused, reverse_sequence, same, settle
from triton_grpc_infer import MODEL
from triton_grpc_infer import tensor as sent
from triton_types import LENS, tensors

SIZE = 1 << 16
HALF = SIZE // 2
INVALID, MISSING = "StatusCode.INVALID_ARGUMENT", "StatusCode.NOT_FOUND"


async def regions(client):
    key = f"flipd-grpc-{os.getpid()}"
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
    await cuda(client)


async def known(client, *name):
    """{name: (key, offset, byte_size)}"""
    reply = await settle(client.get_system_shared_memory_status(*name))
    return {name: (one.key, one.offset, one.byte_size)
            for name, one in reply.regions.items()}


async def registered(client, key):
    register = client.register_system_shared_memory
    await settle(client.unregister_system_shared_memory())
    equal("status of none", {}, await known(client))
    await settle(register("both", key, SIZE))
    wanted = {"both": (key, 0, SIZE)}
    equal("status", wanted, await known(client))
    equal("status of one", wanted, await known(client, "both"))
    await refused("twice", lambda: register("both", key, SIZE), INVALID, "both")
    await refused("too much", lambda: register("b", key, SIZE * 4), INVALID)
    await refused("no key", lambda: register("b", key + "-", SIZE), INVALID)
    await refused("status of another", lambda: known(client, "other"),
                  MISSING, "other")
    await settle(register("part/of it", key, HALF, HALF))
    equal("an offset", (key, HALF, HALF),
          (await known(client, "part/of it"))["part/of it"])
    await settle(client.unregister_system_shared_memory("part/of it"))


def tensor(name, x, region, offset):
    one = InferInput(name, list(x.shape), np_to_triton_dtype(x.dtype))
    one.set_shared_memory(region, x.nbytes, offset)
    return one


def placed(size, offset):
    output = InferRequestedOutput("Y")
    output.set_shared_memory("both", size, offset)
    return [output]


async def through(client, handle, x):
    shm.set_shared_memory_region(handle, [x])
    shm.set_shared_memory_region(handle, [LENS], 4096)
    there = tensor("input", x, "both", 0)
    given = [there, tensor("sequence_lens", LENS, "both", 4096)]
    want = reverse_sequence(x, LENS)
    shm.set_shared_memory_region(handle, [np.zeros(HALF, np.uint8)], HALF)
    result = await settle(client.infer(MODEL, given, outputs=placed(
        x.nbytes, HALF)))
    same(f"{x.dtype} in a region", want, shm.get_contents_as_numpy(
        handle, x.dtype, list(x.shape), HALF))
    equal("no data beside it", [b""], list(
        result.get_response().raw_output_contents))
    # One tensor in memory and one in the message, which then holds one only.
    result = await settle(client.infer(MODEL, [there, sent(
        "sequence_lens", LENS)]))
    got = result.as_numpy("Y")
    same(f"{x.dtype} out of a region", want, np.asarray(got).astype(x.dtype))


async def past_the_end(client):
    x = np.zeros((4, 3), np.float32)
    lens = tensor("sequence_lens", LENS, "both", 4096)
    for region, offset, status in (("both", SIZE - 8, INVALID),
                                   ("other", 0, MISSING)):
        given = [tensor("input", x, region, offset), lens]
        await refused(f"{region} at {offset}", lambda: client.infer(
            MODEL, given), status, region)
    given = [tensor("input", x, "both", 0), lens]
    await refused("an output too long", lambda: client.infer(
        MODEL, given, outputs=placed(8, HALF)), INVALID)


async def unregistered(client):
    unregister = client.unregister_system_shared_memory
    await settle(unregister("both"))
    await settle(unregister("both"))
    await settle(unregister())
    equal("none is left", {}, await known(client))


async def cuda(client):
    """CUDA memory: none exists; the stock examples use the calls all the
    same."""
    await settle(client.unregister_cuda_shared_memory())
    await settle(client.unregister_cuda_shared_memory("g"))
    status = await settle(client.get_cuda_shared_memory_status())
    equal("CUDA", 0, len(status.regions))
    await refused("CUDA", lambda: client.register_cuda_shared_memory(
        "g", b"aGFuZGxl", 0, 64), "StatusCode.UNIMPLEMENTED")
