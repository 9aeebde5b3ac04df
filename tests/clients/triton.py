"""tritonclient: its synchronous client or its asyncio one, the same calls.

Usage: triton.py http|aio ADDRESS
"""

import sys

import check
import triton_admin
import triton_infer
import triton_memory
import triton_types


def connect(kind, address):
    if kind == "http":
        from tritonclient.http import InferenceServerClient
        return InferenceServerClient(address, concurrency=4)
    from tritonclient.http.aio import InferenceServerClient
    return InferenceServerClient(address, conn_limit=4)


async def main(kind, address):
    client = connect(kind, address)
    await triton_admin.every_call(client)
    await triton_types.every_type(client)
    await triton_infer.every_option(client)
    if kind == "http":
        triton_infer.many_at_once(client)
    await triton_memory.regions(client)
    await triton_memory.cuda(client)
    await check.settle(client.close())


check.run(main(sys.argv[1], sys.argv[2]))
