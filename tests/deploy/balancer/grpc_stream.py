"""One stream of grpcio's through a balancer: a message is sent only when the one before
has been answered, so that it must have been passed on while the stream was open.

Usage: grpc_stream.py ADDRESS REQUEST ANSWER COUNT
Prints how many were answered with ANSWER."""

import asyncio
import sys

import grpc

address, *files, count = sys.argv[1:]
request, wanted = (open(path, "rb").read() for path in files)


async def main():
    answered = 0
    async with grpc.aio.insecure_channel(address) as channel:
        call = channel.stream_stream("/inference.GRPCInferenceService/ModelStreamInfer")(
            timeout=60)
        for _ in range(int(count)):
            await call.write(request)
            answered += wanted in await call.read()
        await call.done_writing()
    print(answered)


asyncio.run(main())
