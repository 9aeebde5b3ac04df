"""The cases of J1 to J7: documents."""

import json

from ask import Case, document, swap

MIB = 1 << 20


def depth(levels):
    """A request with an unknown member, which makes it nested so deep."""
    inside = b"[" * (levels - 1) + b"]" * (levels - 1)
    return swap(b'{"inputs"', b'{"note": ' + inside + b', "inputs"')


def filled(unit, where):
    """4 MiB of `unit`s, as data or as a parameter."""
    items = b",".join([unit] * (4 * MIB // (len(unit) + 1)))
    if where == "data":
        return swap(b"[1, 2, 3, 4]", b"[" + items + b"]")
    return swap(b'{"inputs"', b'{"parameters": {"x": [' + items +
                b']}, "inputs"')


def twice(old, new):
    return swap(old, new + b", " + old)


def number(text, datatype, status=400, **more):
    return Case(f"{text} as {datatype}", swap(
        b"[1, 2, 3, 4]", b"[" + text.encode() + b", 2, 3, 4]",
        tensor={"datatype": datatype}), status, **more)


J1 = [Case("depth 100", depth(100), 200),
      *[Case(f"depth {n}", depth(n), 400, ["100"])
        for n in (101, 2049, 250000)],
      Case("10 M brackets", b"[" * 10000000, {400, 413}),
      Case("brackets in data", swap(b"[1, 2, 3, 4]", b"[" * MIB), {400, 413}),
      Case("objects", b'{"a":' * MIB, {400, 413})]
J2 = [Case(f"{unit.decode()} in {where}", filled(unit, where), {200, 400, 413})
      for unit in (b"{}", b"[]", b'""', b"0", b"1.5", b'{"a":1}', b"123456789")
      for where in ("data", "parameters")]
J3 = [Case("key, top", twice(b'"inputs"', b'"inputs": []'), 400, ["inputs"]),
      Case("key, input", twice(b'"shape"', b'"shape": [1]'), 400, ["shape"]),
      Case("key, data", twice(b'"data"', b'"data": [1]'), 400, ["data"]),
      Case("key, parameters", swap(
          b'{"inputs"', b'{"parameters": {"a": 1, "a": 2}, "inputs"'), 400),
      Case("input name", document(lens={"name": "input"}), 400, ["input"]),
      Case("output name", document(outputs=[{"name": "Y"}, {"name": "Y"}]), 400,
           ["Y"])]
J4 = [number("1e400", "FP64"), number("-1e400", "FP64"),
      number("1e-400", "FP32", 200), number("1e39", "FP32"),
      number("65520", "FP16"), number("9223372036854775808", "INT64"),
      number("18446744073709551616", "UINT64"), number("256", "UINT8"),
      number("-1", "UINT64"), number("1.5", "INT32"), number("128", "INT8"),
      number("-129", "INT8"), number("true", "INT8"), number("1", "BOOL"),
      *[Case(f"dimension {text}", swap(b'"shape": [2, 2]', b'"shape": [' +
                                       text + b", 2]"), 400, ["shape"])
        for text in (b"2.5", b"2e-1", b"true", b'"2"', b"null", b"[2]",
                     b"9223372036854775808", b"-1")],
      *[Case(f"dimension {text}", swap(b'"shape": [2, 2]', b'"shape": [' +
                                       text + b", 2]"), 200)
        for text in (b"2.0", b"2e0")]]
J5 = [number("NaN", "INT32"), number("Infinity", "INT64"),
      number("NaN", "FP32", 200), number("nan", "FP32"), number("inf", "FP32"),
      number("9" * 1000000, "INT64"), number("9" * 1000000, "FP64"),
      number("-", "INT8"), number("1e", "FP32"), number("01", "INT8"),
      number("1.", "FP32"), number("+1", "INT8"), number(".5", "FP32"),
      number("0x1", "INT8"), number("1 2", "INT8"), number("", "INT8"),
      Case("NaN elsewhere", swap(b'{"inputs"', b'{"parameters": {"x": NaN}, '
                                 b'"inputs"'))]
J6 = [*[Case(f"{name} in id", swap(b'{"inputs"', b'{"id": "' + text +
                                   b'", "inputs"'), status)
        for name, text, status in (
            ("0xFF", b"\xff", 400), ("overlong", b"\xc0\xaf", 400),
            ("lone surrogate", b"\\ud800", 400), ("surrogate", b"\xed\xa0\x80",
                                                  400),
            ("past the end", b"\xf4\x90\x80\x80", 400),
            ("cut", b"\xe2\x82", 400), ("NUL", b"\\u0000", {200, 400}),
            ("bare NUL", b"\0", 400), ("bare LF", b"\n", 400),
            ("pair", b"\\ud83d\\ude00", 200))],
      Case("NUL in a name", swap(b'"input"', b'"inp\\u0000ut"')),
      Case("BOM", b"\xef\xbb\xbf" + document(), 200),
      Case("two BOMs", b"\xef\xbb\xbf" * 2 + document()),
      *[Case(f"behind: {tail!r}", document() + tail, status)
        for tail, status in ((b"x", 400), (b"\0", 400), (b"{}", 400),
                             (b" \r\n\t", 200))],
      Case("empty", b""), Case("scalar", b"1"), Case("comma", b'{"inputs":[],}'),
      Case("comment", b"/* */" + document())]
ODD_ID = 'x\r\n2026-01-01T00:00:00.000Z error forged \x1b[31m"quote'
J7 = [Case("id of 1 MiB", document(id="i" * MIB), {200, 400}),
      Case("id with CR, LF, ESC and quotes", document(id=ODD_ID), 200),
      Case("id of 255 KB digits", swap(b'{"inputs"', b'{"id": ' + b"1" * 255000 +
                                       b', "inputs"'), 400),
      Case("id that is a list", document(id=["a"]), 400)]
ROWS = {"J1": ("depth", J1), "J2": ("4 MiB of small values", J2),
        "J3": ("duplicates", J3), "J4": ("numbers out of range", J4),
        "J5": ("numbers that are none", J5), "J6": ("text that is none", J6),
        "J7": ("ids", J7)}


def echoed(reply):
    """An id comes back as it was, inside the JSON only."""
    return json.loads(reply.body).get("id") == ODD_ID and not any(
        "forged" in value for _, value in reply.headers)
