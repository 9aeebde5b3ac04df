"""tritonclient over HTTP or gRPC: its synchronous client or its asyncio one, the
same calls.

Usage: triton.py http|http_aio|grpc|grpc_aio ADDRESS [CA]
over TLS when CA is a PEM file
"""

import importlib
import ssl
import sys

import check
import triton_admin
import triton_forms
import triton_infer
import triton_memory


def trust(kind, ca):
    if kind.startswith("grpc"):
        return {"ssl": True, "root_certificates": ca}
    # The client's default verifies no certificate.
    context = ssl.create_default_context(cafile=ca)
    return {"ssl": True, "ssl_context": context} if kind == "http_aio" else {
        "ssl": True, "ssl_context_factory": lambda: context}


def connect(kind, address, ca=None):
    module = importlib.import_module(f"tritonclient.{kind.replace('_', '.')}")
    more = {"http": {"concurrency": 4}, "http_aio": {"conn_limit": 4}}
    return module.InferenceServerClient(address, **more.get(kind, {}),
                                        **(trust(kind, ca) if ca else {}))


async def main(kind, *where):
    transport, _, aio = kind.partition("_")
    client, wire = connect(kind, *where), triton_forms.FORMS[transport]()
    await triton_admin.every_call(client, wire)
    await triton_infer.every_option(client, wire)
    await triton_memory.regions(client, wire)
    own = importlib.import_module(f"triton_{transport}")
    await own.every_call(client, wire, aio)
    await check.settle(client.close())


check.run(main(*sys.argv[1:]))
