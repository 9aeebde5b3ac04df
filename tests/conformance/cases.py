"""Every case of the kit, from the definitions.

A case is a dictionary, the same as in the plain JSON form:
  name, operator, class, datatype, shape
  data        the tensor's binary form, in hexadecimal digits
  control     datatype, shape, values: the lengths or the axes
  attributes  those that are given; an absent one has the operator's default
  factor      of a gradient only
  issue       whose model this is: repository and number of a public issue
  expect      the result's binary form, or null where the definition allows no result
Random contents come from the case's name, so a case is the same in every run.
"""

import math
import random

import datatypes
import definitions

ONNX = "ONNX ReverseSequence-10"
OPENVINO = "OpenVINO ReverseSequence-1"
REVERSE = "OpenVINO Reverse-1"
GRADIENT = "ReverseSequence gradient"
ORDERS = {
    ONNX: {"time first": (1, 0), "batch first": (0, 1)},
    OPENVINO: {"batch first": (0, 1), "time first": (1, 0)},
    GRADIENT: {"time first": (1, 0), "batch first": (0, 1)},
}
TIME_AXIS = {ONNX: "time_axis", GRADIENT: "time_axis", OPENVINO: "seq_axis"}
LENGTHS = {
    "all": lambda n, size, r: [size] * n,
    "1": lambda n, size, r: [1] * n,
    "0": lambda n, size, r: [0] * n,
    "mixed": lambda n, size, r: mixed(n, size, r, 1),
    "mixed with 0": lambda n, size, r: mixed(n, size, r, 0),
}
WRONG = "wrong arguments: "


def mixed(count, size, rng, least):
    """Lengths from least to size, each of the two once where there is room."""
    lens = [least, size] + [rng.randint(least, size) for _ in range(count)]
    lens = lens[:count]
    rng.shuffle(lens)
    return lens


def cases():
    """All cases, in the order of operators and classes."""
    found = []
    for operator, types in ((ONNX, datatypes.OF_ONNX), (OPENVINO, datatypes.OF_OPENVINO)):
        for datatype in types:
            found += sequences_of(operator, datatype)
        found += sequences_of_one_type(operator)
        found += wrong_sequences(operator)
    found += sequences_of_openvino()
    for datatype in datatypes.OF_OPENVINO:
        found += reverses_of(datatype)
    found += reverses_of_one_type()
    found += models_of_issues()
    found += wrong_reverses()
    for datatype in ("FP16", "FP32", "FP64"):
        found += gradients_of(datatype)
    names = [case["name"] for case in found]
    assert len(set(names)) == len(names), "two cases have one name"
    return found


# --- ReverseSequence


def sequences_of(operator, datatype):
    """The cases that every datatype has."""
    for order, axes in ORDERS[operator].items():
        for name, lengths in LENGTHS.items():
            yield sequence(operator, f"lengths {name}", datatype, (4, 5), axes, lengths, order)
        yield sequence(operator, "rank 3", datatype, (3, 4, 2), axes, LENGTHS["mixed"], order)
        yield sequence(operator, "rank 4", datatype, (5, 3, 2, 3), axes, LENGTHS["mixed"], order)
        yield sequence(operator, "long rows", datatype, (9, 7, 37), axes, LENGTHS["mixed"], order)
        yield sequence(operator, "long axes", datatype, (67, 35), axes, LENGTHS["mixed"], order)
        for name, shape in empty_shapes(axes):
            yield sequence(operator, "empty tensors", datatype, shape, axes, LENGTHS["0"],
                           f"{order} {name}")  # fmt: skip
    if datatype in datatypes.FLOATS or datatype.startswith("COMPLEX"):
        yield sequence(operator, "special values", datatype, (5, 4), (0, 1), LENGTHS["mixed"],
                       "batch first", special_elements)  # fmt: skip


def empty_shapes(axes):
    batch, time = axes
    for name, axis in (("batch", batch), ("time", time), ("row", 2)):
        yield f"{name} of 0", tuple(0 if at == axis else 3 for at in range(3))


def sequences_of_one_type(operator):
    """What does not depend on the datatype, in FP32: ranks, and absent attributes."""
    for rank in range(2, 9):
        for order, axes in ORDERS[operator].items():
            shape = (3, 4) + (2,) * (rank - 2)
            yield sequence(operator, "ranks 2 to 8", "FP32", shape, axes, LENGTHS["mixed"],
                           f"{order} rank {rank}")  # fmt: skip
    default = next(iter(ORDERS[operator].values()))
    for name in ("mixed", "all"):
        case = sequence(operator, "default axes", "FP32", (4, 5), default, LENGTHS[name], name)
        case["attributes"] = {}
        yield case
    for size in (1, 2):
        yield sequence(operator, "axes of 1 entry", "FP32", (1, size), default, LENGTHS["all"],
                       f"1 x {size}")  # fmt: skip


def sequences_of_openvino():
    """Any two axes, negative ones, and lengths of every type of numbers."""
    for batch in range(4):
        for time in range(4):
            if batch != time:
                yield sequence(OPENVINO, "any two axes", "FP32", (3, 4, 2, 5), (batch, time),
                               LENGTHS["mixed"], f"{batch} {time}")  # fmt: skip
                for given in ((batch - 4, time), (batch, time - 4), (batch - 4, time - 4)):
                    yield sequence(OPENVINO, "negative axes", "FP32", (3, 4, 2, 5), given,
                                   LENGTHS["mixed"], f"{given[0]} {given[1]}")  # fmt: skip
    for datatype in datatypes.OF_OPENVINO:
        if "INT" in datatype and datatypes.BITS[datatype] >= 8 or datatype in datatypes.FLOATS:
            case = sequence(OPENVINO, "types of lengths", "FP32", (4, 5), (0, 1),
                            LENGTHS["mixed"], datatype)  # fmt: skip
            case["control"]["datatype"] = datatype
            yield case


def sequence(operator, kind, datatype, shape, axes, lengths, detail, contents=None):
    """A case with a result; axes as they are given: batch, time."""
    name = f"{operator} {kind} {detail} {datatype}"
    rng = random.Random(name)
    batch, time = (axis % len(shape) for axis in axes)
    lens = lengths(shape[batch], shape[time], rng)
    elements = (contents or random_elements)(datatype, math.prod(shape), rng)
    result = definitions.reverse_sequence(shape, elements, lens, batch, time)
    return {
        "name": name,
        "operator": operator,
        "class": kind,
        "datatype": datatype,
        "shape": list(shape),
        "data": datatypes.pack(datatype, elements).hex(),
        "control": {"datatype": "INT64", "shape": [len(lens)], "values": lens},
        "attributes": {"batch_axis": axes[0], TIME_AXIS[operator]: axes[1]},
        "expect": datatypes.pack(datatype, result).hex(),
    }


def wrong_sequences(operator):
    """Arguments for which the definition has no result: each must be refused."""
    time_axis = TIME_AXIS[operator]
    batch_first = ORDERS[operator]["batch first"]

    def wrong(what, detail, shape=(3, 3), attributes=(), lens_shape=(3,), **lens):
        case = sequence(operator, WRONG + what, "FP32", (3, 3), batch_first,
                        lambda *_: [2, 3, 1], detail)  # fmt: skip
        case["shape"] = list(shape)
        case["data"] = case["data"][: 8 * math.prod(shape)]
        case["expect"] = None
        case["control"] |= {"shape": list(lens_shape), **lens}
        case["attributes"] |= dict(attributes)
        return case

    for lens in ([2, 4, 1], [2, 3, 2**31], [2**32 + 1, 3, 1]):
        yield wrong("a length above the axis", str(max(lens)), values=lens)
    for lens in ([-1, 2, 3], [2, 3, -(2**63)]):
        yield wrong("a length below 0", str(min(lens)), values=lens)
    for lens in ([2, 3], [2, 3, 1, 4], []):
        yield wrong("number of lengths", str(len(lens)), lens_shape=[len(lens)], values=lens)
    for given in ([1, 3], []):
        yield wrong("rank of the lengths", str(given), lens_shape=given,
                    values=[2, 3, 1][: math.prod(given)])  # fmt: skip
    yield wrong("one axis twice", "0 0", attributes={"batch_axis": 0, time_axis: 0})
    yield wrong("one axis twice", "1 1", attributes={"batch_axis": 1, time_axis: 1})
    far = {ONNX: ((2, 0), (0, 2), (-1, 0), (-2, 1)), OPENVINO: ((2, 0), (0, 2), (-3, 1))}
    for batch, time in far[operator]:
        yield wrong("an axis out of range", f"{batch} {time}",
                    attributes={"batch_axis": batch, time_axis: time})  # fmt: skip
    for shape in ((), (3,)):
        yield wrong("rank of the data", str(len(shape)), shape=shape)
    for datatype in ("INT32", "FP32") if operator == ONNX else ("BOOL",):
        yield wrong("type of the lengths", datatype, datatype=datatype)
    if operator == OPENVINO:
        yield wrong("a length that is not whole", "1.5", datatype="FP32", values=[1.5, 2, 3])
        yield wrong("one axis twice", "1 -1", attributes={"batch_axis": 1, time_axis: -1})


def models_of_issues():
    """What public issues ask, as far as they say it; the elements are other ones."""
    for issue, shape, axes, lens in (
        ("onnxruntime 28490", (5, 3), (1, 0), [4, 0, 2]),
        ("openvino 20872", (4, 4), (1, 0), [1, 0, 0, 1]),
        ("iree 20011", (4, 4), (1, 0), [4, 3, 2, 1]),
        ("iree 24229", (4, 3), (1, 0), [3, 2, 1]),
        ("tvm 20124", (4, 4), (0, 1), [1, 2, 3, 4]),
    ):
        case = sequence(ONNX, "models of issues", "FP32", shape, axes,
                        lambda *_, lens=lens: lens, issue)  # fmt: skip
        yield case | {"issue": issue}
    case = sequence(ONNX, WRONG + "a length above the axis", "FP32", (3, 1), (0, 1),
                    lambda *_: [1, 0, 1], "onnxruntime 24920")  # fmt: skip
    case["control"]["values"] = [1, 2, 1]
    yield case | {"expect": None, "issue": "onnxruntime 24920"}


# --- Reverse


def reverses_of(datatype):
    """The cases that every datatype has."""
    shape = (3, 4, 5)
    for axes in ([0], [1], [2], [0, 2], [0, 1, 2]):
        yield reversal("one or more axes", datatype, shape, axes)
    yield reversal("negative axes", datatype, shape, [-1])
    yield reversal("no axis", datatype, shape, [])
    for mask in ([True, False, False], [False, False, True], [True] * 3, [False] * 3):
        yield reversal("masks", datatype, shape, mask, "mask")
    yield reversal("long rows", datatype, (3, 67), [1])
    yield reversal("long rows", datatype, (67, 9), [0])
    yield reversal("empty tensors", datatype, (3, 0, 2), [0, 1])
    if datatype in datatypes.FLOATS:
        yield reversal("special values", datatype, (5, 4), [0], contents=special_elements)


def reverses_of_one_type():
    """What does not depend on the datatype, in FP32."""
    for rank in range(9):
        shape = (2, 3, 2, 2, 1, 2, 2, 2)[:rank]
        yield reversal("ranks 0 to 8", "FP32", shape, list(range(0, rank, 2)))
        odd = [axis % 2 == 1 for axis in range(rank)]
        yield reversal("ranks 0 to 8", "FP32", shape, odd, "mask")
    for axes in ([0, 0], [0, -3], [1, -2, 1], [2, -1, 2, -1]):
        yield reversal("one axis more than once", "FP32", (3, 4, 5), axes)
    for axes in ([-3], [-2], [-3, -1], [0, -1]):
        yield reversal("negative axes", "FP32", (3, 4, 5), axes)
    for datatype in datatypes.OF_OPENVINO:
        if "INT" in datatype and datatypes.BITS[datatype] >= 8:
            case = reversal("types of axes", "FP32", (3, 4, 5), [0, 2])
            case["name"] += f" {datatype}"
            case["control"]["datatype"] = datatype
            yield case


def reversal(kind, datatype, shape, control, mode="index", contents=None):
    axes = [axis for axis, named in enumerate(control) if named] if mode == "mask" else control
    given = "".join(map(str, map(int, control))) if mode == "mask" else control
    name = f"{REVERSE} {kind} {list(shape)} {mode} {given} {datatype}"
    elements = (contents or random_elements)(datatype, math.prod(shape), random.Random(name))
    result = definitions.reverse(shape, elements, [axis % len(shape) for axis in axes])
    return {
        "name": name,
        "operator": REVERSE,
        "class": kind,
        "datatype": datatype,
        "shape": list(shape),
        "data": datatypes.pack(datatype, elements).hex(),
        "control": {
            "datatype": "BOOL" if mode == "mask" else "INT64",
            "shape": [len(control)],
            "values": control,
        },
        "attributes": {"mode": mode},
        "expect": datatypes.pack(datatype, result).hex(),
    }


def wrong_reverses():
    """Arguments for which the definition has no result: each must be refused."""

    def wrong(what, detail, mode="index", of=(3, 4), **control):
        case = reversal("no axis", "FP32", of, [])
        case["name"] = f"{REVERSE} {WRONG}{what} {detail}"
        case["class"] = WRONG + what
        case["control"] |= control
        case["attributes"] = {"mode": mode}
        case["expect"] = None
        return case

    for axis in (2, -3, 2**31, 2**32):
        yield wrong("an axis out of range", str(axis), shape=[1], values=[axis])
    for of, axes in (((), [0]), ((), [1, 2, 3]), ((0,), [5])):
        case = wrong("an axis out of range", f"{axes} of {list(of)}", of=of,
                     shape=[len(axes)], values=axes)  # fmt: skip
        yield case | {"issue": "tensorflow 110038"}
    for mask in ([True], [True, False, True]):
        yield wrong("length of the mask", str(len(mask)), "mask", datatype="BOOL",
                    shape=[len(mask)], values=mask)  # fmt: skip
    yield wrong("rank of the axes", "2", shape=[1, 1], values=[0])
    yield wrong("type of the axes", "FP32", datatype="FP32", shape=[1], values=[0])
    yield wrong("type of the axes", "mask of INT64", "mask", shape=[2], values=[1, 0])
    yield wrong("type of the axes", "index of BOOL", datatype="BOOL", shape=[2],
                values=[True, False])  # fmt: skip


# --- the gradient


def gradients_of(datatype):
    for order, axes in ORDERS[GRADIENT].items():
        for name, lengths in LENGTHS.items():
            for factor in (1, -2, 0.5):
                case = sequence(GRADIENT, f"lengths {name}", datatype, (4, 5), axes, lengths,
                                f"{order} times {factor}")  # fmt: skip
                case["factor"] = factor
                elements = datatypes.unpack(datatype, bytes.fromhex(case["expect"]), 20)
                scaled = definitions.scaled(datatype, elements, factor)
                case["expect"] = datatypes.pack(datatype, scaled).hex()
                yield case


# --- contents


def random_elements(datatype, count, rng):
    """Whole numbers of every size; of a float ordinary values with every bit in use."""
    if datatype == "BOOL":
        return [rng.randint(0, 1) for _ in range(count)]
    if datatype == "BYTES":
        return [f"{place}-{'x' * rng.randint(0, 9)}".encode() for place in range(count)]
    if datatype in datatypes.FLOAT_FIELDS:
        exponent, fraction = datatypes.FLOAT_FIELDS[datatype]
        bias = 2 ** (exponent - 1) - 1
        return [
            (rng.randint(0, 1) << exponent | rng.randint(bias - 4, bias + 4)) << fraction
            | rng.getrandbits(fraction)
            for _ in range(count)
        ]
    if datatype.startswith("COMPLEX"):
        half = random_elements({"COMPLEX64": "FP32", "COMPLEX128": "FP64"}[datatype],
                               2 * count, rng)  # fmt: skip
        return joined(datatype, half)
    return [rng.getrandbits(datatypes.BITS[datatype]) for _ in range(count)]


def special_elements(datatype, count, rng):
    """NaNs with payloads, quiet and signalling, infinities, -0 and denormal numbers."""
    if datatype.startswith("COMPLEX"):
        half = special_elements({"COMPLEX64": "FP32", "COMPLEX128": "FP64"}[datatype],
                                2 * count, rng)  # fmt: skip
        return joined(datatype, half)
    exponent, fraction = datatypes.FLOAT_FIELDS[datatype]
    infinity = (2**exponent - 1) << fraction
    negative = 1 << exponent + fraction
    quiet = infinity | 1 << fraction - 1
    values = [infinity, negative | infinity, negative, 0, 1, negative | 1, quiet | 5,
              negative | quiet | 9, infinity | 3, (1 << fraction) - 1]  # fmt: skip
    return [values[place % len(values)] for place in range(count)]


def joined(datatype, half):
    bits = datatypes.BITS[datatype] // 2
    return [low | high << bits for low, high in zip(half[::2], half[1::2])]
