"""The operators, element by element, as their documents define them.

ReverseSequence (ONNX, operator set 10; OpenVINO, operator set 1): step t of
sequence b comes from step lens[b] - 1 - t where t < lens[b], and stays otherwise.
Reverse (OpenVINO, operator set 1): index c comes from size - 1 - c on each axis
that is named. The gradient of ReverseSequence is ReverseSequence of the gradient.

An axis counts from the front here. Nothing is shared with any engine.
"""

import itertools
import struct

FORMS = {"FP16": ("<e", 2), "FP32": ("<f", 4), "FP64": ("<d", 8)}


def reverse_sequence(shape, elements, lens, batch_axis, time_axis):
    def source(index):
        length = lens[index[batch_axis]]
        time = index[time_axis]
        if time >= length:
            return index
        return replaced(index, time_axis, length - 1 - time)

    return moved(shape, elements, source)


def reverse(shape, elements, axes):
    def source(index):
        for axis in set(axes):
            index = replaced(index, axis, shape[axis] - 1 - index[axis])
        return index

    return moved(shape, elements, source)


def scaled(datatype, elements, factor):
    """The elements times a factor, each product rounded once."""
    form, size = FORMS[datatype]

    def product(element):
        (value,) = struct.unpack(form, element.to_bytes(size, "little"))
        return int.from_bytes(struct.pack(form, value * factor), "little")

    return [product(element) for element in elements]


def moved(shape, elements, source):
    return [
        elements[offset(shape, source(index))]
        for index in itertools.product(*map(range, shape))
    ]


def offset(shape, index):
    total = 0
    for size, at in zip(shape, index):
        total = total * size + at
    return total


def replaced(index, axis, at):
    return index[:axis] + (at,) + index[axis + 1 :]
