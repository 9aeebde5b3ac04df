/* reverse_sequence: Y[.., t, ..] = X[.., L[b]-1-t, ..] for t < L[b]
 *
 * data [.., T, .., B, ..] of rank >= 2, any datatype; lens [B], each in 0 .. T.
 * The gradient is the same permutation of dY, which is a float or complex type.
 * Fails with INVALID at the first of: datatype of data, rank, axes (batch, then
 * time), the two being the same, lens datatype, lens rank, lens count, lens
 * values; with NO_MEMORY when the lengths cannot be kept.
 * Describes the permutation, touches no data; O(rank + B) memory.
 * Source: ONNX ReverseSequence-10; OpenVINO ReverseSequence-1; Graiphic's
 * ReverseSequence node. */
#pragma once

#include "kernels/ops/op.h"

extern const struct op op_onnx_reverse_sequence;
extern const struct op op_openvino_reverse_sequence;
extern const struct op op_graiphic_reverse_sequence;
extern const struct op op_graiphic_reverse_sequence_grad;

/* Indexes of the axes in every attribute table of the family. */
enum { REVERSE_SEQUENCE_BATCH, REVERSE_SEQUENCE_TIME };

/* The differences between the members of the family: bits of op.rules. */
enum {
    REVERSE_SEQUENCE_ANY_AXIS = 1,    /* in -rank .. rank-1; else 0 or 1 */
    REVERSE_SEQUENCE_ANY_NUMBERS = 2, /* lens of any number type; else INT64 */
    REVERSE_SEQUENCE_ONLY_SCALABLE =
        4, /* data: dtype_is_scalable(); else any */
};

/* The describe() function of all of them. */
bool reverse_sequence_describe(const struct op *op, const struct op_call *call,
                               struct permutation *p, struct status *st);
