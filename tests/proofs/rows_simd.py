"""The proofs of kernels/simd: each kernel of each table, and what it is made of."""

from proofs import TABLES, Proof

# Globs. Headers count, as the tables include them.
SOURCES = ("kernels/simd/*.[ch]",)

BYTES = {"generic": 16, "avx2": 32, "avx512": 64, "neon": 16}  # of a vector
SHUFFLING = TABLES[1:]


def rows(kernel, what, sets, functions, sizes, numbers, fast=False, **bounds):
    """Of swap_rows or copy_rows."""
    first, last = sizes
    bounds = {"FIRST": first, "LAST": last, "ROWS": ",".join(map(str, numbers)),
              "MOST": max(numbers), "BATCH": 1, "GAP": 0, "SKIP": 0, **bounds}
    if kernel == "swap_rows":
        bounds.setdefault("PARALLEL", 0)
    return Proof(f"{kernel}, {what} of {first} to {last} bytes", f"simd/{kernel}.c",
                 functions, sets, bounds, unwind=3000, fast=fast)


def strided(isa):
    """Rows apart: all sizes up to beyond four vectors, with which the parts of a row
    begin anew, in steps that keep a proof short."""
    most = 4 * BYTES[isa] + 3
    for first in range(1, most, 24):
        last = min(first + 23, most)
        for kernel in "swap", "copy":
            yield rows(f"{kernel}_rows", "rows apart", (isa,),
                       (f"rows_{kernel}", f"{kernel}_rows", f"{kernel}_strided"),
                       (first, last), (3,), first == 1, GAP=2, BATCH=2, SKIP=3)


PROOFS = [proof for isa in TABLES for proof in strided(isa)]
