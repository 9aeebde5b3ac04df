"""Messages of protobuf, written and read field by field, and an inference's."""

import struct

import wire
from wire import equal

MODEL = "onnx.ReverseSequence"


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    """An integer as a varint; text and bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    """[(number, value)]: integers, and bytes."""
    out, at = [], 0
    while at < len(data):
        key, at = read_varint(data, at)
        if key & 7 == 0:
            value, at = read_varint(data, at)
        else:
            size, at = {1: (8, at), 5: (4, at)}.get(key & 7) or \
                read_varint(data, at)
            value, at = data[at:at + size], at + size
        out.append((key >> 3, value))
    return out


def all_of(data, number):
    return [value for n, value in fields(data) if n == number]


def one_of(data, number, default=b""):
    return (all_of(data, number) or [default])[-1]


def tensor(name, datatype, shape, more=b""):
    return (field(1, name) + field(2, datatype) +
            field(3, b"".join(varint(dim) for dim in shape)) + more)


def infer(question, model=MODEL, more=b""):
    """ModelInferRequest of a Question, with raw contents."""
    lens = struct.pack(f"<{len(question.lens)}q", *question.lens)
    return (field(1, model) + field(3, f"q{question.tag}") +
            field(5, tensor("input", "INT32", question.shape)) +
            field(5, tensor("sequence_lens", "INT64", [len(question.lens)])) +
            more + field(7, question.data.tobytes()) + field(7, lens))


def check(question, reply, what="question"):
    """Checks that `reply`, a ModelInferResponse, is the Question's answer."""
    what = f"{what} {question.tag}"
    output = one_of(reply, 5)
    equal(f"{what}: id", f"q{question.tag}".encode(), one_of(reply, 3))
    equal(f"{what}: shape", question.shape, [
        read_varint(varint_, 0)[0] for varint_ in split(one_of(output, 3))])
    if all_of(reply, 6) != [question.expected.tobytes()]:
        wire.fail(f"{what}: the data is wrong")
        return False
    return True


def split(packed):
    """The varints of a packed field, each as bytes."""
    out, at = [], 0
    while at < len(packed):
        end = read_varint(packed, at)[1]
        out.append(packed[at:end])
        at = end
    return out


def check_call(question, call, what="question"):
    """The whole reply of a unary call."""
    if not equal(f"{what} {question.tag}: status of {call}", 0, call.status):
        return False
    messages = call.messages()
    return equal(f"{what}: messages", 1, len(messages)) and check(
        question, messages[0][1], what)
