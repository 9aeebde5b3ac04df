/* The names of datatypes in documents, messages and the models file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernels/core/dtype.h"
#include "kernels/core/status.h"

/* Reads the datatype of `where`, which is "inputs[0]", or "". Fails with
 * INVALID for any but the exact names of the protocol; the error has the one
 * that was most likely meant: "float32", "torch.FloatTensor" or "fp32" is FP32.
 */
bool datatype_read(const char *name, size_t len, const char *where,
                   enum dtype *dtype, struct status *st);
