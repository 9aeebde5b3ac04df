"""Clients in Python that ask one server for the same ReverseSequence in turn; run by clients.py
in an environment with tritonclient. Prints, for each client, the microseconds of a call: median,
tenth percentile, and the processor time of this process.

Usage: client_calls.py PORT MODEL FORM BYTES ROUNDS CALLS
  FORM    binary, JSON or shared (memory)
  ROUNDS  each of them has CALLS calls of each client"""

import contextlib
import http.client
import json
import os
import statistics
import sys
import time

import numpy as np
import tritonclient.http as triton
from tritonclient.utils import shared_memory

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "../measure"), os.path.join(HERE, "../../../deploy/python/flipd")]
import client  # noqa: E402
import load  # noqa: E402
from service_operator import reverse_sequence  # noqa: E402

OURS, TRITON, PLAIN = "flipd.Client", "tritonclient", "http.client and json"


class Calls:
    def __init__(self, port, model, size):
        shape = load.shape_of(size // 4)
        self.model = model
        self.x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        self.lens = np.array(load.lengths(shape[0]))
        self.ours = client.Client(f"http://127.0.0.1:{port}")
        self.theirs = triton.InferenceServerClient(f"127.0.0.1:{port}")
        self.plain = http.client.HTTPConnection("127.0.0.1", port)

    def inputs(self):
        return {"input": self.x, "sequence_lens": self.lens}

    def by_client(self, binary=True):
        return self.ours.infer(self.model, self.inputs(), ["Y"], binary=binary)["Y"]

    def by_tritonclient(self, binary=True):
        inputs = [triton.InferInput("input", self.x.shape, "FP32"),
                  triton.InferInput("sequence_lens", self.lens.shape, "INT64")]
        inputs[0].set_data_from_numpy(self.x, binary)
        inputs[1].set_data_from_numpy(self.lens, binary)
        outputs = [triton.InferRequestedOutput("Y", binary)]
        return self.theirs.infer(self.model, inputs, outputs=outputs).as_numpy("Y")

    def by_http_client(self):
        head = json.dumps({"inputs": [
            {"name": "input", "datatype": "FP32", "shape": self.x.shape,
             "parameters": {"binary_data_size": self.x.nbytes}},
            {"name": "sequence_lens", "datatype": "INT64", "shape": self.lens.shape,
             "parameters": {"binary_data_size": self.lens.nbytes}}],
            "outputs": [{"name": "Y", "parameters": {"binary_data": True}}]}).encode()
        self.plain.request("POST", f"/v2/models/{self.model}/infer",
                           head + self.x.tobytes() + self.lens.tobytes(),
                           {"Inference-Header-Content-Length": str(len(head))})
        answer = self.plain.getresponse()
        body = answer.read()
        at = int(answer.getheader("Inference-Header-Content-Length"))
        output = json.loads(body[:at])["outputs"][0]
        return np.frombuffer(body, np.float32, offset=at).reshape(output["shape"])

    @contextlib.contextmanager
    def in_shared_memory(self):
        """The tensor is there already, and the result stays there."""
        size, key = self.x.nbytes, f"bench-{os.getpid()}"
        handle = shared_memory.create_shared_memory_region("theirs", key, 2 * size)
        self.theirs.register_system_shared_memory("theirs", "/" + key, 2 * size)
        shared_memory.set_shared_memory_region(handle, [self.x])

        def by_tritonclient():
            inputs = [triton.InferInput("input", self.x.shape, "FP32"),
                      triton.InferInput("sequence_lens", self.lens.shape, "INT64")]
            inputs[0].set_shared_memory("theirs", size)
            inputs[1].set_data_from_numpy(self.lens)
            output = triton.InferRequestedOutput("Y")
            output.set_shared_memory("theirs", size, size)
            self.theirs.infer(self.model, inputs, outputs=[output])
            return shared_memory.get_contents_as_numpy(handle, np.float32, self.x.shape, size)

        def by_client():
            return self.ours.infer(self.model, {"input": x, "sequence_lens": self.lens},
                                   {"Y": y})["Y"]

        path = f"/dev/shm/{key}-ours"
        memory = np.memmap(path, np.float32, "w+", shape=(2, *self.x.shape))
        memory[0] = self.x
        self.ours.register_shared_memory("ours", f"/{key}-ours", 2 * size)
        x = client.Tensor("FP32", self.x.shape, memory[0], "ours")
        y = client.Tensor("FP32", self.x.shape, memory[1], "ours", size)
        yield {OURS: by_client, TRITON: by_tritonclient}
        self.ours.unregister_shared_memory("ours")
        os.remove(path)
        self.theirs.unregister_system_shared_memory("theirs")
        shared_memory.destroy_shared_memory_region(handle)

    @contextlib.contextmanager
    def over_http(self, binary):
        if not binary:
            yield {OURS: lambda: self.by_client(False), TRITON: lambda: self.by_tritonclient(False)}
            return
        yield {OURS: self.by_client, TRITON: self.by_tritonclient, PLAIN: self.by_http_client}

    def measure(self, form, rounds, calls):
        expected = reverse_sequence(self.x, self.lens)
        with (self.in_shared_memory() if form == "shared" else
              self.over_http(form == "binary")) as ways:
            times, spent = {name: [] for name in ways}, dict.fromkeys(ways, 0)
            for _ in range(rounds):
                for name, way in ways.items():
                    before = time.process_time()
                    for _ in range(calls):
                        start = time.perf_counter()
                        got = way()
                        times[name].append(time.perf_counter() - start)
                    spent[name] += time.process_time() - before
                    if not np.array_equal(got, expected):
                        sys.exit(f"{name} got another result")
        return {name: {"p50": statistics.median(one) * 1e6,
                       "p10": sorted(one)[len(one) // 10] * 1e6,
                       "core": spent[name] / len(one) * 1e6} for name, one in times.items()}


if __name__ == "__main__":
    port, model, form, size, rounds, calls = sys.argv[1:]
    print(json.dumps(Calls(int(port), model, int(size)).measure(form, int(rounds), int(calls))))
