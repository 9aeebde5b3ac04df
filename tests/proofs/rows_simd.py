"""The proofs of kernels/simd: each kernel of each table, and what it is made of."""

from proofs import TABLES, Proof

# Globs. Headers count, as the tables include them.
SOURCES = ("kernels/simd/*.[ch]",)


def swap_rows():
    for size, rows in ((3, 5), (1, 32)):
        yield Proof(f"swap_rows {rows} x {size}", "simd/swap_rows.c",
                    ("rows_swap",), TABLES[:1],
                    {"SIZE": size, "ROWS": rows, "BATCH": 1, "GAP": 0}, fast=True)


PROOFS = [*swap_rows()]
