/* A call of an operator, built up piece by piece, as the layer above does it.
 */
#pragma once

#include <stdint.h>

#include "kernels/ops/op.h"
#include "tests/kernels/naive.h"

/* The operators whose descriptions are tested here. */
extern const struct op op_onnx_reverse_sequence;
extern const struct op op_openvino_reverse_sequence;
extern const struct op op_openvino_reverse;
extern const struct op op_graiphic_reverse_sequence;
extern const struct op op_graiphic_reverse_sequence_grad;

enum { OP_CASE_CONTROL = 1 << 16 };

struct op_case {
    const struct op *op;
    struct op_call call;
    struct attribute_value values[OP_MAX_ATTRIBUTES];
    unsigned char control[OP_CASE_CONTROL];
    struct permutation p; /* after op_case_accepted(); permutation_free() it */
    struct status st;
};

/* Data of this datatype and shape ("dims" has `rank` entries), every attribute
 * at its fallback, and an empty INT64 list as control. */
void op_case_init(struct op_case *c, const struct op *op, enum dtype dtype,
                  int rank, const int64_t *dims);

/* Gives an attribute, by its name. */
void op_case_integer(struct op_case *c, const char *name, int64_t value);
void op_case_text(struct op_case *c, const char *name, const char *value);

/* Makes the control a list of `count` numbers of this datatype. */
void op_case_control(struct op_case *c, enum dtype dtype, int64_t count,
                     const int64_t *values);

/* Calls describe() and asserts that it succeeds, or fails with INVALID and
 * exactly this text, and that a refusal leaves no memory behind. */
void op_case_accepted(struct op_case *c);
__attribute__((format(printf, 2, 3))) void
op_case_refused(struct op_case *c, const char *format, ...);

/* Asserts that describe() succeeds, and that its permutation of the 32-bit
 * numbers 0, 1, 2 ... is that of the formula. */
void op_case_moves(struct op_case *c, const struct naive *n);

/* Valid calls of the ReverseSequence operators, for tests to spoil. */
enum {
    SEQUENCE_OPS = 4,
    SEQUENCE_OPENVINO = 3, /* the one with rules of its own */
};

/* Indexes of the axes in their attribute tables. */
enum { SEQUENCE_BATCH, SEQUENCE_TIME };

extern const struct op *const sequence_ops[SEQUENCE_OPS];

/* A good call: 8 entries of time, 4 of batch, each where its default is. */
void sequence_case_init(struct op_case *c, const struct op *op);

/* Asserts the refusal, in which '~' and '@' stand for the names of the data and
 * the lengths, '%' for that of the time axis, '#' and '$' for the batch and the
 * time axis of the good call: operators differ in these. */
void sequence_case_refused(struct op_case *c, const char *format);
