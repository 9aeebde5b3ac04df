#!/usr/bin/python3
"""Writes the ONNX cases as node-test folders: folders.py FOLDER

FOLDER/test_NAME has model.onnx, test_data_set_0 with input_0.pb, input_1.pb and
output_0.pb, and data.json with tolerances of 0, as onnx.backend.test reads them. Needs
the package onnx. Cases without a result have no such form; the plain JSON has them.
"""

import pathlib
import re
import shutil
import sys

import cases
import onnx_model


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    for case in cases.cases():
        if case["operator"] == cases.ONNX and case["expect"] is not None:
            write(folder, case)


def write(folder, case):
    name = re.sub("[^a-z0-9]+", "_", case["name"].removeprefix("ONNX ").lower()).strip("_")
    data = folder / f"test_{name}" / "test_data_set_0"
    data.mkdir(parents=True)
    (data.parent / "data.json").write_text('{"rtol": 0, "atol": 0}')
    (data.parent / "model.onnx").write_bytes(onnx_model.model(case).SerializeToString())
    inputs, output = onnx_model.tensors(case)
    for place, tensor in enumerate(inputs):
        (data / f"input_{place}.pb").write_bytes(tensor.SerializeToString())
    (data / "output_0.pb").write_bytes(output.SerializeToString())


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
