"""KServe's Python server with the operator. Usage: service_kserve.py PORT"""

import logging
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
        output = InferOutput("Y", list(y.shape), "FP32", y)
        return InferResponse(payload.id or "", self.name, [output],
                             use_binary_outputs=payload.use_binary_outputs)


if __name__ == "__main__":
    server = ModelServer(http_port=int(sys.argv[1]), workers=1,
                         enable_grpc=False, enable_latency_logging=False)
    # No line for each request: the others write none either.
    logging.getLogger("kserve.trace").setLevel(logging.WARNING)
    logging.getLogger("uvicorn.access").setLevel(logging.WARNING)
    server.start([ReverseSequence()])
