"""MLServer's runtime for the operator; model-settings.json names this class."""

from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceResponse

from service_operator import reverse_sequence


class ReverseSequence(MLModel):
    async def load(self):
        return True

    async def predict(self, payload):
        x, lens = (NumpyCodec.decode_input(one) for one in payload.inputs)
        y = reverse_sequence(x, lens.reshape(-1))
        return InferenceResponse(
            model_name=self.name, outputs=[NumpyCodec.encode_output("Y", y)])
