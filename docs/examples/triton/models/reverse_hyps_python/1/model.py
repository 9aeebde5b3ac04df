"""Reverses each hypothesis by the statements of WeNet's model_repo/scoring/1/model.py."""

import numpy as np
import triton_python_backend_utils as pb_utils

SOS = EOS = 4232


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        hyps, lens = (pb_utils.get_input_tensor_by_name(request, name).as_numpy()
                      for name in ("input", "sequence_lens"))
        r_hyps = np.ones(hyps.shape, dtype=np.int64) * EOS
        for i, size in enumerate(lens):
            hyp = hyps[i][1:size - 1].tolist()
            r_hyps[i][0:size] = [SOS] + hyp[::-1] + [EOS]
        return pb_utils.InferenceResponse([pb_utils.Tensor("Y", r_hyps)])
