"""Triton's Python backend: the model.py of a model repository."""

import triton_python_backend_utils as pb_utils

from service_operator import reverse_sequence


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        x, lens = (
            pb_utils.get_input_tensor_by_name(request, name).as_numpy()
            for name in ("input", "sequence_lens"))
        return pb_utils.InferenceResponse(
            [pb_utils.Tensor("Y", reverse_sequence(x, lens))])
