"""The list of all proofs. Each room of kernels/ has a file of its own, rows_ROOM.py, with
SOURCES, whose lines all need a proof, DEAD, functions of a set that need not, and PROOFS."""

import dataclasses

# How the processors' sets call their table of kernels.
TABLES = ("generic", "avx2", "avx512", "neon")


@dataclasses.dataclass(frozen=True)
class Proof:
    """One row: a harness with the values of its macros.

    name       for people, without the set
    file       the harness, in tests/proofs/
    functions  of kernels/, by name: the proof must run each of them
    sets       instruction sets, one run each: the harness includes TABLE. (): one run
    defines    macros of the harness, which are the bounds
    unwind     no loop runs that often
    fast       .ci/run runs it
    options    more words for cbmc, such as more source files"""
    name: str
    file: str
    functions: tuple
    sets: tuple = ()
    defines: dict = dataclasses.field(default_factory=dict)
    unwind: int = 300
    fast: bool = False
    options: tuple = ()


def all_rooms():
    import rows_move
    import rows_ops
    import rows_simd
    return rows_simd, rows_move, rows_ops
