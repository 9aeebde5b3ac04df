"""The cases of D1 to D8: shapes, counts, sizes, lengths, axes and datatypes."""

import struct

from ask import Case, document

MAX = 2 ** 63 - 1


def shaped(shape, status=400, **more):
    return Case(f"shape {str(shape)[:40]}",
                document({"shape": shape}, **more), status)


def counted(shape, data):
    return Case(f"{str(data)[:30]} as {shape}",
                document({"shape": shape, "data": data}))


def binary(size, rest=b"\1\2\3\4", status=400, data=None, **members):
    """A request whose input claims `size` bytes behind the JSON."""
    head = document({"data": data, "parameters": {"binary_data_size": size},
                     **members})
    return Case(f"size {size}, {len(rest)} bytes, {members}", head + rest,
                status,
                headers=[f"Inference-Header-Content-Length: {len(head)}"])


def header(value, status=400, body=None, again=False):
    name = "Inference-Header-Content-Length"
    return Case(f"header {value!r}", body or document(), status,
                headers=[f"{name}: {value}"] * (2 if again else 1))


def lens(values, datatype="INT64", shape=(2,), status=400, data=None):
    return Case(f"lengths {str(values)[:40]} {datatype} {list(shape)}",
                document(lens={"data": values, "datatype": datatype,
                               "shape": list(shape)}), status, data=data)


def axes(time, batch, status=400):
    return Case(f"axes {time}, {batch}", document(
        parameters={"time_axis": time, "batch_axis": batch}), status)


def openvino(axis, status=400):
    body = (b'{"parameters": {"seq_axis": %d, "batch_axis": 0}, "inputs": ['
            b'{"name": "data", "datatype": "INT8", "shape": [2, 2], '
            b'"data": [1, 2, 3, 4]}, {"name": "seq_lengths", "datatype": '
            b'"INT64", "shape": [2], "data": [2, 1]}]}' % axis)
    return Case(f"seq_axis {axis}", body, status,
                model="openvino.ReverseSequence")


D1 = [shaped([-1]), shaped([16, 2 ** 60 + 2]), shaped([4, 2 ** 60 + 2]),
      shaped([2 ** 32, 2 ** 32]), shaped([MAX]), shaped([-1, 2]),
      shaped([2 ** 31, 2, 1]), shaped([1] * 1000), shaped([1] * 33),
      shaped([2 ** 33, 2 ** 33, 2 ** 33, 0, 4]), shaped([]), shaped(None),
      Case("no elements", document({"shape": [MAX, 0], "data": []},
                                   {"shape": [0], "data": []}), 200, data=[]),
      Case("none of two", document({"shape": [0, 2], "data": []},
                                   {"data": [0, 0]}), 200, data=[])]
D2 = [counted([2, 2], [1, 2, 3]), counted([2, 2], [1, 2, 3, 4, 5]),
      counted([2, 2], []), counted([2, 2], [[1, 2], [3]]),
      counted([2, 2], [[1, 2, 3], [4]]), counted([2, 2], [[1], [2], [3], [4]]),
      counted([2, 2], [[[1, 2], [3, 4]]]), counted([2, 2], [1, [2], 3, 4]),
      counted([2, 2], "1234"), counted([2, 2], {"a": 1})]
D3 = [binary(4, status=200), binary(4.0, status=200),
      *[binary(size) for size in (
          -1, 2 ** 64, 2 ** 63, "4", 4.5, 3, 5, 0, [4])],
      binary(None, status=200), binary(None, b"\1\2\3"),
      binary(4, b"\1\2\3"), binary(4, b"\1\2\3\4\5"),
      binary(4, data=[1, 2, 3, 4]),
      binary(4, parameters={"binary_data_size": 4,
                            "shared_memory_region": "r",
                            "shared_memory_byte_size": 4}),
      Case("no data at all", document({"data": None}))]
D4 = [header(value) for value in (
          "", "-1", "+5", "5 5", "0x5", "5,5", 2 ** 31, 2 ** 63, 2 ** 64,
          10 ** 30, 99999999999, len(document()) + 1, 0, 1,
          len(document()) - 1)]
D4 += [header(len(document()), {200, 400}, again=True),
       header(len(document()), 200),
       header(len(document(id="é")) - 1, 400, document(id="é"))]
D5 = [lens([-1, 1]), lens([3, 1]), lens([2 ** 31, 1]), lens([-2 ** 63, 1]),
      lens([2 ** 63, 1]), lens([-797221241223, 1]), lens([1.5, 1]),
      lens([2]), lens([2, 1, 1]), lens([[2, 1]], shape=(1, 2)),
      lens([2, 1], "FP32"), lens([2, 1], "BYTES"), lens([], shape=(0,)),
      lens([True, False], "BOOL"),
      lens([0, 0], status=200, data=[1, 2, 3, 4]),
      lens([1, 1], status=200, data=[1, 2, 3, 4]),
      lens([2, 2], status=200, data=[3, 4, 1, 2])]
D6 = [axes(0, 0), axes(1, 1), axes(2, 1), axes(-1, 0), axes(2 ** 31, 1),
      axes(2 ** 32, 1), axes(2 ** 32 + 1, 1), axes(-2 ** 63, 1), axes(MAX, 1),
      axes(0.5, 1), axes("x", 1), axes("0", 1, 200), axes(0, 1, 200), axes(1, 0, 200),
      *[openvino(axis) for axis in (
          -2 ** 63, -3, -2, 0, 2, 2 ** 31, 2 ** 32 + 1, MAX)],
      openvino(1, 200), openvino(-1, 200)]


def bits(datatype, data, status=200, lens_too=True):
    """Bytes in, bytes out; [2, 1] with lengths [2]."""
    head = document({"datatype": datatype, "shape": [2, 1], "data": None,
                     "parameters": {"binary_data_size": len(data)}},
                    {"shape": [1], "data": [2]},
                    parameters={"binary_data_output": True})
    case = Case(f"{datatype} {data.hex()[:40]}", head + data, status,
                headers=[f"Inference-Header-Content-Length: {len(head)}"])
    half = len(data) // 2
    case.bytes = data[half:] + data[:half]
    return case


NANS = {"FP16": "<HH", "BF16": "<HH", "FP32": "<II", "FP64": "<QQ"}
SIGNALLING = {"FP16": 0x7C01, "BF16": 0x7F81, "FP32": 0x7F800001,
              "FP64": 0x7FF0000000000001}
D7 = [Case(f"datatype {name!r}", document({"datatype": name}))
      for name in ("FP8", "int8", "", "INT8 ", None, 5, "STRING")]
D7 += [bits(name, struct.pack(form, SIGNALLING[name], 1))
       for name, form in NANS.items()]
D7 += [bits("BYTES", struct.pack("<I", 2 ** 32 - 1) + b"abcd" * 2, 400),
       bits("BYTES", b"\1\0\0\0a\0\0\0", 400),
       bits("BYTES", b"\1\0\0", 400)]


def shifted(by):
    """A tensor that begins `by` bytes behind a multiple of 8."""
    head = document({"datatype": "FP64", "shape": [2, 1], "data": None,
                     "parameters": {"binary_data_size": 16}},
                    {"shape": [1], "data": [2]},
                    parameters={"binary_data_output": True})
    head += b" " * ((by - len(head)) % 8)
    case = Case(f"shifted by {by}", head + bytes(range(16)), 200,
                headers=[f"Inference-Header-Content-Length: {len(head)}"])
    case.bytes = bytes([*range(8, 16), *range(8)])
    return case


D8 = [shifted(by) for by in range(8)]
ROWS = {"D1": ("shapes", D1), "D2": ("counts", D2), "D3": ("binary sizes", D3),
        "D4": ("length of the JSON", D4), "D5": ("lengths", D5),
        "D6": ("axes", D6), "D7": ("datatypes and bits", D7),
        "D8": ("unaligned tensors", D8)}
