"""Regions of shared memory over HTTP or gRPC, with tritonclient's own tools for
them: `wire` is one of triton_forms.py."""

import os

import numpy as np
from ml_dtypes import bfloat16
from tritonclient.utils import np_to_triton_dtype
from tritonclient.utils import shared_memory as shm

from check import equal, refused, reverse_sequence, same, settle
from triton_infer import FEW as LENS
from triton_infer import MODEL, tensors

SIZE = 1 << 16
HALF = SIZE // 2


async def regions(client, wire):
    key = f"flipd-clients-{os.getpid()}"
    handle = shm.create_shared_memory_region("both", key, SIZE)
    try:
        await registered(client, wire, f"/{key}")
        for x in tensors():
            if x.dtype != np.object_:
                await through(client, wire, handle, x)
        await past_the_end(client, wire)
        await unregistered(client, wire)
    finally:
        shm.destroy_shared_memory_region(handle)
    await cuda(client, wire)


async def known(client, wire, *name):
    return wire.form(await settle(
        client.get_system_shared_memory_status(*name)))


async def registered(client, wire, key):
    register = client.register_system_shared_memory
    await settle(client.unregister_system_shared_memory())
    equal("status of none", [], await known(client, wire))
    await settle(register("both", key, SIZE))
    wanted = [{"name": "both", "key": key, "offset": 0, "byte_size": SIZE}]
    equal("status", wanted, await known(client, wire))
    equal("status of one", wanted, await known(client, wire, "both"))
    await refused("twice", lambda: register("both", key, SIZE), wire.INVALID,
                  "both")
    await refused("too much", lambda: register("b", key, SIZE * 4),
                  wire.INVALID)
    await refused("no such key", lambda: register("b", key + "-", SIZE),
                  wire.INVALID)
    await refused("status of another", lambda: known(client, wire, "other"),
                  wire.MISSING, "other")
    await settle(register(wire.NAME, key, HALF, HALF))
    equal("an offset", [HALF], [one["offset"] for one in await known(
        client, wire, wire.NAME)])
    await settle(client.unregister_system_shared_memory(wire.NAME))


def tensor(wire, name, x, region, offset=0):
    one = wire.input(name, list(x.shape), np_to_triton_dtype(x.dtype))
    return one.set_shared_memory(region, x.nbytes, offset)


def placed(wire, size, offset):
    output = wire.output("Y")
    output.set_shared_memory("both", size, offset)
    return [output]


async def through(client, wire, handle, x):
    shm.set_shared_memory_region(handle, [x])
    shm.set_shared_memory_region(handle, [LENS], 4096)
    there = tensor(wire, "input", x, "both")
    lens = tensor(wire, "sequence_lens", LENS, "both", 4096)
    want = reverse_sequence(x, LENS)
    # a region larger than the answer is no error
    for size in (x.nbytes, HALF):
        shm.set_shared_memory_region(handle, [np.zeros(HALF, np.uint8)], HALF)
        result = await settle(client.infer(MODEL, [there, lens],
                                           outputs=placed(wire, size, HALF)))
        same(f"{x.dtype} in a region", want, shm.get_contents_as_numpy(
            handle, x.dtype, list(x.shape), HALF))
        equal("no data beside it", False, wire.is_beside(result))
    for given in ([there, lens],
                  [there, wire.tensor("sequence_lens", LENS)]):
        result = await settle(client.infer(MODEL, given))
        got = np.asarray(result.as_numpy("Y"))
        # The client of gRPC widens BF16, which NumPy lacks, to FP32.
        same(f"{x.dtype} out of a region", want,
             got.astype(bfloat16) if x.dtype == bfloat16 else got)


async def past_the_end(client, wire):
    x = np.zeros((4, 3), np.float32)
    lens = tensor(wire, "sequence_lens", LENS, "both", 4096)
    for region, offset, status in (("both", SIZE - 8, wire.INVALID),
                                   ("other", 0, wire.MISSING)):
        given = [tensor(wire, "input", x, region, offset), lens]
        await refused(f"{region} at {offset}",
                      lambda: client.infer(MODEL, given), status, region)
    given = [tensor(wire, "input", x, "both"), lens]
    await refused("an output too long", lambda: client.infer(
        MODEL, given, outputs=placed(wire, 8, HALF)), wire.INVALID)


async def unregistered(client, wire):
    unregister = client.unregister_system_shared_memory
    await settle(unregister("both"))
    await settle(unregister("both"))
    await settle(unregister())
    equal("none is left", [], await known(client, wire))


async def cuda(client, wire):
    """CUDA memory: none exists; the stock examples use the calls all the
    same."""
    await settle(client.unregister_cuda_shared_memory())
    await settle(client.unregister_cuda_shared_memory("g"))
    equal("CUDA", [], wire.form(await settle(
        client.get_cuda_shared_memory_status())))
    await refused("CUDA", lambda: client.register_cuda_shared_memory(
        "g", wire.HANDLE, 0, 64), wire.UNKNOWN)
