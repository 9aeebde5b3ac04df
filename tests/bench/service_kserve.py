"""KServe's Python server with the operator. Usage: service_kserve.py PORT"""

import sys

from kserve import InferOutput, InferResponse, Model, ModelServer
from service_operator import reverse_sequence


class ReverseSequence(Model):
    def __init__(self):
        super().__init__("reverse_sequence")
        self.ready = True

    def predict(self, payload, headers=None, response_headers=None):
        x, lens = (one.as_numpy() for one in payload.inputs)
        y = reverse_sequence(x, lens)
        output = InferOutput("Y", list(y.shape), "FP32")
        output.set_data_from_numpy(
            y, binary_data=payload.use_binary_outputs or False)
        return InferResponse(payload.id or "", self.name, [output],
                             use_binary_outputs=payload.use_binary_outputs)


if __name__ == "__main__":
    ModelServer(http_port=int(sys.argv[1]), workers=1, enable_grpc=False,
                enable_latency_logging=False).start([ReverseSequence()])
