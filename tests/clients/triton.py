"""tritonclient: its synchronous client or its asyncio one, the same calls.

Usage: triton.py http|aio ADDRESS [CA]     over TLS when CA is a PEM file
"""

import ssl
import sys

import check
import triton_admin
import triton_forms
import triton_infer
import triton_memory
import triton_types


def connect(kind, address, ca=None):
    if kind == "http":
        from tritonclient.http import InferenceServerClient
        # The client's default verifies no certificate.
        more = {"ssl": True, "ssl_context_factory":
                lambda: ssl.create_default_context(cafile=ca)} if ca else {}
        return InferenceServerClient(address, concurrency=4, **more)
    from tritonclient.http.aio import InferenceServerClient
    more = {"ssl": True, "ssl_context":
            ssl.create_default_context(cafile=ca)} if ca else {}
    return InferenceServerClient(address, conn_limit=4, **more)


async def main(kind, *where):
    client, wire = connect(kind, *where), triton_forms.Http()
    await triton_admin.every_call(client, wire)
    await triton_types.every_type(client)
    await triton_infer.every_option(client)
    if kind == "http":
        triton_infer.many_at_once(client)
    await triton_memory.regions(client, wire)
    await check.settle(client.close())


check.run(main(*sys.argv[1:]))
