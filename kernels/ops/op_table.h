/* The one table of operators. */
#pragma once

#include "kernels/ops/op.h"

/* Ended by NULL; in the order of GET /v2/models. */
extern const struct op *const op_table[];

/* Finds an operator by its exact name of `len` bytes, or NULL. */
const struct op *op_table_find(const char *name, size_t len);
