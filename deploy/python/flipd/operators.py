"""The operators in this process: libflip, called through ctypes, which lets other threads of Python
run meanwhile.

Tensors are NumPy's arrays, and objects with DLPack (PyTorch's tensors) or the buffer protocol; none
is copied that is dense in its memory, in any order of its axes. Others, such as every second row,
are copied to be reversed. Elements may be anything. Threads may share tensors that nobody writes
to. A refusal is a ValueError whose text names argument, index, value and limit."""

from __future__ import annotations

import ctypes
import math
import operator
import os
import sys
import threading
from array import array
from typing import Any, Optional, TypeVar

X = TypeVar("X")

__all__ = ["reverse", "reverse_sequence", "reverse_sequence_grad"]


def reverse_sequence(x: X, lens: Any, *, batch_axis: int = 1, time_axis: int = 0,
                     out: Optional[Any] = None) -> X:
    """Reverses the first `lens[b]` entries along `time_axis` for each entry b of `batch_axis`:
    y[t, b] = x[lens[b] - 1 - t, b] for t < lens[b]. The other elements stay.

    `lens` is a list of whole numbers, or an array of any type of them. The result is a new tensor
    of the kind of `x`, or `out`, which may be `x` itself: then elements change places in it."""
    return _run("input", x, lens, batch_axis, time_axis, out, 1)


def reverse_sequence_grad(dy: X, lens: Any, *, batch_axis: int = 1, time_axis: int = 0,
                          lda_coeff: float = 1.0, out: Optional[Any] = None) -> X:
    """The gradient of reverse_sequence(): the reversed `dy`, times `lda_coeff`. `dy` is of floats
    or complex numbers; those of 16 bits are multiplied in 32 and rounded once."""
    return _run("dY", dy, lens, batch_axis, time_axis, out, lda_coeff)


def reverse(x: X, axes: Any, out: Optional[Any] = None) -> X:
    """Reverses whole axes: `axes` is one axis or a list, in which a repeated one counts once, or a
    mask, which is a list or an array of a bool for each axis. The result is as that of
    reverse_sequence()."""
    return _run("data", x, axes, 0, 0, out, 1)


_bundled = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libflip.so.0")
_library = ctypes.CDLL(_bundled if os.path.exists(_bundled) else "libflip.so.0")
# Without argtypes a ctypes array is passed as a pointer, and nothing is converted.
_in_place, _copy, _scale = _library.flip_in_place, _library.flip_copy, _library.flip_scale
_free, _size, _scratch = _library.flip_free, _library.flip_bytes, _library.flip_scratch
_in_place.restype = _copy.restype = _free.restype = None
_size.restype = _scratch.restype = ctypes.c_size_t
_DESCRIBE = {"input": _library.flip_reverse_sequence, "dY": _library.flip_reverse_sequence_grad,
             "data": _library.flip_reverse}  # by the tensor's name in errors
for _function in _DESCRIBE.values():
    _function.restype = ctypes.c_void_p
_Error = ctypes.c_char * 320

# The numbers of flip.h by NumPy's names of types, where B is bfloat16. Elements of any other type
# are moved as units of up to 16 bytes, and several of these as a last axis.
_DATATYPES = {name: number for number, name in enumerate(
    "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 B2 f4 f8 c8 c16".split())}
_OTHERS = {1: 5, 2: 6, 4: 7, 8: 8, 16: 14}
_BUFFER = {**dict.fromkeys("bhilqn", "i"), **dict.fromkeys("BHILQN", "u"), "?": "b", "O": "O",
           **dict.fromkeys("efd", "f"), "Zf": "c", "Zd": "c"}
_DLPACK = {0: "i", 1: "u", 2: "f", 4: "B", 5: "c", 6: "b"}

_Pointer = ctypes.c_char * 1  # to the first byte, whatever the size
_KEPT = 16  # descriptions of a thread


class _Local(threading.local):
    """The last descriptions, by function and shape, and the scratch they share, of a thread."""

    def __init__(self) -> None:
        self.plans, self.scratch = {}, _Pointer()


_local = _Local()


def _run(name, x, control, batch_axis, time_axis, out, coefficient):
    """The way of arrays and tensors of PyTorch that fit a description: 2 to 3 us without the
    move. _run_any() is that of all others."""
    try:
        plan = _local.plans.get((name, x.shape))
    except (AttributeError, TypeError):
        plan = None
    if (plan is not None and type(x) is plan.kind and x.dtype is plan.dtype
            and batch_axis == plan.batch_axis and time_axis == plan.time_axis
            and coefficient == 1):
        if not plan.has(control):
            plan = plan.renewed(control)
        target = None
        try:
            source = plan.pointer(x)
            y = plan.new(x) if out is None else out
            if out is not x and type(y) is plan.kind and y.shape == x.shape and (
                    y.dtype is plan.dtype):
                target = plan.pointer(y)
        except (TypeError, ValueError, BufferError, RuntimeError):
            source = None  # one is read-only or not contiguous, or has no such memory
        if source and out is x:
            _in_place(plan.handle, source, plan.scratch)
        elif target and abs(ctypes.addressof(source) - ctypes.addressof(target)) >= plan.size:
            _copy(plan.handle, source, target, plan.scratch)
        else:
            return _run_any(name, x, control, batch_axis, time_axis, out, coefficient)
        if plan.wrote and out is not None:
            plan.wrote(y)
        return y
    return _run_any(name, x, control, batch_axis, time_axis, out, coefficient)


def _run_any(name, x, control, batch_axis, time_axis, out, coefficient):
    source = _View.of(x, name)
    if name == "dY" and source.type not in _DATATYPES:
        raise ValueError(f"dY has elements of type {source.type}, but a gradient must be FP16, "
                         "BF16, FP32, FP64, COMPLEX64 or COMPLEX128")
    plan = _Plan(name, _Tensor.of(source.datatype, source.shape), control,
                 operator.index(batch_axis), operator.index(time_axis))
    coefficient = float(coefficient)
    if not math.isfinite(coefficient):
        raise ValueError(f"lda_coeff is {coefficient}, but it must be finite")
    is_new = out is None
    out = _like(x, source) if is_new else out
    target = source if out is x else _View.of(out, "out")
    if is_new and target.shape != source.shape:  # bytes alone, as no view has such elements
        target = _View(out, target.address, source.shape, None, "", source.size)
    if is_new:
        target.type = source.type
    elif type(out) is type(x) and getattr(out, "dtype", None) != getattr(x, "dtype", None):
        raise ValueError(f"out is {out.dtype}, but {name} is {x.dtype}")
    if (target.shape, target.type) != (source.shape, source.type):
        raise ValueError(f"out is {target.type} {list(target.shape)}, but {name} is {source.type} "
                         f"{list(source.shape)}")
    if target.is_read_only:
        raise ValueError(f"{name if out is x else 'out'} is read-only")
    if target.count > 0 and any(
            step == 0 and extent > 1 for step, extent in zip(target.strides, target.shape)):
        raise ValueError(f"{name if out is x else 'out'} has elements that lie at one place")
    if source.type[0] == "O" and source is not target:
        out[...] = x  # counts references
        source = target
    is_dense = target.order is not None and (target.is_at(source) or not target.meets(source))
    work = target if is_dense else _View.dense(source)
    ordered = plan.ordered(work.order, source.units)
    if ordered is plan and source.order == work.order and source.type[0] != "O":
        plan.keep(x, control)  # before the move, which may change `control`
    _move(ordered, source, work, coefficient)
    if work is not target:
        target.assign(work)
    torch = sys.modules.get("torch")
    if torch and not is_new and isinstance(out, torch.Tensor):
        _tell_autograd(out)
    return out


def _move(plan, source, work, coefficient):
    """From `source` to `work`, which is dense and the same memory or other memory."""
    if source.order == work.order and not work.is_at(source):
        _copy(plan.handle, source.pointer, work.pointer, plan.scratch)
    else:
        if not work.is_at(source):
            work.assign(source)
        _in_place(plan.handle, work.pointer, plan.scratch)
    if plan.name == "dY":
        _scale(plan.handle, work.pointer, ctypes.c_double(coefficient))


def _like(x, source):
    """A new tensor of the kind of `x`, where that can be had; else a memoryview."""
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if torch and isinstance(x, torch.Tensor):
        return torch.empty_like(x)
    if hasattr(x, "__dlpack__") or hasattr(x, "__array_interface__"):
        numpy = _numpy()
    if numpy and isinstance(x, numpy.ndarray):
        return numpy.empty_like(x, subok=False)
    if numpy and hasattr(x, "__dlpack__") and source.type in _DATATYPES:
        return numpy.empty(source.shape, source.type.replace("B", "u"))
    if numpy and hasattr(x, "__array_interface__"):
        return numpy.empty_like(numpy.asarray(x))
    y = memoryview(bytearray(source.count * source.size))
    try:
        return y.cast(source.format, source.shape)
    except (TypeError, ValueError):  # no such view: of half floats, or without an element
        return y


class _Plan:
    """A description, and for what it was made."""

    kind = None  # the type of the arrays that fit as they are

    def __init__(self, name, tensor, control, batch_axis, time_axis):
        self.name, self.tensor = name, tensor
        self.batch_axis, self.time_axis = batch_axis, time_axis
        self.list = control = _View.of_list(control, "axes" if name == "data" else "lens")
        places = () if name == "data" else (_integer(batch_axis), _integer(time_axis))
        error = _Error()
        entries = _Tensor.of(control.datatype, control.shape, control.address)
        handle = _DESCRIBE[name](ctypes.byref(tensor), ctypes.byref(entries), *places, error)
        if not handle:
            raise ValueError(error.value.decode())
        self.handle = ctypes.c_void_p(handle)
        self.size, scratch = _size(self.handle), _scratch(self.handle)
        if scratch > len(_local.scratch):
            _local.scratch = (ctypes.c_char * scratch)()
        self.scratch = _local.scratch

    def __del__(self, free=_free):
        if hasattr(self, "handle"):
            free(self.handle)

    def ordered(self, order, units):
        """The same of a tensor whose axes lie in memory in this order, outermost first, and whose
        elements have as many units."""
        if order == sorted(order) and units == 1:
            return self
        dims, last = self.tensor.owner, [units] if units > 1 else []
        tensor = _Tensor.of(self.tensor.datatype, [dims[axis] for axis in order] + last)
        if self.name != "data":
            return _Plan(self.name, tensor, self.list, order.index(self.batch_axis % len(order)),
                         order.index(self.time_axis % len(order)))
        axes = self.list.integers()
        if self.list.type == "b1":
            axes = [axis for axis, named in enumerate(axes) if named]
        named = {axis % len(order) for axis in axes}
        mask = [axis in named for axis in order] + [False] * len(last)
        return _Plan(self.name, tensor, mask, 0, 0)

    def keep(self, x, control):
        """Keeps it for calls of this thread with tensors like `x`, which it does not keep."""
        numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
        if numpy and type(x) is numpy.ndarray:
            self.pointer, self.new, self.wrote = _Pointer.from_buffer, _new_array, None
        elif torch and type(x) is torch.Tensor and not x.is_complex():  # may be conjugated
            self.pointer, self.new = _pointer_of_tensor, torch.empty_like
            self.wrote = _tell_autograd
        else:
            return
        self.kind, self.shape, self.dtype = type(x), x.shape, x.dtype
        self.keep_list(control)

    def keep_list(self, control):
        self.list = self.types = self.content = None
        self.entries = entries = type(control)
        if entries in (list, tuple):
            self.control = entries(map(int, control))
            if self.name == "data":  # True is an entry of a mask, and 1 an axis
                self.types = list(map(type, control))
                if not {int, bool}.issuperset(self.types):
                    self.entries = None
                elif self.types[:1] == [int]:  # then it is no mask, whatever follows
                    self.types = int
        elif entries is int:
            self.control = control
        elif entries.__module__ in ("numpy", "torch") and hasattr(entries, "tolist"):
            self.content = entries.tobytes if hasattr(entries, "tobytes") else entries.tolist
            self.control = control.dtype, control.shape, self.content(control)
        else:
            self.entries = None
        place = self.name, self.shape
        if len(_local.plans) >= _KEPT and place not in _local.plans:
            _local.plans.clear()
        _local.plans[place] = self

    def renewed(self, control):
        """The same for other lengths or axes."""
        plan = _Plan(self.name, self.tensor, control, self.batch_axis, self.time_axis)
        plan.pointer, plan.new, plan.wrote = self.pointer, self.new, self.wrote
        plan.kind, plan.shape, plan.dtype = self.kind, self.shape, self.dtype
        plan.keep_list(control)
        return plan

    def has(self, control):
        if type(control) is not self.entries:
            return False
        if self.content:
            return (control.dtype, control.shape, self.content(control)) == self.control
        if control != self.control:
            return False
        types = self.types
        return types is None or (type(control[0]) is int if types is int else
                                 list(map(type, control)) == types)


def _new_array(x):
    return type(x)(x.shape, x.dtype)


def _pointer_of_tensor(x):
    if x.is_contiguous() and x.is_cpu and not x.requires_grad and not x.is_neg():
        return _Pointer.from_address(x.data_ptr())
    raise ValueError


def _tell_autograd(x):
    """That `x` was written to: a gradient that needs its old elements is refused then."""
    tell = getattr(sys.modules["torch"].autograd.graph, "increment_version", None)
    if tell and not x.is_inference():
        tell(x)


class _Tensor(ctypes.Structure):
    _fields_ = [("datatype", ctypes.c_int), ("rank", ctypes.c_int), ("dims", ctypes.c_void_p),
                ("data", ctypes.c_void_p)]

    @classmethod
    def of(cls, datatype, shape, address=None):
        dims = (ctypes.c_int64 * len(shape))(*shape)
        tensor = cls(datatype, len(shape), ctypes.addressof(dims), address)
        tensor.owner = dims
        return tensor


class _View:
    """A tensor in memory, of whatever kind: `type` is its elements' as in NumPy, `strides` are in
    bytes, `order` its axes from the outermost in memory to the innermost, or None where elements
    lie apart or twice. `owner` keeps the memory."""

    format = None  # of a buffer

    def __init__(self, owner, address, shape, strides, kind, size, is_read_only=False):
        self.owner, self.address, self.shape, self.size = owner, address or 0, tuple(shape), size
        self.type, self.is_read_only = f"{kind}{size}", is_read_only
        self.count = math.prod(self.shape)
        axes = list(range(len(self.shape)))
        if strides is None:  # row-major
            self.order = axes
            self.strides = tuple(size * math.prod(self.shape[axis + 1:]) for axis in axes)
        else:
            self.order, self.strides = self.find_order(axes, strides), tuple(strides)

    def find_order(self, axes, strides):
        if self.count == 0:
            return axes
        # Where an axis of one entry lies has no meaning: it stays at its place.
        long = sorted((axis for axis in axes if self.shape[axis] > 1), key=lambda a: -strides[a])
        step = self.size
        for axis in reversed(long):
            if strides[axis] != step:
                return None
            step *= self.shape[axis]
        longs = iter(long)
        return [axis if self.shape[axis] == 1 else next(longs) for axis in axes]

    @classmethod
    def of(cls, x, name):
        numpy = _numpy() if hasattr(x, "__array_interface__") else None
        if numpy:
            if hasattr(x, "_mask"):
                raise ValueError(f"{name} is a masked array: its mask would be lost")
            return cls.of_array(numpy.asarray(x), isinstance(x, numpy.generic))
        if hasattr(x, "__dlpack__"):
            return cls.of_dlpack(x, name)
        try:
            return cls.of_buffer(_Buffer(x))
        except TypeError:
            raise TypeError(f"{name} is of type {type(x).__name__}, but it must be an array: with "
                            "DLPack or the buffer protocol") from None

    @classmethod
    def of_array(cls, x, is_copy):
        dtype = x.dtype
        kind = dtype.kind
        if dtype.hasobject:
            kind = "O"
        elif kind == "V" and dtype.name == "bfloat16":
            kind = "B"
        elif not dtype.isnative and kind != "V":
            kind = ">" + kind
        return cls(x, x.__array_interface__["data"][0], x.shape, x.strides, kind, dtype.itemsize,
                   is_copy or not x.flags.writeable)

    @classmethod
    def of_dlpack(cls, x, name):
        if hasattr(x, "is_neg") and x.is_neg():  # which DLPack does not say
            raise ValueError(f"{name} is negated lazily: call resolve_neg()")
        try:
            device, _ = x.__dlpack_device__()
            if device not in _HOSTS:
                raise ValueError(f"{name} is on a device of DLPack's type {int(device)}, but it "
                                 "must be in the processor's memory")
            try:
                capsule = x.__dlpack__(max_version=(1, 0))
            except TypeError:  # an exporter of the first version
                capsule = x.__dlpack__()
        except (BufferError, RuntimeError) as error:
            raise ValueError(f"{name} has no plain memory: {error}") from None
        is_read_only = False
        if _is_valid(capsule, b"dltensor_versioned"):
            managed = _Versioned.from_address(_pointer(capsule, b"dltensor_versioned"))
            is_read_only = bool(managed.flags & 1)
        else:
            managed = _Managed.from_address(_pointer(capsule, b"dltensor"))
        tensor = managed.tensor
        bits = tensor.bits * tensor.lanes
        if bits % 8:
            raise ValueError(f"{name} has elements of {bits} bits, but they must be whole bytes")
        strides = [step * bits // 8 for step in _numbers(tensor.strides, tensor.rank)]
        kind = _DLPACK.get(tensor.code, "V") if tensor.lanes == 1 else "V"
        return cls((x, capsule), (tensor.data or 0) + tensor.offset,
                   _numbers(tensor.shape, tensor.rank), strides or None, kind, bits // 8,
                   is_read_only)

    @classmethod
    def of_buffer(cls, buffer):
        letter = (buffer.format or b"B").decode().lstrip("@=<")
        view = cls(buffer, buffer.address, _numbers(buffer.shape, buffer.rank),
                   _numbers(buffer.strides, buffer.rank) or None, _BUFFER.get(letter, "V"),
                   buffer.item, bool(buffer.is_read_only))
        view.format = letter
        return view

    @classmethod
    def dense(cls, source):
        room = (ctypes.c_char * (source.count * source.size))()
        view = cls(room, ctypes.addressof(room), source.shape, None, "", source.size)
        view.type = source.type
        return view

    @classmethod
    def of_list(cls, values, name):
        """Of lengths or axes: dense, in order."""
        if isinstance(values, cls):
            return values
        if name == "axes" and (isinstance(values, int) or getattr(values, "shape", None) == ()):
            values = [operator.index(values)]
        if isinstance(values, (list, tuple, range)):
            is_mask = name == "axes" and len(values) > 0 and all(
                isinstance(value, bool) or str(getattr(value, "dtype", "")).endswith("bool")
                for value in values)
            try:
                entries = array("B", map(bool, values)) if is_mask else array("q", values)
            except (OverflowError, TypeError):  # not of 64 bits or not whole, which libflip says
                try:
                    entries = array("d", values)
                except (OverflowError, TypeError):
                    raise ValueError(f"{name} is {str(values):.80}, but it must be a list of "
                                     "whole numbers") from None
            kind = "b" if is_mask else "i" if entries.typecode == "q" else "f"
            return cls(entries, entries.buffer_info()[0], [len(entries)], None, kind,
                       entries.itemsize)
        view = cls.of(values, name)
        if view.type not in _DATATYPES:
            raise ValueError(f"{name} has elements of type {view.type}, but they must be numbers "
                             "in this machine's order of bytes")
        if view.order != list(range(len(view.shape))):
            apart, view = view, cls.dense(view)
            view.assign(apart)
        return view

    @property
    def datatype(self):
        """Of an element, or of a unit of it."""
        return _DATATYPES.get(self.type, _OTHERS[math.gcd(self.size, 16)])

    @property
    def units(self):
        return self.size // math.gcd(self.size, 16)

    def integers(self):
        """The values of a list of integers or bools."""
        letter = "bBhHiIqQ"["i1 u1 i2 u2 i4 u4 i8 u8".split().index(self.type.replace("b", "u"))]
        return array(letter, ctypes.string_at(self.address, self.count * self.size)).tolist()

    @property
    def pointer(self):
        return ctypes.c_void_p(self.address)

    def is_at(self, other):
        return (self.address, self.order) == (other.address, other.order) and self.order is not None

    def meets(self, other):
        """Whether they may have bytes in common."""
        (start, end), (other_start, other_end) = self.span(), other.span()
        return self.count > 0 and start < other_end and other_start < end

    def span(self):
        reach = [step * (extent - 1) for step, extent in zip(self.strides, self.shape)]
        return (self.address + sum(one for one in reach if one < 0),
                self.address + sum(one for one in reach if one > 0) + self.size)

    @property
    def __array_interface__(self):
        return {"version": 3, "data": (self.address, False), "shape": self.shape,
                "strides": self.strides, "typestr": f"|V{self.size}"}

    def assign(self, other):
        """Copies the elements of `other`, of the same shape, where they have none in common."""
        numpy = _numpy()
        if self.count and numpy:
            numpy.copyto(numpy.asarray(self), numpy.asarray(other))
        elif self.count:
            self.assign_axis(other, 0, self.address, other.address)

    def assign_axis(self, other, axis, to, start):
        """Without NumPy: as many bytes at once as lie together on both sides."""
        left = math.prod(self.shape[axis:]) * self.size
        if all(view.is_row_major(axis) for view in (self, other)):
            ctypes.memmove(to, start, left)
            return
        for entry in range(self.shape[axis]):
            self.assign_axis(other, axis + 1, to + entry * self.strides[axis],
                             start + entry * other.strides[axis])

    def is_row_major(self, axis):
        step = self.size
        for one in reversed(range(axis, len(self.shape))):
            if self.shape[one] > 1 and self.strides[one] != step:
                return False
            step *= self.shape[one]
        return True


def _numpy():
    """NumPy, where it is installed."""
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def _numbers(pointer, count):
    """What it points to; nothing where it is NULL."""
    return pointer[:count] if pointer else []


def _integer(axis):
    """An axis past C's int is as wrong as the int next to it."""
    return ctypes.c_int(max(-1 << 31, min((1 << 31) - 1, axis)))


_python = ctypes.PyDLL(None)  # whose prototypes are nobody else's


class _Buffer(ctypes.Structure):
    """Py_buffer, of an object that has the buffer protocol."""

    _fields_ = [("address", ctypes.c_void_p), ("object", ctypes.c_void_p),
                ("bytes", ctypes.c_ssize_t), ("item", ctypes.c_ssize_t),
                ("is_read_only", ctypes.c_int), ("rank", ctypes.c_int),
                ("format", ctypes.c_char_p), ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
                ("strides", ctypes.POINTER(ctypes.c_ssize_t)), ("suboffsets", ctypes.c_void_p),
                ("internal", ctypes.c_void_p)]

    def __init__(self, x):
        super().__init__()
        _python.PyObject_GetBuffer(ctypes.py_object(x), ctypes.byref(self), 0x1C)

    def __del__(self, release=_python.PyBuffer_Release):
        release(ctypes.byref(self))  # nothing where there is no object


_HOSTS = (1, 3, 11)  # DLPack's devices whose memory is the processor's: kDLCPU, kDL*Host
_is_valid, _pointer = _python.PyCapsule_IsValid, _python.PyCapsule_GetPointer
_is_valid.argtypes = _pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_pointer.restype = ctypes.c_void_p


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("rank", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _Versioned(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32 * 2), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", _DLTensor)]
