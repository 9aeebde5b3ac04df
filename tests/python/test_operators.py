#!/usr/bin/env python3
"""The operators of the Python package: the published vectors in every form of memory, refusals,
and threads. What needs NumPy or PyTorch is skipped where they are not installed.

Usage: test_operators.py [OPTION...]    of unittest; the package is that of PYTHONPATH, with
libflip.so.0 in LD_LIBRARY_PATH, or the one that is installed"""

import array
import ctypes
import itertools
import json
import os
import random
import struct
import subprocess
import sys
import threading
import unittest
import weakref

import flipd

try:
    import numpy as np
except ImportError:
    np = None
try:
    import torch
except ImportError:
    torch = None

TESTS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..")
VECTORS = f"{TESTS}/vectors"
needs_numpy = unittest.skipUnless(np, "NumPy is not installed")
needs_torch = unittest.skipUnless(torch and np, "PyTorch is not installed")

LETTERS = {"BOOL": "?", "INT8": "b", "INT16": "h", "INT32": "i", "INT64": "q", "UINT8": "B",
           "UINT16": "H", "UINT32": "I", "UINT64": "Q", "FP16": "e", "FP32": "f", "FP64": "d",
           "COMPLEX64": "f", "COMPLEX128": "d"}
# Axes of theirs are 0 or 1; the package takes any.
ALLOWED = {"ort-InvalidInput-time2", "refused-graiphic-time"}


def cases():
    for name in ("reverse", "reverse_sequence"):
        with open(f"{VECTORS}/{name}.json", encoding="utf-8") as file:
            for case in json.load(file):
                if "op" in case and not {"backward_context", "forward"} & {
                        *case, *(case.get("parameters") or {})}:
                    yield case


def packed(datatype, values):
    """The bytes of a flat list, little-endian."""
    if datatype == "BF16":
        return b"".join(struct.pack("<f", value)[2:] for value in values)
    if datatype.startswith("COMPLEX"):
        values = [part for pair in values for part in pair]
    words = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
    return struct.pack(f"<{len(values)}{LETTERS[datatype]}",
                       *(words.get(value, value) if isinstance(value, str) else value
                         for value in values))


def data_of(case, field="data"):
    if f"{field}_hex" in case:
        return bytes.fromhex(case[f"{field}_hex"])
    return packed(case["datatype"], case[field])


def call(case, x, control, out=None):
    """What the package makes of a case."""
    parameters = case.get("parameters") or {}
    if case["op"] == "openvino.Reverse":
        return flipd.reverse(x, control, out=out)
    batch_first = case["op"].startswith("openvino")
    axes = {"batch_axis": int(parameters.get("batch_axis", 0 if batch_first else 1)),
            "time_axis": int(parameters.get("seq_axis", parameters.get("time_axis",
                                                                       int(batch_first))))}
    if case["op"] == "graiphic.ReverseSequenceGrad":
        return flipd.reverse_sequence_grad(
            x, control, lda_coeff=float(parameters.get("lda_coeff", 1)), out=out, **axes)
    return flipd.reverse_sequence(x, control, out=out, **axes)


def is_refused(case):
    return case.get("expect") is None and "expect_hex" not in case


class Buffers(unittest.TestCase):
    """Without NumPy: memoryviews, bytes, arrays."""

    def view(self, case, data):
        letter = {"FP16": "H", "BF16": "H", "COMPLEX64": "Q"}.get(
            case["datatype"], LETTERS.get(case["datatype"]))
        return memoryview(bytearray(data)).cast(letter, case["shape"])

    def test_vectors(self):
        count = 0
        for case in cases():
            if (case["datatype"] in ("BYTES", "COMPLEX128") or 0 in case["shape"]
                    or case["op"].endswith("Grad") and case["datatype"][:2] != "FP"
                    or case["datatype"] == "FP16" and case["op"].endswith("Grad")):
                continue
            with self.subTest(case["id"]):
                control, data = self.control(case), data_of(case)
                x = self.view(case, data)
                if is_refused(case) and case["id"] not in ALLOWED:
                    with self.assertRaises(ValueError) as raised:
                        call(case, x, control)
                    self.assertIn(case.get("refusal", ""), str(raised.exception))
                elif not is_refused(case):
                    expected = data_of(case, "expect")
                    y = call(case, x, control)
                    self.assertEqual(y.tobytes(), expected)
                    self.assertEqual((y.format, y.shape), (x.format, x.shape))
                    self.assertEqual(x.tobytes(), data)
                    self.assertIs(call(case, x, control, out=x), x)
                    self.assertEqual(x.tobytes(), expected)
                count += 1
        self.assertGreater(count, 100)

    def control(self, case):
        """As a list where that has the datatype, else as a view."""
        datatype = case.get("control_datatype", "INT64")
        shape = case.get("control_shape", [len(case["control"])])
        if datatype in ("INT64", "BOOL") and len(shape) == 1 and (
                datatype == "INT64" or case["op"] == "openvino.Reverse"):
            return case["control"]
        if datatype in ("FP16", "BF16"):
            return [float(value) for value in case["control"]]
        view = memoryview(bytearray(packed(datatype, case["control"])))
        return view.cast(LETTERS[datatype], shape) if 0 not in shape else view.cast(
            LETTERS[datatype])

    def test_kinds_of_memory(self):
        self.assertEqual(bytes(flipd.reverse(b"abc", 0)), b"cba")
        self.assertEqual(flipd.reverse(array.array("d", [1, 2, 3]), [-1]).tolist(), [3, 2, 1])
        numbers = (ctypes.c_int32 * 3 * 2)((1, 2, 3), (4, 5, 6))
        self.assertIs(flipd.reverse(numbers, [0, 1], out=numbers), numbers)
        self.assertEqual([list(row) for row in numbers], [[6, 5, 4], [3, 2, 1]])
        x = bytearray(b"abcdef")
        flipd.reverse(memoryview(x)[::2], 0, out=memoryview(x)[::2])
        self.assertEqual(x, b"ebcdaf")
        self.assertEqual(bytes(flipd.reverse(memoryview(b"abcdef")[::-2], 0)), b"bdf")
        self.assertEqual(bytes(flipd.reverse(b"", 0)), b"")
        out = bytearray(3)
        self.assertIs(flipd.reverse(b"abc", 0, out=out), out)
        self.assertEqual(out, b"cba")

    def test_elements_that_no_memoryview_has(self):
        class Pixel(ctypes.Structure):
            _fields_ = [("red", ctypes.c_uint8), ("green", ctypes.c_uint8),
                        ("blue", ctypes.c_uint8)]

        def pixels(data):
            return (Pixel * 2 * (len(data) // 6)).from_buffer_copy(data)

        for x, y in ((pixels(b"abcdefghijkl"), b"defabcjklghi"), (pixels(b""), b""),
                     ((ctypes.c_wchar * 1 * 2)(*[(ctypes.c_wchar * 1)(one) for one in "ab"]),
                      "ab".encode("utf-32-le")), ((ctypes.c_int * 0 * 3)(), b"")):
            self.assertEqual(bytes(flipd.reverse(x, [1])), y)
            self.assertIs(flipd.reverse(x, [-1, 1], out=x), x)
            self.assertEqual(bytes(x), y)
        x = pixels(b"abcdefghijkl")
        self.assertEqual(bytes(flipd.reverse_sequence(x, [2, 1])), b"ghidefabcjkl")
        self.assertEqual(bytes(flipd.reverse_sequence(x, [2, 1], batch_axis=-2, time_axis=-1)),
                         b"defabcghijkl")
        self.assertEqual(bytes(flipd.reverse(x, [True, False])), b"ghijklabcdef")
        with self.assertRaises(ValueError) as raised:
            flipd.reverse(x, 2)
        self.assertEqual(str(raised.exception),
                         "axis[0] is 2, but it must be from -2 to 1 for rank 2")
        with self.assertRaises(ValueError) as raised:
            flipd.reverse_sequence_grad(x, [1, 1])
        self.assertIn("dY has elements of type V3, but a gradient", str(raised.exception))

    def test_prototypes_of_others_do_not_count(self):
        get = ctypes.pythonapi.PyObject_GetBuffer
        get.argtypes = [ctypes.c_int]
        try:
            self.assertEqual(bytes(flipd.reverse(b"abc", 0)), b"cba")
        finally:
            get.argtypes = None

    def test_memory_that_overlaps(self):
        for start, end in itertools.product(range(4), repeat=2):
            x = bytearray(range(12))
            expected = x[:]
            expected[end:end + 8] = x[start:start + 8][::-1]
            flipd.reverse(memoryview(x)[start:start + 8], 0, out=memoryview(x)[end:end + 8])
            self.assertEqual(x, expected)

    def test_refusals(self):
        x = memoryview(bytearray(12)).cast("B", (4, 3))
        y = memoryview(bytearray(16)).cast("f", (2, 2))
        for text, run in {
            "sequence_lens[1] is 5, but axis 0 has 4 entries":
                lambda: flipd.reverse_sequence(x, [4, 5, 1]),
            "sequence_lens[0] is 1.5, which is not a whole number":
                lambda: flipd.reverse_sequence(x, [1.5, 2, 3]),
            "sequence_lens[0] is 1e+30, which is no 64-bit integer":
                lambda: flipd.reverse_sequence(x, [10 ** 30, 2, 3]),
            "lens is [None, 1, 2], but it must be a list of whole numbers":
                lambda: flipd.reverse_sequence(x, [None, 1, 2]),
            "sequence_lens has 2 entries, but axis 1 has 3":
                lambda: flipd.reverse_sequence(x, (1, 2)),
            "batch_axis is 2, but it must be from -2 to 1 for rank 2":
                lambda: flipd.reverse_sequence(x, [1, 2, 3], batch_axis=2),
            "batch_axis and time_axis are both 1":
                lambda: flipd.reverse_sequence(x, [1, 2, 3], time_axis=1),
            "dY is UINT8, but a gradient must be FP16, BF16, FP32, FP64, COMPLEX64 or COMPLEX128":
                lambda: flipd.reverse_sequence_grad(x, [1, 2, 3]),
            "axis[0] is 2, but it must be from -2 to 1 for rank 2": lambda: flipd.reverse(x, 2),
            "axis has 1 entries, but in mask mode it must have one for each of the 2 axes of data":
                lambda: flipd.reverse(x, [True]),
            "lda_coeff is nan, but it must be finite":
                lambda: flipd.reverse_sequence_grad(y, [1, 2], lda_coeff=float("nan")),
            "data is read-only": lambda: flipd.reverse(b"abc", 0, out=b"abc"),
            "out is read-only": lambda: flipd.reverse(bytearray(b"abc"), 0, out=b"abc"),
            "out is u1 [2], but data is u1 [3]":
                lambda: flipd.reverse(b"abc", 0, out=bytearray(2)),
            "out is i1 [3], but data is u1 [3]":
                lambda: flipd.reverse(b"abc", 0, out=array.array("b", [1, 2, 3])),
        }.items():
            with self.subTest(text), self.assertRaises(ValueError) as raised:
                run()
            self.assertEqual(str(raised.exception), text)
        for wrong in ([1, 2], 7, "abc", None):
            with self.assertRaises(TypeError) as raised:
                flipd.reverse(wrong, 0)
            self.assertIn("data is of type", str(raised.exception))

    def test_a_device_is_not_this_memory(self):
        class Remote:
            def __dlpack__(self, **_):
                raise AssertionError

            def __dlpack_device__(self):
                return 2, 0

        with self.assertRaises(ValueError) as raised:
            flipd.reverse(Remote(), 0)
        self.assertIn("in the processor's memory", str(raised.exception))

    def test_nothing_is_loaded_that_is_not_used(self):
        code = ("import flipd, sys; assert 'flipd.client' not in sys.modules and 'ctypes' not in "
                "sys.modules; flipd.reverse; assert 'numpy' not in sys.modules; flipd.Client; "
                "flipd.Error")
        subprocess.run([sys.executable, "-c", code], check=True)
        with self.assertRaises(AttributeError):
            flipd.roll


def dtype_of(datatype):
    return np.dtype({"BF16": "u2", "BYTES": "O", "BOOL": "?"}.get(
        datatype, datatype.lower().replace("fp", "float")))


def forms(x):
    """The same tensor in several layouts of memory; each may be written to."""
    yield x.copy()
    yield x.copy("F")
    if x.ndim:
        yield np.repeat(x, 2, axis=-1)[..., ::2]
        yield x[::-1].copy()[::-1]
        order = list(range(1, x.ndim)) + [0]
        yield x.transpose(order).copy().transpose(np.argsort(order))


def same(x, y):
    """Bit for bit."""
    if x.dtype == object:
        return x.tolist() == y.tolist()
    return x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()


class Exporter:
    """An array by DLPack alone."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


@needs_numpy
class Arrays(unittest.TestCase):
    def array(self, case, field="data"):
        if case["datatype"] == "BYTES":
            return np.array([*case[field], None], object)[:-1].reshape(case["shape"])
        return np.frombuffer(data_of(case, field), dtype_of(case["datatype"])).reshape(
            case["shape"])

    def control(self, case):
        datatype = case.get("control_datatype", "INT64")
        shape = case.get("control_shape", [len(case["control"])])
        if datatype == "BF16":
            return np.array(case["control"], "f4").reshape(shape)
        return np.frombuffer(packed(datatype, case["control"]), dtype_of(datatype)).reshape(shape)

    def test_vectors(self):
        for case in cases():
            if case["datatype"] == "BF16" and case["op"].endswith("Grad"):
                continue  # NumPy has none
            with self.subTest(case["id"]):
                x, control = self.array(case), self.control(case)
                if is_refused(case):
                    if case["id"] not in ALLOWED:
                        with self.assertRaises(ValueError) as raised:
                            call(case, x, control)
                        self.assertIn(case.get("refusal", ""), str(raised.exception))
                    continue
                expected = self.array(case, "expect")
                self.assertTrue(same(call(case, x, control), expected))
                for one in forms(x):
                    for _ in range(2):  # the second time with what was kept
                        self.check(case, one, control, expected)

    def check(self, case, x, control, expected):
        before = x.copy()
        y = call(case, x, control)
        self.assertTrue(same(y, expected))
        self.assertTrue(same(x, before))
        self.assertIs(type(y), np.ndarray)
        for out in forms(np.zeros_like(x)):
            self.assertIs(call(case, x, control, out=out), out)
            self.assertTrue(same(out, expected))
        self.assertIs(call(case, x, control, out=x), x)
        self.assertTrue(same(x, expected))
        x[...] = before
        again = x[...]
        self.assertIs(call(case, x, control, out=again), again)
        self.assertTrue(same(x, expected))
        x[...] = before

    def test_random_calls_in_a_row(self):
        """What is kept from call to call is used for the same call only."""
        rng = random.Random(20261130)
        arrays = [np.arange(24, dtype=dtype).reshape(shape) for dtype in ("f4", "i8", "u2")
                  for shape in ((4, 6), (6, 4), (2, 3, 4), (4, 3, 2))]
        lens, mask = np.zeros(8, np.int32), np.zeros(8, bool)
        for _ in range(3000):
            x = rng.choice(arrays).copy()
            rank = x.ndim
            if rng.random() < 0.5:
                batch, time = rng.sample(range(rank), 2)
                lens[:] = [rng.randint(0, x.shape[time]) for _ in lens]
                n = lens[:x.shape[batch]]
                expected = x.copy()
                for b, length in enumerate(n):
                    part = np.moveaxis(expected, (batch, time), (0, 1))[b]
                    part[:length] = part[:length][::-1].copy()
                control = rng.choice([n, n.tolist(), tuple(n.tolist()), n.astype("i8")])
                axes = {"batch_axis": batch - rng.choice([0, rank]), "time_axis": time}
                run = rng.choice([flipd.reverse_sequence] + [flipd.reverse_sequence_grad]
                                 * (x.dtype == "f4"))
                out = rng.choice([None, x, np.empty_like(x)])
                y = run(x, control, out=out, **axes)
            else:
                mask[:] = [rng.random() < 0.5 for _ in mask]
                m = mask[:rank]
                expected = np.flip(x, np.flatnonzero(m)).copy()
                indexes = np.flatnonzero(m)
                control = rng.choice([m, m.tolist(), indexes, indexes.tolist(),
                                      (indexes - rank).tolist()])
                y = flipd.reverse(x, control, out=rng.choice([None, x, np.empty_like(x)]))
            self.assertTrue(same(y, np.ascontiguousarray(expected)))

    def test_tensors_are_not_kept(self):
        x, lens = np.zeros((4, 3)), np.array([1, 2, 3])
        for _ in range(2):
            flipd.reverse_sequence(x, lens, out=x)
        gone = weakref.ref(x), weakref.ref(lens)
        del x, lens
        self.assertEqual([one() for one in gone], [None, None])

    def test_masks_and_indexes_are_told_apart(self):
        x = np.arange(6).reshape(2, 3)
        for _ in range(2):
            self.assertTrue(same(flipd.reverse(x, [1, 0]), x[::-1, ::-1].copy()))
            self.assertTrue(same(flipd.reverse(x, [True, False]), x[::-1].copy()))
            for axis in (1, -1, np.int64(1), np.array(1)):
                self.assertTrue(same(flipd.reverse(x, axis), x[:, ::-1].copy()))

    def test_large_ones(self):
        rng = np.random.default_rng(5)
        for shape in ((500, 64, 33), (64, 700, 32), (3000, 1000)):
            x = rng.random(shape, np.float32)
            lens = rng.integers(0, shape[0] + 1, shape[1])
            expected = x.copy()
            for b, n in enumerate(lens):
                expected[:n, b] = x[:n, b][::-1]
            self.assertTrue(same(flipd.reverse_sequence(x, lens), expected))
            flipd.reverse_sequence(x, lens, out=x)
            self.assertTrue(same(x, expected))

    def test_elements_of_other_types(self):
        for x in (np.array(["2026-11-30", "2001-01-01"], "M8[D]"), np.array(["ab", "c"], "U2"),
                  np.array([b"abcd", b"ef"], "S4"), np.array([1, 2], ">i4"),
                  np.array(["abc", "d"]), np.array([b"a" * 40, b"b"]), np.array([1j, 2], "G"),
                  np.array([(1, 2), (3, 4)], "i4,f4")):
            self.assertTrue(same(flipd.reverse(x, 0), x[::-1].copy()))
            self.assertTrue(same(flipd.reverse(x.copy(), 0, out=x), x))
        with self.assertRaises(ValueError) as raised:
            flipd.reverse(np.arange(3), np.array([0], ">i4"))
        self.assertIn("axes has elements of type >i4", str(raised.exception))

    def test_what_is_kept_has_its_own_lengths(self):
        x = np.array([[3, 1], [0, 2], [2, 0]])
        lens = x[0].copy()
        flipd.reverse_sequence(x, x[0], out=x)  # which is no longer lens
        y = np.arange(6).reshape(3, 2)
        self.assertEqual(flipd.reverse_sequence(y, lens).tolist(), [[4, 1], [2, 3], [0, 5]])
        entries = [np.array(3), np.array(1)]
        flipd.reverse_sequence(y, entries)
        entries[0][...] = 0
        self.assertTrue(same(flipd.reverse_sequence(y, entries), y))
        for flags in ([True, False], [False, True]):
            for kind in (np.bool_, np.int64):
                control = [kind(flag) for flag in flags]
                axes = [0, 1] if kind is np.int64 else np.flatnonzero(flags)
                self.assertTrue(same(flipd.reverse(y, control), np.flip(y, axes).copy()))

    def test_other_lengths_of_a_shape_leave_the_other_shapes_kept(self):
        from flipd import operators

        operators._local.plans.clear()
        shapes = [(4, columns) for columns in range(1, 17)]
        for shape in shapes * 2:
            flipd.reverse_sequence(np.zeros(shape), [4] * shape[1])
        for length in (3, 2):
            flipd.reverse_sequence(np.zeros(shapes[0]), [length])
        self.assertEqual([shape for _, shape in operators._local.plans], shapes)
        flipd.reverse_sequence(np.zeros((4, 17)), [4] * 17)
        self.assertLessEqual(len(operators._local.plans), 16)

    def test_other_things_with_arrays_inside(self):
        for _ in range(200):
            self.assertEqual(flipd.reverse(np.float64(7.5), []), 7.5)
        with self.assertRaises(ValueError) as raised:
            flipd.reverse(np.zeros(()), [], out=np.float64(1))
        self.assertEqual(str(raised.exception), "out is read-only")
        with self.assertRaises(ValueError) as raised:
            flipd.reverse(np.ma.array([1, 2], mask=[True, False]), 0)
        self.assertEqual(str(raised.exception), "data is a masked array: its mask would be lost")
        twice = np.lib.stride_tricks.as_strided(np.zeros(1), (3,), (0,))
        with self.assertRaises(ValueError) as raised:
            flipd.reverse(np.zeros(3), 0, out=twice)
        self.assertEqual(str(raised.exception), "out has elements that lie at one place")
        for x, out in ((np.zeros(2, "M8[D]"), np.zeros(2, "M8[s]")),
                       (np.zeros(2, "i4,f4"), np.zeros(2, "f4,i4"))):
            with self.assertRaises(ValueError) as raised:
                flipd.reverse(x, 0, out=out)
            self.assertIn(f"out is {out.dtype}, but data is {x.dtype}", str(raised.exception))

    def test_read_only(self):
        x = np.arange(6)
        x.flags.writeable = False
        self.assertTrue(same(flipd.reverse(x, 0), x[::-1].copy()))
        for source, out, text in ((x, x, "data is read-only"), (x.copy(), x, "out is read-only"),
                                  (np.arange(2), np.broadcast_to(np.arange(2), (2,)), "out is")):
            with self.assertRaises(ValueError) as raised:
                flipd.reverse(source, 0, out=out)
            self.assertIn(text, str(raised.exception))

    def test_references_are_counted(self):
        one = [object()]
        for x in (np.array([one, None, None], object),
                  np.array([(1, one), (2, None)], [("number", "i8"), ("one", object)])):
            before = sys.getrefcount(one)
            y = flipd.reverse(x, 0)
            self.assertEqual(y[::-1].tolist(), x.tolist())
            flipd.reverse(x, 0, out=y[::-1])
            self.assertEqual(y.tolist(), x.tolist())
            self.assertEqual(sys.getrefcount(one), before + 1)
            del y
            self.assertEqual(sys.getrefcount(one), before)

    def test_dlpack(self):
        x = np.arange(12, dtype=np.float32).reshape(3, 4)
        for one in (x, x.T, x[:, ::2], x.copy("F")):
            y = flipd.reverse(Exporter(one), [0])
            self.assertTrue(same(np.ascontiguousarray(y), one[::-1].copy()))
            exported = Exporter(one.copy())
            self.assertIs(flipd.reverse(exported, [0], out=exported), exported)
            self.assertTrue(same(exported.x, one[::-1].copy()))
        self.assertEqual(flipd.reverse(x, Exporter(np.array([1]))).tolist(), x[:, ::-1].tolist())

    def test_eight_threads_on_one_input(self):
        rng = np.random.default_rng(8)
        x = rng.random((200, 31, 17))
        lens = rng.integers(0, 201, 31)
        expected = flipd.reverse_sequence(x, lens)
        wrong = []

        def run(number):
            own, flips = x.copy(), x[:, ::-1].copy()
            for i in range(60):
                if not same(flipd.reverse_sequence(x, lens), expected):
                    wrong.append((number, i))
                flipd.reverse_sequence(own, lens, out=own)
                if not same(own, x if i % 2 else expected):
                    wrong.append((number, i, "in place"))
                if not same(flipd.reverse(x, number % 2 and [1] or [-2]), flips):
                    wrong.append((number, i, "axes"))

        threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


@needs_numpy
class Conformance(unittest.TestCase):
    """The cases of tests/conformance, which are made from the operators' definitions."""

    def test_cases(self):
        sys.path.insert(0, f"{TESTS}/conformance")
        import cases as kit
        import datatypes

        count = 0
        for case in kit.cases():
            with self.subTest(case["name"]):
                try:
                    x, control = self.arrays(case, datatypes)
                except KeyError:
                    continue  # NumPy has no such type of lengths or of a gradient
                if case["expect"] is not None:
                    y = self.call(case, x, control)
                    self.assertEqual(self.binary(case, y, datatypes), case["expect"])
                elif self.is_wrong_here(case):
                    with self.assertRaises(ValueError):
                        self.call(case, x, control)
                count += 1
        self.assertGreater(count, 1400)

    def is_wrong_here(self, case):
        """ONNX has fewer axes, and one type of lengths; the package knows a mask by its type."""
        if "mode" in case["attributes"]:
            is_mask = case["attributes"]["mode"] == "mask"
            return is_mask == (case["control"]["datatype"] == "BOOL")
        axes = {case["attributes"].get(name, 0) for name in ("batch_axis", "time_axis")}
        return not case["operator"].startswith("ONNX") or (
            axes <= {0, 1} and case["control"]["datatype"] == "INT64")

    def arrays(self, case, datatypes):
        """Elements of less than a byte have one each."""
        datatype, shape, given = case["datatype"], case["shape"], case["control"]
        bits = datatypes.BITS[datatype]
        elements = datatypes.unpack(datatype, bytes.fromhex(case["data"]), int(np.prod(shape)))
        if datatype == "BYTES":
            x = np.array([*elements, None], object)[:-1]
        else:
            raw = b"".join(one.to_bytes(max(bits, 8) // 8, "little") for one in elements)
            x = np.frombuffer(raw, datatypes.NUMPY[datatype] if "factor" in case else
                              datatypes.NUMPY.get(datatype, f"u{max(bits, 8) // 8}"))
        control = np.frombuffer(datatypes.encode(given["datatype"], given["values"]),
                                datatypes.NUMPY[given["datatype"]])
        return x.reshape(shape), control.reshape(given["shape"])

    def call(self, case, x, control):
        attributes = case["attributes"]
        if "mode" in attributes:
            return flipd.reverse(x, control)
        time_axis = "seq_axis" if case["operator"].startswith("OpenVINO") else "time_axis"
        axes = {"batch_axis": attributes.get("batch_axis", int(time_axis == "time_axis")),
                "time_axis": attributes.get(time_axis, int(time_axis == "seq_axis"))}
        if "factor" in case:
            return flipd.reverse_sequence_grad(x, control, lda_coeff=case["factor"], **axes)
        return flipd.reverse_sequence(x, control, **axes)

    def binary(self, case, y, datatypes):
        bits = datatypes.BITS[case["datatype"]]
        whole = bits is not None and bits >= 8
        return (y.tobytes() if whole else
                datatypes.pack(case["datatype"], y.ravel().tolist())).hex()


@needs_torch
class Torch(unittest.TestCase):
    def test_vectors(self):
        arrays = Arrays()
        for case in cases():
            if case["datatype"] in ("BYTES", "UINT16", "UINT32", "UINT64"):
                continue
            x, control = arrays.array(case), arrays.control(case)
            if is_refused(case):
                if case["id"] not in ALLOWED:
                    with self.assertRaises(ValueError):
                        call(case, torch.from_numpy(x.copy()), control)
                continue
            expected = torch.from_numpy(arrays.array(case, "expect").copy())
            for one in forms(x):
                if min(one.strides, default=0) >= 0:
                    with self.subTest(case["id"]):
                        self.check(case, torch.from_numpy(one), control, expected)

    def check(self, case, x, control, expected):
        if case["datatype"] == "BF16":
            x, expected = x.view(torch.bfloat16), expected.view(torch.bfloat16)
        before = x.clone()
        y = call(case, x, control)
        self.assertIs(type(y), torch.Tensor)
        self.assertEqual(y.dtype, x.dtype)
        self.assertTrue(self.same(y, expected) and self.same(x, before))
        out = torch.zeros_like(x)
        self.assertIs(call(case, x, control, out=out), out)
        self.assertTrue(self.same(out, expected))
        address = x.data_ptr()
        self.assertIs(call(case, x, control, out=x), x)
        self.assertTrue(self.same(x, expected))
        self.assertEqual(x.data_ptr(), address)

    def same(self, x, y):
        if x.numel() == 0:
            return x.shape == y.shape
        return x.shape == y.shape and torch.equal(self.bytes(x), self.bytes(y))

    def bytes(self, x):
        return x.clone(memory_format=torch.contiguous_format).reshape(-1).view(torch.uint8)

    def test_lengths_of_torch(self):
        x = torch.arange(12, dtype=torch.float32).reshape(4, 3)
        for dtype in (torch.int64, torch.int32, torch.uint8):
            y = flipd.reverse_sequence(x, torch.tensor([4, 2, 1], dtype=dtype))
            self.assertEqual(y[:, 0].tolist(), [9, 6, 3, 0])
        self.assertEqual(flipd.reverse(x, torch.tensor([True, False]))[0].tolist(), [9, 10, 11])

    def test_masks_of_torch_in_a_list(self):
        x = torch.arange(4).reshape(2, 2)
        for values, axes in (([True, False], [0]), ([1, 0], [0, 1]), ([False, True], [1]),
                             ([0, 0], [0])):
            y = flipd.reverse(x, list(torch.tensor(values)))
            self.assertTrue(torch.equal(y, torch.flip(x, axes)))

    def test_what_has_no_plain_memory_is_refused(self):
        x = torch.arange(4.0).reshape(2, 2)
        flipd.reverse(x, 0)  # and keeps the description
        for wrong in (x.clone().requires_grad_(), torch._neg_view(x), x.to_sparse(),
                      x.to_sparse_csr(), x.to(torch.complex64).conj()):
            for _ in range(2):
                with self.assertRaises(ValueError) as raised:
                    flipd.reverse(wrong, 0)
                self.assertIn("data ", str(raised.exception))

    def test_autograd_sees_what_was_written(self):
        for out_is_x in (True, False):
            for _ in range(2):
                w, x = torch.ones(3, requires_grad=True), torch.arange(3.0)
                y = (w * x).sum()
                flipd.reverse(x if out_is_x else torch.zeros(3), 0, out=x)
                with self.assertRaises(RuntimeError):
                    y.backward()
        with torch.inference_mode():
            x = torch.arange(3)
            for _ in range(2):
                flipd.reverse(x, 0, out=x)
            self.assertEqual(x.tolist(), [0, 1, 2])


if __name__ == "__main__":
    unittest.main()
