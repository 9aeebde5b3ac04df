"""tritonclient over gRPC: its synchronous client or its asyncio one, the same
calls.

Usage: triton_grpc.py grpc|aio ADDRESS [CA]     over TLS when CA is a PEM file
"""

import sys

import check
import triton_admin
import triton_forms
import triton_grpc_infer
import triton_grpc_stream
import triton_memory


def connect(kind, address, ca=None):
    more = {"ssl": True, "root_certificates": ca} if ca else {}
    if kind == "grpc":
        from tritonclient.grpc import InferenceServerClient
    else:
        from tritonclient.grpc.aio import InferenceServerClient
    return InferenceServerClient(address, **more)


async def main(kind, *where):
    client, wire = connect(kind, *where), triton_forms.Grpc()
    await triton_admin.every_call(client, wire)
    await triton_grpc_infer.every_inference(client)
    await triton_memory.regions(client, wire)
    if kind == "grpc":
        triton_grpc_infer.many_at_once(client)
        triton_grpc_stream.in_order(client)
    else:
        await triton_grpc_stream.in_order_aio(client)
    await check.settle(client.close())


check.run(main(*sys.argv[1:]))
