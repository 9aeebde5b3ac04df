/* Tensors as views of memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/core/dtype.h"
#include "kernels/core/shape.h"
#include "kernels/core/status.h"

/* A view: owns nothing. `data` may be NULL where only shape and datatype
 * matter, as for the data of an operator's call. It need not be aligned. Data
 * of BYTES is, for each element, a uint32 length and that many bytes. */
struct tensor {
    const char *name; /* borrowed; for error texts */
    enum dtype dtype;
    struct shape shape;
    const unsigned char *data; /* borrowed */
    size_t bytes;
};

/* Size of `count` elements of a datatype other than BYTES, in bytes; packed
 * types round up to whole bytes. Fails with INVALID past SIZE_MAX / 2. */
bool tensor_bytes(enum dtype dtype, uint64_t count, const char *name,
                  size_t *bytes, struct status *st);

/* Reads element `index` of a tensor of integers (8 to 64 bits) or of floats
 * that hold whole numbers (FP16, BF16, FP32, FP64). Fails with INVALID, naming
 * tensor, index and value, when it is no whole number or outside int64. The
 * caller has checked the datatype's kind and that `index` is in range. */
bool tensor_integer(const struct tensor *tensor, uint64_t index, int64_t *value,
                    struct status *st);
