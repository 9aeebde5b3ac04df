"""Calls by grpcio, over and over, until a line comes in; run by grpcio's Python.

Usage: grpc_client.py ADDRESS CHANNELS REQUEST-FILE BYTES-FILE
Nothing is repeated by the client. Prints {"answered": N, "lost": [TEXT...]}."""

import asyncio
import json
import sys

import grpc

address, channels, request, wanted = sys.argv[1:]
with open(request, "rb") as file:
    request = file.read()
with open(wanted, "rb") as file:
    wanted = file.read()
answered, lost, stop = 0, [], asyncio.Event()


async def ask():
    """One channel with a connection of its own."""
    global answered
    options = [("grpc.enable_retries", 0), ("grpc.use_local_subchannel_pool", 1),
               ("grpc.max_receive_message_length", -1)]
    async with grpc.aio.insecure_channel(address, options) as channel:
        call = channel.unary_unary("/inference.GRPCInferenceService/ModelInfer")
        while not stop.is_set():
            try:
                reply = await call(request, timeout=30)
                if wanted in reply:
                    answered += 1
                else:
                    lost.append("a wrong answer")
            except grpc.RpcError as error:
                lost.append(f"{error.code()} {error.details()}")
                await asyncio.sleep(0.1)


async def main():
    asking = [asyncio.create_task(ask()) for _ in range(int(channels))]
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    stop.set()
    await asyncio.gather(*asking)
    print(json.dumps({"answered": answered, "lost": lost}))


asyncio.run(main())
