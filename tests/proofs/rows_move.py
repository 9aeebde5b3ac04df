"""The proofs of kernels/move."""

from proofs import Proof

# Globs of the sources whose lines all need a proof.
SOURCES = ("kernels/move/*.c",)

KIB = 1 << 10


def permutation(shape, marks, flips=None, row=3, bits=8, each=False):
    """The macros of move/rows.c for a shape in memory order. A mark is K, F, T (reversed
    up to lengths) or B (which the lengths belong to); flips: of the axis F.
    each: all lengths are tried one by one, where they decide which rows are paired, and
    where contents are symbolic, too."""
    strides = [1] * len(shape)
    for i in reversed(range(len(shape) - 1)):
        strides[i] = strides[i + 1] * shape[i + 1]
    order = list(range(len(shape)))
    if "B" in marks and marks.index("B") > marks.index("T"):
        order.insert(marks.index("T"), order.pop(marks.index("B")))
    maps = [{"K": "K", "B": "K", "F": "F", "T": "L"}[marks[i]] for i in order]
    units = row
    for extent in shape:
        units *= extent

    def listed(values):
        return ",".join(map(str, values)) or "0"
    return {"RANK": len(shape), "EXTENTS": listed(shape[i] for i in order),
            "STRIDES": listed(strides[i] for i in order), "MAPS": listed(maps),
            "FLIPS": listed((flips or shape[i]) if marks[i] == "F" else 0 for i in order),
            "BATCH": [marks[i] for i in order].index("B") if "B" in marks else -1,
            "LONGEST": shape[marks.index("T")] if "T" in marks else 0, "EACH": int(each),
            "ROW": row, "UNITS": units, "BITS": bits, "HIGH_FIRST": int(bits < 4)}


# Shape, marks and the rest of permutation(); and which functions the case is there for.
CASES = (
    (((), ""), ("run",)),
    (((4,), "F"), ("run_innermost", "reversed_entries")),
    (((5,), "F", 3), ("run_innermost",)),
    (((2, 3), "FF"), ("run_entries",)),
    (((3, 2), "KF"), ("run_axis",)),
    (((3, 2), "FK"), ("run_entries",)),
    (((3, 4), "KF", 3), ("run_axis",)),
    (((3, 3), "BT"), ("makes_rows", "run_rows", "move_ragged_rows", "move_sequences")),
    (((3, 3), "TB"), ("makes_columns", "run_columns", "describe_columns")),
    (((2, 2, 3), "KBT"), ("run_rows",)),
    (((2, 2, 2), "KTB"), ("run_columns",)),
    (((2, 2, 2), "FBT", None, 2, 8, True), ("run_entries",)),
    (((2, 2, 2), "BTF", None, 2, 8, True), ("run_entries",)),
    (((2, 2, 2), "TFB", None, 2, 8, True), ("run_entries",)),
    (((2, 2, 2), "TKB", None, 2, 8, True), ("run_entries",)),
    (((2, 2, 2), "BKT", None, 2, 8, True), ("run_axis",)),
    (((2, 2, 2), "BFT", None, 2, 8, True), ("run_entries",)),
    (((2, 2, 2), "FTB", None, 2, 8, True), ("run_entries",)),
    (((2, 2, 2), "FKF"), ("run_axis",)),
    (((2, 2, 2), "KKF"), ("run_axis",)),
    # Packed elements: rows of them, and rows of whole bytes.
    (((3,), "F", None, 1, 1), ("choose_unit",)),
    (((3, 2), "KF", None, 3, 2), ("choose_unit",)),
    (((3,), "F", None, 8, 2), ("choose_unit",)),
    (((3, 4), "BT", None, 1, 4), ("makes_rows", "move_sequences")),
    (((2, 2, 2), "KBT", None, 1, 4), ("move_sequences",)),
    (((2, 3), "BT", None, 1, 4, True), ("makes_rows",)),
    (((2, 2), "BT", None, 3, 4, True), ("makes_rows",)),
    (((3, 2), "TB", None, 1, 4, True), ("makes_columns",)),
    (((3,), "F", None, 2, 16), ("choose_unit",)),
    # Spans of more than a MiB, in parts; and many planes in one call.
    (((3,), "F", None, 2560 * KIB), ("move_pieces",)),
    (((7,), "F", 6, 400 * KIB), ("move_pieces", "move_counted")),
    (((25, 2), "KF", None, 100 * KIB), ("move_planes",)),
    (((2, 2), "KF", None, 1100 * KIB), ("move_planes", "move_pieces")),
    (((5, 5), "BT", None, 4 * KIB), ("move_ragged_rows",)),
    (((2, 2), "BT", None, 600 * KIB, 8, True), ("makes_rows",)),
    (((2, 2), "TB", None, 17 * KIB, 8, True), ("makes_columns",)),
)


def rows():
    for case, functions in CASES:
        macros = permutation(*case)
        for copy in (0, 1):
            yield Proof(f"move_{'copy' if copy else 'swap'} {case[1] or 'one row'} "
                        f"{'x'.join(map(str, case[0]))} of {macros['ROW']} x "
                        f"{macros['BITS']} bits", "move/rows.c",
                        ("move_copy" if copy else "move_swap", "move_scratch", "start", *functions),
                        defines={**macros, "COPY": copy}, unwind=60,
                        options=("--object-bits", "12"),
                        fast=sum(case[0]) < 6)


# Bytes of an entry, columns, entries of a column, bytes from one to the next,
# transpose_side, the longest length, the first byte of the scratch memory or -1.
COLUMNS = (
    (8, 3, 4, 24, 16, 4, 0),
    (8, 3, 4, 32, 16, 3, 1),
    (8, 3, 5, 32, 16, 1, 63),
    (4, 5, 6, 20, 16, 6, 7),
    (4, 4, 9, 32, 16, 7, 2),
    (8, 3, 4, 24, 32, 4, 5),
    (8, 1, 4, 24, 16, 4, 0),
    (3, 3, 5, 12, 16, 5, 0),
    (8, 3, 4, 24, 16, 4, -1),
    (4, 5, 3, 20, 16, 3, 0),
    # More than one block, and more than one panel.
    (8, 65, 6, 65 * 8, 16, 6, 1),
    (8, 67, 6, 68 * 8, 16, 5, 1),
    # Rows that the caches may not hold, and those that are written past them.
    (8, 3, 4, 256 * KIB, 16, 4, 9),
    (8, 3, 5, 1024 * KIB, 16, 4, 9),
    (16, 2, 8, 1024 * KIB, 16, 7, 9),
    # Rows in pieces.
    (60 * KIB, 2, 9, 120 * KIB, 16, 9, -1),
    (60 * KIB, 2, 5, 128 * KIB, 16, 5, -1),
    (150 * KIB, 2, 5, 300 * KIB, 16, 5, -1),
)


# As CASES, with the bytes of scratch memory.
WHOLE = (
    (((5,), "F"), 1),
    (((3,), "F", None, 20), 1),
    (((2, 3), "FF", None, 1), 1),
    (((2, 2), "BT", None, 1, 8, True), 1),
    (((2, 2), "TB", None, 8, 8, True), 256),
    (((2, 2), "TB", None, 1, 8, True), 1),
    (((2, 2, 2), "KKF", None, 2), 1),
    (((9,), "F", None, 1, 1), 1),
    (((40,), "F", None, 1, 2), 1),
    (((2, 3), "FF", None, 3, 4), 1),
    (((2, 2), "BT", None, 1, 4, True), 1),
)


def whole():
    for case, scratch in WHOLE:
        for copy in (0, 1):
            macros = permutation(*case)
            yield Proof(f"whole {'move_copy' if copy else 'move_swap'} {case[1]} "
                        f"{'x'.join(map(str, case[0]))} of {macros['ROW']} x "
                        f"{macros['BITS']} bits", "move/whole.c",
                        ("move_copy" if copy else "move_swap",),
                        defines={**macros, "COPY": copy, "SCRATCH": scratch}, unwind=18,
                        options=("kernels/move/move.c", "kernels/move/bits.c",
                                 "kernels/move/columns.c", "kernels/simd/table_generic.c"))


def columns():
    names = ("SIZE", "COUNT", "TIME", "STEP", "SIDE", "LONGEST", "START")
    for case in COLUMNS:
        macros = dict(zip(names, case))
        size, count, time, step, side, _, start = case
        panels = start >= 0 and size <= 16 and size != 3 and min(count, time) * size >= 16
        for copy in (0, 1):
            functions = ["columns_move", "in_place", *(("columns_scratch", "prepare") if start >= 0
                                                      else ())]
            if panels:
                functions += ["bytes_of", "move_by_panels", "move_panels", "carry", "reverse", "next_row",
                              "choose", "columns_of"]
            else:
                functions.append("move_straight")
            if copy:
                functions.append("copy_rows")
            yield Proof(f"columns_move {'copy' if copy else 'swap'} {time}x{count} of {size} "
                        f"bytes, {step} apart, side {side}, scratch {start}",
                        "move/columns.c", tuple(functions), defines={**macros, "COPY": copy},
                        unwind=70, fast=count < 9 and step < KIB)
    yield Proof("longest_of", "move/longest.c",
                ("longest_of", "columns_scratch", "choose", "columns_of", "prepare"),
                defines={"COUNT": 3, "SIZE": 8, "SIDE": 16}, unwind=4, fast=True)


BITS = ("copy_bytes", "copy_span", "swap_chunk", "swap_span", "bits_move_rows",
        "bits_swap_ragged_rows")


def bits():
    for size in (1, 2, 4):
        for high_first in (0, 1):
            yield Proof(f"copy_few of {size} bits, {'high' if high_first else 'low'} first",
                        "move/bit_words.c", ("copy_few", "load_few", "store_few", "load_bytes",
                                             "low_first", "bytes_of"),
                        defines={"BITS": size, "HIGH_FIRST": high_first}, unwind=9,
                        fast=size == 2)
    for part, function in enumerate(BITS, 1):
        functions = [function, *(("part_of",) if part in (1, 2, 4) else ()),
                     *(("move_plane", "move_span") if part == 5 else ())]
        total = {3: 8300, 4: 9000}.get(part, 40)
        variants = [("in order", 0, 1, 1, 0), ("reversed", 1, 1, 1, 0)]
        if part == 4:
            variants.append(("halves reversed", 1, 1, 1, 1))
        elif part == 5:
            variants = [(f"rows {rows} of {step}", 0, rows, step, 0)
                        for rows, step in ((1, 1), (1, 2), (3, 3), (3, 5))]
        for name, reverse, rows, step, halves in variants[:1 if part == 6 else None]:
            yield Proof(f"{function} of any span, {name}", "move/bit_spans.c", tuple(functions),
                        defines={"PART": part, "BITS": 2, "TOTAL": total, "LENGTH": 8,
                                 "FIRST": 16 if part in (2, 4) else 8 * total,
                                 "REVERSE": reverse, "ARE_HALVES": halves,
                                 "SIZE": rows, "STEP": step}, unwind=5, fast=part > 4)


def others():
    yield Proof("swap_near", "move/near.c", ("swap_near", "is_near", "move_rows"),
                defines={"ROW": 700, "STEP": 1500}, unwind=30, fast=True)
    for dtype, kind, size in (("FP32", "float", 4), ("FP64", "double", 8),
                              ("COMPLEX64", "float", 8), ("COMPLEX128", "double", 16)):
        yield Proof(f"scale_run of {dtype}", "move/scale.c",
                    ("scale_run", "scale_piece", f"scale_{kind}s"),
                    defines={"TYPE": kind, "DTYPE": f"DTYPE_{dtype}", "BYTES": 2 * size,
                             "STEP": size, "COEFFICIENT": "0x1.8000000001p0"}, unwind=40, fast=size == 4,
                    options=("kernels/core/dtype.c",))
    for dtype, name, function in (("FP16", "fp16", "scale_halves"),
                                  ("BF16", "bf16", "scale_bfloats")):
        yield Proof(f"scale_run of {dtype}", "move/scale.c",
                    ("scale_run", "scale_piece", function),
                    defines={"TYPE": "uint16_t", "DTYPE": f"DTYPE_{dtype}", "BYTES": 6,
                             "STEP": 4, "COEFFICIENT": "0x1.8000000001p0", "HALF": name}, unwind=20,
                    options=("kernels/core/dtype.c",))


PROOFS = [*rows(), *whole(), *columns(), *bits(), *others()]
