#!/usr/bin/python3
"""Runs the node-test folders, as they are, by onnx.backend.test.

Usage: backend_test.py FOLDER reference|onnxruntime
Prints the runner's own line of each test; exits with 1 if one fails.
"""

import pathlib
import sys
import unittest

from onnx.backend import base
from onnx.backend.test import runner
from onnx.backend.test.loader import load_model_tests
from onnx.reference import ReferenceEvaluator


class Reference(base.Backend):
    """ONNX's reference evaluator as a backend."""

    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        evaluator = ReferenceEvaluator(model)

        class Prepared(base.BackendRep):
            def run(self, inputs, **kwargs):
                return evaluator.run(None, dict(zip(evaluator.input_names, inputs)))

        return Prepared()

    @classmethod
    def supports_device(cls, device):
        return device == "CPU"


def backend(name):
    if name == "reference":
        return Reference
    import onnxruntime.backend

    return onnxruntime.backend


def main(folder, name):
    # The runner knows its own kinds of folders only; "real" is one that reads from files.
    runner.load_model_tests = lambda kind: (
        load_model_tests(str(folder.parent), folder.name) if kind == "real" else []
    )
    suite = runner.Runner(backend(name), __name__).test_suite
    return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]))
