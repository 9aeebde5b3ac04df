"""The shapes in OpenVINO's documents, with real data in both forms."""

import array
import itertools
import json

from wire import ask, equal, finish, true


def infer(model, inputs, parameters, binary):
    """inputs: [(name, datatype, shape, array)]. Returns the output, data as
    bytes."""
    tensors, rest = [], b""
    for name, datatype, shape, data in inputs:
        tensor = {"name": name, "datatype": datatype, "shape": shape}
        if binary:
            rest += data.tobytes()
            tensor["parameters"] = {
                "binary_data_size": len(data) * data.itemsize}
        else:
            tensor["data"] = data.tolist() if datatype != "BOOL" \
                else [bool(value) for value in data]
        tensors.append(tensor)
    document = json.dumps({
        "inputs": tensors,
        "parameters": {**parameters, "binary_data_output": binary}}).encode()
    headers = [f"Inference-Header-Content-Length: {len(document)}"] \
        if binary else []
    reply = ask("POST", f"/v2/models/{model}/infer", document + rest, headers)
    equal(f"{model}: status of {reply}", 200, reply.status)
    if reply.status != 200:
        finish()
    length = reply.header("inference-header-content-length")
    head = json.loads(reply.body[:int(length)] if length else reply.body)
    output = head["outputs"][0]
    if binary:
        output["data"] = reply.body[int(length):]
        equal(f"{model}: binary_data_size",
              {"binary_data_size": len(output["data"])}, output["parameters"])
    else:
        output["data"] = array.array("i", output["data"]).tobytes()
    return output


def indexes(shape):
    return itertools.product(*(range(size) for size in shape))


def strides_of(shape):
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * size)
    return strides


def check(what, shape, data, output, source, turned=False):
    """source(i) is the index of the input row that becomes row i; with `turned`
    each row is reversed as well."""
    strides, width = strides_of(shape), shape[-1]
    expected = array.array("i")
    for index in indexes(shape[:-1]):
        at = sum(c * s for c, s in zip(source(index), strides))
        row = data[at:at + width]
        expected += row[::-1] if turned else row
    equal(f"{what}: shape", shape, output["shape"])
    equal(f"{what}: name", "output", output["name"])
    true(f"{what}: the data is wrong", output["data"] == expected.tobytes())


def reverse_sequence(binary):
    shape, lens = [4, 10, 100, 200], [2, 4, 8, 10]
    data = array.array("i", range(4 * 10 * 100 * 200))
    output = infer(
        "openvino.ReverseSequence",
        [("data", "INT32", shape, data),
         ("seq_lengths", "INT32", [4], array.array("i", lens))],
        {"batch_axis": 0, "seq_axis": 1}, binary)

    def source(index):
        b, t, y = index
        return b, lens[b] - 1 - t if t < lens[b] else t, y

    check(f"ReverseSequence, binary={binary}", shape, data, output, source)


def reverse(mode, axes, binary):
    shape = [3, 10, 100, 200]
    data = array.array("i", range(3 * 10 * 100 * 200))
    if mode == "index":
        control = ("axis", "INT64", [len(axes)], array.array("q", axes))
    else:
        mask = array.array("B", [axis in axes for axis in range(4)])
        control = ("axis", "BOOL", [4], mask)
    output = infer("openvino.Reverse",
                   [("data", "INT32", shape, data), control],
                   {"mode": mode}, binary)
    flipped = [axis in axes for axis in range(4)]

    def source(index):
        return [size - 1 - c if flip else c
                for c, size, flip in zip(index, shape, flipped)]

    check(f"Reverse by {mode} {axes}, binary={binary}", shape, data, output,
          source, flipped[3])


reverse_sequence(False)
reverse_sequence(True)
reverse("index", [1], False)
reverse("mask", [0, 2], True)
reverse("index", [3, 1], True)
finish()
