/* Valid calls of the ReverseSequence operators, for tests to spoil. */
#pragma once

#include "tests/kernels/ops/op_case.h"

enum {
    SEQUENCE_OPS = 4,
    SEQUENCE_OPENVINO = 3, /* the one with rules of its own */
};

/* Indexes of the axes in their attribute tables. */
enum { SEQUENCE_BATCH, SEQUENCE_TIME };

extern const struct op *const sequence_ops[SEQUENCE_OPS];

/* A good call: 8 entries of time, 4 of batch, each where its default is. */
void sequence_case_init(struct op_case *c, const struct op *op);

/* Asserts the refusal, in which '@' stands for `name`: operators call the same
 * argument differently. */
void sequence_case_refused(struct op_case *c, const char *format,
                           const char *name);
