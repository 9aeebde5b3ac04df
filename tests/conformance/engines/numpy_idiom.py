"""NumPy, as programs write it: a slice with a step of -1 for each sequence; numpy.flip."""

import arrays
import numpy as np


def version():
    return np.__version__


def answer(case):
    data, control = arrays.data(case), arrays.control(case)
    if "mode" in case["attributes"]:
        return arrays.binary(case, np.flip(data, tuple(arrays.flips(case))))
    batch, time = arrays.axes(case)
    result = data.copy()
    by_batch = np.moveaxis(result, (batch, time), (0, 1))
    of_data = np.moveaxis(data, (batch, time), (0, 1))
    for row, length in enumerate(control):
        by_batch[row, :length] = of_data[row, :length][::-1]
    if "factor" in case:
        result *= result.dtype.type(case["factor"])
    return arrays.binary(case, result)
