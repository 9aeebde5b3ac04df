"""The proofs of kernels/ops, and of the shapes and numbers of kernels/core."""

from proofs import Proof

# Globs of the sources whose lines all need a proof.
SOURCES = ("kernels/ops/*.c",)

EMPTY = ("permutation_init", "permutation_collapse", "permutation_free", "place")
COLLAPSE = (*EMPTY, "merge_axes", "merge_row", "simplify_lens")
# The files that a description runs through.
DESCRIBED = ("--memory-leak-check", "kernels/core/dtype.c")

FLIPS = (("{0}", "{1}", "{3}"), ("{2,3}", "{1,3}", "{3,0}"),
         ("{2,3,2}", "{3,1,2}", "{2,2,1}", "{1,2,3}"), ("{2,3,2,2}", "{2,1,3,2}"))
LENGTHS = (("{3,2}", 0, 1), ("{2,3}", 1, 0), ("{3,1}", 0, 1), ("{0,3}", 0, 1),
           ("{2,2,2}", 0, 1), ("{2,2,2}", 0, 2), ("{2,2,2}", 1, 0), ("{2,2,2}", 1, 2),
           ("{2,2,2}", 2, 0), ("{2,2,2}", 2, 1), ("{2,1,3}", 0, 2), ("{2,2,2,2}", 2, 0))


def collapse():
    for rank, shapes in enumerate(FLIPS, 1):
        yield Proof(f"permutation_collapse of flips, {' '.join(shapes)}", "ops/collapse.c",
                    (*COLLAPSE, "permutation_flip", *(("joins",) if rank > 1 else ())),
                    defines={"RANK": rank, "SHAPES": ",".join(shapes), "TIME": 0, "BATCH": 0},
                    unwind=2**rank + 2, fast=rank < 3)
    for shape, time, batch in LENGTHS:
        extents = shape.strip("{}").split(",")
        rank, is_ordered = len(extents), batch > time and extents[batch] > "1"
        yield Proof(f"permutation_collapse of lengths, {shape} {time} by {batch}",
                    "ops/collapse.c",
                    ("permutation_flip_lens", *(EMPTY if "0" in extents else COLLAPSE),
                     *(("order_batch",) if is_ordered and "0" not in extents else ())),
                    defines={"RANK": rank, "SHAPES": shape, "TIME": time, "BATCH": batch},
                    unwind=2**rank + 2, fast=rank == 2)


# What a member of the ReverseSequence family runs where data has axes enough.
FAMILY = ("read_axes", "read_axis", "print_axis", "check_lens_datatype", "check_lens_shape",
          "swap_hint", "flip_lens", "read_lens")


def describe():
    for rank in range(4):
        yield Proof(f"openvino.Reverse of rank {rank}", "ops/reverse.c",
                    ("describe", "read_mode", "check_datatype", "check_shape", "flip_masked",
                     "flip_indexed", "out_of_range"),
                    defines={"RANK": rank}, unwind=8, options=DESCRIBED, fast=rank == 2)
    for op in ("onnx", "openvino", "graiphic"):
        for rank in range(1, 4):
            yield Proof(f"{op}.ReverseSequence of rank {rank}", "ops/reverse_sequence.c",
                        ("describe", "check_data", *(FAMILY if rank > 1 else ())),
                        defines={"RANK": rank, "OP": f"op_{op}_reverse_sequence",
                                 "ANY": int(op == "openvino"), "GRADIENT": 0}, unwind=8,
                        options=DESCRIBED, fast=rank == 2 and op == "onnx")
    yield Proof("graiphic.ReverseSequenceGrad of rank 2", "ops/reverse_sequence.c",
                ("describe", "check_data", *FAMILY),
                defines={"RANK": 2, "OP": "op_graiphic_reverse_sequence_grad", "ANY": 0,
                         "GRADIENT": 1}, unwind=8, options=DESCRIBED)


def core():
    yield Proof("tensor_bytes and tensor_integer", "core/tensor.c",
                ("tensor_bytes", "tensor_integer", "whole_number", "read_float",
                 "print_double"), unwind=19,
                options=("kernels/core/tensor.c", "kernels/core/dtype.c"))
    for rank, limit in ((2, 64), (3, 16)):
        yield Proof(f"shape_count and permutation_init, {rank} axes below {limit}",
                    "core/shape.c", ("shape_count", "permutation_init", "place"),
                    defines={"RANK": rank, "LIMIT": limit}, unwind=5,
                    options=("--unsigned-overflow-check", "kernels/core/tensor.c",
                             "kernels/core/dtype.c"))
    yield Proof("permutation_of_spans", "ops/spans.c", ("permutation_of_spans",),
                defines={"RANK": 3}, unwind=5, fast=True)
    yield Proof("size_multiply by 8", "core/size.c", ("size_multiply",), fast=True,
                defines={"FACTOR": 8})
    for name, sizes in (("text of a shape", {"RANK": 3, "DIGITS": 3, "SIZE": 10, "IS_LONGEST": 0}),
                        ("text of the longest shape",
                         {"RANK": 32, "DIGITS": 19, "SIZE": 24, "IS_LONGEST": 1})):
        yield Proof(name, "core/shape_text.c", ("shape_print",), fast=True, defines=sizes,
                    unwind=700 if sizes["IS_LONGEST"] else 16,
                    options=("kernels/core/tensor.c", "kernels/core/dtype.c",
                             "kernels/core/status.c"))
    yield Proof("texts of errors", "core/status.c", ("shorten", "status_fail"), unwind=22,
                defines={"IS_ENDLESS": 0}, fast=True)
    yield Proof("an endless text of an error", "core/status.c", ("shorten", "status_fail"),
                unwind=642, defines={"IS_ENDLESS": 1}, fast=True,
                options=("--max-field-sensitivity-array-size", "700"))
    for file in "reverse", "reverse_sequence":
        yield Proof(f"tables of {file}.c", "ops/tables.c", (), unwind=30, fast=True,
                    defines={"SOURCE": f'"kernels/ops/{file}.c"',
                             "IS_FAMILY": int(file != "reverse")})
    yield Proof("op_table_find, op_attribute_find and op_describe", "ops/op.c",
                ("op_table_find", "op_attribute_find", "is_same", "op_describe"), unwind=9,
                fast=True)


PROOFS = [*collapse(), *describe(), *core()]
