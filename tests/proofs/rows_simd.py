"""The proofs of kernels/simd: each kernel of each table, and what it is made of."""

from proofs import TABLES, Proof

# Globs. Headers count, as the tables include them.
SOURCES = ("kernels/simd/*.[ch]",)

VECTOR = {"generic": 16, "avx2": 32, "avx512": 64, "neon": 16}  # bytes
# Row sizes at which the parts of a row begin anew (FOR_ROW_SIZE).
SIZES = {16: ((1, 4), (7, 9), (15, 17), (33, 33), (49, 49), (65, 65)),
         32: ((1, 4), (7, 9), (15, 17), (31, 33), (65, 65), (97, 97), (129, 129)),
         64: ((1, 4), (7, 9), (15, 17), (31, 33), (63, 65), (129, 129), (193, 193), (257, 257))}

# Functions with lines that a set never runs: without a shuffle no vector has bytes to spare, and
# parts of a row are smaller than a vector.
DEAD = {("generic", name) for name in ("reverse_index_of", "reverse_to_end", "store_pair",
                                       "swap_span", "copy_span", "copy_vectors")}
DEAD |= {(isa, f"{kernel}_row_part_{part}") for isa in TABLES for kernel in ("swap", "copy")
         for part in (16, 32) if part >= VECTOR[isa]}


def rows(kernel, what, isa, functions, sizes, number, fast=False, **bounds):
    """Of swap_rows or copy_rows."""
    first, last = sizes
    bounds = {"FIRST": first, "LAST": last, "ROWS": number, "BATCH": 1, "GAP": 0,
              "SKIP": 0, **bounds}
    if kernel == "swap":
        bounds = {"PARALLEL": 0, "MIDDLE": 0, **bounds}
    size = f"{first} to {last}" if first < last else first
    return Proof(f"{kernel}_rows, {what}: {number} of {size} bytes",
                 f"simd/{kernel}_rows.c", (f"rows_{kernel}", *functions), (isa,), bounds,
                 unwind=3000, fast=fast)


def strided(isa):
    for sizes in SIZES[VECTOR[isa]]:
        batch = 2 if sizes[1] < 10 else 1
        for kernel in "swap", "copy":
            yield rows(kernel, "apart", isa, (f"{kernel}_rows", f"{kernel}_strided"), sizes, 3,
                       sizes[1] in (9, 33), GAP=2, BATCH=batch, SKIP=3)
    # As many as a vector would reverse if they were adjacent; and planes likewise.
    vector = VECTOR[isa]
    for kernel in "swap", "copy":
        yield rows(kernel, "far apart", isa, (f"{kernel}_rows",), (2, 2), vector + 1, True, GAP=1)
        yield rows(kernel, "small planes apart", isa, (), (1, 1), vector // 4,
                   isa == "generic", BATCH=1024 // vector + 1, SKIP=3)
    yield rows("copy", "long", isa, ("copy_row_long",), (2048, 2049), 2, GAP=1)
    yield rows("swap", "parallel", isa, ("swap_rows",), (3, 3), 5, True, GAP=1, PARALLEL=1)


def reversed_rows(isa):
    """Spans below, of and above a vector, whose rest overlaps it or does not."""
    vector = VECTOR[isa]
    sizes = {"generic": (1, 2, 4, 8), "neon": (1, 2, 3, 4, 8),
             "avx2": (1, 3, 16), "avx512": (1, 3, 32)}[isa]
    spans = vector * 3 // 4, vector, vector + vector // 4, 2 * vector + 1
    for size in sizes:
        for half in sorted({span // size for span in spans if span >= size}):
            span = half * size
            # Without a shuffle, less than a vector is left to rows.h.
            functions = ("reverse_swap", "swap_span") if isa != "generic" or span >= vector else ()
            yield rows("swap", "adjacent", isa, functions, (size, size), 2 * half + half % 2,
                       size < 4 and span > 2 * vector - size)
            yield rows("copy", "adjacent", isa, (), (size, size), half,
                       size < 4 and span > vector)


def middles(isa):
    """Rows in the middle stay, as they do in a part of the work."""
    vector = VECTOR[isa]
    for middle in 1, 2, 3, 8:
        yield rows("swap", f"but {middle} in the middle", isa, ("reverse_swap", "overlaps"),
                   (2, 2), 2 * (vector // 2 + 3) + middle, middle == 2, MIDDLE=middle)
    yield rows("swap", "tiny planes but 2 in the middle", isa, (), (1, 1), vector, True,
               MIDDLE=2, BATCH=256 // vector)


def tiny(isa):
    """At least 256 bytes of adjacent planes of up to two vectors."""
    vector = VECTOR[isa]
    for size, number in ((1, vector), (1, vector // 4), (2, vector // 2 + 4)) + \
            (((3, 3), (3, vector // 3 + 1)) if isa != "generic" else ()):
        plane = size * number
        for kernel in "swap", "copy":
            if plane > vector and isa == "generic" and kernel == "swap" and plane % size:
                continue
            # Rows that fill no vector are turned in planes of one vector only.
            is_tiny = plane <= vector or vector % size == 0
            yield rows(kernel, "tiny planes", isa, ("move_tiny_planes",) if is_tiny else (),
                       (size, size), number, size == 3 or plane == vector // 4 and isa == "generic",
                       BATCH=256 // plane + 1)


def ragged(isa):
    vector = VECTOR[isa]
    for size, number, first, last, functions in (
            (2, vector + 2, vector // 2, vector // 2 + 1, ("reverse_swap_ragged",)),
            (1, 2 * vector + 3, 2 * vector, 2 * vector, ("reverse_swap_ragged",)),
            (2, 5, 3, 3, ("reverse_swap_ragged",) if isa != "generic" else ()),
            (vector + 1, 4, 0, 4, ("swap_rows_ragged", "swap_sequences"))):
        yield Proof(f"swap_ragged_rows: {number} of {size} bytes", "simd/swap_ragged_rows.c",
                    ("rows_swap_ragged", *functions), (isa,),
                    {"SIZE": size, "ROWS": number, "FIRST": first, "LAST": last},
                    unwind=3000, fast=size == 2)


def columns():
    functions = ("columns_swap", "swap_columns", "find_moving")
    for size, count, number, row, end, symbolic in (
            (1, 3, 4, 0, 2, 64), (3, 2, 6, 1, 2, 64), (9, 2, 4, 0, 2, 64), (17, 2, 3, 0, 1, 64),
            (33, 2, 3, 0, 1, 64), (70, 2, 2, 0, 1, 64), (1, 66, 2, 0, 1, 0)):
        yield Proof(f"swap_columns: {count} of {number} x {size} bytes, rows {row} to {end}",
                    "simd/swap_columns.c", functions, TABLES,
                    {"SIZE": size, "COLUMNS": count, "ROWS": number, "ROW": row, "END": end,
                     "SYMBOLIC": symbolic, "GAP": 2},
                    unwind=max(count, number, 4) + 2, fast=size in (1, 9),
                    # Up to this length CBMC follows the constants of an array.
                    options=("--max-field-sensitivity-array-size", "66"))


def transposed():
    functions = ("transpose", "transpose_sized", "transpose_tile", "transpose_in_lanes",
                 "transpose_tile_at", "transpose_prefetch", "transpose_store",
                 "transpose_lanes_of", "vector_interleave_low", "vector_interleave_high")
    for isa in TABLES:
        for size in 16, 8, 4, 2, 1:
            side = VECTOR[isa] // size
            lines = isa == "avx512" and size == 16
            for past, gap in ((0, 3), (1, 0), (1, 3)) if lines else ((0, 3),):
                # Nontemporal stores: whole cache lines of the target, else none.
                apart = f", {gap} apart" if past and gap else ""
                yield Proof(f"transpose: {side + 1 - past} x {side + 1} of {size} bytes{apart}",
                            "simd/transpose.c", functions[:8] if size == 16 else functions,
                            (isa,),
                            {"SIZE": size, "ROWS": side + 1 - past, "COLUMNS": side + 1,
                             "FROM_GAP": 1, "TO_GAP": gap, "NONTEMPORAL": past},
                            unwind=9000, fast=size == 16)


def bits():
    functions = ("copy_bits", "copy_ordered_words", "copy_words", "load_bits")
    for size, high_first, reverse in ((1, 1, 0), (4, 0, 0), (1, 0, 1), (1, 1, 1), (2, 1, 1),
                                      (2, 0, 1), (4, 0, 1), (4, 1, 1)):
        order = ("reversed " if reverse else "") + ("high" if high_first else "low")
        yield Proof(f"copy_bits: {order} first, of {size} bits", "simd/copy_bits.c",
                    functions + (("reverse_elements",) if reverse else ()), TABLES,
                    {"WORDS": 2, "BITS": size, "HIGH_FIRST": high_first, "REVERSE": reverse},
                    fast=size == 1)


def pieces():
    """What the kernels are made of."""
    yield Proof("table of the set in use", "simd/kernel_table.c", ("kernel_table_active",),
                fast=True)
    yield Proof("prefetched lines", "simd/prefetch.c", ("transpose_prefetch",), TABLES,
                unwind=12, fast=True)
    yield Proof("own words of a table", "simd/shuffle.c",
                ("vector_reverse", "vector_load_lanes", "vector_interleave_low",
                 "vector_interleave_high", "nontemporal_fence", "reverse_all"),
                TABLES, fast=True, unwind=200)
    for isa in TABLES:
        most = VECTOR[isa]
        for first in range(0, most + 1, 9):
            last = min(first + 8, most)
            yield Proof(f"first {first} to {last} bytes of a vector", "simd/parts.c",
                        ("vector_load_part", "vector_store_part", "vector_load"), (isa,),
                        {"FIRST": first, "LAST": last}, fast=first in (9, 27))
        most = VECTOR[isa] // 2
        for first in range(1, most + 1, 8):
            last = min(first + 7, most)
            yield Proof(f"byte order of rows of {first} to {last} bytes", "simd/index.c",
                        ("reverse_index_of", "reverse_index_of_rows", "reciprocal", "divide"),
                        (isa,), {"FIRST": first, "LAST": last}, unwind=300,
                        fast=first == 1 and isa == "avx2")


PROOFS = [*pieces(), *bits(), *columns(), *transposed()]
for isa in TABLES:
    PROOFS += [*strided(isa), *reversed_rows(isa), *middles(isa), *tiny(isa), *ragged(isa)]
