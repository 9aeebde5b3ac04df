"""The datatypes of a tensor, and how an element's bits are stored.

An element is a whole number that holds its bits, or bytes for BYTES. A tensor's
data is in the binary form of the Open Inference Protocol: little-endian and
row-major, packed below eight bits, a 32-bit length before each element of BYTES.
"""

import struct

BITS = {
    "BOOL": 8, "INT8": 8, "INT16": 16, "INT32": 32, "INT64": 64,
    "UINT8": 8, "UINT16": 16, "UINT32": 32, "UINT64": 64,
    "FP16": 16, "BF16": 16, "FP32": 32, "FP64": 64,
    "COMPLEX64": 64, "COMPLEX128": 128, "BYTES": None,
    "FP8_E4M3": 8, "FP8_E5M2": 8, "FP8_E8M0": 8,
    "INT4": 4, "UINT4": 4, "FP4_E2M1": 4, "NF4": 4, "UINT2": 2, "UINT1": 1,
}  # fmt: skip
FIRST_IN_HIGH_BITS = {"UINT2", "UINT1"}

# The types of ONNX's operator set 10; OpenVINO's operators take any type.
OF_ONNX = [
    "BOOL", "INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32",
    "UINT64", "FP16", "FP32", "FP64", "BYTES", "COMPLEX64", "COMPLEX128",
]  # fmt: skip
OF_OPENVINO = [name for name in BITS if not name.startswith("COMPLEX")]
FLOATS = ["FP16", "BF16", "FP32", "FP64"]

# Bits of the exponent and of the fraction, for the special values of a float.
FLOAT_FIELDS = {"FP16": (5, 10), "BF16": (8, 7), "FP32": (8, 23), "FP64": (11, 52)}
NUMPY = {
    "BOOL": "bool", "FP16": "float16", "FP32": "float32", "FP64": "float64",
    "COMPLEX64": "complex64", "COMPLEX128": "complex128",
    **{f"{sign}INT{bits}": f"{sign.lower()}int{bits}"
       for sign in ("", "U") for bits in (8, 16, 32, 64)},
}  # fmt: skip


def pack(datatype, elements):
    """The binary form of elements."""
    bits = BITS[datatype]
    if bits is None:
        return b"".join(len(text).to_bytes(4, "little") + text for text in elements)
    if bits >= 8:
        return b"".join(element.to_bytes(bits // 8, "little") for element in elements)
    each = 8 // bits
    data = bytearray((len(elements) + each - 1) // each)
    for place, element in enumerate(elements):
        data[place // each] |= element << _shift(datatype, place % each)
    return bytes(data)


def unpack(datatype, data, count):
    """The elements that the binary form holds."""
    bits = BITS[datatype]
    if bits is None:
        elements = []
        while data:
            end = 4 + int.from_bytes(data[:4], "little")
            elements.append(data[4:end])
            data = data[end:]
        return elements
    if bits >= 8:
        size = bits // 8
        return [
            int.from_bytes(data[start : start + size], "little")
            for start in range(0, count * size, size)
        ]
    each = 8 // bits
    return [
        data[place // each] >> _shift(datatype, place % each) & (1 << bits) - 1
        for place in range(count)
    ]


def encode(datatype, values):
    """The binary form of small numbers, as lengths and axes are."""
    if datatype == "BF16":
        wide = (struct.pack("<f", value) for value in values)
        return b"".join(number[2:] for number in wide)
    if datatype in FLOAT_FIELDS:
        form = {"FP16": "<e", "FP32": "<f", "FP64": "<d"}[datatype]
        return b"".join(struct.pack(form, value) for value in values)
    mask = (1 << BITS[datatype]) - 1
    return pack(datatype, [int(value) & mask for value in values])


def _shift(datatype, place):
    bits = BITS[datatype]
    return 8 - bits - place * bits if datatype in FIRST_IN_HIGH_BITS else place * bits
