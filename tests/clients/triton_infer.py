"""The options of an inference of tritonclient, over HTTP or gRPC: `wire` is one of
triton_forms.py."""

import numpy as np
from ml_dtypes import bfloat16

from check import equal, refused, reverse_sequence, same, settle

MODEL = "onnx.ReverseSequence"
X = np.arange(4 * 512, dtype=np.float32).reshape(4, 512)
LENS = np.full(512, 3, np.int64)
Y = reverse_sequence(X, LENS)
FEW = np.array([3, 0, 2], np.int64)  # of tensors()
WHOLE = (np.int8, np.int16, np.int32, np.int64,
         np.uint8, np.uint16, np.uint32, np.uint64)
REAL = (np.float16, np.float32, np.float64)


def tensors():
    """One array of each type, time first, with difficult values: the ends of
    its range, NaN and infinities, text beyond ASCII."""
    yield np.arange(12).reshape(4, 3) % 5 > 1
    for kind in WHOLE:
        ends = np.iinfo(kind)
        yield np.array([ends.min, ends.max, *range(10)], kind).reshape(4, 3)
    for kind in REAL:
        ends = np.finfo(kind)
        hard = [ends.max, -ends.max, ends.tiny, -0.0, 0.1]
        yield np.array([*hard, *range(7)], kind).reshape(4, 3)
    yield np.arange(12).astype(bfloat16).reshape(4, 3)
    words = ["", "a", "über", "日本", "\"\\/", "\n\t", "e\u0301", "\U0001f600",
             "x" * 300, "\0", "0", " "]
    yield np.array([w.encode() for w in words], np.object_).reshape(4, 3)


def inputs(wire, x=X, lens=LENS, **how):
    return [wire.tensor("input", x, **how),
            wire.tensor("sequence_lens", lens, **how)]


async def every_option(client, wire):
    async def ask(name=MODEL, **more):
        return await settle(client.infer(
            name, more.pop("inputs", inputs(wire)), **more))
    for part in (compressed, named, parameters, large, wrong):
        await part(ask, wire)


async def compressed(ask, wire):
    for coding in wire.CODINGS:
        for how in wire.WAYS:
            result = await ask(inputs=inputs(wire, **how),
                               outputs=[wire.output("Y", **how)], **coding)
            same(f"{coding}, {how}", Y, result.as_numpy("Y"))
        await refused(f"an error, {coding}", lambda: ask(
            inputs=inputs(wire, lens=LENS + 7), **coding),
            "sequence_lens[0] is 10, but", wire.INVALID)


async def named(ask, wire):
    async def reply(**more):
        return wire.form((await ask(**more)).get_response())
    equal("id", "a \"b\" ü", (await reply(request_id="a \"b\" ü"))["id"])
    got = await reply()
    equal("no id", wire.NO_ID, got.get("id"))
    for version in ("", "10"):
        got = await reply(model_version=version, **wire.MORE)
        equal("version", (MODEL, "10"),
              (got["model_name"], got["model_version"]))
    typed = np.arange(48, dtype=np.float32).reshape(2, 3, 8)
    lens = np.array([3, 2], np.int64)
    result = await ask("flip", inputs=inputs(wire, typed, lens))
    same("a configured model", reverse_sequence(typed, lens, 1, 0),
         result.as_numpy("features"))
    equal("an output that is not there", None, result.as_numpy("Y"))


async def parameters(ask, wire):
    square, lens = X[:, :4].copy(), LENS[:4]
    for given in ({"time_axis": 1, "batch_axis": 0},
                  {"time_axis": "1", "batch_axis": "0"}):
        result = await ask(inputs=inputs(wire, square, lens), parameters=given)
        same(f"{given}", reverse_sequence(square, lens, 1, 0),
             result.as_numpy("Y"))
    for what, more in (
            ("a sequence, a priority, a timeout",
             {"sequence_id": 7, "sequence_start": True, "sequence_end": True,
              "priority": 1, "timeout": 60_000_000}),
            ("a sequence's name", {"sequence_id": "word"}),
            ("no timeout", {"timeout": 0}),
            ("keys of one's own", {"parameters": {
                "content_type": "np", "tenant": "a", "debug": True, "seed": 7,
                "rate": 0.5}})):
        result = await ask(**more)
        same(what, Y, result.as_numpy("Y"))
    # To read a body of 64 MiB takes more than a microsecond.
    wide = np.zeros((4, 1 << 22), np.float32)
    await refused("a timeout", lambda: ask(timeout=1, inputs=inputs(
        wire, wide, np.zeros(1 << 22, np.int64))), "timeout", wire.LATE)


async def large(ask, wire):
    """Messages over gRPC's usual bound of 4 MiB, without a setting."""
    for rows in (1 << 10, 1 << 14):
        x = np.arange(rows * 1024, dtype=np.float32).reshape(4, rows * 256)
        result = await ask(inputs=inputs(
            wire, x, np.full(rows * 256, 3, np.int64)))
        same(f"{x.nbytes >> 20} MiB", np.concatenate([x[2::-1], x[3:]]),
             result.as_numpy("Y"))


async def wrong(ask, wire):
    async def refuse(what, *texts, **more):
        await refused(what, lambda: ask(**more), *texts)

    await refuse("a mistyped parameter", wire.INVALID,
                 "'time_axes' is unknown", parameters={"time_axes": 1})
    await refuse("another operator's", wire.INVALID, "'seq_axis' is unknown",
                 parameters={"seq_axis": 1})
    await refuse("an output", wire.INVALID, "Z", outputs=[wire.output("Z")])
    await refuse("classes", wire.INVALID, "classification",
                 outputs=[wire.output("Y", class_count=3)])
    await refuse("no model", wire.MISSING,
                 "Request for unknown model: 'flop' ", name="flop")
    await refuse("no version", wire.MISSING, "Request for unknown model: "
                 "'onnx.ReverseSequence' version '11' ", model_version="11")
    await refuse("one input", wire.INVALID, "sequence_lens",
                 inputs=inputs(wire)[:1])
    await refuse("a datatype", wire.INVALID, "FP64",
                 name="flip", inputs=inputs(wire, X.astype(np.float64)))
