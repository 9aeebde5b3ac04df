"""Clients of gRPC for loads.under_load(): processes of grpcio, each channel with a
connection of its own, without repetitions."""

import json
import os
import subprocess

import protobuf
from load import Result
from question import Question

HERE = os.path.dirname(os.path.abspath(__file__))


class GrpcLoad:
    """size: bytes of the tensor."""

    def __init__(self, address, channels, size):
        question = Question(size, 32, 8, size // 1024)
        self.command = [os.environ["PYTHON_OF_GRPC"], f"{HERE}/grpc_client.py",
                        address, str(channels)]
        for name, data in (("request", protobuf.infer(question)),
                           ("answer", question.expected.tobytes())):
            path = os.path.join(os.environ["work"], f"grpc-{name}-{size}")
            with open(path, "wb") as file:
                file.write(data)
            self.command.append(path)

    def start(self):
        self.process = subprocess.Popen(self.command, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def stop(self):
        said, _ = self.process.communicate("stop\n", timeout=60)
        return Result(**json.loads(said))
