"""The proofs of kernels/move."""

from proofs import Proof

# Globs of the sources whose functions all need a proof.
SOURCES = ("kernels/move/*.c",)

# The functions of move.c that every case runs, and those that some cases run.
MOVE = ("move_swap", "move_copy", "move_scratch", "run", "start", "choose_unit", "in_place",
        "run_axis", "run_entries", "run_innermost", "reversed_entries", "move_planes",
        "move_counted", "move_pieces", "move_rows", "is_near", "makes_columns",
        "describe_columns", "run_columns", "makes_rows", "run_rows", "move_ragged_rows",
        "move_sequences")

KIB = 1 << 10


def permutation(shape, marks, flips=None, row=3, bits=8, each=False):
    """The macros of move/rows.c for a shape in memory order. A mark is K, F, T (reversed
    up to lengths) or B (which the lengths belong to); flips: of the axis F.
    each: all lengths are tried one by one."""
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


# Shape, marks and the rest of permutation(); and what of MOVE the case is there for.
CASES = (
    (((), ""), ("run",)),
    (((4,), "F"), ("run_innermost",)),
    (((5,), "F", 3), ("run_innermost",)),
    (((2, 3), "FF"), ("run_entries",)),
    (((3, 2), "KF"), ("run_axis",)),
    (((3, 2), "FK"), ("run_entries",)),
    (((3, 4), "KF", 3), ("run_axis",)),
    (((3, 3), "BT"), ("makes_rows", "run_rows", "move_ragged_rows", "move_sequences")),
    (((3, 3), "TB"), ("makes_columns", "run_columns", "describe_columns")),
    (((2, 2, 3), "KBT"), ("run_rows",)),
    (((2, 2, 2), "FBT", None, 2, 8, True), ("run_rows",)),
    (((2, 2, 2), "BTF", None, 2, 8, True), ("run_entries",)),
    (((2, 2, 2), "TFB", None, 2, 8, True), ("run_entries",)),
    (((2, 2, 2), "TKB", None, 2, 8, True), ("run_entries",)),
    (((2, 2, 2), "BKT", None, 2, 8, True), ("run_axis",)),
    (((2, 2, 2), "BFT", None, 2, 8, True), ("run_entries",)),
    (((2, 2, 2), "FTB", None, 2, 8, True), ("run_columns",)),
    (((2, 2, 2), "FKF"), ("run_axis",)),
    (((2, 2, 2), "KKF"), ("run_axis",)),
    # Packed elements: rows of them, and rows of whole bytes.
    (((3,), "F", None, 1, 1), ("choose_unit",)),
    (((3, 2), "KF", None, 3, 2), ("choose_unit",)),
    (((3,), "F", None, 8, 2), ("choose_unit",)),
    (((3, 4), "BT", None, 1, 4), ("makes_rows", "move_sequences")),
    (((2, 3), "BT", None, 1, 4, True), ("makes_rows",)),
    (((2, 2), "BT", None, 3, 4, True), ("makes_rows",)),
    (((3, 2), "TB", None, 1, 4, True), ("makes_columns",)),
    (((3,), "F", None, 2, 16), ("choose_unit",)),
    # Spans of more than a MiB, in parts; and many planes in one call.
    (((3,), "F", None, 2560 * KIB), ("move_pieces",)),
    (((7,), "F", 4, 400 * KIB), ("move_pieces", "move_counted")),
    (((25, 2), "KF", None, 100 * KIB), ("move_planes",)),
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
                        (("move_copy" if copy else "move_swap"), *functions),
                        defines={**macros, "COPY": copy}, unwind=30,
                        fast=sum(case[0]) < 6)


PROOFS = [*rows()]
